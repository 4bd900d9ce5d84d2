//! `finance delete-profile`.

use std::sync::Arc;

use anyhow::{Result, bail};
use finance_domain::Store;

use crate::arguments::DeleteProfile;
use crate::clock::SystemClock;
use crate::configuration::Configuration;
use crate::confirmation;
use crate::database::with_database;
use crate::import_profile::find;

/// Deletes the profile of that name with everything it owns.
pub(crate) fn delete(configuration: &Configuration, arguments: &DeleteProfile) -> Result<()> {
    confirmation::possible(arguments.yes)?;
    let clock = Arc::new(SystemClock::new(configuration));
    with_database(configuration, |database| {
        let store = database.store(clock)?;
        let store: &dyn Store = &store;
        let caller = find(store, &arguments.name)?;
        let warning = format!("everything that {} owns will be gone for good", arguments.name);
        confirmation::ask(&warning, &arguments.name, arguments.yes)?;
        if !store.profile_delete(caller.profile_id)? {
            bail!("the profile of {} was deleted already", arguments.name);
        }
        log::info!("profile {} deleted on the command line", caller.profile_id);
        Ok(())
    })?;
    println!("user {} and everything that was theirs is gone", arguments.name);
    Ok(())
}
