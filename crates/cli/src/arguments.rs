//! The command line.

use std::path::PathBuf;
use std::process::ExitCode;

use argh::{EarlyExit, FromArgs};

/// A personal finance service. Without a command it serves.
#[derive(FromArgs)]
struct Arguments {
    #[argh(subcommand)]
    command: Option<Command>,
}

/// What to do.
#[derive(FromArgs)]
#[argh(subcommand)]
pub(crate) enum Command {
    Serve(Serve),
    Demo(Demo),
    CreateUser(CreateUser),
    ListUsers(ListUsers),
    SetPassword(SetPassword),
    DisableUser(DisableUser),
    EnableUser(EnableUser),
    ImportProfile(ImportProfile),
    DeleteProfile(DeleteProfile),
    Backup(Backup),
    Restore(Restore),
    Migrate(Migrate),
    Health(Health),
    Config(Config),
    OpenApi(OpenApi),
}

/// Serve the API until SIGTERM or Ctrl-C.
#[derive(FromArgs)]
#[argh(subcommand, name = "serve", example = "FINANCE_BIND=127.0.0.1:8080 {command_name}")]
pub(crate) struct Serve {}

/// Show a bank statement on the dashboard: a service on a throw-away directory, deleted on Enter or Ctrl-C.
#[derive(FromArgs)]
#[argh(subcommand, name = "demo", example = "{command_name}")]
pub(crate) struct Demo {}

/// Create a user, or give an existing one a new password, which revokes the user's tokens.
#[derive(FromArgs)]
#[argh(subcommand, name = "create-user", example = "{command_name} --name ana")]
pub(crate) struct CreateUser {
    /// the name to log in with, 1 to 100 characters
    #[argh(option)]
    pub(crate) name: String,
    /// the password, 8 characters to 72 bytes; read from the terminal or standard input where absent
    #[argh(option)]
    pub(crate) password: Option<String>,
}

/// Restore the document of an export into a new profile, all of it or nothing.
#[derive(FromArgs)]
#[argh(subcommand, name = "import-profile", example = "{command_name} --name ana finance-ana-2026-03-15.json")]
pub(crate) struct ImportProfile {
    /// the profile's name; make it with create-user, it must own nothing yet
    #[argh(option)]
    pub(crate) name: String,
    /// the JSON document, or - for standard input
    #[argh(positional)]
    pub(crate) file: PathBuf,
}

/// Delete a profile and everything it owns, for good.
#[derive(FromArgs)]
#[argh(subcommand, name = "delete-profile", example = "{command_name} --name ana")]
pub(crate) struct DeleteProfile {
    /// the profile's name
    #[argh(option)]
    pub(crate) name: String,
    /// do not ask; needed where there is no terminal
    #[argh(switch)]
    pub(crate) yes: bool,
}

/// Back up everything in the private database to a file, while the service goes on.
#[derive(FromArgs)]
#[argh(subcommand, name = "backup", example = "{command_name} /var/backups/finance.dump")]
pub(crate) struct Backup {
    /// the file to write, readable by its owner only; one that is there is replaced once the new one is whole
    #[argh(positional)]
    pub(crate) file: PathBuf,
}

/// Replace everything in the private database by what a backup holds, while the service goes on.
#[derive(FromArgs)]
#[argh(subcommand, name = "restore", example = "{command_name} /var/backups/finance.dump")]
pub(crate) struct Restore {
    /// a file that backup wrote
    #[argh(positional)]
    pub(crate) file: PathBuf,
    /// do not ask; needed where there is no terminal
    #[argh(switch)]
    pub(crate) yes: bool,
}

/// List the users.
#[derive(FromArgs)]
#[argh(subcommand, name = "list-users", example = "{command_name} --json")]
pub(crate) struct ListUsers {
    /// print a JSON array instead of a table
    #[argh(switch)]
    pub(crate) json: bool,
}

/// Give an existing user a new password, which revokes the user's tokens.
#[derive(FromArgs)]
#[argh(subcommand, name = "set-password", example = "{command_name} --name ana")]
pub(crate) struct SetPassword {
    /// the user's name
    #[argh(option)]
    pub(crate) name: String,
    /// the password, 8 characters to 72 bytes; read from the terminal or standard input where absent
    #[argh(option)]
    pub(crate) password: Option<String>,
}

/// Refuse a user's logins and tokens from now on; everything the user has is kept.
#[derive(FromArgs)]
#[argh(subcommand, name = "disable-user", example = "{command_name} --name ana")]
pub(crate) struct DisableUser {
    /// the user's name
    #[argh(option)]
    pub(crate) name: String,
}

/// Let a disabled user log in again.
#[derive(FromArgs)]
#[argh(subcommand, name = "enable-user", example = "{command_name} --name ana")]
pub(crate) struct EnableUser {
    /// the user's name
    #[argh(option)]
    pub(crate) name: String,
}

/// Apply pending migrations and exit; serving applies them too, unless FINANCE_MIGRATE_AT_START is no.
#[derive(FromArgs)]
#[argh(subcommand, name = "migrate", example = "DATABASE_URL=postgresql://finance@db/finance {command_name}")]
pub(crate) struct Migrate {}

/// Ask the service on FINANCE_BIND whether it can answer; exits with 1 where it cannot.
#[derive(FromArgs)]
#[argh(subcommand, name = "health", example = "FINANCE_BIND=127.0.0.1:8080 {command_name}")]
pub(crate) struct Health {}
/// Print the settings in effect and where each comes from, without secrets.
#[derive(FromArgs)]
#[argh(subcommand, name = "config", example = "FINANCE_BIND=0.0.0.0:80 {command_name}")]
pub(crate) struct Config {
    /// print a JSON array instead of lines
    #[argh(switch)]
    pub(crate) json: bool,
}

/// Print the OpenAPI document.
#[derive(FromArgs)]
#[argh(subcommand, name = "openapi", example = "{command_name} > openapi.json")]
pub(crate) struct OpenApi {}

/// Help to show, or what is wrong with the arguments.
pub(crate) struct Exit(EarlyExit);

impl Exit {
    /// Prints help to standard output, or one line to standard error.
    pub(crate) fn print(self) -> ExitCode {
        match self.0.status {
            Ok(()) => {
                println!("{}", self.0.output);
                ExitCode::SUCCESS
            }
            Err(()) => {
                // argh spreads what is missing over lines.
                let words: Vec<&str> = self.0.output.split_whitespace().collect();
                eprintln!("finance: {}", words.join(" "));
                ExitCode::from(2)
            }
        }
    }
}

pub(crate) fn parse(arguments: impl Iterator<Item = String>) -> Result<Command, Exit> {
    let mut arguments: Vec<String> = arguments.skip(1).collect();
    // argh takes a lone - for an option, which it is nowhere; where a file is meant, it is the last of all.
    if let [.., before, last] = arguments.as_slice()
        && last == "-"
        && !before.starts_with('-')
    {
        arguments.insert(arguments.len() - 1, "--".to_string());
    }
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let parsed = Arguments::from_args(&["finance"], &arguments).map_err(Exit)?;
    Ok(parsed.command.unwrap_or(Command::Serve(Serve {})))
}
