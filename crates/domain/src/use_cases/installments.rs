//! Use cases of purchases by instalments.

use std::collections::{HashMap, HashSet};

use time::Date;

use crate::accounts::{Account, AccountKind};
use crate::context::Context;
use crate::error::{Error, FieldErrors, Refusal, Result};
use crate::gamification::Event;
use crate::ids::{AccountId, TransactionId};
use crate::imports::{ImportTarget, StatementRow};
use crate::installments::{
    COUNT_MAX, Calendar, EndInput, EnteredRow, HeldInstallment, Installment, Mark, Plan, PlanInput, PlanStatus,
    Reading, RowsOf, describe, fill, followed_since, months_apart, plans, read, split, with_held,
};
use crate::money::Money;
use crate::month::{YEARS, year_out_of_range};
use crate::store::Repo;
use crate::tags;
use crate::text::{self, DESCRIPTION_CHARS_MAX};
use crate::transactions::{Details, Kind, NewTransaction, Source};
use crate::transfers::Choice;
use crate::use_cases::ledger::{self, Written};
use crate::use_cases::{payers, references, transfer_links};
use crate::violations::Violation;

/// What is expected on the bills of a profile's cards.
#[derive(Debug, Clone, Default)]
pub struct Outlook {
    /// The bills of each card.
    pub calendars: HashMap<AccountId, Calendar>,
    /// The plans that may have more instalments to come.
    pub plans: Vec<Plan>,
}

impl Outlook {
    /// The amount that is projected on a card but not stored.
    pub fn projected(&self, account_id: AccountId) -> Money {
        let of_card = self.plans.iter().filter(|plan| plan.account_id() == account_id);
        of_card.flat_map(Plan::projected).map(|upcoming| upcoming.amount).sum()
    }
}

/// What is expected on the bills of the cards of these calendars: the plans that may have more instalments to come, with the rows of held
/// statements if there may be any. The cost depends on the rows of such plans, not on the length of the history.
pub(crate) fn outlook(
    repo: &mut dyn Repo,
    context: &Context,
    calendars: HashMap<AccountId, Calendar>,
    has_held: bool,
) -> Result<Outlook> {
    let held = if has_held && !calendars.is_empty() { repo.installments_held()? } else { Vec::new() };
    let plans = active(repo, context, &calendars, None, &held)?;
    Ok(Outlook { calendars, plans })
}

/// The bills of each card.
pub(crate) fn calendars(repo: &mut dyn Repo, today: Date) -> Result<HashMap<AccountId, Calendar>> {
    let cards = repo.card_list()?.into_iter();
    Ok(cards.map(|card| (card.account_id, Calendar::new(card.cycles, today))).collect())
}

/// The same, of accounts that were read already.
pub(crate) fn calendars_of(accounts: &[Account], today: Date) -> HashMap<AccountId, Calendar> {
    let calendar = |account: &Account| Some((account.id, Calendar::new(account.cycles.clone()?, today)));
    accounts.iter().filter_map(calendar).collect()
}

/// The plans that may have more instalments to come, with the rows of held statements.
fn active(
    repo: &mut dyn Repo,
    context: &Context,
    calendars: &HashMap<AccountId, Calendar>,
    account_id: Option<AccountId>,
    held: &[HeldInstallment],
) -> Result<Vec<Plan>> {
    let of_account = |(id, _): &(&AccountId, _)| account_id.is_none_or(|account_id| **id == account_id);
    let followed = followed_since(held, calendars);
    let first = |(id, calendar): (&AccountId, &Calendar)| {
        let active = calendar.active_since();
        (*id, followed.get(id).map_or(active, |first| active.min(*first)))
    };
    let mut since: Vec<(AccountId, Date)> = calendars.iter().filter(of_account).map(first).collect();
    if since.is_empty() {
        return Ok(Vec::new());
    }
    since.sort_unstable();
    let rows = with_held(repo.installment_rows(&RowsOf::Since(since))?, held, calendars);
    let mut plans = plans(rows, calendars, &|shop| context.lexicon.payees.key(shop));
    plans.retain(|plan| plan.status == PlanStatus::Active);
    Ok(plans)
}

/// Which plans to list.
#[derive(Debug, Clone, Copy, Default)]
pub struct PlanFilter {
    /// Those of the card.
    pub account_id: Option<AccountId>,
    /// Those of the status.
    pub status: Option<PlanStatus>,
    /// Those after this place in the list. None for the start.
    pub after: Option<PlanPlace>,
    /// The most plans to return.
    pub limit: u32,
}

/// A plan's place in a list, newest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlanPlace {
    /// The date of the purchase.
    pub first_date: Date,
    /// Its id.
    pub id: TransactionId,
}

/// The caller's plans that pass the filter, newest first by the date of the purchase, then id.
pub fn list(repo: &mut dyn Repo, context: &Context, filter: &PlanFilter) -> Result<Vec<Plan>> {
    let calendars = calendars(repo, context.today)?;
    let held = if calendars.is_empty() { Vec::new() } else { repo.installments_held()? };
    let mut found = match filter.status {
        Some(PlanStatus::Active) => active(repo, context, &calendars, filter.account_id, &held)?,
        _ => {
            let rows = repo.installment_rows(&RowsOf::All(filter.account_id))?;
            plans(with_held(rows, &held, &calendars), &calendars, &|shop| context.lexicon.payees.key(shop))
        }
    };
    found.retain(|plan| {
        filter.account_id.is_none_or(|account_id| plan.account_id() == account_id)
            && filter.status.is_none_or(|status| plan.status == status)
            && filter.after.is_none_or(|after| plan.place() < (after.first_date, after.id.0))
    });
    found.truncate(usize::try_from(filter.limit).unwrap_or(usize::MAX));
    Ok(found)
}

/// The plan with that id.
///
/// # Errors
///
/// [`Error::NotFound`] if the caller has no plan whose first transaction has that id.
pub fn get(repo: &mut dyn Repo, context: &Context, id: TransactionId) -> Result<Plan> {
    let rows = repo.installment_rows(&RowsOf::Like(id))?;
    if rows.is_empty() {
        return Err(Error::NotFound("installment plan"));
    }
    let calendars = calendars(repo, context.today)?;
    let rows = with_held(rows, &repo.installments_held()?, &calendars);
    let plans = plans(rows, &calendars, &|shop| context.lexicon.payees.key(shop));
    plans.into_iter().find(|plan| plan.id() == Some(id)).ok_or(Error::NotFound("installment plan"))
}

/// Enters a purchase by instalments: one transaction for each, a month apart. Statements that list them later fill them
/// (`filled`).
///
/// # Errors
///
/// [`Error::Invalid`].
pub fn create(repo: &mut dyn Repo, context: &Context, input: PlanInput) -> Result<Plan> {
    let new = check(repo, input)?;
    let mut written = Written::default();
    let stored = ledger::insert(repo, &mut written, &new)?;
    let first = stored.first().ok_or_else(|| Error::Internal("an insert returned no row".into()))?;
    // The instalments are one purchase.
    let (date, kind, amount, description) = (first.date, first.kind, first.amount, &first.description);
    ledger::finish(repo, context, written, &[Event::TransactionCreated { date, kind, amount, description }])?;
    payers::ask(repo, context, &stored)?;
    get(repo, context, first.id)
}

/// Applies the rules, and returns the transactions of the plan.
fn check(repo: &mut dyn Repo, input: PlanInput) -> Result<Vec<NewTransaction>> {
    let mut errors = input.errors;
    let account_id = errors.require("account_id", input.account_id);
    let kind = references::check(repo, input.category_id, account_id, &mut errors)?;
    if kind.is_some_and(|kind| kind != AccountKind::Credit) {
        errors.push("account_id", Violation::OnlyOnCard);
    }
    let count = errors.require("count", input.count).and_then(|count| {
        let known = u8::try_from(count).ok().filter(|count| (2..=COUNT_MAX).contains(count));
        errors.check("count", known.ok_or_else(|| Violation::out_of_range(2, i64::from(COUNT_MAX))))
    });
    let description = errors
        .require("description", input.description)
        .and_then(|text| errors.check("description", text::description(&text)))
        .and_then(|text| {
            let count = count.unwrap_or(COUNT_MAX);
            let longest = describe(&text, Installment { number: count, count }).chars().count();
            let added = longest - text.chars().count();
            let max = (DESCRIPTION_CHARS_MAX - added) as i64;
            errors.check(
                "description",
                if longest <= DESCRIPTION_CHARS_MAX { Ok(text) } else { Err(Violation::TooLong { max }) },
            )
        });
    let dates: Option<Vec<Date>> = errors.require("date", input.date).and_then(|date| {
        let dates: Vec<Date> = months_apart(date).take(count.unwrap_or(1).into()).collect();
        let is_served = dates.iter().all(|date| YEARS.contains(&date.year()));
        errors.check("date", if is_served { Ok(dates) } else { Err(year_out_of_range()) })
    });
    let amounts = check_amounts(input.total_amount, input.amount, count, &mut errors);
    let tags = tags::check(input.tags, &mut errors);
    let (account_id, description, count, dates, amounts) =
        errors.all((account_id, description, count, dates, amounts))?;
    let row = |(number, (date, amount)): (u8, (Date, Money))| NewTransaction {
        category_id: input.category_id,
        account_id: Some(account_id),
        source: Source::Installment,
        details: Details { tags: tags.clone(), ..Details::default() },
        ..NewTransaction::new(Kind::Expense, date, describe(&description, Installment { number, count }), amount)
    };
    Ok((1..).zip(dates.into_iter().zip(amounts)).map(row).collect())
}

/// The amount of each instalment. None if it is not known.
fn check_amounts(
    total: Option<Money>,
    each: Option<Money>,
    count: Option<u8>,
    errors: &mut FieldErrors,
) -> Option<Vec<Money>> {
    if each.is_some() && (total.is_some() || errors.has("total_amount")) {
        errors.push("amount", Violation::NotBothAmounts);
    }
    match (total, each) {
        (Some(total), _) => {
            let total = errors.check("total_amount", total.transaction_amount())?;
            let least = Money::from_cents(count?.into());
            let is_enough = if total >= least { Ok(()) } else { Err(Violation::TooSmall { min: least.into() }) };
            errors.check("total_amount", is_enough)?;
            Some(split(total, count?))
        }
        (None, Some(each)) => {
            let each = errors.check("amount", each.transaction_amount())?;
            Some(vec![each; count?.into()])
        }
        (None, None) => {
            if !errors.has("amount") {
                errors.push("total_amount", Violation::Required);
            }
            None
        }
    }
}

/// Says that nothing more comes of a plan, such as of a purchase that was refunded, or that more comes again. Its stored
/// instalments stay.
///
/// # Errors
///
/// [`Error::NotFound`], or [`Error::Invalid`] if nothing is said.
pub fn end(repo: &mut dyn Repo, context: &Context, id: TransactionId, input: EndInput) -> Result<Plan> {
    let mut errors = input.errors;
    let is_ended = errors.require("ended", input.is_ended);
    let plan = get(repo, context, id)?;
    let (is_ended,) = errors.all((is_ended,))?;
    let ids: Vec<TransactionId> = plan.rows.iter().filter_map(|row| row.id).collect();
    repo.plan_end(&ids, is_ended)?;
    get(repo, context, id)
}

/// Deletes the transactions of a plan that were entered by hand and are in no statement. Returns how many.
///
/// # Errors
///
/// [`Error::NotFound`], or [`Refusal::InstallmentImported`] if there is none to delete.
pub fn delete(repo: &mut dyn Repo, context: &Context, id: TransactionId) -> Result<u64> {
    let plan = get(repo, context, id)?;
    let removable: HashSet<TransactionId> =
        plan.rows.iter().filter(|row| row.is_removable).filter_map(|row| row.id).collect();
    if removable.is_empty() {
        return Err(Refusal::InstallmentImported.into());
    }
    let mut written = Written::default();
    let removed = ledger::remove(repo, &mut written, &removable)?;
    transfer_links::after_removal(repo, context, written, &removed)?;
    Ok(removed.count)
}

/// Matches rows of a statement with instalments entered by hand. The result is in the order of the rows. A row comes with the
/// transaction that it duplicates, if there is one; that transaction may be such an instalment too. A row that a person marked as
/// a transfer is no instalment.
pub(crate) fn filled(
    repo: &mut dyn Repo,
    account: &Account,
    target: &ImportTarget,
    rows: &[(&StatementRow, Option<TransactionId>)],
) -> Result<Vec<Option<TransactionId>>> {
    let mut found = vec![None; rows.len()];
    let Some(cycles) = &account.cycles else { return Ok(found) };
    let may_be =
        |row: &StatementRow| row.kind == Kind::Expense && matches!(row.choice, Choice::Unsaid | Choice::Ordinary);
    let mut readings: Vec<(usize, Reading)> = Vec::new();
    for (at, (row, _)) in rows.iter().enumerate().filter(|(_, (row, _))| may_be(row)) {
        readings.extend(read(row.statement_description()).map(|reading| (at, reading)));
    }
    let counts: HashSet<u8> = readings.iter().map(|(_, reading)| reading.installment.count).collect();
    let mut entered = if counts.is_empty() { Vec::new() } else { repo.installments_entered(account.id, &counts)? };
    let known: HashSet<TransactionId> = entered.iter().map(|row| row.id).collect();
    let mut taken: HashSet<TransactionId> = HashSet::new();
    readings.retain(|(at, _)| {
        let duplicate_of = rows[*at].1;
        found[*at] = duplicate_of.filter(|id| known.contains(id) && taken.insert(*id));
        duplicate_of.is_none()
    });
    entered.retain(|row| !taken.contains(&row.id));
    if entered.is_empty() || readings.is_empty() {
        return Ok(found);
    }
    let bill = |date, original_date| cycles.number_of(&cycles.period_of(date, original_date));
    let mark = |at: usize, reading: &Reading| {
        let (row, _) = rows[at];
        let bill = match target.effective_date() {
            Some(moved_to) => bill(moved_to, Some(row.date)),
            None => bill(row.date, None),
        };
        Mark {
            installment: reading.installment,
            shop: reading.shop.clone(),
            amount: row.amount,
            bill,
            is_entered: false,
        }
    };
    let marks: Vec<Mark> = readings.iter().map(|(at, reading)| mark(*at, reading)).collect();
    let of_entered = |row: &EnteredRow| Mark {
        installment: row.installment,
        shop: row.shop.clone(),
        amount: row.amount,
        bill: bill(row.date, row.original_date),
        is_entered: true,
    };
    let entered_marks: Vec<Mark> = entered.iter().map(of_entered).collect();
    for ((at, _), place) in readings.iter().zip(fill(&marks, &entered_marks)) {
        found[*at] = place.map(|place| entered[place].id);
    }
    Ok(found)
}
