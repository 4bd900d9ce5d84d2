-- An operator may close a profile without losing it: it cannot log in, and none of its tokens is taken.
alter table profiles add column is_disabled boolean not null default false;

create or replace function bind_profile(profile bigint, version integer, writes boolean) returns void
    language plpgsql
    as $$
begin
    perform set_config('finance.profile_id', profile::text, true);
    if writes then
        perform 1 from profiles where id = profile and credential_version = version and not is_disabled for no key update;
    else
        perform 1 from profiles where id = profile and credential_version = version and not is_disabled;
    end if;
    if not found then
        raise exception 'the profile is gone or disabled, or its credential has changed'
            using constraint = 'profiles_credential_current';
    end if;
end
$$;

-- Who administers the service lists its users. The policy is for reading profiles alone, and the one
-- function that opens it tells no hash and closes it when it returns; no owned table has its like.
create policy profiles_listing on profiles for select
    using (current_setting('finance.lists_profiles', true) = 'on');

create function list_profiles() returns table (id bigint, name text, created_at timestamptz, is_disabled boolean)
    language plpgsql
    as $$
begin
    perform set_config('finance.lists_profiles', 'on', true);
    return query select profiles.id, profiles.name, profiles.created_at, profiles.is_disabled from profiles order by profiles.id;
    perform set_config('finance.lists_profiles', '', true);
end
$$;
