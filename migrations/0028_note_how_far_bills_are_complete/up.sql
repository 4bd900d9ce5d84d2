-- Until which date every row of a card is on a stored bill, if its bill has begun: the last day of the current bill at the
-- last refresh, and before the first row that came since for a bill that was not there. So a listing finds that nothing
-- changed by one comparison, and a refresh looks at the bills since that date only. Null where all is to be looked at.
alter table accounts add column bills_complete_until date;
alter table accounts add constraint accounts_complete_bills_on_cards
    check (kind = 'credit' or bills_complete_until is null);

-- Adds up by date first: an import of a whole year meets each bill a few times, not once a row.
-- Writers of one profile queue (see bind_profile), so two of these never wait for each other.
create or replace function apply_to_bills() returns trigger
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
