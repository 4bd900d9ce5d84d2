//! A preview, which saves nothing.

use std::collections::HashSet;

use crate::accounts::Account;
use crate::context::Context;
use crate::error::{Error, FieldErrors, Result};
use crate::imports::{Candidate, ImportTarget, Judgement, PreviewRow, StatementRow};
use crate::rules::{Outcome, Rules};
use crate::step::Step;
use crate::store::Repo;
use crate::transfers::{Confidence, OtherSide, RowTransfer, TransferKind};
use crate::use_cases::bill_refresh;
use crate::use_cases::known_rows::{self, MadeHere};
use crate::use_cases::recognition::{self, Depth};

use super::rows::{check_target, decide, is_automatic_yield, suggested};

/// Finds the rows of a statement that are stored already and those that are transfers, applies rules, and suggests categories.
/// Saves nothing, except that bills of new periods are created first if a row may pay one.
///
/// # Errors
///
/// [`Error::Invalid`] if the target is not valid.
pub fn preview(
    repo: &mut dyn Repo,
    context: &Context,
    target: &ImportTarget,
    rows: Vec<StatementRow>,
) -> Result<Step<Vec<PreviewRow>>> {
    let mut errors = FieldErrors::default();
    let account = check_target(repo, context, target, &mut errors)?;
    errors.into_result()?;
    let needs_bills = account.as_ref().is_some_and(|account| recognition::may_pay_bills(context, account, &rows));
    if !needs_bills || bill_refresh::is_settled(repo, context.today)? {
        return Ok(Step::Done(preview_rows(repo, context, account.as_ref(), target, rows)?));
    }
    let (context, target) = (context.clone(), *target);
    Ok(Step::write(move |repo| {
        bill_refresh::refresh(repo, context.today)?;
        preview_rows(repo, &context, account.as_ref(), &target, rows)
    }))
}

/// Like [`preview`], in a transaction that writes.
///
/// # Errors
///
/// As [`preview`].
pub fn preview_now(
    repo: &mut dyn Repo,
    context: &Context,
    target: &ImportTarget,
    rows: Vec<StatementRow>,
) -> Result<Vec<PreviewRow>> {
    match preview(repo, context, target, rows)? {
        Step::Done(rows) => Ok(rows),
        Step::Write(work) => work(repo),
        Step::Rates { .. } | Step::Password(_) | Step::Award { .. } => {
            Err(Error::Internal("a preview needed more than the database".into()))
        }
    }
}

fn preview_rows(
    repo: &mut dyn Repo,
    context: &Context,
    account: Option<&Account>,
    target: &ImportTarget,
    rows: Vec<StatementRow>,
) -> Result<Vec<PreviewRow>> {
    let candidates: Vec<Candidate> = rows.iter().map(StatementRow::candidate).collect();
    let known = known_rows::compare(repo, context, account, target, &rows, &candidates)?;
    let mut transfers: Vec<Option<RowTransfer>> = vec![None; rows.len()];
    for (transfer, known) in transfers.iter_mut().zip(&known) {
        if let Some(MadeHere::Leg(leg)) = known.made_here {
            let with = Some(OtherSide::Transaction(leg));
            *transfer = Some(RowTransfer { kind: TransferKind::Leg, confidence: Confidence::Certain, with });
        }
    }
    let judgements: Vec<Judgement> = known.into_iter().map(|known| known.judgement).collect();
    let judged = judgements.iter().zip(&candidates);
    let automatic: Vec<bool> =
        judged.map(|(judgement, candidate)| !judgement.duplicate && is_automatic_yield(account, candidate)).collect();
    if let Some(account) = account {
        let left: Vec<usize> = (0..rows.len()).filter(|at| !judgements[*at].duplicate && !automatic[*at]).collect();
        let left_rows: Vec<&StatementRow> = left.iter().map(|at| &rows[*at]).collect();
        let found = recognition::of_rows(repo, context, account, &left_rows, &HashSet::new(), Depth::Likely)?;
        for (at, found) in left.into_iter().zip(found) {
            transfers[at] = found;
        }
    }
    let rules = Rules::new(repo.rule_list()?);
    let account_id = account.map(|account| account.id);
    let outcomes: Vec<Outcome<'_>> = rows
        .iter()
        .zip(&candidates)
        .zip(&judgements)
        .map(|((row, candidate), judgement)| match judgement.duplicate {
            true => Outcome::default(),
            false => decide(&rules, account_id, row, candidate),
        })
        .collect();
    for (transfer, outcome) in transfers.iter_mut().zip(&outcomes) {
        let is_certain = transfer.is_some_and(|transfer| transfer.confidence == Confidence::Certain);
        if outcome.transfer.is_some() && !is_certain {
            *transfer =
                Some(RowTransfer { kind: TransferKind::OwnAccount, confidence: Confidence::Certain, with: None });
        }
    }
    let suggested = suggested(repo, context, account, &rows, &candidates, |at| {
        let is_transfer = transfers[at].is_some_and(|transfer| transfer.confidence == Confidence::Certain);
        (!judgements[at].duplicate && !automatic[at] && !is_transfer).then_some(&outcomes[at])
    })?;
    let rows = rows.into_iter().zip(judgements).zip(transfers).zip(outcomes.iter().zip(suggested).zip(automatic));
    Ok(rows
        .map(|(((mut row, judgement), transfer), ((outcome, suggestion), automatic_yield))| {
            row.external_id = judgement.external_id;
            row.tags = outcome.tags_to_add();
            row.category_id = suggestion.map(|suggestion| suggestion.category_id);
            if let Some(renamed) = outcome.description.filter(|decided| decided.value != row.description) {
                row.statement_description = Some(std::mem::replace(&mut row.description, renamed.value.to_string()));
            }
            PreviewRow {
                row,
                duplicate: judgement.duplicate,
                duplicate_of: judgement.duplicate_of,
                similar_to: judgement.similar_to,
                transfer,
                suggestion,
                skipped_by: outcome.skip.and_then(|decided| decided.rule_id),
                automatic_yield,
            }
        })
        .collect())
}
