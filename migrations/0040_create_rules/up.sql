-- What a household has decided about rows of statements. The first rule in order (position, then id) to set a thing sets it.
create table rules (
    profile_id bigint not null,
    id bigint generated always as identity,
    name text not null,
    position integer not null,
    is_enabled boolean not null,
    -- Which of its conditions a row must meet.
    matching text not null,
    constraint rules_pkey primary key (profile_id, id),
    constraint rules_profile_fkey foreign key (profile_id) references profiles (id) on delete cascade,
    constraint rules_name_length check (char_length(name) between 1 and 100),
    constraint rules_position_range check (position between 0 and 1000000),
    constraint rules_matching_known check (matching in ('all', 'any'))
);

-- The conditions of rules, in order. Of the values each field has its own columns: text and op, amount_min and amount_max, kind,
-- account_id, day_first and day_last. An account in a condition is not deleted: without the condition the rule would match more.
create table rule_conditions (
    profile_id bigint not null,
    rule_id bigint not null,
    position smallint not null,
    field text not null,
    op text not null,
    text text,
    amount_min numeric(12, 2),
    amount_max numeric(12, 2),
    kind text,
    account_id bigint,
    day_first smallint,
    day_last smallint,
    constraint rule_conditions_pkey primary key (profile_id, rule_id, position),
    -- With the profile, at once: only so are they gone when the accounts and categories of a deleted profile are checked.
    constraint rule_conditions_profile_fkey foreign key (profile_id) references profiles (id) on delete cascade,
    constraint rule_conditions_rule_fkey foreign key (profile_id, rule_id)
        references rules (profile_id, id) on delete cascade,
    constraint rule_conditions_account_fkey foreign key (profile_id, account_id) references accounts (profile_id, id),
    constraint rule_conditions_position_range check (position between 0 and 9),
    constraint rule_conditions_text_length check (char_length(text) between 1 and 100),
    constraint rule_conditions_amounts_range check (amount_min >= 0 and amount_max >= 0 and amount_min <= amount_max),
    constraint rule_conditions_kind_known check (kind in ('income', 'expense')),
    constraint rule_conditions_days_range check (day_first >= 1 and day_first <= day_last and day_last <= 31),
    constraint rule_conditions_value_of_field check (
        case field
            when 'description' then op in ('contains', 'not_contains', 'starts_with', 'ends_with', 'equals')
                and text is not null and num_nonnulls(amount_min, amount_max, kind, account_id, day_first, day_last) = 0
            when 'amount' then num_nonnulls(text, kind, account_id, day_first, day_last) = 0
                and case op
                    when 'eq' then amount_min is not null and amount_max is not null and amount_min = amount_max
                    when 'gte' then amount_min is not null and amount_max is null
                    when 'lte' then amount_min is null and amount_max is not null
                    when 'between' then amount_min is not null and amount_max is not null
                    else false
                end
            when 'type' then op = 'eq' and kind is not null
                and num_nonnulls(text, amount_min, amount_max, account_id, day_first, day_last) = 0
            when 'account_id' then op = 'eq' and account_id is not null
                and num_nonnulls(text, amount_min, amount_max, kind, day_first, day_last) = 0
            when 'day' then op = 'between' and day_first is not null and day_last is not null
                and num_nonnulls(text, amount_min, amount_max, kind, account_id) = 0
            else false
        end
    )
);
create index rule_conditions_by_account on rule_conditions (profile_id, account_id) where account_id is not null;

-- What rules do, each thing once.
create table rule_actions (
    profile_id bigint not null,
    rule_id bigint not null,
    position smallint not null,
    action text not null,
    category_id bigint,
    description text,
    constraint rule_actions_pkey primary key (profile_id, rule_id, position),
    constraint rule_actions_action_key unique (profile_id, rule_id, action),
    constraint rule_actions_profile_fkey foreign key (profile_id) references profiles (id) on delete cascade,
    constraint rule_actions_rule_fkey foreign key (profile_id, rule_id) references rules (profile_id, id) on delete cascade,
    constraint rule_actions_category_fkey foreign key (profile_id, category_id) references categories (profile_id, id),
    constraint rule_actions_position_range check (position between 0 and 4),
    constraint rule_actions_description_length check (char_length(description) between 1 and 255),
    constraint rule_actions_value_of_action check (
        case action
            when 'set_category' then category_id is not null and description is null
            when 'rename' then category_id is null and description is not null
            when 'mark_transfer' then category_id is null and description is null
            when 'skip' then category_id is null and description is null
            else false
        end
    )
);
create index rule_actions_by_category on rule_actions (profile_id, category_id) where category_id is not null;

alter table rules enable row level security;
alter table rules force row level security;
create policy rules_isolation on rules using (profile_id = current_profile_id());
alter table rule_conditions enable row level security;
alter table rule_conditions force row level security;
create policy rule_conditions_isolation on rule_conditions using (profile_id = current_profile_id());
alter table rule_actions enable row level security;
alter table rule_actions force row level security;
create policy rule_actions_isolation on rule_actions using (profile_id = current_profile_id());

-- A rule may rename a row of a held statement. The normalized description is the statement's, by which duplicates are found.
alter table pending_bill_rows
    add column statement_description text,
    add constraint pending_bill_rows_statement_description_length
        check (char_length(statement_description) between 1 and 255);

-- Suggestions are learned from the newest rows that are filed.
create index transactions_filed on transactions (profile_id, date desc, id desc) where category_id is not null and not is_transfer;

-- An income learns its category from incomes only.
drop index transactions_by_description;
create index transactions_by_description on transactions
    (profile_id, kind,
    (case when statement_description_normalized is null then description_normalized
        else statement_description_normalized end),
    date desc, id desc)
    where category_id is not null;
