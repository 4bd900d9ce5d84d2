//! `finance delete-profile`.

use anyhow::{Result, bail};
use finance_http::AUDIT;

use crate::arguments::DeleteProfile;
use crate::configuration::Configuration;
use crate::confirmation;
use crate::database::with_store;
use crate::users::find;

/// Deletes a profile with everything it owns.
pub(crate) fn delete(configuration: &Configuration, arguments: &DeleteProfile) -> Result<()> {
    confirmation::possible(arguments.yes)?;
    with_store(configuration, |store| {
        let Some(profile) = find(store, &arguments.name)? else { bail!("there is no user {}", arguments.name) };
        let warning = format!("everything that {} owns will be gone for good", arguments.name);
        confirmation::ask(&warning, &arguments.name, arguments.yes)?;
        if !store.profile_delete(profile.id)? {
            bail!("the profile of {} was deleted already", arguments.name);
        }
        log::info!(target: AUDIT, "profile {} deleted on the command line", profile.id);
        Ok(())
    })?;
    println!("user {} and all of their data are deleted", arguments.name);
    Ok(())
}
