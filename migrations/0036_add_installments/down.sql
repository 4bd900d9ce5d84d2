alter table accounts
    drop constraint accounts_credit_limit_range,
    drop constraint accounts_credit_limit_on_cards,
    drop column credit_limit;

drop index transactions_installments_by_date;
drop index transactions_installments;

alter table transactions no force row level security;
update transactions set source = 'manual' where source = 'installment';
alter table transactions force row level security;
alter table transactions
    drop constraint transactions_source_known,
    add constraint transactions_source_known
        check (source in ('manual', 'ofx', 'csv', 'yield', 'transfer', 'opening_balance')),
    drop column is_recognised,
    drop column installment_shop,
    drop column installment_count,
    drop column installment_number;
