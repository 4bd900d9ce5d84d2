-- The statements that write transactions keep the sums beside them (`adapters-postgres/src/sums.rs`), and the one that stores
-- bills adds up those whose days are new. The sums stay as they are. A program of before this migration relies on
-- the triggers: it must not run on this schema.
drop trigger transactions_month_totals_delete on transactions;
drop trigger transactions_month_totals_update on transactions;
drop trigger transactions_month_totals_insert on transactions;
drop function apply_to_month_totals();
drop trigger transactions_bills_delete on transactions;
drop trigger transactions_bills_update on transactions;
drop trigger transactions_bills_insert on transactions;
drop function apply_to_bills();
drop trigger credit_bills_days on credit_bills;
drop function count_bill_rows();
drop function bill_total(credit_bills);
drop function is_on_bill(date, date, date, date, date);
drop trigger transactions_balances_delete on transactions;
drop trigger transactions_balances_update on transactions;
drop trigger transactions_balances_insert on transactions;
drop function apply_to_balances();
