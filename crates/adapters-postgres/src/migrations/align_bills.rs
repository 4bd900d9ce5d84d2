//! Makes every stored bill a period of its card, and stores changes of days with their first bill.
//!
//! Earlier releases left a bill that overlaps another one if a card's closing day changed after a bill had closed early on a date
//! of its own.

use std::collections::BTreeSet;

use diesel::connection::SimpleConnection;
use diesel::sql_types::{BigInt, Date as SqlDate, Nullable, SmallInt};
use diesel::{PgConnection, QueryResult, QueryableByName, RunQueryDsl, sql_query};
use finance_domain::BillId;
use finance_domain::credit_bills::{
    Alignment, BillDates, Cycle, Cycles, PaymentDates, Period, Replaced, StoredBill, align,
};
use time::Date;
use uuid::Uuid;

use crate::sql::{Arguments, with_args};

/// The sum of the rows of the bill `b` of the profile $1, by the columns and the rule of this migration's release.
const TOTAL_OF_BILL: &str = "(select coalesce(sum(case when t.kind = 'expense' then t.amount else -t.amount end), 0)
        from transactions t
        where t.profile_id = $1 and t.account_id = b.account_id and not t.is_transfer and t.source <> 'opening_balance'
            and t.date between b.period_start and b.following_end
            and case when t.original_date is null then t.date <= b.period_end else t.date > b.period_end end)";

/// The tables that are read and written.
const TABLES: [&str; 7] =
    ["profiles", "accounts", "card_cycles", "bill_dates", "credit_bills", "credit_bill_payments", "transactions"];

#[derive(QueryableByName)]
struct CardRow {
    #[diesel(sql_type = BigInt)]
    profile_id: i64,
    #[diesel(sql_type = BigInt)]
    id: i64,
    #[diesel(sql_type = SmallInt)]
    closing_day: i16,
    #[diesel(sql_type = SmallInt)]
    due_day: i16,
}

#[derive(QueryableByName)]
struct CycleRow {
    #[diesel(sql_type = SqlDate)]
    replaced_on: Date,
    #[diesel(sql_type = SmallInt)]
    closing_day: i16,
    #[diesel(sql_type = SmallInt)]
    due_day: i16,
    #[diesel(sql_type = Nullable<SqlDate>)]
    closes_on: Option<Date>,
    #[diesel(sql_type = Nullable<SqlDate>)]
    former_closing: Option<Date>,
}

#[derive(QueryableByName)]
struct DatesRow {
    #[diesel(sql_type = SqlDate)]
    scheduled_closing: Date,
    #[diesel(sql_type = Nullable<SqlDate>)]
    closing_date: Option<Date>,
    #[diesel(sql_type = Nullable<SqlDate>)]
    due_date: Option<Date>,
}

#[derive(QueryableByName)]
struct BillRow {
    #[diesel(sql_type = BigInt)]
    id: i64,
    #[diesel(sql_type = SqlDate)]
    period_start: Date,
    #[diesel(sql_type = SqlDate)]
    period_end: Date,
    #[diesel(sql_type = SqlDate)]
    due_date: Date,
    #[diesel(sql_type = SqlDate)]
    following_end: Date,
}

/// Aligns the bills of every card whose days changed, or whose bills overlap. It may run again: it then changes nothing. The
/// connection's role owns the tables, or is a superuser.
///
/// # Errors
///
/// The errors of PostgreSQL.
pub(super) fn run(connection: &mut PgConnection) -> QueryResult<()> {
    // Row-level security applies to the tables' owner too.
    for table in TABLES {
        connection.batch_execute(&format!("alter table {table} no force row level security"))?;
    }
    let cards: Vec<CardRow> = sql_query(
        "select a.profile_id, a.id, a.closing_day, a.due_day
        from accounts a
        join (
            select profile_id, account_id from card_cycles
            union
            select profile_id, account_id from (
                select profile_id, account_id, period_end,
                    lead(period_start) over (partition by profile_id, account_id order by period_start) as next_start
                from credit_bills) bills
            where next_start <= period_end
        ) changed on changed.profile_id = a.profile_id and changed.account_id = a.id
        where a.closing_day is not null and a.due_day is not null
        order by a.profile_id, a.id",
    )
    .load(connection)?;
    let mut written: BTreeSet<i64> = BTreeSet::new();
    for card in &cards {
        if align_card(connection, card)? {
            written.insert(card.profile_id);
        }
    }
    for profile_id in written {
        // A replica and a client that know the last write have not seen this one.
        let query = with_args("update profiles set write_id = $2::uuid where id = $1");
        query.arg(profile_id).arg(Uuid::new_v4().to_string()).execute(connection)?;
    }
    for table in TABLES {
        connection.batch_execute(&format!("alter table {table} force row level security"))?;
    }
    Ok(())
}

fn cycle(closing_day: i16, due_day: i16) -> Cycle {
    // A check of the table: 1 to 31.
    let day = |day: i16| u8::try_from(day).unwrap_or(1);
    Cycle { closing_day: day(closing_day), due_day: day(due_day) }
}

/// Returns whether the card's rows changed.
fn align_card(connection: &mut PgConnection, card: &CardRow) -> QueryResult<bool> {
    let stored = cycle_rows(connection, card)?;
    let cycles = Cycles::with_replaced(cycle(card.closing_day, card.due_day), stored.clone())
        .with_dates(dates(connection, card)?);
    let replaced = cycles.replaced();
    let is_renewed = replaced != stored;
    if is_renewed {
        store_cycles(connection, card, &replaced)?;
    }
    let bills = bills(connection, card)?;
    let slot = |period: &Period| cycles.period_following(period).end;
    let is_in_order = |bill: &StoredBill| {
        let period = cycles.period_holding(bill.period.start);
        period == bill.period && slot(&period) == bill.paid.until
    };
    if bills.iter().all(is_in_order) {
        return Ok(is_renewed);
    }
    let Alignment { kept, merged } = align(&cycles, &bills);
    if !merged.is_empty() {
        let (gone, into): (Vec<i64>, Vec<i64>) = merged.iter().map(|(gone, kept)| (gone.0, kept.0)).unzip();
        // Payments that are allotted by a rule are allotted again by the next listing.
        let query = with_args(
            "update credit_bill_payments p set bill_id = merged.kept
            from unnest($2::bigint[], $3::bigint[]) as merged (gone, kept)
            where p.profile_id = $1 and p.bill_id = merged.gone and p.transaction_id is null",
        );
        query.arg(card.profile_id).arg(&gone).arg(into).execute(connection)?;
        for table in
            ["credit_bill_payments where profile_id = $1 and bill_id", "credit_bills where profile_id = $1 and id"]
        {
            with_args(format!("delete from {table} = any ($2)")).arg(card.profile_id).arg(&gone).execute(connection)?;
        }
    }
    let column = |value: &dyn Fn(&Period) -> Date| kept.iter().map(|(_, period)| value(period)).collect::<Vec<Date>>();
    with_args(format!(
        "with b as (
            select $1 as profile_id, $2 as account_id, slot.*
            from unnest($3::bigint[], $4::date[], $5::date[], $6::date[], $7::date[])
                as slot (id, period_start, period_end, due_date, following_end)
        )
        update credit_bills known
        set period_start = b.period_start, period_end = b.period_end, due_date = b.due_date,
            following_end = b.following_end, total = {TOTAL_OF_BILL}
        from b
        where known.profile_id = $1 and known.account_id = $2 and known.id = b.id"
    ))
    .arg(card.profile_id)
    .arg(card.id)
    .arg(kept.iter().map(|(id, _)| id.0).collect::<Vec<i64>>())
    .arg(column(&|period| period.start))
    .arg(column(&|period| period.end))
    .arg(column(&|period| period.due))
    .arg(column(&slot))
    .execute(connection)?;
    let query = with_args(
        "update accounts set bills_complete_until = null, payments_stale = true where profile_id = $1 and id = $2",
    );
    query.arg(card.profile_id).arg(card.id).execute(connection)?;
    Ok(true)
}

fn cycle_rows(connection: &mut PgConnection, card: &CardRow) -> QueryResult<Vec<Replaced>> {
    let query = with_args(
        "select replaced_on, closing_day, due_day, closes_on, former_closing
        from card_cycles where profile_id = $1 and account_id = $2 order by replaced_on",
    );
    let rows: Vec<CycleRow> = query.arg(card.profile_id).arg(card.id).load(connection)?;
    let replaced = |row: CycleRow| Replaced {
        cycle: cycle(row.closing_day, row.due_day),
        on: row.replaced_on,
        closing: row.closes_on,
        former_closing: row.former_closing,
    };
    Ok(rows.into_iter().map(replaced).collect())
}

fn store_cycles(connection: &mut PgConnection, card: &CardRow, replaced: &[Replaced]) -> QueryResult<()> {
    let query = with_args("delete from card_cycles where profile_id = $1 and account_id = $2");
    query.arg(card.profile_id).arg(card.id).execute(connection)?;
    for Replaced { cycle, on, closing, former_closing } in replaced {
        with_args(
            "insert into card_cycles (profile_id, account_id, replaced_on, closing_day, due_day, closes_on, former_closing)
            values ($1, $2, $3, $4, $5, $6, $7)",
        )
        .arg(card.profile_id)
        .arg(card.id)
        .arg(*on)
        .arg(i16::from(cycle.closing_day))
        .arg(i16::from(cycle.due_day))
        .arg(*closing)
        .arg(*former_closing)
        .execute(connection)?;
    }
    Ok(())
}

fn dates(connection: &mut PgConnection, card: &CardRow) -> QueryResult<Vec<(Date, BillDates)>> {
    let query = with_args(
        "select scheduled_closing, closing_date, due_date from bill_dates where profile_id = $1 and account_id = $2",
    );
    let rows: Vec<DatesRow> = query.arg(card.profile_id).arg(card.id).load(connection)?;
    let dates = |row: DatesRow| (row.scheduled_closing, BillDates { closing: row.closing_date, due: row.due_date });
    Ok(rows.into_iter().map(dates).collect())
}

fn bills(connection: &mut PgConnection, card: &CardRow) -> QueryResult<Vec<StoredBill>> {
    let query = with_args(
        "select id, period_start, period_end, due_date, following_end
        from credit_bills where profile_id = $1 and account_id = $2",
    );
    let rows: Vec<BillRow> = query.arg(card.profile_id).arg(card.id).load(connection)?;
    let bill = |row: BillRow| StoredBill {
        id: BillId(row.id),
        period: Period { start: row.period_start, end: row.period_end, due: row.due_date },
        paid: PaymentDates { until: row.following_end, also: None, except: None },
    };
    Ok(rows.into_iter().map(bill).collect())
}
