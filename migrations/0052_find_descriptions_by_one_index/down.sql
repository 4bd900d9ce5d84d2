drop index transactions_by_description;
create index transactions_by_description on transactions
    (profile_id, kind,
    (case when statement_description_normalized is null then description_normalized
        else statement_description_normalized end),
    date desc, id desc)
    where category_id is not null;
