-- Who a transaction works for. Every owned table has a policy on it, so that a query which forgot
-- its filter still sees one profile only. Null before a profile is bound: then nothing is seen.
create function current_profile_id() returns bigint
    language sql stable parallel safe
    as $$ select nullif(current_setting('finance.profile_id', true), '')::bigint $$;

create table profiles (
    id bigint generated always as identity,
    name text not null,
    name_key text not null,
    password_hash text not null,
    credential_version integer not null default 1,
    created_at timestamptz not null default now(),
    constraint profiles_pkey primary key (id),
    constraint profiles_name_key unique (name_key),
    constraint profiles_name_length check (char_length(name) between 1 and 100)
);

alter table profiles enable row level security;
alter table profiles force row level security;
-- A profile sees itself; a login sees the one it names.
create policy profiles_isolation on profiles
    using (id = current_profile_id() or name_key = nullif(current_setting('finance.login_name', true), ''));

-- Binds the transaction to a profile, and proves in the same round trip that the profile exists and
-- that the token's credential is current. A writer locks its profile: writers of one profile queue,
-- so what a use case has read stays true until it commits; profiles never wait for each other.
create function bind_profile(profile bigint, version integer, writes boolean) returns void
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
