//! `finance delete-profile`.

use std::sync::Arc;

use anyhow::{Result, bail};
use finance_domain::Store;
use finance_domain::text::name_key;
use finance_http::AUDIT;

use crate::arguments::DeleteProfile;
use crate::clock::SystemClock;
use crate::configuration::Configuration;
use crate::confirmation;
use crate::database::with_database;

/// Deletes the profile of that name with everything it owns.
pub(crate) fn delete(configuration: &Configuration, arguments: &DeleteProfile) -> Result<()> {
    confirmation::possible(arguments.yes)?;
    let clock = Arc::new(SystemClock::new(configuration));
    with_database(configuration, |database| {
        let store = database.store(clock)?;
        let store: &dyn Store = &store;
        let known = store.profile_list()?.into_iter().find(|known| name_key(&known.name) == name_key(&arguments.name));
        let Some(profile) = known else { bail!("there is no user {}", arguments.name) };
        let warning = format!("everything that {} owns will be gone for good", arguments.name);
        confirmation::ask(&warning, &arguments.name, arguments.yes)?;
        if !store.profile_delete(profile.id)? {
            bail!("the profile of {} was deleted already", arguments.name);
        }
        log::info!(target: AUDIT, "profile {} deleted on the command line", profile.id);
        Ok(())
    })?;
    println!("user {} and everything that was theirs is gone", arguments.name);
    Ok(())
}
