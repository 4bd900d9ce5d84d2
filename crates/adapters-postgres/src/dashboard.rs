//! The sums of the dashboard, from the totals by month and category that `sums.rs` keeps. No query adds up transactions.

use std::sync::LazyLock;

use const_format::formatcp;
use diesel::QueryableByName;
use diesel::sql_types::{BigInt, Bool, Date as SqlDate, Nullable, Numeric, Text};
use finance_domain::dashboard::{CategorySpending, DashboardRepo, MonthFigures, MonthTotals};
use finance_domain::pending_bills::PendingBillStatus;
use finance_domain::refunds::Sums;
use finance_domain::transactions::Kind;
use finance_domain::{CategoryId, Money, Month, Result};
use time::Date;

use crate::budgets::{REFUNDS, budget_of};
use crate::numeric::Hundredths;
use crate::repo::PgRepo;
use crate::row::row;
use crate::sql::{Arguments, Cache, unnest};
use crate::sums::COUNTS;

row! {
    /// One of three: the totals of a month, if `taxes` is set; the sums of a category, if only `expenses` is set; otherwise the first
    /// month, and what is said of the profile.
    struct FigureRow {
        month: Option<Date> [Nullable<SqlDate>],
        income: Option<Hundredths> [Nullable<Numeric>],
        expenses: Option<Hundredths> [Nullable<Numeric>],
        refunds: Option<Hundredths> [Nullable<Numeric>],
        taxes: Option<Hundredths> [Nullable<Numeric>],
        category_id: Option<i64> [Nullable<BigInt>],
        name: Option<String> [Nullable<Text>],
        monthly_budget: Option<Hundredths> [Nullable<Numeric>],
        budget: Option<Hundredths> [Nullable<Numeric>],
        carry_since: Option<Date> [Nullable<SqlDate>],
        has_pending_bills: Option<bool> [Nullable<Bool>],
        /// The sum of all budgets.
        planned: Option<Hundredths> [Nullable<Numeric>],
        /// Whether any month has a budget.
        has_budgets: Option<bool> [Nullable<Bool>],
        /// The goal of savings, if the settings were stored.
        savings_goal_pct: Option<Hundredths> [Nullable<Numeric>],
    }
}

row! { struct AmountRow { amount: Option<Hundredths> [Nullable<Numeric>] } }

/// Condition: the row `sums` of `month_totals` is of a month from $2 to $3.
pub(crate) const OF_MONTHS: &str =
    "sums.profile_id = $1 and sums.month between (select $2::date) and (select $3::date)";

/// The first month of all, which is the first entry of the index of the sums.
pub(crate) const FIRST_MONTH: &str = "(select month from month_totals where profile_id = $1 order by month limit 1)";

/// Whether there are pending card statements.
pub(crate) const HAS_PENDING_BILLS: &str = formatcp!(
    "exists (select from pending_bills where profile_id = $1 and status = '{}')",
    PendingBillStatus::Pending.as_str()
);

static FIGURES: LazyLock<String> = LazyLock::new(|| {
    format!(
        "with own as materialized (
            select category.id, category.name, category.name_key, category.monthly_budget, category.carry_since, category.is_tax,
                category.nets_refunds, {budget} as budget
            from categories category
            where category.profile_id = $1
        ), known as materialized (
            select sums.month, sums.category_id, sums.income, sums.expenses, {REFUNDS} as refunds, category.is_tax, category.name,
                category.name_key, category.monthly_budget, category.budget, category.carry_since
            from month_totals sums
            left join own category on category.id = sums.category_id
            where {OF_MONTHS}
        )
        select month, sum(income) as income, sum(expenses) as expenses, sum(refunds) as refunds,
            coalesce(sum(expenses) filter (where is_tax), 0) as taxes, null::boolean as has_pending_bills,
            null::bigint as category_id, null as name, null as name_key, null::numeric as monthly_budget, null::numeric as budget,
            null::date as carry_since, null::numeric as planned, null::boolean as has_budgets, null::numeric as savings_goal_pct
        from known
        group by month
        union all
        select null, income, expenses, refunds, null, null, nullif(category_id, 0), name, name_key, monthly_budget, budget,
            carry_since, null, null, null
        from known
        where month = (select $3::date) and expenses > 0
        union all
        select {FIRST_MONTH}, null, null, null, null, {HAS_PENDING_BILLS}, null, null, null, null, null, null,
            (select sum(budget) from own),
            exists (select from own where monthly_budget is not null)
                or exists (select from budgets where profile_id = $1) or exists (select from budget_defaults where profile_id = $1),
            (select savings_goal_pct from settings where profile_id = $1)
        order by month, expenses desc, name_key, category_id",
        budget = budget_of("category.id", "category.monthly_budget", "(select $3::date)"),
    )
});

impl FigureRow {
    fn sums(&self) -> Sums {
        let money = |value: Option<Hundredths>| value.map(Money::from).unwrap_or_default();
        Sums { income: money(self.income), expenses: money(self.expenses), refunds: money(self.refunds) }
    }
}

impl DashboardRepo for PgRepo<'_> {
    fn month_figures(&mut self, first: Month, last: Month) -> Result<MonthFigures> {
        let query = self.sql(&*FIGURES).arg(first.first_day()).arg(last.first_day());
        let rows: Vec<FigureRow> = query.rows(self.connection)?;
        let mut figures = MonthFigures::default();
        for row in rows {
            let sums = row.sums();
            match (row.month.map(Month::of), row.taxes.map(Money::from)) {
                (Some(month), Some(taxes)) => {
                    let Sums { income, expenses, refunds } = sums;
                    figures.totals.push(MonthTotals { month, income, expenses, taxes, refunds });
                }
                _ if row.expenses.is_some() => figures.spending.push(CategorySpending {
                    category_id: row.category_id.map(CategoryId),
                    name: row.name,
                    sums,
                    monthly_budget: row.monthly_budget.map(Money::from),
                    budget: row.budget.map(Money::from),
                    carry_since: row.carry_since.map(Month::of),
                }),
                (first, _) => {
                    figures.first = first;
                    figures.has_pending_bills = row.has_pending_bills == Some(true);
                    figures.planned = row.planned.map(Money::from);
                    figures.has_budgets = row.has_budgets == Some(true);
                    figures.savings_goal_pct = row.savings_goal_pct.map(Into::into);
                }
            }
        }
        Ok(figures)
    }

    fn spent_in(&mut self, periods: &[(Date, Date)]) -> Result<Vec<Money>> {
        // Each period is the range of an index. Lines and categories are looked up for income only: all of an expense is spent.
        let query = format!(
            "select spent.amount
            from {wanted} with ordinality as period (first, last, place)
            cross join lateral (
                select sum(case
                    when t.kind = '{expense}' then t.amount
                    when t.is_split then -(
                        select sum(l.amount) from transaction_lines l
                        join categories c on c.profile_id = $1 and c.id = l.category_id and c.nets_refunds
                        where l.profile_id = $1 and l.transaction_id = t.id
                    )
                    when t.category_id in (select c.id from categories c where c.profile_id = $1 and c.nets_refunds) then -t.amount
                end) as amount
                from transactions t
                where t.profile_id = $1 and t.date between period.first and period.last and {COUNTS}
            ) spent
            order by period.place",
            wanted = unnest(2, &["date", "date"]),
            expense = Kind::Expense.as_str(),
        );
        self.sql(query)
            .arg(periods.iter().map(|(first, _)| *first).collect::<Vec<_>>())
            .arg(periods.iter().map(|(_, last)| *last).collect::<Vec<_>>())
            .rows_as(self.connection, |row: AmountRow| row.amount.map(Money::from).unwrap_or_default())
    }
}
