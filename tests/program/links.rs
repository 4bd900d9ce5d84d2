//! `--link`: a user sets the password, and no operator knows it.

use std::path::Path;
use std::process::{Output, Stdio};

use finance_tests::{PASSWORD, Program, ScratchDir};
use serde_json::json;

use crate::outcome::{printed, refused};

const PUBLIC: &str = "https://finance.example";
const NEW: &str = "battery staple";

fn run(data_dir: &Path, arguments: &[&str]) -> Output {
    let mut command = Program::command(data_dir);
    command.env("FINANCE_PUBLIC_URL", PUBLIC).args(arguments).stdin(Stdio::null());
    command.output().expect("the program runs")
}

/// The secret of the link that is the only line on standard output. The rest is on standard error.
#[track_caller]
fn secret(output: &Output, origin: &str, name: &str) -> String {
    let line = printed(output);
    let link = line.strip_suffix('\n').filter(|link| !link.contains('\n')).unwrap_or_else(|| panic!("{line:?}"));
    let rest = link.strip_prefix(&format!("{origin}/login#invite=")).unwrap_or_else(|| panic!("{link}"));
    let secret = rest.strip_suffix(&format!("&name={name}")).unwrap_or_else(|| panic!("{link}"));
    assert!(secret.starts_with("inv_") && secret.len() == 47, "{link}");
    let errors = String::from_utf8(output.stderr.clone()).unwrap();
    assert!(errors.contains("sets the password") && !errors.contains(secret), "{errors}");
    secret.to_string()
}

#[test]
fn the_first_user_and_every_other_one_starts_with_a_link() {
    let scratch = ScratchDir::migrated();
    let service = Program::serve(scratch.path());
    let accept = |secret: &str| {
        service.client().post("/api/auth/accept", json!({ "invitation": secret, "password": NEW })).created()
    };
    let log_in = |name: &str, password: &str| {
        service.client().post("/api/auth/login", json!({ "name": name, "password": password }))
    };
    let first = secret(&run(scratch.path(), &["create-user", "--name", "ana", "--link"]), PUBLIC, "ana");
    log_in("ana", "").problem(401, "ErrInvalidCredentials");
    log_in("ana", NEW).problem(401, "ErrInvalidCredentials");
    // A second link replaces the first one, and makes no other profile.
    let second = secret(&run(scratch.path(), &["create-user", "--name", "ANA", "--link"]), PUBLIC, "ana");
    service
        .client()
        .post("/api/auth/accept", json!({ "invitation": first, "password": NEW }))
        .problem(401, "ErrInvitationInvalid");
    let ana = service.client().with_token(accept(&second)["token"].as_str().unwrap());
    assert_eq!(ana.get("/api/auth/me").ok()["role"], "owner");
    assert!(ana.get("/api/categories").ok().as_array().unwrap().len() > 5, "the standard categories");
    // Everything holds until the link is used.
    let reset = secret(&run(scratch.path(), &["set-password", "--name", "ana", "--link"]), PUBLIC, "ana");
    ana.get("/api/accounts").ok();
    log_in("ana", NEW).ok();
    accept(&reset);
    ana.get("/api/accounts").problem(401, "ErrUnauthenticated");
    let added = ["add-member", "--profile", "ana", "--name", "Zé & Cia", "--role", "viewer", "--link"];
    let third = secret(&run(scratch.path(), &added), PUBLIC, "Z%C3%A9%20%26%20Cia");
    let joined = accept(&third);
    assert_eq!(joined["profile"]["name"], "Zé & Cia");
    let joined = service.client().with_token(joined["token"].as_str().unwrap());
    assert_eq!(joined.get("/api/auth/me").ok()["role"], "viewer");
    assert!(refused(&run(scratch.path(), &["set-password", "--name", "nobody", "--link"])).contains("nobody"));
    assert!(refused(&run(scratch.path(), &added)).contains("already"));
}

#[test]
fn a_link_and_a_password_exclude_each_other() {
    let scratch = ScratchDir::migrated();
    for command in [
        ["create-user", "--name", "ana"].as_slice(),
        &["set-password", "--name", "ana"],
        &["add-member", "--profile", "ana", "--name", "bia", "--role", "editor"],
    ] {
        let output = run(scratch.path(), &[command, &["--link", "--password", PASSWORD]].concat());
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        assert!(!refused(&output).contains(PASSWORD));
    }
    assert_eq!(printed(&run(scratch.path(), &["list-users"])).lines().count(), 1, "nobody was created");
}

#[test]
fn a_link_needs_an_address_that_is_known_before_the_start() {
    let scratch = ScratchDir::migrated();
    let line = refused(&Program::run(scratch.path(), &["create-user", "--name", "ana", "--link"]));
    assert!(line.contains("FINANCE_PUBLIC_URL"), "{line}");
    assert_eq!(printed(&run(scratch.path(), &["list-users"])).lines().count(), 1, "nobody was created");
    for (bind, origin) in [("127.0.0.1:8099", "http://127.0.0.1:8099"), ("0.0.0.0:8099", "http://localhost:8099")] {
        let mut command = Program::command(scratch.path());
        command.env("FINANCE_BIND", bind).args(["create-user", "--name", "ana", "--link"]);
        secret(&command.stdin(Stdio::null()).output().unwrap(), origin, "ana");
    }
}

#[test]
fn a_service_without_users_says_how_the_first_one_starts() {
    let scratch = ScratchDir::migrated();
    let words = "`finance create-user --name NAME --link`";
    let mut service = Program::serve(scratch.path());
    // It is said once the service listens, and before it stops.
    assert_eq!(service.stop().matches(words).count(), 1);
    printed(&run(scratch.path(), &["create-user", "--name", "ana", "--password", PASSWORD]));
    assert!(!Program::serve(scratch.path()).stop().contains(words));
}
