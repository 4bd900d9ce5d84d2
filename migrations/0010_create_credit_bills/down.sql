drop index transactions_on_bills;
drop table credit_bills;
