drop index transactions_paying_bills;
create index transactions_paying_bills on transactions (profile_id, account_id)
    where is_transfer and kind = 'income';
