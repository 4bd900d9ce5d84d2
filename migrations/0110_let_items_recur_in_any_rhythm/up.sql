-- Items of any rhythm. The last release writes items of one month, which the defaults are.
alter table recurring
    add column every_n smallint not null default 1,
    add column every_unit text not null default 'month',
    -- The first and the last possible day of a due.
    add column start_on date,
    add column until_on date,
    add column due_count smallint,
    add column day_count text not null default 'calendar',
    add column weekend text not null default 'same',
    add column amount_min numeric(12, 2),
    add column amount_max numeric(12, 2),
    add column expects text not null default 'amount',
    -- Whether a part of the amount is set aside each month.
    add column reserves boolean not null default false,
    add constraint recurring_every_range check (every_n between 1 and 366),
    add constraint recurring_every_known check (every_unit in ('day', 'week', 'month', 'year')),
    add constraint recurring_start_given
        check (start_on is not null or (every_n = 1 and every_unit = 'month' and due_count is null)),
    add constraint recurring_due_count_range check (due_count between 1 and 999),
    add constraint recurring_ends_once check (until_on is null or due_count is null),
    add constraint recurring_until_after_start check (until_on >= start_on),
    add constraint recurring_day_count_known check (day_count in ('calendar', 'business', 'labour')),
    add constraint recurring_weekend_known check (weekend in ('same', 'before', 'after')),
    add constraint recurring_range_whole check ((amount_min is null) = (amount_max is null)),
    add constraint recurring_range_holds_amount check (amount_min > 0 and amount between amount_min and amount_max),
    add constraint recurring_expects_known check (expects in ('amount', 'last', 'mean3')),
    add constraint recurring_reserves_rare check (
        not reserves or (kind = 'expense' and (every_unit = 'year' or (every_unit = 'month' and every_n > 1))));

-- What was noted about a due of an item of days or weeks. Those of months and years are in recurring_marks, by month.
create table recurring_due_marks (
    profile_id bigint not null,
    recurring_id bigint not null,
    due date not null,
    mark text not null,
    transaction_id bigint,
    constraint recurring_due_marks_pkey primary key (profile_id, recurring_id, due),
    constraint recurring_due_marks_transaction_key unique (profile_id, transaction_id),
    constraint recurring_due_marks_mark_known check (mark in ('late', 'ignored', 'confirmed')),
    constraint recurring_due_marks_confirmed_by check ((mark = 'confirmed') = (transaction_id is not null))
);

-- The transactions that a person said cover a due: of an item of days or weeks by its day, of others by the first day of its month.
create table recurring_links (
    profile_id bigint not null,
    transaction_id bigint not null,
    recurring_id bigint not null,
    is_by_due boolean not null,
    due date not null,
    constraint recurring_links_pkey primary key (profile_id, transaction_id),
    constraint recurring_links_month_first check (is_by_due or extract(day from due) = 1)
);

-- Suggestions of items that are no longer made: at all, or while there is the item that was created from one.
create table rejected_recurring (
    profile_id bigint not null,
    suggestion text not null,
    recurring_id bigint,
    constraint rejected_recurring_pkey primary key (profile_id, suggestion),
    constraint rejected_recurring_suggestion_length check (char_length(suggestion) between 1 and 64)
);

select distribute_by_profile('recurring_due_marks');
select distribute_by_profile('recurring_links');
select distribute_by_profile('rejected_recurring');

create index recurring_links_by_item on recurring_links (profile_id, recurring_id, due);
create index rejected_recurring_by_item on rejected_recurring (profile_id, recurring_id) where recurring_id is not null;

do $$
begin
    alter table recurring_due_marks
        add constraint recurring_due_marks_of_item
            foreign key (profile_id, recurring_id) references recurring (profile_id, id) on delete cascade,
        add constraint recurring_due_marks_of_transaction
            foreign key (profile_id, transaction_id) references transactions (profile_id, id) on delete cascade;
    alter table recurring_due_marks enable row level security;
    alter table recurring_due_marks force row level security;
    create policy recurring_due_marks_isolation on recurring_due_marks using (profile_id = current_profile_id());
    alter table recurring_links
        add constraint recurring_links_of_item
            foreign key (profile_id, recurring_id) references recurring (profile_id, id) on delete cascade,
        add constraint recurring_links_of_transaction
            foreign key (profile_id, transaction_id) references transactions (profile_id, id) on delete cascade;
    alter table recurring_links enable row level security;
    alter table recurring_links force row level security;
    create policy recurring_links_isolation on recurring_links using (profile_id = current_profile_id());
    alter table rejected_recurring
        add constraint rejected_recurring_of_profile
            foreign key (profile_id) references profiles (id) on delete cascade,
        add constraint rejected_recurring_of_item
            foreign key (profile_id, recurring_id) references recurring (profile_id, id) on delete cascade;
    alter table rejected_recurring enable row level security;
    alter table rejected_recurring force row level security;
    create policy rejected_recurring_isolation on rejected_recurring using (profile_id = current_profile_id());
end
$$;
