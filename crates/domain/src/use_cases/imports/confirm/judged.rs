//! The rows of an import by what is done with them.

use std::collections::HashMap;

use crate::accounts::{Account, AccountKind};
use crate::context::Context;
use crate::credit_bills::CreditBill;
use crate::error::Result;
use crate::ids::{BillId, TransactionId};
use crate::imports::{Candidate, ImportTarget, LEFT_OUT_MAX, LeftOutRow, SkipReason, StatementRow};
use crate::pending_bills::NewHeldRow;
use crate::rules::Rules;
use crate::store::Repo;
use crate::tags;
use crate::transfers::RowTransfer;
use crate::use_cases::bill_refresh;
use crate::use_cases::imports::decision::{DecidedRow, Decision, decide};
use crate::use_cases::ledger::Written;
use crate::use_cases::payers;
use crate::use_cases::recognition::{self, Depth, Transfers};
use crate::use_cases::stored_rows::{self, OwnRow};

use super::confirmed::SkippedRow;

/// The rows of an import: new and skipped ones.
#[derive(Debug, Default)]
pub(super) struct JudgedRows {
    pub(super) new: Vec<NewRow>,
    pub(super) skipped: Vec<SkippedRow>,
    /// The first of the skipped rows, those that are stored already last.
    pub(super) left_out: Vec<LeftOutRow>,
    /// The legs made here that rows are.
    pub(super) legs: Vec<TransactionId>,
    /// What a person entered, and is known to be in a statement from now on.
    pub(super) entered: Vec<TransactionId>,
    /// The rows of a statement that will be held that are stored already, or held, with their positions in the request.
    pub(super) stored: Vec<(usize, NewHeldRow)>,
    /// What the rows were compared by.
    pub(super) candidates: Vec<Candidate>,
    /// The bills that new rows pay.
    pub(super) bills: HashMap<BillId, CreditBill>,
}

/// A row that is not stored yet, with the external id to store.
#[derive(Debug)]
pub(super) struct NewRow {
    /// Its position in the request, from 0.
    pub(super) position: usize,
    pub(super) row: StatementRow,
    /// The transfer that it certainly is.
    pub(super) transfer: Option<RowTransfer>,
}

/// Judges rows, given with their positions in the request, and records the statement's values for rows that were created here. If the
/// statement `may_be_held`, which it is with a new row, nothing is recorded: a held statement changes no figure but what it asks for.
pub(super) fn judge_rows(
    repo: &mut dyn Repo,
    context: &Context,
    written: &mut Written,
    account: Option<&Account>,
    target: &ImportTarget,
    rows: Vec<(usize, StatementRow)>,
    may_be_held: bool,
) -> Result<JudgedRows> {
    let rules = Rules::new(repo.rule_list()?);
    let decided = decide(repo, context, account, target, &rules, rows)?;
    let mut judged = JudgedRows::default();
    let mut duplicates: Vec<LeftOutRow> = Vec::new();
    let mut matched: Vec<(usize, OwnRow, StatementRow)> = Vec::new();
    for DecidedRow { position, mut row, candidate, outcome, decision, .. } in decided {
        judged.candidates.push(candidate);
        let left_out = |row: &StatementRow| LeftOutRow {
            account_id: target.account_id,
            date: row.date,
            kind: row.kind,
            amount: row.amount,
            description: row.statement_description().to_string(),
        };
        let reason = match decision {
            Decision::New => {
                outcome.tags.iter().for_each(|tag| tags::add(&mut row.details.tags, tag));
                judged.new.push(NewRow { position, row, transfer: None });
                continue;
            }
            Decision::Stored { transaction_id, own_row } => {
                keep_left_out(&mut duplicates, || left_out(&row));
                if let Some(OwnRow::Leg(id)) = own_row {
                    judged.legs.push(id);
                }
                match own_row {
                    Some(own_row) => matched.push((position, own_row, row)),
                    None if may_be_held => {
                        let repeated = NewHeldRow { row, is_transfer: false, is_stored: true, is_repeated: true };
                        judged.stored.push((position, repeated));
                    }
                    None => {}
                }
                match transaction_id {
                    Some(id) => SkipReason::Duplicate { transaction_id: id.0 },
                    None => SkipReason::DuplicateOfPending,
                }
            }
            Decision::AutomaticYield { .. } => {
                keep_left_out(&mut judged.left_out, || left_out(&row));
                SkipReason::AutomaticYield
            }
            Decision::SkippedByRule(id) => {
                keep_left_out(&mut judged.left_out, || left_out(&row));
                SkipReason::SkippedByRule { rule_id: id.0 }
            }
        };
        judged.skipped.push(SkippedRow { row: position, reason });
    }
    judged.left_out.append(&mut duplicates);
    if let Some(account) = account {
        if may_be_held && !judged.new.is_empty() {
            let stored = |(position, own_row, row)| {
                let is_transfer = matches!(own_row, OwnRow::Leg(_));
                let is_repeated = matches!(own_row, OwnRow::Entered(_));
                (position, NewHeldRow { row, is_transfer, is_stored: true, is_repeated })
            };
            judged.stored.extend(matched.into_iter().map(stored));
        } else {
            let matched: Vec<_> = matched.into_iter().map(|(_, own_row, row)| (own_row, row)).collect();
            let entered = matched.iter().filter(|(own_row, _)| matches!(own_row, OwnRow::Entered(_)));
            judged.entered = entered.map(|(own_row, _)| own_row.id()).collect();
            stored_rows::update(repo, written, account, target, &matched)?;
        }
        if account.kind == AccountKind::Credit && !may_be_held {
            let rows: Vec<&StatementRow> = judged.new.iter().map(|new| &new.row).collect();
            payers::release_refused(repo, context, written, account, &rows)?;
        }
        if recognition::may_pay_bills(context, account, judged.new.iter().map(|new| &new.row)) {
            bill_refresh::refresh(repo, context.today)?;
        }
    }
    let rows: Vec<(usize, &StatementRow)> = judged.new.iter().map(|new| (new.position, &new.row)).collect();
    let Transfers { of_rows, bills } = recognition::transfers(repo, context, account, &rows, Depth::Certain)?;
    judged.new.iter_mut().zip(of_rows).for_each(|(new, transfer)| new.transfer = transfer);
    judged.bills = bills;
    Ok(judged)
}

/// Adds a row that is left out, while there is room.
fn keep_left_out(rows: &mut Vec<LeftOutRow>, row: impl FnOnce() -> LeftOutRow) {
    if rows.len() < LEFT_OUT_MAX {
        rows.push(row());
    }
}
