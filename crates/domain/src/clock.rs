//! The port of the clock.

use time::{Date, OffsetDateTime};

/// The one clock of the service.
///
/// Use cases do not read it: the caller reads it once, into a
/// [`Context`](crate::Context).
pub trait Clock: Send + Sync {
    /// The calendar date of the service's users.
    fn today(&self) -> Date;
    /// The present instant, for tokens and time limits. A fixed date does not stop it.
    fn now(&self) -> OffsetDateTime;
}
