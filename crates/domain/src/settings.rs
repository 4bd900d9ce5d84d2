//! A profile's settings.

use crate::credentials::Role;
use crate::error::{FieldErrors, Result};
use crate::money::Percentage;
use crate::text;
use crate::transactions::Referring;
use crate::violations::Violation;

/// The settings of a profile.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// The share of the income after taxes that the household wants to save, 0 to 100 percent.
    pub savings_goal_pct: Percentage,
    /// The names under which banks know the people of the household, at most [`OWN_NAMES_MAX`]. They identify transfers between
    /// own accounts.
    pub own_names: Vec<String>,
    /// Whether pages show the character.
    pub show_character: bool,
    /// After how many days the renewal of a login takes a code of the second factor again, 1 to [`SECOND_FACTOR_DAYS_MAX`]. None if
    /// only the login takes one.
    pub second_factor_days: Option<i16>,
}

/// The most days after which a renewal takes a code again: no device lasts longer without a renewal.
pub const SECOND_FACTOR_DAYS_MAX: i16 = 90;

/// The fewest letters of an own name.
const OWN_NAME_LETTERS_MIN: usize = 6;

/// The most own names of a profile.
pub const OWN_NAMES_MAX: usize = 5;

impl Default for Settings {
    fn default() -> Self {
        Settings {
            savings_goal_pct: Percentage::whole(40),
            own_names: Vec::new(),
            show_character: true,
            second_factor_days: None,
        }
    }
}

/// The port of settings. Every method may fail as [`Store::transact`](crate::Store::transact) does.
pub trait SettingsRepo {
    /// The settings of the profile.
    fn settings_get(&mut self) -> Result<Settings>;
    /// Replaces the profile's settings.
    fn settings_put(&mut self, new: &Settings) -> Result<()>;
}

/// Settings as a client sends them, not yet checked.
#[derive(Debug, Clone, Default)]
pub struct SettingsInput {
    /// Required, 0 to 100.
    pub savings_goal_pct: Option<Percentage>,
    /// At most [`OWN_NAMES_MAX`], each of 6 to 100 characters. Unchanged if absent.
    pub own_names: Option<Vec<String>>,
    /// Unchanged if absent.
    pub show_character: Option<bool>,
    /// 1 to [`SECOND_FACTOR_DAYS_MAX`], or nothing. Unchanged if absent. Owners change it.
    pub second_factor_days: Option<Referring<i64>>,
    /// Fields that could not be read. They are reported together with those that break a rule.
    pub errors: FieldErrors,
}

impl SettingsInput {
    /// Applies the rules.
    ///
    /// ```
    /// use finance_domain::Percentage;
    /// use finance_domain::settings::{Settings, SettingsInput};
    ///
    /// let goal = |percent| SettingsInput { savings_goal_pct: Some(Percentage::whole(percent)), ..Default::default() };
    /// assert!(goal(100).check(&Settings::default()).is_ok());
    /// assert!(goal(101).check(&Settings::default()).is_err());
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`](crate::Error::Invalid) with every broken rule.
    pub fn check(self, before: &Settings) -> Result<Settings> {
        let mut errors = self.errors;
        let goal = errors.require("savings_goal_pct", self.savings_goal_pct).unwrap_or_default();
        if !(Percentage::default()..=Percentage::whole(100)).contains(&goal) {
            errors.push("savings_goal_pct", Violation::out_of_range(0, 100));
        }
        let own_names = match self.own_names {
            Some(names) => check_names(names, &mut errors),
            None => before.own_names.clone(),
        };
        let second_factor_days = match self.second_factor_days {
            None => before.second_factor_days,
            Some(Referring::Nothing) => None,
            Some(Referring::To(days)) => {
                let days = i16::try_from(days).ok().filter(|days| (1..=SECOND_FACTOR_DAYS_MAX).contains(days));
                if days.is_none() {
                    errors.push("second_factor_days", Violation::out_of_range(1, i64::from(SECOND_FACTOR_DAYS_MAX)));
                }
                days
            }
        };
        errors.into_result()?;
        let show_character = self.show_character.unwrap_or(before.show_character);
        Ok(Settings { savings_goal_pct: goal, own_names, show_character, second_factor_days })
    }
}

/// Whether a member of the role may make this change. How long logins last without a code is the owners' decision.
///
/// ```
/// use finance_domain::credentials::Role;
/// use finance_domain::settings::{Settings, may_change};
///
/// let before = Settings::default();
/// let after = Settings { second_factor_days: Some(30), ..before.clone() };
/// assert!(may_change(Role::Owner, &before, &after));
/// assert!(!may_change(Role::Editor, &before, &after));
/// assert!(may_change(Role::Editor, &after, &Settings { show_character: false, ..after.clone() }));
/// ```
pub fn may_change(role: Role, before: &Settings, after: &Settings) -> bool {
    role == Role::Owner || before.second_factor_days == after.second_factor_days
}

fn check_names(names: Vec<String>, errors: &mut FieldErrors) -> Vec<String> {
    if names.len() > OWN_NAMES_MAX {
        errors.push("own_names", Violation::TooManyNames { max: OWN_NAMES_MAX as i64 });
        return Vec::new();
    }
    let long_enough = |name: String| {
        // A name with fewer letters than a statement must contain would never match.
        let letters = text::normalized(&name).chars().count();
        let min = OWN_NAME_LETTERS_MIN;
        if letters < min { Err(Violation::TooShort { min: min as i64 }) } else { Ok(name) }
    };
    let check = |(at, name): (usize, String)| {
        errors.check(&format!("own_names[{at}]"), text::name(&name).and_then(long_enough))
    };
    names.into_iter().enumerate().filter_map(check).collect()
}
