//! Transactions.

use std::collections::HashSet;

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
use crate::words::StoredWord;

#[derive(Queryable, Selectable)]
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
        // The order of the rows is the order of their ids.
        let mut inserted: Vec<InsertedRow> = sql_query(
            "insert into transactions (profile_id, kind, category_id, account_id, date, original_date, external_id,
                external_id_base, source, description, description_normalized, amount, transfer_id, import_id, yield_from)
            select $1, kind, category_id, account_id, date, original_date, external_id,
                external_id_base, source, description, description_normalized, amount, transfer_id, import_id, yield_from
            from unnest($2::text[], $3::bigint[], $4::bigint[], $5::date[], $6::date[], $7::text[], $8::text[], $9::text[],
                $10::text[], $11::text[], $12::numeric[], $13::bigint[], $14::bigint[], $15::date[]) with ordinality as rows
                (kind, category_id, account_id, date, original_date, external_id,
                external_id_base, source, description, description_normalized, amount, transfer_id, import_id, yield_from,
                position)
            order by position
            returning id, created_at",
        )
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

    /// Both legs of a transfer.
    pub(crate) fn transfer_legs(&mut self, id: TransferId) -> Result<Vec<Transaction>> {
        let legs = transactions::table
            .filter(transactions::profile_id.eq(self.profile_id.0))
            .filter(transactions::transfer_id.eq(id.0))
            .select(TransactionRow::as_select());
        Ok(legs.load(self.connection).map_err(error)?.into_iter().map(Transaction::from).collect())
    }

    /// Deletes transfers with their legs.
    pub(crate) fn delete_transfers(&mut self, ids: &[i64]) -> Result<()> {
        let legs: Vec<i64> = transactions::table
            .filter(transactions::profile_id.eq(self.profile_id.0))
            .filter(transactions::transfer_id.eq_any(ids))
            .select(transactions::id)
            .load(self.connection)
            .map_err(error)?;
        self.transaction_delete(&legs.into_iter().map(TransactionId).collect())?;
        Ok(())
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
        diesel::update(transactions::table.find((self.profile_id.0, id.0)))
            .set((
                transactions::kind.eq(new.kind.as_str()),
                transactions::category_id.eq(new.category_id.map(|id| id.0)),
                transactions::account_id.eq(new.account_id.map(|id| id.0)),
                transactions::date.eq(new.date),
                transactions::external_id.eq(new.external_id.as_deref()),
                transactions::external_id_base.eq(new.external_id.as_deref().map(base_id)),
                transactions::description.eq(&new.description),
                transactions::description_normalized.eq(normalized(&new.description)),
                transactions::amount.eq(Hundredths::from(new.amount)),
            ))
            .returning(TransactionRow::as_returning())
            .get_result(self.connection)
            .map(Transaction::from)
            .optional()
            .map_err(error)
    }

    fn transaction_delete(&mut self, ids: &HashSet<TransactionId>) -> Result<u64> {
        let ids: Vec<i64> = ids.iter().map(|id| id.0).collect();
        let row: CountRow = sql_query(
            "with named as (
                select id, transfer_id from transactions where profile_id = $1 and id = any($2)
            ), doomed as (
                select id from named
                union
                select leg.id from named
                join transactions leg on leg.profile_id = $1 and leg.transfer_id = named.transfer_id
            ), gone as (
                delete from transactions
                where profile_id = $1 and id in (select id from doomed)
                returning transfer_id
            ), ended as (
                delete from transfers where profile_id = $1 and id in (select transfer_id from gone)
            )
            select count(*) as count from gone",
        )
        .bind::<BigInt, _>(self.profile_id.0)
        .bind::<Array<BigInt>, _>(ids)
        .kept()
        .get_result(self.connection)
        .map_err(error)?;
        Ok(u64::try_from(row.count).unwrap_or(0))
    }

    fn transaction_delete_month(&mut self, month: Month) -> Result<u64> {
        let ids: Vec<i64> = transactions::table
            .filter(transactions::profile_id.eq(self.profile_id.0))
            .filter(transactions::date.between(month.first_day(), month.last_day()))
            .select(transactions::id)
            .load(self.connection)
            .map_err(error)?;
        self.transaction_delete(&ids.into_iter().map(TransactionId).collect())
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
