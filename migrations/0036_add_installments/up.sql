-- Which instalment of a purchase a row on a card is, as its description says; null where it says nothing, and on every other
-- account. The shop is the rest of the description, as it is compared: the rows of one purchase have one. Stored rows are read
-- by the next migration.
-- A row that was entered here is recognised once a row of a statement is known to be it.
alter table transactions
    add column installment_number smallint,
    add column installment_count smallint,
    add column installment_shop text,
    add column is_recognised boolean not null default false,
    add constraint transactions_installment_range
        check (installment_count between 2 and 99 and installment_number between 1 and installment_count),
    add constraint transactions_installment_whole
        check (num_nulls(installment_number, installment_count, installment_shop) in (0, 3)),
    drop constraint transactions_source_known,
    add constraint transactions_source_known
        check (source in ('manual', 'ofx', 'csv', 'yield', 'transfer', 'opening_balance', 'installment'));

-- The rows of a purchase, and the cards' latest instalments.
create index transactions_installments on transactions (profile_id, account_id, installment_shop, installment_count)
    where installment_count is not null;
create index transactions_installments_by_date on transactions (profile_id, account_id, date)
    where installment_count is not null;

-- What may be spent on a card at all.
alter table accounts
    add column credit_limit numeric(12, 2),
    add constraint accounts_credit_limit_on_cards check (credit_limit is null or kind = 'credit'),
    add constraint accounts_credit_limit_range check (credit_limit >= 0);
