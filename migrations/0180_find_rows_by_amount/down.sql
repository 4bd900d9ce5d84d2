alter table transactions
    drop column purchase_month,
    drop column amount_cents,
    add column first_of_month date not null generated always as (date_trunc('month', date::timestamp)::date) stored;
create index transactions_by_category on transactions (profile_id, category_id, first_of_month);
create index transactions_split on transactions (profile_id, date desc, id desc) where is_split;
