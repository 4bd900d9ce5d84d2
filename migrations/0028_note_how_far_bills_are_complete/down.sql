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
    end if;
    return null;
end
$$;

alter table accounts drop constraint accounts_complete_bills_on_cards;
alter table accounts drop column bills_complete_until;
