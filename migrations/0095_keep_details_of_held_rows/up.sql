-- What people noted of a row before its statement was held: a note, tags, and the lines that it is split into.
alter table pending_bill_rows
    add column note text,
    -- Null where there are none.
    add column tags text[],
    add constraint pending_bill_rows_note_length check (char_length(note) between 1 and 1000),
    add constraint pending_bill_rows_tags_count
        check (cardinality(tags) between 1 and 10 and array_position(tags, null) is null),
    add constraint pending_bill_rows_tags_length check (char_length(array_to_string(tags, '')) <= 300);

-- The lines of a held row, in order. They sum to its amount.
create table pending_bill_lines (
    profile_id bigint not null,
    pending_bill_id bigint not null,
    row_position integer not null,
    position smallint not null,
    category_id bigint not null,
    amount numeric(12, 2) not null,
    constraint pending_bill_lines_pkey primary key (profile_id, pending_bill_id, row_position, position),
    constraint pending_bill_lines_position_range check (position between 0 and 19),
    constraint pending_bill_lines_amount_positive check (amount > 0)
);
select distribute_by_profile('pending_bill_lines');
do $$
begin
    alter table pending_bill_lines
        -- With the profile, at once: only so are they gone when the categories of a deleted profile are checked.
        add constraint pending_bill_lines_profile_fkey foreign key (profile_id) references profiles (id) on delete cascade,
        add constraint pending_bill_lines_row_fkey foreign key (profile_id, pending_bill_id, row_position)
            references pending_bill_rows (profile_id, pending_bill_id, position) on delete cascade,
        add constraint pending_bill_lines_category_fkey foreign key (profile_id, category_id)
            references categories (profile_id, id);
    create index pending_bill_lines_by_category on pending_bill_lines (profile_id, category_id);
    alter table pending_bill_lines enable row level security;
    alter table pending_bill_lines force row level security;
    create policy pending_bill_lines_isolation on pending_bill_lines using (profile_id = current_profile_id());
end
$$;
