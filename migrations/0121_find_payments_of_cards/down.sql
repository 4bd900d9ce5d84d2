drop index transactions_maybe_payers;
