//! Use cases of notices: what is due for a member, and what the member does with it.

use std::collections::{HashMap, HashSet};

use time::{Date, Duration, Weekday};

use crate::accounts::Account;
use crate::context::Context;
use crate::credit_bills::CreditBill;
use crate::error::{Error, FieldErrors, Result};
use crate::forecast::{Baseline, Forecast};
use crate::ids::{AccountId, MemberId, NoticeId};
use crate::money::Money;
use crate::month::Month;
use crate::notices::{
    BillFact, BudgetFact, Channel, Due, EXPENSES_READ_MAX, ExpenseFact, ExpenseRow, Facts, ItemFact, Notice,
    NoticeFilter, NoticeKind, Preferences, PreferencesInput, SNOOZE_DAYS_MAX, WeekFact, due,
};
use crate::recurring::{Occurrence, Recurring, RecurringState, Status};
use crate::step::Step;
use crate::store::Repo;
use crate::transactions::{Referring, TransactionFilter};
use crate::use_cases::allowances::{plans, sums_by_category};
use crate::use_cases::forecast::{Sources, foresee, income_and_held};
use crate::use_cases::{recurring, upkeep};
use crate::violations::Violation;

/// The months of items before this one: an item is told of for at most 37 days after its day.
const ITEM_MONTHS_BEFORE: i32 = 2;
/// The months of items after this one: an item is told of at most 30 days before its day, on 31 January of one in March.
const ITEM_MONTHS_AFTER: i32 = 2;
/// The months of the forecast: a balance is told of at most 30 days ahead.
const FORECAST_MONTHS: u32 = 3;

/// A page of a member's list, and the preferences that it is written by.
#[derive(Debug, Clone)]
pub struct Listed {
    /// The notices, newest first.
    pub notices: Vec<Notice>,
    /// What the member wants to be told.
    pub preferences: Preferences,
}

/// The caller's notices. What has become due since is stored first, and what is due no more is settled; a page after the first only
/// reads.
pub fn list(repo: &mut dyn Repo, context: &Context, filter: NoticeFilter) -> Result<Step<Listed>> {
    let member = own(repo)?;
    let preferences = repo.notice_preferences(member)?;
    if filter.after.is_some() || changes(repo, context, member, &preferences)?.is_empty() {
        return Ok(Step::Done(read_list(repo, member, preferences, &filter)?));
    }
    let context = context.clone();
    Ok(Step::write(move |repo| {
        store(repo, &context, member, &preferences)?;
        read_list(repo, member, preferences, &filter)
    }))
}

fn read_list(repo: &mut dyn Repo, member: MemberId, preferences: Preferences, filter: &NoticeFilter) -> Result<Listed> {
    let notices = repo.notice_list(member, &preferences.told_on(Channel::Page), filter)?;
    Ok(Listed { notices, preferences })
}

/// Marks the caller's notices as read, or all of them without `ids`. Returns how many were unread.
///
/// # Errors
///
/// [`Error::NotFound`] if one of the ids is not of the caller, or [`Error::Invalid`].
pub fn read(repo: &mut dyn Repo, ids: Option<Vec<Option<NoticeId>>>, errors: FieldErrors) -> Result<usize> {
    errors.into_result()?;
    let member = own(repo)?;
    let Some(ids) = ids else { return repo.notice_read(member, None) };
    let ids: HashSet<NoticeId> = ids.into_iter().flatten().collect();
    let ids: Vec<NoticeId> = ids.into_iter().collect();
    if repo.notice_count(member, &ids)? < ids.len() {
        return Err(Error::NotFound("notice"));
    }
    repo.notice_read(member, Some(&ids))
}

/// Puts a notice of the caller off until a day, or no longer.
///
/// # Errors
///
/// [`Error::NotFound`], or [`Error::Invalid`] at `until`.
pub fn snooze(
    repo: &mut dyn Repo,
    today: Date,
    id: NoticeId,
    until: Option<Referring<Date>>,
    mut errors: FieldErrors,
) -> Result<Listed> {
    let member = own(repo)?;
    if repo.notice_get(member, id)?.is_none() {
        return Err(Error::NotFound("notice"));
    }
    if !errors.has("until") {
        errors.require("until", until.as_ref().map(|_| ()));
    }
    let until = match until {
        Some(Referring::To(date)) => Some(date),
        Some(Referring::Nothing) | None => None,
    };
    let (first, last) = (today + Duration::DAY, today + Duration::days(SNOOZE_DAYS_MAX));
    if until.is_some_and(|date| !(first..=last).contains(&date)) {
        errors.push("until", Violation::out_of_range(first.to_string(), last.to_string()));
    }
    errors.into_result()?;
    repo.notice_snooze(member, id, until)?;
    let notices = repo.notice_get(member, id)?.into_iter().collect();
    Ok(Listed { notices, preferences: repo.notice_preferences(member)? })
}

/// What the caller wants to be told, and how.
pub fn preferences(repo: &mut dyn Repo) -> Result<Preferences> {
    let member = own(repo)?;
    repo.notice_preferences(member)
}

/// Changes what the caller wants to be told. What is absent stays.
///
/// # Errors
///
/// [`Error::Invalid`] with every broken rule.
pub fn set_preferences(repo: &mut dyn Repo, input: PreferencesInput) -> Result<Preferences> {
    let member = own(repo)?;
    let new = input.check(repo.notice_preferences(member)?)?;
    repo.notice_preferences_put(member, &new)?;
    Ok(new)
}

/// Stores what is due for a member, for whom nobody waits.
pub(crate) fn catch_up(repo: &mut dyn Repo, context: &Context, member: MemberId) -> Result<()> {
    upkeep::run(repo, context.today)?;
    let preferences = repo.notice_preferences(member)?;
    store(repo, context, member, &preferences)
}

/// The member for whom the transaction runs.
///
/// # Errors
///
/// [`Error::NotAllowed`] if it runs for none.
pub(crate) fn own(repo: &mut dyn Repo) -> Result<MemberId> {
    repo.last_write()?.member_id.map(MemberId).ok_or(Error::NotAllowed)
}

/// What to store so that the stored notices are what is due.
struct Changes {
    due: Vec<Due>,
    /// Those of `due` that are not stored as they are.
    new: Vec<usize>,
    settled: Vec<NoticeId>,
}

impl Changes {
    fn is_empty(&self) -> bool {
        self.new.is_empty() && self.settled.is_empty()
    }
}

fn changes(repo: &mut dyn Repo, context: &Context, member: MemberId, preferences: &Preferences) -> Result<Changes> {
    let facts = facts(repo, context, preferences)?;
    let due = due(&facts, preferences, context.today);
    let stored = repo.notice_stored(member, &due)?;
    let known: HashMap<(NoticeKind, &str), &Notice> =
        stored.iter().map(|notice| ((notice.kind, notice.subject.as_str()), notice)).collect();
    let is_stored = |due: &Due| {
        known
            .get(&(due.kind, due.subject.as_str()))
            .is_some_and(|notice| notice.settled_at.is_none() && notice.params == due.params)
    };
    let new = (0..due.len()).filter(|at| !is_stored(&due[*at])).collect();
    let wanted: HashSet<(NoticeKind, &str)> = due.iter().map(|due| (due.kind, due.subject.as_str())).collect();
    let is_gone =
        |notice: &&Notice| notice.settled_at.is_none() && !wanted.contains(&(notice.kind, notice.subject.as_str()));
    let settled = stored.iter().filter(is_gone).map(|notice| notice.id).collect();
    Ok(Changes { due, new, settled })
}

/// Makes the stored notices of a member what is due.
fn store(repo: &mut dyn Repo, context: &Context, member: MemberId, preferences: &Preferences) -> Result<()> {
    let Changes { due, new, settled } = changes(repo, context, member, preferences)?;
    if !settled.is_empty() {
        repo.notice_settle(member, &settled)?;
    }
    if !new.is_empty() {
        let new: Vec<&Due> = new.into_iter().map(|at| &due[at]).collect();
        repo.notice_store(member, &new)?;
    }
    repo.notices_forget(member)
}

/// Gathers the facts, each source in one statement.
fn facts(repo: &mut dyn Repo, context: &Context, preferences: &Preferences) -> Result<Facts> {
    let today = context.today;
    let (income, pending) = income_and_held(repo, today)?;
    let sources = Sources::read(repo, context, FORECAST_MONTHS, Baseline::None, &pending)?;
    let forecast = foresee(today, FORECAST_MONTHS, &sources, &pending, income);
    let has_cards = !sources.outlook.calendars.is_empty();
    let closed = if has_cards { repo.bills_to_tell(today)? } else { Vec::new() };
    let Sources { accounts, bills, recurring: since, .. } = sources;
    Ok(Facts {
        bills: closed_bills(today, bills, closed, &accounts),
        items: items(repo, context, &since)?,
        budgets: budgets(repo, today)?,
        negative: negative(&forecast),
        statements: repo.notice_statements()?,
        expenses: expenses(repo, context)?,
        week: week(repo, preferences, today)?,
    })
}

fn negative(forecast: &Forecast) -> Option<(Date, Money)> {
    let date = forecast.first_negative_date?;
    let month = forecast.months.iter().find(|month| month.month.contains(date))?;
    Some((date, month.lowest.balance))
}

fn closed_bills(today: Date, due: Vec<CreditBill>, closed: Vec<CreditBill>, accounts: &[Account]) -> Vec<BillFact> {
    let names: HashMap<AccountId, &str> = accounts.iter().map(|account| (account.id, account.name.as_str())).collect();
    let mut seen = HashSet::new();
    let all = due.into_iter().chain(closed).filter(|bill| bill.period_end < today);
    let fact = |bill: CreditBill| BillFact {
        id: bill.id,
        account_id: bill.account_id,
        name: names.get(&bill.account_id).copied().unwrap_or_default().to_string(),
        closing_date: bill.closing_date(),
        due_date: bill.due_date,
        total: bill.total(),
        statement: bill.entry.statement,
        amount_due: bill.amount_due(),
    };
    all.filter(|bill| seen.insert(bill.id)).map(fact).collect()
}

/// The items that are expected around today. `since` has the dues of the forecast, which reaches further than these months.
fn items(repo: &mut dyn Repo, context: &Context, since: &[RecurringState]) -> Result<Vec<ItemFact>> {
    let this_month = Month::of(context.today);
    let (first, last) = (this_month.minus(ITEM_MONTHS_BEFORE), this_month.plus(ITEM_MONTHS_AFTER));
    let days = first.first_day()..=last.last_day();
    let states = recurring::with_earlier(repo, context, first, since)?;
    let open = states.iter().flat_map(|state| state.occurrences.iter().map(move |one| (&state.item, one)));
    let open = open.filter(|(_, one)| one.status.is_open() && days.contains(&one.date));
    let fact = |(item, one): (&Recurring, &Occurrence)| ItemFact {
        id: item.id,
        date: one.date,
        amount: one.amount,
        is_late: one.status == Status::Late,
        name: item.description.clone(),
    };
    Ok(open.map(fact).collect())
}

fn budgets(repo: &mut dyn Repo, today: Date) -> Result<Vec<BudgetFact>> {
    let month = Month::of(today);
    let categories = repo.category_list()?;
    let plans = plans(repo, &categories, month, month)?;
    let sums = sums_by_category(repo, &categories, None, month, month)?;
    let fact = |category: crate::categories::Category| {
        let budget = plans.get(&category.id)?.of(month).filter(|budget| *budget > Money::ZERO)?;
        let spent = sums.get(&Some(category.id))?.get(&month)?.spent();
        Some(BudgetFact { category_id: category.id, name: category.name, budget, spent })
    };
    Ok(categories.into_iter().filter_map(fact).collect())
}

fn expenses(repo: &mut dyn Repo, context: &Context) -> Result<Vec<ExpenseFact>> {
    let first = Month::of(context.today).minus(2).first_day();
    let mut rows = repo.notice_expenses(first, context.today, EXPENSES_READ_MAX)?;
    rows.sort_unstable_by_key(|row| (row.date, row.id));
    let fact = |row: ExpenseRow| ExpenseFact {
        payee: context.lexicon.payees.key(&row.text),
        id: row.id,
        account_id: row.account_id,
        date: row.date,
        amount: row.amount,
        name: row.description,
    };
    Ok(rows.into_iter().map(fact).collect())
}

/// The week before a Monday, if the member wants to know.
fn week(repo: &mut dyn Repo, preferences: &Preferences, today: Date) -> Result<Option<WeekFact>> {
    if today.weekday() != Weekday::Monday || !preferences.kind(NoticeKind::Digest).is_told() {
        return Ok(None);
    }
    let filter = TransactionFilter {
        from: Some(today - Duration::WEEK),
        to: Some(today - Duration::DAY),
        ..TransactionFilter::default()
    };
    let summary = repo.transaction_summary(&filter)?;
    Ok(Some(WeekFact { rows: summary.count, expenses: summary.expenses }))
}
