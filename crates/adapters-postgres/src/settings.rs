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

    fn settings_put(&mut self, new: &Settings) -> Result<()> {
        let goal = settings::savings_goal_pct.eq(Hundredths::from(new.savings_goal_pct));
        diesel::insert_into(settings::table)
            .values((settings::profile_id.eq(self.profile_id.0), goal))
            .on_conflict(settings::profile_id)
            .do_update()
            .set(goal)
            .execute(self.connection)
            .map_err(error)?;
        Ok(())
    }
}
