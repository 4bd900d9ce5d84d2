-- The second factor of a login: the secret that the member's authenticator and this service share, since when it is asked for
-- (null until a code has confirmed it), and the last time step whose code was accepted, so that each is accepted once.
alter table members
    add column factor_secret bytea,
    add column factor_since timestamptz,
    add column factor_step bigint not null default 0,
    add constraint members_factor_length check (octet_length(factor_secret) = 20),
    add constraint members_factor_confirmed check (factor_since is null or factor_secret is not null);

-- What opens instead when the authenticator is lost: each once. They are told once; what is kept is their SHA-256.
create table recovery_codes (
    profile_id bigint not null,
    member_id bigint not null,
    hash bytea not null,
    constraint recovery_codes_pkey primary key (profile_id, member_id, hash),
    constraint recovery_codes_of_member foreign key (profile_id, member_id)
        references members (profile_id, id) on delete cascade,
    constraint recovery_codes_hash_length check (octet_length(hash) = 32)
);

alter table recovery_codes enable row level security;
alter table recovery_codes force row level security;
create policy recovery_codes_isolation on recovery_codes using (profile_id = current_profile_id());
