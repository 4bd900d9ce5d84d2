//! Checks and decisions that a preview and a confirm share.

use std::collections::HashMap;

use crate::accounts::{Account, AccountKind};
use crate::context::Context;
use crate::error::{FieldErrors, Result};
use crate::ids::CategoryId;
use crate::imports::{Candidate, ImportTarget, StatementRow};
use crate::rules::{Decided, Outcome};
use crate::store::Repo;
use crate::suggestions::{Suggestion, SuggestionSource};
use crate::text::normalized;
use crate::use_cases::suggestions;
use crate::violations::Violation;

use super::decision::DecidedRow;

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

/// A row that takes a suggestion.
#[derive(Debug, Clone, Copy)]
pub(super) struct Asking<'a> {
    pub(super) row: &'a StatementRow,
    pub(super) candidate: &'a Candidate,
    pub(super) outcome: &'a Outcome<'a>,
}

impl<'a> Asking<'a> {
    pub(super) fn of(decided: &'a DecidedRow<'_>) -> Self {
        Asking { row: &decided.row, candidate: &decided.candidate, outcome: &decided.outcome }
    }
}

/// The suggestions for rows, in their order: those of rules, of the file, of similar transactions.
pub(super) fn suggested(
    repo: &mut dyn Repo,
    context: &Context,
    account: Option<&Account>,
    rows: &[Asking<'_>],
) -> Result<Vec<Option<Suggestion>>> {
    let by_name = categories_by_name(repo, rows)?;
    let by_rule = |decided: Decided<CategoryId>| Suggestion {
        category_id: decided.value,
        source: SuggestionSource::Rule,
        rule_id: decided.rule_id,
    };
    let of_file = |row: &StatementRow| {
        let id = by_name.get(&normalized(row.category_name.as_deref()?))?;
        Some(Suggestion { category_id: *id, source: SuggestionSource::File, rule_id: None })
    };
    let mut suggested: Vec<Option<Suggestion>> =
        rows.iter().map(|asking| asking.outcome.category.map(by_rule).or_else(|| of_file(asking.row))).collect();
    let left: Vec<usize> = (0..rows.len()).filter(|at| suggested[*at].is_none()).collect();
    let left_rows: Vec<(&StatementRow, &str)> =
        left.iter().map(|at| (rows[*at].row, rows[*at].candidate.content.description.as_str())).collect();
    for (at, found) in left.into_iter().zip(suggestions::of_rows(repo, context, account, &left_rows)?) {
        suggested[at] = found;
    }
    Ok(suggested)
}

/// The categories by their normalized names, if one of the rows names a category.
fn categories_by_name(repo: &mut dyn Repo, rows: &[Asking<'_>]) -> Result<HashMap<String, CategoryId>> {
    if rows.iter().all(|asking| asking.row.category_name.is_none()) {
        return Ok(HashMap::new());
    }
    let offered = repo.category_list()?.into_iter().filter(|category| !category.planning.is_hidden);
    Ok(offered.map(|category| (normalized(&category.name), category.id)).collect())
}
