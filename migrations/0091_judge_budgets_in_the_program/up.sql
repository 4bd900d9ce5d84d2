-- Stores what the webhooks of a profile are to be told, at the end of the transaction in which it happened. What has a subject is
-- told once. The program judges the budgets: the rule has one home.
create function store_notices(profile bigint, kinds text[], subjects text[], told text[]) returns void
    language plpgsql
    as $$
begin
    if not exists (select 1 from webhooks where profile_id = profile) then
        return;
    end if;
    with events as materialized (
        select gen_random_uuid() as event_id, noted.* from unnest(kinds, subjects, told) as noted (kind, subject, data)
    ), stored as (
        insert into webhook_deliveries (profile_id, webhook_id, event_id, kind, subject, data)
        select profile, w.id, e.event_id, e.kind, e.subject, e.data
        from events e join webhooks w on w.profile_id = profile and e.kind = any (w.events)
        on conflict do nothing
        returning 1
    )
    update profiles set webhooks_due_at = least(webhooks_due_at, now())
    where id = profile and exists (select 1 from stored);
end
$$;

-- For processes of an earlier release. What they would judge by the default alone is told by the next write of this release.
create or replace function store_notices(
    profile bigint, kinds text[], subjects text[], told text[], categories_spent bigint[], months date[]
) returns void
    language plpgsql
    as $$
begin
    perform store_notices(profile, kinds, subjects, told);
end
$$;
