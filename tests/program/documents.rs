//! Runs the commands of the documents: every `console` block, each document in its own shell and data directory. Blocks that
//! cannot be run in a test are `text` blocks, and the document says so.

use std::fmt::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use finance_tests::{Program, ScratchDir, finance_binary};

/// Definitions for the shell of a document: `cargo run` runs the program under test without building it, and passwords are
/// answered.
const PRELUDE: &str = r#"
set -euo pipefail
finance() {
    case "${1:-}" in
        create-user | set-password) command finance "$@" <<< 'correct horse' ;;
        *) command finance "$@" ;;
    esac
}
cargo() {
    if [ "$1 ${2:-}" = "run --release" ]; then
        shift 2
        if [ "${1:-}" = "--" ]; then shift; fi
        finance "$@"
    else
        command cargo "$@"
    fi
}
"#;

/// The commands of a document: in each `console` block the lines with `$ `, and their continuations.
fn commands(markdown: &str) -> Vec<String> {
    let mut commands: Vec<String> = Vec::new();
    let (mut in_block, mut continues) = (false, false);
    for line in markdown.lines() {
        match line.trim_end() {
            "```console" => in_block = true,
            "```" => in_block = false,
            line if in_block => {
                if let Some(command) = line.strip_prefix("$ ") {
                    commands.push(command.to_string());
                    continues = open(command);
                } else if continues {
                    let last = commands.last_mut().expect("a command to continue");
                    last.push('\n');
                    last.push_str(line);
                    continues = open(last);
                }
            }
            _ => {}
        }
    }
    commands
}

/// Whether the next line continues a command.
fn open(command: &str) -> bool {
    let last = command.lines().last().unwrap_or_default().trim_end();
    last.ends_with('\\') || last.ends_with('|') || last.ends_with("&&") || command.matches('\'').count() % 2 == 1
}

/// Whether curl is installed in a version with `--json`.
fn has_curl() -> bool {
    let known = Command::new("curl").args(["--help", "all"]).output();
    known.is_ok_and(|help| String::from_utf8_lossy(&help.stdout).contains("--json"))
}

/// Runs the commands of a document except those to skip, until the first failure.
fn run(document: &str, skip: &[&str]) {
    if !has_curl() {
        return eprintln!("no curl of 7.82 or newer is here: the commands of {document} are not run");
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace");
    let markdown = std::fs::read_to_string(root.join(document)).expect("the document");
    let known: Vec<String> = commands(&markdown);
    assert!(!known.is_empty(), "{document} has commands");
    let data_dir = ScratchDir::new();
    let service = Program::serve(data_dir.path());
    let mut script = PRELUDE.to_string();
    for command in &known {
        if skip.contains(&command.as_str()) {
            continue;
        }
        // The documents use the default port; here each service has another one.
        let command = command.replace("http://127.0.0.1:8080", &service.url());
        let told = command.replace('\'', "'\\''");
        writeln!(script, "printf '%s\\n' '--- {told}' >&2\n{command}").unwrap();
    }
    let path = std::env::var("PATH").unwrap_or_default();
    let program = finance_binary().parent().expect("the program's folder");
    let mut shell = Command::new("bash");
    shell.env_clear();
    for key in ["HOME", "CARGO_HOME", "RUSTUP_HOME", "USER", "LANG"] {
        if let Ok(value) = std::env::var(key) {
            shell.env(key, value);
        }
    }
    let scratch = ScratchDir::new();
    std::fs::create_dir(scratch.path()).expect("a folder for what the document writes");
    let output = shell
        .args(["-c", &script])
        .current_dir(root)
        .env("PATH", format!("{}:{path}", program.display()))
        .env("FINANCE_DATA_DIR", data_dir.path())
        .env("FINANCE_BIND", service.address().to_string())
        .env("TMPDIR", scratch.path())
        .stdin(Stdio::null())
        .output()
        .expect("bash runs");
    let (told, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{document}: {errors}\n{told}");
    // curl does not fail on a problem; none is expected unless the document says so.
    let problems: Vec<&str> = told.lines().filter(|line| line.contains("\"about:blank\"")).collect();
    let expected = markdown.matches("<!-- a problem is expected -->").count();
    assert_eq!(problems.len(), expected, "{document}: {problems:#?}");
}

#[test]
fn the_walk_through_a_month_works() {
    run("docs/clients.md", &[]);
}

#[test]
fn the_operators_guide_works() {
    run("docs/operators.md", &[]);
}

#[test]
fn the_embedders_guide_works() {
    run("docs/embedding.md", &[]);
}

#[test]
fn the_readme_works() {
    // Skips the demo, the tests, and serving, which is running already.
    run("README.md", &["cargo run -- demo", "cargo install --locked --debug just && just test", "cargo run --release"]);
}

#[test]
fn commands_are_found_with_their_next_lines() {
    let markdown = "text $ no\n```console\n$ a |\n    b\nsaid\n$ c 'd\ne'\n$ f \\\n g\n```\n```text\n$ h\n```\n";
    assert_eq!(commands(markdown), ["a |\n    b", "c 'd\ne'", "f \\\n g"]);
}
