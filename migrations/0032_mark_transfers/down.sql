alter table pending_bill_rows drop column is_kept_unlinked, drop column is_transfer;
alter table accounts drop constraint accounts_stale_payments_on_cards, drop column payments_stale;

alter table credit_bill_payments no force row level security;
delete from credit_bill_payments where transaction_id is not null;
alter table credit_bill_payments force row level security;
alter table credit_bill_payments
    drop constraint credit_bill_payments_one_cause,
    drop constraint credit_bill_payments_transaction_bill_key,
    drop constraint credit_bill_payments_transaction_fkey,
    drop column transaction_id;

drop index transactions_paying_bills;
alter table transactions no force row level security;
update transactions set transfer_id = null where source <> 'transfer' and transfer_id is not null;
alter table transactions force row level security;
alter table transactions
    drop constraint transactions_transfer_sources,
    drop constraint transactions_transfer_accounts,
    drop constraint transactions_transfer_legs,
    add constraint transactions_transfer_legs check ((source = 'transfer') = (transfer_id is not null)),
    drop column is_kept_unlinked,
    drop column is_transfer;
