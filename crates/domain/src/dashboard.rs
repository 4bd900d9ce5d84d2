//! One month at a glance.

use time::Date;

use crate::accounts::{self, AccountState};
use crate::credit_bills::{self, CreditBill};
use crate::error::Result;
use crate::ids::CategoryId;
use crate::money::{Money, Percentage};
use crate::month::Month;
use crate::pending_bills::PendingBill;
use crate::recurring::{self, RecurringState};
use crate::settings::Settings;
use crate::store::Repo;
use crate::transactions::{Kind, Transaction, TransactionFilter};

/// Months of evolution shown, the last one being the dashboard's.
pub const EVOLUTION_MONTHS: i32 = 6;
/// Transactions shown, the month's last.
pub const LAST_TRANSACTIONS: u32 = 10;

/// What came and went in a month. Transfers and opening balances count for none of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MonthTotals {
    /// The month.
    pub month: Month,
    /// All incomes.
    pub income: Money,
    /// All expenses, taxes included.
    pub expenses: Money,
    /// The expenses in categories that are taxes.
    pub taxes: Money,
}

impl MonthTotals {
    /// A month in which nothing came or went.
    pub fn empty(month: Month) -> Self {
        MonthTotals { month, income: Money::ZERO, expenses: Money::ZERO, taxes: Money::ZERO }
    }

    /// The month's savings, as [`savings_pct`] defines them.
    pub fn savings_pct(&self) -> Option<Percentage> {
        savings_pct(self.income, self.expenses, self.taxes)
    }
}

/// What was spent in a category in a month.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CategorySpending {
    /// The category; none for expenses without one.
    pub category_id: Option<CategoryId>,
    /// The category's name.
    pub name: Option<String>,
    /// All expenses; incomes are never netted against them.
    pub total: Money,
    /// The category's budget.
    pub monthly_budget: Option<Money>,
}

/// A month at a glance.
#[derive(Debug, Clone)]
pub struct Dashboard {
    /// What came and went.
    pub totals: MonthTotals,
    /// The profile's settings.
    pub settings: Settings,
    /// What was spent on what, most first.
    pub spending_by_category: Vec<CategorySpending>,
    /// Six months, oldest first, ending with this one.
    pub evolution: Vec<MonthTotals>,
    /// The month's last transactions, newest first.
    pub last_transactions: Vec<Transaction>,
    /// The recurring items of the month that are pending or late.
    pub pending_recurrings: Vec<RecurringState>,
    /// Whether to ask if an income came: this month, in its first days, while one is awaited.
    pub income_confirmation_widget: bool,
    /// Whether to point out that an income has not come: this month, after its first days.
    pub pending_salary_badge: bool,
    /// The bills that are unpaid: those on which something is due, and the current ones.
    pub current_bills: Vec<CreditBill>,
    /// The card statements held until their payment date.
    pub pending_bill_imports: Vec<PendingBill>,
    /// All accounts.
    pub accounts: Vec<AccountState>,
}

impl Dashboard {
    /// What all accounts hold together.
    pub fn net_worth(&self) -> Money {
        self.accounts.iter().map(|state| state.account.balance).sum()
    }

    /// The incomes among the recurring items that are pending or late.
    pub fn pending_incomes(&self) -> impl Iterator<Item = &RecurringState> {
        self.pending_recurrings.iter().filter(|state| state.item.kind == Kind::Income)
    }
}

/// Days at the start of a month in which an awaited income is asked about, and not yet missed.
pub const INCOME_CONFIRMATION_DAYS: u8 = 5;

/// 100 × (income − expenses) / (income − taxes): the part of the money at the household's disposal
/// that it did not spend. None where income − taxes is not above zero.
///
/// ```
/// use finance_domain::dashboard::savings_pct;
/// use finance_domain::Money;
///
/// let reais = |units: i128| Money::from_cents(units * 100);
/// let pct = savings_pct(reais(5_000), reais(3_500), reais(500)).unwrap();
/// assert_eq!(pct.to_string(), "33.33");
/// assert_eq!(savings_pct(reais(500), reais(100), reais(500)), None);
/// ```
pub fn savings_pct(income: Money, expenses: Money, taxes: Money) -> Option<Percentage> {
    let disposable = (income - taxes).cents();
    if disposable <= 0 {
        return None;
    }
    Percentage::ratio((income - expenses).cents(), disposable)
}

/// Where the dashboard's sums come from. Every method may fail as [`Store::transact`](crate::Store::transact) does.
#[allow(clippy::missing_errors_doc)]
pub trait DashboardRepo {
    /// The totals of the months from `first` to `last` in which anything came or went, oldest first.
    fn month_totals(&mut self, first: Month, last: Month) -> Result<Vec<MonthTotals>>;
    /// What was spent on what in a month, most first.
    fn spending_by_category(&mut self, month: Month) -> Result<Vec<CategorySpending>>;
}

/// The caller's dashboard of a month, read in one snapshot. Applies no yield and creates no bill.
///
/// # Errors
///
/// As [`Store::transact`](crate::Store::transact).
pub fn read(repo: &mut dyn Repo, month: Month, today: Date) -> Result<Dashboard> {
    let first = month.minus(EVOLUTION_MONTHS - 1);
    let known = repo.month_totals(first, month)?;
    let totals_of =
        |month| known.iter().find(|totals| totals.month == month).copied().unwrap_or(MonthTotals::empty(month));
    let evolution: Vec<_> = (0..EVOLUTION_MONTHS).map(|later| totals_of(first.plus(later))).collect();
    let last = TransactionFilter { month: Some(month), limit: LAST_TRANSACTIONS, ..Default::default() };
    let states = recurring::list(repo, month)?;
    let pending_recurrings: Vec<_> = states.into_iter().filter(|state| state.status.is_open()).collect();
    let awaits_income = month.contains(today) && pending_recurrings.iter().any(|state| state.item.kind == Kind::Income);
    let is_early = today.day() <= INCOME_CONFIRMATION_DAYS;
    Ok(Dashboard {
        totals: totals_of(month),
        settings: repo.settings_get()?,
        spending_by_category: repo.spending_by_category(month)?,
        evolution,
        last_transactions: repo.transaction_list(&last)?,
        income_confirmation_widget: awaits_income && is_early,
        pending_salary_badge: awaits_income && !is_early,
        pending_recurrings,
        current_bills: credit_bills::outstanding(repo, today)?,
        pending_bill_imports: repo.pending_bill_list()?,
        accounts: accounts::list(repo, today)?,
    })
}
