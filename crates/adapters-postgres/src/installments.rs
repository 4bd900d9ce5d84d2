//! Instalments: the rows that form plans.

mod columns;

use std::collections::HashSet;
use std::sync::LazyLock;

use const_format::{concatcp, formatcp};
use diesel::QueryableByName;
use diesel::sql_types::{BigInt, Bool, Date as SqlDate, Nullable, Numeric, SmallInt, Text};
use finance_domain::accounts::AccountKind;
use finance_domain::installments::{
    COUNT_MAX, EnteredRow, HeldInstallment, Installment, InstallmentRepo, InstallmentRow, ROWS_READ_MAX, RowsOf,
    months_back,
};
use finance_domain::pending_bills::PendingBillStatus;
use finance_domain::transactions::{Kind, Source};
use finance_domain::{AccountId, CategoryId, Error, Result, TransactionId};
use time::Date;

use crate::numeric::Hundredths;
use crate::repo::PgRepo;
use crate::row::row;
use crate::sql::{Arguments, Cache, Fetch, unnest};
use crate::sums::COUNTS;

pub(crate) use columns::{KIND_OF_CARD, StoredReading, installment, is_card};

row! { struct InstallmentRecord {
    id: i64 [BigInt],
    account_id: i64 [BigInt],
    category_id: Option<i64> [Nullable<BigInt>],
    date: Date [SqlDate],
    original_date: Option<Date> [Nullable<SqlDate>],
    installment_number: Option<i16> [Nullable<SmallInt>],
    installment_count: Option<i16> [Nullable<SmallInt>],
    installment_shop: String [Text],
    description: String [Text],
    amount: Hundredths [Numeric],
    is_removable: bool [Bool],
    is_ended: bool [Bool],
} }

impl TryFrom<InstallmentRecord> for InstallmentRow {
    type Error = Error;

    fn try_from(row: InstallmentRecord) -> Result<Self> {
        Ok(InstallmentRow {
            id: Some(TransactionId(row.id)),
            account_id: AccountId(row.account_id),
            category_id: row.category_id.map(CategoryId),
            date: row.date,
            original_date: row.original_date,
            installment: known(row.installment_number, row.installment_count)?,
            shop: row.installment_shop,
            description: row.description,
            amount: row.amount.into(),
            is_removable: row.is_removable,
            is_ended: row.is_ended,
        })
    }
}

row! { struct HeldRow {
    account_id: i64 [BigInt],
    payment_date: Date [SqlDate],
    date: Date [SqlDate],
    description: String [Text],
    statement_text: String [Text],
    amount: Hundredths [Numeric],
} }

fn known(number: Option<i16>, count: Option<i16>) -> Result<Installment> {
    installment(number, count).ok_or_else(|| Error::Internal("an instalment without a number or a count".into()))
}

/// The columns that are read of the transaction `t`.
const ROW: &str = formatcp!(
    "t.id, t.account_id, t.category_id, t.date, t.original_date, t.installment_number, t.installment_count,
    t.installment_shop, t.description, t.amount, {IS_REMOVABLE} as is_removable,
    t.id in (select transaction_id from ended_plans where profile_id = $1) as is_ended"
);

/// Condition: the transaction `t` was entered as a part of a plan, and no statement contained it.
const IS_REMOVABLE: &str = concatcp!("(t.source = '", Source::Installment.as_str(), "' and not t.is_recognised)");

/// Condition: the transaction `t` of the profile $1 is a part of a plan.
const IN_A_PLAN: &str =
    concatcp!("t.profile_id = $1 and t.installment_count is not null and t.kind = '", Kind::Expense.as_str(), "'");

/// The same condition, worded as in the index of dates, so that PostgreSQL uses that index.
const DATED_IN_A_PLAN: &str =
    concatcp!("t.profile_id = $1 and t.installment_number is not null and t.kind = '", Kind::Expense.as_str(), "'");

/// The instalments are found before they are sorted. Otherwise PostgreSQL would search all transactions in the sort order.
const ALL: &str = formatcp!(
    "with found as materialized (
        select {ROW}
        from transactions t
        where {IN_A_PLAN} and {COUNTS} and ($3 is null or t.account_id = $3)
    )
    select * from found order by date desc, id desc limit $2"
);

/// The rows on each of the cards $3 with a count that a row from the date $4 on has, because a plan may have several spellings of its
/// shop; the newest first, at most $2. They reach back the months $5 of the largest such count. `offset 0` makes PostgreSQL look them up by
/// card and date. A plan of the statement that serves all profiles does not know how many instalments there are.
static SINCE: LazyLock<String> = LazyLock::new(|| {
    format!(
        "with latest as materialized (
            select wanted.account_id, array_agg(distinct t.installment_count) as counts,
                (wanted.first - make_interval(months => (select $5::integer[])[max(t.installment_count)]))::date as first
            from {wanted} as wanted (account_id, first)
            cross join lateral (
                select t.installment_count from transactions t
                where {DATED_IN_A_PLAN} and t.account_id = wanted.account_id and t.date >= wanted.first
                offset 0
            ) as t
            group by wanted.account_id, wanted.first
        )
        select {ROW}
        from latest
        cross join lateral (
            select t.* from transactions t
            where {DATED_IN_A_PLAN} and {COUNTS} and t.account_id = latest.account_id and t.date >= latest.first
            offset 0
        ) as t
        where t.installment_count = any(latest.counts)
        order by t.date desc, t.id desc
        limit $2",
        wanted = unnest(3, &["bigint", "date"])
    )
});

/// The rows on the card of the transaction $3 with its count, because a plan may have several spellings of its shop.
const LIKE: &str = formatcp!(
    "with found as materialized (
        select {ROW}
        from transactions t
        join transactions named on named.profile_id = $1 and named.id = $3
        where {IN_A_PLAN} and {COUNTS} and t.account_id = named.account_id
            and t.installment_count = named.installment_count and named.kind = '{expense}'
    )
    select * from found order by date desc, id desc limit $2",
    expense = Kind::Expense.as_str(),
);

const ENTERED: &str = formatcp!(
    "select {ROW}
    from transactions t
    where {IN_A_PLAN} and t.account_id = $2 and t.installment_count = any($3) and {IS_REMOVABLE}
    order by t.id
    limit $4"
);

impl InstallmentRepo for PgRepo<'_> {
    fn installment_rows(&mut self, which: &RowsOf) -> Result<Vec<InstallmentRow>> {
        let limit = i64::from(ROWS_READ_MAX);
        let rows: Vec<InstallmentRecord> = match which {
            RowsOf::All(account_id) => self.sql(ALL).arg(limit).arg(account_id.map(|id| id.0)).rows(self.connection),
            RowsOf::Since(cards) => self
                .sql(SINCE.as_str())
                .arg(limit)
                .arg(cards.iter().map(|(id, _)| id.0).collect::<Vec<_>>())
                .arg(cards.iter().map(|(_, first)| *first).collect::<Vec<_>>())
                .arg((1..=COUNT_MAX).map(months_back).collect::<Vec<_>>())
                .rows(self.connection),
            RowsOf::Like(id) => self.sql(LIKE).arg(limit).arg(id.0).rows(self.connection),
        }?;
        rows.into_iter().map(InstallmentRow::try_from).collect()
    }

    fn installments_held(&mut self) -> Result<Vec<HeldInstallment>> {
        // The condition only selects candidates: the domain's rule reads each row.
        let held = |row: HeldRow| HeldInstallment {
            account_id: AccountId(row.account_id),
            payment_date: row.payment_date,
            date: row.date,
            description: row.description,
            statement_text: row.statement_text,
            amount: row.amount.into(),
        };
        self.sql(
            "select b.account_id, b.payment_date, r.date, r.description,
                coalesce(r.statement_description, r.description) as statement_text, r.amount
            from pending_bills b
            join accounts a on a.profile_id = $1 and a.id = b.account_id and a.kind = $3
            join pending_bill_rows r on r.profile_id = $1 and r.pending_bill_id = b.id
            where b.profile_id = $1 and b.status = $4 and r.kind = $5 and not r.is_transfer and not r.is_stored
                and r.description_normalized ~ '[0-9] ?(/|de) ?[0-9]'
            order by b.payment_date desc, b.id desc, r.position
            limit $2",
        )
        .arg(i64::from(ROWS_READ_MAX))
        .arg(AccountKind::Credit.as_str())
        .arg(PendingBillStatus::Pending.as_str())
        .arg(Kind::Expense.as_str())
        .rows_as(self.connection, held)
    }

    fn plan_end(&mut self, ids: &[TransactionId], is_ended: bool) -> Result<()> {
        self.watch("ended_plans", "transaction_id = any($2)", &ids.iter().map(|id| id.0).collect::<Vec<_>>())?;
        let statement = match is_ended {
            true => {
                "insert into ended_plans (profile_id, transaction_id) select $1, id from unnest($2::bigint[]) as given (id)
                on conflict do nothing"
            }
            false => "delete from ended_plans where profile_id = $1 and transaction_id = any($2)",
        };
        self.sql(statement).arg(ids.iter().map(|id| id.0).collect::<Vec<_>>()).exec(self.connection)
    }

    fn installments_entered(&mut self, account_id: AccountId, counts: &HashSet<u8>) -> Result<Vec<EnteredRow>> {
        let query = self.sql(ENTERED);
        let rows: Vec<InstallmentRecord> = query
            .arg(account_id.0)
            .arg(counts.iter().map(|count| i16::from(*count)).collect::<Vec<_>>())
            .arg(i64::from(ROWS_READ_MAX))
            .rows(self.connection)?;
        let entered = |row: InstallmentRecord| {
            Ok(EnteredRow {
                id: TransactionId(row.id),
                date: row.date,
                original_date: row.original_date,
                installment: known(row.installment_number, row.installment_count)?,
                shop: row.installment_shop,
                amount: row.amount.into(),
            })
        };
        rows.into_iter().map(entered).collect()
    }
}
