drop table transactions;
drop function apply_to_balances;
