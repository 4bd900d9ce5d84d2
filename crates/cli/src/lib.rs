//! The program `finance`: arguments, configuration and wiring. The only place that names concrete adapters.

mod arguments;
mod backup;
pub mod catalogs;
mod clock;
mod configuration;
mod confirmation;
mod database;
mod delete_profile;
mod import_profile;
mod progress;
mod secret;
mod serve;
mod users;

use std::process::ExitCode;

use arguments::Command;
use configuration::Configuration;

/// Runs the program with the process's arguments and environment.
///
/// Exits with 0, or non-zero after one line on standard error.
pub fn run() -> ExitCode {
    let command = match arguments::parse(std::env::args()) {
        Ok(command) => command,
        Err(exit) => return exit.print(),
    };
    match execute(command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // One line, whatever the causes hold.
            let line = format!("{error:#}").split_whitespace().collect::<Vec<_>>().join(" ");
            eprintln!("finance: {line}");
            ExitCode::FAILURE
        }
    }
}

fn execute(command: Command) -> anyhow::Result<()> {
    if let Command::OpenApi(_) = command {
        println!("{}", finance_http::openapi_document());
        return Ok(());
    }
    let configuration = Configuration::load()?;
    env_logger::Builder::new().parse_filters(&configuration.log_filter).init();
    match command {
        Command::Serve(_) => serve::serve(&configuration),
        Command::CreateUser(user) => users::create(&configuration, &user),
        Command::ImportProfile(import) => import_profile::import(&configuration, &import),
        Command::DeleteProfile(delete) => delete_profile::delete(&configuration, &delete),
        Command::Backup(backup) => backup::back_up(&configuration, &backup),
        Command::Restore(restore) => backup::restore(&configuration, &restore),
        Command::Migrate(_) => database::migrate(&configuration),
        Command::OpenApi(_) => Ok(()),
    }
}
