//! Settings.

use diesel::OptionalExtension;
use diesel::prelude::*;
use finance_domain::Result;
use finance_domain::settings::{Settings, SettingsRepo};

use crate::constraints::error;
use crate::numeric::Hundredths;
use crate::repo::PgRepo;
use crate::schema::settings;

impl SettingsRepo for PgRepo<'_> {
    fn settings_get(&mut self) -> Result<Settings> {
        let query = settings::table.find(self.profile_id.0).select(settings::savings_goal_pct);
        let goal: Option<Hundredths> = query.get_result(self.connection).optional().map_err(error)?;
        Ok(goal.map_or_else(Settings::default, |goal| Settings { savings_goal_pct: goal.into() }))
    }
}
