//! The data that only a forecast reads: rows of the days ahead, sums of the bills ahead, and spending.

use std::sync::LazyLock;

use const_format::{concatcp, formatcp};
use diesel::QueryableByName;
use diesel::sql_types::{BigInt, Bool, Date as SqlDate, Nullable, Numeric, Text};
use finance_domain::accounts::AccountKind;
use finance_domain::forecast::{CardDay, EventsLeftOut, ForecastRepo, KnownIncome, LaterRow, LaterRows};
use finance_domain::transactions::Kind;
use finance_domain::{AccountId, CategoryId, Money, Month, Result, TransactionId};
use time::Date;

use crate::dashboard::{FIRST_MONTH, HAS_PENDING_BILLS, OF_MONTHS};
use crate::numeric::{Hundredths, bigint};
use crate::repo::PgRepo;
use crate::row::row;
use crate::sql::{Arguments, Cache, column, unnest};
use crate::sums::COUNTS;
use crate::words::StoredWord;

row! { struct KnownIncomeRow {
    sum: Option<Hundredths> [Nullable<Numeric>],
    first: Option<Date> [Nullable<SqlDate>],
    has_pending_bills: bool [Bool],
} }

row! { struct LaterRecord {
    id: Option<i64> [Nullable<BigInt>],
    account_id: Option<i64> [Nullable<BigInt>],
    date: Date [SqlDate],
    kind: StoredWord<Kind> [Text],
    /// That of accounts that are foreseen, as far as several rows are one.
    amount: Hundredths [Numeric],
    description: Option<String> [Nullable<Text>],
    is_transfer: bool [Bool],
    is_internal: bool [Bool],
    is_foreseen: bool [Bool],
    is_spendable: bool [Bool],
    spendable: Hundredths [Numeric],
} }

impl LaterRecord {
    /// The row. None of several rows that are one.
    fn shown(self) -> Option<LaterRow> {
        let LaterRecord { date, is_transfer, is_internal, is_foreseen, is_spendable, .. } = self;
        Some(LaterRow {
            id: TransactionId(self.id?),
            account_id: AccountId(self.account_id?),
            date,
            kind: self.kind.0,
            amount: self.amount.into(),
            description: self.description?,
            is_transfer,
            is_internal,
            is_foreseen,
            is_spendable,
        })
    }

    /// Its amounts only.
    fn left_out(self) -> EventsLeftOut {
        let signed = |counts: bool, amount: Hundredths| {
            let amount = if counts { amount.into() } else { Money::ZERO };
            self.kind.0.sign(amount)
        };
        EventsLeftOut {
            date: self.date,
            amount: signed(self.is_foreseen, self.amount),
            spendable: signed(self.is_spendable, self.spendable),
        }
    }
}

row! { struct CardDayRow {
    account_id: i64 [BigInt],
    date: Date [SqlDate],
    is_payment_date: bool [Bool],
    total: Hundredths [Numeric],
    installments: Hundredths [Numeric],
} }

row! { struct SpentRow {
    month: Date [SqlDate],
    spent: Hundredths [Numeric],
} }

/// The kinds of account that people spend from.
const SPENT_FROM: &str = concatcp!("('", AccountKind::Current.as_str(), "', '", AccountKind::Savings.as_str(), "')");

/// The rows `t` of accounts `a` that a forecast looks at, after the day $2. Each account's days ahead are looked up in the index,
/// whatever the day (see `sql`).
const LATER_OF_ACCOUNTS: &str = formatcp!(
    "(
        select id, kind in {SPENT_FROM} as is_foreseen,
            coalesce(is_spendable, kind = '{current}') and kind <> '{credit}' as is_spendable
        from accounts where profile_id = $1
    ) a
    cross join lateral (
        select * from transactions t
        where t.profile_id = $1 and t.account_id = a.id and t.date > (select $2::date)
        offset 0
    ) t
    where a.is_foreseen or a.is_spendable",
    current = AccountKind::Current.as_str(),
    credit = AccountKind::Credit.as_str(),
);

/// What is read of such a row.
const LATER_COLUMNS: &str = formatcp!(
    "t.id, t.account_id, t.date, t.kind, t.amount, t.description, t.is_transfer,
    t.transfer_id is not null and exists (
        select from transactions other
        join accounts b on b.profile_id = $1 and b.id = other.account_id and b.kind in {SPENT_FROM}
        where other.profile_id = $1 and other.transfer_id = t.transfer_id and other.id <> t.id and other.date = t.date
    ) as is_internal, a.is_foreseen, a.is_spendable"
);

/// The first $3 rows.
static FIRST_LATER: LazyLock<String> = LazyLock::new(|| {
    format!(
        "select {LATER_COLUMNS}, t.amount as spendable from {LATER_OF_ACCOUNTS}
        order by t.date, t.id
        limit (select $3::bigint)"
    )
});

/// The first $4 rows until the day $3, and what the others come to by day and type.
static LATER: LazyLock<String> = LazyLock::new(|| {
    format!(
        "with later as (
            select {LATER_COLUMNS}, row_number() over (order by t.date, t.id) as place from {LATER_OF_ACCOUNTS}
        )
        select id, account_id, date, kind, amount, description, is_transfer, is_internal, is_foreseen, is_spendable,
            amount as spendable
        from later where place <= (select $4::bigint) and date <= (select $3::date)
        union all
        select null, null, date, kind, coalesce(sum(amount) filter (where is_foreseen), 0), null, false, false, true, true,
            coalesce(sum(amount) filter (where is_spendable), 0)
        from later where place > (select $4::bigint) or date > (select $3::date)
        group by date, kind
        order by date, id nulls last"
    )
});

/// An aggregate without groups has one row, also of a profile without sums.
const KNOWN_INCOME: &str = formatcp!(
    "select sum(sums.income) as sum, {FIRST_MONTH} as first, {HAS_PENDING_BILLS} as has_pending_bills
    from month_totals sums where {OF_MONTHS}"
);

impl ForecastRepo for PgRepo<'_> {
    fn known_income(&mut self, first: Month, last: Month) -> Result<KnownIncome> {
        let query = self.sql(KNOWN_INCOME).arg(first.first_day()).arg(last.first_day());
        let KnownIncomeRow { sum, first, has_pending_bills } = query.row(self.connection)?;
        let sum = sum.map(Money::from).unwrap_or_default();
        Ok(KnownIncome { sum, first: first.map(Month::of), has_pending_bills })
    }

    fn later_rows(&mut self, after: Date, last: Date, limit: usize) -> Result<LaterRows> {
        let query = self.sql(&*FIRST_LATER);
        let first: Vec<LaterRecord> = query.arg(after).arg(bigint(limit.saturating_add(1))?).rows(self.connection)?;
        let mut later = LaterRows::default();
        if first.len() <= limit {
            for row in first {
                match row.date <= last {
                    true => later.first.extend(row.shown()),
                    false => later.others.push(row.left_out()),
                }
            }
            return Ok(later);
        }
        let query = self.sql(&*LATER);
        let rows: Vec<LaterRecord> = query.arg(after).arg(last).arg(bigint(limit)?).rows(self.connection)?;
        for row in rows {
            match row.id {
                Some(_) => later.first.extend(row.shown()),
                None => later.others.push(row.left_out()),
            }
        }
        Ok(later)
    }

    fn card_days(&mut self, cards: &[(AccountId, Date)]) -> Result<Vec<CardDay>> {
        let day = |row: CardDayRow| CardDay {
            account_id: AccountId(row.account_id),
            date: row.date,
            is_payment_date: row.is_payment_date,
            total: row.total.into(),
            installments: row.installments.into(),
        };
        let query = self.sql(format!(
            "select t.account_id, t.date, t.original_date is not null as is_payment_date,
                sum(case when t.kind = '{expense}' then t.amount else -t.amount end) as total,
                coalesce(sum(t.amount) filter (where t.kind = '{expense}' and t.installment_count is not null), 0)
                    as installments
            from {wanted} as card (id, first)
            cross join lateral (
                select * from transactions t
                where t.profile_id = $1 and t.account_id = card.id and t.date >= card.first and {COUNTS}
                offset 0
            ) t
            group by 1, 2, 3",
            expense = Kind::Expense.as_str(),
            wanted = unnest(2, &["bigint", "date"]),
        ));
        query.arg(column(cards, |(id, _)| id.0)).arg(column(cards, |(_, first)| *first)).rows_as(self.connection, day)
    }

    fn ordinary_spending(
        &mut self,
        first: Month,
        last: Month,
        without: &[(TransactionId, Option<CategoryId>)],
    ) -> Result<Vec<(Month, Money)>> {
        self.sql(format!(
            "select date_trunc('month', t.date::timestamp)::date as month, sum(coalesce(l.amount, t.amount)) as spent
            from transactions t
            left join transaction_lines l on l.profile_id = $1 and l.transaction_id = t.id
            left join categories c on c.profile_id = $1 and c.id = coalesce(l.category_id, t.category_id)
            where t.profile_id = $1 and t.date between $2 and $3 and t.kind = '{expense}' and {COUNTS}
                and t.installment_count is null and not coalesce(c.is_tax, false)
                and case when t.is_split
                    then not exists (
                        select 1 from unnest($4::bigint[], $5::bigint[]) as taken (id, category_id)
                        where taken.id = t.id and coalesce(taken.category_id, l.category_id) = l.category_id
                    )
                    else t.id <> all($4) end
            group by 1",
            expense = Kind::Expense.as_str(),
        ))
        .arg(first.first_day())
        .arg(last.last_day())
        .arg(column(without, |(id, _)| id.0))
        .arg(column(without, |(_, category)| category.map(|id| id.0)))
        .rows_as(self.connection, |row: SpentRow| (Month::of(row.month), row.spent.into()))
    }
}
