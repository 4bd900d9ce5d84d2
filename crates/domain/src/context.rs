//! What is fixed when work begins.

use std::sync::Arc;

use time::Date;

use crate::gamification::Catalog;
use crate::suggestions::Lexicon;
use crate::transfers::Phrases;
use crate::yields::DayCount;

/// What a use case knows beside the data of the profile. It is made once, when the work begins, and
/// does not change while the work runs: a request that begins before midnight ends on the same day.
#[derive(Debug, Clone)]
pub struct Context {
    /// The date on which the work began, by the service's [`Clock`](crate::Clock).
    pub today: Date,
    /// The catalog of gamification, the same for every profile.
    pub catalog: Arc<Catalog>,
    /// The phrases of statements that mean a transfer, the same for every profile.
    pub phrases: Arc<Phrases>,
    /// What is known of payees and of what is bought at shops, the same for every profile.
    pub lexicon: Arc<Lexicon>,
    /// How days without a published rate are counted.
    pub day_count: DayCount,
}
