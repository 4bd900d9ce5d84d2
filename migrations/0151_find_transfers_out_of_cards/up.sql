-- The ledger of a card counts money that a transfer took out of it, beside what was paid.
drop index transactions_paying_bills;
create index transactions_paying_bills on transactions (profile_id, account_id) where is_transfer;
-- The ledgers of cards with such a transfer are computed again.
update accounts set payments_stale = true
from transactions t
where accounts.kind = 'credit' and t.profile_id = accounts.profile_id and t.account_id = accounts.id
    and t.is_transfer and t.kind = 'expense';
