drop function store_notices(bigint, text[], text[], text[]);

create or replace function store_notices(
    profile bigint, kinds text[], subjects text[], told text[], categories_spent bigint[], months date[]
) returns void
    language plpgsql
    as $$
begin
    if not exists (select 1 from webhooks where profile_id = profile) then
        return;
    end if;
    with events as materialized (
        select gen_random_uuid() as event_id, noted.* from (
            select * from unnest(kinds, subjects, told)
            union all
            select 'budget.exceeded', c.id || ':' || to_char(m.month, 'YYYY-MM'), json_build_object('category_id', c.id,
                'month', to_char(m.month, 'YYYY-MM'), 'budget', c.monthly_budget::text, 'spent', m.expenses::text)::text
            from unnest(categories_spent, months) as spent (category_id, month)
            join categories c on c.profile_id = profile and c.id = spent.category_id
            join month_totals m on m.profile_id = profile and m.month = spent.month and m.category_id = spent.category_id
            where c.monthly_budget < m.expenses
        ) as noted (kind, subject, data)
    ), stored as (
        insert into webhook_deliveries (profile_id, webhook_id, event_id, kind, subject, data)
        select profile, w.id, e.event_id, e.kind, e.subject, e.data
        from events e join webhooks w on w.profile_id = profile and e.kind = any (w.events)
        on conflict do nothing
        returning 1
    )
    update profiles set webhooks_due_at = least(webhooks_due_at, now())
    where id = profile and exists (select 1 from stored);
end
$$;
