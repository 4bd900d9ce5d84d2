//! The sums of the dashboard, from the totals by month and category that `sums.rs` keeps. No query adds up transactions.

use std::sync::LazyLock;

use const_format::formatcp;
use diesel::QueryableByName;
use diesel::pg::Pg;
use diesel::sql_types::{BigInt, Bool, Date as SqlDate, Nullable, Numeric, Text};
use finance_domain::dashboard::{CategorySpending, DashboardRepo, KnownMonths, MonthFigures, MonthTotals};
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
    /// month, and whether there are pending card statements.
    struct TotalsRow {
        month: Option<Date> [Nullable<SqlDate>],
        income: Option<Hundredths> [Nullable<Numeric>],
        expenses: Option<Hundredths> [Nullable<Numeric>],
        refunds: Option<Hundredths> [Nullable<Numeric>],
        taxes: Option<Hundredths> [Nullable<Numeric>],
        has_pending_bills: Option<bool> [Nullable<Bool>],
    }
}

/// The same, and what is said of the category, or with the first month, of the profile.
#[derive(QueryableByName)]
struct FigureRow {
    #[diesel(embed)]
    totals: TotalsRow,
    #[diesel(sql_type = Nullable<BigInt>)]
    category_id: Option<i64>,
    #[diesel(sql_type = Nullable<Text>)]
    name: Option<String>,
    #[diesel(sql_type = Nullable<Numeric>)]
    monthly_budget: Option<Hundredths>,
    #[diesel(sql_type = Nullable<Numeric>)]
    budget: Option<Hundredths>,
    #[diesel(sql_type = Nullable<SqlDate>)]
    carry_since: Option<Date>,
    #[diesel(embed)]
    profile: ProfileFigures,
}

row! {
    /// The sum of all budgets, whether any month has a budget, and the goal of savings, if the settings were stored.
    struct ProfileFigures {
        planned: Option<Hundredths> [Nullable<Numeric>],
        has_budgets: Option<bool> [Nullable<Bool>],
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

impl TotalsRow {
    fn sums(&self) -> Sums {
        let money = |value: Option<Hundredths>| value.map(Money::from).unwrap_or_default();
        Sums { income: money(self.income), expenses: money(self.expenses), refunds: money(self.refunds) }
    }

    fn add_to(self, months: &mut KnownMonths) {
        let Sums { income, expenses, refunds } = self.sums();
        match (self.month.map(Month::of), self.taxes.map(Money::from)) {
            (Some(month), Some(taxes)) => months.totals.push(MonthTotals { month, income, expenses, taxes, refunds }),
            (first, _) => {
                months.first = first;
                months.has_pending_bills = self.has_pending_bills == Some(true);
            }
        }
    }
}

impl PgRepo<'_> {
    /// The rows of a query of the sums [of months](OF_MONTHS).
    fn rows_of_months<Row: QueryableByName<Pg> + 'static>(
        &mut self,
        query: &str,
        first: Month,
        last: Month,
    ) -> Result<Vec<Row>> {
        self.sql(query).arg(first.first_day()).arg(last.first_day()).rows(self.connection)
    }
}

impl DashboardRepo for PgRepo<'_> {
    fn month_figures(&mut self, first: Month, last: Month) -> Result<MonthFigures> {
        let mut figures = MonthFigures::default();
        for row in self.rows_of_months(&FIGURES, first, last)? {
            let FigureRow { totals, category_id, name, monthly_budget, budget, carry_since, profile } = row;
            match (totals.taxes, totals.expenses) {
                (None, Some(_)) => figures.spending.push(CategorySpending {
                    category_id: category_id.map(CategoryId),
                    name,
                    sums: totals.sums(),
                    monthly_budget: monthly_budget.map(Money::from),
                    budget: budget.map(Money::from),
                    carry_since: carry_since.map(Month::of),
                }),
                (None, None) => {
                    let ProfileFigures { planned, has_budgets, savings_goal_pct } = profile;
                    figures.planned = planned.map(Money::from);
                    figures.has_budgets = has_budgets == Some(true);
                    figures.savings_goal_pct = savings_goal_pct.map(Into::into);
                    totals.add_to(&mut figures.months);
                }
                (Some(_), _) => totals.add_to(&mut figures.months),
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
