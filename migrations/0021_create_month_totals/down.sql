drop trigger transactions_month_totals_delete on transactions;
drop trigger transactions_month_totals_update on transactions;
drop trigger transactions_month_totals_insert on transactions;
drop function apply_to_month_totals();
drop table month_totals;
