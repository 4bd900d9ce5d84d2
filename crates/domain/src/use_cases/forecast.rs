//! Use cases of forecasts: read models that combine several entities.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use time::Date;

use crate::accounts::Account;
use crate::context::Context;
use crate::credit_bills::{CreditBill, Period};
use crate::error::Result;
use crate::forecast::{
    BASELINE_MONTHS, Baseline, BillAhead, CardDay, EVENTS_MAX, Estimate, Event, EventKind, Forecast, KnownIncome,
    LaterRows, MONTHS_DEFAULT, MainIncome, Spendable, bills_ahead, forecast, median,
};
use crate::ids::{AccountId, CategoryId, TransactionId};
use crate::money::Money;
use crate::month::{Month, day_after};
use crate::pending_bills::{HeldDay, PendingBill, held_days};
use crate::recurring::{Expects, Occurrence, Recurring, RecurringState, Reserve, Status, reserved};
use crate::store::Repo;
use crate::transactions::Kind;
use crate::use_cases::installments::{self, Outlook};
use crate::use_cases::recurring;

/// The caller's forecast of `months` months, beginning with this one.
pub fn read(repo: &mut dyn Repo, context: &Context, months: u32, baseline: Baseline) -> Result<Forecast> {
    let today = context.today;
    let (income, pending) = income_and_held(repo, today)?;
    let sources = Sources::read(repo, context, months, baseline, &pending)?;
    Ok(foresee(today, months, &sources, &pending, income))
}

/// For each of the caller's cards, or one of them: the open bill and those after it, `months` bills in all, by due date, then
/// card.
pub fn upcoming(
    repo: &mut dyn Repo,
    context: &Context,
    account_id: Option<AccountId>,
    months: u32,
) -> Result<Vec<BillAhead>> {
    let today = context.today;
    let pending = repo.pending_bill_list()?;
    let calendars = installments::calendars(repo, today)?;
    let mut outlook = installments::outlook(repo, context, calendars, !pending.is_empty())?;
    outlook.calendars.retain(|id, _| account_id.is_none_or(|account_id| *id == account_id));
    let count = months as usize;
    let ends = outlook.calendars.values().filter_map(|calendar| calendar.ahead().nth(count.saturating_sub(1)));
    let Some(end) = ends.map(|period| period.end).max() else { return Ok(Vec::new()) };
    let states = recurring::states(repo, context, (Month::of(today), Month::of(end)))?;
    let opens = opens(&outlook);
    let mut days = repo.card_days(&opens)?;
    days.extend(held_days(&pending).into_iter().map(held_day));
    let occurrences: Vec<Expected<'_>> = expected(&states, today).collect();
    let first = opens.iter().map(|(_, first)| *first).min();
    let stored = first.map_or(Ok(Vec::new()), |first| repo.bill_list_outstanding(first))?;
    Ok(bills_ahead(&outlook.calendars, count, &stored, &days, &outlook.plans, &on_cards(&occurrences, &outlook)))
}

/// The sources of a forecast, beside held statements.
pub(crate) struct Sources {
    /// All accounts, by name.
    pub(crate) accounts: Vec<Account>,
    /// The cards, and the plans that may have more instalments to come.
    pub(crate) outlook: Outlook,
    /// The bills with an amount due, and those that may still come.
    pub(crate) bills: Vec<CreditBill>,
    /// The recurring items, with their dues of these months.
    pub(crate) recurring: Vec<RecurringState>,
    /// What is set aside today.
    reserves: Vec<Reserve>,
    days: Vec<CardDay>,
    later: LaterRows,
    estimate: Option<Estimate>,
}

/// How many months after a purchase its row may count, on a card: the bill closes up to a month later and is paid up to a month after that.
const PAID_MONTHS_AFTER: i32 = 2;

/// The last month of the forecast's horizon. It covers at least the default number of months, in which the next income is looked
/// for, even if fewer are requested.
fn last_month(today: Date, months: u32) -> Month {
    let months = i32::try_from(months.max(MONTHS_DEFAULT)).unwrap_or(i32::MAX);
    Month::of(today).plus(months.saturating_sub(1))
}

impl Sources {
    /// Reads all sources, each in one statement.
    pub(crate) fn read(
        repo: &mut dyn Repo,
        context: &Context,
        months: u32,
        baseline: Baseline,
        pending: &[PendingBill],
    ) -> Result<Sources> {
        let today = context.today;
        let (this_month, last) = (Month::of(today), last_month(today, months));
        let recurring = recurring::states(repo, context, (this_month, last))?;
        let estimate = match baseline {
            Baseline::None => None,
            // By a read of its own, so that what is expected does not depend on the baseline. An item is covered on the day of the
            // purchase, and the spending of a month has what is paid in it.
            Baseline::Median3 => {
                let first = this_month.minus(BASELINE_MONTHS as i32 + PAID_MONTHS_AFTER);
                let past = recurring::states(repo, context, (first, this_month))?;
                Some(estimate(repo, today, past.iter().chain(&recurring))?)
            }
        };
        let accounts = repo.account_list(today)?;
        let calendars = installments::calendars_of(&accounts, today);
        let outlook = installments::outlook(repo, context, calendars, !pending.is_empty())?;
        let since = opens(&outlook);
        let first = since.iter().map(|(_, first)| *first).min();
        let (mut days, bills) = match first {
            Some(first) => (repo.card_days(&since)?, repo.bill_list_outstanding(first)?),
            None => (Vec::new(), Vec::new()),
        };
        days.extend(held_days(pending).into_iter().map(held_day));
        let is_asked = |account: &Account| account.kind.is_spent_from() || account.counts_as_spendable();
        let later = match accounts.iter().any(|account| account.has_later_rows && is_asked(account)) {
            true => repo.later_rows(today, last.last_day(), EVENTS_MAX)?,
            false => LaterRows::default(),
        };
        let reserves = reserves(repo, context, &recurring, &outlook)?;
        Ok(Sources { accounts, outlook, bills, recurring, reserves, days, later, estimate })
    }
}

/// What is set aside today for each item that asks for it. What is overdue or due today is set aside no more: it goes out today.
fn reserves(
    repo: &mut dyn Repo,
    context: &Context,
    states: &[RecurringState],
    outlook: &Outlook,
) -> Result<Vec<Reserve>> {
    let today = context.today;
    let mut reserves = Vec::new();
    // Each month beyond those that were read is read once.
    let mut beyond: HashMap<Month, Vec<RecurringState>> = HashMap::new();
    for state in states {
        let item = &state.item;
        let Some(months) = item.schedule.every.months().filter(|_| item.schedule.reserve) else { continue };
        let is_next = |one: &&Occurrence| one.status.is_open() && one.date > today;
        let known = state.occurrences.iter().find(is_next).map(|one| (one.due, one.date, one.amount));
        // Beyond the months that were read nothing is settled yet.
        let (due, date, amount) = match known {
            Some(known) => known,
            None => {
                let last = state.occurrences.last().map_or(today, |one| one.due.max(today));
                let mut later = item.rhythm(&context.schedules.holidays).from(day_after(last));
                let Some(due) = later.find(|due| due.date > today) else { continue };
                let amount = match item.schedule.expects {
                    Expects::Amount => item.amount,
                    _ => {
                        let month = Month::of(due.due);
                        let states = match beyond.entry(month) {
                            Entry::Occupied(known) => known.into_mut(),
                            Entry::Vacant(free) => free.insert(recurring::states(repo, context, (month, month))?),
                        };
                        expected_on(states, item, due.due)
                    }
                };
                (due.due, due.date, amount)
            }
        };
        // On a card it goes out with its bill.
        let calendar = item.account_id.and_then(|id| outlook.calendars.get(&id));
        let ends_on = calendar.map_or(date, |calendar| calendar.cycles.period_holding(date).due);
        reserves.push(Reserve {
            recurring_id: item.id,
            description: item.description.clone(),
            due,
            ends_on,
            amount,
            reserved: reserved(amount, due, months, today),
        });
    }
    Ok(reserves)
}

/// What is expected of an item's due by what came before, in the states of its month.
fn expected_on(states: &[RecurringState], item: &Recurring, due: Date) -> Money {
    let of_item = states.iter().find(|state| state.item.id == item.id);
    let one = of_item.and_then(|state| state.occurrences.iter().find(|one| one.due == due));
    one.map_or(item.amount, |one| one.amount)
}

/// The spending in a month beside what is known to come.
fn estimate<'a>(
    repo: &mut dyn Repo,
    today: Date,
    recurring: impl Iterator<Item = &'a RecurringState>,
) -> Result<Estimate> {
    let this_month = Month::of(today);
    let expenses = recurring.filter(|state| state.item.kind == Kind::Expense);
    let taken: Vec<(TransactionId, Option<CategoryId>)> = expenses
        .flat_map(|state| state.occurrences.iter().map(|one| (one, state.item.category_id)))
        .flat_map(|(one, category_id)| {
            // What a person linked or confirmed is on the item, whatever its categories.
            let category_id = Some(category_id).filter(|_| !one.is_linked && one.status != Status::Confirmed);
            one.transaction_ids.iter().map(move |id| (*id, category_id))
        })
        .collect();
    let spent = repo.ordinary_spending(this_month.minus(BASELINE_MONTHS as i32), this_month, &taken)?;
    let spent: HashMap<Month, Money> = spent.into_iter().collect();
    let of_month = |before: i32| spent.get(&this_month.minus(before)).copied().unwrap_or_default();
    Ok(Estimate { monthly: median([1, 2, 3].map(of_month)), spent: of_month(0) })
}

/// What tells a main income from others, and the pending card statements.
pub(crate) fn income_and_held(repo: &mut dyn Repo, today: Date) -> Result<(MainIncome, Vec<PendingBill>)> {
    let (first, last) = MainIncome::months(today);
    let KnownIncome { sum, first, has_pending_bills } = repo.known_income(first, last)?;
    let pending = if has_pending_bills { repo.pending_bill_list()? } else { Vec::new() };
    Ok((MainIncome::new(today, first, sum), pending))
}

/// Makes the forecast.
pub(crate) fn foresee(
    today: Date,
    months: u32,
    sources: &Sources,
    pending: &[PendingBill],
    income: MainIncome,
) -> Forecast {
    let Sources { accounts, outlook, later, .. } = sources;
    let horizon = last_month(today, months).last_day();
    let balance: Money =
        accounts.iter().filter(|account| account.kind.is_spent_from()).map(|account| account.balance).sum();
    let mut spendable = Spendable {
        opening: accounts.iter().filter(|account| account.counts_as_spendable()).map(|account| account.balance).sum(),
        income,
        reserves: sources.reserves.clone(),
        ..Spendable::default()
    };
    let names: HashMap<AccountId, &Account> = accounts.iter().map(|account| (account.id, account)).collect();

    let mut events: Vec<Event> = later
        .first
        .iter()
        .filter(|row| row.is_foreseen)
        .map(|row| Event {
            date: row.date,
            kind: EventKind::Posted,
            description: row.description.clone(),
            amount: row.kind.sign(row.amount),
            account_id: Some(row.account_id),
            source_id: Some(row.id.0),
            is_transfer: row.is_transfer,
            is_internal: row.is_internal,
            is_spendable: row.is_spendable,
        })
        .collect();
    let event = |date: Date, kind, description: String, amount, account_id, source_id| Event {
        date: date.max(today),
        kind,
        description,
        amount,
        account_id,
        source_id,
        is_transfer: false,
        is_internal: false,
        is_spendable: true,
    };
    let only_spendable = later.first.iter().filter(|row| !row.is_foreseen && row.is_spendable);
    spendable.others.extend(only_spendable.map(|row| (row.date, row.kind.sign(row.amount))));
    let occurrences: Vec<Expected<'_>> = expected(&sources.recurring, today).collect();
    // An item on a card is part of its bill, and an item on an investment does not affect the balance of these accounts.
    for Expected { item, date, amount } in occurrences.iter().filter(|expected| expected.date <= horizon) {
        let amount = item.kind.sign(*amount);
        let account = item.account_id.and_then(|id| names.get(&id));
        let is_spendable = account.is_none_or(|account| account.counts_as_spendable());
        if account.is_none_or(|account| account.kind.is_spent_from()) {
            let description = item.description.clone();
            let foreseen = event(*date, EventKind::Recurring, description, amount, item.account_id, Some(item.id.0));
            events.push(Event { is_spendable, ..foreseen });
        } else if is_spendable {
            spendable.others.push((*date, amount));
        }
    }
    let title = |id: Option<AccountId>| match id.and_then(|id| names.get(&id)) {
        Some(card) => format!("Fatura {}", card.name),
        None => "Fatura".to_string(),
    };
    let mut to_pay = bills_to_pay(sources, &on_cards(&occurrences, outlook), horizon, today);
    for held in pending.iter().filter(|held| held.payment_date <= horizon) {
        // Its bill asks for it too.
        let total = match held.account_id.and_then(|id| Some((id, outlook.calendars.get(&id)?))) {
            Some((card, calendar)) => {
                let period = calendar.cycles.period_of_payment(held.payment_date);
                let bill = to_pay.iter_mut().find(|bill| (bill.account_id, bill.period_start) == (card, period.start));
                let part = bill.as_ref().map_or(Money::ZERO, |bill| held.owed().min(bill.amount).max(Money::ZERO));
                if let Some(bill) = bill {
                    bill.amount -= part;
                }
                part
            }
            None => held.owed(),
        };
        if total > Money::ZERO {
            let (date, kind, card) = (held.payment_date, EventKind::PendingBill, held.account_id);
            events.push(event(date, kind, title(card), -total, card, Some(held.id.0)));
        }
    }
    for bill in to_pay.into_iter().filter(|bill| bill.amount > Money::ZERO && bill.due_date <= horizon) {
        let BillToPay { account_id, due_date, amount, source_id, .. } = bill;
        let account_id = Some(account_id);
        events.push(event(due_date, EventKind::CreditBill, title(account_id), -amount, account_id, source_id));
    }
    forecast(today, months, balance, events, &later.others, sources.estimate, &spendable)
}

/// What held statements ask for, as rows of their payment date, which are on the bill that asks for them.
fn held_day(held: HeldDay) -> CardDay {
    CardDay {
        account_id: held.account_id,
        date: held.payment_date,
        is_payment_date: true,
        total: held.owed,
        installments: Money::ZERO,
    }
}

/// A bill with an amount that is due or will be due.
struct BillToPay {
    account_id: AccountId,
    period_start: Date,
    due_date: Date,
    amount: Money,
    /// Its id, if it is stored.
    source_id: Option<i64>,
}

/// The bills until a day, with what is to pay on each, held statements included. The last closed bill counts with its amount due.
/// The open bill counts with what the bill before left, and its expected total, less what was paid; those after it with their
/// expected total. A credit is passed on.
fn bills_to_pay(sources: &Sources, on_cards: &[(AccountId, Date, Money)], until: Date, today: Date) -> Vec<BillToPay> {
    let Sources { outlook: Outlook { calendars, plans, .. }, bills: stored, days, .. } = sources;
    let known: HashMap<(AccountId, Date), &CreditBill> =
        stored.iter().map(|bill| ((bill.account_id, bill.period_start), bill)).collect();
    let of_stored = |bill: &CreditBill, amount| BillToPay {
        account_id: bill.account_id,
        period_start: bill.period_start,
        due_date: bill.due_date,
        amount,
        source_id: Some(bill.id.0),
    };
    let is_closed = |bill: &&CreditBill| bill.period_end < today;
    let mut to_pay: Vec<BillToPay> =
        stored.iter().filter(is_closed).map(|bill| of_stored(bill, bill.amount_due())).collect();
    let months = until.year() * 12 + i32::from(u8::from(until.month()))
        - (today.year() * 12 + i32::from(u8::from(today.month())));
    // One bill is open, and a later one may close half a month before its day.
    let count = usize::try_from(months + 2).unwrap_or(1);
    for ahead in bills_ahead(calendars, count, stored, days, plans, on_cards) {
        let account_id = ahead.account_id;
        // A bill that was made before its period began is like one that was not.
        let stored = known.get(&(account_id, ahead.period.start)).filter(|bill| bill.has_begun(today));
        let Period { start: period_start, due: due_date, .. } = ahead.period;
        let (amount, source_id) = (ahead.total(), stored.map(|bill| bill.id.0));
        to_pay.push(BillToPay { account_id, period_start, due_date, amount, source_id });
    }
    to_pay
}

/// A due that is expected on a day.
struct Expected<'a> {
    item: &'a Recurring,
    date: Date,
    amount: Money,
}

/// The dues that are expected from today on. In this month: those that are pending or late, on their day or today. In later
/// months: those that are not marked or covered, on their day.
fn expected(states: &[RecurringState], today: Date) -> impl Iterator<Item = Expected<'_>> {
    recurring::expected(states, today).map(move |(item, one)| Expected {
        item,
        date: one.date.max(today),
        amount: one.amount,
    })
}

/// The expenses among them that are on cards.
fn on_cards(dues: &[Expected<'_>], outlook: &Outlook) -> Vec<(AccountId, Date, Money)> {
    let kept = |expected: &Expected<'_>| {
        let Expected { item, date, amount } = expected;
        let card = item.account_id.filter(|id| outlook.calendars.contains_key(id))?;
        (item.kind == Kind::Expense).then_some((card, *date, *amount))
    };
    dues.iter().filter_map(kept).collect()
}

/// What is expected to be bought on cards from today to a day, and is no row yet.
pub(crate) fn foreseen_on_cards(sources: &Sources, today: Date, until: Date) -> Money {
    let Sources { outlook, recurring, .. } = sources;
    let dues: Vec<Expected<'_>> = expected(recurring, today).collect();
    let items = on_cards(&dues, outlook).into_iter().map(|(_, date, amount)| (date, amount));
    let installments = outlook.plans.iter().flat_map(|plan| {
        let first = plan.first_date();
        plan.projected().map(move |one| (one.date(first), one.amount))
    });
    items.chain(installments).filter(|(date, _)| *date <= until).map(|(_, amount)| amount).sum()
}

/// The first day of the open bill of each card.
fn opens(outlook: &Outlook) -> Vec<(AccountId, Date)> {
    let mut opens: Vec<(AccountId, Date)> =
        outlook.calendars.iter().map(|(id, calendar)| (*id, calendar.open.start)).collect();
    opens.sort_unstable();
    opens
}
