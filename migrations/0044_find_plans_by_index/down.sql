drop index transactions_installments_by_date;
create index transactions_installments_by_date on transactions (profile_id, account_id, date)
    where installment_count is not null;
