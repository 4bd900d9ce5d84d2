-- Whether a transaction is a side of a transfer between own accounts: it counts for balances and payments of bills, never as
-- income or spending. It is paired where transfer_id is set; else the other side is not kept here.
-- A transaction that is kept unlinked is no more linked by recognition: somebody took its link back.
alter table transactions
    add column is_transfer boolean not null default false,
    add column is_kept_unlinked boolean not null default false;

-- The tables' owner is held to policies like everybody else.
alter table transactions no force row level security;
update transactions set is_transfer = true where source = 'transfer';
alter table transactions force row level security;

alter table transactions
    drop constraint transactions_transfer_legs,
    -- What the service made as a leg is one of a pair; what a statement brought may be paired and single.
    add constraint transactions_transfer_legs
        check ((transfer_id is null or is_transfer) and (source <> 'transfer' or transfer_id is not null)),
    add constraint transactions_transfer_accounts check (account_id is not null or not is_transfer),
    add constraint transactions_transfer_sources check (not is_transfer or source not in ('yield', 'opening_balance'));

-- Rows that pay bills of their card.
create index transactions_paying_bills on transactions (profile_id, account_id) where is_transfer and kind = 'income';

-- A payment by a row of the card's statement. Which bills such rows pay is made anew when the card's rows change.
alter table credit_bill_payments
    add column transaction_id bigint,
    add constraint credit_bill_payments_transaction_fkey foreign key (profile_id, transaction_id)
        references transactions (profile_id, id) on delete cascade,
    add constraint credit_bill_payments_transaction_bill_key unique (profile_id, transaction_id, bill_id),
    add constraint credit_bill_payments_one_cause check (transaction_id is null or transfer_id is null);

-- Whether rows of a card changed since it was made out which bills its statement's payments pay.
alter table accounts
    add column payments_stale boolean not null default false,
    add constraint accounts_stale_payments_on_cards check (kind = 'credit' or not payments_stale);

-- Transfers to cards pay bills too: which ones is made out when the card is listed next.
alter table accounts no force row level security;
alter table transactions no force row level security;
update accounts set payments_stale = true
from transactions t
where t.profile_id = accounts.profile_id and t.account_id = accounts.id and accounts.kind = 'credit'
    and t.is_transfer and t.kind = 'income';
alter table transactions force row level security;
alter table accounts force row level security;

-- What was decided about a row before its statement was held.
alter table pending_bill_rows
    add column is_transfer boolean not null default false,
    add column is_kept_unlinked boolean not null default false;
