alter table accounts no force row level security;
alter table categories no force row level security;
alter table imports drop constraint imports_account_fkey;
alter table imports add constraint imports_account_fkey foreign key (profile_id, account_id) references accounts (profile_id, id)
    on delete set null (account_id);
alter table recurring drop constraint recurring_account_fkey;
alter table recurring add constraint recurring_account_fkey foreign key (profile_id, account_id) references accounts (profile_id, id)
    on delete set null (account_id);
alter table pending_bills drop constraint pending_bills_account_fkey;
alter table pending_bills add constraint pending_bills_account_fkey foreign key (profile_id, account_id) references accounts (profile_id, id)
    on delete set null (account_id);
alter table pending_bill_rows drop constraint pending_bill_rows_category_fkey;
alter table pending_bill_rows add constraint pending_bill_rows_category_fkey foreign key (profile_id, category_id) references categories (profile_id, id)
    on delete set null (category_id);
alter table transactions drop constraint transactions_statement_account_fkey;
alter table transactions add constraint transactions_statement_account_fkey foreign key (profile_id, statement_account_id) references accounts (profile_id, id)
    on delete set null (statement_account_id);
alter table accounts force row level security;
alter table categories force row level security;

create or replace function begin_write(profile bigint) returns bigint
    language plpgsql
    as $$
begin
    perform set_config('finance.profile_id', profile::text, true);
    update profiles set write_id = gen_random_uuid() where id = profile;
    return profile;
end
$$;

create or replace function bind_profile(profile bigint, credential uuid, roles text[], writes boolean) returns void
    language plpgsql
    as $$
declare
    member record;
begin
    perform set_config('finance.profile_id', profile::text, true);
    if writes then
        perform 1 from profiles where id = profile for no key update;
    end if;
    select m.id, m.role into member
    from members m
    where m.profile_id = profile and m.credential_id = credential and not m.is_disabled;
    if not found then
        raise exception 'the member is gone or disabled, or its credential has changed'
            using constraint = 'profiles_credential_current';
    end if;
    if member.role <> all (roles) then
        raise exception 'the member''s role does not reach' using constraint = 'members_role_reaches';
    end if;
    perform set_config('finance.member_id', member.id::text, true);
end
$$;

create or replace function bind_token(profile bigint, secret bytea, needed text[], roles text[], today date, writes boolean) returns void
    language plpgsql
    as $$
declare
    token record;
begin
    perform set_config('finance.profile_id', profile::text, true);
    if writes then
        perform 1 from profiles where id = profile for no key update;
    end if;
    select m.id as member_id, m.role, t.scopes into token
    from tokens t
    join members m on m.profile_id = t.profile_id and m.id = t.member_id
    where t.profile_id = profile and t.hash = secret and t.expires_on >= today and not m.is_disabled;
    if not found then
        raise exception 'the token is gone or expired, or its maker is disabled'
            using constraint = 'profiles_credential_current';
    end if;
    if not token.scopes && needed or token.role <> all (roles) then
        raise exception 'the token''s scopes do not reach' using constraint = 'tokens_scope_reaches';
    end if;
    perform set_config('finance.member_id', token.member_id::text, true);
end
$$;

create or replace function bind_invitation(profile bigint, secret bytea, now timestamptz, writes boolean) returns void
    language plpgsql
    as $$
begin
    perform set_config('finance.profile_id', profile::text, true);
    if writes then
        perform 1 from profiles where id = profile for no key update;
    end if;
    perform 1 from invitations i where i.profile_id = profile and i.hash = secret and i.expires_at > bind_invitation.now;
    if not found then
        raise exception 'the invitation is gone or expired' using constraint = 'profiles_credential_current';
    end if;
end
$$;

create or replace function bind_replica(profile bigint, member bigint, last_write uuid) returns void
    language plpgsql
    as $$
begin
    perform set_config('finance.profile_id', profile::text, true);
    perform 1 from profiles p where p.id = profile and p.write_id = bind_replica.last_write;
    if not found then
        raise exception 'the replica does not have the last write of the profile' using constraint = 'profiles_write_current';
    end if;
    perform set_config('finance.member_id', coalesce(member::text, ''), true);
end
$$;

create or replace function list_profiles() returns table (id bigint)
    language plpgsql
    as $$
begin
    perform set_config('finance.lists_profiles', 'on', true);
    return query select profiles.id from profiles order by profiles.id;
    perform set_config('finance.lists_profiles', '', true);
end
$$;

create or replace function list_profiles_with_due_webhooks(at_instant timestamptz, most integer) returns table (id bigint)
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

create or replace function store_notices(
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

drop function distribute_by_profile(regclass);
drop function set_local(text, text);
