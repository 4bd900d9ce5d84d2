//! Use cases of recurring items: how their dues stand (`dues.rs`, `listed.rs`), the items themselves (`items.rs`), what a person says
//! of a due (`moves.rs`, `links.rs`), what repeats in the history (`suggestions.rs`), and what fills the form (`drafts.rs`).

mod drafts;
mod dues;
mod items;
mod links;
mod listed;
mod moves;
mod suggestions;

pub use drafts::{parse, templates};
pub(crate) use dues::states;
pub use items::{create, delete, update};
pub use links::{LinkInput, link, unlink};
pub use listed::{ListedOccurrence, OCCURRENCE_DAYS_MAX, get, list, occurrences};
pub(crate) use listed::{expected, open_in, pending, with_earlier};
pub use moves::{Which, confirm, ignore, late, unignore, unlate};
pub use suggestions::{Accepted, accept, reject, suggestions};
