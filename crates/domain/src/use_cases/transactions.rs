//! Use cases of transactions.

use std::collections::HashSet;

use crate::accounts::AccountKind;
use crate::context::Context;
use crate::error::{Error, FieldErrors, Refusal, Result};
use crate::gamification::Event;
use crate::ids::{AccountId, TransactionId};
use crate::money::Money;
use crate::month::Month;
use crate::store::Repo;
use crate::transactions::{
    BULK_MAX, Details, Edit, IdsInput, LineInput, NewTransaction, ReferenceChange, Referring, Source, Transaction,
    TransactionFilter, TransactionInput, TransactionPlace, TransactionSummary, UsedDescription, check_lines,
    check_note,
};
use crate::use_cases::ledger::{self, Written};
use crate::use_cases::{categories, payers, references, transfer_links};
use crate::violations::Violation;
use crate::webhooks;
use crate::{tags, text};

/// The caller's transactions that pass the filter, newest first: at most `limit`, after the given place.
pub fn list(
    repo: &mut dyn Repo,
    context: &Context,
    filter: TransactionFilter,
    after: Option<TransactionPlace>,
    limit: u32,
) -> Result<Vec<Transaction>> {
    let filter = with_texts(repo, context, filter)?;
    repo.transaction_list(&filter, after, limit)
}

/// The filter with the texts of its payee in place of the payee's key. A key is computed once for each different text.
fn with_texts(repo: &mut dyn Repo, context: &Context, mut filter: TransactionFilter) -> Result<TransactionFilter> {
    if let Some(payee) = filter.payee_key.take() {
        let key = payee.id().unwrap_or_default();
        let mut texts = Vec::new();
        repo.transaction_texts(&filter, &mut |text| {
            if context.lexicon.payees.key(text) == key {
                texts.push(text.to_string());
            }
        })?;
        filter.texts = Some(texts);
    }
    Ok(filter)
}

/// The totals of the caller's transactions that pass the filter.
pub fn summary(repo: &mut dyn Repo, context: &Context, filter: TransactionFilter) -> Result<TransactionSummary> {
    let filter = with_texts(repo, context, filter)?;
    repo.transaction_summary(&filter)
}

/// One transaction.
///
/// # Errors
///
/// [`Error::NotFound`] if the caller has no such transaction.
pub fn get(repo: &mut dyn Repo, id: TransactionId) -> Result<Transaction> {
    repo.transaction_get(id)?.ok_or(Error::NotFound("transaction"))
}

/// Creates a manual transaction.
///
/// # Errors
///
/// [`Error::Invalid`], or [`Refusal::DuplicateExternalId`].
pub fn create(repo: &mut dyn Repo, context: &Context, input: TransactionInput) -> Result<Transaction> {
    let (new, account_kind) = check(repo, input, None)?;
    // A row of another account pays no bill until a person says that it is a transfer.
    let is_on_card = account_kind == Some(AccountKind::Credit);
    let mut written = if is_on_card { Written::default() } else { Written::without_cards() };
    let transaction = ledger::insert_one(repo, &mut written, new)?;
    let Transaction { id, date, kind, amount, account_id, category_id, ref description, .. } = transaction;
    written.tell(webhooks::Event::TransactionCreated { id, kind, date, amount, account_id, category_id });
    ledger::finish(repo, context, written, &[Event::TransactionCreated { date, kind, amount, description }])?;
    if is_on_card
        && (payers::take_leg(repo, context, &transaction)? || !payers::ask(repo, context, [&transaction])?.is_empty())
    {
        return get(repo, id);
    }
    Ok(transaction)
}

/// Replaces the fields of a transaction. The values from its statement are kept too.
///
/// # Errors
///
/// [`Error::NotFound`], [`Refusal::TransferLeg`], [`Refusal::OpeningFollows`], [`Error::Invalid`], or
/// [`Refusal::DuplicateExternalId`].
pub fn update(
    repo: &mut dyn Repo,
    context: &Context,
    id: TransactionId,
    input: TransactionInput,
) -> Result<Transaction> {
    let before = get(repo, id)?;
    if before.transfer_id.is_some() {
        return Err(Refusal::TransferLeg.into());
    }
    let (new, account_kind) = check(repo, input, Some(&before))?;
    let mut written = Written::default();
    let is_opening = before.source == Source::OpeningBalance;
    if is_opening {
        keep_followed(repo, before.account_id)?;
    }
    let updated =
        ledger::edit(repo, &mut written, &[before.edited(new)])?.pop().ok_or(Error::NotFound("transaction"))?;
    if is_opening && updated != before {
        say_opening(repo, before.account_id)?;
    }
    ledger::finish(repo, context, written, &[])?;
    let is_on_card = account_kind == Some(AccountKind::Credit);
    let is_moved = before.account_id != updated.account_id;
    if is_on_card
        && (is_moved && payers::take_leg(repo, context, &updated)?
            || !payers::ask(repo, context, [&before, &updated])?.is_empty())
    {
        return get(repo, id);
    }
    Ok(updated)
}

/// Changes the category, the account or both of several transactions: all of them or none. Returns how many. The values from
/// their statements are kept. A transaction that is split into lines takes no category.
///
/// # Errors
///
/// [`Error::Invalid`], also if the caller has no such transaction; [`Refusal::TransferLeg`], [`Refusal::OpeningFollows`] or
/// [`Refusal::DuplicateExternalId`].
pub fn update_many(repo: &mut dyn Repo, context: &Context, input: IdsInput, change: &ReferenceChange) -> Result<usize> {
    let ids = input.ids.clone().unwrap_or_default();
    let (known, mut errors) = known(repo, input)?;
    let (category_id, account_id) = (change.category.and_then(Referring::id), change.account.and_then(Referring::id));
    let account_kind = references::check(repo, category_id, account_id, &mut errors)?;
    if *change == ReferenceChange::default() && !errors.has("category_id") && !errors.has("account_id") {
        errors.push("category_id", Violation::NothingToChange);
    }
    if category_id.is_some() {
        let split: HashSet<TransactionId> =
            known.iter().filter(|before| before.details.is_split()).map(|before| before.id).collect();
        for (at, _) in ids.iter().enumerate().filter(|(_, id)| id.is_some_and(|id| split.contains(&id))) {
            errors.push(format!("ids[{at}]"), Violation::IsSplit);
        }
    }
    if let Some(account) = change.account
        && known.iter().any(|before| before.belongs_to_its_account() && before.account_id != account.id())
    {
        errors.push("account_id", Violation::FixedAccount);
    }
    let is_single = |before: &Transaction| before.is_transfer && before.transfer_id.is_none();
    if change.account == Some(Referring::Nothing) && known.iter().any(is_single) {
        errors.push("account_id", Violation::RequiredForTransfer);
    }
    errors.into_result()?;
    if known.iter().any(|before| before.transfer_id.is_some()) {
        return Err(Refusal::TransferLeg.into());
    }
    let openings = known.iter().filter(|before| before.source == Source::OpeningBalance);
    keep_followed(repo, openings.filter_map(|before| before.account_id))?;
    let edits: Vec<Edit> = known.iter().map(|before| before.moved(change)).collect();
    let mut written = Written::default();
    let updated = ledger::edit(repo, &mut written, &edits)?;
    ledger::finish(repo, context, written, &[])?;
    if account_kind == Some(AccountKind::Credit) {
        for moved in &updated {
            payers::take_leg(repo, context, moved)?;
        }
        payers::ask(repo, context, &updated)?;
    }
    Ok(updated.len())
}

/// Deletes several transactions, all of them or none, like [`delete`]. Returns how many were deleted.
///
/// # Errors
///
/// [`Error::Invalid`], also if the caller has no such transaction; [`Refusal::OpeningFollows`].
pub fn delete_many(repo: &mut dyn Repo, context: &Context, input: IdsInput) -> Result<u64> {
    let (known, errors) = known(repo, input)?;
    errors.into_result()?;
    let mut written = Written::default();
    let removed = ledger::remove(repo, &mut written, &known.iter().map(|transaction| transaction.id).collect())?;
    keep_followed(repo, removed.unopened.iter().copied())?;
    say_opening(repo, removed.unopened.iter().copied())?;
    transfer_links::after_removal(repo, context, written, &removed)?;
    Ok(removed.count)
}

/// What a person changes or deletes is no opening balance that the service keeps.
fn say_opening(repo: &mut dyn Repo, accounts: impl IntoIterator<Item = AccountId>) -> Result<()> {
    accounts.into_iter().try_for_each(|id| repo.opening_say(id))
}

/// Refuses to change the opening balance of an account where it follows an anchor.
fn keep_followed(repo: &mut dyn Repo, accounts: impl IntoIterator<Item = AccountId>) -> Result<()> {
    let accounts: Vec<AccountId> = accounts.into_iter().collect();
    if !accounts.is_empty() && repo.anchor_follows(&accounts)? {
        return Err(Refusal::OpeningFollows.into());
    }
    Ok(())
}

/// The transactions whose ids a client sends, each once, and the errors of the ids.
fn known(repo: &mut dyn Repo, input: IdsInput) -> Result<(Vec<Transaction>, FieldErrors)> {
    let mut errors = input.errors;
    let ids = errors.require("ids", input.ids).unwrap_or_default();
    if ids.is_empty() {
        errors.push("ids", Violation::Empty);
    }
    if ids.len() > BULK_MAX {
        errors.push("ids", Violation::TooMany { max: BULK_MAX as i64 });
        return Ok((Vec::new(), errors));
    }
    let named: HashSet<TransactionId> = ids.iter().copied().flatten().collect();
    let known = repo.transaction_list_of(&named.into_iter().collect::<Vec<_>>())?;
    let known_ids: HashSet<TransactionId> = known.iter().map(|transaction| transaction.id).collect();
    for (at, id) in ids.iter().enumerate() {
        if id.is_some_and(|id| !known_ids.contains(&id)) {
            errors.push(format!("ids[{at}]"), Violation::NoSuchTransaction);
        }
    }
    Ok((known, errors))
}

/// The descriptions that the caller used last and that contain a [normalized](text::normalized) text, each with the values that
/// it was used with: at most `limit`, those that begin with the text first.
pub fn descriptions(repo: &mut dyn Repo, part: &str, limit: u32) -> Result<Vec<UsedDescription>> {
    let mut used = repo.transaction_descriptions(part, limit)?;
    let hidden = categories::hidden(repo)?;
    for description in &mut used {
        description.category_id = description.category_id.filter(|id| !hidden.contains(id));
    }
    Ok(used)
}

/// Deletes a transaction. If it is a leg of a transfer, the other leg is deleted too if this service created it. Otherwise the
/// other leg is treated as if it had never been linked.
///
/// # Errors
///
/// [`Error::NotFound`] if the caller has no such transaction; [`Refusal::OpeningFollows`].
pub fn delete(repo: &mut dyn Repo, context: &Context, id: TransactionId) -> Result<()> {
    let mut written = Written::default();
    let removed = ledger::remove(repo, &mut written, &HashSet::from([id]))?;
    if removed.count == 0 {
        return Err(Error::NotFound("transaction"));
    }
    keep_followed(repo, removed.unopened.iter().copied())?;
    say_opening(repo, removed.unopened.iter().copied())?;
    transfer_links::after_removal(repo, context, written, &removed)
}

/// Deletes all the caller's transactions of a month, like [`delete`]. An opening balance that follows an anchor comes again as the
/// other rows require it. Returns how many.
pub fn delete_month(repo: &mut dyn Repo, context: &Context, month: Month) -> Result<u64> {
    let mut written = Written::default();
    let removed = ledger::remove_month(repo, &mut written, month)?;
    transfer_links::after_removal(repo, context, written, &removed)?;
    Ok(removed.count)
}

/// Applies the rules, including those about the category and the account. Returns the kind of the account.
fn check(
    repo: &mut dyn Repo,
    input: TransactionInput,
    before: Option<&Transaction>,
) -> Result<(NewTransaction, Option<AccountKind>)> {
    let mut errors = input.errors;
    let kind = errors.require("type", input.kind);
    let date = errors.require("date", input.date);
    let description = errors
        .require("description", input.description)
        .and_then(|text| errors.check("description", text::description(&text)));
    let amount =
        errors.require("amount", input.amount).and_then(|amount| errors.check("amount", amount.transaction_amount()));
    let external_id = input.external_id.and_then(|id| errors.check("external_id", text::optional(&id))).flatten();
    let account_kind = references::check(repo, input.category_id, input.account_id, &mut errors)?;
    if let Some(before) = before.filter(|before| before.belongs_to_its_account())
        && input.account_id != before.account_id
    {
        errors.push("account_id", Violation::FixedAccount);
    }
    let was_transfer = before.is_some_and(|before| before.is_transfer);
    let is_transfer = before.is_some_and(|before| input.is_transfer.unwrap_or(before.is_transfer));
    if is_transfer && before.is_some_and(Transaction::belongs_to_its_account) {
        errors.push("is_transfer", Violation::NeverATransfer);
    } else if is_transfer && input.account_id.is_none() {
        errors.push("account_id", Violation::RequiredForTransfer);
    }
    // What a person said takes precedence over what a text says.
    let is_kept_unlinked = match (was_transfer, is_transfer) {
        (true, false) => true,
        _ => before.is_some_and(|before| before.is_kept_unlinked),
    };
    let details = check_details(repo, input.lines, input.tags, input.note, amount, &mut errors)?;
    if details.is_split() && input.category_id.is_some() {
        errors.push("category_id", Violation::WithLines);
    }
    if details.is_split() && is_transfer {
        errors.push("lines", Violation::LinesOfTransfer);
    }
    let (kind, date, description, amount) = errors.all((kind, date, description, amount))?;
    let new = NewTransaction {
        category_id: input.category_id,
        account_id: input.account_id,
        external_id,
        is_transfer,
        is_kept_unlinked,
        details,
        ..NewTransaction::new(kind, date, description, amount)
    };
    Ok((new, account_kind))
}

/// Applies the rules for lines, tags and notes. Only the categories of lines are looked up.
fn check_details(
    repo: &mut dyn Repo,
    lines: Option<Vec<Option<LineInput>>>,
    tags: Option<Vec<Option<String>>>,
    note: Option<String>,
    amount: Option<Money>,
    errors: &mut FieldErrors,
) -> Result<Details> {
    let lines = match lines {
        Some(lines) => {
            let categories = repo.category_list()?.into_iter().map(|category| category.id).collect();
            check_lines(lines, amount, &categories, errors)
        }
        None => Vec::new(),
    };
    Ok(Details { lines, tags: tags::check(tags, errors), note: check_note(note, errors) })
}
