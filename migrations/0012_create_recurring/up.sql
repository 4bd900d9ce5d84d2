-- What comes or goes every month.
create table recurring (
    profile_id bigint not null,
    id bigint generated always as identity,
    kind text not null,
    description text not null,
    amount numeric(12, 2) not null,
    category_id bigint not null,
    account_id bigint,
    day smallint not null,
    constraint recurring_pkey primary key (profile_id, id),
    constraint recurring_profile_fkey foreign key (profile_id) references profiles (id) on delete cascade,
    constraint recurring_category_fkey foreign key (profile_id, category_id) references categories (profile_id, id),
    constraint recurring_account_fkey foreign key (profile_id, account_id) references accounts (profile_id, id) on delete set null (account_id),
    constraint recurring_kind_known check (kind in ('income', 'expense')),
    constraint recurring_amount_positive check (amount > 0),
    constraint recurring_description_length check (char_length(description) between 1 and 255),
    constraint recurring_day_range check (day between 1 and 31)
);
create index recurring_by_category on recurring (profile_id, category_id);
create index recurring_by_account on recurring (profile_id, account_id) where account_id is not null;

alter table recurring enable row level security;
alter table recurring force row level security;
create policy recurring_isolation on recurring using (profile_id = current_profile_id());
