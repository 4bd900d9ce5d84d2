//! Administration of users on the command line, with and without a running service.

use finance_tests::{PASSWORD, Program, ScratchDir, TestApp, notice, skipped, totp};
use serde_json::{Value, json};

use crate::outcome::{printed, refused, run_with_input};

/// All commands on users, with their arguments.
const ON_A_USER: [&[&str]; 4] =
    [&["set-password", "--password", PASSWORD], &["disable-user"], &["enable-user"], &["disable-second-factor"]];

#[test]
fn a_command_whose_output_nobody_reads_is_done_all_the_same() {
    let scratch = ScratchDir::migrated();
    let unread = |arguments: &[&str]| {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let output = Program::command(scratch.path()).args(arguments).stdout(writer).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stderr).unwrap()
    };
    for arguments in [["--help"].as_slice(), &["--version"], &["man"], &["config"]] {
        assert_eq!(unread(arguments), "", "{arguments:?}");
    }
    let log = unread(&["create-user", "--name", "ana", "--password", PASSWORD]);
    assert_eq!(log, "");
    assert!(printed(&Program::run(scratch.path(), &["list-users"])).ends_with("ana\n"));
}

#[test]
fn an_output_that_cannot_be_written_is_an_error() {
    if !cfg!(target_os = "linux") {
        return notice("only Linux has /dev/full");
    }
    let scratch = ScratchDir::new();
    for argument in ["--help", "--version", "openapi"] {
        let full = std::fs::File::create("/dev/full").unwrap();
        let line = refused(&Program::command(scratch.path()).arg(argument).stdout(full).output().unwrap());
        assert!(line.starts_with("finance: standard output: "), "{line}");
    }
}

#[test]
fn users_are_administered_beside_a_running_service() {
    let scratch = ScratchDir::migrated();
    let run = |arguments: &[&str]| Program::run(scratch.path(), arguments);
    let service = Program::serve(scratch.path());
    for name in ["ana", "bia"] {
        printed(&run(&["create-user", "--name", name, "--password", PASSWORD]));
    }
    let (ana, bia) = (service.login("ana", PASSWORD), service.login("bia", PASSWORD));
    let try_login = |name: &str, password: &str| {
        service.client().post("/api/auth/login", json!({ "name": name, "password": password }))
    };

    let listed = || -> Value { serde_json::from_str(&printed(&run(&["list-users", "--json"]))).unwrap() };
    let users = listed();
    let ids = [ana.get("/api/auth/me").ok(), bia.get("/api/auth/me").ok()];
    for (user, me) in users.as_array().unwrap().iter().zip(&ids) {
        let columns: Vec<&String> = user.as_object().unwrap().keys().collect();
        assert_eq!(columns, ["created_at", "disabled", "id", "name", "role"]);
        assert_eq!((&user["id"], &user["name"], &user["disabled"]), (&me["id"], &me["name"], &json!(false)));
    }

    // A new password revokes tokens and the old password.
    let set = &mut Program::command(scratch.path());
    assert!(printed(&run_with_input(set.args(["set-password", "--name", "ANA"]), "battery staple\n")).contains("ana"));
    ana.get("/api/auth/me").problem(401, "ErrUnauthenticated");
    try_login("ana", PASSWORD).problem(401, "ErrInvalidCredentials");
    let ana = service.login("ana", "battery staple");

    // A disabled user is refused at once, like an unknown one. Other users are not affected.
    let output = run(&["--verbose", "disable-user", "--name", "ana"]);
    let id = &ids[0]["id"];
    let log = String::from_utf8(output.stderr.clone()).unwrap();
    assert!(log.contains(&format!("profile {id} was disabled, on the command line")), "{log}");
    printed(&output);
    ana.get("/api/accounts").problem(401, "ErrUnauthenticated");
    ana.post("/api/categories", json!({ "name": "Pets" })).problem(401, "ErrUnauthenticated");
    try_login("ana", "battery staple").problem(401, "ErrInvalidCredentials");
    bia.get("/api/accounts").ok();
    assert_eq!(listed()[0]["disabled"], json!(true));
    let table = printed(&run(&["list-users"]));
    let line = table.lines().find(|line| line.ends_with("ana")).unwrap();
    assert!(line.contains("yes"), "{table}");

    // Neither a new password nor create-user enables a disabled user.
    printed(&run(&["set-password", "--name", "ana", "--password", PASSWORD]));
    assert!(printed(&run(&["create-user", "--name", "ana", "--password", PASSWORD])).contains("disabled"));
    try_login("ana", PASSWORD).problem(401, "ErrInvalidCredentials");

    // An enabled user can log in again; earlier tokens stay revoked.
    printed(&run(&["enable-user", "--name", "ana"]));
    ana.get("/api/auth/me").problem(401, "ErrUnauthenticated");
    let ana = service.login("ana", PASSWORD);
    ana.get("/api/accounts").ok();
    // To enable an enabled user changes nothing: the token is still valid.
    printed(&run(&["enable-user", "--name", "ana"]));
    ana.get("/api/accounts").ok();
}

#[test]
fn users_are_administered_without_a_service() {
    let scratch = ScratchDir::migrated();
    let run = |arguments: &[&str]| Program::run(scratch.path(), arguments);
    assert_eq!(printed(&run(&["list-users", "--json"])).trim(), "[]");
    printed(&run(&["create-user", "--name", "ana", "--password", PASSWORD]));
    printed(&run(&["disable-user", "--name", "ana"]));
    printed(&run(&["set-password", "--name", "ana", "--password", "battery staple"]));
    assert!(printed(&run(&["list-users"])).contains("yes"));
    printed(&run(&["enable-user", "--name", "ana"]));
    for command in ON_A_USER {
        let line = refused(&run(&[command, &["--name", "nobody"]].concat()));
        assert!(line.contains("nobody"), "{command:?}: {line}");
        assert!(refused(&run(command)).contains("--name"), "{command:?}");
        refused(&run(&[command, &["--name", ""]].concat()));
    }
    assert!(refused(&run(&["set-password", "--name", "ana", "--password", "short"])).contains("password"));
    assert!(!scratch.path().join("postgres/postmaster.pid").exists(), "what was started for each is stopped");
    let service = Program::serve(scratch.path());
    service.login("ana", "battery staple").get("/api/auth/me").ok();
}

#[test]
fn an_operator_turns_the_second_factor_of_a_user_off() {
    let scratch = ScratchDir::migrated();
    let run = |arguments: &[&str]| Program::run(scratch.path(), arguments);
    let service = Program::serve(scratch.path());
    for name in ["ana", "bia"] {
        printed(&run(&["create-user", "--name", name, "--password", PASSWORD]));
    }
    let login = json!({ "name": "ana", "password": PASSWORD });
    let ana = service.login("ana", PASSWORD);
    let secret = ana.post("/api/auth/second-factor", json!({ "password": PASSWORD })).created()["secret"].clone();
    let code = totp(secret.as_str().unwrap(), time::OffsetDateTime::now_utc());
    ana.post("/api/auth/second-factor/confirm", json!({ "code": code })).ok();
    service.client().post("/api/auth/login", login.clone()).problem(401, "ErrSecondFactorRequired");
    assert!(printed(&run(&["disable-second-factor", "--name", "bia"])).contains("has no second factor"));
    // A new password does not change the second factor.
    printed(&run(&["set-password", "--name", "ana", "--password", PASSWORD]));
    service.client().post("/api/auth/login", login).problem(401, "ErrSecondFactorRequired");
    let code_now = totp(secret.as_str().unwrap(), time::OffsetDateTime::now_utc() + time::Duration::seconds(30));
    let with_code = json!({ "name": "ana", "password": PASSWORD, "code": code_now });
    let entered = service.client().post("/api/auth/login", with_code).ok();
    let entered = service.client().with_token(entered["token"].as_str().unwrap());
    entered.get("/api/auth/me").ok();
    let output = run(&["-v", "disable-second-factor", "--name", "ANA"]);
    entered.get("/api/auth/me").problem(401, "ErrUnauthenticated");
    let log = String::from_utf8(output.stderr.clone()).unwrap();
    assert!(log.contains("lost its second factor, on the command line"), "{log}");
    assert!(printed(&output).contains("user ana logs in with the password alone"));
    let me = service.login("ana", PASSWORD).get("/api/auth/me").ok();
    assert_eq!(me["second_factor"], json!(false));
    for secret in [secret.as_str().unwrap(), &code] {
        assert!(!log.contains(secret), "{log}");
    }
}

/// The processor time that a service has used, in clock ticks. None without `/proc`.
fn processor_ticks(service: &Program) -> Option<u64> {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", service.pid())).ok()?;
    // The name of the program is before this parenthesis and may contain spaces.
    let fields: Vec<&str> = stat.rsplit_once(") ")?.1.split(' ').collect();
    let ticks = |at: usize| fields[at].parse::<u64>().expect("a number");
    Some(ticks(11) + ticks(12))
}

#[test]
fn a_disabled_users_login_takes_as_long_as_an_unknown_ones() {
    let scratch = ScratchDir::with_user();
    printed(&Program::run(scratch.path(), &["disable-user", "--name", "ana"]));
    let service = Program::serve(scratch.path());
    let client = service.client();
    if processor_ticks(&service).is_none() {
        return skipped("no /proc is here: the work of a login is not measured");
    }
    // Processor time, because other load of the machine does not change it much.
    let work_of = |name: &str| {
        let before = processor_ticks(&service).expect("its processor time");
        let body = json!({ "name": name, "password": PASSWORD });
        client.post("/api/auth/login", body).problem(401, "ErrInvalidCredentials");
        processor_ticks(&service).expect("its processor time") - before
    };
    let (unknown, disabled): (Vec<u64>, Vec<u64>) = (0..8).map(|_| (work_of("nobody"), work_of("ana"))).unzip();
    let (unknown, disabled): (u64, u64) = (unknown.iter().sum(), disabled.iter().sum());
    println!("eight logins of an unknown user took {unknown} ticks, of a disabled one {disabled}");
    // Without a password comparison, a login would take a hundredth of the time.
    assert!(unknown > 0 && disabled < unknown * 3 && unknown < disabled * 3, "{unknown} and {disabled}");
}

#[test]
fn the_help_of_every_command_shows_an_example() {
    let scratch = ScratchDir::new();
    let help = |arguments: &[&str]| printed(&Program::run(scratch.path(), arguments));
    let all = help(&["--help"]);
    let commands: Vec<&str> = all
        .lines()
        .skip_while(|line| !line.starts_with("Commands:"))
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    for expected in
        ["serve", "create-user", "add-member", "list-users", "set-password", "disable-user", "enable-user", "config"]
    {
        assert!(commands.contains(&expected), "{commands:?}");
    }
    for command in commands {
        let help = help(&[command, "--help"]);
        let example = help.split("Examples:").nth(1).unwrap_or_else(|| panic!("{command}: {help}"));
        assert!(example.contains(&format!("finance {command}")), "{command}: {help}");
    }
}

#[test]
fn a_name_is_printed_without_what_a_terminal_would_obey() {
    let scratch = ScratchDir::new();
    let run = |arguments: &[&str]| Program::run(scratch.path(), arguments);
    for hidden in ["\u{1b}[2J", "\u{202e}", "\n", "\u{200b}"] {
        let name = format!("a{hidden}b");
        for arguments in [
            ["create-user", "--name", &name].as_slice(),
            &["add-member", "--role", "viewer", "--profile", "ana", "--name", &name],
        ] {
            let line = refused(&run(&[arguments, &["--password", PASSWORD]].concat()));
            assert!(line.contains("name") && line.contains("control or invisible character"), "{line}");
        }
    }
    // Errors quote what was given.
    let output = run(&["disable-user", "--name", "a\u{1b}[2J\u{202e}b"]);
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(!output.status.success() && !text.contains(['\u{1b}', '\u{202e}']), "{text:?}");
}

/// Names of an earlier version, which accepted all characters.
#[test]
fn a_stored_name_is_printed_with_escapes() {
    let app = TestApp::start();
    app.user("a\u{1b}[2J\nna \u{202e}x");
    let scratch = ScratchDir::new();
    let run = |arguments: &[&str]| {
        let mut command = Program::command(scratch.path());
        command.args(arguments).env("DATABASE_URL", app.database_url()).env("JWT_SECRET", "x".repeat(32));
        printed(&command.output().unwrap())
    };
    let table = run(&["list-users"]);
    assert!(table.ends_with("  a\\u001b[2J\\u000ana \\u202ex\n") && table.lines().count() == 2, "{table:?}");
    let json = run(&["list-users", "--json"]);
    assert!(!json.contains(['\u{1b}', '\u{202e}']), "{json:?}");
    let listed: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(listed[0]["name"], "a\u{1b}[2J\nna \u{202e}x");
    let done = run(&["disable-user", "--name", "a\u{1b}[2J\nna \u{202e}x"]);
    assert!(done.starts_with("user a\\u001b[2J\\u000ana \\u202ex is disabled"), "{done:?}");
}
