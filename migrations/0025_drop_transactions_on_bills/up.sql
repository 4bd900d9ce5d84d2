-- transactions_by_account begins with the same columns and serves the same questions: a bill's rows are read from the
-- table anyway. One index less to keep with every row.
drop index transactions_on_bills;
