//! Answers that a client has already are not sent again: `ETag` and `If-None-Match`.

use std::collections::BTreeMap;
use std::thread;

use diesel::connection::SimpleConnection;
use finance_adapters_postgres::TimeLimits;
use finance_domain::credentials::Role;
use finance_tests::{Client, EVENTUALLY_MAX, Reply, TestApp, eventually};
use serde_json::json;
use time::macros::date;
use ureq::http::Method;

use crate::household::Household;
use crate::routes::{Route, routes};

/// The routes with a tag: the GETs of the document that may answer 304.
fn tagged(app: &TestApp, routes: Vec<Route>) -> Vec<Route> {
    let document = app.anyone().get("/api/openapi.json").ok();
    let may_be_unchanged = |route: &Route| !document["paths"][route.template]["get"]["responses"]["304"].is_null();
    routes.into_iter().filter(|route| route.method == Method::GET && may_be_unchanged(route)).collect()
}

fn get_if_changed(client: &Client, path: &str, tags: &str) -> Reply {
    client.send_with(Method::GET, path, None, Vec::new(), &[("If-None-Match", tags)])
}

fn tag(reply: &Reply) -> String {
    reply.header("ETag").unwrap_or_else(|| panic!("no tag: {reply:?}")).to_string()
}

/// The tag of a path after the work of the day's first request.
fn tag_of(client: &Client, path: &str) -> String {
    client.get(path);
    let reply = client.get(path);
    assert_eq!(reply.status, 200, "{path}");
    tag(&reply)
}

#[test]
fn an_answer_that_the_client_has_is_not_sent_again() {
    let app = TestApp::start();
    let ana = Household::new(&app, "ana");
    let routes = tagged(&app, routes(&ana, &ana));
    assert!(routes.len() > 30, "{}", routes.len());
    for route in &routes {
        let path = route.path(route.anas);
        let known = tag_of(&ana.client, &path);
        for tags in [known.clone(), format!("\"another\", {known}"), known.trim_start_matches("W/").to_string()] {
            let reply = get_if_changed(&ana.client, &path, &tags);
            assert_eq!((reply.status, reply.bytes.as_slice()), (304, b"".as_slice()), "{path}");
            assert_eq!(tag(&reply), known);
        }
        let reply = get_if_changed(&ana.client, &path, "*");
        assert_eq!((reply.status, reply.bytes.as_slice(), tag(&reply)), (304, b"".as_slice(), known.clone()), "{path}");
        for tags in ["\"another\"", "\"*\"", "W/", ""] {
            assert_eq!(get_if_changed(&ana.client, &path, tags).status, 200, "{path} {tags}");
        }
        let other =
            get_if_changed(&ana.client, &format!("{path}{}x=1", if path.contains('?') { '&' } else { '?' }), &known);
        assert_ne!(other.status, 304, "{path}: another query has another tag");
    }
}

#[test]
fn a_tag_is_of_one_credential_and_one_day() {
    let app = TestApp::start();
    let (ana, bia) = (Household::new(&app, "ana"), Household::new(&app, "bia"));
    let viewer = app.member(&ana.client, "vera", Role::Viewer);
    let path = "/api/transactions?month=2026-03";
    let known = tag_of(&ana.client, path);
    for other in [&bia.client, &viewer] {
        assert_eq!(get_if_changed(other, path, &known).status, 200);
    }
    app.anyone()
        .send_with(Method::GET, path, None, Vec::new(), &[("If-None-Match", &known)])
        .problem(401, "ErrUnauthenticated");
    let known = tag_of(&ana.client, path);
    assert_eq!(get_if_changed(&ana.client, path, &known).status, 304);
    app.clock.set_today(date!(2026 - 03 - 21));
    assert_eq!(get_if_changed(&ana.client, path, &known).status, 200, "a day later");
    let unknown = format!("/api/transactions/{}", crate::routes::NEVER_ISSUED);
    get_if_changed(&ana.client, &unknown, &known).problem(404, "ErrNotFound");
    get_if_changed(&ana.client, &unknown, "*").problem(404, "ErrNotFound");
    ana.client.delete("/api/auth/sessions").gone();
    get_if_changed(&ana.client, path, &known).problem(401, "ErrUnauthenticated");
}

#[test]
fn an_answer_that_midnight_overtakes_has_the_tag_of_its_day() {
    // No time limit ends the request that waits.
    let app =
        TestApp::start_limited(TimeLimits { begin: EVENTUALLY_MAX, ordinary: EVENTUALLY_MAX, long: EVENTUALLY_MAX });
    let ana = app.user("ana");
    let account = ana.create("/api/accounts", json!({ "name": "Conta", "kind": "current" }));
    let rent = json!({ "type": "expense", "date": "2026-03-16", "description": "Aluguel", "amount": "200.00", "account_id": account });
    ana.create("/api/transactions", rent);
    let balance = |reply: &Reply| reply.json()[0]["balance"].clone();
    let mut holder = app.connection();
    holder.batch_execute("begin; lock table accounts in access exclusive mode").unwrap();
    let read = thread::spawn({
        let ana = ana.clone();
        move || ana.get("/api/accounts")
    });
    let waiting = "select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
    eventually("the read waits", || (!app.rows(waiting).is_empty()).then_some(()));
    app.clock.set_today(date!(2026 - 03 - 16));
    drop(holder);
    let overtaken = read.join().unwrap();
    assert_eq!(balance(&overtaken), "0.00");
    let next = get_if_changed(&ana, "/api/accounts", &tag(&overtaken));
    assert_eq!((next.status, balance(&next)), (200, json!("-200.00")));
}

#[test]
fn after_every_write_only_unchanged_answers_are_left_out() {
    let app = TestApp::start();
    let ana = Household::new(&app, "ana");
    let readable: Vec<String> = tagged(&app, routes(&ana, &ana)).iter().map(|route| route.path(route.anas)).collect();
    let mut client = ana.client.clone();
    let mut seen: BTreeMap<&str, Reply> = BTreeMap::new();
    for write in routes(&ana, &ana).into_iter().filter(|route| route.method != Method::GET) {
        let what = format!("{} {}", write.method, write.template);
        for path in &readable {
            seen.entry(path).or_insert_with(|| client.get(path));
        }
        let reply = write.call(&client, &write.path(write.anas), &write.payload);
        if reply.status == 200 && reply.json()["token_type"] == "Bearer" {
            client = client.with_token(reply.json()["token"].as_str().unwrap());
        }
        for path in &readable {
            let before = &seen[path.as_str()];
            let Some(known) = before.header("ETag") else {
                assert_ne!(before.status, 200, "{path}");
                seen.remove(path.as_str());
                continue;
            };
            let answered = get_if_changed(&client, path, known);
            match answered.status {
                304 => assert_eq!(client.get(path).bytes, before.bytes, "{path} after {what}"),
                _ => drop(seen.insert(path, answered)),
            }
        }
    }
}

#[test]
fn accounts_that_wait_for_rates_are_asked_for_each_time() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let savings = ana.create(
        "/api/accounts",
        json!({ "name": "Caixinha", "kind": "investment", "yield_type": "cdi", "cdi_percentage": 100,
            "last_yield_date": "2026-03-02", "opening_balance": "1000.00", "opening_date": "2026-03-02" }),
    );
    app.clock.set_today(date!(2026 - 03 - 20));
    let known = tag_of(&ana, "/api/accounts");
    assert_eq!(get_if_changed(&ana, "/api/accounts", &known).status, 200);
    app.rates.publish_weekdays(date!(2026 - 03 - 02), date!(2026 - 03 - 20), "0.05");
    let reply = get_if_changed(&ana, "/api/accounts", &known);
    assert_eq!(reply.status, 200);
    assert_ne!(reply.json()[0]["balance"], "1000.00", "account {savings} has its yield");
}
