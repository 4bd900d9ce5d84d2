-- The functions that begin a transaction return the profile's last write to whoever reads, so that no other statement asks for it. A
-- setting is assigned, as `perform` runs a query for it. Processes of an earlier release call the former functions, so these are stopped
-- first.
drop function bind_profile(bigint, uuid, text[], boolean, bigint, boolean);
drop function bind_token(bigint, bytea, text[], text[], date, boolean, boolean);

-- Binds a transaction to a profile, and proves that a member's login still opens it and reaches. A writer locks the profile, so that its
-- writers queue, and gives it another write_id; whoever has a device is due to be told. A reader gets the profile's last write, the
-- member, and the last day to which the profile was brought up.
create function bind_profile(
    profile bigint, credential uuid, roles text[], writes boolean, session bigint default null,
    out write_id uuid, out member_id bigint, out upkept_on date
)
    language plpgsql
    as $$
declare
    drawn constant uuid := case when writes then gen_random_uuid() end;
    setting text;
    role text;
    has_ended boolean;
begin
    setting := set_config('finance.profile_id', profile::text, true);
    if writes then
        update profiles set write_id = drawn, notices_on = case when notices_on is not null then '-infinity'::date end
        where id = profile;
    end if;
    select m.id, m.role, (
        select s.ended_at is not null from sessions s where s.profile_id = profile and s.id = session
    ) into member_id, role, has_ended
    from members m
    where m.profile_id = profile and m.credential_id = credential and not m.is_disabled;
    if not found or has_ended then
        raise exception 'the member is gone or disabled, its credential has changed, or the session was ended'
            using constraint = 'profiles_credential_current';
    end if;
    if role <> all (roles) then
        raise exception 'the member''s role does not reach' using constraint = 'members_role_reaches';
    end if;
    setting := set_config('finance.member_id', member_id::text, true);
    if not writes then
        select p.write_id, p.upkept_on into write_id, upkept_on from profiles p where p.id = profile;
    end if;
end
$$;

-- As bind_profile, by a token, for the member who made it.
create function bind_token(
    profile bigint, secret bytea, needed text[], roles text[], today date, writes boolean,
    out write_id uuid, out member_id bigint, out upkept_on date
)
    language plpgsql
    as $$
declare
    drawn constant uuid := case when writes then gen_random_uuid() end;
    setting text;
    role text;
    scopes text[];
begin
    setting := set_config('finance.profile_id', profile::text, true);
    if writes then
        update profiles set write_id = drawn, notices_on = case when notices_on is not null then '-infinity'::date end
        where id = profile;
    end if;
    select m.id, m.role, t.scopes into member_id, role, scopes
    from tokens t
    join members m on m.profile_id = t.profile_id and m.id = t.member_id
    where t.profile_id = profile and t.hash = secret and t.expires_on >= today and not m.is_disabled;
    if not found then
        raise exception 'the token is gone or expired, or its maker is disabled'
            using constraint = 'profiles_credential_current';
    end if;
    if not scopes && needed or role <> all (roles) then
        raise exception 'the token''s scopes do not reach' using constraint = 'tokens_scope_reaches';
    end if;
    setting := set_config('finance.member_id', member_id::text, true);
    if not writes then
        select p.write_id, p.upkept_on into write_id, upkept_on from profiles p where p.id = profile;
    end if;
end
$$;
