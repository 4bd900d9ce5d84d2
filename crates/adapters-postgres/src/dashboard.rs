//! The dashboard's sums: one query for each question, none of which reads more than its months.

use diesel::prelude::*;
use diesel::sql_types::{BigInt, Date as SqlDate, Nullable, Numeric, Text};
use diesel::{QueryableByName, sql_query};
use finance_domain::dashboard::{CategorySpending, DashboardRepo, MonthTotals};
use finance_domain::{CategoryId, Money, Month, Result};
use time::Date;

use crate::constraints::error;
use crate::numeric::Hundredths;
use crate::repo::PgRepo;

#[derive(QueryableByName)]
struct TotalsRow {
    #[diesel(sql_type = SqlDate)]
    month: Date,
    #[diesel(sql_type = Numeric)]
    income: Hundredths,
    #[diesel(sql_type = Numeric)]
    expenses: Hundredths,
    #[diesel(sql_type = Numeric)]
    taxes: Hundredths,
}

#[derive(QueryableByName)]
struct SpendingRow {
    #[diesel(sql_type = Nullable<BigInt>)]
    category_id: Option<i64>,
    #[diesel(sql_type = Nullable<Text>)]
    name: Option<String>,
    #[diesel(sql_type = Numeric)]
    total: Hundredths,
    #[diesel(sql_type = Nullable<Numeric>)]
    monthly_budget: Option<Hundredths>,
}

impl DashboardRepo for PgRepo<'_> {
    fn month_totals(&mut self, first: Month, last: Month) -> Result<Vec<MonthTotals>> {
        let rows: Vec<TotalsRow> = sql_query(
            "select date_trunc('month', date)::date as month,
                coalesce(sum(amount) filter (where kind = 'income'), 0) as income,
                coalesce(sum(amount) filter (where kind = 'expense'), 0) as expenses,
                coalesce(sum(amount) filter (where kind = 'expense' and category_id in
                    (select id from categories where profile_id = $1 and is_tax)), 0) as taxes
            from transactions
            where profile_id = $1 and date between $2 and $3 and source not in ('transfer', 'opening_balance')
            group by 1
            order by 1",
        )
        .bind::<BigInt, _>(self.profile_id.0)
        .bind::<SqlDate, _>(first.first_day())
        .bind::<SqlDate, _>(last.last_day())
        .load(self.connection)
        .map_err(error)?;
        Ok(rows
            .into_iter()
            .map(|row| MonthTotals {
                month: Month::of(row.month),
                income: row.income.into(),
                expenses: row.expenses.into(),
                taxes: row.taxes.into(),
            })
            .collect())
    }

    fn spending_by_category(&mut self, month: Month) -> Result<Vec<CategorySpending>> {
        let rows: Vec<SpendingRow> = sql_query(
            "select spent.category_id, categories.name, spent.total, categories.monthly_budget
            from (
                select category_id, sum(amount) as total
                from transactions
                where profile_id = $1 and date between $2 and $3 and kind = 'expense'
                    and source not in ('transfer', 'opening_balance')
                group by category_id
            ) as spent
            left join categories on categories.profile_id = $1 and categories.id = spent.category_id
            order by spent.total desc, categories.name_key, spent.category_id",
        )
        .bind::<BigInt, _>(self.profile_id.0)
        .bind::<SqlDate, _>(month.first_day())
        .bind::<SqlDate, _>(month.last_day())
        .load(self.connection)
        .map_err(error)?;
        Ok(rows
            .into_iter()
            .map(|row| CategorySpending {
                category_id: row.category_id.map(CategoryId),
                name: row.name,
                total: row.total.into(),
                monthly_budget: row.monthly_budget.map(Money::from),
            })
            .collect())
    }
}
