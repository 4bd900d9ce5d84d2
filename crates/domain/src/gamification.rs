//! XP, levels, quests, achievements and cosmetics.
//!
//! Use cases report [events](Event) in their own transaction, and this module decides what they are
//! worth. If the action rolls back, its award does too. If it was already awarded, it succeeds but
//! earns nothing more. An award is for a [subject](Event::subject), which is derived from the content
//! and is not an id: repeating, retrying, or deleting and creating again earns nothing. XP is never
//! taken away.

mod achievements;
mod actions;
mod appearance;
mod catalog;
mod colors;
mod cosmetics;
mod drawable;
mod events;
mod levels;
mod periods;
mod quests;
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
pub use drawable::{Drawable, Look};
pub use events::Event;
pub use levels::{LEVELS, Level, Levels, Progress};
pub use periods::Period;
pub use quests::{Quest, QuestState};
pub use subjects::{SUBJECT_CHARS_MAX, digest, statement};

/// The level and the look of a profile.
#[derive(Debug, Clone)]
pub struct Player {
    /// The level reached.
    pub level: Level,
    /// All XP.
    pub xp: u64,
    /// The XP earned since that level was reached.
    pub xp_into_level: u64,
    /// The XP missing to the next level; 0 on the last level.
    pub xp_to_next_level: u64,
    /// How the figure is drawn. Its colours are the theme: the base colours, overridden by the colour of the skin and by the
    /// colours of the equipped cosmetics.
    pub look: Look,
    /// The equipped cosmetics.
    pub equipped: Equipped,
}

/// XP that was earned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct XpEvent {
    /// Its id. Later awards have higher ids.
    pub id: XpEventId,
    /// The action that earned it: a word of an [`Action`] of this or an earlier release.
    pub action: String,
    /// The subject.
    pub subject: String,
    /// The amount, above zero.
    pub xp: u32,
    /// The instant at which it was earned.
    pub created_at: OffsetDateTime,
}

/// The port of awards. Every method may fail as [`Store::transact`](crate::Store::transact) does.
pub trait GamificationRepo {
    /// Stores the new awards in one statement, as far as the daily caps allow. An award whose action and subject are already
    /// stored, on any day, is skipped. The same statement looks for budgets that were kept in a month.
    fn award_insert(&mut self, awards: &[Award], month: Month, today: Date) -> Result<Awarded>;
    /// The standing of the profile, and which of the awards it has, in one query.
    fn standing(&mut self, awards: &[Award]) -> Result<Standing>;
    /// Records the budgets kept in a month, in one statement: those of categories with spending in that
    /// month, within the budget, and not recorded before. Returns the names of the categories.
    fn budgets_kept_insert(&mut self, month: Month) -> Result<Vec<String>>;
    /// Whether [`GamificationRepo::budgets_kept_insert`] would record anything, or
    /// [`GamificationRepo::award_insert`] would store the award. One query.
    fn check_due(&mut self, month: Month, award: Option<&Award>, today: Date) -> Result<bool>;
    /// The categories that have a budget or have kept one, by name.
    fn budgeted_category_list(&mut self) -> Result<Vec<BudgetedCategory>>;
    /// The awards, newest first: at most `limit` that follow the award `after`, or the first ones.
    fn xp_event_list(&mut self, after: Option<XpEventId>, limit: u32) -> Result<Vec<XpEvent>>;
    /// The equipped cosmetics.
    fn equipped(&mut self) -> Result<Equipped>;
    /// Equips a cosmetic. It replaces another one of its kind.
    fn equipped_put(&mut self, kind: CosmeticKind, id: CosmeticId) -> Result<()>;
    /// Unequips a cosmetic, if it is equipped.
    fn equipped_delete(&mut self, id: CosmeticId) -> Result<()>;
    /// The chosen appearance. None if none was chosen.
    fn appearance_get(&mut self) -> Result<Option<Appearance>>;
    /// Replaces the appearance.
    fn appearance_put(&mut self, new: &Appearance) -> Result<()>;
}
