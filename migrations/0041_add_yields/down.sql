alter table categories drop column tax_kind;
drop table net_worth_months;
alter table accounts no force row level security;
update accounts set yield_type = 'none' where yield_type not in ('none', 'cdi', 'variable');
alter table accounts force row level security;
alter table accounts
    drop constraint accounts_yield_tax_on_investments,
    drop constraint accounts_yield_tax_known,
    drop constraint accounts_yield_day_count_known,
    drop constraint accounts_yield_rate_range,
    drop constraint accounts_yield_rated,
    drop constraint accounts_yield_dated,
    drop constraint accounts_yield_fits_kind,
    drop constraint accounts_yield_type_known,
    add constraint accounts_yield_type_known check (yield_type in ('none', 'cdi', 'variable')),
    add constraint accounts_yield_on_investments check (yield_type = 'none' or kind = 'investment'),
    add constraint accounts_cdi_dated check (yield_type <> 'cdi' or last_yield_date is not null),
    drop column yield_tax,
    drop column yield_day_count,
    drop column yield_rate;
