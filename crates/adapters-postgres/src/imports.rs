//! Imports: the stored rows that a statement is compared with, and the log.

use const_format::formatcp;
use diesel::QueryableByName;
use diesel::prelude::*;
use diesel::query_builder::SqlQuery;
use diesel::sql_types::{Array, BigInt, Bool, Date as SqlDate, Integer, Nullable, Numeric, Text, Timestamptz};
use finance_domain::imports::{
    Comparison, Content, Import, ImportRepo, NewImport, REPEATS_MAX, StatementFormat, Stored, base_id,
};
use finance_domain::pending_bills::PendingBillStatus;
use finance_domain::transactions::{BeforeStatement, Kind, Removed, Source};
use finance_domain::{AccountId, ImportId, ProfileId, Result, TransactionId};
use time::{Date, OffsetDateTime};

use crate::constraints::error;
use crate::numeric::Hundredths;
use crate::repo::{PgRepo, counted};
use crate::row::row;
use crate::schema::imports;
use crate::sql::{Arguments, Binding, Fetch, with_args};
use crate::transactions::Deletion;
use crate::words::StoredWord;

/// The value of `transactions.external_id_base` for an external id: its base, or none if the base is the id itself.
pub(crate) fn other_base(external_id: &str) -> Option<&str> {
    Some(base_id(external_id)).filter(|base| *base != external_id)
}

row! { struct StoredRow {
    id: Option<i64> [Nullable<BigInt>],
    date: Date [SqlDate],
    kind: StoredWord<Kind> [Text],
    amount: Hundredths [Numeric],
    description: String [Text],
    external_id: Option<String> [Nullable<Text>],
    is_entered: bool [Bool],
} }

fn count(rows: usize) -> i32 {
    i32::try_from(rows).unwrap_or(i32::MAX)
}

row! { struct ImportRow {
    id: i64 [BigInt],
    file_name: Option<String> [Nullable<Text>],
    format: StoredWord<StatementFormat> [Text],
    account_id: Option<i64> [Nullable<BigInt>],
    account_ids: Vec<i64> [Array<BigInt>],
    inserted: i32 [Integer],
    skipped: i32 [Integer],
    created_at: OffsetDateTime [Timestamptz],
} }

impl From<ImportRow> for Import {
    fn from(row: ImportRow) -> Self {
        let count = |rows| usize::try_from(rows).unwrap_or(0);
        Import {
            id: ImportId(row.id),
            file_name: row.file_name,
            format: row.format.0,
            account_id: row.account_id.map(AccountId),
            account_ids: row.account_ids.into_iter().map(AccountId).collect(),
            inserted: count(row.inserted),
            skipped: count(row.skipped),
            created_at: row.created_at,
        }
    }
}

/// Condition: the row `held` of the statement `bill` is of a comparison, whose account, first and last day, amounts and base ids are
/// $2 to $6. $7 is the status of statements that are held.
pub(crate) const HELD_COMPARED: &str = "bill.status = $7 and not held.is_repeated
    and ($2 is null or bill.account_id = $2 or bill.account_id is null)
    and (held.date between $3 and $4 and held.amount = any($5) or held.external_id_base = any($6))";

/// A query with its parameters $1 to $7: the profile, and those of [`HELD_COMPARED`]. None if nothing is compared.
pub(crate) fn compared<'a>(
    query: &'static str,
    profile_id: ProfileId,
    comparison: &'a Comparison,
) -> Option<Binding<'a, SqlQuery>> {
    let (first, last) = comparison.first.zip(comparison.last)?;
    let amounts: Vec<Hundredths> = comparison.amounts.iter().map(|amount| Hundredths::from(*amount)).collect();
    let query = with_args(query)
        .arg(profile_id.0)
        .arg(comparison.account_id.map(|id| id.0))
        .arg(first)
        .arg(last)
        .arg(amounts)
        .arg(&comparison.base_ids)
        .arg(PendingBillStatus::Pending.as_str());
    Some(query)
}

impl ImportRepo for PgRepo<'_> {
    fn stored_rows(&mut self, comparison: &Comparison) -> Result<Vec<Stored>> {
        // Planned for each execution: PostgreSQL uses a hash table of the amounts only if it knows them.
        let query = formatcp!(
            "select id, coalesce(statement_date, original_date, date) as date, coalesce(statement_kind, kind) as kind,
                coalesce(statement_amount, amount) as amount,
                coalesce(statement_description_normalized, description_normalized) as description, external_id,
                source = '{entered}' and external_id is null and not is_recognised as is_entered
            from transactions
            where profile_id = $1
                and ($2 is null or account_id = $2 or statement_account_id = $2
                    or account_id is null and statement_account_id is null)
                and (coalesce(statement_date, original_date, date) between $3 and $4
                        -- Follows from it, and lets PostgreSQL find the days through indexes.
                        and (date between $3 and $4 or original_date between $3 and $4
                            or statement_date between $3 and $4)
                        and coalesce(statement_amount, amount) = any($5)
                    or external_id = any($6) and external_id_base is null
                    or external_id_base = any($6))
                and ($8 is null or created_at > $8 and import_id is null)
            union all
            select null, held.date, held.kind, held.amount, held.description_normalized, held.external_id, false
            from pending_bill_rows held
            join pending_bills bill on bill.profile_id = held.profile_id and bill.id = held.pending_bill_id
            where held.profile_id = $1 and $8 is null and {HELD_COMPARED}
            order by id nulls last",
            entered = Source::Manual.as_str()
        );
        let Some(query) = compared(query, self.profile_id, comparison) else { return Ok(Vec::new()) };
        let query = query.arg(comparison.entered_after);
        let rows: Vec<StoredRow> = query.fetch(self.connection)?;
        let stored = rows.into_iter().map(|row| Stored {
            id: row.id.map(TransactionId),
            content: Content {
                date: row.date,
                kind: row.kind.0,
                amount: row.amount.into(),
                description: row.description,
            },
            external_id: row.external_id,
            is_entered: row.is_entered,
        });
        Ok(stored.collect())
    }

    fn import_insert(&mut self, new: &NewImport) -> Result<ImportId> {
        diesel::insert_into(imports::table)
            .values((
                imports::profile_id.eq(self.profile_id.0),
                imports::file_name.eq(new.file_name.as_deref()),
                imports::format.eq(new.format.as_str()),
                imports::account_id.eq(new.account_id.map(|id| id.0)),
                imports::inserted.eq(count(new.inserted)),
                imports::skipped.eq(count(new.skipped)),
            ))
            .returning(imports::id)
            .get_result(self.connection)
            .map(ImportId)
            .map_err(error)
            .and_then(|id| self.note_created("imports", [id.0]).map(|()| id))
    }

    fn import_close(&mut self, id: ImportId, inserted: usize, skipped: usize, accounts: &[AccountId]) -> Result<()> {
        let only = accounts.first().filter(|_| accounts.len() == 1).map(|id| id.0);
        let did =
            (imports::inserted.eq(count(inserted)), imports::skipped.eq(count(skipped)), imports::account_id.eq(only));
        self.touch("imports", "id = any($2)", &[id.0])?;
        let own = imports::table.find((self.profile_id.0, id.0));
        diesel::update(own).set(did).exec(self.connection)?;
        if accounts.len() > 1 {
            let query =
                self.sql("insert into import_accounts (profile_id, import_id, account_id) select $1, $2, unnest($3)");
            query.arg(id.0).arg(accounts.iter().map(|id| id.0).collect::<Vec<_>>()).exec(self.connection)?;
        }
        Ok(())
    }

    fn import_list(&mut self, after: Option<ImportId>, limit: u32) -> Result<Vec<Import>> {
        let query = self.sql(
            "select id, file_name, format, account_id, inserted, skipped, created_at,
                case when account_id is null then array(
                    select of.account_id from import_accounts of
                    where of.profile_id = import.profile_id and of.import_id = import.id order by of.account_id
                ) else array[account_id] end as account_ids
            from imports import
            where profile_id = $1 and ($2 is null or id < $2)
            order by id desc limit $3",
        );
        query.arg(after.map(|id| id.0)).arg(i64::from(limit)).fetch_as(self.connection, |row: ImportRow| row.into())
    }

    fn import_count(&mut self) -> Result<usize> {
        let own = imports::table.filter(imports::profile_id.eq(self.profile_id.0));
        own.count().fetch_one(self.connection).and_then(counted)
    }

    fn import_note_repeated(&mut self, ids: &[TransactionId], id: ImportId) -> Result<()> {
        self.watch("repeated_rows", "import_id = any($2)", &[id.0])?;
        let query = self.sql(
            "insert into repeated_rows (profile_id, transaction_id, import_id)
            select $1, t.id, $3 from transactions t
            where t.profile_id = $1 and t.id = any($2) and t.import_id is not null and t.import_id <> $3
                and (select count(*) from repeated_rows known where known.profile_id = $1 and known.transaction_id = t.id) < $4
            on conflict do nothing",
        );
        query.arg(ids.iter().map(|id| id.0).collect::<Vec<_>>()).arg(id.0).arg(REPEATS_MAX).exec(self.connection)
    }

    fn import_taken(&mut self, id: ImportId) -> Result<Vec<BeforeStatement>> {
        self.taken_by_import(id)
    }

    fn import_delete(&mut self, id: ImportId) -> Result<Option<Removed>> {
        self.touch("transactions", "import_id = any($2)", &[id.0])?;
        self.touch_deleted("imports", "id = any($2)", &[id.0])?;
        self.hand_over(id)?;
        let deleted = self.delete_transactions(Deletion::Import(id))?;
        let gone = diesel::delete(imports::table.find((self.profile_id.0, id.0))).execute(self.connection);
        Ok((gone.map_err(error)? > 0).then_some(deleted))
    }
}
