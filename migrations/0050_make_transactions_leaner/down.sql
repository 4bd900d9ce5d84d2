-- The columns stay in their new order.
drop index transactions_by_external_id_base, transactions_external_id_key, transactions_by_description,
    transactions_by_category, transactions_paying_bills, transactions_maybe_transfers;
alter table transactions
    drop column description_key,
    drop column first_of_month,
    drop constraint transactions_source_fits,
    drop constraint transactions_transfer_sides,
    drop constraint transactions_split_plain,
    drop constraint transactions_installment_range,
    alter column installment_number type smallint,
    alter column installment_count type smallint,
    alter column kind type text,
    alter column source type text,
    alter column amount type numeric(12, 2),
    alter column external_id type text,
    alter column external_id_base type text using coalesce(external_id_base, external_id),
    alter column description type text,
    alter column statement_kind type text,
    alter column statement_amount type numeric(12, 2),
    alter column statement_description type text,
    alter column note type text,
    alter column tags type text[],
    add constraint transactions_kind_known check (kind in ('income', 'expense')),
    add constraint transactions_source_known
        check (source in ('manual', 'ofx', 'csv', 'yield', 'transfer', 'opening_balance', 'installment')),
    add constraint transactions_amount_positive check (amount > 0),
    add constraint transactions_description_length check (char_length(description) between 1 and 255),
    add constraint transactions_external_id_length check (char_length(external_id) between 1 and 255),
    add constraint transactions_accounts_known
        check (account_id is not null or source not in ('yield', 'transfer', 'opening_balance')),
    add constraint transactions_yield_periods check ((source = 'yield') = (yield_from is not null)),
    add constraint transactions_statement_description_length
        check (char_length(statement_description) between 1 and 255),
    add constraint transactions_statement_amount_positive check (statement_amount > 0),
    add constraint transactions_statement_kind_known check (statement_kind in ('income', 'expense')),
    add constraint transactions_transfer_accounts check (account_id is not null or not is_transfer),
    add constraint transactions_transfer_legs
        check ((transfer_id is null or is_transfer) and (source <> 'transfer' or transfer_id is not null)),
    add constraint transactions_transfer_sources
        check (not is_transfer or source not in ('yield', 'opening_balance')),
    add constraint transactions_installment_range
        check (installment_count between 2 and 99 and installment_number between 1 and installment_count),
    add constraint transactions_note_length check (char_length(note) between 1 and 1000),
    add constraint transactions_tags_count
        check (cardinality(tags) between 1 and 10 and array_position(tags, null) is null),
    add constraint transactions_tags_length check (char_length(array_to_string(tags, '')) <= 300),
    add constraint transactions_split_without_category check (not is_split or category_id is null),
    add constraint transactions_split_no_transfer check (not is_split or not is_transfer);
drop domain transaction_kind;
drop domain transaction_source;
drop domain transaction_amount;
drop domain transaction_text;
drop domain transaction_note;
drop domain transaction_tags;
drop domain installment_number;
drop domain installment_count;

create index transactions_by_category on transactions (profile_id, category_id, date);
create index transactions_by_description on transactions
    (profile_id, kind,
    (case when statement_description_normalized is null then description_normalized
        else statement_description_normalized end), date desc, id desc)
    where category_id is not null;
create index transactions_by_external_id_base on transactions (profile_id, external_id_base)
    where external_id_base is not null;
create unique index transactions_external_id_key on transactions (profile_id, account_id, external_id)
    nulls not distinct where external_id is not null;
create index transactions_filed on transactions (profile_id, date desc, id desc)
    where category_id is not null and not is_transfer;
create index transactions_maybe_transfers on transactions
    (profile_id, (coalesce(statement_date, original_date, date)) desc, id desc)
    where may_be_transfer and transfer_id is null;
create index transactions_paying_bills on transactions (profile_id, account_id)
    where is_transfer and kind = 'income';
