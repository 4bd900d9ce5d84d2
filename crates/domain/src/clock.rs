//! The port of the clock.

use time::{Date, OffsetDateTime};

/// The only clock of the service.
///
/// Use cases do not read it: the caller reads it once, into a
/// [`Context`](crate::Context).
pub trait Clock: Send + Sync {
    /// The calendar date of the service's users.
    fn today(&self) -> Date;
    /// The current instant, for tokens and time limits. It advances even if the date is fixed.
    fn now(&self) -> OffsetDateTime;
}
