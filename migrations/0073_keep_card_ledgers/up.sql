-- What the ledger of a card computes for its bills. Computed again for a whole card after a write that sets accounts.payments_stale, and
-- when a period begins.
alter table credit_bills
    -- What the bill before left to this one.
    add column previous numeric(30, 2) not null default 0,
    add column paid_amount numeric(30, 2) not null default 0,
    add column paid_at timestamptz,
    -- What this bill left to the next one.
    add column carried numeric(30, 2) not null default 0,
    -- What was due when it closed; null while it is open.
    add column statement numeric(30, 2),
    -- What an earlier release showed as due on it, until the ledger of its card is computed for the first time.
    add column due_before numeric(30, 2);

-- The tables' owner is held to policies like everybody else.
alter table credit_bill_payments no force row level security;
alter table accounts no force row level security;
alter table credit_bills no force row level security;
update credit_bills b
set due_before = b.total - coalesce((
    select sum(p.amount) from credit_bill_payments p where p.profile_id = b.profile_id and p.bill_id = b.id
), 0);
alter table credit_bills force row level security;
-- Payments that no bill names are rows of transactions. The column stays for one release, for documents and processes of earlier ones.
delete from credit_bill_payments where transaction_id is not null;
update accounts set payments_stale = true, bills_complete_until = null where kind = 'credit';
alter table accounts force row level security;
alter table credit_bill_payments force row level security;
