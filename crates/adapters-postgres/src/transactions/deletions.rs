//! Deleting transactions, together with the transactions that the service created for the same transfers.

use const_format::formatcp;
use diesel::QueryableByName;
use diesel::sql_types::{Array, BigInt, Date as SqlDate, Numeric, Text};
use finance_domain::transactions::{DayKey, Kind, Removed, Source, TransactionRepo};
use finance_domain::{AccountId, CategoryId, Error, ImportId, Money, Month, Result, TransactionId};
use time::Date;

use crate::anchors::OPENING_FOLLOWS;
use crate::numeric::Hundredths;
use crate::repo::PgRepo;
use crate::row::row;
use crate::sql::{Arguments, Cache};
use crate::sums::{self, Change};
use crate::words::StoredWord;

/// The account $2 of the profile $1 is no longer recorded as the account of a statement.
pub(crate) const FORGET_STATEMENT_ACCOUNT: &str =
    "update transactions set statement_account_id = null where profile_id = $1 and statement_account_id = $2";

/// The source of the leg `t` that this service made and that a statement has, once its transfer ends: it is a row of the statement.
pub(super) const STATEMENT_SOURCE: &str = formatcp!(
    "coalesce((select i.format from imports i where i.profile_id = $1 and i.id = t.import_id), '{}')",
    Source::Ofx.as_str()
);

/// Which transactions to delete.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Deletion<'a> {
    /// The transactions with these ids.
    Ids(&'a [i64]),
    /// The transactions of a month, without opening balances that follow what a person said of another day.
    Month(Month),
    /// The transactions of an import.
    Import(ImportId),
    /// The opening balance of an account.
    OpeningBalance(AccountId),
    /// The legs of transfers that the service created and that are in no statement.
    Legs(&'a [i64]),
}

impl Deletion<'_> {
    /// The condition on a transaction, with the parameter $2, and $3 for a range or a source.
    fn condition(self) -> &'static str {
        match self {
            // PostgreSQL reuses the plan, as for an insert of one row.
            Deletion::Ids([_]) => "id = ($2::bigint[])[1]",
            Deletion::Ids(_) => "id = any($2)",
            Deletion::Month(_) => formatcp!("date between $2 and $3 and not ({OPENING_FOLLOWS})"),
            Deletion::Import(_) => "import_id = $2",
            Deletion::OpeningBalance(_) => "account_id = $2 and source = $3",
            Deletion::Legs([_]) => "transfer_id = ($2::bigint[])[1] and source = $3 and not is_recognised",
            Deletion::Legs(_) => "transfer_id = any($2) and source = $3 and not is_recognised",
        }
    }
}

row! {
    /// The number of deleted rows, and the ids of the remaining legs of their transfers.
    struct RemovedRow {
        removed: i64 [BigInt],
        unlinked: Vec<i64> [Array<BigInt>],
        unopened: Vec<i64> [Array<BigInt>],
        refunded_categories: Vec<i64> [Array<BigInt>],
        refunded_months: Vec<Date> [Array<SqlDate>],
        single_accounts: Vec<i64> [Array<BigInt>],
        single_kinds: Vec<StoredWord<Kind>> [Array<Text>],
        single_amounts: Vec<Hundredths> [Array<Numeric>],
        single_dates: Vec<Date> [Array<SqlDate>],
    }
}

impl RemovedRow {
    fn single_transfers(&self) -> impl Iterator<Item = DayKey> {
        let of = self.single_accounts.iter().zip(&self.single_kinds).zip(&self.single_amounts).zip(&self.single_dates);
        of.map(|(((account_id, kind), amount), date)| DayKey {
            account_id: AccountId(*account_id),
            kind: kind.0,
            amount: Money::from(*amount),
            date: *date,
        })
    }
}

impl PgRepo<'_> {
    /// Reads the rows that a deletion concerns, before it.
    fn touch_deletion(&mut self, deletion: Deletion<'_>) -> Result<()> {
        if !self.is_recording() {
            return Ok(());
        }
        let leg = Source::Transfer.as_str();
        let (named, ids) = match deletion {
            Deletion::Ids(ids) => ("id = any($2)".to_string(), ids.to_vec()),
            Deletion::Legs(ids) => {
                (format!("transfer_id = any($2) and source = '{leg}' and not is_recognised"), ids.to_vec())
            }
            Deletion::Import(id) => ("import_id = any($2)".to_string(), vec![id.0]),
            Deletion::OpeningBalance(id) => {
                (format!("account_id = any($2) and source = '{}'", Source::OpeningBalance.as_str()), vec![id.0])
            }
            Deletion::Month(month) => {
                (format!("date between '{}' and '{}'", month.first_day(), month.last_day()), Vec::new())
            }
        };
        let of_transfers = format!(
            "(select transfer_id from transactions where profile_id = $1 and transfer_id is not null and {named})"
        );
        self.touch_deleted("transactions", &format!("({named}) or transfer_id in {of_transfers}"), &ids)?;
        self.touch_deleted("transfers", &format!("id in {of_transfers}"), &ids)
    }

    /// Deletes transactions in one statement, together with the legs that the service created for the same transfers. Other legs
    /// stay and are no longer transfers.
    ///
    /// The planner expects one row of a profile that its statistics do not have yet. A join with the rows to delete would then read
    /// all of these for each row of the profile. So rows are deleted by the condition itself, and legs and lines are found in their
    /// indexes, by `lateral` with `offset 0`.
    pub(crate) fn delete_transactions(&mut self, deletion: Deletion<'_>) -> Result<Removed> {
        self.touch_deletion(deletion)?;
        let statement = format!(
            "with named as (
                delete from transactions where profile_id = $1 and {}
                returning id, is_split, source = '{leg}' and not is_recognised as is_made, {columns}
            ), others as (
                -- A leg that a statement contained since is a row of its account.
                select leg.*
                from named
                cross join lateral (
                    select id, is_split, source = '{leg}' and not is_recognised as is_made from transactions
                    where profile_id = $1 and transfer_id = named.transfer_id
                    offset 0
                ) leg
                where named.transfer_id is not null and leg.id not in (select id from named)
            ), lines as materialized (
                select line.*
                from (select id from named where is_split union all select id from others where is_split) split
                cross join lateral (
                    select transaction_id, category_id, amount from transaction_lines
                    where profile_id = $1 and transaction_id = split.id
                    offset 0
                ) line
            ), before as materialized (
                select id, {columns} from transactions
                where profile_id = $1 and id in (select id from others where not is_made)
            ), made as (
                delete from transactions
                where profile_id = $1 and id in (select id from others where is_made)
                returning id, {columns}
            ), gone as (
                select id, {columns} from named union all select * from made
            ), written as (
                -- Such a leg is then a row of its statement. It stays alone where a person deletes what was made for it.
                update transactions t
                set transfer_id = null, is_transfer = false,
                    is_kept_unlinked = t.is_kept_unlinked or {by_ids} and t.transfer_id in (select transfer_id from named where is_made),
                    source = case when t.source <> '{leg}' then t.source else {STATEMENT_SOURCE} end
                where t.profile_id = $1 and t.id in (select id from others where not is_made)
                returning *
            ), removed as (
                {parts}
            ), refunded as (
                select distinct category_id, date_trunc('month', date::timestamp)::date as month
                from removed
                where kind = '{income}' and not is_transfer and category_id is not null
            ), singles as (
                select distinct account_id, kind, amount, date
                from gone
                where is_transfer and transfer_id is null and account_id is not null
            ), ended as (
                delete from transfers
                where profile_id = $1 and id in (select distinct transfer_id from gone where transfer_id is not null)
            ) {}
            select (select count(*) from gone) as removed, array(select id from written) as unlinked,
                array(select account_id from gone where source = '{opening}') as unopened,
                array(select category_id from refunded order by category_id, month) as refunded_categories,
                array(select month from refunded order by category_id, month) as refunded_months,
                array(select account_id from singles order by account_id, kind, amount, date) as single_accounts,
                array(select kind::text from singles order by account_id, kind, amount, date) as single_kinds,
                array(select amount::numeric from singles order by account_id, kind, amount, date) as single_amounts,
                array(select date from singles order by account_id, kind, amount, date) as single_dates",
            deletion.condition(),
            sums::keep(Change::Replaced),
            by_ids = matches!(deletion, Deletion::Ids(_)),
            columns = sums::COLUMNS,
            income = Kind::Income.as_str(),
            leg = Source::Transfer.as_str(),
            opening = Source::OpeningBalance.as_str(),
            parts = sums::parts("(select * from gone union all select * from before)", "lines"),
        );
        let query = self.sql(statement);
        let query = match deletion {
            Deletion::Ids(ids) => query.arg(ids),
            Deletion::Legs(ids) => query.arg(ids).arg(Source::Transfer.as_str()),
            Deletion::Month(month) => query.arg(month.first_day()).arg(month.last_day()),
            Deletion::Import(id) => query.arg(id.0),
            Deletion::OpeningBalance(id) => query.arg(id.0).arg(Source::OpeningBalance.as_str()),
        };
        let gone: RemovedRow = query.row(self.connection)?;
        self.anchors_moved = true;
        let count = u64::try_from(gone.removed).map_err(|error| Error::Internal(Box::new(error)))?;
        self.transactions_added -= gone.removed;
        let single_transfers = gone.single_transfers().collect();
        let unlinked: Vec<TransactionId> = gone.unlinked.into_iter().map(TransactionId).collect();
        let unlinked = if unlinked.is_empty() { Vec::new() } else { self.transaction_list_of(&unlinked)? };
        let categories = gone.refunded_categories.into_iter().map(CategoryId);
        let refunded = categories.zip(gone.refunded_months.into_iter().map(Month::of)).collect();
        Ok(Removed {
            count,
            unlinked,
            unopened: gone.unopened.into_iter().map(AccountId).collect(),
            refunded,
            single_transfers,
        })
    }
}
