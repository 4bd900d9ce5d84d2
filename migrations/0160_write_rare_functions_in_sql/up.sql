-- PL/pgSQL is for what begins or ends a transaction, because every connection keeps its plans. What runs rarely is SQL.

-- No release since 0091 calls it.
drop function store_notices(bigint, text[], text[], text[], bigint[], date[]);

-- Members are on the coordinator, so no other node has to know the setting.
create or replace function list_members() returns table (
        profile_id bigint, id bigint, name text, role text, is_disabled boolean, created_at timestamptz)
    language sql
    set finance.lists_profiles = 'on'
    as $$
    select m.profile_id, m.id, m.name, m.role, m.is_disabled, m.created_at from members m order by m.profile_id, m.id
$$;

-- The setting ends before the list is returned: `closed` needs all of it. `offset 0`: Citus first fetches the rows.
create or replace function list_profiles() returns table (id bigint)
    language sql
    as $$
    select set_local('finance.lists_profiles', 'on');
    with listed as materialized (
        select array_agg(known.id order by known.id) as ids from (select p.id from profiles p offset 0) as known
    ), closed as materialized (
        select ids, set_local('finance.lists_profiles', '') from listed
    )
    select unnest(ids) from closed
$$;

create or replace function list_profiles_due(at_instant timestamptz, on_day date, most integer) returns table (id bigint)
    language sql
    as $$
    select set_local('finance.lists_profiles', 'on');
    with listed as materialized (
        select array_agg(first.id order by first.due_at) as ids from (
            select due.id, min(due.due_at) as due_at from (
                (select p.id, p.webhooks_due_at as due_at from profiles p
                where p.webhooks_due_at <= at_instant
                    and (p.webhooks_leased_until is null or p.webhooks_leased_until <= at_instant)
                order by p.webhooks_due_at limit most)
                union all
                (select p.id, at_instant as due_at from profiles p
                where (p.notices_on < on_day or p.notices_on > on_day)
                    and (p.webhooks_leased_until is null or p.webhooks_leased_until <= at_instant)
                limit most)
            ) as due
            group by due.id order by min(due.due_at) limit most
        ) as first
    ), closed as materialized (
        select ids, set_local('finance.lists_profiles', '') from listed
    )
    select unnest(ids) from closed
$$;

-- For nodes of the last release, which know no notices of a day.
create or replace function list_profiles_with_due_webhooks(at_instant timestamptz, most integer) returns table (id bigint)
    language sql
    as $$
    select due.id from list_profiles_due(at_instant, null, most) due
$$;

-- Whether a profile has something to forget. Leaves the transaction bound to it.
create function has_old_changes(profile bigint, before timestamptz, today date, entries_max bigint) returns boolean
    language sql
    as $$
    select set_local('finance.profile_id', profile::text);
    select exists (select 1 from changes c where c.profile_id = profile and c.at < before)
        or exists (select 1 from inbox i where i.profile_id = profile and i.expires_on < today)
        or (select coalesce(sum(c.entries + 1), 0) from changes c where c.profile_id = profile) > entries_max
$$;

create or replace function list_profiles_with_old_changes(before timestamptz, today date, entries_max bigint)
    returns table (id bigint)
    language sql
    as $$
    with listed as materialized (
        select array_agg(known.id) as ids from list_profiles() known
        where has_old_changes(known.id, before, today, entries_max)
    ), unbound as materialized (
        select ids, set_local('finance.profile_id', '') from listed
    )
    select unnest(ids) from unbound
$$;

create or replace function bind_device(selector bytea, out profile bigint, out member bigint)
    language sql
    as $$
    select set_config('finance.secret_hash', encode(selector, 'hex'), true);
    with found as materialized (
        select max(s.profile_id) as profile_id, max(s.member_id) as member_id
        from sessions s where s.device_selector = selector
    ), bound as materialized (
        select profile_id, member_id, set_config('finance.secret_hash', '', true),
            case when profile_id is not null then set_local('finance.profile_id', profile_id::text) end
        from found
    )
    select profile_id, member_id from bound
$$;
