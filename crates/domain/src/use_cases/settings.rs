//! Use cases of settings.

use crate::context::Context;
use crate::error::{Error, Result};
use crate::gamification::Event;
use crate::settings::{Settings, SettingsInput, may_change};
use crate::store::Repo;
use crate::use_cases::gamification;

/// The caller's settings.
pub fn get(repo: &mut dyn Repo) -> Result<Settings> {
    repo.settings_get()
}

/// Replaces the caller's settings.
///
/// # Errors
///
/// [`Error::Invalid`], or [`Error::NotAllowed`] if it changes what only owners may.
pub fn update(repo: &mut dyn Repo, context: &Context, input: SettingsInput) -> Result<Settings> {
    let before = repo.settings_get()?;
    let settings = input.check(&before)?;
    if !may_change(repo.credential()?.member.role, &before, &settings) {
        return Err(Error::NotAllowed);
    }
    if settings != before {
        repo.settings_put(&settings)?;
    }
    gamification::notify(repo, context, &[Event::SettingsChanged])?;
    Ok(settings)
}
