//! The transactions that a person says cover a due.

use std::collections::HashMap;

use super::listed::get;
use super::moves::{Which, is_open, moving};
use crate::context::Context;
use crate::error::{FieldErrors, Refusal, Result};
use crate::ids::{RecurringId, TransactionId};
use crate::recurring::{LINKS_MAX, NoteKey, Occurrence, RecurringState, Status};
use crate::store::Repo;
use crate::violations::Violation;

/// The rows to link as a client sends them, not yet checked.
#[derive(Debug, Clone, Default)]
pub struct LinkInput {
    /// Required, 1 to [`LINKS_MAX`].
    pub transaction_ids: Option<Vec<Option<TransactionId>>>,
    /// Fields that could not be read.
    pub errors: FieldErrors,
}

/// Says that transactions cover a due, whatever they are. They replace those that were named before.
///
/// # Errors
///
/// [`Error::NotFound`](crate::Error::NotFound), [`Refusal::RecurringNotPending`] if the due is confirmed, or
/// [`Error::Invalid`](crate::Error::Invalid).
pub fn link(
    repo: &mut dyn Repo,
    context: &Context,
    id: RecurringId,
    which: Which,
    input: LinkInput,
) -> Result<RecurringState> {
    let LinkInput { transaction_ids, mut errors } = input;
    let state = get(repo, context, id, which.month())?;
    let ids = errors.require("transaction_ids", transaction_ids).unwrap_or_default();
    errors.into_result()?;
    let ids: Vec<TransactionId> = ids.into_iter().flatten().collect();
    let mut errors = FieldErrors::default();
    if ids.is_empty() {
        errors.push("transaction_ids", Violation::Empty);
    }
    if ids.len() > LINKS_MAX {
        errors
            .push("transaction_ids", Violation::TooManyElements { max: i64::try_from(LINKS_MAX).unwrap_or(i64::MAX) });
    }
    errors.into_result()?;
    // Without a name it is the due that has the first row already, the first open one, or the first that may be covered.
    let rows: HashMap<TransactionId, _> = repo.recurring_linkable(&ids)?.into_iter().map(|row| (row.id, row)).collect();
    let every = state.item.schedule.every;
    let has_first = |one: &Occurrence| {
        let of = ids.first().and_then(|first| rows.get(first)).and_then(|row| row.of);
        of == Some((id, NoteKey::of(every, one.due))) && one.status != Status::Confirmed
    };
    let which = match which {
        Which::Due(due) => Which::Due(due),
        Which::Month(month) => {
            let one = state.occurrences.iter().find(|one| has_first(one));
            let one = one.or_else(|| state.occurrences.iter().find(|one| is_open(one)));
            one.map_or(Which::Month(month), |one| Which::Due(one.due))
        }
    };
    let may = |one: &Occurrence| one.status != Status::Confirmed;
    let (item, one) = moving(repo, context, id, which, (may, Refusal::RecurringNotPending))?;
    let key = NoteKey::of(every, one.due);
    let mut errors = FieldErrors::default();
    for (at, row) in ids.iter().enumerate() {
        let field = format!("transaction_ids[{at}]");
        match rows.get(row) {
            None => errors.push(field, Violation::NoSuchTransaction),
            Some(_) if ids[..at].contains(row) => errors.push(field, Violation::GivenTwice),
            Some(row) if row.is_apart => errors.push(field, Violation::CoversNothing),
            Some(row) if row.kind != item.kind => errors.push(field, Violation::OtherType),
            Some(row) if row.of.is_some_and(|of| of != (id, key)) => errors.push(field, Violation::CoversAnother),
            Some(_) => {}
        }
    }
    errors.into_result()?;
    repo.recurring_links_set(id, key, &ids)?;
    get(repo, context, id, which.month())
}

/// Removes the links of a due.
///
/// # Errors
///
/// [`Error::NotFound`](crate::Error::NotFound) or [`Refusal::RecurringNotLinked`].
pub fn unlink(repo: &mut dyn Repo, context: &Context, id: RecurringId, which: Which) -> Result<RecurringState> {
    let may = |one: &Occurrence| one.is_linked;
    let (item, one) = moving(repo, context, id, which, (may, Refusal::RecurringNotLinked))?;
    repo.recurring_links_set(id, NoteKey::of(item.schedule.every, one.due), &[])?;
    get(repo, context, id, which.month())
}
