//! The program `finance`: arguments, configuration and wiring. The only crate that names concrete adapters.

mod add;
mod arguments;
mod backup;
mod backups;
pub mod catalogs;
mod client;
mod clock;
mod completions;
mod configuration;
mod confirmation;
mod database;
mod database_url;
mod delete_profile;
mod delivery;
mod demo;
mod descriptors;
mod detect_transfers;
mod forgetting;
mod health;
mod import;
mod import_profile;
mod logs;
mod man;
mod mcp;
mod metrics;
mod output;
mod progress;
mod schema;
mod secret;
mod serve;
mod show_config;
mod users;

use std::process::ExitCode;

use arguments::{Command, Invocation};
use configuration::Configuration;
use finance_adapters_delivery::PushKey;
use output::say;
use rustix::process::{Resource, Rlimit};

/// The program's name and version, and the commit that it was built from.
const VERSION: &str = concat!("finance ", env!("CARGO_PKG_VERSION"), " (", env!("FINANCE_COMMIT"), ")");

/// Runs the program with the process's arguments and environment.
///
/// Exits with 0, or non-zero after one line on standard error.
pub fn run() -> ExitCode {
    let ended = match arguments::parse(std::env::args_os()) {
        Ok(Some(invocation)) => exit_code(execute(invocation)),
        Ok(None) => {
            say!("{VERSION}");
            ExitCode::SUCCESS
        }
        Err(exit) => exit.print(),
    };
    if output::is_lost() { ExitCode::FAILURE } else { ended }
}

/// The exit code of a command. Prints the cause of a failure to standard error.
fn exit_code(result: anyhow::Result<()>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // One line, even if a cause has several.
            let line = format!("{error:#}").split_whitespace().collect::<Vec<_>>().join(" ");
            eprintln!("finance: {}", output::printable(&line));
            ExitCode::FAILURE
        }
    }
}

/// Disables core dumps, which would contain passwords and tokens. The private database inherits the limit.
fn forbid_core_dumps() {
    let none = Rlimit { current: Some(0), maximum: Some(0) };
    if let Err(error) = rustix::process::setrlimit(Resource::Core, none) {
        log::warn!("core dumps cannot be disabled: {error}");
    }
}

/// What is logged if the user does not configure it. The terminal belongs to what a command prints.
fn log_filter(command: &Command, is_verbose: bool) -> &'static str {
    match command {
        Command::Serve(_) => "info",
        _ if is_verbose => "info",
        Command::Demo(_) => "warn",
        _ => "off",
    }
}

fn execute(Invocation { command, is_verbose }: Invocation) -> anyhow::Result<()> {
    // None of these commands needs the settings.
    let document = match &command {
        Command::PushKey(_) => Some(PushKey::generate()?),
        Command::OpenApi(_) => Some(finance_http::openapi_document().to_string()),
        Command::Man(_) => Some(man::page(&arguments::described())),
        Command::Completions(options) => Some(completions::of(options.shell, &arguments::described())),
        _ => None,
    };
    if let Some(document) = document {
        say!("{}", document.trim_end());
        return Ok(());
    }
    let mut configuration = Configuration::load()?;
    configuration.log_by_default(log_filter(&command, is_verbose));
    logs::start(&configuration)?;
    forbid_core_dumps();
    match command {
        Command::Serve(_) => serve::serve(&configuration),
        Command::Demo(_) => demo::run(&configuration),
        Command::CreateUser(user) => users::create(&configuration, &user),
        Command::AddMember(user) => users::add_member(&configuration, &user),
        Command::ListUsers(options) => users::list(&configuration, &options),
        Command::SetPassword(user) => users::set_password(&configuration, &user),
        Command::DisableUser(user) => users::disable(&configuration, &user),
        Command::EnableUser(user) => users::enable(&configuration, &user),
        Command::DisableSecondFactor(user) => users::disable_second_factor(&configuration, &user),
        Command::Config(options) => show_config::print(&configuration, &options),
        Command::Add(add) => add::add(&configuration, &add),
        Command::Import(import) => import::import(&configuration, &import),
        Command::ImportProfile(import) => import_profile::import(&configuration, &import),
        Command::DetectTransfers(detect) => detect_transfers::detect(&configuration, &detect),
        Command::DeleteProfile(delete) => delete_profile::delete(&configuration, &delete),
        Command::Backup(backup) => backup::back_up(&configuration, &backup),
        Command::Restore(restore) => backup::restore(&configuration, &restore),
        Command::Migrate(_) => database::migrate(&configuration),
        Command::Health(_) => health::check(&configuration),
        Command::Mcp(_) => mcp::serve(&configuration),
        Command::TestMail(options) => delivery::test_mail(&configuration, &options),
        Command::PushKey(_) | Command::OpenApi(_) | Command::Man(_) | Command::Completions(_) => Ok(()),
    }
}
