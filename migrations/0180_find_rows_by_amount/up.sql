-- The rows that may cover a due are found by the month of their purchase and their amount (`recurring/covering.rs`). The amount is a whole
-- number, because PostgreSQL compares a `numeric` only after row-level security has let the row pass: an index of the amounts themselves
-- would not be used.
alter table transactions
    drop column first_of_month,
    add column purchase_month date not null
        generated always as (date_trunc('month', coalesce(original_date, date)::timestamp)::date) stored,
    add column amount_cents bigint not null generated always as ((amount * 100)::bigint) stored;
create index transactions_by_category on transactions (profile_id, category_id, purchase_month, amount_cents);
drop index transactions_split;
create index transactions_split on transactions (profile_id, purchase_month) where is_split;
