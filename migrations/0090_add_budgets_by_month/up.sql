alter table categories
    add column group_name text,
    -- As names are compared.
    add column group_key text,
    add column position smallint not null default 9999,
    add column icon text,
    -- No longer offered or suggested.
    add column is_hidden boolean not null default false,
    -- Whether its incomes are refunds of its expenses.
    add column nets_refunds boolean not null default true,
    -- What is left of a month's budget in the next month.
    add column carry text not null default 'none',
    -- The first month from which something is carried.
    add column carry_since month_start,
    add constraint categories_group_length check (char_length(group_name) between 1 and 40),
    add constraint categories_group_compared check ((group_name is null) = (group_key is null)),
    add constraint categories_position_range check (position between 0 and 9999),
    add constraint categories_icon_length check (char_length(icon) between 1 and 40),
    add constraint categories_carry_known check (carry in ('none', 'surplus', 'both')),
    add constraint categories_carry_since_given check ((carry = 'none') = (carry_since is null));

-- The tables' owner is held to policies like everybody else.
alter table categories no force row level security;
alter table month_totals no force row level security;
update categories set nets_refunds = false where name_key in ('salário', 'investimentos');
update categories set nets_refunds = false
from (
    select profile_id, category_id from month_totals group by profile_id, category_id having sum(income) > sum(expenses)
) as received
where received.profile_id = categories.profile_id and received.category_id = categories.id;
alter table month_totals force row level security;
alter table categories force row level security;

-- The amounts of single months. A month without one has the default, `categories.monthly_budget`.
create table budgets (
    profile_id bigint not null,
    category_id bigint not null,
    month month_start not null,
    amount numeric(12, 2) not null,
    constraint budgets_pkey primary key (profile_id, category_id, month),
    constraint budgets_amount_range check (amount >= 0)
);
-- The defaults of earlier times: each held until its last month. Null: there was no budget.
create table budget_defaults (
    profile_id bigint not null,
    category_id bigint not null,
    last_month month_start not null,
    amount numeric(12, 2),
    constraint budget_defaults_pkey primary key (profile_id, category_id, last_month),
    constraint budget_defaults_amount_range check (amount >= 0)
);
select distribute_by_profile('budgets');
select distribute_by_profile('budget_defaults');
create index budgets_by_month on budgets (profile_id, month);
do $$
begin
    alter table budgets add constraint budgets_of_category
        foreign key (profile_id, category_id) references categories (profile_id, id) on delete cascade;
    alter table budgets enable row level security;
    alter table budgets force row level security;
    create policy budgets_isolation on budgets using (profile_id = current_profile_id());
    alter table budget_defaults add constraint budget_defaults_of_category
        foreign key (profile_id, category_id) references categories (profile_id, id) on delete cascade;
    alter table budget_defaults enable row level security;
    alter table budget_defaults force row level security;
    create policy budget_defaults_isolation on budget_defaults using (profile_id = current_profile_id());
end
$$;
