-- An invitation belongs to the member who made it, and goes with the member. Nobody knows who made the stored ones, which would be
-- open for two days at most.
alter table invitations no force row level security;
delete from invitations;
alter table invitations force row level security;
alter table invitations
    add column created_by bigint not null,
    add column created_at timestamptz not null default now(),
    add constraint invitations_maker_fkey foreign key (profile_id, created_by)
        references members (profile_id, id) on delete cascade;
create index invitations_by_maker on invitations (profile_id, created_by);

-- A webhook has a maker too. No foreign key: on Citus the tables are on different nodes, so the statement that removes a member
-- removes its webhooks. The stored ones belong to the profile's first owner.
alter table webhooks add column created_by bigint;
alter table members no force row level security;
alter table webhooks no force row level security;
do $$
declare
    maker record;
begin
    for maker in select distinct on (profile_id) profile_id, id from members order by profile_id, role <> 'owner', id loop
        update webhooks set created_by = maker.id where profile_id = maker.profile_id;
    end loop;
end
$$;
delete from webhooks where created_by is null;
-- A second factor is begun with the password now. One that was begun without it and not confirmed must be begun again.
update members set factor_secret = null where factor_since is null;
alter table webhooks force row level security;
alter table members force row level security;
alter table webhooks alter column created_by set not null;
