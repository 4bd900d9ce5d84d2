//! `finance import`: statements of any number of accounts at once, into the database or with a token.

mod by_token;
mod direct;
mod report;
mod statements;

use std::sync::Arc;

use anyhow::{Result, bail};
use finance_domain::Clock;
use finance_domain::imports::ROWS_MAX;
use finance_http::payment_texts;
use finance_statements::Options;

use crate::arguments::Import;
use crate::catalogs;
use crate::client::Client;
use crate::clock::SystemClock;
use crate::configuration::Configuration;

/// Imports files one by one, each completely or not at all, and stops at the first failure. With `--name` they go into the
/// database, otherwise through the service with a token.
pub(crate) fn import(configuration: &Configuration, arguments: &Import) -> Result<()> {
    let upload_bytes_max = configuration.upload_bytes_max;
    // Reports the problems of all files before it starts, sends or stores anything.
    let today = SystemClock::new(configuration).today();
    let options = Options {
        rows_max: Some(ROWS_MAX),
        is_payment: Some(payment_texts(&Arc::new(catalogs::transfer_phrases()?))),
        latest: Some(today),
        ..Options::default()
    };
    let statements = statements::read_all(arguments, upload_bytes_max, &options)?;
    if let Some(name) = &arguments.name {
        return direct::import(configuration, arguments, name, statements);
    }
    match Client::configured(configuration)? {
        Some(client) => by_token::import(&client, arguments, statements, upload_bytes_max),
        None => bail!("whose are they? Give --name on the machine of the service, or a token in FINANCE_TOKEN"),
    }
}
