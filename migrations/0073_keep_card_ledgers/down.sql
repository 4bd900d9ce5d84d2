alter table credit_bills
    drop column previous,
    drop column paid_amount,
    drop column paid_at,
    drop column carried,
    drop column statement,
    drop column if exists due_before;

alter table accounts no force row level security;
update accounts set payments_stale = true where kind = 'credit';
alter table accounts force row level security;
