create or replace function bind_device(selector bytea, out profile bigint, out member bigint)
    language plpgsql
    as $$
begin
    perform set_config('finance.secret_hash', encode(selector, 'hex'), true);
    select s.profile_id, s.member_id into profile, member from sessions s where s.device_selector = selector;
    perform set_config('finance.secret_hash', '', true);
    if profile is not null then
        perform set_local('finance.profile_id', profile::text);
    end if;
end
$$;

create or replace function list_profiles_with_old_changes(before timestamptz, today date, entries_max bigint)
    returns table (id bigint)
    language plpgsql
    as $$
declare
    profile bigint;
begin
    for profile in select known.id from list_profiles() known loop
        perform set_local('finance.profile_id', profile::text);
        if exists (select from changes c where c.profile_id = profile and c.at < before)
            or exists (select from inbox i where i.profile_id = profile and i.expires_on < today)
            or (select coalesce(sum(c.entries + 1), 0) from changes c where c.profile_id = profile) > entries_max
        then
            id := profile;
            return next;
        end if;
    end loop;
    perform set_local('finance.profile_id', '');
end
$$;

drop function has_old_changes(bigint, timestamptz, date, bigint);

create or replace function list_profiles_with_due_webhooks(at_instant timestamptz, most integer) returns table (id bigint)
    language plpgsql
    as $$
begin
    perform set_local('finance.lists_profiles', 'on');
    return query
        select profiles.id from profiles
        where webhooks_due_at <= at_instant and (webhooks_leased_until is null or webhooks_leased_until <= at_instant)
        order by webhooks_due_at limit most;
    perform set_local('finance.lists_profiles', '');
end
$$;

create or replace function list_profiles_due(at_instant timestamptz, on_day date, most integer) returns table (id bigint)
    language plpgsql
    as $$
begin
    perform set_local('finance.lists_profiles', 'on');
    return query
        select due.id from (
            (select profiles.id, webhooks_due_at as due_at from profiles
            where webhooks_due_at <= at_instant and (webhooks_leased_until is null or webhooks_leased_until <= at_instant)
            order by webhooks_due_at limit most)
            union all
            (select profiles.id, at_instant as due_at from profiles
            where (notices_on < on_day or notices_on > on_day)
                and (webhooks_leased_until is null or webhooks_leased_until <= at_instant)
            limit most)
        ) as due
        group by due.id order by min(due_at) limit most;
    perform set_local('finance.lists_profiles', '');
end
$$;

create or replace function list_profiles() returns table (id bigint)
    language plpgsql
    as $$
begin
    perform set_local('finance.lists_profiles', 'on');
    return query select profiles.id from profiles order by profiles.id;
    perform set_local('finance.lists_profiles', '');
end
$$;

create or replace function list_members() returns table (
        profile_id bigint, id bigint, name text, role text, is_disabled boolean, created_at timestamptz)
    language plpgsql
    as $$
begin
    perform set_config('finance.lists_profiles', 'on', true);
    return query
        select members.profile_id, members.id, members.name, members.role, members.is_disabled, members.created_at
        from members order by members.profile_id, members.id;
    perform set_config('finance.lists_profiles', '', true);
end
$$;

create function store_notices(
        profile bigint, kinds text[], subjects text[], told text[], categories_spent bigint[], months date[]) returns void
    language plpgsql
    as $$
begin
    perform store_notices(profile, kinds, subjects, told);
end
$$;
