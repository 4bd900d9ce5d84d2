//! The sums of the dashboard, one query each, from the totals by month and category that `sums.rs` keeps. None adds up
//! transactions.

use diesel::prelude::*;
use diesel::sql_types::{BigInt, Date as SqlDate, Nullable, Numeric, Text};
use diesel::{QueryableByName, sql_query};
use finance_domain::dashboard::{CategorySpending, DashboardRepo, MonthTotals};
use finance_domain::{CategoryId, Money, Month, Result};
use time::Date;

use crate::constraints::error;
use crate::numeric::Hundredths;
use crate::repo::PgRepo;
use crate::statement::Cache;

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
struct MonthRow {
    #[diesel(sql_type = SqlDate)]
    month: Date,
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
            "select month, sum(income) as income, sum(expenses) as expenses,
                coalesce(sum(expenses) filter (where category_id in
                    (select id from categories where profile_id = $1 and is_tax)), 0) as taxes
            from month_totals
            where profile_id = $1 and month between $2 and $3
            group by month
            order by month",
        )
        .bind::<BigInt, _>(self.profile_id.0)
        .bind::<SqlDate, _>(first.first_day())
        .bind::<SqlDate, _>(last.first_day())
        .cached()
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

    fn first_month(&mut self) -> Result<Option<Month>> {
        // The first entry of the index of the sums.
        let row: Option<MonthRow> =
            sql_query("select month from month_totals where profile_id = $1 order by month limit 1")
                .bind::<BigInt, _>(self.profile_id.0)
                .cached()
                .get_result(self.connection)
                .optional()
                .map_err(error)?;
        Ok(row.map(|row| Month::of(row.month)))
    }

    fn spending_by_category(&mut self, month: Month) -> Result<Vec<CategorySpending>> {
        let rows: Vec<SpendingRow> = sql_query(
            "select nullif(spent.category_id, 0) as category_id, categories.name, spent.expenses as total, categories.monthly_budget
            from month_totals as spent
            left join categories on categories.profile_id = $1 and categories.id = spent.category_id
            where spent.profile_id = $1 and spent.month = $2 and spent.expenses > 0
            order by spent.expenses desc, categories.name_key, spent.category_id",
        )
        .bind::<BigInt, _>(self.profile_id.0)
        .bind::<SqlDate, _>(month.first_day())
        .cached()
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
