-- A member without a password cannot log in. It gets a hash whose password nobody knows.
alter table members no force row level security;
update members set password_hash = '$2b$10$CwTycUXWue0Thq9StjUM0u' || translate(substr(encode(sha256(gen_random_uuid()::text::bytea), 'hex'), 1, 31), '0', 'u') where password_hash is null;
alter table members force row level security;
alter table members alter column password_hash set not null;

alter table invitations no force row level security;
delete from invitations where member_id is not null;
alter table invitations force row level security;
drop index invitations_of_member;
alter table invitations
    drop constraint invitations_made_by,
    drop constraint invitations_for_one,
    drop column member_id,
    alter column created_by set not null,
    alter column role set not null;
