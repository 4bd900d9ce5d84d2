alter table webhooks drop column created_by;
drop index invitations_by_maker;
alter table invitations
    drop constraint invitations_maker_fkey,
    drop column created_at,
    drop column created_by;
