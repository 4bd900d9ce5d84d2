alter table notices no force row level security;
delete from notices where abs(amount) >= 10000000000000 or abs(before) >= 10000000000000;
alter table notices force row level security;
alter table notices alter column amount type numeric(15, 2), alter column before type numeric(15, 2);
