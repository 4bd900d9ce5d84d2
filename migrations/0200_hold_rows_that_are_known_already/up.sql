-- Rows of a held statement that other imports or held statements have brought already. They count there, and are known when the statement
-- is confirmed. `row_count` is without them.
alter table pending_bill_rows add column is_repeated boolean not null default false;
