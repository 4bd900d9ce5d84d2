alter table transactions drop column created_by;

drop function bind_invitation(bigint, bytea, timestamptz, boolean);
drop function bind_token(bigint, bytea, text[], text[], date, boolean);
drop function bind_profile(bigint, uuid, text[], boolean);
drop function current_member_id();
drop function list_members();
drop function list_profiles();
drop table invitations;
drop table tokens;

drop policy profiles_isolation on profiles;
alter table profiles
    add column name text,
    add column name_key text,
    add column password_hash text,
    add column is_disabled boolean not null default false,
    add column credential_id uuid not null default gen_random_uuid();

-- The first owner's login is the profile's. The other members cannot log in any more.
alter table members no force row level security;
alter table profiles no force row level security;
update profiles
set name = m.name, name_key = m.name_key, password_hash = m.password_hash, is_disabled = m.is_disabled,
    credential_id = m.credential_id
from (
    select distinct on (profile_id) * from members order by profile_id, role <> 'owner', id
) as m
where m.profile_id = profiles.id;
alter table profiles force row level security;
drop table members;

alter table profiles
    alter column name set not null,
    alter column name_key set not null,
    alter column password_hash set not null,
    add constraint profiles_name_key unique (name_key),
    add constraint profiles_name_length check (char_length(name) between 1 and 100);
create policy profiles_isolation on profiles
    using (id = current_profile_id() or name_key = nullif(current_setting('finance.login_name', true), ''));

create function list_profiles() returns table (id bigint, name text, created_at timestamptz, is_disabled boolean)
    language plpgsql
    as $$
begin
    perform set_config('finance.lists_profiles', 'on', true);
    return query select profiles.id, profiles.name, profiles.created_at, profiles.is_disabled from profiles order by profiles.id;
    perform set_config('finance.lists_profiles', '', true);
end
$$;

create function bind_profile(profile bigint, credential uuid, writes boolean) returns void
    language plpgsql
    as $$
begin
    perform set_config('finance.profile_id', profile::text, true);
    if writes then
        perform 1 from profiles where id = profile and credential_id = credential and not is_disabled for no key update;
    else
        perform 1 from profiles where id = profile and credential_id = credential and not is_disabled;
    end if;
    if not found then
        raise exception 'the profile is gone or disabled, or its credential has changed'
            using constraint = 'profiles_credential_current';
    end if;
end
$$;
