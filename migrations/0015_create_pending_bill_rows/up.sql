-- The rows of held statements, in the order of the file.
create table pending_bill_rows (
    profile_id bigint not null,
    pending_bill_id bigint not null,
    position integer not null,
    date date not null,
    description text not null,
    description_normalized text not null,
    amount numeric(12, 2) not null,
    kind text not null,
    external_id text,
    external_id_base text,
    category_id bigint,
    constraint pending_bill_rows_pkey primary key (profile_id, pending_bill_id, position),
    constraint pending_bill_rows_bill_fkey foreign key (profile_id, pending_bill_id) references pending_bills (profile_id, id) on delete cascade,
    constraint pending_bill_rows_category_fkey foreign key (profile_id, category_id) references categories (profile_id, id) on delete set null (category_id),
    constraint pending_bill_rows_kind_known check (kind in ('income', 'expense')),
    constraint pending_bill_rows_amount_positive check (amount > 0)
);
create index pending_bill_rows_by_category on pending_bill_rows (profile_id, category_id) where category_id is not null;

alter table pending_bill_rows enable row level security;
alter table pending_bill_rows force row level security;
create policy pending_bill_rows_isolation on pending_bill_rows using (profile_id = current_profile_id());
