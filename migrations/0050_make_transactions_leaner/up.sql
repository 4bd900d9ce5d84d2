-- The table of transactions, written anew: the same rows and rules in two thirds of the bytes (docs/performance.md, "Bytes a
-- row"). Columns of a fixed width come first, so nothing is lost between them. What is said of a single column is a rule of its type: PostgreSQL
-- reads the text of a table's checks in every statement that writes a row, and those of a type once a connection.
create domain transaction_kind as text
    constraint transaction_kind_known check (value in ('income', 'expense'));
create domain transaction_source as text
    constraint transaction_source_known
        check (value in ('manual', 'ofx', 'csv', 'yield', 'transfer', 'opening_balance', 'installment'));
create domain transaction_amount as numeric(12, 2)
    constraint transaction_amount_positive check (value > 0);
create domain transaction_text as text
    constraint transaction_text_length check (char_length(value) between 1 and 255);
create domain transaction_note as text
    constraint transaction_note_length check (char_length(value) between 1 and 1000);
create domain installment_number as smallint
    constraint installment_number_range check (value >= 1);
create domain installment_count as smallint
    constraint installment_count_range check (value between 2 and 99);
create domain transaction_tags as text[]
    constraint transaction_tags_count check (cardinality(value) between 1 and 10 and array_position(value, null) is null)
    constraint transaction_tags_length check (char_length(array_to_string(value, '')) <= 300);

alter table transactions rename to transactions_former;
alter sequence transactions_id_seq rename to transactions_former_id_seq;
create table transactions (
    profile_id bigint not null,
    id bigint not null generated always as identity,
    account_id bigint,
    category_id bigint,
    import_id bigint,
    created_by bigint,
    created_at timestamptz not null default now(),
    transfer_id bigint,
    statement_account_id bigint,
    date date not null,
    original_date date,
    yield_from date,
    statement_date date,
    -- Of the date: rows of one category and month are one entry of an index.
    first_of_month date not null generated always as (date_trunc('month', date::timestamp)::date) stored,
    -- Of the statement's description: short enough for an index that finds the last row of each.
    description_key integer not null generated always as (
        hashtext(case when statement_description_normalized is null then description_normalized
            else statement_description_normalized end)
    ) stored,
    installment_number installment_number,
    installment_count installment_count,
    is_transfer boolean not null default false,
    is_kept_unlinked boolean not null default false,
    is_recognised boolean not null default false,
    is_split boolean not null default false,
    may_be_transfer boolean default false,
    kind transaction_kind not null,
    source transaction_source not null,
    amount transaction_amount not null,
    external_id transaction_text,
    -- Where it is not the external id itself.
    external_id_base text,
    description transaction_text not null,
    description_normalized text not null,
    installment_shop text,
    statement_kind transaction_kind,
    statement_amount transaction_amount,
    statement_description transaction_text,
    statement_description_normalized text,
    note transaction_note,
    note_normalized text,
    tags transaction_tags,
    tag_keys text[]
);

alter table transactions_former no force row level security;
insert into transactions (
    profile_id, id, account_id, category_id, import_id, created_by, created_at, transfer_id, statement_account_id, date,
    original_date, yield_from, statement_date, installment_number, installment_count, is_transfer, is_kept_unlinked,
    is_recognised, is_split, may_be_transfer, kind, source, amount, external_id, external_id_base, description,
    description_normalized, installment_shop, statement_kind, statement_amount, statement_description,
    statement_description_normalized, note, note_normalized, tags, tag_keys)
overriding system value
select
    profile_id, id, account_id, category_id, import_id, created_by, created_at, transfer_id, statement_account_id, date,
    original_date, yield_from, statement_date, installment_number, installment_count, is_transfer, is_kept_unlinked,
    is_recognised, is_split, may_be_transfer, kind, source, amount, external_id, nullif(external_id_base, external_id),
    description, description_normalized, installment_shop, statement_kind, statement_amount, statement_description,
    statement_description_normalized, note, note_normalized, tags, tag_keys
from transactions_former
order by profile_id, id;
select setval('transactions_id_seq', last_value, is_called) from transactions_former_id_seq;

-- Whoever owned the table and was granted it still does and is.
do $$
declare
    made record;
begin
    for made in
        select format('alter table transactions owner to %I', pg_get_userbyid(relowner)) as statement
        from pg_class where oid = 'transactions_former'::regclass
        union all
        select format('grant %s on transactions to %s', privilege_type,
            case grantee when 0 then 'public' else quote_ident(pg_get_userbyid(grantee)) end)
        from pg_class cross join lateral aclexplode(relacl)
        where pg_class.oid = 'transactions_former'::regclass and grantee <> relowner
    loop
        execute made.statement;
    end loop;
end
$$;
-- Foreign keys that name it; they are made again below.
alter table credit_bill_payments drop constraint credit_bill_payments_transaction_fkey;
alter table recurring_marks drop constraint recurring_marks_transaction_fkey;
alter table rejected_transfers
    drop constraint rejected_transfers_from_fkey,
    drop constraint rejected_transfers_to_fkey;
alter table transaction_lines drop constraint transaction_lines_transaction_fkey;
drop table transactions_former;

alter table transactions
    add constraint transactions_pkey primary key (profile_id, id),
    add constraint transactions_source_fits check (
        case source
            when 'yield' then account_id is not null and not is_transfer and yield_from is not null
            when 'opening_balance' then account_id is not null and not is_transfer and yield_from is null
            when 'transfer' then account_id is not null and transfer_id is not null and yield_from is null
            else yield_from is null
        end
    ),
    add constraint transactions_transfer_sides check (
        case when is_transfer then account_id is not null else transfer_id is null end
    ),
    add constraint transactions_split_plain check (not is_split or category_id is null and not is_transfer),
    add constraint transactions_installment_whole
        check (num_nulls(installment_number, installment_count, installment_shop) in (0, 3)),
    add constraint transactions_installment_range check (installment_number <= installment_count),
    add constraint transactions_statement_descriptions_normalized
        check ((statement_description is null) = (statement_description_normalized is null)),
    add constraint transactions_tags_compared
        check (coalesce(cardinality(tags), 0) = coalesce(cardinality(tag_keys), 0));

create index transactions_by_date on transactions (profile_id, date desc, id desc);
create index transactions_by_account on transactions (profile_id, account_id, date desc, id desc);
create index transactions_by_category on transactions (profile_id, category_id, first_of_month);
-- Not of filed rows alone: where statistics are of a time before rows were filed, PostgreSQL takes any index of filed rows to
-- be as good, and reads the whole history for each description.
create index transactions_by_description on transactions (profile_id, description_key, date) where not is_transfer;
create unique index transactions_external_id_key on transactions (profile_id, external_id, account_id)
    nulls not distinct where external_id is not null;
create index transactions_by_external_id_base on transactions (profile_id, external_id_base)
    where external_id_base is not null;
create index transactions_by_import on transactions (profile_id, import_id) where import_id is not null;
create index transactions_by_transfer on transactions (profile_id, transfer_id) where transfer_id is not null;
create index transactions_by_original_date on transactions (profile_id, original_date) where original_date is not null;
create index transactions_by_statement_date on transactions (profile_id, statement_date)
    where statement_date is not null;
create index transactions_by_statement_account on transactions (profile_id, statement_account_id)
    where statement_account_id is not null;
create index transactions_edited_unsought on transactions (profile_id) where may_be_transfer is null;
-- Not a coalesce(), which is not looked up in an index under row-level security.
create index transactions_maybe_transfers on transactions
    (profile_id, (case when statement_date is not null then statement_date
        when original_date is not null then original_date else date end) desc, id desc)
    where may_be_transfer and transfer_id is null;
create index transactions_paying_bills on transactions (profile_id, account_id)
    where is_transfer and kind = 'income';
create index transactions_installments on transactions (profile_id, account_id, installment_shop, installment_count)
    where installment_count is not null;
create index transactions_installments_by_date on transactions (profile_id, account_id, date)
    where installment_number is not null;
create index transactions_split on transactions (profile_id, date desc, id desc) where is_split;
create index transactions_tagged on transactions (profile_id, date desc, id desc) where tags is not null;
create unique index transactions_yield_from_key on transactions (profile_id, account_id, yield_from)
    where yield_from is not null;

-- A foreign key is checked by a query of the owner, from whom policies hide what it refers to.
alter table profiles no force row level security;
alter table accounts no force row level security;
alter table categories no force row level security;
alter table imports no force row level security;
alter table transfers no force row level security;
alter table transactions
    add constraint transactions_profile_fkey foreign key (profile_id) references profiles (id) on delete cascade,
    add constraint transactions_account_fkey foreign key (profile_id, account_id) references accounts (profile_id, id),
    add constraint transactions_category_fkey foreign key (profile_id, category_id)
        references categories (profile_id, id),
    add constraint transactions_import_fkey foreign key (profile_id, import_id) references imports (profile_id, id),
    add constraint transactions_transfer_fkey foreign key (profile_id, transfer_id)
        references transfers (profile_id, id),
    add constraint transactions_statement_account_fkey foreign key (profile_id, statement_account_id)
        references accounts (profile_id, id) on delete set null (statement_account_id);
alter table credit_bill_payments add constraint credit_bill_payments_transaction_fkey
    foreign key (profile_id, transaction_id) references transactions (profile_id, id) on delete cascade;
alter table recurring_marks add constraint recurring_marks_transaction_fkey
    foreign key (profile_id, transaction_id) references transactions (profile_id, id) on delete cascade;
alter table rejected_transfers
    add constraint rejected_transfers_from_fkey
        foreign key (profile_id, from_id) references transactions (profile_id, id) on delete cascade,
    add constraint rejected_transfers_to_fkey
        foreign key (profile_id, to_id) references transactions (profile_id, id) on delete cascade;
alter table transaction_lines add constraint transaction_lines_transaction_fkey
    foreign key (profile_id, transaction_id) references transactions (profile_id, id) on delete cascade;

alter table profiles force row level security;
alter table accounts force row level security;
alter table categories force row level security;
alter table imports force row level security;
alter table transfers force row level security;

alter table transactions enable row level security;
alter table transactions force row level security;
create policy transactions_isolation on transactions using (profile_id = current_profile_id());
