drop function bind_profile(bigint, uuid, text[], boolean, bigint);
drop function bind_token(bigint, bytea, text[], text[], date, boolean);

-- Binds a transaction to a profile, and proves in the same round trip that a member's login still opens it and reaches. A writer locks
-- the profile, so that its writers queue, and gives it another write_id; whoever has a device is due to be told. Where `tells`, returns
-- the last write of the profile, and the member.
create function bind_profile(
    profile bigint, credential uuid, roles text[], writes boolean, session bigint default null, tells boolean default false,
    out write_id uuid, out member_id bigint
)
    language plpgsql
    as $$
declare
    drawn constant uuid := case when writes then gen_random_uuid() end;
    member record;
begin
    perform set_local('finance.profile_id', profile::text);
    if writes then
        update profiles set write_id = drawn, notices_on = case when notices_on is not null then '-infinity'::date end
        where id = profile;
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
    if tells then
        member_id := member.id;
        select p.write_id into write_id from profiles p where p.id = profile;
    end if;
end
$$;

-- As bind_profile, by a token, for the member who made it.
create function bind_token(
    profile bigint, secret bytea, needed text[], roles text[], today date, writes boolean, tells boolean default false,
    out write_id uuid, out member_id bigint
)
    language plpgsql
    as $$
declare
    drawn constant uuid := case when writes then gen_random_uuid() end;
    token record;
begin
    perform set_local('finance.profile_id', profile::text);
    if writes then
        update profiles set write_id = drawn, notices_on = case when notices_on is not null then '-infinity'::date end
        where id = profile;
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
    if tells then
        member_id := token.member_id;
        select p.write_id into write_id from profiles p where p.id = profile;
    end if;
end
$$;
