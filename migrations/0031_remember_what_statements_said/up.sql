-- The values that a statement gave a row, where an edit has changed them since; null while they are the row's own. Duplicates,
-- hints and suggested categories go by them, so an edited row is recognised when its statement is imported again. The date
-- is that of the purchase, so a row with an original_date needs no statement_date.
-- Rows that were edited before this migration keep nulls: the values of their statements are not known, and their own are
-- taken for them.
alter table transactions
    add column statement_description text,
    add column statement_description_normalized text,
    add column statement_date date,
    add column statement_amount numeric(12, 2),
    add column statement_kind text,
    add column statement_account_id bigint,
    -- Once the statement's account is deleted the row counts as one of its own account.
    add constraint transactions_statement_account_fkey foreign key (profile_id, statement_account_id)
        references accounts (profile_id, id) on delete set null (statement_account_id),
    add constraint transactions_statement_description_length
        check (char_length(statement_description) between 1 and 255),
    add constraint transactions_statement_descriptions_normalized
        check ((statement_description is null) = (statement_description_normalized is null)),
    add constraint transactions_statement_amount_positive check (statement_amount > 0),
    add constraint transactions_statement_kind_known check (statement_kind in ('income', 'expense'));

create index transactions_by_statement_account on transactions (profile_id, statement_account_id)
    where statement_account_id is not null;
-- A file is compared with the rows of its days, by whichever of three dates holds a row's. Few rows have these two.
create index transactions_by_original_date on transactions (profile_id, original_date) where original_date is not null;
create index transactions_by_statement_date on transactions (profile_id, statement_date)
    where statement_date is not null;

-- Categories are suggested by the statement's description. PostgreSQL takes a coalesce() for something that could leak rows,
-- and uses no index on it under row-level security; a case it takes for safe.
drop index transactions_by_description;
create index transactions_by_description on transactions
    (profile_id,
    (case when statement_description_normalized is null then description_normalized
        else statement_description_normalized end),
    date desc, id desc)
    where category_id is not null;
