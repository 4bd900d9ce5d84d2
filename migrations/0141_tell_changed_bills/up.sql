-- What an upgrade changed on the open bill of a card: its due date, what was due on it before and after. Null where nothing changed, and
-- once a member has read it.
alter table accounts
    add column changed_bill_due_date date,
    add column changed_bill_before numeric(30, 2),
    add column changed_bill_after numeric(30, 2),
    add constraint accounts_changed_bill_complete check (
        num_nulls(changed_bill_due_date, changed_bill_before, changed_bill_after) in (0, 3));
-- Migration 0073 creates it, but not where it ran before it was released.
alter table credit_bills add column if not exists due_before numeric(30, 2);
