//! Achievements: fixed ones from the catalog, and one for each category with a budget.

use time::{Date, OffsetDateTime};

use crate::gamification::actions::{Action, ActionReward, Award, Standing};
use crate::gamification::levels::Levels;
use crate::gamification::periods::Period;
use crate::ids::{AchievementId, CategoryId};

/// The ids of category achievements begin here. The catalog's ids are below it.
pub const CATEGORY_ACHIEVEMENT_IDS: i64 = 1_000_000;

/// The keys of category achievements begin with this. No key of the catalog does.
pub(crate) const CATEGORY_ACHIEVEMENT_KEYS: &str = "category_budget_";

/// When a fixed achievement is earned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Condition {
    /// The action was awarded at least this many times.
    Count(Action, u32),
    /// The level was reached.
    Level(u8),
}

impl Condition {
    /// Whether it holds.
    pub(super) fn holds(self, standing: &Standing, levels: &Levels, today: Date) -> bool {
        match self {
            Condition::Count(action, count) => standing.count(action, Period::Once, today) >= u64::from(count),
            Condition::Level(number) => levels.progress(standing.xp()).level.number >= number,
        }
    }
}

/// A fixed achievement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Achievement {
    /// Its id in the catalog.
    pub id: AchievementId,
    /// Its key in the catalog.
    pub key: String,
    /// Its title, in the users' language.
    pub title: String,
    /// What it is for, in the users' language.
    pub description: String,
    /// When it is earned.
    pub condition: Condition,
    /// The XP for earning it.
    pub xp: u32,
}

impl Achievement {
    /// The award for earning it.
    pub(crate) fn award(&self) -> Award {
        let reward = ActionReward { xp: self.xp, daily_cap: u32::MAX };
        Award::new(Action::AchievementEarned, self.key.as_str(), reward)
    }
}

/// The texts of the achievement of a category with a budget. `{category}` stands for the category's name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CategoryAchievement {
    /// Its title, in the users' language.
    pub title: String,
    /// What it is for, in the users' language.
    pub description: String,
}

/// A category with a budget, or one whose budget was kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BudgetedCategory {
    /// The category.
    pub id: CategoryId,
    /// Its name.
    pub name: String,
    /// The instant at which its budget was kept. None if it was not.
    pub earned_at: Option<OffsetDateTime>,
}

/// An achievement, and whether a profile has earned it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AchievementState {
    /// Its id. The ids of fixed achievements are below [`CATEGORY_ACHIEVEMENT_IDS`].
    pub id: AchievementId,
    /// Its key in the catalog, or `category_budget_` followed by the category's id.
    pub key: String,
    /// Its title.
    pub title: String,
    /// What earns it.
    pub description: String,
    /// The category of the achievement. None for a fixed achievement.
    pub category_id: Option<CategoryId>,
    /// The XP for earning it.
    pub xp: u32,
    /// The instant at which it was earned. None if it was not.
    pub earned_at: Option<OffsetDateTime>,
}

impl AchievementState {
    pub(crate) fn fixed(achievement: &Achievement, earned_at: Option<OffsetDateTime>) -> Self {
        let Achievement { id, key, title, description, xp, .. } = achievement.clone();
        AchievementState { id, key, title, description, category_id: None, xp, earned_at }
    }

    pub(crate) fn of_category(category: BudgetedCategory, texts: &CategoryAchievement, xp: u32) -> Self {
        let named = |text: &str| text.replace("{category}", &category.name);
        AchievementState {
            id: AchievementId(CATEGORY_ACHIEVEMENT_IDS + category.id.0),
            key: format!("{CATEGORY_ACHIEVEMENT_KEYS}{}", category.id),
            title: named(&texts.title),
            description: named(&texts.description),
            category_id: Some(category.id),
            xp,
            earned_at: category.earned_at,
        }
    }
}
