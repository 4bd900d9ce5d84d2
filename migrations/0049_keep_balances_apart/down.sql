alter table accounts add column balance numeric(30, 2) not null default 0;
alter table accounts no force row level security;
alter table account_balances no force row level security;
update accounts
set balance = kept.balance
from account_balances kept
where kept.profile_id = accounts.profile_id and kept.account_id = accounts.id;
alter table accounts force row level security;
drop table account_balances;
