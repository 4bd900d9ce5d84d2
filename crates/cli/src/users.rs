//! `finance create-user`, `list-users`, `set-password`, `disable-user` and `enable-user`.

use std::io::{self, BufRead, IsTerminal};

use anyhow::{Context, Result, anyhow, bail};
use finance_domain::profiles::{self, NewProfile, Profile};
use finance_domain::text::name_key;
use finance_domain::{Caller, Error, Store};
use finance_http::{AUDIT, passwords};
use serde_json::json;
use time::format_description::well_known::Rfc3339;

use crate::arguments::{CreateUser, DisableUser, EnableUser, ListUsers, SetPassword};
use crate::catalogs;
use crate::configuration::Configuration;
use crate::database::with_store;

/// Creates a profile, or sets a new password if it exists. A disabled profile stays disabled.
pub(crate) fn create(configuration: &Configuration, user: &CreateUser) -> Result<()> {
    let password = given_or_read(user.password.as_deref())?;
    let name = profiles::check_new(&user.name, &password)?;
    let new = NewProfile {
        name,
        password_hash: passwords::hash(&password)?,
        standard_categories: catalogs::standard_categories()?,
    };
    let (profile, was_there) = with_store(configuration, |store| {
        let was_there = find(store, &new.name)?.is_some();
        Ok((store.profile_upsert(&new)?, was_there))
    })?;
    let done = if was_there { "has a new password" } else { "was created" };
    log::info!(target: AUDIT, "profile {} {done}, on the command line", profile.id);
    if profile.is_disabled {
        println!("user {} has a new password and is still disabled, profile {}", profile.name, profile.id);
    } else {
        println!("user {} is ready, profile {}", profile.name, profile.id);
    }
    Ok(())
}

/// Lists every profile.
pub(crate) fn list(configuration: &Configuration, list: &ListUsers) -> Result<()> {
    let profiles = with_store(configuration, |store| Ok(store.profile_list()?))?;
    log::info!(target: AUDIT, "{} profiles listed on the command line", profiles.len());
    if list.json {
        let users = profiles.iter().map(|profile| {
            let created_at = profile.created_at.format(&Rfc3339)?;
            Ok(json!({ "id": profile.id.0, "name": profile.name, "created_at": created_at, "disabled": profile.is_disabled }))
        });
        let users = users.collect::<Result<Vec<_>>>()?;
        println!("{}", serde_json::to_string_pretty(&users)?);
        return Ok(());
    }
    println!("{:>6}  {:<10}  {:<8}  name", "id", "created", "disabled");
    for profile in profiles {
        let disabled = if profile.is_disabled { "yes" } else { "no" };
        println!("{:>6}  {:<10}  {disabled:<8}  {}", profile.id, profile.created_at.date(), profile.name);
    }
    Ok(())
}

/// Sets a new password.
pub(crate) fn set_password(configuration: &Configuration, user: &SetPassword) -> Result<()> {
    let password = given_or_read(user.password.as_deref())?;
    profiles::password(&password).map_err(|message| anyhow!("password: {message}"))?;
    let hash = passwords::hash(&password)?;
    let profile = with_store(configuration, |store| {
        store.profile_set_password(&user.name, &hash).map_err(|error| named(error, &user.name))
    })?;
    log::info!(target: AUDIT, "profile {} has a new password, on the command line", profile.id);
    println!("user {} has a new password, profile {}", profile.name, profile.id);
    Ok(())
}

/// Disables a profile.
pub(crate) fn disable(configuration: &Configuration, user: &DisableUser) -> Result<()> {
    set_disabled(configuration, &user.name, true)
}

/// Enables a disabled profile.
pub(crate) fn enable(configuration: &Configuration, user: &EnableUser) -> Result<()> {
    set_disabled(configuration, &user.name, false)
}

fn set_disabled(configuration: &Configuration, name: &str, is_disabled: bool) -> Result<()> {
    let profile = with_store(configuration, |store| {
        store.profile_set_disabled(name, is_disabled).map_err(|error| named(error, name))
    })?;
    let done = if is_disabled { "disabled" } else { "enabled" };
    log::info!(target: AUDIT, "profile {} was {done}, on the command line", profile.id);
    println!("user {} is {done}, profile {}", profile.name, profile.id);
    Ok(())
}

/// The profile of that name, disabled or not.
pub(crate) fn find(store: &dyn Store, name: &str) -> Result<Option<Profile>> {
    let key = name_key(name);
    Ok(store.profile_list()?.into_iter().find(|known| name_key(&known.name) == key))
}

/// The profile of that name, as the caller of a transaction.
pub(crate) fn caller(store: &dyn Store, name: &str) -> Result<Caller> {
    match store.credential_by_name(name)? {
        Some(known) => Ok(Caller { profile_id: known.profile.id, credential_id: known.id }),
        None => bail!("there is no user {name} who may log in; `finance create-user` makes one"),
    }
}

/// An error about a user, with the name.
fn named(error: Error, name: &str) -> anyhow::Error {
    match error {
        Error::NotFound(what) => anyhow!("there is no {what} {name:?}"),
        error => error.into(),
    }
}

fn given_or_read(password: Option<&str>) -> Result<String> {
    password.map_or_else(read_password, |password| Ok(password.to_string()))
}

/// Reads a password from the terminal without an echo, or the first line of standard input.
fn read_password() -> Result<String> {
    if io::stdin().is_terminal() {
        return rpassword::prompt_password("Password: ").context("the password cannot be read from the terminal");
    }
    let mut line = String::new();
    io::stdin().lock().read_line(&mut line).context("the password cannot be read from standard input")?;
    Ok(line.trim_end_matches(['\r', '\n']).to_string())
}
