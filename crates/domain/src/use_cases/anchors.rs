//! Use cases of anchors: what accounts held at the end of days.

use std::collections::BTreeMap;

use time::Date;

use crate::accounts::AccountKind;
use crate::anchors::{self, ANCHORS_MAX, Check, Suspect};
use crate::context::Context;
use crate::error::{Error, FieldErrors, Refusal, Result};
use crate::ids::{AccountId, ImportId};
use crate::imports::{FileBalance, LEFT_OUT_MAX, LeftOutRow};
use crate::money::Money;
use crate::store::Repo;
use crate::transactions::{Kind, NewTransaction, Transaction};
use crate::use_cases::ledger::{self, Written};
use crate::use_cases::openings;
use crate::use_cases::references::require_account;
use crate::violations::Violation;

/// What a person says that an account held, not yet checked.
#[derive(Debug, Clone, Default)]
pub struct AnchorInput {
    /// Required; not after today.
    pub date: Option<Date>,
    /// Required; -9999999999.99 to 9999999999.99.
    pub amount: Option<Money>,
    /// Fields that could not be read. They are reported together with those that break a rule.
    pub errors: FieldErrors,
}

/// An anchor with the rows that may be the cause of its difference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Examined {
    /// The anchor, compared with the rows.
    pub check: Check,
    /// The rows, if there is a difference.
    pub suspects: Vec<Suspect>,
}

/// The anchors of an account that count, newest first: at most `limit`, from before a day on.
///
/// # Errors
///
/// [`Error::NotFound`] if the caller has no such account.
pub fn list(repo: &mut dyn Repo, id: AccountId, before: Option<Date>, limit: u32) -> Result<Vec<Check>> {
    require_account(repo, id)?;
    repo.anchor_checks(id, before, limit)
}

/// The anchor of a day, with the rows that may be the cause of its difference.
///
/// # Errors
///
/// [`Error::NotFound`] if the caller has no such account, or the account no such anchor.
pub fn get(repo: &mut dyn Repo, id: AccountId, date: Date) -> Result<Examined> {
    require_account(repo, id)?;
    let checks = all(repo, id)?;
    let check = of_day(&checks, date)?;
    let Some(span) = anchors::span(&checks, date) else { return Ok(Examined { check, suspects: Vec::new() }) };
    let size = span.gap.cents().abs();
    // Half of an odd number of cents is the amount of no row.
    let half = (size % 2 == 0).then(|| Money::from_cents(size / 2));
    let amounts: Vec<Money> = [Money::from_cents(size)].into_iter().chain(half).collect();
    let stored = repo.anchor_rows(id, &span, &amounts)?;
    let left_out = repo.left_out_list(id, &span, span.gap)?;
    Ok(Examined { check, suspects: anchors::suspects(span.gap, stored, left_out) })
}

/// Stores what a person says that an account held at the end of a day. The opening balance of the account follows the first one.
///
/// # Errors
///
/// [`Error::NotFound`], [`Error::Invalid`], or [`Refusal::LimitReached`].
pub fn put(repo: &mut dyn Repo, context: &Context, id: AccountId, input: AnchorInput) -> Result<Check> {
    require_account(repo, id)?;
    let mut errors = input.errors;
    let date = errors.require("date", input.date);
    if date.is_some_and(|date| date > context.today) {
        errors.push("date", Violation::AfterToday);
    }
    let amount =
        errors.require("amount", input.amount).and_then(|amount| errors.check("amount", amount.stated_balance()));
    let (date, amount) = errors.all((date, amount))?;
    say(repo, id, date, amount)?;
    ledger::finish(repo, context, Written::default(), &[])?;
    of_day(&all(repo, id)?, date)
}

/// Stores what a person says. The caller does what follows.
pub(crate) fn say(repo: &mut dyn Repo, id: AccountId, date: Date, amount: Money) -> Result<()> {
    repo.anchor_put(id, date, amount)?;
    if repo.anchor_count(id)? > ANCHORS_MAX {
        return Err(Refusal::LimitReached { what: "anchors of an account", max: ANCHORS_MAX }.into());
    }
    repo.opening_say(id)
}

/// Deletes what a person said of a day. The opening balance then follows the next one that a person said, or stays as it is.
///
/// # Errors
///
/// [`Error::NotFound`] if the caller has no such account, or no person said anything of the day.
pub fn delete(repo: &mut dyn Repo, context: &Context, id: AccountId, date: Date) -> Result<()> {
    require_account(repo, id)?;
    if !repo.anchor_delete(id, date)? {
        return Err(Error::NotFound("anchor"));
    }
    ledger::finish(repo, context, Written::default(), &[])
}

/// Ends the difference of a day by a row that counts in the balance only; on a card, in what its bills owe, too. Returns the row, or
/// the first of two.
///
/// # Errors
///
/// [`Error::NotFound`], [`Error::Invalid`] if there is no difference or it is larger than a transaction.
pub fn adjust(repo: &mut dyn Repo, context: &Context, id: AccountId, date: Date) -> Result<Transaction> {
    require_account(repo, id)?;
    let checks = all(repo, id)?;
    of_day(&checks, date)?;
    let Some(rows) = anchors::adjustment(&checks, date) else {
        return Err(Error::invalid("date", Violation::NothingToAdjust));
    };
    let row = |(date, signed): (Date, Money)| {
        let amount = signed.abs().transaction_amount().map_err(|violation| Error::invalid("date", violation))?;
        Ok(NewTransaction {
            account_id: Some(id),
            is_transfer: true,
            // It is the side of no transfer of a statement.
            is_kept_unlinked: true,
            ..NewTransaction::new(Kind::of(signed), date, "Acerto de saldo", amount)
        })
    };
    let rows: Vec<NewTransaction> = rows.into_iter().map(row).collect::<Result<_>>()?;
    let mut written = Written::default();
    let stored = ledger::insert(repo, &mut written, &rows)?;
    ledger::finish(repo, context, written, &[])?;
    stored.into_iter().next().ok_or_else(|| Error::Internal("an adjustment has no row".into()))
}

/// Keeps what the file of an import says of balances, and which rows the import left out. Balances of cards and of later days than
/// today are not kept.
pub(crate) fn keep_of_import(
    repo: &mut dyn Repo,
    context: &Context,
    import_id: ImportId,
    balances: &[FileBalance],
    mut left_out: Vec<LeftOutRow>,
) -> Result<()> {
    left_out.truncate(LEFT_OUT_MAX);
    if !left_out.is_empty() {
        repo.left_out_insert(import_id, &left_out)?;
    }
    let mut of_accounts: BTreeMap<AccountId, BTreeMap<Date, Money>> = BTreeMap::new();
    for balance in balances.iter().filter(|balance| balance.date <= context.today) {
        of_accounts.entry(balance.account_id).or_default().insert(balance.date, balance.amount);
    }
    if of_accounts.is_empty() {
        return Ok(());
    }
    let kinds = repo.account_kinds()?;
    for (id, of_days) in of_accounts {
        if kinds.get(&id).is_none_or(|kind| *kind == AccountKind::Credit) {
            continue;
        }
        let room = ANCHORS_MAX.saturating_sub(repo.anchor_count(id)?);
        let newest: Vec<(Date, Money)> = of_days.into_iter().rev().take(room).collect();
        repo.anchor_insert(id, import_id, &newest)?;
    }
    Ok(())
}

/// The opening balances of a restored profile follow its anchors.
pub fn follow_restored(repo: &mut dyn Repo) -> Result<()> {
    openings::follow(repo)
}

/// The checks of an account, newest first.
fn all(repo: &mut dyn Repo, id: AccountId) -> Result<Vec<Check>> {
    let (known, openings) = repo.anchor_list(id)?;
    Ok(anchors::checks(&known, &openings))
}

fn of_day(checks: &[Check], date: Date) -> Result<Check> {
    checks.iter().find(|check| check.anchor.date == date).copied().ok_or(Error::NotFound("anchor"))
}
