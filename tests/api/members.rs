//! `/api/members`: the members of a profile, invitations, and who entered a transaction.

use finance_domain::credentials::Role;
use finance_domain::{Clock, Store};
use finance_tests::{Client, Method, PASSWORD, PASSWORD_HASH, Reply, TestApp, ofx, totp};
use serde_json::{Value, json};
use time::Duration;
use time::macros::date;

use crate::needs::token;

fn invite(owner: &Client, role: &str) -> String {
    let reply = owner.post("/api/members/invitations", json!({ "role": role }));
    let location = reply.header("location").expect("where it is").to_string();
    let made = reply.created();
    let listed = owner.get("/api/members/invitations").ok();
    let newest = listed.as_array().unwrap().last().unwrap()["id"].clone();
    assert_eq!(location, format!("/api/members/invitations/{newest}"));
    made["invitation"].as_str().expect("an invitation").to_string()
}

fn accept(app: &TestApp, invitation: &str, name: &str) -> Reply {
    let body = json!({ "invitation": invitation, "name": name, "password": "battery staple" });
    app.anyone().post("/api/auth/accept", body)
}

fn me(client: &Client) -> Value {
    client.get("/api/auth/me").ok()
}

#[test]
fn an_invitation_makes_a_member_once() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let profile = me(&ana)["id"].clone();
    assert_eq!(me(&ana)["role"], "owner");
    let invitation = invite(&ana, "editor");
    let accepted = accept(&app, &invitation, " Bia ").created();
    assert_eq!((&accepted["token_type"], &accepted["profile"]["id"]), (&json!("Bearer"), &profile));
    let bia = ana.with_token(accepted["token"].as_str().unwrap());
    let shown = me(&bia);
    assert_eq!((&shown["id"], &shown["name"], &shown["role"]), (&profile, &json!("Bia"), &json!("editor")));
    assert_ne!(shown["member_id"], me(&ana)["member_id"]);
    let members = ana.get("/api/members").ok();
    let listed: Vec<_> = members.as_array().unwrap().iter().map(|member| (&member["name"], &member["role"])).collect();
    assert_eq!(listed, [(&json!("ana"), &json!("owner")), (&json!("Bia"), &json!("editor"))]);
    assert_eq!(members[1]["id"], shown["member_id"]);
    assert!(members[1]["created_at"].as_str().unwrap().ends_with('Z'));
    // Both members have the same data.
    bia.post("/api/categories", json!({ "name": "Pets" })).created();
    assert!(ana.get("/api/categories").ok().to_string().contains("Pets"));
    let again = app.anyone().post("/api/auth/login", json!({ "name": "BIA", "password": "battery staple" })).ok();
    assert_eq!(again["profile"]["id"], profile);
    let used = accept(&app, &invitation, "caio");
    assert_eq!(used.header("WWW-Authenticate"), Some("Bearer"));
    used.problem(401, "ErrInvitationInvalid");
    assert_eq!(app.rows("select * from invitations"), Vec::<Value>::new());
}

#[test]
fn an_invitation_is_good_for_two_days() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let (early, late) = (invite(&ana, "viewer"), invite(&ana, "viewer"));
    app.clock.advance(Duration::hours(48) - Duration::minutes(1));
    accept(&app, &early, "bia").created();
    app.clock.advance(Duration::minutes(2));
    accept(&app, &late, "caio").problem(401, "ErrInvitationInvalid");
    // A later invitation removes the expired ones.
    let login = app.anyone().post("/api/auth/login", json!({ "name": "ana", "password": PASSWORD })).ok();
    invite(&ana.with_token(login["token"].as_str().unwrap()), "viewer");
    assert_eq!(app.rows("select * from invitations").len(), 1);
}

const INVITATIONS: &str = "/api/members/invitations";

/// Something that ends the access of Bia: of the service, Ana, Bia, and the path of Bia's member.
type End<'a> = &'a dyn Fn(&TestApp, &Client, &Client, &str);

#[test]
fn open_invitations_are_listed_without_their_secret_and_withdrawn() {
    let app = TestApp::start();
    let there = app.another_node();
    let ana = app.user("ana");
    let bia = app.member(&ana, "bia", Role::Owner);
    assert_eq!(ana.get(INVITATIONS).ok(), json!([]));
    let (first, second) = (invite(&ana, "viewer"), invite(&bia, "editor"));
    let listed = ana.get(INVITATIONS).ok();
    let found: Vec<_> = listed.as_array().unwrap().iter().map(|one| (&one["role"], &one["created_by"])).collect();
    let (anas, bias) = (&me(&ana)["member_id"], &me(&bia)["member_id"]);
    assert_eq!(found, [(&json!("viewer"), anas), (&json!("editor"), bias)]);
    let names: Vec<&String> = listed[0].as_object().unwrap().keys().collect();
    assert_eq!(names, ["created_at", "created_by", "expires_at", "id", "member_id", "role"]);
    assert!(listed[0]["created_at"].as_str() < listed[0]["expires_at"].as_str(), "{listed}");
    assert!(!listed.to_string().contains("inv_"));
    assert_eq!(bia.get(INVITATIONS).ok(), listed);
    // An invitation of another profile, or none, cannot be withdrawn.
    let carla = app.user("carla");
    let path = |at: usize| format!("{INVITATIONS}/{}", listed[at]["id"]);
    assert_eq!(carla.get(INVITATIONS).ok(), json!([]));
    carla.delete(&path(0)).problem(404, "ErrNotFound");
    ana.delete(&format!("{INVITATIONS}/9000000000")).problem(404, "ErrNotFound");
    assert_eq!(ana.get(INVITATIONS).ok(), listed);
    // Each owner may withdraw what another one made. It is refused at once on every node.
    there.anyone().with_token(ana.token()).delete(&path(1)).gone();
    ana.delete(&path(1)).problem(404, "ErrNotFound");
    for node in [&app, &there] {
        accept(node, &second, "caio").problem(401, "ErrInvitationInvalid");
    }
    accept(&there, &first, "caio").created();
    assert_eq!(ana.get(INVITATIONS).ok(), json!([]), "it was accepted");
    let late = invite(&ana, "viewer");
    app.clock.advance(Duration::hours(23));
    assert_eq!(ana.get(INVITATIONS).ok().as_array().unwrap().len(), 1);
    let login = app.anyone().post("/api/auth/login", json!({ "name": "ana", "password": PASSWORD })).ok();
    let ana = ana.with_token(login["token"].as_str().unwrap());
    app.clock.advance(Duration::hours(12));
    let login = app.anyone().post("/api/auth/login", json!({ "name": "ana", "password": PASSWORD })).ok();
    let ana = ana.with_token(login["token"].as_str().unwrap());
    app.clock.advance(Duration::hours(13) + Duration::seconds(1));
    let login = app.anyone().post("/api/auth/login", json!({ "name": "ana", "password": PASSWORD })).ok();
    assert_eq!(ana.with_token(login["token"].as_str().unwrap()).get(INVITATIONS).ok(), json!([]), "it has expired");
    accept(&app, &late, "davi").problem(401, "ErrInvitationInvalid");
}

#[test]
fn an_invitation_goes_with_whoever_made_it_on_every_node() {
    let turn_on = |app: &TestApp, bia: &Client| {
        let begun = bia.post("/api/auth/second-factor", json!({ "password": PASSWORD })).created();
        let code = totp(begun["secret"].as_str().unwrap(), app.clock.now());
        bia.with_token(
            bia.post("/api/auth/second-factor/confirm", json!({ "code": code })).ok()["token"].as_str().unwrap(),
        )
    };
    let ends: [(&str, End<'_>); 9] = [
        ("removed", &|_, ana, _, path| ana.delete(path).gone()),
        ("demoted to editor", &|_, ana, _, path| drop(ana.put(path, json!({ "role": "editor" })).ok())),
        ("demoted to viewer", &|_, ana, _, path| drop(ana.put(path, json!({ "role": "viewer" })).ok())),
        ("new password", &|_, _, bia, _| {
            let change = json!({ "current_password": PASSWORD, "new_password": "battery staple" });
            bia.post("/api/auth/change-password", change).ok();
        }),
        ("new password by the operator", &|app, _, _, _| {
            app.store.member_set_password("bia", PASSWORD_HASH).unwrap();
        }),
        ("ended sessions", &|_, _, bia, _| bia.delete("/api/auth/sessions").gone()),
        ("disabled", &|app, _, _, _| drop(app.store.member_set_disabled("bia", true).unwrap())),
        ("disabled and enabled", &|app, _, _, _| {
            app.store.member_set_disabled("bia", true).unwrap();
            app.store.member_set_disabled("bia", false).unwrap();
        }),
        ("a second factor", &|app, _, bia, _| drop(turn_on(app, bia))),
    ];
    for (what, end) in ends {
        let app = TestApp::start();
        let there = app.another_node();
        let ana = app.user("ana");
        let bia = app.member(&ana, "bia", Role::Owner);
        let (anas, bias, other) = (invite(&ana, "editor"), invite(&bia, "editor"), invite(&bia, "viewer"));
        let path = format!("/api/members/{}", me(&bia)["member_id"]);
        end(&app, &ana, &bia, &path);
        for node in [&app, &there] {
            for invitation in [&bias, &other] {
                accept(node, invitation, "caio").problem(401, "ErrInvitationInvalid");
            }
        }
        assert_eq!(ana.get(INVITATIONS).ok().as_array().unwrap().len(), 1, "{what}");
        accept(&there, &anas, "caio").created();
    }
}

#[test]
fn a_second_factor_that_is_turned_off_ends_invitations_too() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let begun = ana.post("/api/auth/second-factor", json!({ "password": PASSWORD })).created();
    let code = totp(begun["secret"].as_str().unwrap(), app.clock.now());
    let on = ana.post("/api/auth/second-factor/confirm", json!({ "code": code })).ok();
    let ana = ana.with_token(on["token"].as_str().unwrap());
    let (by_member, later) = (invite(&ana, "editor"), json!({ "password": PASSWORD }).to_string().into_bytes());
    ana.send(Method::DELETE, "/api/auth/second-factor", Some("application/json"), later).ok();
    accept(&app, &by_member, "bia").problem(401, "ErrInvitationInvalid");
}

/// As if a row had been left behind: the role and the state of the maker are compared again when the invitation is accepted.
#[test]
fn an_invitation_is_refused_while_its_maker_may_not_invite() {
    let app = TestApp::start();
    let ana = app.user("ana");
    app.member(&ana, "bia", Role::Owner);
    let invitation = invite(&ana, "editor");
    for (change, back) in [("role = 'editor'", "role = 'owner'"), ("is_disabled = true", "is_disabled = false")] {
        app.sql(&format!("update members set {change} where name = 'ana'"));
        accept(&app, &invitation, "caio").problem(401, "ErrInvitationInvalid");
        app.sql(&format!("update members set {back} where name = 'ana'"));
    }
    assert_eq!(app.rows("select * from invitations").len(), 1, "a refusal uses nothing up");
    accept(&app, &invitation, "caio").created();
}

#[test]
fn what_is_no_invitation_makes_nobody() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let invitation = invite(&ana, "viewer");
    let secret = token(&ana, &["write"]).token().to_string();
    for other in ["", "x", &invitation[1..], &format!("{invitation}A"), &secret, &format!("inv_{}", "A".repeat(43))] {
        accept(&app, other, "bia").problem(401, "ErrInvitationInvalid");
    }
    ana.with_token(&invitation).get("/api/auth/me").problem(401, "ErrUnauthenticated");
    let send = |body: Value| app.anyone().post("/api/auth/accept", body);
    send(json!({})).invalid(&["invitation", "name", "password"]);
    send(json!({ "invitation": invitation, "name": " ", "password": "short" })).invalid(&["name", "password"]);
    assert_eq!(ana.get("/api/members").ok().as_array().unwrap().len(), 1);
    accept(&app, &invitation, "bia").created();
}

#[test]
fn a_name_is_taken_over_the_whole_service_and_leaves_the_invitation_open() {
    let app = TestApp::start();
    let (ana, _) = (app.user("ana"), app.user("caio"));
    let invitation = invite(&ana, "viewer");
    for taken in ["ana", "CAIO"] {
        accept(&app, &invitation, taken).problem(409, "ErrNameTaken");
    }
    accept(&app, &invitation, "bia").created();
}

#[test]
fn an_invitation_is_for_an_editor_or_a_viewer() {
    let app = TestApp::start();
    let ana = app.user("ana");
    for role in [json!("owner"), json!("admin"), json!(1), Value::Null] {
        ana.post("/api/members/invitations", json!({ "role": role })).invalid(&["role"]);
    }
    let made = ana.post("/api/members/invitations", json!({ "role": "viewer" })).created();
    let names: Vec<&String> = made.as_object().unwrap().keys().collect();
    assert_eq!(names, ["expires_at", "invitation"]);
    let stored = app.rows("select encode(hash, 'escape') as text, * from invitations");
    assert!(!stored[0].to_string().contains(&made["invitation"].as_str().unwrap()[4..]));
    for _ in 1..50 {
        invite(&ana, "editor");
    }
    ana.post("/api/members/invitations", json!({ "role": "viewer" })).problem(409, "ErrLimitReached");
}

#[test]
fn a_role_holds_at_once_on_every_node_and_a_removed_member_is_refused() {
    let app = TestApp::start();
    let there = app.another_node();
    let ana = app.user("ana");
    let bia = app.member(&ana, "bia", Role::Viewer);
    let elsewhere = there.anyone().with_token(bia.token());
    let category = |name: &str| json!({ "name": name });
    elsewhere.post("/api/categories", category("Pets")).problem(403, "ErrNotAllowed");
    let path = format!("/api/members/{}", me(&bia)["member_id"]);
    ana.put(&path, json!({})).invalid(&["role"]);
    assert_eq!(ana.put(&path, json!({ "role": "editor" })).ok()["role"], "editor");
    elsewhere.post("/api/categories", category("Pets")).created();
    let writes = token(&bia, &["write"]);
    let writes_there = there.anyone().with_token(writes.token());
    writes_there.get("/api/accounts").ok();
    ana.delete(&path).gone();
    for client in [&bia, &elsewhere, &writes, &writes_there] {
        client.get("/api/accounts").problem(401, "ErrUnauthenticated");
        client.post("/api/categories", category("Casa nova")).problem(401, "ErrUnauthenticated");
    }
    app.anyone()
        .post("/api/auth/login", json!({ "name": "bia", "password": PASSWORD }))
        .problem(401, "ErrInvalidCredentials");
    ana.delete(&path).problem(404, "ErrNotFound");
    ana.put(&path, json!({ "role": "viewer" })).problem(404, "ErrNotFound");
    // The name is free again.
    app.user("bia").get("/api/categories").ok();
}

#[test]
fn the_last_owner_stays() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let bia = app.member(&ana, "bia", Role::Editor);
    let path = |client: &Client| format!("/api/members/{}", me(client)["member_id"]);
    let (anas, bias) = (path(&ana), path(&bia));
    ana.delete(&anas).problem(409, "ErrLastOwner");
    ana.put(&anas, json!({ "role": "editor" })).problem(409, "ErrLastOwner");
    ana.put(&anas, json!({ "role": "owner" })).ok();
    ana.put(&bias, json!({ "role": "owner" })).ok();
    ana.put(&anas, json!({ "role": "viewer" })).ok();
    ana.delete(&bias).problem(403, "ErrNotAllowed");
    bia.delete(&bias).problem(409, "ErrLastOwner");
    bia.delete(&anas).gone();
    ana.get("/api/auth/me").problem(401, "ErrUnauthenticated");
}

#[test]
fn a_viewer_changes_its_own_password() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let bia = app.member(&ana, "bia", Role::Viewer);
    let change = json!({ "current_password": PASSWORD, "new_password": "battery staple" });
    let fresh = bia.post("/api/auth/change-password", change).ok();
    bia.get("/api/auth/me").problem(401, "ErrUnauthenticated");
    assert_eq!(me(&bia.with_token(fresh["token"].as_str().unwrap()))["role"], "viewer");
    ana.get("/api/auth/me").ok();
    app.anyone().post("/api/auth/login", json!({ "name": "ana", "password": PASSWORD })).ok();
}

#[test]
fn a_transaction_says_who_entered_it() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let bia = app.member(&ana, "bia", Role::Editor);
    let imports = token(&bia, &["import"]);
    let (anas, bias) = (me(&ana)["member_id"].clone(), me(&bia)["member_id"].clone());
    let bank = json!({ "name": "Banco", "kind": "current", "opening_balance": "100" });
    let account = ana.post("/api/accounts", bank).created()["id"].clone();
    let savings = bia.create("/api/accounts", json!({ "name": "Poupança", "kind": "savings" }));
    let lunch = json!({ "type": "expense", "date": "2026-03-01", "description": "Almoço", "amount": 30 });
    assert_eq!(bia.post("/api/transactions", lunch).created()["created_by"], bias);
    imports.import(account.as_i64(), &ofx(&[("20260302", "-10.00", "A1", "Padaria")])).created();
    let moved = json!({ "from_account_id": account, "to_account_id": savings, "amount": 5, "date": "2026-03-03" });
    let moved = bia.post("/api/transfers", moved).created();
    assert_eq!((&moved["from"]["created_by"], &moved["to"]["created_by"]), (&bias, &bias));
    let by = |description: &str| {
        let listed = ana.get("/api/transactions").ok();
        let found = listed.as_array().unwrap().iter().find(|row| row["description"] == description).cloned();
        found.unwrap_or_else(|| panic!("{description} in {listed}"))
    };
    assert_eq!(by("Padaria")["created_by"], bias, "the maker of the token");
    let opening = ana.get(&format!("/api/transactions?account_id={account}")).ok();
    let opening = opening.as_array().unwrap().iter().find(|row| row["source"] == "opening_balance").unwrap();
    assert_eq!(opening["created_by"], anas);
    // An edit by another member does not change who entered the transaction.
    let mut edited = by("Almoço");
    edited["description"] = json!("Jantar");
    assert_eq!(ana.put(&format!("/api/transactions/{}", edited["id"]), edited.clone()).ok()["created_by"], bias);
    // When a member is removed, its transactions stay.
    ana.delete(&format!("/api/members/{bias}")).gone();
    assert_eq!(by("Jantar")["created_by"], bias);
    // Members are not in an export, and who entered a row is not restored into another profile.
    let document = ana.get("/api/export").ok();
    assert!(!document.to_string().contains("created_by") && !document.to_string().contains("bia"), "{document}");
    let caio = app.user("caio");
    caio.post("/api/restore", document).ok();
    let restored = caio.get("/api/transactions").ok();
    let rows = restored.as_array().unwrap();
    assert!(rows.len() > 4 && rows.iter().all(|row| row["created_by"].is_null()), "{restored}");
}

#[test]
fn nobody_entered_a_yield() {
    let app = TestApp::start();
    app.clock.set_today(date!(2025 - 02 - 01));
    for day in 2..=31 {
        let day = time::Date::from_calendar_date(2025, time::Month::January, day).unwrap();
        app.rates.publish(day, "0.045");
    }
    let ana = app.user("ana");
    let fund = json!({ "name": "CDB", "kind": "investment", "yield_type": "cdi", "last_yield_date": "2025-01-01",
        "opening_balance": "1000", "opening_date": "2025-01-01" });
    ana.post("/api/accounts", fund).created();
    // A yield that the service pays during a request with a read token was also entered by nobody.
    token(&ana, &["read"]).get("/api/accounts").ok();
    let listed = ana.get("/api/transactions").ok();
    let paid = listed.as_array().unwrap().iter().find(|row| row["source"] == "yield");
    let paid = paid.unwrap_or_else(|| panic!("no yield in {listed}"));
    assert_eq!(paid["created_by"], Value::Null);
}

#[test]
fn failed_logins_of_a_member_count_for_its_name() {
    let app = TestApp::start();
    let ana = app.user("ana");
    app.member(&ana, "bia", Role::Viewer);
    let try_login = |name: &str, password: &str| {
        app.anyone().post("/api/auth/login", json!({ "name": name, "password": password }))
    };
    for _ in 0..10 {
        try_login("bia", "wrong horse").problem(401, "ErrInvalidCredentials");
    }
    try_login("bia", PASSWORD).problem(429, "ErrTooManyAttempts");
    try_login("ana", PASSWORD).ok();
}
