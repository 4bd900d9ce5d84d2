//! `finance completions`: shell completions, from the description of the command line.

use std::fmt::Write;

use argh::{CommandInfoWithArgs, FlagInfo, FlagInfoKind, PositionalInfo};

use crate::arguments::Shell;

/// Values from a fixed list, by the name of their option or argument.
const CHOICES: [(&str, &str); 2] = [("role", "owner editor viewer"), ("shell", "bash zsh fish")];
/// Arguments that are files.
const FILES: [&str; 2] = ["file", "files"];

/// The completion script for a shell.
pub(crate) fn of(shell: Shell, program: &CommandInfoWithArgs) -> String {
    match shell {
        Shell::Bash => bash(program),
        Shell::Zsh => zsh(program),
        Shell::Fish => fish(program),
    }
}

fn choices(name: &str) -> Option<&'static str> {
    CHOICES.iter().find(|(known, _)| *known == name).map(|(_, words)| *words)
}

fn takes_files(command: &CommandInfoWithArgs) -> bool {
    command.positionals.iter().any(|argument| FILES.contains(&argument.name))
}

/// The possible values of the arguments that have a fixed list.
fn words_of(command: &CommandInfoWithArgs) -> impl Iterator<Item = &'static str> {
    command.positionals.iter().filter_map(|argument: &PositionalInfo| choices(argument.name))
}

/// The name of an option's value; none for a switch.
fn value<'a>(flag: &FlagInfo<'a>) -> Option<&'a str> {
    match flag.kind {
        FlagInfoKind::Switch => None,
        FlagInfoKind::Option { arg_name } => Some(arg_name),
    }
}

/// The options of a command with the names of their values, which live as long as the program.
fn options(command: &CommandInfoWithArgs) -> impl Iterator<Item = (&'static FlagInfo<'static>, &'static str)> {
    command.flags.iter().filter_map(|flag| value(flag).map(|value| (flag, value)))
}

/// The beginning of a description, up to its first full stop, semicolon or colon.
fn short(description: &str) -> String {
    let line = description.split_whitespace().collect::<Vec<_>>().join(" ");
    let end = [". ", "; ", ": "].iter().filter_map(|stop| line.find(stop)).min().unwrap_or(line.len());
    line[..end].trim_end_matches('.').to_string()
}

fn longs(command: &CommandInfoWithArgs) -> String {
    command.flags.iter().map(|flag| flag.long).collect::<Vec<_>>().join(" ")
}

fn bash(program: &CommandInfoWithArgs) -> String {
    let names: Vec<&str> = program.commands.iter().map(|command| command.name).collect();
    let mut values = String::new();
    let mut words = String::new();
    for command in &program.commands {
        let name = command.name;
        let free: Vec<String> = options(&command.command)
            .filter(|(_, value)| choices(value).is_none())
            .map(|(flag, _)| format!("\"{name} {}\"", flag.long))
            .collect();
        if !free.is_empty() {
            let _ = writeln!(values, "        {}) return ;;", free.join(" | "));
        }
        for (flag, of) in options(&command.command).filter_map(|(flag, value)| choices(value).map(|of| (flag, of))) {
            let _ = writeln!(values, "        \"{name} {}\") words=\"{of}\"; options= ;;", flag.long);
        }
        let listed: Vec<&str> = words_of(&command.command).collect();
        let files = if takes_files(&command.command) { "; files=yes" } else { "" };
        let _ = writeln!(
            words,
            "        {name}) options=\"{}\"; words=\"{}\"{files} ;;",
            longs(&command.command),
            listed.join(" ")
        );
    }
    format!(
        r#"# Completions of finance for bash, printed by `finance completions bash`.
_finance() {{
    local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD-1]}} command= at=1
    local options= words= files=
    COMPREPLY=()
    while ((at < COMP_CWORD)) && [[ ${{COMP_WORDS[at]}} == -* ]]; do
        at=$((at + 1))
    done
    command=${{COMP_WORDS[at]}}
    if ((COMP_CWORD == at)); then
        COMPREPLY=($(compgen -W "{top} {names}" -- "$current"))
        return
    fi
    case $command in
{words}    esac
    case "$command $previous" in
{values}    esac
    if [[ $current == -* || -z $files ]]; then
        COMPREPLY=($(compgen -W "$options $words" -- "$current"))
    else
        compopt -o default
    fi
}}
complete -F _finance finance
"#,
        top = longs(program),
        names = names.join(" "),
    )
}

/// A text between single quotes.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

fn zsh(program: &CommandInfoWithArgs) -> String {
    let escaped = |text: &str| short(text).replace('[', "\\[").replace(']', "\\]").replace(':', "\\:");
    let flag = |flag: &FlagInfo| {
        let value = match value(flag) {
            None => String::new(),
            Some(value) => {
                format!(":{value}:{}", choices(value).map(|words| format!("({words})")).unwrap_or_default())
            }
        };
        quoted(&format!("{}[{}]{value}", flag.long, escaped(flag.description)))
    };
    let mut cases = String::new();
    for command in &program.commands {
        let mut of: Vec<String> = command.command.flags.iter().map(flag).collect();
        of.extend(words_of(&command.command).map(|words| quoted(&format!("1:word:({words})"))));
        if takes_files(&command.command) {
            of.push(quoted("*:file:_files"));
        }
        let _ = writeln!(cases, "        {}) _arguments {} ;;", command.name, of.join(" "));
    }
    let commands: Vec<String> = program
        .commands
        .iter()
        .map(|command| {
            format!("        {}\n", quoted(&format!("{}:{}", command.name, escaped(command.command.description))))
        })
        .collect();
    let top: Vec<String> =
        program.flags.iter().map(|flag| quoted(&format!("{}:{}", flag.long, escaped(flag.description)))).collect();
    format!(
        "#compdef finance
# Completions of finance for zsh, printed by `finance completions zsh`.
_finance() {{
    local -a commands options
    commands=(
{commands}    )
    options=({top})
    while ((CURRENT > 2)) && [[ ${{words[2]}} == -* ]]; do
        words[2]=()
        ((CURRENT--))
    done
    if ((CURRENT == 2)); then
        _describe -t commands command commands
        [[ $PREFIX == -* ]] && _describe -t options option options
        return
    fi
    local command=${{words[2]}}
    shift words
    ((CURRENT--))
    case $command in
{cases}    esac
}}
_finance \"$@\"
",
        commands = commands.concat(),
        top = top.join(" "),
    )
}

fn fish(program: &CommandInfoWithArgs) -> String {
    let escaped = |text: &str| format!("'{}'", short(text).replace('\\', "\\\\").replace('\'', "\\'"));
    let mut script =
        "# Completions of finance for fish, printed by `finance completions fish`.\ncomplete -c finance -f\n"
            .to_string();
    let mut line = |condition: &str, rest: String| {
        let _ = writeln!(script, "complete -c finance -n {condition} {rest}");
    };
    let long = |flag: &FlagInfo| {
        let value = match value(flag) {
            None => String::new(),
            Some(value) => format!(" -x{}", choices(value).map(|words| format!(" -a '{words}'")).unwrap_or_default()),
        };
        let short = flag.short.map(|letter| format!("-s {letter} ")).unwrap_or_default();
        format!("{short}-l {}{value} -d {}", flag.long.trim_start_matches('-'), escaped(flag.description))
    };
    for flag in program.flags {
        line("__fish_use_subcommand", long(flag));
    }
    for command in &program.commands {
        line("__fish_use_subcommand", format!("-a {} -d {}", command.name, escaped(command.command.description)));
    }
    for command in &program.commands {
        let condition = format!("'__fish_seen_subcommand_from {}'", command.name);
        for flag in command.command.flags {
            line(&condition, long(flag));
        }
        for words in words_of(&command.command) {
            line(&condition, format!("-a '{words}'"));
        }
        if takes_files(&command.command) {
            line(&condition, "-F".to_string());
        }
    }
    script
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_description_is_cut_at_its_first_stop() {
        assert_eq!(short("Serve the API until SIGTERM or Ctrl-C."), "Serve the API until SIGTERM or Ctrl-C");
        assert_eq!(short("Show a statement on\n the dashboard: a service"), "Show a statement on the dashboard");
        assert_eq!(short("Apply migrations and exit; serving too"), "Apply migrations and exit");
    }
}
