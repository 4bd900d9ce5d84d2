//! The catalog of levels, actions, quests, achievements and cosmetics. It is the same for all profiles.

use std::collections::{BTreeMap, HashSet};
use std::fmt;

use time::Date;

use crate::error::{Error, Result};
use crate::gamification::achievements::{
    Achievement, CATEGORY_ACHIEVEMENT_IDS, CATEGORY_ACHIEVEMENT_KEYS, CategoryAchievement, Condition,
};
use crate::gamification::actions::{Action, ActionReward, Advance, Award, Standing};
use crate::gamification::appearance::Appearance;
use crate::gamification::colors::Colors;
use crate::gamification::cosmetics::{Cosmetic, CosmeticKind, Equipped, theme};
use crate::gamification::drawable::{Drawable, Look};
use crate::gamification::levels::{LEVELS, Level, Levels};
use crate::gamification::quests::Quest;
use crate::gamification::subjects::SUBJECT_CHARS_MAX;
use crate::ids::CosmeticId;
use crate::words::Word;

/// The parts of a catalog, not yet checked.
#[derive(Debug, Clone)]
pub struct CatalogParts {
    /// The levels.
    pub levels: Vec<Level>,
    /// The reward of each action, except the two whose XP comes from quests and achievements.
    pub actions: BTreeMap<Action, ActionReward>,
    /// The quests.
    pub quests: Vec<Quest>,
    /// The fixed achievements.
    pub achievements: Vec<Achievement>,
    /// The texts of the achievements of categories.
    pub category_achievement: CategoryAchievement,
    /// The cosmetics.
    pub cosmetics: Vec<Cosmetic>,
    /// The base colours of the theme. Every other colour has one of their names.
    pub theme: Colors,
    /// What the drawings can show.
    pub drawable: Drawable,
}

/// An error of a catalog.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CatalogError {
    /// The part with the error: `levels`, `actions`, `quests`, `achievements` or `cosmetics`.
    pub part: &'static str,
    /// The key; positions count from 0: `quest[3].target`.
    pub key: String,
    /// The error.
    pub message: String,
}

impl fmt::Display for CatalogError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.key, self.message)
    }
}

impl std::error::Error for CatalogError {}

type Checked = std::result::Result<(), CatalogError>;

fn wrong(part: &'static str, key: impl Into<String>, message: impl Into<String>) -> Checked {
    Err(CatalogError { part, key: key.into(), message: message.into() })
}

/// The checked catalog.
#[derive(Debug, Clone)]
pub struct Catalog {
    levels: Levels,
    actions: BTreeMap<Action, ActionReward>,
    quests: Vec<Quest>,
    achievements: Vec<Achievement>,
    category_achievement: CategoryAchievement,
    cosmetics: Vec<Cosmetic>,
    theme: Colors,
    drawable: Drawable,
}

impl Catalog {
    /// Checks the parts and makes a catalog of them.
    ///
    /// # Errors
    ///
    /// [`CatalogError`], the first one found.
    pub fn new(parts: CatalogParts) -> std::result::Result<Self, CatalogError> {
        check_actions(&parts)?;
        check_quests(&parts)?;
        check_achievements(&parts)?;
        check_cosmetics(&parts)?;
        check_level_sprites(&parts)?;
        let levels = Levels::new(parts.levels).map_err(|(key, message)| CatalogError {
            part: "levels",
            key,
            message: message.to_string(),
        })?;
        Ok(Catalog {
            levels,
            actions: parts.actions,
            quests: parts.quests,
            achievements: parts.achievements,
            category_achievement: parts.category_achievement,
            cosmetics: parts.cosmetics,
            theme: parts.theme,
            drawable: parts.drawable,
        })
    }

    /// The levels.
    pub fn levels(&self) -> &Levels {
        &self.levels
    }

    /// The quests.
    pub fn quests(&self) -> &[Quest] {
        &self.quests
    }

    /// The fixed achievements.
    pub fn achievements(&self) -> &[Achievement] {
        &self.achievements
    }

    /// The texts of the achievements of categories.
    pub fn category_achievement(&self) -> &CategoryAchievement {
        &self.category_achievement
    }

    /// The cosmetics.
    pub fn cosmetics(&self) -> &[Cosmetic] {
        &self.cosmetics
    }

    /// The cosmetic with that id.
    pub fn cosmetic(&self, id: CosmeticId) -> Option<&Cosmetic> {
        self.cosmetics.iter().find(|cosmetic| cosmetic.id == id)
    }

    /// The base colours.
    pub fn theme(&self) -> &Colors {
        &self.theme
    }

    /// What the drawings can show.
    pub fn drawable(&self) -> &Drawable {
        &self.drawable
    }

    /// The look of a figure with that appearance and those cosmetics. Cosmetics that are not in the catalog are ignored.
    pub fn look(&self, appearance: Appearance, equipped: &Equipped) -> Look {
        let skin = self.drawable.skins.get(&appearance.skin).map(|color| ("skin", *color));
        let base = self.theme.merged([&Colors::from_iter(skin)]);
        let shape = |kind: &CosmeticKind| {
            let worn = equipped.get(kind).and_then(|id| self.cosmetic(*id)).map(|cosmetic| cosmetic.shape.as_str());
            Some((*kind, worn.or_else(|| self.drawable.shapes(*kind).first().map(String::as_str))?.to_string()))
        };
        Look {
            colors: theme(&base, &self.cosmetics, equipped),
            appearance,
            shapes: CosmeticKind::ALL.iter().filter_map(shape).collect(),
        }
    }

    /// The reward of an action.
    ///
    /// # Errors
    ///
    /// [`Error::Internal`] for an action whose XP comes from quests or achievements.
    pub fn reward(&self, action: Action) -> Result<ActionReward> {
        let reward = self.actions.get(&action).copied();
        reward.ok_or_else(|| Error::Internal(format!("the action {} has no reward", action.as_str()).into()))
    }

    /// The awards of all quests and fixed achievements for today.
    pub(crate) fn goal_awards(&self, today: Date) -> Vec<Award> {
        self.goals().map(|goal| goal.award(today)).collect()
    }

    /// The quests and fixed achievements.
    fn goals(&self) -> impl Iterator<Item = Goal<'_>> {
        self.quests.iter().map(Goal::Quest).chain(self.achievements.iter().map(Goal::Achievement))
    }

    /// Whether [`newly_reached`](Catalog::newly_reached) may find a goal after these awards. Tallies only grow within a period,
    /// so a goal that was reached before these awards was awarded then, unless it is new in the catalog. The first awards of a
    /// day look for new goals.
    pub(crate) fn may_reach(&self, Advance { before, after }: &Advance, today: Date) -> bool {
        let is_reached = |goal: &Goal<'_>, standing| goal.is_reached(standing, &self.levels, today);
        before.is_idle_on(today) || self.goals().any(|goal| is_reached(&goal, after) && !is_reached(&goal, before))
    }

    /// The goals that are reached and not yet awarded. An award may lead to another goal: quests count towards quests, and all XP
    /// counts towards levels.
    pub(crate) fn newly_reached(&self, mut standing: Standing, today: Date) -> Vec<Award> {
        let mut open: Vec<_> = self.goals().map(|goal| (goal.award(today), goal)).collect();
        open.retain(|(award, _)| standing.given_at(award).is_none());
        let mut awards = Vec::new();
        loop {
            let (reached, rest): (Vec<_>, Vec<_>) =
                open.into_iter().partition(|(_, goal)| goal.is_reached(&standing, &self.levels, today));
            if reached.is_empty() {
                return awards;
            }
            for (award, _) in reached {
                standing.count_award(&award, today);
                awards.push(award);
            }
            open = rest;
        }
    }
}

/// A quest or a fixed achievement.
enum Goal<'a> {
    Quest(&'a Quest),
    Achievement(&'a Achievement),
}

impl Goal<'_> {
    /// Its award today.
    fn award(&self, today: Date) -> Award {
        match self {
            Goal::Quest(quest) => quest.award(today),
            Goal::Achievement(achievement) => achievement.award(),
        }
    }

    fn is_reached(&self, standing: &Standing, levels: &Levels, today: Date) -> bool {
        match self {
            Goal::Quest(quest) => quest.is_completed(standing, today),
            Goal::Achievement(achievement) => achievement.condition.holds(standing, levels, today),
        }
    }
}

fn check_actions(parts: &CatalogParts) -> Checked {
    for action in Action::ALL {
        let word = action.as_str();
        match parts.actions.get(action) {
            Some(_) if action.is_derived() => return wrong("actions", word, "has no XP of its own"),
            Some(reward) if reward.xp == 0 => return wrong("actions", format!("{word}.xp"), "must be above 0"),
            Some(reward) if reward.daily_cap == 0 => {
                return wrong("actions", format!("{word}.daily_cap"), "must be above 0");
            }
            None if !action.is_derived() => return wrong("actions", word, "is missing"),
            _ => {}
        }
    }
    Ok(())
}

fn check_quests(parts: &CatalogParts) -> Checked {
    let (mut ids, mut titles) = (HashSet::new(), HashSet::new());
    for (at, quest) in parts.quests.iter().enumerate() {
        let key = |name: &str| format!("quest[{at}].{name}");
        if !ids.insert(quest.id) {
            return wrong("quests", key("id"), "is taken");
        }
        if !titles.insert((&quest.title, quest.period)) {
            return wrong("quests", key("title"), "is already used by another quest of its quest_type");
        }
        if quest.title.trim().is_empty() {
            return wrong("quests", key("title"), "must not be blank");
        }
        if quest.xp == 0 {
            return wrong("quests", key("xp"), "must be above 0");
        }
        let cap = parts.actions.get(&quest.action).map_or(u32::MAX, |reward| reward.daily_cap);
        let reachable = quest.period.days_min().map_or(u32::MAX, |days| cap.saturating_mul(days));
        if quest.target == 0 || quest.target > reachable {
            let message = format!("must be 1 to {reachable}, the maximum under the daily cap of the action");
            return wrong("quests", key("target"), message);
        }
    }
    Ok(())
}

fn check_achievements(parts: &CatalogParts) -> Checked {
    let (mut ids, mut keys) = (HashSet::new(), HashSet::new());
    for (at, achievement) in parts.achievements.iter().enumerate() {
        let key = |name: &str| format!("achievement[{at}].{name}");
        if !(1..CATEGORY_ACHIEVEMENT_IDS).contains(&achievement.id.0) || !ids.insert(achievement.id) {
            return wrong(
                "achievements",
                key("id"),
                format!("must be unused, above 0 and below {CATEGORY_ACHIEVEMENT_IDS}"),
            );
        }
        let length = achievement.key.chars().count();
        if !(1..=SUBJECT_CHARS_MAX).contains(&length)
            || achievement.key.starts_with(CATEGORY_ACHIEVEMENT_KEYS)
            || !keys.insert(&achievement.key)
        {
            let message = format!(
                "must be unused, have 1 to {SUBJECT_CHARS_MAX} characters, and not begin with {CATEGORY_ACHIEVEMENT_KEYS}"
            );
            return wrong("achievements", key("key"), message);
        }
        if achievement.xp == 0 {
            return wrong("achievements", key("xp"), "must be above 0");
        }
        match achievement.condition {
            Condition::Count(_, 0) => return wrong("achievements", key("count"), "must be above 0"),
            Condition::Level(level) if !(1..=LEVELS).contains(&level) => {
                return wrong("achievements", key("level"), "must be 1 to 15");
            }
            _ => {}
        }
    }
    Ok(())
}

fn check_cosmetics(parts: &CatalogParts) -> Checked {
    let mut ids = HashSet::new();
    for (at, cosmetic) in parts.cosmetics.iter().enumerate() {
        let key = |name: &str| format!("cosmetic[{at}].{name}");
        if !ids.insert(cosmetic.id) {
            return wrong("cosmetics", key("id"), "is taken");
        }
        if !(1..=LEVELS).contains(&cosmetic.required_level) {
            return wrong("cosmetics", key("required_level"), "must be 1 to 15");
        }
        if !parts.drawable.shapes(cosmetic.kind).contains(&cosmetic.shape) {
            let message = format!("is not a shape of type {}: {:?}", cosmetic.kind.as_str(), cosmetic.shape);
            return wrong("cosmetics", key("shape"), message);
        }
        for (name, _) in cosmetic.colors.iter() {
            if parts.theme.get(name).is_none() {
                return wrong("cosmetics", key(&format!("colors.{name}")), "is not a colour of the theme");
            }
        }
    }
    for kind in CosmeticKind::ALL {
        if !parts.cosmetics.iter().any(|cosmetic| cosmetic.kind == *kind) {
            return wrong("cosmetics", "cosmetic", format!("must have one of type {}", kind.as_str()));
        }
    }
    Ok(())
}

fn check_level_sprites(parts: &CatalogParts) -> Checked {
    for (at, level) in parts.levels.iter().enumerate() {
        if !parts.drawable.scenes.contains(&level.sprite) {
            return wrong("levels", format!("level[{at}].sprite"), format!("is not a sprite: {:?}", level.sprite));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
