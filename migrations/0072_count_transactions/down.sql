drop function count_transactions(bigint, bigint, bigint);
drop table transaction_counts;
