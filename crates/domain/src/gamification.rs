//! XP, levels, quests, achievements and cosmetics.
//!
//! Use cases say [what happened](Happened), in their own transaction; this layer decides what that
//! is worth. If the action rolls back, so does what it earned; if it was awarded before, nothing more
//! is earned and the action succeeds all the same. An award is for a [subject](Happened::subject),
//! which is the content and not an id: repeating, retrying, deleting and making again earn nothing.
//! XP is never taken away.

mod achievements;
mod actions;
mod catalog;
mod colors;
mod cosmetics;
mod levels;
mod quests;
mod sprites;
mod subjects;

use std::sync::Arc;

use time::{Date, OffsetDateTime};

use crate::dashboard::Dashboard;
use crate::error::{Error, Refusal, Result};
use crate::ids::{CosmeticId, XpEventId};
use crate::month::Month;
use crate::store::{Clock, Repo};

pub use achievements::{
    Achievement, AchievementState, BudgetedCategory, CATEGORY_ACHIEVEMENT_IDS, CategoryAchievement, Condition,
};
pub use actions::{Action, ActionReward, Award, Standing, Tally};
pub use catalog::{Catalog, CatalogError, CatalogParts};
pub use colors::{Color, Colors};
pub use cosmetics::{Cosmetic, CosmeticKind, CosmeticState, Equipped, theme};
pub use levels::{LEVELS, Level, Levels, Progress};
pub use quests::{Period, Quest, QuestState};
pub use sprites::Sprite;
pub use subjects::{Happened, SUBJECT_CHARS_MAX, statement};

/// What awards go by, for whoever stores them.
#[derive(Clone)]
pub struct Rules {
    /// What can be earned.
    pub catalog: Arc<Catalog>,
    /// The one clock: awards count on its calendar day.
    pub clock: Arc<dyn Clock>,
}

/// What a profile has made of itself.
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
    /// The drawing of the level.
    pub sprite: Sprite,
    /// The base colours with those of what is worn merged in.
    pub theme: Colors,
    /// What is worn.
    pub equipped: Equipped,
}

/// Something that earned XP.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct XpEvent {
    /// Its id; a later one is higher.
    pub id: XpEventId,
    /// What earned it; a word of an [`Action`] that this or an earlier release knew.
    pub action: String,
    /// What it was for.
    pub subject: String,
    /// How much.
    pub xp: u32,
    /// When it was earned.
    pub created_at: OffsetDateTime,
}

/// Where awards are kept. Every method may fail as [`Store::transact`](crate::Store::transact) does.
#[allow(clippy::missing_errors_doc)]
pub trait GamificationRepo {
    /// What can be earned; no query.
    fn catalog(&self) -> Arc<Catalog>;
    /// The calendar day awards of this transaction count on, by the one clock; no query.
    fn today(&self) -> Date;
    /// Stores the awards that are new, in one statement, as far as the day's caps let it; tells how
    /// many. One whose action and subject are stored already, of whatever day, is passed over.
    fn award_insert(&mut self, awards: &[Award], today: Date) -> Result<usize>;
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
    /// What was earned, newest first, after the event of that id, at most that many.
    fn xp_event_list(&mut self, after: Option<XpEventId>, limit: u32) -> Result<Vec<XpEvent>>;
    /// What is worn.
    fn equipped(&mut self) -> Result<Equipped>;
    /// Wears a cosmetic in place of what is worn of its kind.
    fn equipped_put(&mut self, kind: CosmeticKind, id: CosmeticId) -> Result<()>;
    /// Takes a cosmetic off, if it is worn.
    fn equipped_delete(&mut self, id: CosmeticId) -> Result<()>;
}

/// Takes in what a use case did, and awards what it earns, in the use case's own transaction.
///
/// Every notification is a check as well: a budget that the last complete month kept is awarded.
/// The cost is a fixed number of statements, whatever the action brought: two where it was awarded
/// before, three where it was not, four where that reaches a quest or an achievement.
///
/// # Errors
///
/// As [`Store::transact`](crate::Store::transact); that a thing was awarded before is no error.
pub fn notify(repo: &mut dyn Repo, happened: &[Happened<'_>]) -> Result<()> {
    let (catalog, today) = (repo.catalog(), repo.today());
    let mut awards = Vec::with_capacity(happened.len());
    for happened in happened {
        awards.push(award(&catalog, happened)?);
    }
    for name in repo.budgets_kept_insert(last_complete_month(today))? {
        let subject = Happened::CategoryBudgeted { name: &name }.subject();
        let action = Action::CategoryBudgetKept;
        awards.push(Award::new(action, subject, catalog.reward(action)?));
    }
    if awards.is_empty() || repo.award_insert(&awards, today)? == 0 {
        return Ok(());
    }
    let goals: Vec<Award> = catalog.goals(today).map(|(_, award)| award).collect();
    let reached = catalog.newly_reached(repo.standing(&goals)?, today);
    if !reached.is_empty() {
        repo.award_insert(&reached, today)?;
    }
    Ok(())
}

fn award(catalog: &Catalog, happened: &Happened<'_>) -> Result<Award> {
    let action = happened.action();
    Ok(Award::new(action, happened.subject(), catalog.reward(action)?))
}

fn last_complete_month(today: Date) -> Month {
    Month::of(today).minus(1)
}

/// Whether a dashboard that was read earns something: its month, if it is not to come, met the
/// savings goal, or the last complete month kept a budget. Reads only; where it says yes,
/// [`check_dashboard`] is due, in a transaction that writes.
///
/// # Errors
///
/// As [`Store::transact`](crate::Store::transact).
pub fn dashboard_earns(repo: &mut dyn Repo, read: &Dashboard) -> Result<bool> {
    let today = repo.today();
    let month = read.totals.month;
    let goal_met = read.totals.savings_pct().is_some_and(|pct| pct >= read.settings.savings_goal_pct);
    let award = match goal_met && month <= Month::of(today) {
        true => Some(award(&repo.catalog(), &Happened::SavingsChecked { month })?),
        false => None,
    };
    repo.check_due(last_complete_month(today), award.as_ref(), today)
}

/// Looks at a month again, and awards what its dashboard earns.
///
/// # Errors
///
/// As [`Store::transact`](crate::Store::transact).
pub fn check_dashboard(repo: &mut dyn Repo, month: Month) -> Result<()> {
    let goal = repo.settings_get()?.savings_goal_pct;
    let totals = repo.month_totals(month, month)?;
    let goal_met = totals.iter().any(|totals| totals.savings_pct().is_some_and(|pct| pct >= goal));
    if goal_met && month <= Month::of(repo.today()) {
        notify(repo, &[Happened::SavingsChecked { month }])
    } else {
        notify(repo, &[])
    }
}

/// The caller's level, XP, theme and what it wears.
///
/// # Errors
///
/// As [`Store::transact`](crate::Store::transact).
pub fn profile(repo: &mut dyn Repo) -> Result<Player> {
    let catalog = repo.catalog();
    let xp = repo.standing(&[])?.xp();
    let mut equipped = repo.equipped()?;
    // What the catalog has no more is not worn.
    equipped.retain(|_, id| catalog.cosmetic(*id).is_some());
    let Progress { level, xp_into_level, xp_to_next_level } = catalog.levels().progress(xp);
    let sprite = catalog.sprite(&level.sprite).cloned();
    Ok(Player {
        level: level.clone(),
        xp,
        xp_into_level,
        xp_to_next_level,
        sprite: sprite.ok_or_else(|| Error::Internal(format!("no sprite {}", level.sprite).into()))?,
        theme: theme(catalog.theme(), catalog.cosmetics(), &equipped),
        equipped,
    })
}

/// What the caller earned XP for, newest first.
///
/// # Errors
///
/// As [`Store::transact`](crate::Store::transact).
pub fn xp_events(repo: &mut dyn Repo, after: Option<XpEventId>, limit: u32) -> Result<Vec<XpEvent>> {
    repo.xp_event_list(after, limit)
}

/// The quests of the catalog, as they stand for the caller today.
///
/// # Errors
///
/// As [`Store::transact`](crate::Store::transact).
pub fn quests(repo: &mut dyn Repo) -> Result<Vec<QuestState>> {
    let (catalog, today) = (repo.catalog(), repo.today());
    let awards: Vec<Award> = catalog.quests().iter().map(|quest| quest.award(today)).collect();
    let standing = repo.standing(&awards)?;
    let quests = catalog.quests().iter().zip(&awards);
    Ok(quests
        .map(|(quest, award)| QuestState {
            quest: quest.clone(),
            progress: quest.progress(&standing, today),
            completed_at: standing.given_at(award),
        })
        .collect())
}

/// The fixed achievements, earned or not, and those of the caller's categories with a budget.
///
/// A category has its achievement while it has a budget, and keeps it for good once it is earned.
///
/// # Errors
///
/// As [`Store::transact`](crate::Store::transact).
pub fn achievements(repo: &mut dyn Repo) -> Result<Vec<AchievementState>> {
    let catalog = repo.catalog();
    let awards: Vec<Award> = catalog.achievements().iter().map(Achievement::award).collect();
    let standing = repo.standing(&awards)?;
    let fixed = catalog.achievements().iter().zip(&awards);
    let mut states: Vec<_> =
        fixed.map(|(achievement, award)| AchievementState::fixed(achievement, standing.given_at(award))).collect();
    let xp = catalog.reward(Action::CategoryBudgetKept)?.xp;
    let categories = repo.budgeted_category_list()?;
    let texts = catalog.category_achievement();
    states.extend(categories.into_iter().map(|category| AchievementState::of_category(category, texts, xp)));
    Ok(states)
}

/// The cosmetics of the catalog, as the caller sees them.
///
/// # Errors
///
/// As [`Store::transact`](crate::Store::transact).
pub fn cosmetics(repo: &mut dyn Repo) -> Result<Vec<CosmeticState>> {
    let catalog = repo.catalog();
    let level = level(repo, &catalog)?;
    let equipped = repo.equipped()?;
    Ok(catalog.cosmetics().iter().map(|cosmetic| state(cosmetic, level, &equipped)).collect())
}

/// Wears a cosmetic the caller owns, in place of what it wears of that kind.
///
/// # Errors
///
/// [`Error::NotFound`], or [`Refusal::CosmeticLocked`] where the level does not unlock it yet.
pub fn equip(repo: &mut dyn Repo, id: CosmeticId) -> Result<CosmeticState> {
    let catalog = repo.catalog();
    let cosmetic = catalog.cosmetic(id).ok_or(Error::NotFound("cosmetic"))?;
    let level = level(repo, &catalog)?;
    if cosmetic.required_level > level {
        return Err(Refusal::CosmeticLocked.into());
    }
    repo.equipped_put(cosmetic.kind, id)?;
    Ok(state(cosmetic, level, &Equipped::from([(cosmetic.kind, id)])))
}

/// Takes a cosmetic off; one that is not worn is fine.
///
/// # Errors
///
/// [`Error::NotFound`].
pub fn unequip(repo: &mut dyn Repo, id: CosmeticId) -> Result<CosmeticState> {
    let catalog = repo.catalog();
    let cosmetic = catalog.cosmetic(id).ok_or(Error::NotFound("cosmetic"))?;
    repo.equipped_delete(id)?;
    Ok(state(cosmetic, level(repo, &catalog)?, &Equipped::new()))
}

fn level(repo: &mut dyn Repo, catalog: &Catalog) -> Result<u8> {
    Ok(catalog.levels().progress(repo.standing(&[])?.xp()).level.number)
}

fn state(cosmetic: &Cosmetic, level: u8, equipped: &Equipped) -> CosmeticState {
    CosmeticState {
        cosmetic: cosmetic.clone(),
        is_owned: cosmetic.required_level <= level,
        is_equipped: equipped.get(&cosmetic.kind) == Some(&cosmetic.id),
    }
}
