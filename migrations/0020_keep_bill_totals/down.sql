drop trigger transactions_bills_delete on transactions;
drop trigger transactions_bills_update on transactions;
drop trigger transactions_bills_insert on transactions;
drop trigger credit_bills_days on credit_bills;
drop function apply_to_bills();
drop function count_bill_rows();
drop function bill_total(credit_bills);
drop function is_on_bill(date, date, date, date, date);
alter table credit_bills drop column total;
