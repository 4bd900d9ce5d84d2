//! The manual page, the completions of shells, and the version. All are made from one description of the command line.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use finance_tests::{Program, ScratchDir, skipped};

use crate::outcome::{printed, refused};

fn run(arguments: &[&str]) -> Output {
    Program::run(ScratchDir::new().path(), arguments)
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace").to_path_buf()
}

/// The names in the list of commands of `finance --help`.
fn commands() -> BTreeSet<String> {
    let help = printed(&run(&["--help"]));
    let (_, listed) = help.split_once("Commands:\n").expect("a list of commands");
    let names = listed.lines().filter_map(|line| line.strip_prefix("  ").filter(|line| !line.starts_with(' ')));
    names.map(|line| line.split_whitespace().next().expect("a name").to_string()).collect()
}

#[test]
fn the_files_of_packages_are_what_the_program_prints() {
    for (arguments, file) in [
        (&["man"][..], "deploy/man/finance.1"),
        (&["completions", "bash"], "deploy/completions/finance.bash"),
        (&["completions", "zsh"], "deploy/completions/_finance"),
        (&["completions", "fish"], "deploy/completions/finance.fish"),
    ] {
        let kept = std::fs::read_to_string(root().join(file)).unwrap_or_default();
        assert!(kept == printed(&run(arguments)), "{file} is not up to date: finance {} > {file}", arguments.join(" "));
    }
    let line = refused(&run(&["completions", "tcsh"]));
    assert!(line.contains("must be bash, zsh or fish"), "{line}");
}

#[test]
fn the_manual_has_every_command_option_and_setting() {
    let page = printed(&run(&["man"])).replace("\\-", "-");
    let listed: BTreeSet<String> =
        page.lines().filter_map(|line| line.strip_prefix(".SS ")).map(str::to_string).collect();
    let commands = commands();
    assert!(commands.len() > 15 && commands.contains("import") && commands.contains("mcp"), "{commands:?}");
    assert_eq!(listed, commands);
    for command in &commands {
        let help = printed(&run(&[command, "--help"]));
        let section = page.split(&format!(".SS {command}\n")).nth(1).expect("its section");
        let section = section.split("\n.S").next().expect("its text");
        let options = help.split_whitespace().filter(|word| word.starts_with("--") && word.len() > 2);
        for option in options.map(|word| word.trim_end_matches([']', ',', '.', ';'])) {
            assert!(section.contains(option), "{command} {option}: {section}");
        }
    }
    let settings = std::fs::read_to_string(root().join("config/finance.toml")).unwrap();
    let keys = settings.lines().filter_map(|line| line.strip_prefix("# ")?.split_once(" = ")).map(|(key, _)| key);
    for key in keys {
        assert!(page.contains(key), "{key}");
    }
}

/// Whether a program of a test is installed. The test without it is skipped.
fn is_installed(program: &str) -> bool {
    // Not every one of them knows the option.
    let mut found = Command::new(program);
    found.arg("--version").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let is_installed = found.status().is_ok();
    if !is_installed {
        skipped(&format!("{program} is not installed, so its file is not checked with it"));
    }
    is_installed
}

#[test]
fn bash_completes_commands_options_values_and_files() {
    if !is_installed("bash") {
        return;
    }
    let completed = |words: &[&str]| {
        let script = format!(
            "source {}/deploy/completions/finance.bash; COMP_WORDS=({}); COMP_CWORD={}; compopt() {{ echo FILES; }}; _finance; \
             printf '%s\\n' \"${{COMPREPLY[@]}}\"",
            root().display(),
            words.iter().map(|word| format!("'{word}'")).collect::<Vec<_>>().join(" "),
            words.len() - 1
        );
        let output = Command::new("bash").args(["--norc", "-uc", &script]).output().expect("bash runs");
        printed(&output).split_whitespace().map(str::to_string).collect::<Vec<_>>()
    };
    assert_eq!(completed(&["finance", "imp"]), ["import", "import-profile"]);
    let all: BTreeSet<String> = completed(&["finance", ""]).into_iter().filter(|word| !word.starts_with('-')).collect();
    assert_eq!(all, commands());
    assert_eq!(completed(&["finance", "--v"]), ["--version", "--verbose"]);
    assert_eq!(completed(&["finance", "-v", "imp"]), ["import", "import-profile"]);
    assert_eq!(completed(&["finance", "--verbose", "import", "--dr"]), ["--dry-run"]);
    assert_eq!(completed(&["finance", "import", "--dr"]), ["--dry-run"]);
    assert_eq!(completed(&["finance", "add-member", "--role", ""]), ["owner", "editor", "viewer"]);
    assert_eq!(completed(&["finance", "add-member", "--name", ""]), [""; 0]);
    assert_eq!(completed(&["finance", "completions", "z"]), ["zsh"]);
    assert_eq!(completed(&["finance", "import", "--dry-run", "ext"]), ["FILES"]);
    assert_eq!(completed(&["finance", "restore", "--y"]), ["--yes"]);
}

#[test]
fn other_shells_and_man_read_their_files() {
    for (program, arguments) in [
        ("zsh", &["-n", "deploy/completions/_finance"][..]),
        ("fish", &["--no-execute", "deploy/completions/finance.fish"]),
        ("mandoc", &["-Tlint", "-Wwarning", "deploy/man/finance.1"]),
        ("groff", &["-man", "-Tutf8", "-ww", "-z", "deploy/man/finance.1"]),
    ] {
        if is_installed(program) {
            let output = Command::new(program).args(arguments).current_dir(root()).output().expect("it runs");
            // The page has no date, so that the same commit makes the same bytes.
            let text = String::from_utf8_lossy(&output.stdout);
            let is_of_date = !text.is_empty() && text.lines().all(|line| line.contains("WARNING: missing date"));
            assert!((output.status.success() || is_of_date) && output.stderr.is_empty(), "{program}: {output:?}");
        }
    }
}

#[test]
fn the_version_names_the_commit() {
    let text = printed(&run(&["--version"]));
    let version = format!("finance {} (", env!("CARGO_PKG_VERSION"));
    let commit = text.strip_prefix(&version).and_then(|rest| rest.strip_suffix(")\n")).expect("a version and a commit");
    let git = Command::new("git").args(["log", "-1", "--abbrev=12", "--format=%h %cs"]).current_dir(root()).output();
    let is_given = std::env::var("FINANCE_COMMIT").is_ok_and(|commit| !commit.is_empty());
    match git {
        Ok(log) if log.status.success() && root().join(".git").exists() && !is_given => {
            assert_eq!(commit, String::from_utf8(log.stdout).unwrap().trim());
        }
        _ => assert!(!commit.is_empty()),
    }
}
