//! `finance import`: statements of any number of accounts at once, into the database or by a token.

mod by_token;
mod direct;
mod report;
mod statements;

use anyhow::{Result, bail};

use crate::arguments::Import;
use crate::client::Client;
use crate::configuration::Configuration;

/// Imports files one by one, each whole or not at all, and stops at the first that fails. With `--name` they go into the
/// database, else through the service by a token.
pub(crate) fn import(configuration: &Configuration, arguments: &Import) -> Result<()> {
    let upload_bytes_max = configuration.upload_bytes_max;
    // Reports the problems of all files before anything is started, asked or stored.
    let statements = statements::read_all(arguments, upload_bytes_max)?;
    if let Some(name) = &arguments.name {
        return direct::import(configuration, arguments, name, statements);
    }
    match Client::configured(configuration)? {
        Some(client) => by_token::import(&client, arguments, statements, upload_bytes_max),
        None => bail!("whose are they? Give --name on the machine of the service, or a token in FINANCE_TOKEN"),
    }
}
