//! The command line.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;
use std::str::FromStr;

use argh::{ArgsInfo, CommandInfoWithArgs, EarlyExit, FromArgs};
use finance_domain::credentials::Role;
use finance_domain::month::parse_date;
use time::Date;

use crate::output::say;

/// A personal finance service. Without a command it serves.
#[derive(FromArgs, ArgsInfo)]
struct Arguments {
    /// print the version and the commit that it was built from
    #[argh(switch)]
    version: bool,
    /// log what a command does on standard error, as serve does; RUST_LOG sets the levels
    #[argh(switch, short = 'v')]
    verbose: bool,
    #[argh(subcommand)]
    command: Option<Command>,
}

/// The command.
#[derive(FromArgs, ArgsInfo)]
#[argh(subcommand)]
pub(crate) enum Command {
    Serve(Serve),
    Demo(Demo),
    CreateUser(CreateUser),
    AddMember(AddMember),
    ListUsers(ListUsers),
    SetPassword(SetPassword),
    DisableUser(DisableUser),
    EnableUser(EnableUser),
    DisableSecondFactor(DisableSecondFactor),
    Add(Add),
    Import(Import),
    ImportProfile(ImportProfile),
    DeleteProfile(DeleteProfile),
    DetectTransfers(DetectTransfers),
    Backup(Backup),
    Restore(Restore),
    Migrate(Migrate),
    Health(Health),
    Config(Config),
    PushKey(PushKey),
    TestMail(TestMail),
    Mcp(Mcp),
    OpenApi(OpenApi),
    Man(Man),
    Completions(Completions),
}

/// Serve the API until SIGTERM or Ctrl-C.
#[derive(FromArgs, ArgsInfo)]
#[argh(subcommand, name = "serve", example = "FINANCE_BIND=127.0.0.1:8080 {command_name}")]
pub(crate) struct Serve {}

/// Show a bank statement on the dashboard: a service on a throw-away directory, deleted on Enter or Ctrl-C.
#[derive(FromArgs, ArgsInfo)]
#[argh(subcommand, name = "demo", example = "{command_name}")]
pub(crate) struct Demo {}

/// Create a user with a profile, or give an existing one a new password, which revokes the user's logins and tokens.
#[derive(FromArgs, ArgsInfo)]
#[argh(
    subcommand,
    name = "create-user",
    example = "{command_name} --name ana --link",
    example = "{command_name} --name ana"
)]
pub(crate) struct CreateUser {
    /// the name to log in with, 1 to 100 characters
    #[argh(option)]
    pub(crate) name: String,
    /// the password, 8 characters to 72 bytes; without it, read from the terminal or standard input
    #[argh(option)]
    pub(crate) password: Option<String>,
    /// print a link with which the user sets the password, once within 48 hours; until then nothing changes for the user
    #[argh(switch)]
    pub(crate) link: bool,
}

/// Add a user to the profile of another one: a household is one profile with several members.
#[derive(FromArgs, ArgsInfo)]
#[argh(subcommand, name = "add-member", example = "{command_name} --profile ana --name bia --role editor")]
pub(crate) struct AddMember {
    /// the name of a user who opens the profile
    #[argh(option)]
    pub(crate) profile: String,
    /// the name to log in with, 1 to 100 characters
    #[argh(option)]
    pub(crate) name: String,
    /// owner (everything), editor (all but members and exports) or viewer (reading)
    #[argh(option, from_str_fn(role))]
    pub(crate) role: Role,
    /// the password, 8 characters to 72 bytes; without it, read from the terminal or standard input
    #[argh(option)]
    pub(crate) password: Option<String>,
    /// print a link with which the user sets the password, once within 48 hours; until then nothing changes for the user
    #[argh(switch)]
    pub(crate) link: bool,
}

fn role(text: &str) -> Result<Role, String> {
    text.parse().map_err(|message| format!("--role {message}"))
}

/// Save one line, such as "mercado 54,90 ontem no nubank #casa", and say what; a line in which something is missing saves nothing.
#[derive(FromArgs, ArgsInfo)]
#[argh(
    subcommand,
    name = "add",
    example = "{command_name} --name ana mercado 54,90 ontem no nubank",
    example = "FINANCE_TOKEN_FILE=token FINANCE_URL=https://finance.example {command_name} tv 2000 em 10x no nubank"
)]
pub(crate) struct Add {
    /// the user's name, on the machine of the service; without it, the token in FINANCE_TOKEN or FINANCE_TOKEN_FILE says whose it
    /// is, and the service at FINANCE_URL is asked; the scope enter is enough, but not for the payment of a bill
    #[argh(option)]
    pub(crate) name: Option<String>,
    /// say what would be saved, and save nothing
    #[argh(switch)]
    pub(crate) dry_run: bool,
    /// the line, in one argument or several
    #[argh(positional)]
    pub(crate) text: Vec<String>,
}

/// Import statements, OFX, CSV and spreadsheets, of any number of accounts; what is stored already is skipped, and of each file all is
/// stored or nothing.
#[derive(FromArgs, ArgsInfo)]
#[argh(
    subcommand,
    name = "import",
    example = "{command_name} --name ana \"Conta corrente=extrato.ofx\" Nubank@2026-03-10=fatura.csv",
    example = "{command_name} --name ana --account 3 --dry-run jan.ofx fev.ofx",
    example = "FINANCE_TOKEN_FILE=token FINANCE_URL=https://finance.example {command_name} --account 3 jan.ofx"
)]
pub(crate) struct Import {
    /// the user's name, on the machine of the service; without it, the token in FINANCE_TOKEN or FINANCE_TOKEN_FILE says whose
    /// they are, and the service at FINANCE_URL is asked; the scope import is enough
    #[argh(option)]
    pub(crate) name: Option<String>,
    /// the account, by name or id, of the files that name none themselves
    #[argh(option)]
    pub(crate) account: Option<String>,
    /// the day on which the bill of a card's statement is paid, for the cards' files that name none themselves; rows of one
    /// that is paid after today are kept as a pending bill
    #[argh(option, from_str_fn(date))]
    pub(crate) payment_date: Option<Date>,
    /// say what would be done, and save nothing
    #[argh(switch)]
    pub(crate) dry_run: bool,
    /// statements, each as FILE, ACCOUNT=FILE, or CARD@PAYMENT-DATE=FILE; write =FILE where a path has a = in it
    #[argh(positional)]
    pub(crate) files: Vec<String>,
}

fn date(text: &str) -> Result<Date, String> {
    parse_date(text).map_err(|message| format!("--payment-date {message}"))
}

/// Restore the document of an export into a new profile, all of it or nothing.
#[derive(FromArgs, ArgsInfo)]
#[argh(subcommand, name = "import-profile", example = "{command_name} --name ana finance-ana-2026-03-15.json")]
pub(crate) struct ImportProfile {
    /// the name of a user with an empty profile, as create-user makes it
    #[argh(option)]
    pub(crate) name: String,
    /// the JSON document, or - for standard input
    #[argh(positional)]
    pub(crate) file: PathBuf,
}

/// Delete a profile and everything it owns. This cannot be undone.
#[derive(FromArgs, ArgsInfo)]
#[argh(subcommand, name = "delete-profile", example = "{command_name} --name ana")]
pub(crate) struct DeleteProfile {
    /// the name of a user who owns it
    #[argh(option)]
    pub(crate) name: String,
    /// do not ask for confirmation; required without a terminal
    #[argh(switch)]
    pub(crate) yes: bool,
}

/// Link the transfers between a user's own accounts, and the payments of cards, among what is stored already.
#[derive(FromArgs, ArgsInfo)]
#[argh(subcommand, name = "detect-transfers", example = "{command_name} --name ana --dry-run")]
pub(crate) struct DetectTransfers {
    /// the user's name
    #[argh(option)]
    pub(crate) name: Option<String>,
    /// every user who may log in
    #[argh(switch)]
    pub(crate) all: bool,
    /// tell what would be linked, and change nothing
    #[argh(switch)]
    pub(crate) dry_run: bool,
}

/// Back up everything in the private database, while the service goes on. Without a file it is done as the service does it
/// every day: into the folder of the backups, and proved by restoring it.
#[derive(FromArgs, ArgsInfo)]
#[argh(
    subcommand,
    name = "backup",
    example = "{command_name} /var/backups/finance.dump",
    example = "{command_name} --list"
)]
pub(crate) struct Backup {
    /// list the good backups in the folder, with their age
    #[argh(switch)]
    pub(crate) list: bool,
    /// with --list, print a JSON array instead of a table
    #[argh(switch)]
    pub(crate) json: bool,
    /// the file to write, readable by its owner only; an existing one is replaced once the new one is complete
    #[argh(positional)]
    pub(crate) file: Option<PathBuf>,
}

/// Replace everything in the private database by the content of a backup, while the service goes on.
#[derive(FromArgs, ArgsInfo)]
#[argh(subcommand, name = "restore", example = "{command_name} /var/backups/finance.dump")]
pub(crate) struct Restore {
    /// a file that backup wrote
    #[argh(positional)]
    pub(crate) file: PathBuf,
    /// do not ask for confirmation; required without a terminal
    #[argh(switch)]
    pub(crate) yes: bool,
}

/// List the users.
#[derive(FromArgs, ArgsInfo)]
#[argh(subcommand, name = "list-users", example = "{command_name} --json")]
pub(crate) struct ListUsers {
    /// print a JSON array instead of a table
    #[argh(switch)]
    pub(crate) json: bool,
}

/// Give an existing user a new password, which revokes the user's logins and tokens.
#[derive(FromArgs, ArgsInfo)]
#[argh(
    subcommand,
    name = "set-password",
    example = "{command_name} --name ana --link",
    example = "{command_name} --name ana"
)]
pub(crate) struct SetPassword {
    /// the user's name
    #[argh(option)]
    pub(crate) name: String,
    /// the password, 8 characters to 72 bytes; without it, read from the terminal or standard input
    #[argh(option)]
    pub(crate) password: Option<String>,
    /// print a link with which the user sets the password, once within 48 hours; until then nothing changes for the user
    #[argh(switch)]
    pub(crate) link: bool,
}

/// Refuse a user's logins and tokens from now on. No data is deleted.
#[derive(FromArgs, ArgsInfo)]
#[argh(subcommand, name = "disable-user", example = "{command_name} --name ana")]
pub(crate) struct DisableUser {
    /// the user's name
    #[argh(option)]
    pub(crate) name: String,
}

/// Let a disabled user log in again.
#[derive(FromArgs, ArgsInfo)]
#[argh(subcommand, name = "enable-user", example = "{command_name} --name ana")]
pub(crate) struct EnableUser {
    /// the user's name
    #[argh(option)]
    pub(crate) name: String,
}

/// Let a user log in with the password alone, whose authenticator and recovery codes are lost.
#[derive(FromArgs, ArgsInfo)]
#[argh(subcommand, name = "disable-second-factor", example = "{command_name} --name ana")]
pub(crate) struct DisableSecondFactor {
    /// the user's name
    #[argh(option)]
    pub(crate) name: String,
}

/// Apply pending migrations and exit; serving applies them too, unless FINANCE_MIGRATE_AT_START is no.
#[derive(FromArgs, ArgsInfo)]
#[argh(subcommand, name = "migrate", example = "DATABASE_URL=postgresql://finance@db/finance {command_name}")]
pub(crate) struct Migrate {}

/// Ask the service on FINANCE_BIND whether it is ready; exits with 1 where it is not.
#[derive(FromArgs, ArgsInfo)]
#[argh(subcommand, name = "health", example = "FINANCE_BIND=127.0.0.1:8080 {command_name}")]
pub(crate) struct Health {}

/// Print the settings in effect and where each comes from, without secrets.
#[derive(FromArgs, ArgsInfo)]
#[argh(subcommand, name = "config", example = "FINANCE_BIND=0.0.0.0:80 {command_name}")]
pub(crate) struct Config {
    /// print a JSON array instead of lines
    #[argh(switch)]
    pub(crate) json: bool,
}

/// Print a new key of push messages, for FINANCE_PUSH_KEY; with another key than before, devices sign up again when their page is
/// opened.
#[derive(FromArgs, ArgsInfo)]
#[argh(subcommand, name = "push-key", example = "{command_name}")]
pub(crate) struct PushKey {}

/// Send a mail by FINANCE_SMTP_URL, and say what the server answers.
#[derive(FromArgs, ArgsInfo)]
#[argh(subcommand, name = "test-mail", example = "{command_name} --to ana@example.com")]
pub(crate) struct TestMail {
    /// the address to send it to
    #[argh(option)]
    pub(crate) to: String,
}

/// Print the OpenAPI document.
#[derive(FromArgs, ArgsInfo)]
#[argh(subcommand, name = "openapi", example = "{command_name} > openapi.json")]
pub(crate) struct OpenApi {}

/// Serve the tools of an assistant (Model Context Protocol) over standard input and output, by the token in FINANCE_TOKEN or
/// FINANCE_TOKEN_FILE, which the service at FINANCE_URL is asked with.
#[derive(FromArgs, ArgsInfo)]
#[argh(
    subcommand,
    name = "mcp",
    example = "FINANCE_TOKEN_FILE=token FINANCE_URL=https://finance.example {command_name}"
)]
pub(crate) struct Mcp {}

/// Print the manual page, in the format of man.
#[derive(FromArgs, ArgsInfo)]
#[argh(subcommand, name = "man", example = "{command_name} | man -l -")]
pub(crate) struct Man {}

/// Print the completions of a shell.
#[derive(FromArgs, ArgsInfo)]
#[argh(subcommand, name = "completions", example = "{command_name} bash > /etc/bash_completion.d/finance")]
pub(crate) struct Completions {
    /// bash, zsh or fish
    #[argh(positional)]
    pub(crate) shell: Shell,
}

/// A shell that arguments are completed for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shell {
    Bash,
    Zsh,
    Fish,
}

impl FromStr for Shell {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "bash" => Ok(Shell::Bash),
            "zsh" => Ok(Shell::Zsh),
            "fish" => Ok(Shell::Fish),
            other => Err(format!("must be bash, zsh or fish, not {other:?}")),
        }
    }
}

/// All commands and their arguments.
pub(crate) fn described() -> CommandInfoWithArgs {
    Arguments::get_args_info()
}

/// The help text, or an error in the arguments.
pub(crate) struct Exit(EarlyExit);

impl Exit {
    fn refused(output: String) -> Self {
        Exit(EarlyExit { output, status: Err(()) })
    }

    /// Prints help to standard output, or one line to standard error.
    pub(crate) fn print(self) -> ExitCode {
        match self.0.status {
            Ok(()) => {
                say!("{}", self.0.output);
                ExitCode::SUCCESS
            }
            Err(()) => {
                // argh prints each missing argument on a separate line.
                let words: Vec<&str> = self.0.output.split_whitespace().collect();
                eprintln!("finance: {}", words.join(" "));
                ExitCode::from(2)
            }
        }
    }
}

/// What the program is told to do.
pub(crate) struct Invocation {
    pub(crate) command: Command,
    /// Whether a command logs.
    pub(crate) is_verbose: bool,
}

/// The command; none if the version is requested.
///
/// # Errors
///
/// The help that is asked for, or an argument that is unknown, missing, wrong or not UTF-8: argh reads only UTF-8.
pub(crate) fn parse(arguments: impl Iterator<Item = OsString>) -> Result<Option<Invocation>, Exit> {
    let arguments: Result<Vec<String>, OsString> = arguments.skip(1).map(OsString::into_string).collect();
    let mut arguments = arguments.map_err(|argument| Exit::refused(format!("{argument:?} is not UTF-8")))?;
    // argh parses a single - as an option. Here it can only be a file, the last argument.
    if let [.., before, last] = arguments.as_slice()
        && last == "-"
        && !before.starts_with('-')
    {
        arguments.insert(arguments.len() - 1, "--".to_string());
    }
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let parsed = Arguments::from_args(&["finance"], &arguments).map_err(Exit)?;
    if parsed.version {
        return Ok(None);
    }
    let command = parsed.command.unwrap_or(Command::Serve(Serve {}));
    if let Command::Backup(backup) = &command {
        match (backup.list, backup.json, &backup.file) {
            (true, _, Some(_)) => return Err(Exit::refused("--list takes no file".to_string())),
            (false, true, _) => return Err(Exit::refused("--json is for --list".to_string())),
            _ => {}
        }
    }
    let (link, password) = match &command {
        Command::CreateUser(user) => (user.link, &user.password),
        Command::AddMember(user) => (user.link, &user.password),
        Command::SetPassword(user) => (user.link, &user.password),
        _ => (false, &None),
    };
    if link && password.is_some() {
        return Err(Exit::refused("--link and --password exclude each other: the user sets the password".to_string()));
    }
    Ok(Some(Invocation { command, is_verbose: parsed.verbose }))
}
