//! The stored rows that may cover a due, found by category, month and amount.

use std::sync::LazyLock;

use const_format::formatcp;
use diesel::QueryableByName;
use diesel::sql_types::{BigInt, Bool, Date as SqlDate, Nullable, Numeric, Text};
use finance_domain::pending_bills::PendingBillStatus;
use finance_domain::recurring::{AmountBand, CoveredBy, MatchTransaction, PartRow, PartWindow};
use finance_domain::transactions::Kind;
use finance_domain::{AccountId, CategoryId, Error, Month, Result, TransactionId};
use time::Date;

use super::{BY_DAYS, PURCHASE};
use crate::numeric::{Hundredths, bigint, bigints};
use crate::repo::PgRepo;
use crate::row::row;
use crate::sql::{Arguments, Cache, column, unnest};
use crate::sums::COUNTS;
use crate::words::StoredWord;

row! { struct PartRecord {
    window_number: i64 [BigInt],
    id: i64 [BigInt],
    date: Date [SqlDate],
    amount: Hundredths [Numeric],
    account_id: Option<i64> [Nullable<BigInt>],
    description: String [Text],
} }

row! { struct PointRow {
    id: i64 [BigInt],
    date: Date [SqlDate],
    kind: StoredWord<Kind> [Text],
    category_id: i64 [BigInt],
    amount: Hundredths [Numeric],
    account_id: Option<i64> [Nullable<BigInt>],
    is_held: bool [Bool],
} }

/// The amount band of the point `t` within its group.
const NUMBER: &str = "before + nullif(width_bucket(t.amount_cents, groups.cents), 0)";

/// Condition: the transaction of the point `t` confirms no recurring item, and is linked to none. A link to an item of the other type
/// covers nothing: the row or the item has changed its type since. Neither does what was said of a rhythm that the item has no more. The
/// item is looked up for what was said only, not joined with all of it.
const UNMARKED: &str = formatcp!(
    "not exists (select 1 from recurring_marks m where m.profile_id = $1 and m.transaction_id = t.id
        and (select not {BY_DAYS} from recurring r where r.profile_id = $1 and r.id = m.recurring_id))
    and not exists (select 1 from recurring_due_marks m where m.profile_id = $1 and m.transaction_id = t.id
        and (select {BY_DAYS} from recurring r where r.profile_id = $1 and r.id = m.recurring_id))
    and not exists (select 1 from recurring_links m where m.profile_id = $1 and m.transaction_id = t.id
        and (select r.kind = t.kind and {BY_DAYS} = m.is_by_due from recurring r where r.profile_id = $1 and r.id = m.recurring_id))"
);

/// How many rows are read without regard to bands. Few categories have more between the amounts of their items.
const ROWS_AT_ONCE: usize = 500;

/// The lines of split transactions from the day $2 to the day $3: a split transaction is one point for each of its lines.
static SPLIT: LazyLock<String> = LazyLock::new(|| {
    format!(
        "split as materialized (
            select t.id, {PURCHASE} as date, t.kind, l.category_id, l.amount, (l.amount * 100)::bigint as amount_cents, t.account_id
            from transactions t
            join transaction_lines l on l.profile_id = $1 and l.transaction_id = t.id
            where t.profile_id = $1 and t.is_split and t.purchase_month between (select $2::date) and (select $3::date) and {COUNTS}
        )"
    )
});

/// The points `t` of the `groups` until the day $3, each with the value `number`, which is SQL, and those of held statements too if
/// there are some.
///
/// `offset 0` makes the planner use the index by category. Without it the planner, which does not know the parameters of a prepared
/// statement, reads all rows of the months; with the values of arrays and dates it would plan each time, for longer than the statement
/// takes (see `sql`). The months are looked up one by one, so that the amounts bound what is read of the index: a range of months would
/// read all amounts. The months after $11, of which few have rows, are one range; those before are the array $10, of which PostgreSQL
/// expects ten: `generate_series` would make the plan look so expensive that changed statistics have it planned anew for thousands of
/// executions. The order is that of this index: of a profile that is new to its statistics, PostgreSQL expects one row, and would take
/// any index that begins with the profile.
fn points(number: &str, has_held: bool) -> String {
    let of_months = |months: &str| {
        format!(
            "select t.id, {PURCHASE} as date, t.kind, t.category_id, t.amount, t.amount_cents, t.account_id
            from transactions t
            where t.profile_id = $1 and t.category_id = groups.category_id and t.kind = groups.kind and {months}
                and t.amount_cents >= cents_min and t.amount_cents < cents_end and {COUNTS}"
        )
    };
    let held = format!(
        "union all
        select t.id, t.date, t.kind, t.category_id, t.amount, t.account_id, true, {number}
        from groups
        join (
            select row_number() over (order by b.id, t.position, l.position) as id, t.date, t.kind,
                coalesce(l.category_id, t.category_id) as category_id, coalesce(l.amount, t.amount) as amount,
                (coalesce(l.amount, t.amount) * 100)::bigint as amount_cents, b.account_id
            from pending_bills b
            join pending_bill_rows t on t.profile_id = $1 and t.pending_bill_id = b.id
            left join pending_bill_lines l on l.profile_id = $1 and l.pending_bill_id = b.id and l.row_position = t.position
            where b.profile_id = $1 and b.status = '{pending}' and not t.is_transfer and not t.is_stored
                and t.date between (select $2::date) and (select $3::date)
        ) t on t.category_id = groups.category_id and t.kind = groups.kind
        where t.date >= groups.since and t.amount_cents >= cents_min and t.amount_cents < cents_end",
        pending = PendingBillStatus::Pending.as_str(),
    );
    format!(
        "select t.id, t.date, t.kind, t.category_id, t.amount, t.account_id, false as is_held, {number} as number
        from groups
        cross join lateral (
            select t.*
            from unnest((select $10::date[])) as months (first)
            cross join lateral (
                {of_month}
                order by t.amount_cents
                offset 0
            ) t
            where months.first >= groups.since
            union all
            select t.* from (
                {of_later_months}
                order by t.purchase_month
                offset 0
            ) t
            union all
            select id, date, kind, category_id, amount, amount_cents, account_id from split t
            where t.category_id = groups.category_id and t.kind = groups.kind
                and t.date >= groups.since and t.amount_cents >= cents_min and t.amount_cents < cents_end
        ) t
        where {UNMARKED}
        {held}",
        of_month = of_months("t.purchase_month = months.first"),
        of_later_months = of_months(
            "t.purchase_month > (select $11::date) and t.purchase_month between groups.since and (select $3::date)"
        ),
        held = if has_held { held.as_str() } else { "" },
    )
}

/// The first $9 points between the amounts of each group.
fn first_points(has_held: bool) -> String {
    format!(
        "with groups as (
            select * from {wanted} as wanted (category_id, kind, since, cents_min, cents_end)
        ), {SPLIT}
        {points}
        limit (select $9::bigint)",
        wanted = unnest(4, &["bigint", "text", "date", "bigint", "bigint"]),
        points = points("null", has_held),
        SPLIT = *SPLIT,
    )
}

/// The points that may cover an item, of each month, band and account. Each row is read once and finds its amount band by a binary search.
/// A join with the items or their ranges would take time in proportion to rows × items. `placed` is materialized so that the sort
/// carries no arrays.
fn points_in_bands(has_held: bool) -> String {
    format!(
        "with groups as (
            select category_id, kind, since, before, cents, cents[1] as cents_min, cents[cardinality(cents)] as cents_end
            from (
                select category_id, kind, since, before, ($6::bigint[])[before + 1:until] as cents
                from unnest((select $4::bigint[]), (select $5::text[]), (select $8::date[]), (select $9::bigint[]), (select $12::bigint[]))
                    as wanted (category_id, kind, since, before, until)
            ) wanted
        ), {SPLIT}, placed as materialized (
            {points}
        ), candidates as (
            select placed.*, ($7::bigint[])[number] as items,
                row_number() over (of_band order by amount, is_held, id) as place,
                row_number() over (of_band order by amount desc, is_held, id) as place_from_highest
            from placed
            where ($7::bigint[])[number] > 0
            window of_band as (partition by date_trunc('month', date::timestamp), number, account_id)
        )
        select id, date, kind, category_id, amount, account_id, is_held from candidates
        where least(place, place_from_highest) <= items",
        points = points(NUMBER, has_held),
        SPLIT = *SPLIT,
    )
}

/// The statements without and with held statements.
static FIRST_POINTS: LazyLock<[String; 2]> = LazyLock::new(|| [false, true].map(first_points));
static POINTS_IN_BANDS: LazyLock<[String; 2]> = LazyLock::new(|| [false, true].map(points_in_bands));

impl PgRepo<'_> {
    /// Each window is looked up by itself in the index by category (see `sql`), whose order it asks for (see `rows_in_bands`).
    pub(super) fn rows_in_windows(&mut self, windows: &[PartWindow], limit: usize) -> Result<Vec<PartRow>> {
        let limit = bigint(limit)?;
        let query = self.sql(format!(
            "select wanted.number - 1 as window_number, t.id, t.date, t.amount, t.account_id, t.description
            from {wanted} with ordinality as wanted (category_id, kind, first, last, cents_min, cents_max, number)
            cross join lateral (
                select t.id, t.kind, {PURCHASE} as date, t.amount, t.account_id,
                    coalesce(t.statement_description_normalized, t.description_normalized) as description
                from transactions t
                where t.profile_id = $1 and t.category_id = wanted.category_id and t.kind = wanted.kind
                    and t.purchase_month between wanted.first and wanted.last
                    and t.amount_cents between wanted.cents_min and wanted.cents_max
                    and {COUNTS}
                order by t.purchase_month
                limit (select $8::bigint)
                offset 0
            ) t
            where {UNMARKED}",
            wanted = unnest(2, &["bigint", "text", "date", "date", "bigint", "bigint"]),
        ));
        let rows: Vec<PartRecord> = query
            .arg(column(windows, |window| window.category_id.0))
            .arg(column(windows, |window| window.kind.as_str()))
            .arg(column(windows, |window| window.first.first_day()))
            .arg(column(windows, |window| window.last.first_day()))
            .arg(bigints(windows, |window| window.amount_min.cents())?)
            .arg(bigints(windows, |window| window.amount_max.cents())?)
            .arg(limit)
            .rows(self.connection)?;
        let part = |row: PartRecord| {
            let at = usize::try_from(row.window_number).map_err(|error| Error::Internal(Box::new(error)))?;
            let window = windows.get(at).ok_or_else(|| Error::Internal("a part of no window".into()))?;
            let transaction = MatchTransaction {
                id: CoveredBy::Transaction(TransactionId(row.id)),
                kind: window.kind,
                category_id: window.category_id,
                amount: row.amount.into(),
                account_id: row.account_id.map(AccountId),
            };
            Ok(PartRow { window: at, row: transaction, date: row.date, description: row.description })
        };
        rows.into_iter().map(part).collect()
    }

    /// See [`recurring_transactions`](finance_domain::recurring::RecurringRepo::recurring_transactions). While there are few rows between
    /// the amounts of the items, all of them.
    pub(super) fn rows_in_bands(
        &mut self,
        (this_month, last): (Month, Month),
        bands: &[AmountBand],
        has_held: bool,
    ) -> Result<Vec<(Date, MatchTransaction)>> {
        let cents = |band: &AmountBand| band.amount_min.cents();
        let groups: Vec<&[AmountBand]> =
            bands.chunk_by(|one, next| (one.category_id, one.kind) == (next.category_id, next.kind)).collect();
        let since: Vec<Date> = groups.iter().map(|group| group[0].since.first_day()).collect();
        let Some(first) = since.iter().copied().min() else { return Ok(Vec::new()) };
        let begun = this_month.min(last).since(Month::of(first));
        let months: Vec<Date> = (0..=begun).map(|later| Month::of(first).plus(later).first_day()).collect();
        let categories: Vec<i64> = groups.iter().map(|group| group[0].category_id.0).collect();
        let kinds: Vec<&str> = groups.iter().map(|group| group[0].kind.as_str()).collect();
        let lowest = bigints(&groups, |group| cents(&group[0]))?;
        let ends = bigints(&groups, |group| cents(&group[group.len() - 1]))?;
        let query = self.sql(&*FIRST_POINTS[usize::from(has_held)]);
        let mut rows: Vec<PointRow> = query
            .arg(first)
            .arg(last.last_day())
            .arg(&categories)
            .arg(&kinds)
            .arg(&since)
            .arg(lowest)
            .arg(ends)
            .arg(bigint(ROWS_AT_ONCE + 1)?)
            .arg(&months)
            .arg(this_month.first_day())
            .rows(self.connection)?;
        if rows.len() > ROWS_AT_ONCE {
            // How many bands are before those of each group, and until their end.
            let mut until: Vec<i64> = Vec::with_capacity(groups.len());
            for group in &groups {
                until.push(until.last().copied().unwrap_or(0) + bigint(group.len())?);
            }
            let before: Vec<i64> = std::iter::once(0).chain(until.iter().copied()).take(groups.len()).collect();
            rows = self
                .sql(&*POINTS_IN_BANDS[usize::from(has_held)])
                .arg(first)
                .arg(last.last_day())
                .arg(categories)
                .arg(kinds)
                .arg(bigints(bands, cents)?)
                .arg(bigints(bands, |band| band.items)?)
                .arg(since)
                .arg(before)
                .arg(months)
                .arg(this_month.first_day())
                .arg(until)
                .rows(self.connection)?;
        }
        rows.sort_unstable_by_key(|row| (row.is_held, row.id));
        let found = rows.into_iter().map(|row| {
            let id = match row.is_held {
                true => CoveredBy::Held(row.id),
                false => CoveredBy::Transaction(TransactionId(row.id)),
            };
            let (category_id, account_id) = (CategoryId(row.category_id), row.account_id.map(AccountId));
            let amount = row.amount.into();
            (row.date, MatchTransaction { id, kind: row.kind.0, category_id, amount, account_id })
        });
        Ok(found.collect())
    }
}
