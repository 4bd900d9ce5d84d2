-- Whoever logs in is a member of a profile: its name, its password, and by its role what it may do there. A profile had one
-- login so far, which becomes its owner. Names are unique over all profiles, because a login gives nothing else.
create table members (
    profile_id bigint not null,
    id bigint generated always as identity,
    name text not null,
    name_key text not null,
    role text not null,
    password_hash text not null,
    credential_id uuid not null default gen_random_uuid(),
    is_disabled boolean not null default false,
    created_at timestamptz not null default now(),
    constraint members_pkey primary key (profile_id, id),
    constraint members_profile_fkey foreign key (profile_id) references profiles (id) on delete cascade,
    constraint members_name_key unique (name_key),
    constraint members_name_length check (char_length(name) between 1 and 100),
    constraint members_role_known check (role in ('owner', 'editor', 'viewer'))
);

-- The tables' owner is held to policies like everybody else.
alter table profiles no force row level security;
insert into members (profile_id, name, name_key, role, password_hash, credential_id, is_disabled, created_at)
select id, name, name_key, 'owner', password_hash, credential_id, is_disabled, created_at from profiles order by id;
alter table profiles force row level security;

-- A token opens a profile too, and does at most what its maker may. Its secret is told once; what is kept is its SHA-256.
create table tokens (
    profile_id bigint not null,
    id bigint generated always as identity,
    member_id bigint not null,
    name text not null,
    scopes text[] not null,
    hash bytea not null,
    expires_on date not null,
    last_used_on date,
    created_at timestamptz not null default now(),
    constraint tokens_pkey primary key (profile_id, id),
    constraint tokens_member_fkey foreign key (profile_id, member_id) references members (profile_id, id) on delete cascade,
    constraint tokens_secret_key unique (hash),
    constraint tokens_name_length check (char_length(name) between 1 and 100),
    constraint tokens_hash_length check (octet_length(hash) = 32),
    constraint tokens_scopes_known
        check (scopes <@ array['read', 'import', 'write', 'export', 'calendar'] and cardinality(scopes) between 1 and 5)
);

create index tokens_by_member on tokens (profile_id, member_id);

-- Whoever holds an invitation becomes a member, once.
create table invitations (
    profile_id bigint not null,
    id bigint generated always as identity,
    role text not null,
    hash bytea not null,
    expires_at timestamptz not null,
    constraint invitations_pkey primary key (profile_id, id),
    constraint invitations_profile_fkey foreign key (profile_id) references profiles (id) on delete cascade,
    constraint invitations_secret_key unique (hash),
    constraint invitations_hash_length check (octet_length(hash) = 32),
    constraint invitations_role_known check (role in ('editor', 'viewer'))
);

-- Each is found by what a client shows before its profile is known: a name, or the hash of a secret.
alter table members enable row level security;
alter table members force row level security;
create policy members_isolation on members
    using (profile_id = current_profile_id() or name_key = nullif(current_setting('finance.login_name', true), ''));
-- As profiles_listing: for reading this one table.
create policy members_listing on members for select using (current_setting('finance.lists_profiles', true) = 'on');

alter table tokens enable row level security;
alter table tokens force row level security;
create policy tokens_isolation on tokens
    using (profile_id = current_profile_id()
        or hash = decode(nullif(current_setting('finance.secret_hash', true), ''), 'hex'));

alter table invitations enable row level security;
alter table invitations force row level security;
create policy invitations_isolation on invitations
    using (profile_id = current_profile_id()
        or hash = decode(nullif(current_setting('finance.secret_hash', true), ''), 'hex'));

-- A profile is what its members open, and has no name of its own any more.
drop function list_profiles();
drop function bind_profile(bigint, uuid, boolean);
drop policy profiles_isolation on profiles;
alter table profiles
    drop column name,
    drop column name_key,
    drop column password_hash,
    drop column credential_id,
    drop column is_disabled;
create policy profiles_isolation on profiles using (id = current_profile_id());

create function list_profiles() returns table (id bigint)
    language plpgsql
    as $$
begin
    perform set_config('finance.lists_profiles', 'on', true);
    return query select profiles.id from profiles order by profiles.id;
    perform set_config('finance.lists_profiles', '', true);
end
$$;

-- Who administers the service lists its users. Tells no hash.
create function list_members()
    returns table (profile_id bigint, id bigint, name text, role text, is_disabled boolean, created_at timestamptz)
    language plpgsql
    as $$
begin
    perform set_config('finance.lists_profiles', 'on', true);
    return query
        select members.profile_id, members.id, members.name, members.role, members.is_disabled, members.created_at
        from members order by members.profile_id, members.id;
    perform set_config('finance.lists_profiles', '', true);
end
$$;

-- Who a transaction is done by. Null where no member is bound.
create function current_member_id() returns bigint
    language sql stable parallel safe
    as $$ select nullif(current_setting('finance.member_id', true), '')::bigint $$;

-- The functions that bind a transaction to a profile, and prove in the same round trip that the credential which the client
-- showed opens it still, and reaches: which roles and scopes do is said by the service. A writer locks its profile: writers of
-- one profile queue.

-- By a login, which is a member's.
create function bind_profile(profile bigint, credential uuid, roles text[], writes boolean) returns void
    language plpgsql
    as $$
declare
    member record;
begin
    perform set_config('finance.profile_id', profile::text, true);
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
    perform set_config('finance.member_id', member.id::text, true);
end
$$;

-- By a token, for the member who made it.
create function bind_token(profile bigint, secret bytea, needed text[], roles text[], today date, writes boolean) returns void
    language plpgsql
    as $$
declare
    token record;
begin
    perform set_config('finance.profile_id', profile::text, true);
    if writes then
        perform 1 from profiles where id = profile for no key update;
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
    perform set_config('finance.member_id', token.member_id::text, true);
end
$$;

-- By an invitation, for nobody yet.
create function bind_invitation(profile bigint, secret bytea, now timestamptz, writes boolean) returns void
    language plpgsql
    as $$
begin
    perform set_config('finance.profile_id', profile::text, true);
    if writes then
        perform 1 from profiles where id = profile for no key update;
    end if;
    perform 1 from invitations i where i.profile_id = profile and i.hash = secret and i.expires_at > bind_invitation.now;
    if not found then
        raise exception 'the invitation is gone or expired' using constraint = 'profiles_credential_current';
    end if;
end
$$;

-- The member who entered it; null for what the service itself makes, for what a document brought, and for rows from before
-- this migration. It stays when the member is removed, so it is no foreign key.
alter table transactions add column created_by bigint;
