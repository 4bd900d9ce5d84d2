//! The use case of the calendar.

use crate::calendar::{Entry, Sources, Window, entries};
use crate::context::Context;
use crate::error::Result;
use crate::month::Month;
use crate::store::Repo;
use crate::use_cases::recurring;

/// What is due from one month ago to twelve months ahead: unpaid bills, held statements, and recurring items that are pending or
/// late.
pub fn read(repo: &mut dyn Repo, context: &Context) -> Result<Vec<Entry>> {
    let window = Window::around(context.today);
    let accounts = repo.account_list(context.today)?.into_iter().map(|account| (account.id, account.name)).collect();
    let pending_bills = repo.pending_bill_list()?;
    let since = recurring::states(repo, context, (Month::of(context.today), Month::of(window.last)))?;
    let sources = Sources {
        bills: repo.bill_list_due(Some(window.first), None)?,
        recurring: recurring::with_earlier(repo, context, Month::of(window.first), &since)?,
        pending_bills,
        accounts,
    };
    Ok(entries(window, sources))
}
