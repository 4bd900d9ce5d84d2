//! The use case of the calendar.

use crate::calendar::{Entry, Sources, Window, entries};
use crate::context::Context;
use crate::error::Result;
use crate::month::Month;
use crate::step::Step;
use crate::store::Repo;
use crate::use_cases::bill_refresh::refreshed;
use crate::use_cases::recurring;

/// What is due from one month ago to twelve months ahead: unpaid bills, held statements, and recurring items that are pending or
/// late. Bills of new periods are created first.
///
/// # Errors
///
/// As [`Store::transact`](crate::Store::transact).
pub fn read(repo: &mut dyn Repo, context: &Context) -> Result<Step<Vec<Entry>>> {
    let today = context.today;
    let window = Window::around(today);
    let context = context.clone();
    refreshed(repo, today, move |repo, _| read_entries(repo, &context, window))
}

fn read_entries(repo: &mut dyn Repo, context: &Context, window: Window) -> Result<Vec<Entry>> {
    let accounts = repo.account_list(context.today)?.into_iter().map(|account| (account.id, account.name)).collect();
    let sources = Sources {
        bills: repo.bill_list_due(Some(window.first), None)?,
        pending_bills: repo.pending_bill_list()?,
        recurring: recurring::states(repo, context, Month::of(window.first), Month::of(window.last))?,
        accounts,
    };
    Ok(entries(window, sources))
}
