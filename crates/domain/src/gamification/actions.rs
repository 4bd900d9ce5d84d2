//! Actions, the awards they bring, and how often each was awarded.

use std::collections::HashMap;

use time::{Date, OffsetDateTime};

use crate::gamification::periods::Period;
use crate::gamification::subjects::bounded;
use crate::words::words;

words! {
    /// An action that earns XP.
    #[derive(PartialOrd, Ord)]
    pub enum Action {
        /// A client created a transaction.
        TransactionCreated = "transaction_created",
        /// A statement was imported, with at least one new row.
        ImportConfirmed = "import_confirmed",
        /// The dashboard of a month that met the savings goal was read.
        SavingsChecked = "savings_checked",
        /// A category was created.
        CategoryCreated = "category_created",
        /// The budget of a category was set or changed.
        CategoryBudgeted = "category_budgeted",
        /// The last complete month stayed within a category's budget.
        CategoryBudgetKept = "category_budget_kept",
        /// An account was created.
        AccountCreated = "account_created",
        /// A transfer was created.
        TransferCreated = "transfer_created",
        /// A bill was paid.
        BillPaid = "bill_paid",
        /// A recurring item was created.
        RecurringCreated = "recurring_created",
        /// A recurring income was confirmed.
        RecurringConfirmed = "recurring_confirmed",
        /// The savings goal was set.
        SettingsChanged = "settings_changed",
        /// A quest was completed. The award has the quest's XP.
        QuestCompleted = "quest_completed",
        /// An achievement was earned. The award has the achievement's XP.
        AchievementEarned = "achievement_earned",
    }
}

impl Action {
    /// Whether its XP comes from the quest or achievement, not from the action.
    pub fn is_derived(self) -> bool {
        matches!(self, Action::QuestCompleted | Action::AchievementEarned)
    }
}

/// The reward of an action.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ActionReward {
    /// XP for each subject.
    pub xp: u32,
    /// The most awards in one day.
    pub daily_cap: u32,
}

/// XP for one subject. It is awarded once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Award {
    /// The action.
    pub action: Action,
    /// The subject, which is awarded once.
    pub subject: String,
    /// The amount, above zero.
    pub xp: u32,
    /// The most awards of the action in one day.
    pub daily_cap: u32,
}

impl Award {
    /// Creates an award. A subject that is too long is shortened.
    pub fn new(action: Action, subject: impl Into<String>, ActionReward { xp, daily_cap }: ActionReward) -> Self {
        Award { action, subject: bounded(subject.into()), xp, daily_cap }
    }
}

/// How often an action was awarded. The counts are those of the periods that contain `last_day`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tally {
    /// The last day it was awarded.
    pub last_day: Date,
    /// Awards of that day.
    pub day_count: u64,
    /// Awards of that week.
    pub week_count: u64,
    /// Awards of that month.
    pub month_count: u64,
    /// All awards.
    pub total_count: u64,
    /// All XP of the action.
    pub total_xp: u64,
}

impl Tally {
    /// No award yet.
    fn none(today: Date) -> Self {
        Tally { last_day: today, day_count: 0, week_count: 0, month_count: 0, total_count: 0, total_xp: 0 }
    }

    /// The number of awards in the period that contains today.
    ///
    /// ```
    /// use finance_domain::gamification::{Period, Tally};
    /// use time::macros::date;
    ///
    /// // A Sunday.
    /// let tally = Tally {
    ///     last_day: date!(2026 - 02 - 01), day_count: 1, week_count: 4, month_count: 1, total_count: 9, total_xp: 90,
    /// };
    /// assert_eq!(tally.count(Period::Weekly, date!(2026 - 02 - 01)), 4);
    /// assert_eq!(tally.count(Period::Weekly, date!(2026 - 02 - 02)), 0, "weeks begin on Mondays");
    /// assert_eq!(tally.count(Period::Monthly, date!(2026 - 02 - 02)), 1);
    /// assert_eq!(tally.count(Period::Once, date!(2026 - 02 - 02)), 9);
    /// ```
    pub fn count(&self, period: Period, today: Date) -> u64 {
        if period.first_day(today) != period.first_day(self.last_day) {
            return 0;
        }
        match period {
            Period::Daily => self.day_count,
            Period::Weekly => self.week_count,
            Period::Monthly => self.month_count,
            Period::Once => self.total_count,
        }
    }

    /// The tally with one more award today.
    fn awarded(&self, xp: u32, today: Date) -> Self {
        Tally {
            last_day: today,
            day_count: self.count(Period::Daily, today) + 1,
            week_count: self.count(Period::Weekly, today) + 1,
            month_count: self.count(Period::Monthly, today) + 1,
            total_count: self.total_count + 1,
            total_xp: self.total_xp + u64::from(xp),
        }
    }
}

/// The result of [`GamificationRepo::award_insert`](super::GamificationRepo::award_insert).
#[derive(Debug, Clone, Default)]
pub struct Awarded {
    /// How the tallies changed. None if no award was both new and within its cap.
    pub advance: Option<Advance>,
    /// Whether [`GamificationRepo::budgets_kept_insert`](super::GamificationRepo::budgets_kept_insert) would store anything for
    /// the month.
    pub has_kept_budgets: bool,
}

/// The tallies before and after awards. Neither has requested awards.
#[derive(Debug, Clone, Default)]
pub struct Advance {
    /// Before.
    pub before: Standing,
    /// After.
    pub after: Standing,
}

impl Advance {
    /// Combines both steps. `later` follows this one.
    pub(crate) fn and(self, later: Advance) -> Advance {
        Advance { before: self.before, after: later.after }
    }
}

/// The tallies of a profile, and which of the requested awards it has.
#[derive(Debug, Clone, Default)]
pub struct Standing {
    /// The tallies of the actions that were ever awarded.
    pub tallies: HashMap<Action, Tally>,
    /// The requested awards that were given, with the instant.
    pub given: HashMap<(Action, String), OffsetDateTime>,
}

impl Standing {
    /// All XP.
    pub fn xp(&self) -> u64 {
        self.tallies.values().map(|tally| tally.total_xp).sum()
    }

    /// Whether nothing was awarded on that day.
    pub(super) fn is_idle_on(&self, day: Date) -> bool {
        self.tallies.values().all(|tally| tally.last_day != day)
    }

    /// How often an action was awarded in the period that contains today.
    pub fn count(&self, action: Action, period: Period, today: Date) -> u64 {
        self.tallies.get(&action).map_or(0, |tally| tally.count(period, today))
    }

    /// The instant at which a requested award was given.
    pub fn given_at(&self, award: &Award) -> Option<OffsetDateTime> {
        self.given.get(&(award.action, award.subject.clone())).copied()
    }

    /// Counts one more award today.
    pub(super) fn count_award(&mut self, award: &Award, today: Date) {
        let tally = self.tallies.entry(award.action).or_insert(Tally::none(today));
        *tally = tally.awarded(award.xp, today);
    }
}
