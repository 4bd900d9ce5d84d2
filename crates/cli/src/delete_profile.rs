//! `finance delete-profile`.

use anyhow::{Result, bail};
use finance_domain::credentials::Role;
use finance_http::AUDIT;

use crate::arguments::DeleteProfile;
use crate::configuration::Configuration;
use crate::confirmation;
use crate::database::with_store;
use crate::output::say;
use crate::users::find;

/// Deletes a profile with everything it owns.
pub(crate) fn delete(configuration: &Configuration, arguments: &DeleteProfile) -> Result<()> {
    confirmation::possible(arguments.yes)?;
    with_store(configuration, |store| {
        let Some(member) = find(store, &arguments.name)? else { bail!("there is no user {}", arguments.name) };
        let (profile_id, role) = (member.profile_id, member.role);
        if role != Role::Owner {
            bail!("{} is {} of profile {profile_id} and does not own it", arguments.name, role.as_str());
        }
        let warning = format!("everything that {} owns will be gone for good", arguments.name);
        confirmation::ask(&warning, &arguments.name, arguments.yes)?;
        if !store.profile_delete(profile_id)? {
            bail!("the profile of {} was deleted already", arguments.name);
        }
        log::info!(target: AUDIT, "profile {profile_id} deleted on the command line");
        Ok(())
    })?;
    say!("user {} and all of their data are deleted", arguments.name);
    Ok(())
}
