create table accounts (
    profile_id bigint not null,
    id bigint generated always as identity,
    name text not null,
    name_key text not null,
    kind text not null,
    yield_type text not null default 'none',
    cdi_percentage numeric(6, 2) not null default 100,
    last_yield_date date,
    closing_day smallint,
    due_day smallint,
    -- Income minus expense over all the account's transactions; kept by a trigger on them.
    balance numeric(30, 2) not null default 0,
    constraint accounts_pkey primary key (profile_id, id),
    constraint accounts_profile_fkey foreign key (profile_id) references profiles (id) on delete cascade,
    constraint accounts_name_key unique (profile_id, name_key),
    constraint accounts_name_length check (char_length(name) between 1 and 100),
    constraint accounts_kind_known check (kind in ('current', 'savings', 'investment', 'credit')),
    constraint accounts_yield_type_known check (yield_type in ('none', 'cdi', 'variable')),
    constraint accounts_yield_on_investments check (yield_type = 'none' or kind = 'investment'),
    constraint accounts_cdi_dated check (yield_type <> 'cdi' or last_yield_date is not null),
    constraint accounts_cdi_percentage_range check (cdi_percentage > 0 and cdi_percentage <= 1000),
    constraint accounts_days_on_cards check ((kind = 'credit') = (closing_day is not null and due_day is not null)),
    constraint accounts_closing_day_range check (closing_day between 1 and 31),
    constraint accounts_due_day_range check (due_day between 1 and 31)
);

alter table accounts enable row level security;
alter table accounts force row level security;
create policy accounts_isolation on accounts using (profile_id = current_profile_id());
