-- A credential has a random id. Counted versions came again when a backup was restored, as the ids of profiles do, and a
-- token issued before opened whichever profile had its number then.
alter table profiles add column credential_id uuid not null default gen_random_uuid();
alter table profiles drop column credential_version;

drop function bind_profile(bigint, integer, boolean);

-- Binds the transaction to a profile, and proves in the same round trip that the profile exists, is not disabled and still
-- has the credential that the caller's token was issued for. A writer locks its profile: writers of one profile queue.
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
