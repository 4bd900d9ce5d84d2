-- Pairs of transactions that were suggested as transfers and are none.
create table rejected_transfers (
    profile_id bigint not null,
    from_id bigint not null,
    to_id bigint not null,
    constraint rejected_transfers_pkey primary key (profile_id, from_id, to_id),
    constraint rejected_transfers_profile_fkey foreign key (profile_id) references profiles (id) on delete cascade,
    constraint rejected_transfers_from_fkey foreign key (profile_id, from_id)
        references transactions (profile_id, id) on delete cascade,
    constraint rejected_transfers_to_fkey foreign key (profile_id, to_id)
        references transactions (profile_id, id) on delete cascade
);

create index rejected_transfers_by_income on rejected_transfers (profile_id, to_id);

alter table rejected_transfers enable row level security;
alter table rejected_transfers force row level security;
create policy rejected_transfers_isolation on rejected_transfers using (profile_id = current_profile_id());
