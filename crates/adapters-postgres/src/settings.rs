//! Settings, with the names of the household's people.

use diesel::QueryableByName;
use diesel::prelude::*;
use diesel::sql_types::{Array, Bool, Nullable, Numeric, SmallInt, Text};
use finance_domain::Result;
use finance_domain::settings::{Settings, SettingsRepo};

use crate::numeric::Hundredths;
use crate::repo::PgRepo;
use crate::row::row;
use crate::schema::{own_names, settings};
use crate::sql::{Cache, Fetch};

row! { struct SettingsRow {
    savings_goal_pct: Option<Hundredths> [Nullable<Numeric>],
    own_names: Vec<String> [Array<Text>],
    show_character: Option<bool> [Nullable<Bool>],
    second_factor_days: Option<i16> [Nullable<SmallInt>],
} }

impl SettingsRepo for PgRepo<'_> {
    fn settings_get(&mut self) -> Result<Settings> {
        let query = self.sql(
            "select s.savings_goal_pct, s.show_character, s.second_factor_days,
                array(select name from own_names where profile_id = $1 order by position) as own_names
            from (select $1 as profile_id) own left join settings s on s.profile_id = own.profile_id",
        );
        let row: SettingsRow = query.row(self.connection)?;
        let default = Settings::default();
        Ok(Settings {
            savings_goal_pct: row.savings_goal_pct.map_or(default.savings_goal_pct, Into::into),
            own_names: row.own_names,
            show_character: row.show_character.unwrap_or(default.show_character),
            second_factor_days: row.second_factor_days,
        })
    }

    fn settings_put(&mut self, new: &Settings) -> Result<()> {
        self.watch("settings", "true", &[])?;
        self.watch("own_names", "true", &[])?;
        let values = (
            settings::savings_goal_pct.eq(Hundredths::from(new.savings_goal_pct)),
            settings::show_character.eq(new.show_character),
            settings::second_factor_days.eq(new.second_factor_days),
        );
        diesel::insert_into(settings::table)
            .values((settings::profile_id.eq(self.profile_id.0), values))
            .on_conflict(settings::profile_id)
            .do_update()
            .set(values)
            .exec(self.connection)?;
        let own = own_names::table.filter(own_names::profile_id.eq(self.profile_id.0));
        diesel::delete(own).exec(self.connection)?;
        let names: Vec<_> = (0_i16..)
            .zip(&new.own_names)
            .map(|(position, name)| {
                (
                    own_names::profile_id.eq(self.profile_id.0),
                    own_names::position.eq(position),
                    own_names::name.eq(name),
                )
            })
            .collect();
        diesel::insert_into(own_names::table).values(names).exec(self.connection)
    }
}
