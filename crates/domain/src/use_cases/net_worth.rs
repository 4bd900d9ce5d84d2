//! Use cases of net worth.

use time::Date;

use crate::accounts::AccountKind;
use crate::error::{FieldErrors, Result};
use crate::money::Money;
use crate::month::Month;
use crate::net_worth::{MonthWorth, by_month, check_span};
use crate::store::Repo;

/// The worth of the accounts at the end of each month from `first` to `last`, from stored balances. Adds up no transactions
/// except those of this month that are dated after today. This month owes what statements ask for later. Posts no yield.
///
/// # Errors
///
/// [`Error::Invalid`](crate::Error::Invalid) at `to` if the range of months is invalid.
pub fn read(repo: &mut dyn Repo, first: Month, last: Month, today: Date) -> Result<Vec<MonthWorth>> {
    let mut errors = FieldErrors::default();
    errors.check("to", check_span(first, last, today));
    errors.into_result()?;
    let present = Month::of(today);
    let mut later = Vec::new();
    if last == present {
        later = repo.kind_changes_to_come(today)?;
        let held: Money = repo.account_list(today)?.iter().map(|account| account.held).sum();
        later.push((AccountKind::Credit, -held));
    }
    Ok(by_month(&repo.kind_changes(last)?, &later, first, last, present))
}
