-- Card statements held until their payment date.
create table pending_bills (
    profile_id bigint not null,
    id bigint generated always as identity,
    account_id bigint,
    payment_date date not null,
    file_name text,
    format text not null,
    total numeric(30, 2) not null,
    row_count integer not null,
    status text not null default 'pending',
    created_at timestamptz not null default now(),
    constraint pending_bills_pkey primary key (profile_id, id),
    constraint pending_bills_profile_fkey foreign key (profile_id) references profiles (id) on delete cascade,
    constraint pending_bills_account_fkey foreign key (profile_id, account_id) references accounts (profile_id, id) on delete set null (account_id),
    constraint pending_bills_format_known check (format in ('ofx', 'csv')),
    constraint pending_bills_status_known check (status in ('pending', 'confirmed')),
    constraint pending_bills_row_count_positive check (row_count > 0)
);
create index pending_bills_pending on pending_bills (profile_id, payment_date, id) where status = 'pending';
create index pending_bills_by_account on pending_bills (profile_id, account_id);

alter table pending_bills enable row level security;
alter table pending_bills force row level security;
create policy pending_bills_isolation on pending_bills using (profile_id = current_profile_id());
