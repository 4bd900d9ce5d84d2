-- Which days a bill is about. What is due on it is the sum of its rows, whoever keeps it.
create table credit_bills (
    profile_id bigint not null,
    id bigint generated always as identity,
    account_id bigint not null,
    period_start date not null,
    period_end date not null,
    due_date date not null,
    following_end date not null,
    constraint credit_bills_pkey primary key (profile_id, id),
    constraint credit_bills_account_fkey foreign key (profile_id, account_id) references accounts (profile_id, id) on delete cascade,
    constraint credit_bills_period_key unique (profile_id, account_id, period_start),
    constraint credit_bills_dates_ordered check (period_start <= period_end and period_end < following_end and period_end + 1 < due_date)
);
create index credit_bills_by_period on credit_bills (profile_id, period_start desc, id desc);
create index transactions_on_bills on transactions (profile_id, account_id, date)
    where source not in ('transfer', 'opening_balance');

alter table credit_bills enable row level security;
alter table credit_bills force row level security;
create policy credit_bills_isolation on credit_bills using (profile_id = current_profile_id());
