-- What people note of a transaction: a note, tags, and the lines that it is split into.
alter table transactions
    add column note text,
    -- Folded as descriptions are: what a search looks in.
    add column note_normalized text,
    -- Null where there are none.
    add column tags text[],
    -- The tags as they are compared, in the same order.
    add column tag_keys text[],
    -- Whether it has lines. The category is then that of each line.
    add column is_split boolean not null default false,
    add constraint transactions_note_length check (char_length(note) between 1 and 1000),
    add constraint transactions_tags_count
        check (cardinality(tags) between 1 and 10 and array_position(tags, null) is null),
    add constraint transactions_tags_length check (char_length(array_to_string(tags, '')) <= 300),
    add constraint transactions_tags_compared
        check (coalesce(cardinality(tags), 0) = coalesce(cardinality(tag_keys), 0)),
    add constraint transactions_split_without_category check (not is_split or category_id is null),
    add constraint transactions_split_no_transfer check (not is_split or not is_transfer);
create index transactions_tagged on transactions (profile_id, date desc, id desc) where tags is not null;
create index transactions_split on transactions (profile_id, date desc, id desc) where is_split;

-- The lines of a split transaction, in order. They sum to its amount.
create table transaction_lines (
    profile_id bigint not null,
    transaction_id bigint not null,
    position smallint not null,
    category_id bigint not null,
    amount numeric(12, 2) not null,
    constraint transaction_lines_pkey primary key (profile_id, transaction_id, position),
    -- With the profile, at once: only so are they gone when the categories of a deleted profile are checked.
    constraint transaction_lines_profile_fkey foreign key (profile_id) references profiles (id) on delete cascade,
    constraint transaction_lines_transaction_fkey foreign key (profile_id, transaction_id)
        references transactions (profile_id, id) on delete cascade,
    constraint transaction_lines_category_fkey foreign key (profile_id, category_id)
        references categories (profile_id, id),
    constraint transaction_lines_position_range check (position between 0 and 19),
    constraint transaction_lines_amount_positive check (amount > 0)
);
create index transaction_lines_by_category on transaction_lines (profile_id, category_id);

alter table transaction_lines enable row level security;
alter table transaction_lines force row level security;
create policy transaction_lines_isolation on transaction_lines using (profile_id = current_profile_id());

-- Rules tag too.
alter table rule_actions
    add column tag text,
    drop constraint rule_actions_value_of_action,
    add constraint rule_actions_tag_length check (char_length(tag) between 1 and 30),
    add constraint rule_actions_value_of_action check (
        case action
            when 'set_category' then category_id is not null and num_nonnulls(description, tag) = 0
            when 'rename' then description is not null and num_nonnulls(category_id, tag) = 0
            when 'add_tag' then tag is not null and num_nonnulls(category_id, description) = 0
            when 'mark_transfer' then num_nonnulls(category_id, description, tag) = 0
            when 'skip' then num_nonnulls(category_id, description, tag) = 0
            else false
        end
    );
