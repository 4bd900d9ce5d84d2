drop index transactions_by_description;
create index transactions_by_description on transactions (profile_id, description_normalized, date desc, id desc)
    where category_id is not null;

drop index transactions_by_original_date;

alter table transactions
    drop column statement_account_id,
    drop column statement_kind,
    drop column statement_amount,
    drop column statement_date,
    drop column statement_description_normalized,
    drop column statement_description;
