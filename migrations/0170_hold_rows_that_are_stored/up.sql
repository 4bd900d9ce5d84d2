-- Rows of a held statement that are stored already, as a leg of a transfer or an instalment that was made here. They count there until
-- the statement is confirmed.
alter table pending_bill_rows add column is_stored boolean not null default false;
