//! Members on the command line.

use finance_tests::{PASSWORD, Program, ScratchDir};
use serde_json::{Value, json};

use crate::outcome::{printed, refused, run_with_input};

#[test]
fn an_operator_adds_members_beside_a_running_service() {
    let scratch = ScratchDir::with_user();
    let run = |arguments: &[&str]| Program::run(scratch.path(), arguments);
    let service = Program::serve(scratch.path());
    let ana = service.login("ana", PASSWORD);
    let adding = |name: &'static str, role: &'static str| -> Vec<&'static str> {
        vec!["add-member", "--profile", "ANA", "--name", name, "--role", role]
    };
    let output =
        printed(&run_with_input(Program::command(scratch.path()).args(adding("bia", "editor")), "battery staple\n"));
    assert!(output.contains("bia is an editor of profile"), "{output}");
    printed(&run(&[&adding("caio", "owner")[..], &["--password", PASSWORD]].concat()));
    let bia = service.login("bia", "battery staple");
    let me = bia.get("/api/auth/me").ok();
    assert_eq!((&me["id"], &me["role"]), (&ana.get("/api/auth/me").ok()["id"], &json!("editor")));
    bia.post("/api/categories", json!({ "name": "Pets" })).created();
    bia.get("/api/export").problem(403, "ErrNotAllowed");
    let members = ana.get("/api/members").ok();
    assert_eq!(members.as_array().unwrap().len(), 3, "{members}");

    // Each member is a separate user, with its own password. Each can be disabled alone.
    let listed: Value = serde_json::from_str(&printed(&run(&["list-users", "--json"]))).unwrap();
    let of = |user: &Value| (user["name"].as_str().unwrap().to_string(), user["role"].as_str().unwrap().to_string());
    let users: Vec<_> = listed.as_array().unwrap().iter().map(of).collect();
    let expected = [("ana", "owner"), ("bia", "editor"), ("caio", "owner")];
    assert_eq!(users, expected.map(|(name, role)| (name.to_string(), role.to_string())));
    printed(&run(&["disable-user", "--name", "bia"]));
    bia.get("/api/auth/me").problem(401, "ErrUnauthenticated");
    ana.get("/api/auth/me").ok();
    printed(&run(&["enable-user", "--name", "bia"]));
    printed(&run(&["create-user", "--name", "bia", "--password", PASSWORD]));
    let bia = service.login("bia", PASSWORD);
    assert_eq!(bia.get("/api/auth/me").ok()["role"], "editor", "create-user gave her a new password and no profile");

    // A profile is not deleted by the name of a member who does not own it.
    let line = refused(&run(&["delete-profile", "--name", "bia", "--yes"]));
    assert!(line.contains("does not own"), "{line}");
    let line = refused(&run(&[&adding("BIA", "viewer")[..], &["--password", PASSWORD]].concat()));
    assert!(line.contains("there is a user BIA already"), "{line}");
    let nobody = ["add-member", "--profile", "dora", "--name", "eva", "--role", "viewer", "--password", PASSWORD];
    assert!(refused(&run(&nobody)).contains("dora"));
    assert!(refused(&run(&[&adding("eva", "admin")[..], &["--password", PASSWORD]].concat())).contains("--role"));
    assert!(refused(&run(&[&adding("eva", "viewer")[..], &["--password", "short"]].concat())).contains("password"));
    printed(&run(&["delete-profile", "--name", "caio", "--yes"]));
    for client in [&ana, &bia] {
        client.get("/api/auth/me").problem(401, "ErrUnauthenticated");
    }
    assert_eq!(printed(&run(&["list-users", "--json"])).trim(), "[]");
}

#[test]
fn a_restored_backup_keeps_tokens_and_refuses_logins() {
    let scratch = ScratchDir::with_user();
    let run = |arguments: &[&str]| Program::run(scratch.path(), arguments);
    let service = Program::serve(scratch.path());
    let ana = service.login("ana", PASSWORD);
    let secret = ana.post("/api/tokens", json!({ "name": "cron", "scopes": ["read"] })).created()["token"].clone();
    let reads = service.client().with_token(secret.as_str().unwrap());
    reads.get("/api/categories").ok();
    let invitation = ana.post("/api/members/invitations", json!({ "role": "viewer" })).created()["invitation"].clone();
    let file = scratch.path().join("finance.dump");
    let file = file.to_str().unwrap();
    printed(&run(&["backup", file]));
    printed(&run(&["restore", "--yes", file]));
    ana.get("/api/categories").problem(401, "ErrUnauthenticated");
    reads.get("/api/categories").ok();
    let accepted = json!({ "invitation": invitation, "name": "bia", "password": PASSWORD });
    service.client().post("/api/auth/accept", accepted).created();
    service.login("ana", PASSWORD).get("/api/members").ok();
}
