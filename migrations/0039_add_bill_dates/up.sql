-- The dates of single bills that are not those of their card's days: the bank closed one a day later, or names another day to
-- pay. A bill is known by the date on which it closes by the card's days alone, which no other bill of the card shares.
create table bill_dates (
    profile_id bigint not null,
    account_id bigint not null,
    scheduled_closing date not null,
    closing_date date,
    due_date date,
    constraint bill_dates_pkey primary key (profile_id, account_id, scheduled_closing),
    constraint bill_dates_account_fkey foreign key (profile_id, account_id) references accounts (profile_id, id) on delete cascade,
    constraint bill_dates_not_empty check (num_nonnulls(closing_date, due_date) > 0)
);

alter table bill_dates enable row level security;
alter table bill_dates force row level security;
create policy bill_dates_isolation on bill_dates using (profile_id = current_profile_id());
