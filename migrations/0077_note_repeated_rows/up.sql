-- Imports that also brought a row which an earlier import stored: the row stays until all of them are undone.
create table repeated_rows (
    profile_id bigint not null,
    transaction_id bigint not null,
    import_id bigint not null,
    constraint repeated_rows_pkey primary key (profile_id, transaction_id, import_id)
);
select distribute_by_profile('repeated_rows');
do $$
begin
    alter table repeated_rows
        add constraint repeated_rows_transaction_fkey foreign key (profile_id, transaction_id)
            references transactions (profile_id, id) on delete cascade,
        add constraint repeated_rows_import_fkey foreign key (profile_id, import_id)
            references imports (profile_id, id) on delete cascade;
    create index repeated_rows_by_import on repeated_rows (profile_id, import_id);
    alter table repeated_rows enable row level security;
    alter table repeated_rows force row level security;
    create policy repeated_rows_isolation on repeated_rows using (profile_id = current_profile_id());
end
$$;
