//! Brings a profile up to a day: what no write makes, because only the day has changed.

use time::Date;

use crate::error::Result;
use crate::store::Repo;
use crate::use_cases::bill_refresh;

/// Whether the profile was brought up to that day. Then every read shows the bills of the day, because every write leaves them as they
/// are on its day.
pub fn is_done(repo: &mut dyn Repo, today: Date) -> Result<bool> {
    Ok(repo.upkept_on()? == Some(today))
}

/// Brings the profile up to a day, unless that is done: bills of new periods are created, and those that closed carry what is left.
/// Comes before the first read of a day that shows bills, or what they ask for, and writes.
///
/// # Errors
///
/// As [`Store::transact`](crate::Store::transact).
///
/// # Examples
///
/// ```
/// use finance_domain::use_cases::{forecast, upkeep};
/// use finance_domain::forecast::{Baseline, Forecast};
/// use finance_domain::{Access, Caller, Context, Result, Store};
///
/// fn foresee(store: &dyn Store, caller: &Caller, context: &Context) -> Result<Forecast> {
///     if !store.run(caller, Access::Read, |repo| upkeep::is_done(repo, context.today))? {
///         store.run(caller, Access::Write, |repo| upkeep::run(repo, context.today))?;
///     }
///     store.run(caller, Access::Read, |repo| forecast::read(repo, context, 3, Baseline::None))
/// }
/// ```
pub fn run(repo: &mut dyn Repo, today: Date) -> Result<()> {
    if is_done(repo, today)? {
        return Ok(());
    }
    bill_refresh::refresh(repo, today)?;
    repo.upkeep_note(Some(today))
}
