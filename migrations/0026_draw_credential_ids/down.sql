drop function bind_profile(bigint, uuid, boolean);

alter table profiles drop column credential_id;
alter table profiles add column credential_version integer not null default 1;

create function bind_profile(profile bigint, version integer, writes boolean) returns void
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
