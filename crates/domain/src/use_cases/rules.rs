//! Use cases of rules: keeping them, trying one, and applying them to what is stored.

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
use crate::use_cases::{credit_bills, webhooks};
use crate::violations::Violation;
use crate::{tags, text};

/// Transactions that [`test()`] shows at the most.
pub const SAMPLE_MAX: usize = 20;
/// Transactions that are read at once.
const PAGE_ROWS: u32 = 5_000;

/// The caller's rules, in their order.
///
/// # Errors
///
/// As [`Store::transact`](crate::Store::transact).
pub fn list(repo: &mut dyn Repo) -> Result<Vec<Rule>> {
    repo.rule_list()
}

/// One rule.
///
/// # Errors
///
/// [`Error::NotFound`] where the caller has no such rule.
pub fn get(repo: &mut dyn Repo, id: RuleId) -> Result<Rule> {
    repo.rule_get(id)?.ok_or(Error::NotFound("rule"))
}

/// Creates a rule. One that names no place goes last.
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

/// Replaces a rule. It stays in its place where it names none.
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

/// Deletes a rule. What it did stays.
///
/// # Errors
///
/// [`Error::NotFound`] where the caller has no such rule.
pub fn delete(repo: &mut dyn Repo, id: RuleId) -> Result<()> {
    if repo.rule_delete(id)? { Ok(()) } else { Err(Error::NotFound("rule")) }
}

/// The caller's categories and accounts.
fn known(repo: &mut dyn Repo) -> Result<(HashSet<CategoryId>, HashSet<AccountId>)> {
    let categories = repo.category_list()?.into_iter().map(|category| category.id).collect();
    let accounts = repo.account_list()?.into_iter().map(|account| account.id).collect();
    Ok((categories, accounts))
}

/// What rules would change of a stored transaction. None means that it stays.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RuleChange {
    /// Its category.
    pub category_id: Option<CategoryId>,
    /// Its description.
    pub description: Option<String>,
    /// Tags that are added.
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

/// Tries a rule on what is stored, and changes nothing.
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

/// To what rules are applied, not yet checked.
#[derive(Debug, Clone, Default)]
pub struct ApplyInput {
    /// The rules, all where absent. An id is none where `errors` says that it is no id at all.
    pub rule_ids: Option<Vec<Option<RuleId>>>,
    /// To transactions on the day or later.
    pub from: Option<Date>,
    /// To transactions on the day or before.
    pub to: Option<Date>,
    /// To transactions without a category only; true where absent.
    pub only_uncategorized: Option<bool>,
    /// Fields that could not be read. They are reported together with those that break a rule.
    pub errors: FieldErrors,
}

/// Applies rules that are enabled to what is stored. Returns how many transactions changed; a second time none does.
///
/// Legs of transfers stay as they are, rows that are split keep their categories, and nothing is left out: `skip` is for imports. What was entered by hand keeps its
/// description, because rules go by what statements say.
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
    for_each(repo, &filter, |repo, page| {
        let edit = |transaction: &Transaction| {
            let change = change(transaction, &decide(&rules, transaction)?);
            edited(transaction, change)
        };
        let edits: Vec<Edit> = page.iter().filter_map(edit).collect();
        for edits in edits.chunks(BULK_MAX) {
            let updated = repo.transaction_update(edits)?;
            webhooks::spent(repo, context.today, &updated);
            changed += updated.len() as u64;
        }
        Ok(())
    })?;
    if changed > 0 {
        credit_bills::settle(repo, context.today)?;
    }
    Ok(changed)
}

/// Reads all transactions that pass a filter, the newest first, in pages. Work on a page may change what it has, but no date.
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

/// What rules decide of a stored transaction. An opening balance and a yield are no rows of statements.
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

/// What an outcome changes of a transaction.
fn change(transaction: &Transaction, outcome: &Outcome<'_>) -> RuleChange {
    if transaction.transfer_id.is_some() || transaction.source == Source::OpeningBalance {
        return RuleChange::default();
    }
    let becomes_transfer = outcome.transfer.is_some()
        && !transaction.is_transfer
        && !transaction.details.is_split()
        // What somebody said counts more.
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

/// The transaction with a change; none where nothing changes.
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
