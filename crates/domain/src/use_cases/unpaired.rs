//! Stored transactions that are not paired yet, in the form that recognition compares.

use std::collections::HashSet;

use time::{Date, Duration};

use crate::context::Context;
use crate::credit_bills::UnpaidBill;
use crate::error::Result;
use crate::ids::TransactionId;
use crate::store::Repo;
use crate::transfers::{AmountWindow, CONTEXT_DAYS, OVERDUE_DAYS_MAX, RejectedPairs, Row, StoredSide, StoredSides};
use crate::use_cases::recognition;

/// Stored transactions that may be sides of transfers, and the bills that they may pay.
pub(crate) struct Unpaired {
    /// Newest first.
    pub(crate) sides: Vec<StoredSide>,
    pub(crate) rows: Vec<Row>,
    pub(crate) bills: Vec<UnpaidBill>,
    pub(crate) rejected: RejectedPairs,
}

impl Unpaired {
    /// Reads the stored transactions of the dates and those near them. Only those of the dates are asked about. The sides must
    /// have been [marked](mark_sides).
    pub(crate) fn read(
        repo: &mut dyn Repo,
        context: &Context,
        (first, last): (Option<Date>, Option<Date>),
    ) -> Result<Self> {
        // A payment of a card is asked about whatever else is stored.
        let payers = payers(repo, context, (first, last))?;
        let is_asked = |side: &StoredSide| {
            first.is_none_or(|first| first <= side.date) && last.is_none_or(|last| side.date <= last)
        };
        Self::with(repo, context, (first, last), StoredSides::PairedOrOnCards, payers, is_asked)
    }

    /// Like [`Unpaired::read`], with the given sides beside those of the dates, and those are asked about that the condition names.
    pub(crate) fn with(
        repo: &mut dyn Repo,
        context: &Context,
        (first, last): (Option<Date>, Option<Date>),
        which: StoredSides,
        others: Vec<StoredSide>,
        is_asked: impl Fn(&StoredSide) -> bool,
    ) -> Result<Self> {
        let (near_first, near_last) =
            (first.map(|first| first.saturating_sub(CONTEXT_DAYS)), last.map(|last| last.saturating_add(CONTEXT_DAYS)));
        let due_first = near_first.map(|first| first.saturating_sub(Duration::days(OVERDUE_DAYS_MAX)));
        let bills = repo.bill_list_unpaid(due_first, near_last)?;
        let mut sides = repo.stored_sides(near_first, near_last, &windows_of(&bills), which)?;
        let known: HashSet<TransactionId> = sides.iter().map(|side| side.id).collect();
        sides.extend(others.into_iter().filter(|other| !known.contains(&other.id)));
        sides.sort_by_key(|side| std::cmp::Reverse((side.date, side.id)));
        let names = recognition::own_names(repo)?;
        let cards = recognition::kept_cards(repo, context)?;
        let rejected = recognition::rejected_pairs(repo, &sides)?;
        let is_asked = |side: &StoredSide| !side.is_refused && is_asked(side);
        let rows = sides.iter().map(|side| side.row(&context.phrases, &names, &cards, is_asked(side))).collect();
        Ok(Unpaired { sides, rows, bills, rejected })
    }
}

/// The rows of accounts that say that they pay a card, with statement dates from `first` to `last`, and that are no side of a transfer
/// with another side. What a person refused is left out.
pub(crate) fn payers(
    repo: &mut dyn Repo,
    context: &Context,
    (first, last): (Option<Date>, Option<Date>),
) -> Result<Vec<StoredSide>> {
    let mut payers = repo.stored_payers(first, last, &context.phrases.paid_out())?;
    // The database finds candidates only.
    payers.retain(|payer| context.phrases.evidence_of_normalized(&payer.description).paid_out);
    Ok(payers)
}

/// The windows in which expenses may pay the bills.
pub(crate) fn windows_of(bills: &[UnpaidBill]) -> Vec<AmountWindow> {
    bills.iter().map(AmountWindow::of_payment).collect()
}

/// Marks the stored sides that have another side.
pub(crate) fn mark_sides(repo: &mut dyn Repo) -> Result<()> {
    if repo.transfer_marks_are_current()? { Ok(()) } else { repo.transfer_marks_update() }
}
