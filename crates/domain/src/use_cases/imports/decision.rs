//! What becomes of each row of a statement: decided here once, shown by a preview, and done by a confirm, which follows the choices for
//! the rows too.

use crate::accounts::{Account, YieldType};
use crate::context::Context;
use crate::error::Result;
use crate::ids::{AccountId, RuleId, TransactionId};
use crate::imports::{Candidate, ImportTarget, Judgement, StatementRow};
use crate::rules::{Facts, Outcome, Rules};
use crate::store::Repo;
use crate::transfers::{Choice, OtherSide, RowTransfer, TransferKind};
use crate::use_cases::stored_rows::{self, ComparedRow, OwnRow};
use crate::yields::tells_of_yield_normalized;

/// What becomes of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Decision {
    /// It is stored already.
    Stored {
        /// The transaction that it duplicates. None if it duplicates a row of a pending statement.
        transaction_id: Option<TransactionId>,
        /// That transaction, if it was created here.
        own_row: Option<OwnRow>,
    },
    /// It reports yield on an account that yields by itself. That yield would count twice.
    AutomaticYield {
        /// Whether a rule leaves it out too.
        is_skipped_by_rule: bool,
    },
    /// A rule leaves it out.
    SkippedByRule(RuleId),
    /// It is inserted, perhaps as a side of a transfer.
    New,
}

impl Decision {
    /// Whether recognition looks for its transfer. That of a row which a rule leaves out is shown, for the case that it is kept.
    pub(super) fn may_be_transfer(self) -> bool {
        matches!(self, Decision::New | Decision::SkippedByRule(_))
    }
}

/// A row of a statement, and what becomes of it.
#[derive(Debug)]
pub(super) struct DecidedRow<'r> {
    /// Its position among all rows.
    pub(super) position: usize,
    /// The row, with the id to store. If only a rule says that it is a transfer, that is its choice.
    pub(super) row: StatementRow,
    /// What it was compared by.
    pub(super) candidate: Candidate,
    /// A stored transaction that may be the same, if there is one.
    pub(super) similar_to: Option<TransactionId>,
    /// What the rules say of it: nothing if it is stored already.
    pub(super) outcome: Outcome<'r>,
    pub(super) decision: Decision,
    /// The transfer that it is, as far as that is known without recognition.
    pub(super) transfer: Option<RowTransfer>,
}

/// Decides about rows that are on one account, or without any, given with their positions. The result is in the order of the rows.
pub(super) fn decide<'r>(
    repo: &mut dyn Repo,
    context: &Context,
    account: Option<&Account>,
    target: &ImportTarget,
    rules: &'r Rules,
    rows: Vec<(usize, StatementRow)>,
) -> Result<Vec<DecidedRow<'r>>> {
    let (positions, rows): (Vec<usize>, Vec<StatementRow>) = rows.into_iter().unzip();
    let candidates: Vec<Candidate> = rows.iter().map(StatementRow::candidate).collect();
    let known = stored_rows::compare(repo, context, account, target, &rows, &candidates)?;
    let compared = positions.into_iter().zip(rows).zip(candidates).zip(known);
    Ok(compared
        .map(|(((position, mut row), candidate), ComparedRow { judgement, own_row })| {
            let Judgement { external_id, duplicate, duplicate_of, similar_to } = judgement;
            row.external_id = external_id;
            let outcome = match duplicate {
                true => Outcome::default(),
                false => outcome(rules, target.account_id, &row, &candidate),
            };
            if outcome.transfer.is_some() && row.choice == Choice::Unsaid && !row.details.is_split() {
                row.choice = Choice::Transfer;
            }
            let rule_id = outcome.skip.and_then(|decided| decided.rule_id);
            let decision = match rule_id {
                _ if duplicate => Decision::Stored { transaction_id: duplicate_of, own_row },
                _ if row.is_kept => Decision::New,
                _ if is_automatic_yield(account, &candidate) => {
                    Decision::AutomaticYield { is_skipped_by_rule: rule_id.is_some() }
                }
                Some(rule_id) => Decision::SkippedByRule(rule_id),
                None => Decision::New,
            };
            let transfer = match own_row {
                Some(OwnRow::Leg(id)) => {
                    Some(RowTransfer::certain(TransferKind::Leg, Some(OtherSide::Transaction(id))))
                }
                _ => outcome.transfer.map(|_| RowTransfer::certain(TransferKind::OwnAccount, None)),
            };
            DecidedRow { position, row, candidate, similar_to, outcome, decision, transfer }
        })
        .collect())
}

/// What rules say of a row. A row without an account is no transfer.
pub(super) fn outcome<'r>(
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

fn is_automatic_yield(account: Option<&Account>, candidate: &Candidate) -> bool {
    account.is_some_and(|account| account.yield_type != YieldType::None)
        && tells_of_yield_normalized(&candidate.content.description)
}
