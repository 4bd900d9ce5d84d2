//! The values that are fixed when work begins.
//!
//! "Today" comes from [`Clock`](crate::Clock) and is fixed when work begins. A time zone never changes a calendar date.

use std::sync::Arc;

use time::Date;

use crate::gamification::Catalog;
use crate::recurring;
use crate::suggestions::Lexicon;
use crate::transfers::Phrases;
use crate::yields::{DayCount, TaxTables};

/// What a use case knows besides the data of the profile. It is created once, when the work begins, and
/// does not change while the work runs: a request that begins before midnight ends with the same date.
#[derive(Debug, Clone)]
pub struct Context {
    /// The date on which the work began, by the service's [`Clock`](crate::Clock).
    pub today: Date,
    /// The gamification catalog, the same for every profile.
    pub catalog: Arc<Catalog>,
    /// The phrases in statements that indicate a transfer, the same for every profile.
    pub phrases: Arc<Phrases>,
    /// What is known about payees and about what shops sell, the same for every profile.
    pub lexicon: Arc<Lexicon>,
    /// The holidays, and the templates of recurring items, the same for every profile.
    pub schedules: Arc<recurring::Catalog>,
    /// The taxes on yield, the same for every profile.
    pub taxes: Arc<TaxTables>,
    /// How days without a published rate count on accounts that do not define it themselves.
    pub day_count: DayCount,
}
