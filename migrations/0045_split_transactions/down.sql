alter table rules no force row level security;
alter table rule_actions no force row level security;
delete from rule_actions where action = 'add_tag';
delete from rules where not exists (
    select from rule_actions where rule_actions.profile_id = rules.profile_id and rule_actions.rule_id = rules.id);
alter table rule_actions force row level security;
alter table rules force row level security;
alter table rule_actions
    drop constraint rule_actions_value_of_action,
    drop column tag,
    add constraint rule_actions_value_of_action check (
        case action
            when 'set_category' then category_id is not null and description is null
            when 'rename' then category_id is null and description is not null
            when 'mark_transfer' then category_id is null and description is null
            when 'skip' then category_id is null and description is null
            else false
        end
    );

-- What was split counts without a category again.
alter table transactions no force row level security;
alter table transaction_lines no force row level security;
alter table month_totals no force row level security;
insert into month_totals as known (profile_id, month, category_id, income, expenses, transactions)
select profile_id, month, category_id, sum(income), sum(expenses), sum(transactions)
from (
    select t.profile_id, date_trunc('month', t.date::timestamp)::date as month, 0 as category_id,
        case t.kind when 'income' then t.amount else 0 end as income,
        case t.kind when 'expense' then t.amount else 0 end as expenses, 1 as transactions
    from transactions t
    where t.is_split and t.source <> 'opening_balance'
    union all
    select t.profile_id, date_trunc('month', t.date::timestamp)::date, l.category_id,
        case t.kind when 'income' then -l.amount else 0 end,
        case t.kind when 'expense' then -l.amount else 0 end, -1
    from transactions t
    join transaction_lines l on l.profile_id = t.profile_id and l.transaction_id = t.id
    where t.source <> 'opening_balance'
) as moved
group by 1, 2, 3
on conflict (profile_id, month, category_id) do update set
    income = known.income + excluded.income,
    expenses = known.expenses + excluded.expenses,
    transactions = known.transactions + excluded.transactions;
delete from month_totals where transactions = 0;
alter table month_totals force row level security;
alter table transactions force row level security;

drop table transaction_lines;

drop index transactions_split;
drop index transactions_tagged;
alter table transactions
    drop column is_split,
    drop column tag_keys,
    drop column tags,
    drop column note_normalized,
    drop column note;
