//! The data that only a forecast reads: rows of the days ahead, sums of the bills ahead, and spending.

use const_format::concatcp;
use diesel::sql_types::{Array, BigInt, Bool, Date as SqlDate, Nullable, Numeric, Text};
use diesel::{QueryableByName, RunQueryDsl, sql_query};
use finance_domain::accounts::AccountKind;
use finance_domain::forecast::{CardDay, EventsLeftOut, ForecastRepo, LaterRow, LaterRows};
use finance_domain::transactions::Kind;
use finance_domain::{AccountId, CategoryId, Money, Month, Result, TransactionId};
use time::Date;

use crate::constraints::error;
use crate::numeric::{Hundredths, bigint};
use crate::repo::PgRepo;
use crate::sql::{Cache, unnest};
use crate::sums::COUNTS;
use crate::words::StoredWord;

#[derive(QueryableByName)]
struct LaterRecord {
    #[diesel(sql_type = Nullable<BigInt>)]
    id: Option<i64>,
    #[diesel(sql_type = Nullable<BigInt>)]
    account_id: Option<i64>,
    #[diesel(sql_type = SqlDate)]
    date: Date,
    #[diesel(sql_type = Text)]
    kind: StoredWord<Kind>,
    #[diesel(sql_type = Numeric)]
    amount: Hundredths,
    #[diesel(sql_type = Nullable<Text>)]
    description: Option<String>,
    #[diesel(sql_type = Bool)]
    is_transfer: bool,
    #[diesel(sql_type = Bool)]
    is_internal: bool,
    #[diesel(sql_type = Bool)]
    is_foreseen: bool,
    #[diesel(sql_type = Bool)]
    is_spendable: bool,
    #[diesel(sql_type = Numeric)]
    spendable: Hundredths,
}

#[derive(QueryableByName)]
struct CardDayRow {
    #[diesel(sql_type = BigInt)]
    account_id: i64,
    #[diesel(sql_type = SqlDate)]
    date: Date,
    #[diesel(sql_type = Bool)]
    is_payment_date: bool,
    #[diesel(sql_type = Numeric)]
    total: Hundredths,
    #[diesel(sql_type = Numeric)]
    installments: Hundredths,
}

#[derive(QueryableByName)]
struct SpentRow {
    #[diesel(sql_type = SqlDate)]
    month: Date,
    #[diesel(sql_type = Numeric)]
    spent: Hundredths,
}

/// The kinds of account that people spend from.
const SPENT_FROM: &str = concatcp!("('", AccountKind::Current.as_str(), "', '", AccountKind::Savings.as_str(), "')");

impl ForecastRepo for PgRepo<'_> {
    fn later_rows(&mut self, after: Date, last: Date, limit: usize) -> Result<LaterRows> {
        let limit = bigint(limit)?;
        let rows: Vec<LaterRecord> = sql_query(format!(
            "with later as (
                select t.id, t.account_id, t.date, t.kind, t.amount, t.description, t.is_transfer,
                    t.transfer_id is not null and exists (
                        select from transactions other
                        join accounts b on b.profile_id = $1 and b.id = other.account_id and b.kind in {SPENT_FROM}
                        where other.profile_id = $1 and other.transfer_id = t.transfer_id and other.id <> t.id
                            and other.date = t.date
                    ) as is_internal,
                    row_number() over (order by t.date, t.id) as place, a.is_foreseen, a.is_spendable
                from (
                    select id, kind in {SPENT_FROM} as is_foreseen,
                        coalesce(is_spendable, kind = '{current}') and kind <> '{credit}' as is_spendable
                    from accounts where profile_id = $1
                ) a
                -- Each account's days ahead are looked up in the index, whatever the day (see `sql`).
                cross join lateral (
                    select * from transactions t
                    where t.profile_id = $1 and t.account_id = a.id and t.date > (select $2::date)
                    offset 0
                ) t
                where a.is_foreseen or a.is_spendable
            )
            select id, account_id, date, kind, amount, description, is_transfer, is_internal, is_foreseen, is_spendable,
                amount as spendable
            from later where place <= (select $4::bigint) and date <= (select $3::date)
            union all
            select null, null, date, kind, coalesce(sum(amount) filter (where is_foreseen), 0), null, false, false, true, true,
                coalesce(sum(amount) filter (where is_spendable), 0)
            from later where place > (select $4::bigint) or date > (select $3::date)
            group by date, kind
            order by date, id nulls last",
            current = AccountKind::Current.as_str(),
            credit = AccountKind::Credit.as_str(),
        ))
        .bind::<BigInt, _>(self.profile_id.0)
        .bind::<SqlDate, _>(after)
        .bind::<SqlDate, _>(last)
        .bind::<BigInt, _>(limit)
        .cached()
        .load(self.connection)
        .map_err(error)?;
        let mut later = LaterRows::default();
        for row in rows {
            let LaterRecord { date, kind, amount, is_transfer, is_internal, is_foreseen, is_spendable, .. } = row;
            let spendable = kind.0.sign(row.spendable.into());
            let amount: Money = amount.into();
            match (row.id, row.account_id, row.description) {
                (Some(id), Some(account_id), Some(description)) => later.first.push(LaterRow {
                    id: TransactionId(id),
                    account_id: AccountId(account_id),
                    date,
                    kind: kind.0,
                    amount,
                    description,
                    is_transfer,
                    is_internal,
                    is_foreseen,
                    is_spendable,
                }),
                _ => later.others.push(EventsLeftOut { date, amount: kind.0.sign(amount), spendable }),
            }
        }
        Ok(later)
    }

    fn card_days(&mut self, cards: &[(AccountId, Date)]) -> Result<Vec<CardDay>> {
        let rows: Vec<CardDayRow> = sql_query(format!(
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
        ))
        .bind::<BigInt, _>(self.profile_id.0)
        .bind::<Array<BigInt>, _>(cards.iter().map(|(id, _)| id.0).collect::<Vec<_>>())
        .bind::<Array<SqlDate>, _>(cards.iter().map(|(_, first)| *first).collect::<Vec<_>>())
        .cached()
        .load(self.connection)
        .map_err(error)?;
        let day = |row: CardDayRow| CardDay {
            account_id: AccountId(row.account_id),
            date: row.date,
            is_payment_date: row.is_payment_date,
            total: row.total.into(),
            installments: row.installments.into(),
        };
        Ok(rows.into_iter().map(day).collect())
    }

    fn ordinary_spending(
        &mut self,
        first: Month,
        last: Month,
        without: &[(TransactionId, Option<CategoryId>)],
    ) -> Result<Vec<(Month, Money)>> {
        let rows: Vec<SpentRow> = sql_query(format!(
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
        .bind::<BigInt, _>(self.profile_id.0)
        .bind::<SqlDate, _>(first.first_day())
        .bind::<SqlDate, _>(last.last_day())
        .bind::<Array<BigInt>, _>(without.iter().map(|(id, _)| id.0).collect::<Vec<_>>())
        .bind::<Array<Nullable<BigInt>>, _>(
            without.iter().map(|(_, category)| category.map(|id| id.0)).collect::<Vec<_>>(),
        )
        .cached()
        .load(self.connection)
        .map_err(error)?;
        Ok(rows.into_iter().map(|row| (Month::of(row.month), row.spent.into())).collect())
    }
}
