//! A POST with an `Idempotency-Key` is executed once, however often and to whichever node it is sent.

use std::collections::BTreeSet;
use std::sync::Barrier;
use std::thread;

use finance_domain::idempotency::{ANSWER_BYTES, ANSWERS_BYTES_MAX};
use finance_tests::{Client, Method, PASSWORD, Reply, TestApp, ofx};
use serde_json::{Value, json};

use crate::household::Household;
use crate::notices::subscription;
use crate::routes::ANCHORED;

/// The POSTs without a key. To repeat one of the last three creates nothing. The others return a secret.
const WITHOUT_KEY: [&str; 14] = [
    "/api/auth/login",
    "/api/auth/accept",
    "/api/auth/renew",
    "/api/auth/change-password",
    "/api/tokens",
    "/api/members/invitations",
    "/api/members/{id}/password-link",
    "/api/webhooks",
    "/api/auth/second-factor",
    "/api/auth/second-factor/confirm",
    "/api/logout",
    "/api/import/preview",
    "/api/inbox",
    "/api/entries/parse",
];

/// A POST: its template, the path to send it to, and its body if it takes one.
struct Call {
    template: &'static str,
    path: String,
    body: Option<Value>,
}

fn post_with(client: &Client, path: &str, body: Option<&Value>, headers: &[(&str, &str)]) -> Reply {
    let (content_type, bytes) = match body {
        Some(body) => (Some("application/json"), body.to_string().into_bytes()),
        None => (None, Vec::new()),
    };
    client.send_with(Method::POST, path, content_type, bytes, headers)
}

fn post(client: &Client, path: &str, body: &Value, key: &str) -> Reply {
    post_with(client, path, Some(body), &[("Idempotency-Key", key)])
}

/// All POSTs with a key, in an order in which each succeeds.
fn calls(house: &Household) -> Vec<Call> {
    let call = |template: &'static str, row: i64, body: Option<Value>| Call {
        template,
        path: template.replace("{id}", &row.to_string()).replace("{month}", "2027-03"),
        body,
    };
    let transaction = json!({ "type": "expense", "date": "2026-03-02", "description": "Pão", "amount": "8",
        "category_id": house.category, "account_id": house.account });
    let transfer = json!({ "from_account_id": house.account, "to_account_id": house.savings, "amount": "1",
        "date": "2026-03-03" });
    let import = json!({ "account_id": house.account, "format": "ofx", "rows": [{ "date": "2026-03-07",
        "description": "Chá", "amount": "4", "type": "expense" }] });
    let recurring = json!({ "type": "income", "description": "Aluguel", "amount": "900", "category_id": house.category,
        "day": 7 });
    let rule = json!({ "name": "Chás", "conditions": [{ "field": "description", "op": "contains", "value": "chá" }],
        "actions": [{ "action": "set_category", "category_id": house.category }] });
    let installments = json!({ "account_id": house.card, "description": "Fogão", "date": "2026-03-08", "count": 3,
        "total_amount": "90" });
    let came = json!({ "type": "income", "date": "2026-01-02", "description": "Extra", "amount": "3" });
    let came = house.client.create("/api/transactions", came);
    for month in ["2025-11", "2025-12", "2026-01", "2026-02"] {
        for payee in ["Internet", "Academia"] {
            let row = json!({ "type": "expense", "date": format!("{month}-09"), "description": payee, "amount": "99" });
            house.client.create("/api/transactions", row);
        }
    }
    let found = house.client.get("/api/recurring/suggestions").ok();
    let suggested = |template: &'static str, body: Option<Value>, payee: &str| {
        let is_of = |one: &&Value| one["draft"]["description"] == payee;
        let id = found.as_array().unwrap().iter().find(is_of).unwrap()["id"].as_str().unwrap();
        Call { template, path: template.replace("{id}", id), body }
    };
    let mut again = call("/api/webhooks/{id}/deliveries/{delivery_id}/send", house.webhook, None);
    again.path = again.path.replace("{delivery_id}", &house.delivery.to_string());
    let mut adjustment = call("/api/accounts/{id}/anchors/{date}/adjust", house.account, None);
    adjustment.path = adjustment.path.replace("{date}", ANCHORED);
    vec![
        call("/api/changes/{id}/undo", house.change, None),
        call("/api/categories", 0, Some(json!({ "name": "Casa nova", "monthly_budget": "10" }))),
        call("/api/budgets/{month}/fill", 0, Some(json!({ "from": "last_year" }))),
        call("/api/accounts", 0, Some(json!({ "name": "Carteira", "kind": "current", "opening_balance": "5" }))),
        call("/api/transactions", 0, Some(transaction)),
        call("/api/transactions/update", 0, Some(json!({ "ids": [house.transaction], "category_id": null }))),
        call("/api/transfers", 0, Some(transfer)),
        call("/api/transfers/reject", 0, Some(json!({ "from_id": house.sent, "to_id": house.received }))),
        call("/api/transfers/link", 0, Some(json!({ "from_id": house.sent, "to_id": house.received }))),
        call("/api/transfers/{id}/unlink", house.linked, None),
        call("/api/transfers/detect", 0, Some(json!({}))),
        call("/api/import/confirm", 0, Some(import)),
        call("/api/installments", 0, Some(installments)),
        call("/api/rules", 0, Some(rule.clone())),
        call("/api/rules/test", 0, Some(rule)),
        call("/api/rules/apply", 0, Some(json!({}))),
        call("/api/recurring", 0, Some(recurring)),
        call("/api/recurring/{id}/late", house.recurring, None),
        call("/api/recurring/{id}/unlate", house.recurring, None),
        call("/api/recurring/{id}/ignore", house.recurring, None),
        call("/api/recurring/{id}/unignore", house.recurring, None),
        call("/api/recurring/{id}/link", house.recurring, Some(json!({ "transaction_ids": [came] }))),
        call("/api/recurring/{id}/unlink", house.recurring, None),
        call("/api/recurring/parse", 0, Some(json!({ "text": crate::recurring::BOLETO }))),
        suggested("/api/recurring/suggestions/{id}/accept", Some(json!({ "category_id": house.category })), "Internet"),
        suggested("/api/recurring/suggestions/{id}/reject", None, "Academia"),
        call("/api/recurring/{id}/confirm", house.recurring, Some(json!({ "amount": "4900" }))),
        call("/api/credit-bills/{id}/pay", house.bill, Some(json!({ "account_id": house.account }))),
        call("/api/credit-bills/{id}/unpay", house.bill, None),
        call("/api/transactions/delete", 0, Some(json!({ "ids": [house.transaction] }))),
        call("/api/pending-bills/{id}/confirm", house.pending_bill, None),
        call("/api/notices/read", 0, Some(json!({}))),
        call("/api/notices/{id}/snooze", house.notice, Some(json!({ "until": "2026-03-20" }))),
        call("/api/notices/devices", 0, Some(subscription("http://127.0.0.1:9/another"))),
        call("/api/notices/devices/{id}/test", house.device, None),
        call("/api/notices/email/confirm", 0, Some(json!({ "code": house.code }))),
        call("/api/notices/email", 0, Some(json!({ "address": "outra@example.com" }))),
        again,
        adjustment,
        call("/api/gamification/cosmetics/{id}/equip", 1, None),
        call("/api/gamification/cosmetics/{id}/unequip", 1, None),
    ]
}

/// All rows of all profiles, without the ids of the profiles' last writes, because a replay of an answer is also a write.
fn everything(app: &TestApp) -> Vec<String> {
    app.stored_rows(&["write_id"])
}

fn count(app: &TestApp, table: &str) -> i64 {
    app.rows(&format!("select count(*) as count from {table}"))[0]["count"].as_i64().unwrap()
}

fn bread(description: &str) -> Value {
    json!({ "type": "expense", "date": "2026-03-02", "description": description, "amount": "8.00" })
}

#[track_caller]
fn assert_replays(first: &Reply, second: &Reply) {
    assert_eq!(first.header("Idempotency-Replayed"), None, "{first:?}");
    assert_eq!(second.header("Idempotency-Replayed"), Some("true"), "{second:?}");
    assert_eq!((second.status, &second.bytes), (first.status, &first.bytes), "byte for byte");
    for header in ["Location", "Content-Type"] {
        assert_eq!(second.header(header), first.header(header), "{header}");
    }
}

#[test]
fn every_post_of_the_document_takes_a_key_or_is_exempt() {
    let app = TestApp::start();
    let document = app.anyone().get("/api/openapi.json").ok();
    let (mut honours, mut exempt) = (BTreeSet::new(), BTreeSet::new());
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            let mut parameters = operation["parameters"].as_array().into_iter().flatten();
            let has_key = parameters.any(|known| known["in"] == "header" && known["name"] == "Idempotency-Key");
            assert!(method == "post" || !has_key, "{method} {path}");
            if has_key {
                assert!(
                    operation["responses"]["422"]["description"]
                        .as_str()
                        .unwrap()
                        .contains("`ErrIdempotencyKeyReused`")
                );
                honours.insert(path.clone());
            } else if method == "post" {
                exempt.insert(path.clone());
            }
        }
    }
    // Only an empty profile accepts a document, so `restore.rs` tests the repetition of this route.
    assert!(honours.remove("/api/restore"));
    let tabled = calls(&Household::new(&app, "ana")).iter().map(|call| call.template.to_string()).collect();
    assert_eq!(honours, tabled, "the table has every POST that takes a key");
    assert_eq!(exempt, BTreeSet::from(WITHOUT_KEY.map(str::to_string)));
}

#[test]
fn the_same_key_and_request_replays_the_first_answer_and_another_is_refused() {
    let app = TestApp::start();
    let house = Household::new(&app, "ana");
    for (at, call) in calls(&house).iter().enumerate() {
        let key = format!("key-{at}");
        let headers = [("Idempotency-Key", key.as_str())];
        let send = |body: Option<&Value>| post_with(&house.client, &call.path, body, &headers);
        let before = everything(&app);
        let first = send(call.body.as_ref());
        assert!((200..300).contains(&first.status), "{first:?}");
        let after = everything(&app);
        assert_ne!(after, before, "{}: it was done", call.template);
        for _ in 0..2 {
            assert_replays(&first, &send(call.body.as_ref()));
        }
        // An unknown field is ignored, but makes the request a different one.
        let mut other = call.body.clone().unwrap_or_else(|| json!({}));
        other["unknown"] = json!(1);
        send(Some(&other)).problem(422, "ErrIdempotencyKeyReused");
        let elsewhere = post_with(&house.client, &format!("{}?x=1", call.path), call.body.as_ref(), &headers);
        elsewhere.problem(422, "ErrIdempotencyKeyReused");
        assert_eq!(everything(&app), after, "{}: done once", call.template);
    }
}

#[test]
fn a_key_of_one_route_is_not_free_for_another() {
    let app = TestApp::start();
    let ana = app.user("ana");
    post(&ana, "/api/categories", &json!({ "name": "Pets" }), "k").created();
    let account = json!({ "name": "Pets", "kind": "current" });
    post(&ana, "/api/accounts", &account, "k").problem(422, "ErrIdempotencyKeyReused");
    post(&ana, "/api/accounts", &account, "K").created();
}

#[test]
fn of_concurrent_requests_on_two_nodes_one_is_executed_and_the_others_get_its_answer() {
    let app = TestApp::start();
    let node = app.another_node();
    let ana = app.user("ana");
    let there = node.anyone().with_token(ana.token());
    let barrier = Barrier::new(16);
    let replies: Vec<Reply> = thread::scope(|scope| {
        let threads: Vec<_> = (0..16)
            .map(|at| {
                let (client, barrier) = (if at % 2 == 0 { &ana } else { &there }, &barrier);
                scope.spawn(move || {
                    barrier.wait();
                    post(client, "/api/transactions", &bread("Pão"), "at-once")
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let (done, replayed): (Vec<_>, Vec<_>) =
        replies.iter().partition(|reply| reply.header("Idempotency-Replayed").is_none());
    assert_eq!((done.len(), replayed.len()), (1, 15), "{replies:?}");
    for reply in replayed {
        assert_replays(done[0], reply);
    }
    assert_eq!(done[0].status, 201);
    assert_eq!((count(&app, "transactions"), count(&app, "idempotency_keys")), (1, 1));
}

#[test]
fn a_key_of_one_profile_is_nothing_to_another() {
    let app = TestApp::start();
    let (ana, bia) = (app.user("ana"), app.user("bia"));
    let anas = post(&ana, "/api/transactions", &bread("Pão"), "k");
    let bias = post(&bia, "/api/transactions", &bread("Pão"), "k");
    assert_eq!(bias.header("Idempotency-Replayed"), None);
    assert_ne!(anas.created()["id"], bias.created()["id"]);
    post(&bia, "/api/transactions", &bread("Bolo"), "b").created();
    post(&ana, "/api/transactions", &bread("Café"), "b").created();
    assert_eq!(count(&app, "transactions"), 4);
}

#[test]
fn an_answer_is_kept_for_24_hours() {
    let app = TestApp::start();
    let (ana, bia) = (app.user("ana"), app.user("bia"));
    let age = |hours: &str| {
        app.sql(&format!("update idempotency_keys set created_at = now() - interval '{hours}'"));
    };
    let first = post(&ana, "/api/transactions", &bread("Pão"), "k");
    post(&ana, "/api/transactions", &bread("Bolo"), "other").created();
    post(&bia, "/api/transactions", &bread("Pão"), "k").created();
    age("23 hours 59 minutes");
    assert_replays(&first, &post(&ana, "/api/transactions", &bread("Pão"), "k"));
    age("24 hours 1 second");
    let again = post(&ana, "/api/transactions", &bread("Pão"), "k");
    assert_eq!(again.header("Idempotency-Replayed"), None);
    assert_ne!(again.created()["id"], first.json()["id"]);
    // The profile's other expired key was deleted too; another profile's key is kept until that profile stores one.
    let left = app.rows("select profile_id, key from idempotency_keys order by profile_id");
    let key = |client: &Client| json!({ "profile_id": client.caller().profile_id.0, "key": "k" });
    assert_eq!(left, [key(&ana), key(&bia)]);
    // An expired key may be used for another request.
    age("25 hours");
    post(&ana, "/api/categories", &json!({ "name": "Pets" }), "k").created();
}

#[test]
fn the_oldest_answers_are_forgotten_earlier_if_all_together_take_too_much() {
    let app = TestApp::start();
    let (ana, bia) = (app.user("ana"), app.user("bia"));
    let first = post(&ana, "/api/transactions", &bread("Pão"), "first");
    let of_bia = post(&bia, "/api/transactions", &bread("Pão"), "first");
    let kept = app.rows("select distinct bytes_until, octet_length(body) as body from idempotency_keys");
    let is_counted = |row: &Value| row["bytes_until"] == json!(row["body"].as_i64().unwrap() + ANSWER_BYTES);
    assert!(kept.iter().all(is_counted), "{kept:?}");
    // As if so many answers had come since that the next one leaves no room for the first.
    app.sql(&format!(
        "insert into idempotency_keys (profile_id, key, fingerprint, status, body, bytes_until)
        select profile_id, 'since', fingerprint, status, body, {ANSWERS_BYTES_MAX} + 100 from idempotency_keys
        where profile_id = {}",
        ana.caller().profile_id.0
    ));
    assert_replays(&first, &post(&ana, "/api/transactions", &bread("Pão"), "first"));
    let second = post(&ana, "/api/transactions", &bread("Bolo"), "second");
    let left = app.rows("select key from idempotency_keys order by profile_id, key");
    assert_eq!(json!(left), json!([{ "key": "second" }, { "key": "since" }, { "key": "first" }]));
    assert_replays(&second, &post(&ana, "/api/transactions", &bread("Bolo"), "second"));
    assert_replays(&of_bia, &post(&bia, "/api/transactions", &bread("Pão"), "first"));
    assert_eq!(post(&ana, "/api/transactions", &bread("Pão"), "first").header("Idempotency-Replayed"), None);
}

#[test]
fn a_refused_request_did_nothing_and_may_be_corrected_under_its_key() {
    let app = TestApp::start();
    let ana = app.user("ana");
    post(&ana, "/api/categories", &json!({}), "k").invalid(&["name"]);
    ana.post("/api/categories", json!({ "name": "Pets" })).created();
    post(&ana, "/api/categories", &json!({ "name": "Pets" }), "k").problem(409, "ErrCategoryNameTaken");
    post(&ana, "/api/categories/1/nothing", &json!({}), "k").problem(404, "ErrNotFound");
    assert_eq!(count(&app, "idempotency_keys"), 0);
    post(&ana, "/api/categories", &json!({ "name": "Casa nova" }), "k").created();
}

#[test]
fn keys_are_1_to_255_visible_characters_and_come_once() {
    let app = TestApp::start();
    let ana = app.user("ana");
    for odd in ["", "two words", "aç\u{e3}o", &"k".repeat(256)] {
        post(&ana, "/api/transactions", &bread("Pão"), odd).invalid(&["Idempotency-Key"]);
    }
    let twice = [("Idempotency-Key", "a"), ("Idempotency-Key", "a")];
    post_with(&ana, "/api/transactions", Some(&bread("Pão")), &twice).invalid(&["Idempotency-Key"]);
    post_with(&app.anyone(), "/api/transactions", Some(&bread("Pão")), &twice).problem(401, "ErrUnauthenticated");
    assert_eq!(count(&app, "transactions"), 0);
    for (at, sound) in ["k", "~!\"#'%;--", &"k".repeat(255)].into_iter().enumerate() {
        let first = post(&ana, "/api/transactions", &bread(&format!("Pão {at}")), sound);
        assert_replays(&first, &post(&ana, "/api/transactions", &bread(&format!("Pão {at}")), sound));
    }
    assert_eq!(count(&app, "transactions"), 3);
}

#[test]
fn bodies_are_limited_under_a_key_as_without_one() {
    let app = TestApp::start();
    let house = Household::new(&app, "ana");
    let mut long = bread("Pão");
    long["unknown"] = json!("x".repeat(64 * 1024));
    post(&house.client, "/api/transactions", &long, "k").problem(413, "ErrTooLarge");
    let late = format!("/api/recurring/{}/late", house.recurring);
    post(&house.client, &late, &long, "k").problem(413, "ErrTooLarge");
    let broken = [("Idempotency-Key", "k")];
    let sent =
        house.client.send_with(Method::POST, "/api/transactions", Some("application/json"), b"{".to_vec(), &broken);
    sent.problem(400, "ErrMalformedRequest");
    assert_eq!(count(&app, "idempotency_keys"), 0);
}

#[test]
fn a_large_answer_is_replayed_byte_for_byte() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let rows: Vec<Value> = (1..=3_000)
        .map(|at| json!({ "date": "2026-03-02", "description": format!("Compra nº {at}"), "amount": at, "type": "expense" }))
        .collect();
    let import = json!({ "format": "csv", "rows": rows });
    let first = post(&ana, "/api/import/confirm", &import, "k");
    assert_replays(&first, &post(&ana, "/api/import/confirm", &import, "k"));
    assert_eq!(first.created()["inserted"], 3_000);
    assert_eq!((count(&app, "transactions"), count(&app, "imports")), (3_000, 1));
}

#[test]
fn routes_without_a_key_store_nothing() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let key = [("Idempotency-Key", "k")];
    ana.post("/api/transactions", bread("Pão")).created();
    let login = json!({ "name": "ana", "password": PASSWORD });
    for _ in 0..2 {
        let reply = post_with(&app.anyone(), "/api/auth/login", Some(&login), &key);
        assert_eq!(reply.header("Idempotency-Replayed"), None);
        reply.ok();
        post_with(&ana, "/api/logout", None, &key).gone();
        let token = json!({ "name": "cron", "scopes": ["read"] });
        let made = post_with(&ana, "/api/tokens", Some(&token), &key).created();
        let again = post_with(&ana, "/api/tokens", Some(&token), &key).created();
        assert_ne!(made["token"], again["token"]);
        post_with(&ana, "/api/members/invitations", Some(&json!({ "role": "viewer" })), &key).created();
        let form = finance_tests::Form::new().file("x.ofx", &ofx(&[("20260306", "-5.00", "F9", "Café")]));
        let (content_type, body) = form.build();
        ana.send_with(Method::POST, "/api/import/preview", Some(&content_type), body, &key).ok();
        ana.send_with(
            Method::PUT,
            "/api/settings",
            Some("application/json"),
            br#"{"savings_goal_pct":5}"#.to_vec(),
            &key,
        )
        .ok();
    }
    let change = json!({ "current_password": PASSWORD, "new_password": "battery staple" });
    post_with(&ana, "/api/auth/change-password", Some(&change), &key).ok();
    post_with(&ana, "/api/auth/change-password", Some(&change), &key).problem(401, "ErrUnauthenticated");
    assert_eq!(count(&app, "idempotency_keys"), 0);
}
