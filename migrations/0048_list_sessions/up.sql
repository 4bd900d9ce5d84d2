-- The logins of members, so that each sees where it is logged in. What opens a profile is the credential of the token alone: a row
-- opens nothing, and one whose credential its member no longer has is of a login that was refused since. The client is what the
-- browser or the program said of itself.
create table sessions (
    profile_id bigint not null,
    id bigint generated always as identity,
    member_id bigint not null,
    credential_id uuid not null,
    created_at timestamptz not null,
    expires_at timestamptz not null,
    client text,
    constraint sessions_pkey primary key (profile_id, id),
    constraint sessions_member_fkey foreign key (profile_id, member_id)
        references members (profile_id, id) on delete cascade,
    constraint sessions_client_length check (char_length(client) between 1 and 200)
);

create index sessions_by_member on sessions (profile_id, member_id, id);

alter table sessions enable row level security;
alter table sessions force row level security;
create policy sessions_isolation on sessions using (profile_id = current_profile_id());
