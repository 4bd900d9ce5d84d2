alter table credit_bills
    drop column held,
    drop column paid_also,
    drop column paid_except;

alter table accounts no force row level security;
update accounts set payments_stale = true, bills_complete_until = null where kind = 'credit';
alter table accounts force row level security;
