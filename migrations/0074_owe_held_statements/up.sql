alter table credit_bills
    -- What held statements ask for on this bill. The ledger of the card computes it.
    add column held numeric(30, 2) not null default 0,
    -- A row with a payment date is on the bill that is due on that date, or else on the last one that closed by then. These are the
    -- due date, if the following bill has closed by then, and the due date of the bill before, if it is one of the days up to
    -- following_end.
    add column paid_also date,
    add column paid_except date;

-- The tables' owner is held to policies like everybody else.
alter table accounts no force row level security;
update accounts set payments_stale = true, bills_complete_until = null where kind = 'credit';
alter table accounts force row level security;
