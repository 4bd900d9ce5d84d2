//! Credit card bills. When the days of a bill are new, its rows are added up once. After that `sums.rs` keeps its total, and
//! `bill_payments.rs` stores what the ledger of the card computed, so no read adds up transactions or payments.
//!
//! A listing looks only at bills that may have changed. `accounts.bills_complete_until` is the date until which every row of
//! a card is on a stored bill. A row for a missing bill sets it to before the row's date. A refresh begins at this date;
//! while it is the end of the current bill, listing accounts or bills writes nothing.

use const_format::{concatcp, formatcp};
use diesel::QueryableByName;
use diesel::pg::Pg;
use diesel::query_builder::SqlQuery;
use diesel::sql_types::{BigInt, Date as SqlDate, Nullable, Numeric, Timestamptz};
use finance_domain::accounts::AccountKind;
use finance_domain::credit_bills::{
    BillFilter, BillSlot, BillStatus, CreditBill, CreditBillRepo, LedgerEntry, PaymentDates, Period, StoredBill,
    UnpaidBill,
};
use finance_domain::{AccountId, BillId, Money, ProfileId, Result};
use time::{Date, OffsetDateTime};

use crate::numeric::Hundredths;
use crate::repo::PgRepo;
use crate::row::row;
use crate::sql::{Arguments, Binding, Cache, column, unnest};
use crate::sums::{ROW_OF_BILL, TOTAL_OF_BILL};

#[derive(QueryableByName)]
pub(crate) struct BillRow {
    #[diesel(sql_type = BigInt)]
    profile_id: i64,
    #[diesel(sql_type = BigInt)]
    id: i64,
    #[diesel(sql_type = BigInt)]
    account_id: i64,
    #[diesel(sql_type = SqlDate)]
    period_start: Date,
    #[diesel(sql_type = SqlDate)]
    period_end: Date,
    #[diesel(sql_type = SqlDate)]
    due_date: Date,
    #[diesel(sql_type = Numeric)]
    total: Hundredths,
    #[diesel(embed)]
    entry: EntryRow,
}

row! {
    /// The figures of a bill that the card's ledger computed.
    pub(crate) struct EntryRow {
        held: Hundredths [Numeric],
        previous: Hundredths [Numeric],
        paid_amount: Hundredths [Numeric],
        paid_at: Option<OffsetDateTime> [Nullable<Timestamptz>],
        carried: Hundredths [Numeric],
        statement: Option<Hundredths> [Nullable<Numeric>],
    }
}

impl From<EntryRow> for LedgerEntry {
    fn from(row: EntryRow) -> Self {
        LedgerEntry {
            held: row.held.into(),
            previous: row.previous.into(),
            paid_amount: row.paid_amount.into(),
            paid_at: row.paid_at,
            carried: row.carried.into(),
            statement: row.statement.map(Money::from),
        }
    }
}

impl From<BillRow> for CreditBill {
    fn from(row: BillRow) -> Self {
        CreditBill {
            id: BillId(row.id),
            profile_id: ProfileId(row.profile_id),
            account_id: AccountId(row.account_id),
            period_start: row.period_start,
            period_end: row.period_end,
            due_date: row.due_date,
            rows_total: row.total.into(),
            entry: row.entry.into(),
        }
    }
}

row! { struct StoredBillRow {
    id: i64 [BigInt],
    period_start: Date [SqlDate],
    period_end: Date [SqlDate],
    due_date: Date [SqlDate],
    following_end: Date [SqlDate],
    paid_also: Option<Date> [Nullable<SqlDate>],
    paid_except: Option<Date> [Nullable<SqlDate>],
} }

impl From<StoredBillRow> for StoredBill {
    fn from(row: StoredBillRow) -> Self {
        let period = Period { start: row.period_start, end: row.period_end, due: row.due_date };
        let paid = PaymentDates { until: row.following_end, also: row.paid_also, except: row.paid_except };
        StoredBill { id: BillId(row.id), period, paid }
    }
}

row! { struct UnpaidRow {
    id: i64 [BigInt],
    account_id: i64 [BigInt],
    period_end: Date [SqlDate],
    due_date: Date [SqlDate],
    last_day: Option<Date> [Nullable<SqlDate>],
    unpaid: Hundredths [Numeric],
} }

impl From<UnpaidRow> for UnpaidBill {
    fn from(row: UnpaidRow) -> Self {
        let UnpaidRow { id, account_id, period_end, due_date, last_day, unpaid } = row;
        UnpaidBill {
            id: BillId(id),
            account_id: AccountId(account_id),
            period_end,
            due_date,
            last_day,
            unpaid: unpaid.into(),
        }
    }
}

/// The columns of a bill `b`.
const BILL: &str =
    concatcp!("b.profile_id, b.id, b.account_id, b.period_start, b.period_end, b.due_date, b.total, ", ENTRY);
/// The columns of a bill `b` that the ledger of its card computed.
pub(crate) const ENTRY: &str = "b.held, b.previous, b.paid_amount, b.paid_at, b.carried, b.statement";
/// The amount due on the bill `b`: [`CreditBill::amount_due`].
const AMOUNT_DUE: &str = concatcp!("(", UNPAID, " - b.carried)");
/// What its payments leave of the bill `b`: [`CreditBill::unpaid`].
const UNPAID: &str = "(b.previous + b.total + b.held - b.paid_amount)";

/// The end of a query: the bills `b` that are due on or after `$2` and closed before `$3`, by due date.
const IN_DAYS: &str =
    "($2 is null or b.due_date >= $2) and ($3 is null or b.period_end < $3) order by b.due_date, b.id";

/// A query of bills by a condition over `b`.
pub(crate) fn bills_where(condition: &str) -> String {
    format!("select {BILL} from credit_bills b where b.profile_id = $1 and {condition}")
}

/// Binds the accounts and the days of bills, as seven arrays.
fn with_slots<'v>(query: Binding<'v, SqlQuery>, slots: &[BillSlot]) -> Binding<'v, SqlQuery> {
    query
        .arg(column(slots, |slot| slot.account_id.0))
        .arg(column(slots, |slot| slot.period.start))
        .arg(column(slots, |slot| slot.period.end))
        .arg(column(slots, |slot| slot.period.due))
        .arg(column(slots, |slot| slot.paid.until))
        .arg(column(slots, |slot| slot.paid.also))
        .arg(column(slots, |slot| slot.paid.except))
}

impl CreditBillRepo for PgRepo<'_> {
    fn bill_refresh(&mut self, slots: &[BillSlot]) -> Result<()> {
        self.watch("credit_bills", "account_id = any($2)", &column(slots, |slot| slot.account_id.0))?;
        // Not an upsert, which would use up an id for each existing bill.
        let query = self.sql(format!(
            "with b as (
                select $1 as profile_id, slot.* from {slots}
                    as slot (account_id, period_start, period_end, due_date, following_end, paid_also, paid_except, is_current)
            ), moved as (
                update credit_bills known
                set period_end = b.period_end, due_date = b.due_date, following_end = b.following_end,
                    paid_also = b.paid_also, paid_except = b.paid_except, total = {TOTAL_OF_BILL}
                from b
                where known.profile_id = $1 and known.account_id = b.account_id and known.period_start = b.period_start
                    and (known.period_end, known.due_date, known.following_end, known.paid_also, known.paid_except)
                        is distinct from (b.period_end, b.due_date, b.following_end, b.paid_also, b.paid_except)
            ), noted as (
                update accounts
                set bills_complete_until = b.period_end
                from b
                where accounts.profile_id = $1 and accounts.id = b.account_id and b.is_current
            ), made as materialized (
                select account_id, period_start, period_end, due_date, following_end, paid_also, paid_except,
                    {TOTAL_OF_BILL} as total
                from b
                where not exists (select 1 from credit_bills known where known.profile_id = $1
                        and known.account_id = b.account_id and known.period_start = b.period_start)
                    and (is_current or exists (select 1 from transactions t where {ROW_OF_BILL}))
            ), stored as (
                insert into credit_bills (profile_id, account_id, period_start, period_end, due_date, following_end,
                    paid_also, paid_except, total)
                select $1, account_id, period_start, period_end, due_date, following_end, paid_also, paid_except, total
                from made
                order by period_start, account_id
                returning 1
            )
            select count(*) from stored",
            slots = unnest(2, &["bigint", "date", "date", "date", "date", "date", "date", "boolean"]),
        ));
        with_slots(query, slots).arg(column(slots, |slot| slot.is_current)).run(self.connection)
    }

    fn bill_stored(&mut self, account_id: AccountId) -> Result<Vec<StoredBill>> {
        let query = self.sql(
            "select id, period_start, period_end, due_date, following_end, paid_also, paid_except
            from credit_bills where profile_id = $1 and account_id = $2 order by period_start",
        );
        query.arg(account_id.0).rows_as(self.connection, |row: StoredBillRow| row.into())
    }

    fn bill_align(
        &mut self,
        account_id: AccountId,
        kept: &[(BillId, BillSlot)],
        merged: &[(BillId, BillId)],
        today: Option<Date>,
    ) -> Result<()> {
        self.watch("credit_bills", "account_id = any($2)", &[account_id.0])?;
        self.touch_deleted("credit_bills", "account_id = any($2)", &[account_id.0])?;
        if !merged.is_empty() {
            self.sql(format!(
                "update credit_bill_payments p set bill_id = merged.kept
                from {} as merged (gone, kept)
                where p.profile_id = $1 and p.bill_id = merged.gone",
                unnest(2, &["bigint", "bigint"])
            ))
            .arg(merged.iter().map(|(gone, _)| gone.0).collect::<Vec<_>>())
            .arg(merged.iter().map(|(_, kept)| kept.0).collect::<Vec<_>>())
            .run(self.connection)?;
            let query = self.sql("delete from credit_bills where profile_id = $1 and id = any ($2)");
            query.arg(merged.iter().map(|(gone, _)| gone.0).collect::<Vec<_>>()).run(self.connection)?;
        }
        self.sql(format!(
            "with b as (
                select $1 as profile_id, $2 as account_id, slot.* from {slots}
                    as slot (id, period_start, period_end, due_date, following_end, paid_also, paid_except)
            ), noted as (
                update accounts set bills_complete_until = null, payments_stale = true where profile_id = $1 and id = $2
            )
            update credit_bills known
            set period_start = b.period_start, period_end = b.period_end, due_date = b.due_date,
                following_end = b.following_end, paid_also = b.paid_also, paid_except = b.paid_except,
                total = {TOTAL_OF_BILL}
            from b
            where known.profile_id = $1 and known.account_id = $2 and known.id = b.id
                and (known.period_start, known.period_end, known.due_date, known.following_end, known.paid_also,
                        known.paid_except)
                    is distinct from (b.period_start, b.period_end, b.due_date, b.following_end, b.paid_also,
                        b.paid_except)",
            slots = unnest(3, &["bigint", "date", "date", "date", "date", "date", "date"]),
        ))
        .arg(account_id.0)
        .arg(kept.iter().map(|(id, _)| id.0).collect::<Vec<_>>())
        .arg(column(kept, |(_, slot)| slot.period.start))
        .arg(column(kept, |(_, slot)| slot.period.end))
        .arg(column(kept, |(_, slot)| slot.period.due))
        .arg(column(kept, |(_, slot)| slot.paid.until))
        .arg(column(kept, |(_, slot)| slot.paid.also))
        .arg(column(kept, |(_, slot)| slot.paid.except))
        .run(self.connection)?;
        let Some(today) = today else { return Ok(()) };
        let query = self.sql(
            "delete from credit_bills b
            where b.profile_id = $1 and b.account_id = $2 and b.period_start > $3
                and not exists (select 1 from credit_bill_payments p where p.profile_id = $1 and p.bill_id = b.id)
                and b.paid_amount = 0 and b.held = 0",
        );
        query.arg(account_id.0).arg(today).run(self.connection)
    }

    fn bill_insert(&mut self, slots: &[BillSlot]) -> Result<()> {
        self.watch("credit_bills", "account_id = any($2)", &column(slots, |slot| slot.account_id.0))?;
        let query = self.sql(format!(
            "with b as (
                select * from {slots}
                    as slot (account_id, period_start, period_end, due_date, following_end, paid_also, paid_except)
            ), made as materialized (
                select account_id, period_start, period_end, due_date, following_end, paid_also, paid_except,
                    {TOTAL_OF_BILL} as total from b
            ), stored as (
                insert into credit_bills (profile_id, account_id, period_start, period_end, due_date, following_end,
                    paid_also, paid_except, total)
                select $1, account_id, period_start, period_end, due_date, following_end, paid_also, paid_except, total from made
                on conflict on constraint credit_bills_period_key do nothing
                returning 1
            )
            select count(*) from stored",
            slots = unnest(2, &["bigint", "date", "date", "date", "date", "date", "date"]),
        ));
        with_slots(query, slots).run(self.connection)
    }

    fn bill_list(&mut self, filter: &BillFilter) -> Result<Vec<CreditBill>> {
        let is_paid = filter.status.map(|status| status == BillStatus::Paid);
        // The status is that of `CreditBill::status`.
        let condition = formatcp!(
            "($2 is null or b.account_id = $2)
            and ($3 is null or (b.period_start, b.id) < ($3, $4))
            and ($5 is null or $5 = ({AMOUNT_DUE} <= 0
                and (b.statement is not null or b.paid_at is not null or (b.previous, b.total + b.held) <> (0, 0))))
            order by b.period_start desc, b.id desc
            limit $6"
        );
        self.sql(bills_where(condition))
            .arg(filter.account_id.map(|id| id.0))
            .arg(filter.after.map(|after| after.period_start))
            .arg(filter.after.map(|after| after.id.0))
            .arg(is_paid)
            .arg(i64::from(filter.limit))
            .rows_as(self.connection, |row: BillRow| row.into())
    }

    fn bill_list_holding(&mut self, date: Date) -> Result<Vec<CreditBill>> {
        // A card's periods do not overlap, so only the last one that began can contain the date.
        let query = format!(
            "select {BILL}
            from accounts a
            cross join lateral (
                select * from credit_bills
                where profile_id = $1 and account_id = a.id and period_start <= $2
                order by period_start desc
                limit 1
            ) as b
            where a.profile_id = $1 and a.kind = $3 and b.period_end >= $2
            order by b.account_id"
        );
        self.sql(query).arg(date).arg(AccountKind::Credit.as_str()).rows_as(self.connection, |row: BillRow| row.into())
    }

    fn bill_list_outstanding(&mut self, date: Date) -> Result<Vec<CreditBill>> {
        let query = bills_where(formatcp!("({AMOUNT_DUE} > 0 or b.period_end >= $2) order by b.due_date, b.id"));
        self.sql(query).arg(date).rows_as(self.connection, |row: BillRow| row.into())
    }

    fn bill_get(&mut self, id: BillId) -> Result<Option<CreditBill>> {
        let query = self.sql(bills_where("b.id = $2"));
        let row: Option<BillRow> = query.arg(id.0).row_if_any(self.connection)?;
        Ok(row.map(CreditBill::from))
    }

    fn bill_list_of(&mut self, ids: &[BillId]) -> Result<Vec<CreditBill>> {
        let query = self.sql(bills_where("b.id = any($2)"));
        let rows: Vec<BillRow> = query.arg(column(ids, |id| id.0)).rows(self.connection)?;
        Ok(rows.into_iter().map(CreditBill::from).collect())
    }

    fn bill_list_due(&mut self, first: Option<Date>, last: Option<Date>) -> Result<Vec<CreditBill>> {
        let query = bills_where(formatcp!("{AMOUNT_DUE} > 0 and {IN_DAYS}"));
        Ok(self.bills_in_days::<BillRow>(query, first, last)?.into_iter().map(CreditBill::from).collect())
    }

    fn bill_list_unpaid(&mut self, first: Option<Date>, last: Option<Date>) -> Result<Vec<UnpaidBill>> {
        const QUERY: &str = formatcp!(
            "select b.id, b.account_id, b.period_end, b.due_date, {UNPAID} as unpaid,
                case when {AMOUNT_DUE} <= 0 then b.following_end end as last_day
            from credit_bills b
            where b.profile_id = $1 and {UNPAID} > 0 and {IN_DAYS}"
        );
        Ok(self.bills_in_days::<UnpaidRow>(QUERY, first, last)?.into_iter().map(UnpaidBill::from).collect())
    }
}

impl PgRepo<'_> {
    /// Loads a query that ends with [`IN_DAYS`].
    fn bills_in_days<R: QueryableByName<Pg> + 'static>(
        &mut self,
        query: impl Into<String>,
        first: Option<Date>,
        last: Option<Date>,
    ) -> Result<Vec<R>> {
        self.sql(query).arg(first).arg(last).rows(self.connection)
    }
}
