-- A notice may tell of a sum, which is larger than an amount.
alter table notices alter column amount type numeric(30, 2), alter column before type numeric(30, 2);

-- The ledgers of cards are computed again: 0151 could not mark those of databases whose owner is held to policies.
alter table accounts no force row level security;
update accounts set payments_stale = true where kind = 'credit';
alter table accounts force row level security;
alter table profiles no force row level security;
update profiles set upkept_on = null;
alter table profiles force row level security;
