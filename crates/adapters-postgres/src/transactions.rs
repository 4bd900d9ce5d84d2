//! Transactions. Whatever writes or removes any does it here, in statements that keep the sums.

use std::collections::HashSet;
use std::sync::LazyLock;

use diesel::prelude::*;
use diesel::sql_types::{Array, BigInt, Date as SqlDate, Nullable, Numeric, Text, Timestamptz};
use diesel::{OptionalExtension, QueryableByName, sql_query};
use finance_domain::imports::base_id;
use finance_domain::text::normalized;
use finance_domain::transactions::{Kind, NewTransaction, Source, Transaction, TransactionFilter, TransactionRepo};
use finance_domain::{
    AccountId, CategoryId, Error, ImportId, Month, ProfileId, Result, TransactionId, TransferId, Word,
};
use time::{Date, OffsetDateTime};

use crate::constraints::error;
use crate::numeric::Hundredths;
use crate::repo::PgRepo;
use crate::schema::transactions;
use crate::statement::Keep;
use crate::sums::{self, Change};
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
            created_at: row.created_at,
        }
    }
}

/// What PostgreSQL adds to an inserted row.
#[derive(QueryableByName)]
struct InsertedRow {
    #[diesel(sql_type = BigInt)]
    id: i64,
    #[diesel(sql_type = Timestamptz)]
    created_at: OffsetDateTime,
}

/// How many rows a statement touched, and nothing else.
#[derive(QueryableByName)]
struct CountRow {
    #[diesel(sql_type = BigInt)]
    count: i64,
}

/// The columns that an insert fills, with their types; bound as one array each, from $2 on.
const INSERTED: [(&str, &str); 14] = [
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
    ("amount", "numeric"),
    ("transfer_id", "bigint"),
    ("import_id", "bigint"),
    ("yield_from", "date"),
];

/// Inserts what `source`, a `select`, tells of a profile and the columns; the order of the rows is that of their ids.
fn inserting(source: &str) -> String {
    format!(
        "with written as (
            insert into transactions (profile_id, {})
            {source}
            returning id, created_at, {}
        ) {}
        select id, created_at from written",
        INSERTED.map(|(name, _)| name).join(", "),
        sums::COLUMNS,
        sums::keep(Change::Written)
    )
}

/// Inserts one row. PostgreSQL plans once for all of them, as it knows that it is one; of arrays it would guess that they
/// have ten elements, and find that planning anew for each is cheaper.
static INSERT_ONE: LazyLock<String> = LazyLock::new(|| {
    let values: Vec<String> =
        INSERTED.iter().enumerate().map(|(at, (_, of))| format!("(${}::{of}[])[1]", at + 2)).collect();
    inserting(&format!("values ($1, {})", values.join(", ")))
});

/// Inserts any number of rows.
static INSERT_MANY: LazyLock<String> = LazyLock::new(|| {
    let arrays: Vec<String> = INSERTED.iter().enumerate().map(|(at, (_, of))| format!("${}::{of}[]", at + 2)).collect();
    let names = INSERTED.map(|(name, _)| name).join(", ");
    inserting(&format!(
        "select $1, {names} from unnest({}) with ordinality as rows ({names}, position) order by position",
        arrays.join(", ")
    ))
});

static UPDATE: LazyLock<String> = LazyLock::new(|| {
    format!(
        "with removed as (
            select {} from transactions where profile_id = $1 and id = $2
        ), written as (
            update transactions
            set kind = $3, category_id = $4, account_id = $5, date = $6, external_id = $7, external_id_base = $8,
                description = $9, description_normalized = $10, amount = $11
            where profile_id = $1 and id = $2
            returning *
        ) {}
        select * from written",
        sums::COLUMNS,
        sums::keep(Change::Replaced)
    )
});

/// Which transactions to delete.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Doomed<'a> {
    /// Those of the ids.
    Ids(&'a [i64]),
    /// Those of the month.
    Month(Month),
    /// Those that an import brought.
    Import(ImportId),
    /// What an account held when it was created.
    OpeningBalance(AccountId),
    /// The legs of transfers.
    Legs(&'a [i64]),
}

impl Doomed<'_> {
    /// The condition on a transaction; what it is compared with is $2, and for a range $3.
    fn condition(self) -> &'static str {
        match self {
            // Planned once, as [`INSERT_ONE`] is.
            Doomed::Ids([_]) => "id = ($2::bigint[])[1]",
            Doomed::Ids(_) => "id = any($2)",
            Doomed::Month(_) => "date between $2 and $3",
            Doomed::Import(_) => "import_id = $2",
            Doomed::OpeningBalance(_) => "account_id = $2 and source = $3",
            Doomed::Legs([_]) => "transfer_id = ($2::bigint[])[1]",
            Doomed::Legs(_) => "transfer_id = any($2)",
        }
    }
}

impl PgRepo<'_> {
    /// Inserts transactions in one statement, each with the first day of the period it pays where it is a yield.
    pub(crate) fn insert_transactions(
        &mut self,
        new: &[NewTransaction],
        yield_from: Vec<Option<Date>>,
    ) -> Result<Vec<Transaction>> {
        fn column<'a, T>(new: &'a [NewTransaction], value: impl Fn(&'a NewTransaction) -> T) -> Vec<T> {
            new.iter().map(value).collect()
        }
        let statement = if new.len() == 1 { &INSERT_ONE } else { &INSERT_MANY };
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
            .bind::<Array<Numeric>, _>(column(new, |new| Hundredths::from(new.amount)))
            .bind::<Array<Nullable<BigInt>>, _>(column(new, |new| new.transfer_id.map(|id| id.0)))
            .bind::<Array<Nullable<BigInt>>, _>(column(new, |new| new.import_id.map(|id| id.0)))
            .bind::<Array<Nullable<SqlDate>>, _>(yield_from)
            .kept()
            .load(self.connection)
            .map_err(error)?;
        if inserted.len() != new.len() {
            return Err(Error::Internal(format!("{} of {} rows inserted", inserted.len(), new.len()).into()));
        }
        inserted.sort_unstable_by_key(|row| row.id);
        Ok(inserted.into_iter().zip(new).map(|(row, new)| stored(self.profile_id, row, new)).collect())
    }

    /// Deletes transactions in one statement, and with a leg the whole transfer; tells how many are gone.
    pub(crate) fn delete_transactions(&mut self, doomed: Doomed<'_>) -> Result<u64> {
        let statement = format!(
            "with named as (
                select id, transfer_id from transactions where profile_id = $1 and {}
            ), doomed as (
                select id from named
                union
                select leg.id from named
                join transactions leg on leg.profile_id = $1 and leg.transfer_id = named.transfer_id
            ), removed as (
                delete from transactions
                where profile_id = $1 and id in (select id from doomed)
                returning transfer_id, {}
            ), ended as (
                delete from transfers where profile_id = $1 and id in (select transfer_id from removed)
            ) {}
            select count(*) as count from removed",
            doomed.condition(),
            sums::COLUMNS,
            sums::keep(Change::Removed)
        );
        let query = sql_query(statement).into_boxed().bind::<BigInt, _>(self.profile_id.0);
        let query = match doomed {
            Doomed::Ids(ids) | Doomed::Legs(ids) => query.bind::<Array<BigInt>, _>(ids),
            Doomed::Month(month) => query.bind::<SqlDate, _>(month.first_day()).bind::<SqlDate, _>(month.last_day()),
            Doomed::Import(id) => query.bind::<BigInt, _>(id.0),
            Doomed::OpeningBalance(id) => {
                query.bind::<BigInt, _>(id.0).bind::<Text, _>(Source::OpeningBalance.as_str())
            }
        };
        let gone: CountRow = query.kept().get_result(self.connection).map_err(error)?;
        u64::try_from(gone.count).map_err(|error| Error::Internal(Box::new(error)))
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
    fn transaction_list(&mut self, filter: &TransactionFilter) -> Result<Vec<Transaction>> {
        let mut query = transactions::table
            .filter(transactions::profile_id.eq(self.profile_id.0))
            .order((transactions::date.desc(), transactions::id.desc()))
            .limit(i64::from(filter.limit))
            .select(TransactionRow::as_select())
            .into_boxed();
        if let Some(month) = filter.month {
            query = query.filter(transactions::date.between(month.first_day(), month.last_day()));
        }
        if let Some(AccountId(account_id)) = filter.account_id {
            query = query.filter(transactions::account_id.eq(account_id));
        }
        if let Some(CategoryId(category_id)) = filter.category_id {
            query = query.filter(transactions::category_id.eq(category_id));
        }
        if let Some(kind) = filter.kind {
            query = query.filter(transactions::kind.eq(kind.as_str()));
        }
        if let Some(part) = &filter.description_part {
            let pattern = format!("%{}%", part.replace('\\', "\\\\").replace('%', "\\%").replace('_', "\\_"));
            query = query.filter(transactions::description_normalized.like(pattern));
        }
        if let Some(after) = filter.after {
            let same_day = transactions::date.eq(after.date).and(transactions::id.lt(after.id.0));
            query =
                query.filter(transactions::date.le(after.date)).filter(transactions::date.lt(after.date).or(same_day));
        }
        Ok(query.load(self.connection).map_err(error)?.into_iter().map(Transaction::from).collect())
    }

    fn transaction_get(&mut self, id: TransactionId) -> Result<Option<Transaction>> {
        let query = transactions::table.find((self.profile_id.0, id.0)).select(TransactionRow::as_select());
        Ok(query.get_result(self.connection).optional().map_err(error)?.map(Transaction::from))
    }

    fn transaction_insert(&mut self, new: &[NewTransaction]) -> Result<Vec<Transaction>> {
        self.insert_transactions(new, vec![None; new.len()])
    }

    fn transaction_update(&mut self, id: TransactionId, new: &NewTransaction) -> Result<Option<Transaction>> {
        let row: Option<TransactionRow> = sql_query(UPDATE.as_str())
            .bind::<BigInt, _>(self.profile_id.0)
            .bind::<BigInt, _>(id.0)
            .bind::<Text, _>(new.kind.as_str())
            .bind::<Nullable<BigInt>, _>(new.category_id.map(|id| id.0))
            .bind::<Nullable<BigInt>, _>(new.account_id.map(|id| id.0))
            .bind::<SqlDate, _>(new.date)
            .bind::<Nullable<Text>, _>(new.external_id.as_deref())
            .bind::<Nullable<Text>, _>(new.external_id.as_deref().map(base_id))
            .bind::<Text, _>(&new.description)
            .bind::<Text, _>(normalized(&new.description))
            .bind::<Numeric, _>(Hundredths::from(new.amount))
            .kept()
            .get_result(self.connection)
            .optional()
            .map_err(error)?;
        Ok(row.map(Transaction::from))
    }

    fn transaction_delete(&mut self, ids: &HashSet<TransactionId>) -> Result<u64> {
        let ids: Vec<i64> = ids.iter().map(|id| id.0).collect();
        self.delete_transactions(Doomed::Ids(&ids))
    }

    fn transaction_delete_month(&mut self, month: Month) -> Result<u64> {
        self.delete_transactions(Doomed::Month(month))
    }
}

/// A stored transaction from what was sent and what PostgreSQL added, so that no row travels twice.
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
        created_at: row.created_at,
    }
}
