//! `finance create-user`.

use std::io::{self, BufRead, IsTerminal};
use std::sync::Arc;

use anyhow::{Context, Result};
use finance_domain::Store;
use finance_domain::profiles::{self, NewProfile};
use finance_http::passwords;

use crate::arguments::CreateUser;
use crate::catalogs;
use crate::clock::SystemClock;
use crate::configuration::Configuration;
use crate::database::with_database;

/// Creates a profile, or gives the one of that name a new password.
pub(crate) fn create(configuration: &Configuration, user: &CreateUser) -> Result<()> {
    let password = match &user.password {
        Some(password) => password.clone(),
        None => read_password()?,
    };
    let name = profiles::check_new(&user.name, &password)?;
    let new = NewProfile {
        name,
        password_hash: passwords::hash(&password)?,
        standard_categories: catalogs::standard_categories()?,
    };
    let clock = Arc::new(SystemClock::new(configuration));
    let profile = with_database(configuration, |database| Ok(database.store(clock)?.profile_upsert(&new)?))?;
    log::info!(target: "finance::audit", "password of profile {} set on the command line", profile.id);
    println!("user {} is ready, profile {}", profile.name, profile.id);
    Ok(())
}

/// From the terminal without an echo, or the first line of standard input.
fn read_password() -> Result<String> {
    if io::stdin().is_terminal() {
        return rpassword::prompt_password("Password: ").context("the password cannot be read from the terminal");
    }
    let mut line = String::new();
    io::stdin().lock().read_line(&mut line).context("the password cannot be read from standard input")?;
    Ok(line.trim_end_matches(['\r', '\n']).to_string())
}
