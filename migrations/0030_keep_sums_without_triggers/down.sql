-- As the migrations 8, 20, 21 and 28 made them; the sums are right already.
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

create function is_on_bill(date date, original_date date, period_start date, period_end date, following_end date)
    returns boolean
    language sql immutable parallel safe
    as $$
        select date between period_start and following_end
            and case when original_date is null then date <= period_end else date > period_end end
    $$;

create function bill_total(credit_bills) returns numeric
    language sql stable
    as $$
        select coalesce(sum(case t.kind when 'expense' then t.amount else -t.amount end), 0)
        from transactions t
        where t.profile_id = $1.profile_id and t.account_id = $1.account_id
            and t.source not in ('transfer', 'opening_balance')
            and t.date between $1.period_start and $1.following_end
            and is_on_bill(t.date, t.original_date, $1.period_start, $1.period_end, $1.following_end)
    $$;

create function count_bill_rows() returns trigger
    language plpgsql
    as $$
begin
    new.total := bill_total(new);
    return new;
end
$$;

create trigger credit_bills_days before insert or update of period_start, period_end, following_end on credit_bills
    for each row execute function count_bill_rows();

create function apply_to_bills() returns trigger
    language plpgsql
    as $$
begin
    if tg_op in ('UPDATE', 'DELETE') then
        update credit_bills
        set total = credit_bills.total - moved.total
        from (
            select b.profile_id, b.id, sum(day.total) as total
            from (
                select profile_id, account_id, date, original_date,
                    sum(case kind when 'expense' then amount else -amount end) as total
                from old_rows
                where account_id is not null and source not in ('transfer', 'opening_balance')
                group by profile_id, account_id, date, original_date
            ) as day
            join credit_bills b on b.profile_id = day.profile_id and b.account_id = day.account_id
                and is_on_bill(day.date, day.original_date, b.period_start, b.period_end, b.following_end)
            group by b.profile_id, b.id
        ) as moved
        where credit_bills.profile_id = moved.profile_id and credit_bills.id = moved.id;
    end if;
    if tg_op in ('INSERT', 'UPDATE') then
        update credit_bills
        set total = credit_bills.total + moved.total
        from (
            select b.profile_id, b.id, sum(day.total) as total
            from (
                select profile_id, account_id, date, original_date,
                    sum(case kind when 'expense' then amount else -amount end) as total
                from new_rows
                where account_id is not null and source not in ('transfer', 'opening_balance')
                group by profile_id, account_id, date, original_date
            ) as day
            join credit_bills b on b.profile_id = day.profile_id and b.account_id = day.account_id
                and is_on_bill(day.date, day.original_date, b.period_start, b.period_end, b.following_end)
            group by b.profile_id, b.id
        ) as moved
        where credit_bills.profile_id = moved.profile_id and credit_bills.id = moved.id;
        -- A row of a bill that is not there yet: the next refresh looks from its date on.
        update accounts
        set bills_complete_until = missing.date - 1
        from (
            select day.profile_id, day.account_id, min(day.date) as date
            from (
                select rows.profile_id, rows.account_id, rows.date, max(rows.original_date) as original_date
                from new_rows rows
                join accounts card on card.profile_id = rows.profile_id and card.id = rows.account_id
                    and card.bills_complete_until >= rows.date
                where rows.source not in ('transfer', 'opening_balance')
                group by rows.profile_id, rows.account_id, rows.date, rows.original_date is null
            ) as day
            where not exists (
                select from credit_bills b where b.profile_id = day.profile_id and b.account_id = day.account_id
                    and is_on_bill(day.date, day.original_date, b.period_start, b.period_end, b.following_end)
            )
            group by day.profile_id, day.account_id
        ) as missing
        where accounts.profile_id = missing.profile_id and accounts.id = missing.account_id;
    end if;
    return null;
end
$$;

create trigger transactions_bills_insert after insert on transactions
    referencing new table as new_rows for each statement execute function apply_to_bills();
create trigger transactions_bills_update after update on transactions
    referencing old table as old_rows new table as new_rows for each statement execute function apply_to_bills();
create trigger transactions_bills_delete after delete on transactions
    referencing old table as old_rows for each statement execute function apply_to_bills();

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
