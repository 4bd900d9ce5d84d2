//! Links with which a member sets its password.

use std::sync::Barrier;
use std::thread;

use finance_domain::credentials::{Role, SecretHash};
use finance_domain::members::NewLink;
use finance_domain::profiles::{NewAccess, NewProfile};
use finance_domain::{Clock, Store};
use finance_tests::{Client, PASSWORD, Reply, TestApp, totp};
use serde_json::{Value, json};
use time::Duration;

use super::{assert_refused, login};

const NEW: &str = "battery staple";
const INVITATIONS: &str = "/api/members/invitations";

fn path_of(member: &Client) -> String {
    format!("/api/members/{}/password-link", member.get("/api/auth/me").ok()["member_id"])
}

fn link(owner: &Client, member: &Client) -> String {
    let made = owner.post_nothing(&path_of(member)).created();
    let names: Vec<&String> = made.as_object().unwrap().keys().collect();
    assert_eq!(names, ["expires_at", "invitation"]);
    made["invitation"].as_str().unwrap().to_string()
}

fn accept(app: &TestApp, link: &str) -> Reply {
    app.anyone().post("/api/auth/accept", json!({ "invitation": link, "password": NEW }))
}

/// The link with that secret, as an operator makes it.
fn by_operator(app: &TestApp, secret: &str) -> NewLink {
    let hash = app.rows(&format!("select encode(sha256('{secret}'), 'hex') as hash"))[0]["hash"].clone();
    let text = hash.as_str().unwrap();
    let mut bytes = [0; 32];
    for (at, byte) in bytes.iter_mut().enumerate() {
        *byte = u8::from_str_radix(&text[2 * at..2 * at + 2], 16).unwrap();
    }
    NewLink::new(SecretHash(bytes), app.clock.now())
}

#[test]
fn a_link_sets_the_password_of_its_member_and_nothing_before() {
    let app = TestApp::start();
    let there = app.another_node();
    let ana = app.user("ana");
    let bia = app.member(&ana, "bia", Role::Viewer);
    let phone = login(&app, "bia", PASSWORD).ok()["token"].as_str().unwrap().to_string();
    let link = link(&ana, &bia);
    assert!(link.starts_with("inv_") && link.len() == 47, "{link}");
    // Until it is used, everything stays.
    bia.get("/api/accounts").ok();
    login(&app, "bia", PASSWORD).ok();
    let listed = ana.get(INVITATIONS).ok();
    let me = |client: &Client| client.get("/api/auth/me").ok()["member_id"].clone();
    assert_eq!(
        (&listed[0]["member_id"], &listed[0]["role"], &listed[0]["created_by"]),
        (&me(&bia), &json!("viewer"), &me(&ana))
    );
    // The name of the body is ignored, whatever it is.
    let body = json!({ "invitation": link, "password": NEW, "name": ["ana"] });
    let accepted = there.anyone().post("/api/auth/accept", body).created();
    assert_eq!(accepted["profile"]["name"], "bia");
    let fresh = ana.with_token(accepted["token"].as_str().unwrap());
    assert_eq!(
        (me(&fresh), fresh.get("/api/auth/me").ok()["role"].clone()),
        (listed[0]["member_id"].clone(), json!("viewer"))
    );
    for node in [app.anyone(), there.anyone()] {
        assert_refused(&node, bia.token());
        assert_refused(&node, &phone);
    }
    login(&app, "bia", PASSWORD).problem(401, "ErrInvalidCredentials");
    login(&app, "bia", NEW).ok();
    login(&app, "ana", PASSWORD).ok();
    accept(&app, &link).problem(401, "ErrInvitationInvalid");
    assert_eq!(ana.get(INVITATIONS).ok(), json!([]));
    assert_eq!(ana.get("/api/members").ok().as_array().unwrap().len(), 2, "nobody has joined");
}

#[test]
fn tokens_and_invitations_of_the_member_end_with_its_password() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let bia = app.member(&ana, "bia", Role::Owner);
    let token = bia.post("/api/tokens", json!({ "name": "cron", "scopes": ["read"] })).created();
    bia.post(INVITATIONS, json!({ "role": "viewer" })).created();
    let link = link(&ana, &bia);
    accept(&app, &link).created();
    assert_refused(&ana, token["token"].as_str().unwrap());
    assert_eq!(ana.get(INVITATIONS).ok(), json!([]));
}

#[test]
fn a_link_is_good_once_for_two_days_and_a_newer_one_replaces_it() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let (bia, caio) = (app.member(&ana, "bia", Role::Editor), app.member(&ana, "caio", Role::Editor));
    let (first, other) = (link(&ana, &bia), link(&ana, &caio));
    let second = link(&ana, &bia);
    accept(&app, &first).problem(401, "ErrInvitationInvalid");
    app.clock.advance(Duration::hours(48) - Duration::minutes(1));
    accept(&app, &second).created();
    app.clock.advance(Duration::minutes(2));
    accept(&app, &other).problem(401, "ErrInvitationInvalid");
    login(&app, "caio", PASSWORD).ok();
}

#[test]
fn a_password_that_was_set_otherwise_ends_the_link() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let bia = app.member(&ana, "bia", Role::Editor);
    let own = link(&ana, &bia);
    let body = json!({ "current_password": PASSWORD, "new_password": "horse battery" });
    let changed = bia.post("/api/auth/change-password", body).ok();
    accept(&app, &own).problem(401, "ErrInvitationInvalid");
    let bia = bia.with_token(changed["token"].as_str().unwrap());
    let by_owner = link(&ana, &bia);
    app.store.member_set_password("bia", "of the operator").unwrap();
    accept(&app, &by_owner).problem(401, "ErrInvitationInvalid");
    assert_eq!(ana.get(INVITATIONS).ok(), json!([]));
}

#[test]
fn of_eight_who_accept_at_once_one_does() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let bia = app.member(&ana, "bia", Role::Editor);
    let link = link(&ana, &bia);
    let at_once = Barrier::new(8);
    let statuses: Vec<u16> = thread::scope(|scope| {
        let begun: Vec<_> = (0..8)
            .map(|number| {
                let (app, at_once, link) = (&app, &at_once, &link);
                scope.spawn(move || {
                    let body = json!({ "invitation": link, "password": format!("battery {number}") });
                    at_once.wait();
                    app.anyone().post("/api/auth/accept", body).status
                })
            })
            .collect();
        begun.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert_eq!(statuses.iter().filter(|status| **status == 201).count(), 1, "{statuses:?}");
    assert_eq!(statuses.iter().filter(|status| **status == 401).count(), 7, "{statuses:?}");
}

#[test]
fn what_is_refused_leaves_the_link_open() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let bia = app.member(&ana, "bia", Role::Editor);
    let open = link(&ana, &bia);
    let send = |body: Value| app.anyone().post("/api/auth/accept", body);
    send(json!({ "invitation": open })).invalid(&["password"]);
    send(json!({ "invitation": open, "password": "short" })).invalid(&["password"]);
    send(json!({ "invitation": open, "password": NEW, "remember": "for ever" })).invalid(&["remember"]);
    // One that is not open is refused before a name or anything else is missed.
    let unknown = format!("inv_{}", "A".repeat(43));
    for gone in ["inv_x", unknown.as_str()] {
        send(json!({ "invitation": gone })).problem(401, "ErrInvitationInvalid");
        send(json!({ "invitation": gone, "password": NEW })).problem(401, "ErrInvitationInvalid");
    }
    // An invitation to become a member still takes a name.
    let invitation = ana.post(INVITATIONS, json!({ "role": "viewer" })).created()["invitation"].clone();
    send(json!({ "invitation": invitation, "password": NEW })).invalid(&["name"]);
    // A disabled member is refused until it is enabled.
    app.store.member_set_disabled("bia", true).unwrap();
    accept(&app, &open).problem(401, "ErrInvitationInvalid");
    app.store.member_set_disabled("bia", false).unwrap();
    accept(&app, &open).created();
}

#[test]
fn a_link_is_made_by_owners_for_others_and_ends_with_its_maker() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let (bia, caio) = (app.member(&ana, "bia", Role::Owner), app.member(&ana, "caio", Role::Editor));
    ana.post_nothing(&path_of(&ana)).problem(403, "ErrNotAllowed");
    caio.post_nothing(&path_of(&bia)).problem(403, "ErrNotAllowed");
    ana.post_nothing("/api/members/9000000000/password-link").problem(404, "ErrNotFound");
    let token = ana.post("/api/tokens", json!({ "name": "cron", "scopes": ["write"] })).created();
    ana.with_token(token["token"].as_str().unwrap()).post_nothing(&path_of(&caio)).problem(403, "ErrInsufficientScope");
    // Whoever may not invite any more has no open links.
    let by_bia = link(&bia, &caio);
    let path = path_of(&bia);
    ana.put(path.strip_suffix("/password-link").unwrap(), json!({ "role": "editor" })).ok();
    accept(&app, &by_bia).problem(401, "ErrInvitationInvalid");
    // A link goes with its member, and can be withdrawn.
    let by_ana = link(&ana, &caio);
    let id = ana.get(INVITATIONS).ok()[0]["id"].clone();
    ana.delete(&format!("{INVITATIONS}/{id}")).gone();
    accept(&app, &by_ana).problem(401, "ErrInvitationInvalid");
    let by_ana = link(&ana, &caio);
    ana.delete(path_of(&caio).strip_suffix("/password-link").unwrap()).gone();
    accept(&app, &by_ana).problem(401, "ErrInvitationInvalid");
    assert_eq!(app.rows("select id from invitations"), Vec::<Value>::new());
}

#[test]
fn links_are_among_the_fifty_open_invitations_and_a_newer_one_takes_no_more_room() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let bia = app.member(&ana, "bia", Role::Editor);
    let caio = app.member(&ana, "caio", Role::Editor);
    link(&ana, &bia);
    for _ in 0..49 {
        ana.post(INVITATIONS, json!({ "role": "viewer" })).created();
    }
    ana.post_nothing(&path_of(&caio)).problem(409, "ErrLimitReached");
    ana.post(INVITATIONS, json!({ "role": "viewer" })).problem(409, "ErrLimitReached");
    accept(&app, &link(&ana, &bia)).created();
    link(&ana, &caio);
}

#[test]
fn with_a_second_factor_the_link_takes_a_code() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let bia = app.member(&ana, "bia", Role::Editor);
    let begun = bia.post("/api/auth/second-factor", json!({ "password": PASSWORD })).created();
    let secret = begun["secret"].as_str().unwrap();
    let confirmed = bia.post("/api/auth/second-factor/confirm", json!({ "code": totp(secret, app.clock.now()) })).ok();
    let bia = bia.with_token(confirmed["token"].as_str().unwrap());
    let link = link(&ana, &bia);
    app.clock.advance(Duration::seconds(30));
    let coded = |code: &str| {
        app.anyone().post("/api/auth/accept", json!({ "invitation": link, "password": NEW, "code": code }))
    };
    accept(&app, &link).problem(401, "ErrSecondFactorRequired");
    for _ in 0..9 {
        coded("000000").problem(401, "ErrInvalidCredentials");
    }
    bia.get("/api/accounts").ok();
    coded(&totp(secret, app.clock.now())).created();
    // The factor stays, and wrong codes count as failed logins.
    login(&app, "bia", NEW).problem(401, "ErrSecondFactorRequired");
    let link = ana.post_nothing(&path_of(&app.member(&ana, "caio", Role::Viewer))).created();
    assert!(link["invitation"].is_string());
    coded("000000").problem(401, "ErrInvitationInvalid");
}

#[test]
fn wrong_codes_of_a_link_are_failed_logins() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let bia = app.member(&ana, "bia", Role::Editor);
    let begun = bia.post("/api/auth/second-factor", json!({ "password": PASSWORD })).created();
    let secret = begun["secret"].as_str().unwrap();
    let code = json!({ "code": totp(secret, app.clock.now()) });
    let bia = bia.with_token(bia.post("/api/auth/second-factor/confirm", code).ok()["token"].as_str().unwrap());
    let body = json!({ "invitation": link(&ana, &bia), "password": NEW, "code": "000000" });
    for _ in 0..10 {
        app.anyone().post("/api/auth/accept", body.clone()).problem(401, "ErrInvalidCredentials");
    }
    app.anyone().post("/api/auth/accept", body).problem(429, "ErrTooManyAttempts");
    login(&app, "bia", PASSWORD).problem(429, "ErrTooManyAttempts");
}

#[test]
fn a_member_without_a_password_logs_in_with_none() {
    let app = TestApp::start();
    let secret = format!("inv_{}", "b".repeat(43));
    let link = by_operator(&app, &secret);
    let new = NewProfile { name: "zoe".into(), access: NewAccess::Link(link), standard_categories: Vec::new() };
    let zoe = app.store.profile_upsert(&new).unwrap();
    assert!(app.store.has_members().unwrap());
    for password in ["", PASSWORD, "no profile has this password"] {
        login(&app, "zoe", password).problem(401, "ErrInvalidCredentials");
    }
    let accepted = accept(&app, &secret).created();
    assert_eq!((&accepted["profile"]["id"], &accepted["profile"]["name"]), (&json!(zoe.profile_id.0), &json!("zoe")));
    let zoe = app.anyone().with_token(accepted["token"].as_str().unwrap());
    assert_eq!(zoe.get("/api/auth/me").ok()["role"], "owner");
    login(&app, "zoe", NEW).ok();
    // A known user keeps everything until the link is used.
    let again = by_operator(&app, &secret);
    app.store.member_link("ZOE", &again).unwrap();
    zoe.get("/api/accounts").ok();
    let listed = zoe.get(INVITATIONS).ok();
    assert_eq!((&listed[0]["created_by"], &listed[0]["role"]), (&Value::Null, &json!("owner")));
    accept(&app, &secret).created();
    assert_refused(&zoe, zoe.token());
    assert!(app.store.member_link("nobody", &again).is_err());
}
