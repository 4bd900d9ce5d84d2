-- A bill's total is kept beside it, as an account's balance is, so that telling which bills are unpaid
-- adds up no history: the dashboard of ten years costs what that of one does.
alter table credit_bills add column total numeric(30, 2) not null default 0;

-- Whether a transaction dated so counts on a bill of its card: by its own date in the bill's period, or
-- by the date of the payment that it was imported with in the period after.
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

-- A bill whose days are new counts its rows anew; that of a new bill may have been there before it.
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

-- Adds up by date first: an import of a whole year meets each bill a few times, not once a row.
-- Writers of one profile queue (see bind_profile), so two of these never wait for each other.
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

-- The totals of the bills there are, of every profile: the tables' owner is held to policies like everybody else.
alter table credit_bills no force row level security;
alter table transactions no force row level security;
update credit_bills set total = bill_total(credit_bills);
alter table credit_bills force row level security;
alter table transactions force row level security;
