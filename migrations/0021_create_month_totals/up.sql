-- What came and went in a month by category: kept by a trigger, as balances are, so that six months of
-- evolution cost a few rows whatever happened in them. Transfers and opening balances count for none of it.
create table month_totals (
    profile_id bigint not null,
    month date not null,
    -- 0 for transactions without one, so that the key can hold it.
    category_id bigint not null,
    income numeric(30, 2) not null,
    expenses numeric(30, 2) not null,
    -- How many transactions that is; a row that counts none is gone.
    transactions bigint not null,
    constraint month_totals_pkey primary key (profile_id, month, category_id),
    constraint month_totals_profile_fkey foreign key (profile_id) references profiles (id) on delete cascade,
    constraint month_totals_month_first check (extract(day from month) = 1)
);

-- Before the table has a policy, and with the owner's eyes open: the transactions there are, of every profile.
alter table transactions no force row level security;
insert into month_totals (profile_id, month, category_id, income, expenses, transactions)
select profile_id, date_trunc('month', date::timestamp)::date, coalesce(category_id, 0),
    coalesce(sum(amount) filter (where kind = 'income'), 0), coalesce(sum(amount) filter (where kind = 'expense'), 0), count(*)
from transactions
where source not in ('transfer', 'opening_balance')
group by 1, 2, 3;
alter table transactions force row level security;

alter table month_totals enable row level security;
alter table month_totals force row level security;
create policy month_totals_isolation on month_totals using (profile_id = current_profile_id());

-- Writers of one profile queue (see bind_profile), so two of these never wait for each other.
create function apply_to_month_totals() returns trigger
    language plpgsql
    as $$
begin
    if tg_op in ('UPDATE', 'DELETE') then
        update month_totals known
        set income = known.income - moved.income, expenses = known.expenses - moved.expenses,
            transactions = known.transactions - moved.transactions
        from (
            select profile_id, date_trunc('month', date::timestamp)::date as month, coalesce(category_id, 0) as category_id,
                coalesce(sum(amount) filter (where kind = 'income'), 0) as income,
                coalesce(sum(amount) filter (where kind = 'expense'), 0) as expenses, count(*) as transactions
            from old_rows
            where source not in ('transfer', 'opening_balance')
            group by 1, 2, 3
        ) as moved
        where known.profile_id = moved.profile_id and known.month = moved.month
            and known.category_id = moved.category_id;
    end if;
    if tg_op in ('INSERT', 'UPDATE') then
        insert into month_totals as known (profile_id, month, category_id, income, expenses, transactions)
        select profile_id, date_trunc('month', date::timestamp)::date, coalesce(category_id, 0),
            coalesce(sum(amount) filter (where kind = 'income'), 0),
            coalesce(sum(amount) filter (where kind = 'expense'), 0), count(*)
        from new_rows
        where source not in ('transfer', 'opening_balance')
        group by 1, 2, 3
        on conflict on constraint month_totals_pkey do update
        set income = known.income + excluded.income, expenses = known.expenses + excluded.expenses,
            transactions = known.transactions + excluded.transactions;
    end if;
    if tg_op in ('UPDATE', 'DELETE') then
        delete from month_totals known
        using (select distinct profile_id, date_trunc('month', date::timestamp)::date as month from old_rows) as moved
        where known.profile_id = moved.profile_id and known.month = moved.month and known.transactions = 0;
    end if;
    return null;
end
$$;

create trigger transactions_month_totals_insert after insert on transactions
    referencing new table as new_rows for each statement execute function apply_to_month_totals();
create trigger transactions_month_totals_update after update on transactions
    referencing old table as old_rows new table as new_rows for each statement execute function apply_to_month_totals();
create trigger transactions_month_totals_delete after delete on transactions
    referencing old table as old_rows for each statement execute function apply_to_month_totals();
