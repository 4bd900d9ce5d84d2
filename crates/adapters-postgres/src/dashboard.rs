//! The sums of the dashboard, from the totals by month and category that `sums.rs` keeps. No query adds up transactions.

use diesel::prelude::*;
use diesel::sql_types::{BigInt, Date as SqlDate, Nullable, Numeric, Text};
use diesel::{QueryableByName, sql_query};
use finance_domain::dashboard::{CategorySpending, DashboardRepo, MonthFigures, MonthTotals};
use finance_domain::{CategoryId, Money, Month, Result};
use time::Date;

use crate::constraints::error;
use crate::numeric::Hundredths;
use crate::repo::PgRepo;
use crate::statement::Cache;

/// One of three: the totals of a month, if `income` is set; the spending of a category, if only `expenses` is set; otherwise the
/// first month.
#[derive(QueryableByName)]
struct FigureRow {
    #[diesel(sql_type = Nullable<SqlDate>)]
    month: Option<Date>,
    #[diesel(sql_type = Nullable<Numeric>)]
    income: Option<Hundredths>,
    #[diesel(sql_type = Nullable<Numeric>)]
    expenses: Option<Hundredths>,
    #[diesel(sql_type = Nullable<Numeric>)]
    taxes: Option<Hundredths>,
    #[diesel(sql_type = Nullable<BigInt>)]
    category_id: Option<i64>,
    #[diesel(sql_type = Nullable<Text>)]
    name: Option<String>,
    #[diesel(sql_type = Nullable<Numeric>)]
    monthly_budget: Option<Hundredths>,
}

impl DashboardRepo for PgRepo<'_> {
    fn month_figures(&mut self, first: Month, last: Month) -> Result<MonthFigures> {
        // The first month is the first entry of the index of the sums.
        let rows: Vec<FigureRow> = sql_query(
            "with known as materialized (
                select sums.month, sums.category_id, sums.income, sums.expenses,
                    c.is_tax, c.name, c.name_key, c.monthly_budget
                from month_totals sums
                left join categories c on c.profile_id = $1 and c.id = sums.category_id
                where sums.profile_id = $1 and sums.month between (select $2::date) and (select $3::date)
            )
            select month, sum(income) as income, sum(expenses) as expenses,
                coalesce(sum(expenses) filter (where is_tax), 0) as taxes,
                null::bigint as category_id, null as name, null as name_key, null::numeric as monthly_budget
            from known
            group by month
            union all
            select null, null, expenses, null, nullif(category_id, 0), name, name_key, monthly_budget
            from known
            where month = (select $3::date) and expenses > 0
            union all
            (select month, null, null, null, null, null, null, null
            from month_totals where profile_id = $1 order by month limit 1)
            order by month, expenses desc, name_key, category_id",
        )
        .bind::<BigInt, _>(self.profile_id.0)
        .bind::<SqlDate, _>(first.first_day())
        .bind::<SqlDate, _>(last.first_day())
        .cached()
        .load(self.connection)
        .map_err(error)?;
        let mut figures = MonthFigures::default();
        for row in rows {
            match (row.month.map(Month::of), row.income, row.expenses) {
                (Some(month), Some(income), Some(expenses)) => figures.totals.push(MonthTotals {
                    month,
                    income: income.into(),
                    expenses: expenses.into(),
                    taxes: row.taxes.map(Money::from).unwrap_or_default(),
                }),
                (None, _, Some(total)) => figures.spending.push(CategorySpending {
                    category_id: row.category_id.map(CategoryId),
                    name: row.name,
                    total: total.into(),
                    monthly_budget: row.monthly_budget.map(Money::from),
                }),
                (first_month, ..) => figures.first_month = first_month,
            }
        }
        Ok(figures)
    }
}
