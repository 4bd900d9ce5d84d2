//! Use cases of settings.

use crate::context::Context;
use crate::error::Result;
use crate::gamification::Event;
use crate::settings::{Settings, SettingsInput};
use crate::store::Repo;
use crate::use_cases::gamification;

/// The caller's settings.
///
/// # Errors
///
/// As [`Store::transact`](crate::Store::transact).
pub fn get(repo: &mut dyn Repo) -> Result<Settings> {
    repo.settings_get()
}

/// Replaces the caller's settings.
///
/// # Errors
///
/// [`Error::Invalid`](crate::Error::Invalid).
pub fn update(repo: &mut dyn Repo, context: &Context, input: SettingsInput) -> Result<Settings> {
    let settings = input.check(&repo.settings_get()?)?;
    repo.settings_put(&settings)?;
    gamification::notify(repo, context, &[Event::SettingsChanged])?;
    Ok(settings)
}
