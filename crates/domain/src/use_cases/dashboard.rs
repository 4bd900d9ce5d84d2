//! The dashboard of a month: a read model that combines several entities.

use std::collections::{HashMap, HashSet};
use std::num::NonZeroU32;

use time::Date;

use crate::accounts::{Account, AccountKind};
use crate::budgets::available;
use crate::context::Context;
use crate::credit_bills::CreditBill;
use crate::dashboard::{CategorySpending, MonthFigures, MonthTotals, PACE_MONTHS, Pace};
use crate::error::Result;
use crate::forecast::{Baseline, Forecast, MONTHS_DEFAULT, MONTHS_MAX, MainIncome};
use crate::ids::CategoryId;
use crate::money::{Money, Percentage};
use crate::month::{Month, day_after};
use crate::net_worth::MonthWorth;
use crate::pending_bills::PendingBill;
use crate::recurring::RecurringState;
use crate::settings::Settings;
use crate::step::Step;
use crate::store::Repo;
use crate::transactions::{Kind, Transaction, TransactionFilter};
use crate::use_cases::accounts::{self, AccountState};
use crate::use_cases::forecast::{self, Sources};
use crate::use_cases::{allowances, gamification, net_worth, recurring};

/// The months of the evolution. The last one is the month of the dashboard.
pub const EVOLUTION_MONTHS: i32 = 6;

/// The number of last transactions shown.
pub const LAST_TRANSACTIONS: u32 = 10;

/// The days at the start of a month in which the user is asked whether an expected income arrived.
pub const INCOME_CONFIRMATION_DAYS: u8 = 5;

/// The spending in a category, and what is left of its budget.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpendingState {
    /// The spending.
    pub spending: CategorySpending,
    /// What may still be spent, with what is carried into the month. None if there is neither a budget nor something carried.
    pub available: Option<Money>,
}

/// The dashboard of a month.
#[derive(Debug, Clone)]
pub struct Dashboard {
    /// The first month with income or expenses, if there is one.
    pub first_month: Option<Month>,
    /// Income and expenses of the month.
    pub totals: MonthTotals,
    /// The goal of savings in the profile's settings.
    pub savings_goal_pct: Percentage,
    /// The expenses of each category, the largest first.
    pub spending_by_category: Vec<SpendingState>,
    /// Six months, oldest first, ending with this one.
    pub evolution: Vec<MonthTotals>,
    /// The month's last transactions, newest first.
    pub last_transactions: Vec<Transaction>,
    /// The recurring items of the month that are pending or late.
    pub pending_recurrings: Vec<RecurringState>,
    /// Whether to ask if an income arrived: in the first days of the present month, while one is expected.
    pub income_confirmation_widget: bool,
    /// Whether to warn that a main income has not arrived: after the first days of the present month.
    pub pending_salary_badge: bool,
    /// The unpaid bills: those with an amount due, and the current ones.
    pub current_bills: Vec<CreditBill>,
    /// The pending card statements.
    pub pending_bill_imports: Vec<PendingBill>,
    /// All accounts.
    pub accounts: Vec<AccountState>,
    /// The outlook. None for a month other than the present one.
    pub forecast: Option<Forecast>,
    /// What all accounts are worth: today in the present month, at the end of an earlier one, and by the forecast at the end of a
    /// coming one. A coming month beyond the forecast has the figure of its last month.
    pub net_worth: Money,
    /// The net worth, less the taxes on yield that would be due if the accounts were emptied today.
    pub net_worth_after_tax: Money,
    /// The income and the expenses of the month, with the recurring items that are pending or late. None for an earlier month.
    pub expected: Option<Expected>,
    /// How the month goes so far. None for a month other than the present one.
    pub pace: Option<Pace>,
}

/// What a month will come to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Expected {
    /// All income.
    pub income: Money,
    /// All expenses.
    pub expenses: Money,
}

impl Dashboard {
    /// The incomes among the recurring items that are pending or late.
    pub fn pending_incomes(&self) -> impl Iterator<Item = &RecurringState> {
        self.pending_recurrings.iter().filter(|state| state.item.kind == Kind::Income)
    }
}

/// The caller's dashboard of a month, read in one snapshot. A month that met the savings goal earns XP,
/// once. Pays no yield.
pub fn read(repo: &mut dyn Repo, context: &Context, month: Month) -> Result<Step<Dashboard>> {
    let (result, has_budgets) = figures(repo, context, month)?;
    if !gamification::month_earns(repo, context, &result.totals, result.savings_goal_pct, has_budgets)? {
        return Ok(Step::Done(result));
    }
    let context = context.clone();
    let award = Box::new(move |repo: &mut dyn Repo| gamification::award_month(repo, &context, month));
    Ok(Step::Award { result, award })
}

/// The dashboard, and whether any month has a budget.
fn figures(repo: &mut dyn Repo, context: &Context, month: Month) -> Result<(Dashboard, bool)> {
    let today = context.today;
    let first = month.minus(EVOLUTION_MONTHS - 1);
    let MonthFigures {
        totals: known,
        first: first_month,
        has_pending_bills,
        spending,
        planned,
        has_budgets,
        savings_goal_pct,
    } = repo.month_figures(first, month)?;
    let totals_of =
        |month| known.iter().find(|totals| totals.month == month).copied().unwrap_or(MonthTotals::empty(month));
    let evolution: Vec<_> = (0..EVOLUTION_MONTHS).map(|later| totals_of(first.plus(later))).collect();
    let in_month = TransactionFilter { month: Some(month), ..Default::default() };
    let pending_bill_imports = if has_pending_bills { repo.pending_bill_list()? } else { Vec::new() };
    let this_month = Month::of(today);
    let worth_of = |accounts: &[AccountState]| accounts.iter().map(|state| state.account.worth()).sum::<Money>();
    let (first, last) = MainIncome::months(today);
    let earned = known.iter().filter(|totals| (first..=last).contains(&totals.month)).map(|totals| totals.income).sum();
    let income = MainIncome::new(today, first_month, earned);
    let (states, current_bills, accounts, forecast, net_worth) = if month == this_month {
        let sources = Sources::read(repo, context, MONTHS_DEFAULT, Baseline::None, &pending_bill_imports)?;
        let forecast = forecast::foresee(today, MONTHS_DEFAULT, &sources, &pending_bill_imports, income);
        let Sources { accounts, outlook, bills, recurring, .. } = sources;
        let states = recurring;
        let accounts = accounts::states_of(repo, context, accounts, &outlook, &bills)?;
        let net_worth = worth_of(&accounts);
        (states, bills, accounts, Some(forecast), net_worth)
    } else {
        let (states, bills) = (recurring::states(repo, context, (month, month))?, repo.bill_list_outstanding(today)?);
        let accounts = accounts::states_with(repo, context, &bills)?;
        let net_worth = match month < this_month {
            true => net_worth::read(repo, month, month, today)?.iter().map(MonthWorth::total).sum(),
            false => foreseen_worth(repo, context, month, &pending_bill_imports)?,
        };
        (states, bills, accounts, None, net_worth)
    };
    let pending_recurrings = recurring::pending(&states, month, today);
    let awaits = |is_asked: &dyn Fn(Money) -> bool| {
        let incomes = pending_recurrings.iter().filter(|state| state.item.kind == Kind::Income);
        let mut open = incomes.flat_map(|state| &state.occurrences).filter(|one| one.status.is_open());
        month == this_month && open.any(|one| is_asked(one.amount))
    };
    let (awaits_income, awaits_main) = (awaits(&|_| true), awaits(&|amount| income.is_main(amount)));
    let totals = totals_of(month);
    let open = |kind: Kind| -> Money {
        recurring::open_in(&states, month, today).filter(|(item, _)| item.kind == kind).map(|(_, one)| one.amount).sum()
    };
    let expected = (month >= this_month).then(|| Expected {
        income: totals.income + open(Kind::Income),
        expenses: totals.expenses + open(Kind::Expense),
    });
    let taxes: Money = accounts.iter().filter_map(|state| state.taxes).map(|taxes| taxes.total()).sum();
    let pace = if month == this_month { Some(pace(repo, today, planned, first_month, totals_of)?) } else { None };
    let is_early = today.day() <= INCOME_CONFIRMATION_DAYS;
    let dashboard = Dashboard {
        first_month,
        totals,
        savings_goal_pct: savings_goal_pct.unwrap_or(Settings::default().savings_goal_pct),
        spending_by_category: with_available(repo, month, spending)?,
        evolution,
        last_transactions: repo.transaction_list(&in_month, None, LAST_TRANSACTIONS)?,
        income_confirmation_widget: awaits_income && is_early,
        pending_salary_badge: awaits_main && !is_early,
        pending_recurrings,
        current_bills: current_bills.into_iter().filter(|bill| bill.is_current(today)).collect(),
        pending_bill_imports,
        accounts,
        forecast,
        net_worth,
        net_worth_after_tax: net_worth - taxes,
        expected,
        pace,
    };
    Ok((dashboard, has_budgets))
}

/// What the accounts will be worth at the end of a coming month: the closing balance of the forecast, the stored rows of other
/// accounts until then, and what is still owed on cards after the bills until then, for purchases that are foreseen too.
fn foreseen_worth(repo: &mut dyn Repo, context: &Context, month: Month, pending: &[PendingBill]) -> Result<Money> {
    let today = context.today;
    let ahead = u32::try_from(month.since(Month::of(today)) + 1).unwrap_or(MONTHS_MAX).min(MONTHS_MAX);
    let sources = Sources::read(repo, context, ahead, Baseline::None, pending)?;
    let months = forecast::foresee(today, ahead, &sources, pending, MainIncome::default()).months;
    let Some(last) = months.last() else { return Ok(Money::ZERO) };
    let end = last.month.last_day();
    // With what statements ask for after that day.
    let accounts = repo.account_list(end)?;
    let stored = |kind| accounts.iter().filter(|of| of.kind == kind).map(Account::worth).sum::<Money>();
    let owed = stored(AccountKind::Credit) - forecast::foreseen_on_cards(&sources, today, end);
    let paid: Money = months.iter().map(|of| of.card_bills).sum();
    Ok(last.closing + stored(AccountKind::Investment) + owed + paid)
}

/// How this month goes. `planned` is the sum of its budgets. `totals_of` gives its totals and those of the months before it, of which none
/// before `first_month` counts.
fn pace(
    repo: &mut dyn Repo,
    today: Date,
    planned: Option<Money>,
    first_month: Option<Month>,
    totals_of: impl Fn(Month) -> MonthTotals,
) -> Result<Pace> {
    let month = Month::of(today);
    let known = first_month.map_or(0, |first| month.since(first)).clamp(0, PACE_MONTHS);
    let back = if planned.is_some() { 1 } else { known.max(1) };
    let months: Vec<Month> = (0..=back).map(|back| month.minus(back)).collect();
    // Few rows have a later day than today.
    let part = |at: &Month| match *at == month {
        true => MonthPart { days: (day_after(today), month.last_day()), is_rest: true },
        false => MonthPart::until(*at, today.day()),
    };
    let parts: Vec<MonthPart> = months.iter().map(part).collect();
    let sums = repo.spent_in(&parts.iter().map(|part| part.days).collect::<Vec<_>>())?;
    let spent: Vec<Money> = months
        .iter()
        .zip(parts.iter().zip(sums))
        .map(|(month, (part, sum))| if part.is_rest { totals_of(*month).spent() - sum } else { sum })
        .collect();
    let (now, before) = spent.split_first().map_or((Money::ZERO, [].as_slice()), |(now, before)| (*now, before));
    let known = u32::try_from(known).ok().and_then(NonZeroU32::new).filter(|_| planned.is_none());
    let average = known.map(|known| before.iter().copied().sum::<Money>().share(1, known));
    Ok(Pace { spent: now, planned, previous: before.first().copied().unwrap_or_default(), average })
}

/// The shorter part of a month that tells what was spent until a day: the days until then, or the rest, which is taken off the total.
struct MonthPart {
    days: (Date, Date),
    is_rest: bool,
}

impl MonthPart {
    fn until(month: Month, day: u8) -> Self {
        let (until, last) = (month.day_clamped(day), month.last_day());
        let is_rest = until.day() > last.day() - until.day();
        MonthPart { days: if is_rest { (day_after(until), last) } else { (month.first_day(), until) }, is_rest }
    }
}

/// Adds what is left of each budget. Earlier months are read only if one of the categories carries something into this one.
fn with_available(repo: &mut dyn Repo, month: Month, spending: Vec<CategorySpending>) -> Result<Vec<SpendingState>> {
    let carries = |spending: &CategorySpending| spending.carry_since.is_some_and(|since| since <= month);
    let ids: HashSet<CategoryId> =
        spending.iter().filter(|spending| carries(spending)).filter_map(|spending| spending.category_id).collect();
    let mut carried = HashMap::new();
    if !ids.is_empty() {
        let mut categories = repo.category_list()?;
        categories.retain(|category| ids.contains(&category.id));
        carried = allowances::allowances(repo, &categories, month)?;
    }
    let state = |spending: CategorySpending| {
        let allowance = spending.category_id.and_then(|id| carried.get(&id));
        let available = match allowance {
            Some(allowance) => allowance.available(),
            None => available(spending.budget, None, spending.sums.spent()),
        };
        SpendingState { spending, available }
    };
    Ok(spending.into_iter().map(state).collect())
}
