-- Poupança, rates a year, and what an account says of its own yield.
alter table accounts
    -- Percent a year of a fixed rate, or on top of IPCA or Selic.
    add column yield_rate numeric(6, 2),
    -- Null follows the setting of the service, whatever it becomes.
    add column yield_day_count text,
    add column yield_tax text not null default 'none',
    drop constraint accounts_yield_type_known,
    drop constraint accounts_yield_on_investments,
    drop constraint accounts_cdi_dated,
    add constraint accounts_yield_type_known
        check (yield_type in ('none', 'cdi', 'variable', 'poupanca', 'fixed', 'ipca', 'selic')),
    add constraint accounts_yield_fits_kind check (case yield_type
        when 'none' then true
        when 'poupanca' then kind = 'savings'
        else kind = 'investment' end),
    add constraint accounts_yield_dated check (yield_type in ('none', 'variable') or last_yield_date is not null),
    add constraint accounts_yield_rated
        check ((yield_type in ('fixed', 'ipca', 'selic')) = (yield_rate is not null)),
    add constraint accounts_yield_rate_range check (yield_rate between 0 and 1000),
    add constraint accounts_yield_day_count_known check (yield_day_count in ('calendar', 'business')),
    add constraint accounts_yield_tax_known check (yield_tax in ('none', 'regressive')),
    add constraint accounts_yield_tax_on_investments check (yield_tax = 'none' or kind = 'investment');

-- How the balances of all accounts of a kind changed in a month, kept with the other sums.
create table net_worth_months (
    profile_id bigint not null,
    month date not null,
    kind text not null,
    change numeric(30, 2) not null,
    constraint net_worth_months_pkey primary key (profile_id, month, kind),
    constraint net_worth_months_profile_fkey foreign key (profile_id) references profiles (id) on delete cascade,
    constraint net_worth_months_month_first check (extract(day from month) = 1),
    constraint net_worth_months_kind_known check (kind in ('current', 'savings', 'investment', 'credit'))
);

-- Before the table has a policy, and with the owner's eyes open: the transactions there are, of every profile.
alter table transactions no force row level security;
alter table accounts no force row level security;
insert into net_worth_months (profile_id, month, kind, change)
select t.profile_id, date_trunc('month', t.date::timestamp)::date, a.kind,
    sum(case t.kind when 'income' then t.amount else -t.amount end)
from transactions t
join accounts a on a.profile_id = t.profile_id and a.id = t.account_id
group by 1, 2, 3;
alter table accounts force row level security;
alter table transactions force row level security;

alter table net_worth_months enable row level security;
alter table net_worth_months force row level security;
create policy net_worth_months_isolation on net_worth_months using (profile_id = current_profile_id());

-- What the expenses of a category are in the yearly return of the income tax.
alter table categories
    add column tax_kind text not null default 'none',
    add constraint categories_tax_kind_known check (tax_kind in ('none', 'health', 'education', 'pension', 'donation'));
