//! Checks and decisions that a preview and a confirm share.

use std::collections::HashMap;

use crate::accounts::{Account, AccountKind, YieldType};
use crate::context::Context;
use crate::error::{FieldErrors, Result};
use crate::ids::{AccountId, CategoryId};
use crate::imports::{Candidate, ImportTarget, StatementRow};
use crate::rules::{Facts, Outcome, Rules};
use crate::store::Repo;
use crate::suggestions::{Suggestion, SuggestionSource};
use crate::text::normalized;
use crate::use_cases::suggestions;
use crate::violations::Violation;
use crate::yields::tells_of_yield_normalized;

/// The account of the rows. A card statement needs a card.
pub(super) fn check_target(
    repo: &mut dyn Repo,
    context: &Context,
    target: &ImportTarget,
    errors: &mut FieldErrors,
) -> Result<Option<Account>> {
    let Some(id) = target.account_id else { return Ok(None) };
    let account = repo.account_get(id, context.today)?;
    if account.is_none() {
        errors.push("account_id", Violation::NoSuchAccount);
    }
    if target.is_credit_card && account.as_ref().is_some_and(|account| account.kind != AccountKind::Credit) {
        errors.push("account_id", Violation::NotACard);
    }
    Ok(account)
}

/// Whether a row reports yield on an account that yields by itself. That yield would count twice.
pub(super) fn is_automatic_yield(account: Option<&Account>, candidate: &Candidate) -> bool {
    account.is_some_and(|account| account.yield_type != YieldType::None)
        && tells_of_yield_normalized(&candidate.content.description)
}

/// What rules decide for a row. A row without an account is no transfer.
pub(super) fn decide<'r>(
    rules: &'r Rules,
    account_id: Option<AccountId>,
    row: &StatementRow,
    candidate: &Candidate,
) -> Outcome<'r> {
    let (description, date) = (candidate.content.description.as_str(), row.date);
    let facts = Facts { description, amount: row.amount, kind: row.kind, account_id, date };
    let outcome = rules.decide(&facts).unwrap_or_default();
    Outcome { transfer: outcome.transfer.filter(|_| account_id.is_some()), ..outcome }
}

/// The suggestions for rows, in their order. `asked` returns the decision of the rules for a row that takes a suggestion.
pub(super) fn suggested<'o>(
    repo: &mut dyn Repo,
    context: &Context,
    account: Option<&Account>,
    rows: &[StatementRow],
    candidates: &[Candidate],
    asked: impl Fn(usize) -> Option<&'o Outcome<'o>>,
) -> Result<Vec<Option<Suggestion>>> {
    let mut suggested: Vec<Option<Suggestion>> = vec![None; rows.len()];
    let mut left = Vec::new();
    for (at, suggestion) in suggested.iter_mut().enumerate() {
        let Some(outcome) = asked(at) else { continue };
        match outcome.category {
            Some(decided) => {
                let (category_id, rule_id) = (decided.value, decided.rule_id);
                *suggestion = Some(Suggestion { category_id, source: SuggestionSource::Rule, rule_id });
            }
            None => left.push(at),
        }
    }
    let by_name = categories_by_name(repo, rows)?;
    left.retain(|at| {
        let name = rows[*at].category_name.as_deref().map(normalized);
        let found = name.and_then(|name| by_name.get(&name));
        suggested[*at] = found.map(|id| Suggestion { category_id: *id, source: SuggestionSource::File, rule_id: None });
        found.is_none()
    });
    let left_rows: Vec<(&StatementRow, &str)> =
        left.iter().map(|at| (&rows[*at], candidates[*at].content.description.as_str())).collect();
    for (at, found) in left.into_iter().zip(suggestions::of_rows(repo, context, account, &left_rows)?) {
        suggested[at] = found;
    }
    Ok(suggested)
}

/// The categories by their normalized names, if one of the rows names a category.
fn categories_by_name(repo: &mut dyn Repo, rows: &[StatementRow]) -> Result<HashMap<String, CategoryId>> {
    if rows.iter().all(|row| row.category_name.is_none()) {
        return Ok(HashMap::new());
    }
    Ok(repo.category_list()?.into_iter().map(|category| (normalized(&category.name), category.id)).collect())
}
