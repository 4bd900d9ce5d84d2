//! The catalogs of `config/`, built into the program.

mod banks;
mod categories;
mod entries;
mod gamification;
mod notices;
mod push;
mod schedules;
mod suggestions;
mod taxes;
mod transfers;

use std::sync::Arc;

use anyhow::Result;
use finance_domain::{Clock, Context};

use crate::configuration::Configuration;

pub use banks::banks;
pub use categories::standard_categories;
pub use gamification::{drawings, gamification};
pub use notices::notice_texts;
pub use push::push_hosts;
pub use schedules::schedules;
pub use suggestions::lexicon;
pub use taxes::taxes;
pub use transfers::transfer_phrases;

/// What the use cases of a command need: its day, and the catalogs.
pub(crate) fn context(configuration: &Configuration, clock: &dyn Clock) -> Result<Context> {
    Ok(Context {
        today: clock.today(),
        catalog: Arc::new(gamification()?),
        phrases: Arc::new(transfer_phrases()?),
        lexicon: Arc::new(lexicon()?),
        taxes: Arc::new(taxes()?),
        schedules: Arc::new(schedules()?),
        day_count: configuration.day_count,
    })
}
