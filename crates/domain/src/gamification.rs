//! XP, levels, quests, achievements and cosmetics.
//!
//! Use cases say [what happened](Event), in their own transaction; this layer decides what that
//! is worth. If the action rolls back, so does what it earned; if it was awarded before, nothing more
//! is earned and the action succeeds all the same. An award is for a [subject](Event::subject),
//! which is the content and not an id: repeating, retrying, deleting and making again earn nothing.
//! XP is never taken away.

mod achievements;
mod actions;
mod appearance;
mod catalog;
mod colors;
mod cosmetics;
mod drawings;
mod events;
mod levels;
mod periods;
mod quests;
mod sprites;
mod subjects;

use time::{Date, OffsetDateTime};

use crate::error::Result;
use crate::ids::{CosmeticId, XpEventId};
use crate::month::Month;

pub use achievements::{
    Achievement, AchievementState, BudgetedCategory, CATEGORY_ACHIEVEMENT_IDS, CategoryAchievement, Condition,
};
pub use actions::{Action, ActionReward, Advance, Award, Awarded, Standing, Tally};
pub use appearance::{Appearance, AppearanceChoices, AppearanceInput};
pub use catalog::{Catalog, CatalogError, CatalogParts};
pub use colors::{Color, Colors};
pub use cosmetics::{Cosmetic, CosmeticKind, CosmeticState, Equipped, theme};
pub use drawings::{DrawingParts, Drawings, Garment, Look, Skin, Variant};
pub use events::Event;
pub use levels::{LEVELS, Level, Levels, Progress};
pub use periods::Period;
pub use quests::{Quest, QuestState};
pub use sprites::{Template, Templates};
pub use subjects::{SUBJECT_CHARS_MAX, statement};

/// The level and the looks of a profile.
#[derive(Debug, Clone)]
pub struct Player {
    /// The level reached.
    pub level: Level,
    /// All XP.
    pub xp: u64,
    /// XP earned since that level.
    pub xp_into_level: u64,
    /// XP still missing to the next level; 0 on the last one.
    pub xp_to_next_level: u64,
    /// How the figure is drawn. Its colours are the theme: the base colours, overridden by that of the skin and those of the
    /// equipped cosmetics.
    pub look: Look,
    /// The equipped cosmetics.
    pub equipped: Equipped,
}

/// XP that was earned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct XpEvent {
    /// Its id. A later one is higher.
    pub id: XpEventId,
    /// What earned it; a word of an [`Action`] that this or an earlier release knew.
    pub action: String,
    /// The subject.
    pub subject: String,
    /// The amount, above zero.
    pub xp: u32,
    /// The instant at which it was earned. None where it is not.
    pub created_at: OffsetDateTime,
}

/// The port of awards. Every method may fail as [`Store::transact`](crate::Store::transact) does.
#[allow(clippy::missing_errors_doc)]
pub trait GamificationRepo {
    /// Stores the awards that are new, in one statement, as far as the day's caps let it. One whose action and subject
    /// are stored already, of whatever day, is passed over. The same statement looks for budgets that were kept in a month.
    fn award_insert(&mut self, awards: &[Award], month: Month, today: Date) -> Result<Awarded>;
    /// Where the profile stands, and which of the awards it has; one query.
    fn standing(&mut self, awards: &[Award]) -> Result<Standing>;
    /// Notes that the budgets kept in a month were, in one statement: those of categories with
    /// spending in that month, within the budget, and not noted before. Tells the categories' names.
    fn budgets_kept_insert(&mut self, month: Month) -> Result<Vec<String>>;
    /// Whether [`GamificationRepo::budgets_kept_insert`] would note anything, or the award would be
    /// stored by [`GamificationRepo::award_insert`]; one query.
    fn check_due(&mut self, month: Month, award: Option<&Award>, today: Date) -> Result<bool>;
    /// The categories that have a budget or kept one, by name.
    fn budgeted_category_list(&mut self) -> Result<Vec<BudgetedCategory>>;
    /// The awards, newest first: at most `limit` after the one of that id.
    fn xp_event_list(&mut self, after: Option<XpEventId>, limit: u32) -> Result<Vec<XpEvent>>;
    /// The equipped cosmetics.
    fn equipped(&mut self) -> Result<Equipped>;
    /// Equips a cosmetic in place of another of its kind.
    fn equipped_put(&mut self, kind: CosmeticKind, id: CosmeticId) -> Result<()>;
    /// Unequips a cosmetic, if it is equipped.
    fn equipped_delete(&mut self, id: CosmeticId) -> Result<()>;
    /// The appearance that was chosen. None where none was.
    fn appearance_get(&mut self) -> Result<Option<Appearance>>;
    /// Replaces the appearance.
    fn appearance_put(&mut self, new: &Appearance) -> Result<()>;
}
