drop function bind_profile(bigint, uuid, text[], boolean, bigint, boolean);
drop function bind_token(bigint, bytea, text[], text[], date, boolean, boolean);

create function begin_write(profile bigint) returns bigint
    language plpgsql
    as $$
declare
    drawn constant uuid := gen_random_uuid();
begin
    perform set_local('finance.profile_id', profile::text);
    update profiles set write_id = drawn, notices_on = case when notices_on is not null then '-infinity'::date end
    where id = profile;
    return profile;
end
$$;

create function bind_profile(profile bigint, credential uuid, roles text[], writes boolean, session bigint default null) returns void
    language plpgsql
    as $$
declare
    member record;
begin
    perform set_local('finance.profile_id', profile::text);
    if writes then
        perform 1 from profiles where id = profile for no key update;
    end if;
    select m.id, m.role, s.ended_at is not null as is_ended into member
    from members m
    left join sessions s on s.profile_id = m.profile_id and s.id = session
    where m.profile_id = profile and m.credential_id = credential and not m.is_disabled;
    if not found or member.is_ended then
        raise exception 'the member is gone or disabled, its credential has changed, or the session was ended'
            using constraint = 'profiles_credential_current';
    end if;
    if member.role <> all (roles) then
        raise exception 'the member''s role does not reach' using constraint = 'members_role_reaches';
    end if;
    perform set_local('finance.member_id', member.id::text);
end
$$;

create function bind_token(profile bigint, secret bytea, needed text[], roles text[], today date, writes boolean) returns void
    language plpgsql
    as $$
declare
    token record;
begin
    perform set_local('finance.profile_id', profile::text);
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
    perform set_local('finance.member_id', token.member_id::text);
end
$$;

create function bind_invitation(profile bigint, secret bytea, now timestamptz, writes boolean) returns void
    language plpgsql
    as $$
begin
    perform set_local('finance.profile_id', profile::text);
    if writes then
        perform 1 from profiles where id = profile for no key update;
    end if;
    perform 1 from invitations i where i.profile_id = profile and i.hash = secret and i.expires_at > bind_invitation.now;
    if not found then
        raise exception 'the invitation is gone or expired' using constraint = 'profiles_credential_current';
    end if;
end
$$;

create function bind_device(selector bytea, out profile bigint, out member bigint) returns record
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

create function bind_replica(profile bigint, member bigint, last_write uuid) returns void
    language plpgsql
    as $$
begin
    perform set_local('finance.profile_id', profile::text);
    perform 1 from profiles p where p.id = profile and p.write_id = bind_replica.last_write;
    if not found then
        raise exception 'the replica does not have the last write of the profile' using constraint = 'profiles_write_current';
    end if;
    perform set_local('finance.member_id', coalesce(member::text, ''));
end
$$;

create function last_write(bound text, out write_id uuid, out member_id bigint) returns record
    language plpgsql
    as $$
begin
    select p.write_id into last_write.write_id from profiles p where p.id = current_profile_id();
    member_id := current_member_id();
end
$$;

create function list_profiles() returns table (id bigint)
    language plpgsql
    as $$
begin
    perform set_local('finance.lists_profiles', 'on');
    return query select profiles.id from profiles order by profiles.id;
    perform set_local('finance.lists_profiles', '');
end
$$;

create function list_members() returns table (profile_id bigint, id bigint, name text, role text, is_disabled boolean, created_at timestamptz)
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

create function list_profiles_due(at_instant timestamptz, on_day date, most integer) returns table (id bigint)
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

create function list_profiles_with_due_webhooks(at_instant timestamptz, most integer) returns table (id bigint)
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

create function list_profiles_with_old_changes(before timestamptz, today date, entries_max bigint) returns table (id bigint)
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

create function store_notices(profile bigint, kinds text[], subjects text[], told text[], categories_spent bigint[], months date[]) returns void
    language plpgsql
    as $$
begin
    perform store_notices(profile, kinds, subjects, told);
end
$$;

