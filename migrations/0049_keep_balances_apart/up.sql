-- The balance of an account changes with each of its transactions, and PostgreSQL reads the text of all checks of a table in
-- every statement that writes a row of it: 17 KB of them on accounts. So balances have a table without any. A program of
-- before this migration reads accounts.balance: it must not run on this schema.
create table account_balances (
    profile_id bigint not null,
    account_id bigint not null,
    -- Of an account without a row it is 0.
    balance numeric(30, 2) not null,
    constraint account_balances_pkey primary key (profile_id, account_id),
    constraint account_balances_account_fkey foreign key (profile_id, account_id)
        references accounts (profile_id, id) on delete cascade
);

alter table accounts no force row level security;
insert into account_balances (profile_id, account_id, balance)
select profile_id, id, balance from accounts where balance <> 0;
alter table accounts force row level security;
alter table accounts drop column balance;

alter table account_balances enable row level security;
alter table account_balances force row level security;
create policy account_balances_isolation on account_balances using (profile_id = current_profile_id());
