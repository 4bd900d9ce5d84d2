//! Runs the commands in every `console` block of the documents. Each document has its own shell and data directory. Blocks
//! that cannot be run in a test are `text` blocks, and the document says so.

use std::fmt::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use finance_tests::{PASSWORD, Program, ScratchDir, finance_binary, ofx, skipped};
use serde_json::json;

/// Definitions for the shell of a document: `cargo run` runs the program under test, or an example, without building it, and a
/// question for a password is answered. Cargo would build an example of one package with other features of its dependencies.
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
    elif [ "$1 ${4:-} ${5:-}" = "run finance-domain --example" ] && [ -x "$EXAMPLES/$6" ]; then
        "$EXAMPLES/$6"
    else
        command cargo "$@"
    fi
}
"#;

/// The commands of the README that are not run: the demo, the tests, and the service, which is running already.
const README_SKIPPED: [&str; 3] =
    ["cargo run -- demo", "cargo install --locked --debug just && just test", "cargo run --release"];

/// The commands of a document: the lines that begin with `$ ` in each `console` block, and their continuations.
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

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace")
}

/// Whether curl is installed in a version with `--json`. A test without it is skipped.
fn has_curl() -> bool {
    let known = Command::new("curl").args(["--help", "all"]).output();
    let has_it = known.is_ok_and(|help| String::from_utf8_lossy(&help.stdout).contains("--json"));
    if !has_it {
        skipped("no curl of 7.82 or newer is here: the commands of the documents are not run");
    }
    has_it
}

/// The credential that the commands of a document use.
#[derive(Clone, Copy, PartialEq)]
enum By {
    /// The credential of a login, as in the document.
    Login,
    /// A token, except for the commands that no token can do.
    Token,
}

/// Commands that replace the login of the previous command by a token.
const TO_TOKEN: &str = r#"
LOGIN=$TOKEN
TOKEN=$(curl --silent --fail $FINANCE/api/tokens --header "Authorization: Bearer $LOGIN" \
    --json '{"name": "documents", "scopes": ["write", "export"]}' | sed 's/.*"token":"\([^"]*\)".*/\1/')
case $TOKEN in fin_*) ;; *) exit 1 ;; esac
"#;

/// Runs the commands of a document until the first failure, without those in `skip`.
fn run(document: &str, by: By, skip: &[&str]) {
    if !has_curl() {
        return;
    }
    let root = root();
    let markdown = std::fs::read_to_string(root.join(document)).expect("the document");
    let known: Vec<String> = commands(&markdown);
    assert!(!known.is_empty(), "{document} has commands");
    let data_dir = ScratchDir::migrated();
    let service = Program::serve(data_dir.path());
    let mut script = PRELUDE.to_string();
    for command in &known {
        if skip.contains(&command.as_str()) {
            continue;
        }
        // The documents use the default port. In the tests each service has another one.
        let command = command.replace("http://127.0.0.1:8080", &service.url());
        let quoted = command.replace('\'', "'\\''");
        writeln!(script, "printf '%s\\n' '--- {quoted}' >&2").unwrap();
        // A token cannot make tokens, members, webhooks or a second factor.
        let needs_login = ["/api/tokens", "/api/members", "/api/webhooks", "/api/auth/second-factor"]
            .iter()
            .any(|path| command.contains(path));
        match by {
            By::Token if needs_login => {
                writeln!(script, "BY_TOKEN=$TOKEN; TOKEN=$LOGIN\n{command}\nTOKEN=$BY_TOKEN").unwrap()
            }
            By::Token if command.starts_with("TOKEN=") => writeln!(script, "{command}\n{TO_TOKEN}").unwrap(),
            _ => writeln!(script, "{command}").unwrap(),
        }
    }
    assert!(by == By::Login || script.contains(TO_TOKEN), "{document} logs in");
    let path = std::env::var("PATH").unwrap_or_default();
    let program = finance_binary().parent().expect("the program's folder");
    let mut shell = Command::new("bash");
    shell.env_clear();
    for key in ["HOME", "CARGO_HOME", "RUSTUP_HOME", "USER", "LANG", "FINANCE_POSTGRES_BIN_DIRS"] {
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
        .env("EXAMPLES", program.join("examples"))
        .env("FINANCE_DATA_DIR", data_dir.path())
        .env("FINANCE_BIND", service.address().to_string())
        .env("TMPDIR", scratch.path())
        .stdin(Stdio::null())
        .output()
        .expect("bash runs");
    let (text, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{document}: {errors}\n{text}");
    // curl does not fail on a problem. No problem is expected unless the document says so.
    let problems: Vec<&str> = text.lines().filter(|line| line.contains("\"about:blank\"")).collect();
    let expected = markdown.matches("<!-- a problem is expected -->").count();
    assert_eq!(problems.len(), expected, "{document}: {problems:#?}");
}

#[test]
fn the_walk_through_a_month_works() {
    run("docs/clients.md", By::Login, &[]);
}

#[test]
fn the_operators_guide_works() {
    run("docs/operators.md", By::Login, &[]);
}

/// The command of the embedder's guide that is not run, because `just test` runs these tests with all others.
const EMBEDDING_SKIPPED: [&str; 1] = ["cargo test --quiet --doc --package finance-domain"];

#[test]
fn the_embedders_guide_works() {
    run("docs/embedding.md", By::Login, &EMBEDDING_SKIPPED);
}

#[test]
fn the_readme_works() {
    run("README.md", By::Login, &README_SKIPPED);
}

#[test]
fn every_request_of_the_documents_works_with_a_token() {
    run("docs/clients.md", By::Token, &[]);
    run("README.md", By::Token, &README_SKIPPED);
}

/// Runs the script of `docs/clients.md` that imports a statement every night, with a token of the scope `import`.
#[test]
fn the_nightly_script_imports_a_file_once() {
    if !has_curl() {
        return;
    }
    let markdown = std::fs::read_to_string(root().join("docs/clients.md")).expect("the document");
    let block = markdown.split("```sh\n").find(|block| block.contains("finance-nightly FILE")).expect("the script");
    let (data_dir, scratch) = (ScratchDir::with_user(), ScratchDir::new());
    std::fs::create_dir(scratch.path()).expect("a folder");
    let service = Program::serve(data_dir.path());
    let script = block.split("```").next().expect("its text").replace("http://127.0.0.1:8080", &service.url());
    let ana = service.login("ana", PASSWORD);
    let account = ana.create("/api/accounts", json!({ "name": "Conta", "kind": "current" }));
    let made = ana.post("/api/tokens", json!({ "name": "nightly", "scopes": ["import"] })).created();
    let file = |name: &str, text: &[u8]| {
        let path = scratch.path().join(name);
        std::fs::write(&path, text).expect("a file");
        path
    };
    file("token", made["token"].as_str().expect("a token").as_bytes());
    let statement = file("extrato.ofx", &ofx(&[("20260105", "-10.00", "A1", "FEIRA")]));
    let script = file("finance-nightly", script.as_bytes());
    for _ in 0..2 {
        let mut command = Command::new("sh");
        command.arg(&script).arg(&statement).arg(account.to_string());
        let output = command.env("CREDENTIALS_DIRECTORY", scratch.path()).output().expect("sh runs");
        assert!(output.status.success(), "{output:?}");
    }
    assert_eq!(ana.all("/api/transactions").len(), 1);
    assert_eq!(ana.get("/api/imports").ok()[0]["file_name"], "extrato.ofx");
}

#[test]
fn no_command_of_the_documents_has_a_secret_among_its_arguments() {
    for document in ["README.md", "docs/clients.md", "docs/operators.md", "docs/embedding.md"] {
        let markdown = std::fs::read_to_string(root().join(document)).expect("the document");
        for command in commands(&markdown) {
            // printf and echo belong to the shell: nobody sees their arguments.
            let exposed = command.split('|').find(|part| {
                let is_own = part.contains("echo '") || part.contains("printf '");
                !is_own && ["Bearer", "\"password\"", "--password "].iter().any(|secret| part.contains(secret))
            });
            assert_eq!(exposed, None, "{document}");
        }
    }
}

#[test]
fn commands_are_found_with_their_next_lines() {
    let markdown = "text $ no\n```console\n$ a |\n    b\nsaid\n$ c 'd\ne'\n$ f \\\n g\n```\n```text\n$ h\n```\n";
    assert_eq!(commands(markdown), ["a |\n    b", "c 'd\ne'", "f \\\n g"]);
}
