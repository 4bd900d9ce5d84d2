//! A profile's settings.

use crate::error::{FieldErrors, Result};
use crate::money::Percentage;

/// The settings of a profile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Settings {
    /// The share of the income after taxes that the household wants to save, 0 to 100 percent.
    pub savings_goal_pct: Percentage,
}

impl Default for Settings {
    fn default() -> Self {
        Settings { savings_goal_pct: Percentage::whole(40) }
    }
}

/// The port of settings. Every method may fail as [`Store::transact`](crate::Store::transact) does.
#[allow(clippy::missing_errors_doc)]
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
    /// Fields that could not be read. They are reported together with those that break a rule.
    pub errors: FieldErrors,
}

impl SettingsInput {
    /// Applies the rules.
    ///
    /// ```
    /// use finance_domain::Percentage;
    /// use finance_domain::settings::SettingsInput;
    ///
    /// let goal = |percent| SettingsInput { savings_goal_pct: Some(Percentage::whole(percent)), ..Default::default() };
    /// assert!(goal(100).check().is_ok());
    /// assert!(goal(101).check().is_err());
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`](crate::Error::Invalid) with every broken rule.
    pub fn check(self) -> Result<Settings> {
        let mut errors = self.errors;
        let goal = errors.require("savings_goal_pct", self.savings_goal_pct).unwrap_or_default();
        if !(Percentage::default()..=Percentage::whole(100)).contains(&goal) {
            errors.push("savings_goal_pct", "must be 0 to 100");
        }
        errors.into_result()?;
        Ok(Settings { savings_goal_pct: goal })
    }
}
