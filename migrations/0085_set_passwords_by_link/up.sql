-- An invitation may be for a member: whoever holds it sets that member's password, and nothing else. It has no role of its own. One
-- that an operator made on the command line has no maker.
alter table invitations
    alter column role drop not null,
    alter column created_by drop not null,
    add column member_id bigint,
    add constraint invitations_member_fkey foreign key (profile_id, member_id)
        references members (profile_id, id) on delete cascade,
    add constraint invitations_for_one check ((role is null) = (member_id is not null)),
    add constraint invitations_made_by check (created_by is not null or member_id is not null);
-- A newer link replaces the older one of its member.
create unique index invitations_of_member on invitations (profile_id, member_id);

-- A member who has not used its link yet has no password.
alter table members alter column password_hash drop not null;
