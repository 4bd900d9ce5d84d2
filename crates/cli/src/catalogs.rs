//! The catalogs of `config/`, built into the program.

mod banks;
mod categories;
mod entries;
mod gamification;
mod notices;
mod schedules;
mod suggestions;
mod taxes;
mod transfers;

pub use banks::banks;
pub use categories::standard_categories;
pub use gamification::gamification;
pub use notices::notice_texts;
pub use schedules::schedules;
pub use suggestions::lexicon;
pub use taxes::taxes;
pub use transfers::transfer_phrases;
