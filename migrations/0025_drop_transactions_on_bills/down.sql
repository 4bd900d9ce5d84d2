create index transactions_on_bills on transactions (profile_id, account_id, date)
    where source not in ('transfer', 'opening_balance');
