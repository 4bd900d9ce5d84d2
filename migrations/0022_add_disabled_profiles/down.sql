drop function list_profiles();

drop policy profiles_listing on profiles;

create or replace function bind_profile(profile bigint, version integer, writes boolean) returns void
    language plpgsql
    as $$
begin
    perform set_config('finance.profile_id', profile::text, true);
    if writes then
        perform 1 from profiles where id = profile and credential_version = version for no key update;
    else
        perform 1 from profiles where id = profile and credential_version = version;
    end if;
    if not found then
        raise exception 'the profile is gone or its credential has changed'
            using constraint = 'profiles_credential_current';
    end if;
end
$$;

alter table profiles drop column is_disabled;
