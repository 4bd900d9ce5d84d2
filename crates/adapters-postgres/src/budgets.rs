//! Budgets by month, and the kept sums of categories by month.

use std::collections::HashMap;

use diesel::QueryableByName;
use diesel::sql_types::{Array, BigInt, Bool, Date as SqlDate, Nullable, Numeric};
use finance_domain::budgets::{BudgetChange, BudgetRepo, Budgets, CategorySums};
use finance_domain::{CategoryId, Money, Month, Result};
use time::Date;

use crate::numeric::Hundredths;
use crate::repo::PgRepo;
use crate::row::row;
use crate::sql::{Arguments, Cache, inserting, unnest};

/// The refunds in a row `sums` of `month_totals` of the `category`: the counterpart of
/// [`Sums::of_category`](finance_domain::refunds::Sums::of_category) in statements that must not read all sums.
pub(crate) const REFUNDS: &str = "case when category.nets_refunds then sums.income else 0 end";

/// The budget of a category of the profile $1 in the month that begins on `month`: the counterpart of [`Budgets::of`] in
/// statements that must not read all budgets. The arguments are SQL. Whether the profile has own amounts or former defaults at all is
/// looked up once for a statement, because most profiles have none.
pub(crate) fn budget_of(category: &str, default: &str, month: &str) -> String {
    format!(
        "(case when (select exists (select 1 from budgets where profile_id = $1 and month = {month}))
            or (select exists (select 1 from budget_defaults where profile_id = $1 and last_month >= {month}))
        then (
            select coalesce(own.amount, case when former.last_month is null then {default} else former.amount end)
            from (select 1) as one
            left join budgets own on own.profile_id = $1 and own.category_id = {category} and own.month = {month}
            left join lateral (
                select last_month, amount from budget_defaults
                where profile_id = $1 and category_id = {category} and last_month >= {month}
                order by last_month limit 1
            ) as former on true
        ) else {default} end)"
    )
}

row! { struct BudgetRow {
    category_id: i64 [BigInt],
    month: Date [SqlDate],
    amount: Option<Hundredths> [Nullable<Numeric>],
    is_own: bool [Bool],
} }

row! {
    /// The sums of a category: an array for each column, in the order of the months.
    struct SumsRow {
        category_id: Option<i64> [Nullable<BigInt>],
        months: Vec<Date> [Array<SqlDate>],
        incomes: Vec<Hundredths> [Array<Numeric>],
        expenses: Vec<Hundredths> [Array<Numeric>],
    }
}

row! { struct MonthRow { month: Date [SqlDate] } }

fn ids(categories: Option<&[CategoryId]>) -> Option<Vec<i64>> {
    categories.map(|categories| categories.iter().map(|id| id.0).collect())
}

impl BudgetRepo for PgRepo<'_> {
    fn budget_list(
        &mut self,
        categories: Option<&[CategoryId]>,
        first: Month,
        last: Month,
    ) -> Result<HashMap<CategoryId, Budgets>> {
        let query = self.sql(
            "select category_id, month, amount, true as is_own from budgets
            where profile_id = $1 and month between (select $2::date) and (select $3::date)
                and ($4::bigint[] is null or category_id = any($4))
            union all
            select category_id, last_month, amount, false from budget_defaults
            where profile_id = $1 and last_month >= (select $2::date) and ($4::bigint[] is null or category_id = any($4))",
        );
        let rows: Vec<BudgetRow> =
            query.arg(first.first_day()).arg(last.first_day()).arg(ids(categories)).rows(self.connection)?;
        let mut found: HashMap<CategoryId, Budgets> = HashMap::new();
        for BudgetRow { category_id, month, amount, is_own } in rows {
            let budgets = found.entry(CategoryId(category_id)).or_default();
            let (month, amount) = (Month::of(month), amount.map(Money::from));
            match amount {
                Some(amount) if is_own => budgets.add_own(month, amount),
                amount => budgets.add_former(month, amount),
            }
        }
        Ok(found)
    }

    fn budget_set(&mut self, month: Month, changes: &[BudgetChange]) -> Result<()> {
        let (set, removed): (Vec<&BudgetChange>, Vec<&BudgetChange>) =
            changes.iter().partition(|change| change.amount.is_some());
        let categories: Vec<i64> = changes.iter().map(|change| change.category_id.0).collect();
        self.watch("budgets", "category_id = any($2)", &categories)?;
        if !removed.is_empty() {
            self.sql("delete from budgets where profile_id = $1 and month = $2 and category_id = any($3)")
                .arg(month.first_day())
                .arg(removed.iter().map(|change| change.category_id.0).collect::<Vec<_>>())
                .run(self.connection)?;
        }
        if !set.is_empty() {
            self.sql(inserting(&format!(
                "insert into budgets (profile_id, category_id, month, amount)
                select $1, given.category_id, $2, given.amount from {} as given (category_id, amount)
                on conflict (profile_id, category_id, month) do update set amount = excluded.amount",
                unnest(3, &["bigint", "numeric"])
            )))
            .arg(month.first_day())
            .arg(set.iter().map(|change| change.category_id.0).collect::<Vec<_>>())
            .arg(set.iter().filter_map(|change| change.amount).map(Hundredths::from).collect::<Vec<_>>())
            .run(self.connection)?;
        }
        Ok(())
    }

    fn budget_default_keep(&mut self, id: CategoryId, last: Month, amount: Option<Money>) -> Result<()> {
        self.watch("budget_defaults", "category_id = any($2)", &[id.0])?;
        let query = self.sql(
            "insert into budget_defaults (profile_id, category_id, last_month, amount) values ($1, $2, $3, $4)
            on conflict (profile_id, category_id, last_month) do nothing",
        );
        query.arg(id.0).arg(last.first_day()).arg(amount.map(Hundredths::from)).run(self.connection)
    }

    fn category_months(
        &mut self,
        categories: Option<&[CategoryId]>,
        first: Month,
        last: Month,
    ) -> Result<Vec<CategorySums>> {
        let query = self.sql(
            "select nullif(category_id, 0) as category_id, array_agg(month::date order by month) as months,
                array_agg(income order by month) as incomes, array_agg(expenses order by month) as expenses
            from month_totals
            where profile_id = $1 and month between (select $2::date) and (select $3::date)
                and ($4::bigint[] is null or category_id = any($4))
            group by month_totals.category_id",
        );
        let rows: Vec<SumsRow> =
            query.arg(first.first_day()).arg(last.first_day()).arg(ids(categories)).rows(self.connection)?;
        let mut sums = Vec::new();
        for SumsRow { category_id, months, incomes, expenses } in rows {
            let category_id = category_id.map(CategoryId);
            sums.extend(months.into_iter().zip(incomes).zip(expenses).map(|((month, income), expenses)| {
                CategorySums { category_id, month: Month::of(month), income: income.into(), expenses: expenses.into() }
            }));
        }
        Ok(sums)
    }

    fn first_month(&mut self) -> Result<Option<Month>> {
        let query = self.sql("select month from month_totals where profile_id = $1 order by month limit 1");
        let found: Option<MonthRow> = query.row_if_any(self.connection)?;
        Ok(found.map(|row| Month::of(row.month)))
    }
}
