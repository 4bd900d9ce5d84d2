//! Use cases of rules: managing them, trying one, and applying them to stored transactions.

use std::collections::HashSet;

use time::Date;

use crate::context::Context;
use crate::error::{Error, FieldErrors, Refusal, Result};
use crate::ids::{AccountId, CategoryId, RuleId};
use crate::rules::{Facts, Outcome, POSITION_MAX, RULES_MAX, Rule, RuleInput, Rules};
use crate::store::Repo;
use crate::transactions::{
    BULK_MAX, Edit, NewTransaction, Referring, Source, Transaction, TransactionFilter, TransactionPlace,
};
use crate::use_cases::ledger::{self, Written};
use crate::violations::Violation;
use crate::{tags, text};

/// The most transactions that [`test()`] shows.
pub const SAMPLE_MAX: usize = 20;
/// The number of transactions in a page that is read.
const PAGE_ROWS: u32 = 5_000;

/// The caller's rules, in their order.
pub fn list(repo: &mut dyn Repo) -> Result<Vec<Rule>> {
    repo.rule_list()
}

/// One rule.
///
/// # Errors
///
/// [`Error::NotFound`] if the caller has no such rule.
pub fn get(repo: &mut dyn Repo, id: RuleId) -> Result<Rule> {
    repo.rule_get(id)?.ok_or(Error::NotFound("rule"))
}

/// Creates a rule. It goes last if it names no place.
///
/// # Errors
///
/// [`Error::Invalid`], or [`Refusal::LimitReached`].
pub fn create(repo: &mut dyn Repo, input: RuleInput) -> Result<Rule> {
    let rules = repo.rule_list()?;
    let last = rules.last().map_or(0, |rule| (rule.content.position + 1).min(POSITION_MAX));
    let (categories, accounts) = known(repo)?;
    let new = input.check(&categories, &accounts, last)?;
    // Writers of one profile wait for each other, so the count holds until the insert.
    if rules.len() >= RULES_MAX {
        return Err(Refusal::LimitReached { what: "rules", max: RULES_MAX }.into());
    }
    repo.rule_insert(&new)
}

/// Replaces a rule. It stays in its place if it names none.
///
/// # Errors
///
/// [`Error::NotFound`], or [`Error::Invalid`].
pub fn update(repo: &mut dyn Repo, id: RuleId, input: RuleInput) -> Result<Rule> {
    let before = get(repo, id)?;
    let (categories, accounts) = known(repo)?;
    let new = input.check(&categories, &accounts, before.content.position)?;
    repo.rule_update(id, &new)?.ok_or(Error::NotFound("rule"))
}

/// Deletes a rule. The changes that it made stay.
///
/// # Errors
///
/// [`Error::NotFound`] if the caller has no such rule.
pub fn delete(repo: &mut dyn Repo, id: RuleId) -> Result<()> {
    if repo.rule_delete(id)? { Ok(()) } else { Err(Error::NotFound("rule")) }
}

/// The caller's categories and accounts.
fn known(repo: &mut dyn Repo) -> Result<(HashSet<CategoryId>, HashSet<AccountId>)> {
    let categories = repo.category_list()?.into_iter().map(|category| category.id).collect();
    let accounts = repo.account_kinds()?.into_keys().collect();
    Ok((categories, accounts))
}

/// What rules would change in a stored transaction. None means no change.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RuleChange {
    /// Its category.
    pub category_id: Option<CategoryId>,
    /// Its description.
    pub description: Option<String>,
    /// The tags to add.
    pub tags: Vec<String>,
    /// Whether it becomes a transfer whose other side is not kept here.
    pub is_transfer: bool,
}

/// What a rule would do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tried {
    /// How many stored transactions meet its conditions.
    pub matches: u64,
    /// The newest of them, at most [`SAMPLE_MAX`], each with what would change.
    pub sample: Vec<(Transaction, RuleChange)>,
}

/// Tries a rule on the stored transactions, and changes nothing.
///
/// # Errors
///
/// [`Error::Invalid`].
pub fn test(repo: &mut dyn Repo, input: RuleInput) -> Result<Tried> {
    let (categories, accounts) = known(repo)?;
    let rules = Rules::unsaved(input.check(&categories, &accounts, 0)?);
    let mut tried = Tried { matches: 0, sample: Vec::new() };
    for_each(repo, &TransactionFilter::default(), |_, page| {
        for transaction in page {
            if let Some(outcome) = decide(&rules, &transaction) {
                tried.matches += 1;
                if tried.sample.len() < SAMPLE_MAX {
                    let change = change(&transaction, &outcome);
                    tried.sample.push((transaction, change));
                }
            }
        }
        Ok(())
    })?;
    Ok(tried)
}

/// What to apply rules to, not yet checked.
#[derive(Debug, Clone, Default)]
pub struct ApplyInput {
    /// The rules to apply; all if absent. An id is None if it could not be read; `errors` says so already.
    pub rule_ids: Option<Vec<Option<RuleId>>>,
    /// Only to transactions on the day or later.
    pub from: Option<Date>,
    /// Only to transactions on the day or before.
    pub to: Option<Date>,
    /// Only to transactions without a category; true if absent.
    pub only_uncategorized: Option<bool>,
    /// Fields that could not be read. They are reported together with those that break a rule.
    pub errors: FieldErrors,
}

/// Applies enabled rules to the stored transactions. Returns how many transactions changed. Applied a second time, the rules
/// change none.
///
/// Legs of transfers and opening balances stay unchanged, and split rows keep their categories. No row is left out, because `skip` is
/// for imports.
/// Transactions entered by hand keep their description, because rules apply to the texts of statements.
///
/// # Errors
///
/// [`Error::Invalid`].
pub fn apply(repo: &mut dyn Repo, context: &Context, input: ApplyInput) -> Result<u64> {
    let mut errors = input.errors;
    let only_uncategorized = input.only_uncategorized.unwrap_or(true);
    let category = only_uncategorized.then_some(Referring::Nothing);
    let filter = TransactionFilter { from: input.from, to: input.to, category, ..TransactionFilter::default() };
    filter.check(&mut errors);
    let mut rules = repo.rule_list()?;
    if let Some(ids) = input.rule_ids {
        if ids.len() > RULES_MAX {
            errors.push("rule_ids", Violation::TooManyElements { max: RULES_MAX as i64 });
        } else {
            for (at, id) in ids.iter().enumerate() {
                if id.is_some_and(|id| !rules.iter().any(|rule| rule.id == id)) {
                    errors.push(format!("rule_ids[{at}]"), Violation::NoSuchRule);
                }
            }
        }
        rules.retain(|rule| ids.contains(&Some(rule.id)));
    }
    errors.into_result()?;
    let rules = Rules::new(rules);
    if rules.is_empty() {
        return Ok(0);
    }
    let mut changed = 0;
    let mut written = Written::default();
    for_each(repo, &filter, |repo, page| {
        let edit = |transaction: &Transaction| {
            let change = change(transaction, &decide(&rules, transaction)?);
            edited(transaction, change)
        };
        let edits: Vec<Edit> = page.iter().filter_map(edit).collect();
        for edits in edits.chunks(BULK_MAX) {
            changed += ledger::edit(repo, &mut written, edits)?.len() as u64;
        }
        Ok(())
    })?;
    ledger::finish(repo, context, written, &[])?;
    Ok(changed)
}

/// Reads all transactions that pass a filter, newest first, in pages. `work` may change the transactions of a page, but not their
/// dates.
fn for_each(
    repo: &mut dyn Repo,
    filter: &TransactionFilter,
    mut work: impl FnMut(&mut dyn Repo, Vec<Transaction>) -> Result<()>,
) -> Result<()> {
    let mut after: Option<TransactionPlace> = None;
    loop {
        let page = repo.transaction_list(filter, after, PAGE_ROWS)?;
        let is_last = page.len() < PAGE_ROWS as usize;
        after = page.last().map(|last| TransactionPlace { date: last.date, id: last.id });
        work(repo, page)?;
        if is_last {
            return Ok(());
        }
    }
}

/// What rules decide for a stored transaction, by what its statement said of it where it has one.
fn decide<'r>(rules: &'r Rules, transaction: &Transaction) -> Option<Outcome<'r>> {
    let description = text::normalized(transaction.statement_description());
    let facts = Facts {
        description: &description,
        amount: transaction.statement.amount.unwrap_or(transaction.amount),
        kind: transaction.statement.kind.unwrap_or(transaction.kind),
        account_id: transaction.account_id,
        date: transaction.statement_date(),
    };
    rules.decide(&facts)
}

/// What an outcome changes in a transaction. An opening balance stays as it is.
fn change(transaction: &Transaction, outcome: &Outcome<'_>) -> RuleChange {
    if transaction.transfer_id.is_some() || transaction.source == Source::OpeningBalance {
        return RuleChange::default();
    }
    let becomes_transfer = outcome.transfer.is_some()
        && !transaction.is_transfer
        && !transaction.details.is_split()
        // What a person said takes precedence.
        && !transaction.is_kept_unlinked
        && transaction.account_id.is_some()
        && !transaction.belongs_to_its_account();
    let is_transfer = transaction.is_transfer || becomes_transfer;
    let is_split = transaction.details.is_split();
    let category = outcome.category.filter(|_| !is_transfer && !is_split).map(|category| category.value);
    let description = outcome.description.filter(|_| transaction.is_from_statement()).map(|decided| decided.value);
    let mut tags = transaction.details.tags.clone();
    outcome.tags.iter().for_each(|tag| tags::add(&mut tags, tag));
    RuleChange {
        tags: tags.split_off(transaction.details.tags.len()),
        category_id: category.filter(|id| transaction.category_id != Some(*id)),
        description: description.filter(|text| *text != transaction.description).map(str::to_string),
        is_transfer: becomes_transfer,
    }
}

/// The changed transaction. None if nothing changes.
fn edited(transaction: &Transaction, change: RuleChange) -> Option<Edit> {
    if change == RuleChange::default() {
        return None;
    }
    let description = change.description.unwrap_or_else(|| transaction.description.clone());
    let mut details = transaction.details.clone();
    details.tags.extend(change.tags);
    let new = NewTransaction {
        details,
        category_id: change.category_id.or(transaction.category_id),
        account_id: transaction.account_id,
        external_id: transaction.external_id.clone(),
        is_transfer: transaction.is_transfer || change.is_transfer,
        is_kept_unlinked: transaction.is_kept_unlinked,
        ..NewTransaction::new(transaction.kind, transaction.date, description, transaction.amount)
    };
    Some(transaction.edited(new))
}
