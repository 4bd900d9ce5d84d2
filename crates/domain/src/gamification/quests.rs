//! Quests: a number of awards of an action within a day, a week or a month, or without a time limit.

use time::{Date, OffsetDateTime};

use crate::gamification::actions::{Action, ActionReward, Award, Standing};
use crate::gamification::periods::Period;
use crate::ids::QuestId;

/// A quest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Quest {
    /// Its id in the catalog.
    pub id: QuestId,
    /// Its title, in the users' language; unique among the quests of its period.
    pub title: String,
    /// What to do, in the users' language.
    pub description: String,
    /// How long it lasts.
    pub period: Period,
    /// The action to do.
    pub action: Action,
    /// How often to do it.
    pub target: u32,
    /// The XP for completing it.
    pub xp: u32,
}

impl Quest {
    /// The award for completing it in the period that contains today.
    pub(crate) fn award(&self, today: Date) -> Award {
        let subject = match self.period.first_day(today) {
            Some(first_day) => format!("{} {first_day}", self.id),
            None => self.id.to_string(),
        };
        Award::new(Action::QuestCompleted, subject, ActionReward { xp: self.xp, daily_cap: u32::MAX })
    }

    /// The progress in the period that contains today, 0 to the target.
    pub(crate) fn progress(&self, standing: &Standing, today: Date) -> u32 {
        let count = standing.count(self.action, self.period, today);
        u32::try_from(count).unwrap_or(u32::MAX).min(self.target)
    }

    /// Whether the target is reached in the period that contains today.
    pub(super) fn is_completed(&self, standing: &Standing, today: Date) -> bool {
        self.progress(standing, today) == self.target
    }
}

/// A quest with the progress of a profile.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QuestState {
    /// The quest.
    pub quest: Quest,
    /// The progress in the current period, 0 to the target.
    pub progress: u32,
    /// The instant at which it was completed in the current period. None if it was not.
    pub completed_at: Option<OffsetDateTime>,
}

#[cfg(test)]
mod tests {
    use time::macros::date;

    use super::*;
    use crate::words::Word;

    fn quest(period: Period) -> Quest {
        let (action, target) = (Action::TransactionCreated, 2);
        Quest { id: QuestId(7), title: "x".into(), description: "x".into(), period, action, target, xp: 5 }
    }

    #[test]
    fn a_quest_is_awarded_once_a_period() {
        for (period, subjects) in [
            (Period::Daily, ["7 2026-02-01", "7 2026-02-02", "7 2026-02-28"]),
            (Period::Weekly, ["7 2026-01-26", "7 2026-02-02", "7 2026-02-23"]),
            (Period::Monthly, ["7 2026-02-01", "7 2026-02-01", "7 2026-02-01"]),
            (Period::Once, ["7", "7", "7"]),
        ] {
            let days = [date!(2026 - 02 - 01), date!(2026 - 02 - 02), date!(2026 - 02 - 28)];
            assert_eq!(days.map(|day| quest(period).award(day).subject), subjects, "{period:?}");
        }
    }

    #[test]
    fn progress_counts_the_period_and_begins_anew() {
        let (sunday, monday) = (date!(2026 - 02 - 01), date!(2026 - 02 - 02));
        let mut standing = Standing::default();
        let reward = ActionReward { xp: 1, daily_cap: 9 };
        for subject in ["a", "b", "c"] {
            standing.count_award(&Award::new(Action::TransactionCreated, subject, reward), sunday);
        }
        let progress = |standing: &Standing, today| {
            let periods = Period::ALL.iter();
            periods.map(|period| quest(*period).progress(standing, today)).collect::<Vec<_>>()
        };
        assert_eq!(progress(&standing, sunday), [2, 2, 2, 2]);
        assert_eq!(progress(&standing, monday), [0, 0, 2, 2]);
        standing.count_award(&Award::new(Action::TransactionCreated, "d", reward), monday);
        assert_eq!(progress(&standing, monday), [1, 1, 2, 2]);
        assert_eq!(standing.xp(), 4);
    }
}
