//! `finance man`: the manual page, from the descriptions of the command line and of the settings.

use std::fmt::Write;

use argh::{CommandInfoWithArgs, FlagInfoKind, Optionality};

/// The settings, as the shipped file describes them.
const SETTINGS: &str = include_str!("../../../config/finance.toml");

/// The page in the format of man (roff).
pub(crate) fn page(program: &CommandInfoWithArgs) -> String {
    let mut page = format!(
        ".\\\" Printed by `finance man`.\n.TH FINANCE 1 \"\" \"finance {version}\" \"User Commands\"\n\
         .SH NAME\nfinance \\- a personal finance service for households\n\
         .SH SYNOPSIS\n.B finance\n.RI [ command ]\n.RI [ options ]\n\
         .SH DESCRIPTION\n\
         A service with web pages and a JSON API: transactions, categories with budgets, accounts, import of bank statements, \
         credit card bills, yield and a monthly dashboard. {description}\n\
         .PP\nIts data is in a private PostgreSQL in its data directory, or on a PostgreSQL server.\n",
        version = env!("CARGO_PKG_VERSION"),
        description = text(program.description),
    );
    page.push_str(".SH OPTIONS\n");
    options(&mut page, program);
    page.push_str(".SH COMMANDS\n");
    for command in &program.commands {
        subcommand(&mut page, command.name, &command.command);
    }
    page.push_str(
        ".SH ENVIRONMENT\nThe same keys may be in a file (see FILES), as\n.IR /usr/share/doc/finance/finance.toml\nhas them. \
         The environment takes precedence. Each is shown with its default, or with an example if it has none.\n\
         .TP\n.B FINANCE_CONFIG\nThe file with the settings. It is an error if there is no such file.\n",
    );
    for (keys, description) in settings() {
        let keys: Vec<String> = keys.iter().map(|(key, shown)| text(&format!("{key}{shown}"))).collect();
        let _ = writeln!(page, ".TP\n.B {}\n{}", keys.join(", "), text(&description));
    }
    page.push_str(
        ".SH FILES\n.TP\n.I /etc/finance/finance.toml\nThe settings, unless FINANCE_CONFIG names another file. Nothing is read \
         from the working directory. A file is refused if it, or a folder above it, belongs to another user than root and the \
         one who runs the program, or if the group or others may write it.\n\
         .TP\n.I ~/.config/finance/finance.toml\nThe settings if the machine has no such file; in $XDG_CONFIG_HOME if that is \
         set.\n.TP\n.I /var/lib/finance\nThe data directory for root.\n\
         .TP\n.I ~/.local/share/finance\nThe data directory for other users.\n\
         .SH EXIT STATUS\n.TP\n.B 0\nSuccess.\n.TP\n.B 1\nFailure, after one line on standard error.\n\
         .TP\n.B 2\nWrong arguments.\n",
    );
    page
}

/// Escapes the characters that are special in roff: backslashes, hyphens that users type, and a dot or quote at the beginning of
/// a line.
fn text(plain: &str) -> String {
    let line = plain.split_whitespace().collect::<Vec<_>>().join(" ");
    let escaped = line.replace('\\', "\\e").replace('-', "\\-");
    if escaped.starts_with(['.', '\'']) { format!("\\&{escaped}") } else { escaped }
}

fn options(page: &mut String, command: &CommandInfoWithArgs) {
    for flag in command.flags {
        let value = match flag.kind {
            FlagInfoKind::Switch => String::new(),
            FlagInfoKind::Option { arg_name } => format!(" \\fI{}\\fR", text(arg_name)),
        };
        let short = flag.short.map(|letter| format!("\\fB\\-{letter}\\fR, ")).unwrap_or_default();
        let needed = if flag.optionality == Optionality::Required { " (required)" } else { "" };
        let _ = writeln!(page, ".TP\n{short}\\fB{}\\fR{value}\n{}{needed}", text(flag.long), text(flag.description));
    }
}

fn subcommand(page: &mut String, name: &str, command: &CommandInfoWithArgs) {
    let mut usage = format!("\\fBfinance {}\\fR", text(name));
    for argument in command.positionals {
        let several = if argument.optionality == Optionality::Repeating { "..." } else { "" };
        let _ = write!(usage, " \\fI{}\\fR{several}", text(argument.name));
    }
    let _ = writeln!(page, ".SS {}\n{usage}\n.PP\n{}", text(name), text(command.description));
    for argument in command.positionals {
        let _ = writeln!(page, ".TP\n\\fI{}\\fR\n{}", text(argument.name), text(argument.description));
    }
    options(page, command);
    for example in command.examples {
        let example = example.replace("{command_name}", &format!("finance {name}"));
        let _ = writeln!(page, ".PP\nExample:\n.PP\n.RS\n.nf\n{}\n.fi\n.RE", text(&example));
    }
}

/// The keys of each block of the settings' file with the value that it shows, such as `=yes`, and the description in the block.
fn settings() -> Vec<(Vec<(&'static str, String)>, String)> {
    let blocks = SETTINGS.split("\n\n").map(|block| {
        let lines = block.lines().map(|line| line.trim_start_matches('#').trim());
        let (mut keys, mut description) = (Vec::new(), Vec::new());
        for line in lines {
            match line.split_once(" = ") {
                Some((key, value)) if key.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_') => {
                    let value = value.trim_matches('"');
                    keys.push((key, if value.is_empty() { String::new() } else { format!("={value}") }));
                }
                _ => description.push(line),
            }
        }
        (keys, description.join(" "))
    });
    blocks.filter(|(keys, _)| !keys.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_roff_takes_for_its_own_is_escaped() {
        assert_eq!(text(".dot and --flag \\ of\n a line"), "\\&.dot and \\-\\-flag \\e of a line");
    }

    #[test]
    fn every_setting_has_a_description() {
        let settings = settings();
        let keys: Vec<(&str, &str)> =
            settings.iter().flat_map(|(keys, _)| keys).map(|(key, shown)| (*key, shown.as_str())).collect();
        assert!(keys.contains(&("FINANCE_TOKEN_FILE", "")) && keys.len() > 20, "{keys:?}");
        assert!(
            keys.contains(&("RUST_LOG", "=info")) && keys.contains(&("FINANCE_BACKUP_WAIT_SECONDS", "=300")),
            "{keys:?}"
        );
        assert!(settings.iter().all(|(_, description)| description.ends_with('.')), "{settings:?}");
    }
}
