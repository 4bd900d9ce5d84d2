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
