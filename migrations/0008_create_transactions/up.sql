create table transactions (
    profile_id bigint not null,
    id bigint generated always as identity,
    kind text not null,
    category_id bigint,
    account_id bigint,
    date date not null,
    -- The purchase date of a card row that counts on its bill's payment date.
    original_date date,
    external_id text,
    -- The external id without the suffix that tells apart rows to which a bank gave one id.
    external_id_base text,
    source text not null,
    description text not null,
    -- Accents folded, lower case, blanks collapsed: what searches and duplicates compare.
    description_normalized text not null,
    amount numeric(12, 2) not null,
    transfer_id bigint,
    import_id bigint,
    -- The first day of the period a yield pays; no two yields of an account share one.
    yield_from date,
    created_at timestamptz not null default now(),
    constraint transactions_pkey primary key (profile_id, id),
    constraint transactions_profile_fkey foreign key (profile_id) references profiles (id) on delete cascade,
    constraint transactions_category_fkey foreign key (profile_id, category_id) references categories (profile_id, id),
    constraint transactions_account_fkey foreign key (profile_id, account_id) references accounts (profile_id, id),
    constraint transactions_transfer_fkey foreign key (profile_id, transfer_id) references transfers (profile_id, id),
    constraint transactions_import_fkey foreign key (profile_id, import_id) references imports (profile_id, id),
    constraint transactions_kind_known check (kind in ('income', 'expense')),
    constraint transactions_source_known
        check (source in ('manual', 'ofx', 'csv', 'yield', 'transfer', 'opening_balance')),
    constraint transactions_amount_positive check (amount > 0),
    constraint transactions_description_length check (char_length(description) between 1 and 255),
    constraint transactions_external_id_length check (char_length(external_id) between 1 and 255),
    constraint transactions_transfer_legs check ((source = 'transfer') = (transfer_id is not null)),
    constraint transactions_yield_periods check ((source = 'yield') = (yield_from is not null)),
    constraint transactions_accounts_known
        check (account_id is not null or source not in ('yield', 'transfer', 'opening_balance'))
);

-- No account is a scope of its own.
create unique index transactions_external_id_key on transactions (profile_id, account_id, external_id)
    nulls not distinct where external_id is not null;
create unique index transactions_yield_from_key on transactions (profile_id, account_id, yield_from)
    where yield_from is not null;
create index transactions_by_date on transactions (profile_id, date desc, id desc);
create index transactions_by_account on transactions (profile_id, account_id, date desc, id desc);
create index transactions_by_category on transactions (profile_id, category_id, date);
create index transactions_by_external_id_base on transactions (profile_id, external_id_base)
    where external_id_base is not null;
create index transactions_by_description on transactions (profile_id, description_normalized, date desc, id desc)
    where category_id is not null;
create index transactions_by_transfer on transactions (profile_id, transfer_id) where transfer_id is not null;
create index transactions_by_import on transactions (profile_id, import_id) where import_id is not null;

alter table transactions enable row level security;
alter table transactions force row level security;
create policy transactions_isolation on transactions using (profile_id = current_profile_id());

-- Keeps accounts.balance, whatever statement changes transactions, so that no read adds up history.
-- Writers of one profile queue (see bind_profile), so two of these never wait for each other.
create function apply_to_balances() returns trigger
    language plpgsql
    as $$
begin
    if tg_op in ('UPDATE', 'DELETE') then
        update accounts
        set balance = balance - moved.total
        from (
            select profile_id, account_id, sum(case kind when 'income' then amount else -amount end) as total
            from old_rows
            where account_id is not null
            group by profile_id, account_id
        ) as moved
        where accounts.profile_id = moved.profile_id and accounts.id = moved.account_id;
    end if;
    if tg_op in ('INSERT', 'UPDATE') then
        update accounts
        set balance = balance + moved.total
        from (
            select profile_id, account_id, sum(case kind when 'income' then amount else -amount end) as total
            from new_rows
            where account_id is not null
            group by profile_id, account_id
        ) as moved
        where accounts.profile_id = moved.profile_id and accounts.id = moved.account_id;
    end if;
    return null;
end
$$;

create trigger transactions_balances_insert after insert on transactions
    referencing new table as new_rows for each statement execute function apply_to_balances();
create trigger transactions_balances_update after update on transactions
    referencing old table as old_rows new table as new_rows for each statement execute function apply_to_balances();
create trigger transactions_balances_delete after delete on transactions
    referencing old table as old_rows for each statement execute function apply_to_balances();
