-- A session may have a device, which renews its login. The device is found by the hash of what names it, before its profile is known,
-- as a token is. Of its secrets the hashes of the last two are kept. The key makes the next secret of the one that is shown and a
-- count, so a stored row is no use without a secret. `renewed_at` is the instant of the last change of the secret, `coded_at` when a
-- code of the second factor was last given.
--
-- A session that was ended stays until its tokens have expired, so that they are refused. One that is not stored was not ended: it
-- is of a logout, or has given way to newer ones.
alter table sessions
    add column ended_at timestamptz,
    add column renewed_at timestamptz,
    add column coded_at timestamptz,
    add column device_selector bytea,
    add column device_key bytea,
    add column device_current bytea,
    add column device_previous bytea,
    add column device_count bigint,
    add column device_expires_at timestamptz,
    add constraint sessions_selector_key unique (device_selector),
    add constraint sessions_device_whole check (
        num_nonnulls(device_selector, device_key, device_current, device_count, device_expires_at) in (0, 5)
        and (device_previous is null or device_selector is not null)),
    add constraint sessions_device_lengths check (
        octet_length(device_selector) = 32 and octet_length(device_key) = 32 and octet_length(device_current) = 32
        and octet_length(device_previous) = 32),
    add constraint sessions_ended_without_device check (ended_at is null or device_selector is null);

alter policy sessions_isolation on sessions
    using (profile_id = current_profile_id()
        or device_selector = decode(nullif(current_setting('finance.secret_hash', true), ''), 'hex'));

-- Binds a transaction to the profile of the device with that selector. Returns its member, or null if there is no such device.
create function bind_device(selector bytea, out profile bigint, out member bigint)
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

-- Refuses the login of a session that was ended, too. The last release names no session.
drop function bind_profile(bigint, uuid, text[], boolean);
create function bind_profile(
    profile bigint, credential uuid, roles text[], writes boolean, session bigint default null
) returns void
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
