-- A transfer between own accounts: its two legs are transactions that refer to it.
create table transfers (
    profile_id bigint not null,
    id bigint generated always as identity,
    constraint transfers_pkey primary key (profile_id, id),
    constraint transfers_profile_fkey foreign key (profile_id) references profiles (id) on delete cascade
);

alter table transfers enable row level security;
alter table transfers force row level security;
create policy transfers_isolation on transfers using (profile_id = current_profile_id());
