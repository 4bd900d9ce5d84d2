//! A profile's settings.

use crate::error::Result;
use crate::money::Percentage;

/// What a profile chose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Settings {
    /// How much of its income after taxes the household wants to save, 0 to 100.
    pub savings_goal_pct: Percentage,
}

impl Default for Settings {
    fn default() -> Self {
        Settings { savings_goal_pct: Percentage::whole(40) }
    }
}

/// Where settings are kept. Every method may fail as [`Store::transact`](crate::Store::transact) does.
#[allow(clippy::missing_errors_doc)]
pub trait SettingsRepo {
    /// The profile's settings.
    fn settings_get(&mut self) -> Result<Settings>;
}
