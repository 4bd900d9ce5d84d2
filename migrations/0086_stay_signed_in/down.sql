drop function bind_profile(bigint, uuid, text[], boolean, bigint);
create function bind_profile(profile bigint, credential uuid, roles text[], writes boolean) returns void
    language plpgsql
    as $$
declare
    member record;
begin
    perform set_local('finance.profile_id', profile::text);
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
    perform set_local('finance.member_id', member.id::text);
end
$$;
drop function bind_device(bytea);
alter policy sessions_isolation on sessions using (profile_id = current_profile_id());
-- What was ended stays ended: the release before knows only the credential of a member.
alter table members no force row level security;
alter table sessions no force row level security;
update members set credential_id = gen_random_uuid()
where (profile_id, id) in (select profile_id, member_id from sessions where ended_at > now() - interval '1 day');
delete from sessions where ended_at is not null;
alter table sessions force row level security;
alter table members force row level security;
alter table sessions
    drop constraint sessions_ended_without_device,
    drop column ended_at,
    drop column renewed_at,
    drop column coded_at,
    drop column device_selector,
    drop column device_key,
    drop column device_current,
    drop column device_previous,
    drop column device_count,
    drop column device_expires_at;
