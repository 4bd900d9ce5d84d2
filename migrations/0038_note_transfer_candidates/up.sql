-- Whether a row has or had another that may be the other side of a transfer: equal amount, other type, other account, a few
-- days away. Both rows of such a pair are marked, once the later one was sought for. Null while a row was edited since.
-- So whoever looks for transfers reads the marked rows only, however long the history is.
alter table transactions add column may_be_transfer boolean default false;
create index transactions_maybe_transfers on transactions
    (profile_id, (coalesce(statement_date, original_date, date)) desc, id desc) where may_be_transfer and transfer_id is null;
create index transactions_edited_unsought on transactions (profile_id) where may_be_transfer is null;

-- The last transaction that was sought for.
alter table profiles add column transfers_sought_until bigint not null default 0;
