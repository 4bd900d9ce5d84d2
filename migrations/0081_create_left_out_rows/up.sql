-- Rows of files that an import left out: those that were rejected or skipped. They explain differences of balances, and go with
-- the import.
create table left_out_rows (
    profile_id bigint not null,
    import_id bigint not null,
    position smallint not null,
    -- Null if the file is of several accounts and does not tell which one the row is of.
    account_id bigint,
    date date not null,
    kind text not null,
    amount numeric(12, 2) not null,
    description text not null,
    constraint left_out_rows_pkey primary key (profile_id, import_id, position),
    constraint left_out_rows_kind_known check (kind in ('income', 'expense')),
    constraint left_out_rows_amount_positive check (amount > 0),
    constraint left_out_rows_position_range check (position between 0 and 199),
    constraint left_out_rows_description_length check (char_length(description) between 1 and 255)
);
select distribute_by_profile('left_out_rows');
alter table left_out_rows
    add constraint left_out_rows_of_profile foreign key (profile_id) references profiles (id) on delete cascade,
    add constraint left_out_rows_of_import foreign key (profile_id, import_id)
        references imports (profile_id, id) on delete cascade,
    add constraint left_out_rows_of_account foreign key (profile_id, account_id)
        references accounts (profile_id, id) on delete cascade;
create index left_out_rows_by_account on left_out_rows (profile_id, account_id);

alter table left_out_rows enable row level security;
alter table left_out_rows force row level security;
create policy left_out_rows_isolation on left_out_rows using (profile_id = current_profile_id());
