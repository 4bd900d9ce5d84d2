-- Addresses that a profile is told about events at. The secret signs what is sent, so it is stored as it is.
create table webhooks (
    profile_id bigint not null,
    id bigint generated always as identity,
    url text not null,
    events text[] not null,
    secret text not null,
    created_at timestamptz not null default now(),
    constraint webhooks_pkey primary key (profile_id, id),
    constraint webhooks_of_profile foreign key (profile_id) references profiles (id) on delete cascade,
    constraint webhooks_url_length check (char_length(url) between 1 and 2000),
    constraint webhooks_events_known check (cardinality(events) between 1 and 5 and events <@ array[
        'import.confirmed', 'bill.closed', 'bill.due', 'budget.exceeded', 'transaction.created'])
);

-- The outbox: what is to be sent, stored in the transaction of the action that it tells of. Once it is sent or given up, it is
-- kept for a month. An event with a subject is told once to each webhook.
create table webhook_deliveries (
    profile_id bigint not null,
    id bigint generated always as identity,
    webhook_id bigint not null,
    event_id uuid not null,
    kind text not null,
    subject text,
    data text not null,
    created_at timestamptz not null default now(),
    state text not null default 'pending',
    attempts integer not null default 0,
    next_attempt_at timestamptz not null default now(),
    expires_at timestamptz not null default now() + interval '24 hours',
    response_status integer,
    failure text,
    constraint webhook_deliveries_pkey primary key (profile_id, id),
    constraint webhook_deliveries_of_webhook foreign key (profile_id, webhook_id)
        references webhooks (profile_id, id) on delete cascade,
    constraint webhook_deliveries_told_once unique (profile_id, webhook_id, kind, subject),
    constraint webhook_deliveries_state_known check (state in ('pending', 'delivered', 'failed'))
);

create index webhook_deliveries_newest on webhook_deliveries (profile_id, webhook_id, id);
create index webhook_deliveries_pending on webhook_deliveries (profile_id, next_attempt_at) where state = 'pending';

alter table webhooks enable row level security;
alter table webhooks force row level security;
create policy webhooks_isolation on webhooks using (profile_id = current_profile_id());

alter table webhook_deliveries enable row level security;
alter table webhook_deliveries force row level security;
create policy webhook_deliveries_isolation on webhook_deliveries using (profile_id = current_profile_id());

-- When a node has to look at the profile's webhooks next, and until when one does. Both are null for most profiles.
alter table profiles
    add column webhooks_due_at timestamptz,
    add column webhooks_leased_until timestamptz;
create index profiles_webhooks_due on profiles (webhooks_due_at) where webhooks_due_at is not null;

-- Stores what the webhooks of a profile are to be told, at the end of the transaction in which it happened. What has a subject is
-- told once. Of the categories that were spent in, those are told whose budget the sums exceed by now.
create function store_notices(
    profile bigint, kinds text[], subjects text[], told text[], categories_spent bigint[], months date[]
) returns void
    language plpgsql
    as $$
begin
    if not exists (select from webhooks where profile_id = profile) then
        return;
    end if;
    with events as materialized (
        select gen_random_uuid() as event_id, noted.* from (
            select * from unnest(kinds, subjects, told)
            union all
            select 'budget.exceeded', c.id || ':' || to_char(m.month, 'YYYY-MM'), json_build_object('category_id', c.id,
                'month', to_char(m.month, 'YYYY-MM'), 'budget', c.monthly_budget::text, 'spent', m.expenses::text)::text
            from unnest(categories_spent, months) as spent (category_id, month)
            join categories c on c.profile_id = profile and c.id = spent.category_id
            join month_totals m on m.profile_id = profile and m.month = spent.month and m.category_id = spent.category_id
            where c.monthly_budget < m.expenses
        ) as noted (kind, subject, data)
    ), stored as (
        insert into webhook_deliveries (profile_id, webhook_id, event_id, kind, subject, data)
        select profile, w.id, e.event_id, e.kind, e.subject, e.data
        from events e join webhooks w on w.profile_id = profile and e.kind = any (w.events)
        on conflict do nothing
        returning 1
    )
    update profiles set webhooks_due_at = least(webhooks_due_at, now())
    where id = profile and exists (select from stored);
end
$$;

-- The profiles whose turn it is. Tells nothing of them but their ids.
create function list_profiles_with_due_webhooks(at_instant timestamptz, most integer) returns table (id bigint)
    language plpgsql
    as $$
begin
    perform set_config('finance.lists_profiles', 'on', true);
    return query
        select profiles.id from profiles
        where webhooks_due_at <= at_instant and (webhooks_leased_until is null or webhooks_leased_until <= at_instant)
        order by webhooks_due_at limit most;
    perform set_config('finance.lists_profiles', '', true);
end
$$;
