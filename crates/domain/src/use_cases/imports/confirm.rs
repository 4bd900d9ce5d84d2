//! A confirm, which saves all or nothing.

mod checked;
mod confirmed;
mod judged;
mod storing;

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::context::Context;
use crate::error::{Refusal, Result};
use crate::ids::{InboxItemId, TransactionId};
use crate::imports::{ImportInput, ImportTarget, StatementFormat, StatementRow};
use crate::inbox::InboxOutcome;
use crate::pending_bills::{HELD_ROWS_MAX, NewHeldRow, NewPendingBill, PENDING_BILLS_MAX, PendingBill};
use crate::rules::Rules;
use crate::store::Repo;
use crate::transactions::Transaction;
use crate::transfers::Choice;
use crate::use_cases::credit_bills;
use crate::use_cases::ledger::{self, Written};
use crate::violations::Violation;

use super::decision::{Decision, decide};
use super::groups::{self, Group};
use checked::{Checked, check};
pub use confirmed::{Confirmed, Imported, LinkedRow, SkippedRow};
use judged::{NewRow, judge_rows};
use storing::Import;

/// Inserts the rows that are not stored yet, and links those that are transfers. It skips, and lists, the other rows: duplicates,
/// rows that a rule skips, and yield on an account that yields by itself. A card statement whose payment date is after today is
/// kept as pending instead, and nothing is inserted.
///
/// Duplicates and transfers are found as in [`preview`](super::preview). Writers of one profile run one after another
/// ([`Access::Write`](crate::Access::Write)), so of two concurrent confirms one inserts a row, and a transaction is
/// linked once.
///
/// # Errors
///
/// [`Error::Invalid`](crate::Error::Invalid) with every invalid row, or [`Refusal::LimitReached`] if the statement would be kept as
/// pending. Nothing is saved then.
pub fn confirm(repo: &mut dyn Repo, context: &Context, mut input: ImportInput) -> Result<Confirmed> {
    let inbox_id = input.inbox_id;
    if let Some(id) = inbox_id
        && repo.inbox_get(id, context.today)?.is_none()
    {
        input.errors.push("inbox_id", Violation::NoSuchInboxItem);
    }
    let confirmed = store(repo, context, input)?;
    if let Some(id) = inbox_id {
        note(repo, id, &confirmed)?;
    }
    Ok(confirmed)
}

/// Notes what was done with a file of the inbox.
fn note(repo: &mut dyn Repo, id: InboxItemId, confirmed: &Confirmed) -> Result<()> {
    let outcome = match confirmed {
        Confirmed::Held(held) => InboxOutcome::Held(held.id),
        Confirmed::Imported(Imported { import_id: Some(id), .. }) => InboxOutcome::Imported(*id),
        Confirmed::Imported(Imported { import_id: None, .. }) => InboxOutcome::Nothing,
    };
    repo.inbox_note(id, outcome)
}

/// Stores the rows.
fn store(repo: &mut dyn Repo, context: &Context, input: ImportInput) -> Result<Confirmed> {
    let due_date = input.due_date;
    let Checked { target, file_name, format, groups, rows, learned, skipped, balances, left_out } =
        check(repo, context, input)?;
    // An import that stores no row of its own has no entry with the name.
    if let Some(name) = &file_name {
        repo.change_note_subject(name);
    }
    if let (Some(card), Some(due_date)) = (target.account_id.filter(|_| target.is_credit_card), due_date) {
        credit_bills::take_due_date(repo, card, due_date, context.today)?;
    }
    if !learned.is_empty() {
        repo.account_keys_learn(&learned)?;
    }
    let mut written = Written::default();
    let others = other_sides(repo, context, &groups, &rows)?;
    let count = groups.len();
    // Only the statement of one card is held.
    let held_until = target.effective_date().filter(|date| count == 1 && *date > context.today);
    let mut rows: Vec<Option<StatementRow>> = rows.into_iter().map(Some).collect();
    let mut import = Import::new(format, file_name.clone(), skipped, left_out);
    for (at, Group { target, account, positions }) in groups.into_iter().enumerate() {
        let mut own: Vec<(usize, StatementRow)> =
            positions.into_iter().filter_map(|at| Some((at, rows[at].take()?))).collect();
        choose_other_sides(repo, &others, &mut own, &import.transactions)?;
        let account = account.as_ref();
        let judged = judge_rows(repo, context, &mut written, account, &target, own, held_until.is_some())?;
        if let Some(payment_date) = held_until.filter(|_| !judged.new.is_empty()) {
            let new = judged.new.into_iter().map(|NewRow { position, row, transfer }| {
                let is_transfer = transfer.is_some();
                (position, NewHeldRow { row, is_transfer, is_stored: false, is_repeated: false })
            });
            let mut rows: Vec<(usize, NewHeldRow)> = new.chain(judged.stored).collect();
            rows.sort_by_key(|(position, _)| *position);
            let rows = rows.into_iter().map(|(_, row)| row).collect();
            let new = NewPendingBill { account_id: target.account_id, payment_date, file_name, format, rows };
            let held = hold(repo, &new)?;
            ledger::finish(repo, context, written, &[])?;
            return Ok(Confirmed::Held(held));
        }
        import.take(repo, &mut written, account, &target, judged)?;
        if at + 1 < count {
            // The next group finds the bills as another import would.
            ledger::catch_up(repo, context, &written)?;
        }
    }
    Ok(Confirmed::Imported(import.finish(repo, context, written, &balances)?))
}

/// The positions of the rows that are not inserted: those that are stored already, that a rule leaves out, or that are yield.
fn not_inserted(
    repo: &mut dyn Repo,
    context: &Context,
    groups: &[Group],
    rows: &[&StatementRow],
) -> Result<HashSet<usize>> {
    let rules = Rules::new(repo.rule_list()?);
    let mut found = HashSet::new();
    for Group { target, account, positions } in groups {
        let own = positions.iter().map(|at| (*at, rows[*at].clone())).collect();
        let decided = decide(repo, context, account.as_ref(), target, &rules, own)?;
        let left_out = decided.iter().filter(|decided| decided.decision != Decision::New);
        found.extend(left_out.map(|decided| decided.position));
    }
    Ok(found)
}

/// The rows of one file that are the sides of a transfer, each with the other one, by their positions. The first side is stored as a
/// transfer whose other side is not kept here, and the second one is linked with it.
fn other_sides(
    repo: &mut dyn Repo,
    context: &Context,
    groups: &[Group],
    rows: &[StatementRow],
) -> Result<HashMap<usize, usize>> {
    let rows: Vec<&StatementRow> = rows.iter().collect();
    let known = match groups::are_alike(context, groups, &rows) {
        true => not_inserted(repo, context, groups, &rows)?,
        false => HashSet::new(),
    };
    Ok(groups::pairs(context, groups, &rows, |at| !known.contains(&at)))
}

/// Makes the choices for the rows of a group. `stored` has the transactions of the groups before, by their positions.
fn choose_other_sides(
    repo: &mut dyn Repo,
    others: &HashMap<usize, usize>,
    rows: &mut [(usize, StatementRow)],
    stored: &BTreeMap<usize, Transaction>,
) -> Result<()> {
    let other = |at: &usize| others.get(at).and_then(|other| stored.get(other)).map(|other| other.id);
    let named: Vec<TransactionId> = rows.iter().filter_map(|(at, _)| other(at)).collect();
    let known = if named.is_empty() { Vec::new() } else { repo.transaction_list_of(&named)? };
    // It may have been linked with a stored transaction.
    let free: HashSet<TransactionId> =
        known.iter().filter(|known| known.transfer_id.is_none()).map(|known| known.id).collect();
    for (at, row) in rows {
        if let Some(id) = other(at).filter(|id| free.contains(id)) {
            row.choice = Choice::With(id);
        }
    }
    Ok(())
}

/// Inserts checked rows that are not stored yet, even before the payment date, and notes the `repeated` ones, which were stored or held
/// before these. Of what was skipped it lists those of `rows` only.
pub(crate) fn insert(
    repo: &mut dyn Repo,
    context: &Context,
    target: &ImportTarget,
    (format, file_name): (StatementFormat, Option<String>),
    rows: Vec<StatementRow>,
    repeated: Vec<StatementRow>,
) -> Result<Imported> {
    let account = target.account_id.map_or(Ok(None), |id| repo.account_get(id, context.today))?;
    let mut written = Written::default();
    let own = rows.len();
    let rows = rows.into_iter().enumerate().collect();
    let judged = judge_rows(repo, context, &mut written, account.as_ref(), target, rows, false)?;
    let mut import = Import::new(format, file_name, Vec::new(), Vec::new());
    let mut repeats = None;
    if !repeated.is_empty() {
        // They are compared with all rows, but not with those of this statement.
        let before = ImportTarget { held_at: None, ..*target };
        let repeated = (own..).zip(repeated).collect();
        repeats = Some(judge_rows(repo, context, &mut written, account.as_ref(), &before, repeated, false)?);
    }
    import.take(repo, &mut written, account.as_ref(), target, judged)?;
    if let Some(repeats) = repeats {
        import.take(repo, &mut written, account.as_ref(), target, repeats)?;
    }
    let mut imported = import.finish(repo, context, written, &[])?;
    imported.skipped.retain(|skipped| skipped.row < own);
    Ok(imported)
}

/// Keeps a statement as pending.
fn hold(repo: &mut dyn Repo, new: &NewPendingBill) -> Result<PendingBill> {
    // Writers of one profile wait for each other, so the counts hold until the insert.
    if repo.pending_bill_count()? >= PENDING_BILLS_MAX {
        return Err(Refusal::LimitReached { what: "pending bills", max: PENDING_BILLS_MAX }.into());
    }
    if repo.pending_bill_row_count()? + new.rows.len() > HELD_ROWS_MAX {
        return Err(Refusal::LimitReached { what: "rows of held statements", max: HELD_ROWS_MAX }.into());
    }
    repo.pending_bill_insert(new)
}
