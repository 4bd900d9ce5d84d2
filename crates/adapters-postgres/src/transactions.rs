//! Transactions. Every statement that writes or removes them is here, and keeps the sums. So what a description says about
//! instalments is read here too, whoever writes it.

mod filters;

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use diesel::dsl::sql;
use diesel::pg::Pg;
use diesel::prelude::*;
use diesel::sql_types::{Array, BigInt, Bool, Date as SqlDate, Nullable, Numeric, SmallInt, Text, Timestamptz};
use diesel::{OptionalExtension, QueryableByName, sql_query};
use filters::{T, filtered};
use finance_domain::imports::base_id;
use finance_domain::text::normalized;
use finance_domain::transactions::{
    DESCRIPTIONS_SEARCHED_MAX, Edit, Kind, NewTransaction, Removed, Source, StatementValues, Tie, Transaction,
    TransactionFilter, TransactionPlace, TransactionRepo, TransactionSummary, UsedDescription,
};
use finance_domain::{
    AccountId, CategoryId, Error, ImportId, Month, ProfileId, Result, TransactionId, TransferId, Word,
};
use time::{Date, OffsetDateTime};

use crate::constraints::error;
use crate::installments::{self, StoredReading, installment, is_card};
use crate::numeric::Hundredths;
use crate::repo::PgRepo;
use crate::schema::transactions;
use crate::statement::{Cache, Rows};
use crate::sums::{self, COUNTS, Change};
use crate::words::StoredWord;

#[derive(Queryable, QueryableByName, Selectable)]
#[diesel(table_name = transactions)]
struct TransactionRow {
    profile_id: i64,
    id: i64,
    kind: StoredWord<Kind>,
    category_id: Option<i64>,
    account_id: Option<i64>,
    date: Date,
    original_date: Option<Date>,
    external_id: Option<String>,
    source: StoredWord<Source>,
    description: String,
    amount: Hundredths,
    transfer_id: Option<i64>,
    import_id: Option<i64>,
    statement_description: Option<String>,
    statement_date: Option<Date>,
    statement_amount: Option<Hundredths>,
    statement_kind: Option<StoredWord<Kind>>,
    statement_account_id: Option<i64>,
    is_transfer: bool,
    is_kept_unlinked: bool,
    installment_number: Option<i16>,
    installment_count: Option<i16>,
    is_recognised: bool,
    created_at: OffsetDateTime,
}

impl From<TransactionRow> for Transaction {
    fn from(row: TransactionRow) -> Self {
        Transaction {
            id: TransactionId(row.id),
            profile_id: ProfileId(row.profile_id),
            kind: row.kind.0,
            category_id: row.category_id.map(CategoryId),
            account_id: row.account_id.map(AccountId),
            date: row.date,
            original_date: row.original_date,
            external_id: row.external_id,
            source: row.source.0,
            description: row.description,
            amount: row.amount.into(),
            transfer_id: row.transfer_id.map(TransferId),
            import_id: row.import_id.map(ImportId),
            statement: StatementValues {
                description: row.statement_description,
                date: row.statement_date,
                amount: row.statement_amount.map(Into::into),
                kind: row.statement_kind.map(|kind| kind.0),
                account_id: row.statement_account_id.map(AccountId),
            },
            is_transfer: row.is_transfer,
            is_kept_unlinked: row.is_kept_unlinked,
            installment: installment(row.installment_number, row.installment_count),
            is_recognised: row.is_recognised,
            created_at: row.created_at,
        }
    }
}

/// The columns that PostgreSQL adds to an inserted row.
#[derive(QueryableByName)]
struct InsertedRow {
    #[diesel(sql_type = BigInt)]
    id: i64,
    #[diesel(sql_type = Timestamptz)]
    created_at: OffsetDateTime,
    #[diesel(sql_type = Nullable<SmallInt>)]
    installment_number: Option<i16>,
    #[diesel(sql_type = Nullable<SmallInt>)]
    installment_count: Option<i16>,
}

/// A description and what it was used with.
#[derive(QueryableByName)]
#[diesel(table_name = transactions)]
struct DescriptionRow {
    description: String,
    kind: StoredWord<Kind>,
    category_id: Option<i64>,
    account_id: Option<i64>,
}

/// How many rows are gone, and which ones were parted from them.
#[derive(QueryableByName)]
struct RemovedRow {
    #[diesel(sql_type = BigInt)]
    removed: i64,
    #[diesel(sql_type = Array<BigInt>)]
    parted: Vec<i64>,
}

/// The columns of an insert, with their types. Each is bound as an array, from $2 on.
const INSERTED: [(&str, &str); 18] = [
    ("kind", "text"),
    ("category_id", "bigint"),
    ("account_id", "bigint"),
    ("date", "date"),
    ("original_date", "date"),
    ("external_id", "text"),
    ("external_id_base", "text"),
    ("source", "text"),
    ("description", "text"),
    ("description_normalized", "text"),
    ("statement_description", "text"),
    ("statement_description_normalized", "text"),
    ("amount", "numeric"),
    ("transfer_id", "bigint"),
    ("import_id", "bigint"),
    ("is_transfer", "boolean"),
    ("is_kept_unlinked", "boolean"),
    ("yield_from", "date"),
];

/// The columns of an insert, and then those of what the descriptions say.
fn all_inserted() -> impl Iterator<Item = (&'static str, &'static str)> {
    INSERTED.into_iter().chain(installments::COLUMNS)
}

/// The names of columns.
fn names(columns: impl Iterator<Item = (&'static str, &'static str)>) -> String {
    columns.map(|(name, _)| name).collect::<Vec<_>>().join(", ")
}

/// The place of a column among those of an insert.
fn inserted_at(column: &str) -> usize {
    INSERTED.iter().position(|(name, _)| *name == column).unwrap_or_default() + 2
}

/// Inserts the rows of `source`, a `select`. Their ids have the order of the rows.
fn inserting(source: &str, rows: Rows) -> String {
    format!(
        "with written as (
            insert into transactions (profile_id, {})
            {source}
            returning id, created_at, installment_number, installment_count, {}
        ) {}
        select id, created_at, installment_number, installment_count from written",
        names(all_inserted()),
        sums::COLUMNS,
        sums::keep(Change::Written(rows))
    )
}

/// Inserts one row. PostgreSQL reuses the plan, because it knows the number of rows. For arrays it estimates ten elements,
/// and plans each execution.
static INSERT_ONE: LazyLock<String> = LazyLock::new(|| {
    let value = |at: usize, of: &str| format!("(${at}::{of}[])[1]");
    let own = INSERTED.iter().enumerate().map(|(at, (_, of))| value(at + 2, of));
    let said = installments::COLUMNS.iter().enumerate();
    let said = said.map(|(at, (_, of))| format!("case when on_card then {} end", value(at + 2 + INSERTED.len(), of)));
    inserting(
        &format!(
            "select $1, {} from (select {} as on_card) as place",
            own.chain(said).collect::<Vec<_>>().join(", "),
            is_card(&value(inserted_at("account_id"), "bigint"))
        ),
        Rows::One,
    )
});

/// Inserts any number of rows.
static INSERT_MANY: LazyLock<String> = LazyLock::new(|| {
    let arrays: Vec<String> = all_inserted().enumerate().map(|(at, (_, of))| format!("${}::{of}[]", at + 2)).collect();
    let own = INSERTED.iter().map(|(name, _)| format!("rows.{name}"));
    let said = installments::COLUMNS.iter().map(|(name, _)| format!("case when on_card then rows.{name} end"));
    inserting(
        &format!(
            "select $1, {}
        from unnest({}) with ordinality as rows ({}, position)
        left join (select id as card_id, true as on_card from accounts where profile_id = $1 and {}) as card
            on card_id = rows.account_id
        order by rows.position",
            own.chain(said).collect::<Vec<_>>().join(", "),
            arrays.join(", "),
            names(all_inserted()),
            installments::KIND_OF_CARD.as_str(),
        ),
        Rows::Many,
    )
});

/// The columns that an update writes, with their types; bound as one array each, from $3 on. $2 is the array of ids.
const UPDATED: [(&str, &str); 19] = [
    ("kind", "text"),
    ("category_id", "bigint"),
    ("account_id", "bigint"),
    ("date", "date"),
    ("original_date", "date"),
    ("external_id", "text"),
    ("external_id_base", "text"),
    ("description", "text"),
    ("description_normalized", "text"),
    ("amount", "numeric"),
    ("is_transfer", "boolean"),
    ("is_kept_unlinked", "boolean"),
    ("statement_description", "text"),
    ("statement_description_normalized", "text"),
    ("statement_date", "date"),
    ("statement_amount", "numeric"),
    ("statement_kind", "text"),
    ("statement_account_id", "bigint"),
    ("is_recognised", "boolean"),
];

/// The columns of an update, and then those of what the descriptions say.
fn all_updated() -> impl Iterator<Item = (&'static str, &'static str)> {
    UPDATED.into_iter().chain(installments::COLUMNS)
}

/// What an update sets each column to: its value, and nothing where a description says something of a row that is not on a
/// card.
fn set_to(name: &str, value: String, account_id: &str) -> String {
    match installments::COLUMNS.iter().any(|(known, _)| *known == name) {
        true => format!("{name} = case when {} then {value} end", is_card(account_id)),
        false => format!("{name} = {value}"),
    }
}

/// Updates the rows that meet the condition `which` on their ids; `update` is what follows `update transactions`.
fn updating(which: &str, update: &str) -> String {
    format!(
        "with removed as (
            select {} from transactions where profile_id = $1 and {which}
        ), written as (
            update transactions {update}
            returning transactions.*
        ) {}
        select * from written",
        sums::COLUMNS,
        sums::keep(Change::Replaced)
    )
}

/// Updates one row. Planned once, as [`INSERT_ONE`] is.
static UPDATE_ONE: LazyLock<String> = LazyLock::new(|| {
    let value = |at: usize, of: &str| format!("(${}::{of}[])[1]", at + 3);
    let account = UPDATED.iter().position(|(name, _)| *name == "account_id").unwrap_or_default();
    let account = value(account, "bigint");
    let values: Vec<String> =
        all_updated().enumerate().map(|(at, (name, of))| set_to(name, value(at, of), &account)).collect();
    let which = "id = ($2::bigint[])[1]";
    updating(which, &format!("set {} where profile_id = $1 and {which}", values.join(", ")))
});

/// Updates any number of rows.
static UPDATE_MANY: LazyLock<String> = LazyLock::new(|| {
    let arrays: Vec<String> = all_updated().enumerate().map(|(at, (_, of))| format!("${}::{of}[]", at + 3)).collect();
    let values = all_updated().map(|(name, _)| set_to(name, format!("given.{name}"), "given.account_id"));
    let update = format!(
        "set {} from unnest($2::bigint[], {}) as given (id, {})
        where transactions.profile_id = $1 and transactions.id = given.id",
        values.collect::<Vec<_>>().join(", "),
        arrays.join(", "),
        names(all_updated())
    );
    updating("id = any($2)", &update)
});

static TIE: LazyLock<String> = LazyLock::new(|| {
    format!(
        "with removed as (
            select {} from transactions where profile_id = $1 and id = any($2)
        ), written as (
            update transactions
            set transfer_id = tie.transfer_id, is_transfer = tie.is_transfer, is_kept_unlinked = tie.is_kept_unlinked
            from unnest($2::bigint[], $3::bigint[], $4::boolean[], $5::boolean[])
                as tie (id, transfer_id, is_transfer, is_kept_unlinked)
            where transactions.profile_id = $1 and transactions.id = tie.id
            returning transactions.*
        ) {}
        select count(*) from written",
        sums::COLUMNS,
        sums::keep(Change::Replaced)
    )
});

/// Which transactions to delete.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Deletion<'a> {
    /// The transactions with these ids.
    Ids(&'a [i64]),
    /// The transactions of a month.
    Month(Month),
    /// The transactions of an import.
    Import(ImportId),
    /// The opening balance of an account.
    OpeningBalance(AccountId),
    /// The legs of transfers that the service made.
    Legs(&'a [i64]),
}

impl Deletion<'_> {
    /// The condition on a transaction, with the parameter $2, and $3 for a range.
    fn condition(self) -> &'static str {
        match self {
            // The plan is reused, as that of [`INSERT_ONE`].
            Deletion::Ids([_]) => "id = ($2::bigint[])[1]",
            Deletion::Ids(_) => "id = any($2)",
            Deletion::Month(_) => "date between $2 and $3",
            Deletion::Import(_) => "import_id = $2",
            Deletion::OpeningBalance(_) => "account_id = $2 and source = $3",
            Deletion::Legs([_]) => "transfer_id = ($2::bigint[])[1] and source = 'transfer'",
            Deletion::Legs(_) => "transfer_id = any($2) and source = 'transfer'",
        }
    }
}

impl PgRepo<'_> {
    /// Inserts transactions in one statement. A yield comes with the first day of the period that it pays.
    pub(crate) fn insert_transactions(
        &mut self,
        new: &[NewTransaction],
        yield_from: Vec<Option<Date>>,
    ) -> Result<Vec<Transaction>> {
        fn column<'a, T>(new: &'a [NewTransaction], value: impl Fn(&'a NewTransaction) -> T) -> Vec<T> {
            new.iter().map(value).collect()
        }
        let statement = match Rows::of(new.len()) {
            Rows::One => &INSERT_ONE,
            Rows::Many => &INSERT_MANY,
        };
        let said: Vec<StoredReading> =
            new.iter().map(|new| StoredReading::of(&new.description, new.statement_description.as_deref())).collect();
        let mut inserted: Vec<InsertedRow> = sql_query(statement.as_str())
            .bind::<BigInt, _>(self.profile_id.0)
            .bind::<Array<Text>, _>(column(new, |new| new.kind.as_str()))
            .bind::<Array<Nullable<BigInt>>, _>(column(new, |new| new.category_id.map(|id| id.0)))
            .bind::<Array<Nullable<BigInt>>, _>(column(new, |new| new.account_id.map(|id| id.0)))
            .bind::<Array<SqlDate>, _>(column(new, |new| new.date))
            .bind::<Array<Nullable<SqlDate>>, _>(column(new, |new| new.original_date))
            .bind::<Array<Nullable<Text>>, _>(column(new, |new| new.external_id.as_deref()))
            .bind::<Array<Nullable<Text>>, _>(column(new, |new| new.external_id.as_deref().map(base_id)))
            .bind::<Array<Text>, _>(column(new, |new| new.source.as_str()))
            .bind::<Array<Text>, _>(column(new, |new| new.description.as_str()))
            .bind::<Array<Text>, _>(column(new, |new| normalized(&new.description)))
            .bind::<Array<Nullable<Text>>, _>(column(new, |new| new.statement_description.as_deref()))
            .bind::<Array<Nullable<Text>>, _>(column(new, |new| new.statement_description.as_deref().map(normalized)))
            .bind::<Array<Numeric>, _>(column(new, |new| Hundredths::from(new.amount)))
            .bind::<Array<Nullable<BigInt>>, _>(column(new, |new| new.transfer_id.map(|id| id.0)))
            .bind::<Array<Nullable<BigInt>>, _>(column(new, |new| new.import_id.map(|id| id.0)))
            .bind::<Array<Bool>, _>(column(new, |new| new.is_transfer))
            .bind::<Array<Bool>, _>(column(new, |new| new.is_kept_unlinked))
            .bind::<Array<Nullable<SqlDate>>, _>(yield_from)
            .bind::<Array<Nullable<SmallInt>>, _>(said.iter().map(|said| said.number).collect::<Vec<_>>())
            .bind::<Array<Nullable<SmallInt>>, _>(said.iter().map(|said| said.count).collect::<Vec<_>>())
            .bind::<Array<Nullable<Text>>, _>(said.iter().map(|said| said.shop.as_deref()).collect::<Vec<_>>())
            .cached()
            .load(self.connection)
            .map_err(error)?;
        if inserted.len() != new.len() {
            return Err(Error::Internal(format!("{} of {} rows inserted", inserted.len(), new.len()).into()));
        }
        inserted.sort_unstable_by_key(|row| row.id);
        Ok(inserted.into_iter().zip(new).map(|(row, new)| stored(self.profile_id, row, new)).collect())
    }

    /// Deletes transactions in one statement, and with them the legs of the service's own on the same transfers. Other legs
    /// stay and are no transfers any more.
    pub(crate) fn delete_transactions(&mut self, deletion: Deletion<'_>) -> Result<Removed> {
        let statement = format!(
            "with named as (
                select id, transfer_id from transactions where profile_id = $1 and {}
            ), others as (
                select leg.id, leg.source
                from named
                join transactions leg on leg.profile_id = $1 and leg.transfer_id = named.transfer_id
                where leg.id not in (select id from named)
            ), gone as (
                delete from transactions
                where profile_id = $1 and id in (select id from named union all select id from others where source = 'transfer')
                returning {columns}
            ), before as (
                select {columns} from transactions
                where profile_id = $1 and id in (select id from others where source <> 'transfer')
            ), written as (
                update transactions set transfer_id = null, is_transfer = false
                where profile_id = $1 and id in (select id from others where source <> 'transfer')
                returning *
            ), removed as (
                select {columns} from gone union all select {columns} from before
            ), ended as (
                delete from transfers where profile_id = $1 and id in (select transfer_id from gone)
            ) {}
            select (select count(*) from gone) as removed, array(select id from written) as parted",
            deletion.condition(),
            sums::keep(Change::Replaced),
            columns = sums::COLUMNS,
        );
        let query = sql_query(statement).into_boxed().bind::<BigInt, _>(self.profile_id.0);
        let query = match deletion {
            Deletion::Ids(ids) | Deletion::Legs(ids) => query.bind::<Array<BigInt>, _>(ids),
            Deletion::Month(month) => query.bind::<SqlDate, _>(month.first_day()).bind::<SqlDate, _>(month.last_day()),
            Deletion::Import(id) => query.bind::<BigInt, _>(id.0),
            Deletion::OpeningBalance(id) => {
                query.bind::<BigInt, _>(id.0).bind::<Text, _>(Source::OpeningBalance.as_str())
            }
        };
        let gone: RemovedRow = query.cached().get_result(self.connection).map_err(error)?;
        let count = u64::try_from(gone.removed).map_err(|error| Error::Internal(Box::new(error)))?;
        let parted: Vec<TransactionId> = gone.parted.into_iter().map(TransactionId).collect();
        let parted = if parted.is_empty() { Vec::new() } else { self.transaction_list_of(&parted)? };
        Ok(Removed { count, parted })
    }

    /// Both legs of a transfer.
    pub(crate) fn transfer_legs(&mut self, id: TransferId) -> Result<Vec<Transaction>> {
        let legs = transactions::table
            .filter(transactions::profile_id.eq(self.profile_id.0))
            .filter(transactions::transfer_id.eq(id.0))
            .select(TransactionRow::as_select());
        Ok(legs.load(self.connection).map_err(error)?.into_iter().map(Transaction::from).collect())
    }
}

impl TransactionRepo for PgRepo<'_> {
    fn transaction_list(
        &mut self,
        filter: &TransactionFilter,
        after: Option<TransactionPlace>,
        limit: u32,
    ) -> Result<Vec<Transaction>> {
        let (date, id) = (T.field(transactions::date), T.field(transactions::id));
        let Some(query) = filtered(self.connection, self.profile_id, filter).map_err(error)? else {
            return Ok(Vec::new());
        };
        let mut query = query.order((date.desc(), id.desc())).limit(i64::from(limit));
        if let Some(after) = after {
            let same_day = date.eq(after.date).and(id.lt(after.id.0));
            query = query.filter(date.le(after.date)).filter(date.lt(after.date).or(same_day));
        }
        let rows: Vec<TransactionRow> = query
            .select(T.fields(<TransactionRow as Selectable<Pg>>::construct_selection()))
            .load(self.connection)
            .map_err(error)?;
        Ok(rows.into_iter().map(Transaction::from).collect())
    }

    fn transaction_summary(&mut self, filter: &TransactionFilter) -> Result<TransactionSummary> {
        let sum = |kind: Kind| {
            let kind = kind.as_str();
            format!("coalesce(sum(t.amount) filter (where t.kind = '{kind}' and {COUNTS}), 0)")
        };
        let sums = format!("count(*), {}, {}", sum(Kind::Income), sum(Kind::Expense));
        let Some(query) = filtered(self.connection, self.profile_id, filter).map_err(error)? else {
            return Ok(TransactionSummary::default());
        };
        let query = query.select(sql::<(BigInt, Numeric, Numeric)>(&sums));
        let (count, income, expenses): (i64, Hundredths, Hundredths) =
            query.get_result(self.connection).map_err(error)?;
        let count = u64::try_from(count).map_err(|error| Error::Internal(Box::new(error)))?;
        Ok(TransactionSummary { count, income: income.into(), expenses: expenses.into() })
    }

    fn transaction_get(&mut self, id: TransactionId) -> Result<Option<Transaction>> {
        let query = transactions::table.find((self.profile_id.0, id.0)).select(TransactionRow::as_select());
        Ok(query.get_result(self.connection).optional().map_err(error)?.map(Transaction::from))
    }

    fn transaction_descriptions(&mut self, part: &str, limit: u32) -> Result<Vec<UsedDescription>> {
        let begins = format!("{}%", filters::literal(part));
        let rows: Vec<DescriptionRow> = sql_query(format!(
            "with recent as (
                select t.date, t.id, t.description, t.description_normalized, t.kind, t.category_id, t.account_id
                from transactions t
                where t.profile_id = $1 and {COUNTS}
                order by t.date desc, t.id desc
                limit $4
            ), latest as (
                -- Compared byte by byte: the order of a language takes several times as long.
                select distinct on (description_normalized collate \"C\") *
                from recent
                where description_normalized like '%' || $2
                order by description_normalized collate \"C\", date desc, id desc
            )
            select description, kind, category_id, account_id
            from latest
            order by description_normalized not like $2, date desc, id desc
            limit $3"
        ))
        .bind::<BigInt, _>(self.profile_id.0)
        .bind::<Text, _>(begins)
        .bind::<BigInt, _>(i64::from(limit))
        .bind::<BigInt, _>(DESCRIPTIONS_SEARCHED_MAX)
        .cached()
        .load(self.connection)
        .map_err(error)?;
        let used = rows.into_iter().map(|row| UsedDescription {
            description: row.description,
            kind: row.kind.0,
            category_id: row.category_id.map(CategoryId),
            account_id: row.account_id.map(AccountId),
        });
        Ok(used.collect())
    }

    fn transaction_insert(&mut self, new: &[NewTransaction]) -> Result<Vec<Transaction>> {
        self.insert_transactions(new, vec![None; new.len()])
    }

    fn transaction_update(&mut self, edits: &[Edit]) -> Result<Vec<Transaction>> {
        fn own<'a, T>(edits: &'a [Edit], value: impl Fn(&'a NewTransaction) -> T) -> Vec<T> {
            edits.iter().map(|edit| value(edit.new_values())).collect()
        }
        fn stated<'a, T>(edits: &'a [Edit], value: impl Fn(&'a StatementValues) -> T) -> Vec<T> {
            edits.iter().map(|edit| value(edit.statement())).collect()
        }
        let statement = if edits.len() == 1 { &UPDATE_ONE } else { &UPDATE_MANY };
        let said: Vec<StoredReading> = edits
            .iter()
            .map(|edit| StoredReading::of(&edit.new_values().description, edit.statement().description.as_deref()))
            .collect();
        let rows: Vec<TransactionRow> = sql_query(statement.as_str())
            .bind::<BigInt, _>(self.profile_id.0)
            .bind::<Array<BigInt>, _>(edits.iter().map(|edit| edit.id().0).collect::<Vec<_>>())
            .bind::<Array<Text>, _>(own(edits, |new| new.kind.as_str()))
            .bind::<Array<Nullable<BigInt>>, _>(own(edits, |new| new.category_id.map(|id| id.0)))
            .bind::<Array<Nullable<BigInt>>, _>(own(edits, |new| new.account_id.map(|id| id.0)))
            .bind::<Array<SqlDate>, _>(own(edits, |new| new.date))
            .bind::<Array<Nullable<SqlDate>>, _>(own(edits, |new| new.original_date))
            .bind::<Array<Nullable<Text>>, _>(own(edits, |new| new.external_id.as_deref()))
            .bind::<Array<Nullable<Text>>, _>(own(edits, |new| new.external_id.as_deref().map(base_id)))
            .bind::<Array<Text>, _>(own(edits, |new| new.description.as_str()))
            .bind::<Array<Text>, _>(own(edits, |new| normalized(&new.description)))
            .bind::<Array<Numeric>, _>(own(edits, |new| Hundredths::from(new.amount)))
            .bind::<Array<Bool>, _>(own(edits, |new| new.is_transfer))
            .bind::<Array<Bool>, _>(own(edits, |new| new.is_kept_unlinked))
            .bind::<Array<Nullable<Text>>, _>(stated(edits, |stated| stated.description.as_deref()))
            .bind::<Array<Nullable<Text>>, _>(stated(edits, |stated| stated.description.as_deref().map(normalized)))
            .bind::<Array<Nullable<SqlDate>>, _>(stated(edits, |stated| stated.date))
            .bind::<Array<Nullable<Numeric>>, _>(stated(edits, |stated| stated.amount.map(Hundredths::from)))
            .bind::<Array<Nullable<Text>>, _>(stated(edits, |stated| stated.kind.map(|kind| kind.as_str())))
            .bind::<Array<Nullable<BigInt>>, _>(stated(edits, |stated| stated.account_id.map(|id| id.0)))
            .bind::<Array<Bool>, _>(edits.iter().map(Edit::is_recognised).collect::<Vec<_>>())
            .bind::<Array<Nullable<SmallInt>>, _>(said.iter().map(|said| said.number).collect::<Vec<_>>())
            .bind::<Array<Nullable<SmallInt>>, _>(said.iter().map(|said| said.count).collect::<Vec<_>>())
            .bind::<Array<Nullable<Text>>, _>(said.iter().map(|said| said.shop.as_deref()).collect::<Vec<_>>())
            .cached()
            .load(self.connection)
            .map_err(error)?;
        let places: HashMap<i64, usize> = edits.iter().enumerate().map(|(at, edit)| (edit.id().0, at)).collect();
        let mut updated: Vec<Transaction> = rows.into_iter().map(Transaction::from).collect();
        updated.sort_unstable_by_key(|updated| places.get(&updated.id.0));
        Ok(updated)
    }

    fn transaction_delete(&mut self, ids: &HashSet<TransactionId>) -> Result<Removed> {
        let ids: Vec<i64> = ids.iter().map(|id| id.0).collect();
        self.delete_transactions(Deletion::Ids(&ids))
    }

    fn transaction_delete_month(&mut self, month: Month) -> Result<Removed> {
        self.delete_transactions(Deletion::Month(month))
    }

    fn transaction_tie(&mut self, ties: &[Tie]) -> Result<()> {
        fn column<T>(ties: &[Tie], value: impl Fn(&Tie) -> T) -> Vec<T> {
            ties.iter().map(value).collect()
        }
        if ties.is_empty() {
            return Ok(());
        }
        sql_query(TIE.as_str())
            .bind::<BigInt, _>(self.profile_id.0)
            .bind::<Array<BigInt>, _>(column(ties, |tie| tie.id.0))
            .bind::<Array<Nullable<BigInt>>, _>(column(ties, |tie| tie.transfer_id.map(|id| id.0)))
            .bind::<Array<Bool>, _>(column(ties, |tie| tie.is_transfer))
            .bind::<Array<Bool>, _>(column(ties, |tie| tie.is_kept_unlinked))
            .cached()
            .execute(self.connection)
            .map_err(error)?;
        Ok(())
    }

    fn transaction_list_of(&mut self, ids: &[TransactionId]) -> Result<Vec<Transaction>> {
        let ids: Vec<i64> = ids.iter().map(|id| id.0).collect();
        let query = transactions::table
            .filter(transactions::profile_id.eq(self.profile_id.0))
            .filter(transactions::id.eq_any(ids))
            .order(transactions::id)
            .select(TransactionRow::as_select());
        Ok(query.load(self.connection).map_err(error)?.into_iter().map(Transaction::from).collect())
    }
}

/// A stored transaction, from what was sent and the columns that PostgreSQL added, so that no value is sent back.
fn stored(profile_id: ProfileId, row: InsertedRow, new: &NewTransaction) -> Transaction {
    let new = new.clone();
    Transaction {
        id: TransactionId(row.id),
        profile_id,
        kind: new.kind,
        category_id: new.category_id,
        account_id: new.account_id,
        date: new.date,
        original_date: new.original_date,
        external_id: new.external_id,
        source: new.source,
        description: new.description,
        amount: new.amount,
        transfer_id: new.transfer_id,
        import_id: new.import_id,
        statement: StatementValues { description: new.statement_description, ..StatementValues::default() },
        is_transfer: new.is_transfer,
        is_kept_unlinked: new.is_kept_unlinked,
        installment: installment(row.installment_number, row.installment_count),
        is_recognised: false,
        created_at: row.created_at,
    }
}
