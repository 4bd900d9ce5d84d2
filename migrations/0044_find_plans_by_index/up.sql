-- The rows of one plan and the latest rows of a card are each found by their own index. With one condition for both indexes,
-- PostgreSQL took that of the dates for each of the plans, and read every instalment of the card each time.
drop index transactions_installments_by_date;
create index transactions_installments_by_date on transactions (profile_id, account_id, date)
    where installment_number is not null;
