-- Payments of bills. One made by a transfer is gone with the transfer.
create table credit_bill_payments (
    profile_id bigint not null,
    id bigint generated always as identity,
    bill_id bigint not null,
    amount numeric(30, 2) not null,
    date date not null,
    transfer_id bigint,
    created_at timestamptz not null default now(),
    constraint credit_bill_payments_pkey primary key (profile_id, id),
    constraint credit_bill_payments_bill_fkey foreign key (profile_id, bill_id) references credit_bills (profile_id, id) on delete cascade,
    constraint credit_bill_payments_transfer_fkey foreign key (profile_id, transfer_id) references transfers (profile_id, id) on delete cascade,
    constraint credit_bill_payments_transfer_key unique (profile_id, transfer_id),
    constraint credit_bill_payments_amount_positive check (amount > 0)
);
create index credit_bill_payments_by_bill on credit_bill_payments (profile_id, bill_id);

alter table credit_bill_payments enable row level security;
alter table credit_bill_payments force row level security;
create policy credit_bill_payments_isolation on credit_bill_payments using (profile_id = current_profile_id());
