-- What a description was filed under is found by this index alone. While it had only filed rows, as transactions_filed has,
-- PostgreSQL took that of the dates for each description where its statistics were of a time before rows were filed, and
-- read the whole history each time.
drop index transactions_by_description;
create index transactions_by_description on transactions
    (profile_id, kind,
    (case when statement_description_normalized is null then description_normalized
        else statement_description_normalized end),
    date desc, id desc)
    where not is_transfer;
