//! Who may make a webhook, and what becomes of it when its maker goes or may not make one any more.

use std::sync::{Arc, Mutex};

use finance_domain::Store;
use finance_domain::credentials::Role;
use finance_domain::webhooks::{Attempt, Outgoing, WebhookSender};
use finance_tests::{Client, PASSWORD, PASSWORD_HASH, TestApp, eventually};
use serde_json::{Value, json};
use time::OffsetDateTime;

use super::{deliveries, expense, hook, wait_until};
use crate::needs::token;

/// Accepts every delivery, and keeps the ids of the events that it sent.
#[derive(Clone, Default)]
struct Keeping(Arc<Mutex<Vec<String>>>);

impl WebhookSender for Keeping {
    fn send(&self, outgoing: &Outgoing, _: OffsetDateTime) -> Attempt {
        self.0.lock().unwrap().push(outgoing.event_id.clone());
        Attempt { status: Some(200), failure: None }
    }
}

fn member_id(client: &Client) -> Value {
    client.get("/api/auth/me").ok()["member_id"].clone()
}

#[test]
fn a_webhook_has_a_maker_who_logged_in_and_goes_with_the_member() {
    let app = TestApp::start();
    let there = app.another_node();
    let ana = app.user("ana");
    let bia = app.member(&ana, "bia", Role::Editor);
    let writes = token(&bia, &["write"]);
    let body = json!({ "url": "https://hooks.example/x", "events": ["transaction.created"] });
    for node in [&app, &there] {
        let writes = node.anyone().with_token(writes.token());
        writes.post("/api/webhooks", body.clone()).problem(403, "ErrInsufficientScope");
        writes.post("/api/webhooks", json!({})).problem(403, "ErrInsufficientScope");
    }
    let anas = hook(&ana, "https://hooks.example/x", &["transaction.created"]);
    let bias = hook(&bia, "https://hooks.example/y", &["transaction.created"]);
    assert_eq!((&anas["created_by"], &bias["created_by"]), (&member_id(&ana), &member_id(&bia)));
    let makers = |client: &Client| -> Vec<Value> {
        client.get("/api/webhooks").ok().as_array().unwrap().iter().map(|one| one["created_by"].clone()).collect()
    };
    assert_eq!(makers(&writes), [member_id(&ana), member_id(&bia)]);
    writes.post("/api/transactions", expense("1.00")).created();
    assert_eq!(app.rows("select id from webhook_deliveries").len(), 2);
    // A new password, and the end of all sessions, keep it: it opens nothing.
    let change = json!({ "current_password": PASSWORD, "new_password": "battery staple" });
    let changed = bia.post("/api/auth/change-password", change).ok();
    bia.with_token(changed["token"].as_str().unwrap()).delete("/api/auth/sessions").gone();
    app.store.member_set_password("bia", PASSWORD_HASH).unwrap();
    assert_eq!(makers(&ana).len(), 2);
    let sent = Keeping::default();
    ana.delete(&format!("/api/members/{}", bias["created_by"])).gone();
    assert_eq!(makers(&ana), [member_id(&ana)]);
    assert_eq!(app.rows("select webhook_id as id from webhook_deliveries"), [json!({ "id": anas["id"] })]);
    let _deliverers = [app.deliver_by(sent.clone()), there.deliver_by(sent.clone())];
    assert_eq!(wait_until(&ana, &anas, |one| one["state"] == "delivered").len(), 1);
    ana.post("/api/transactions", expense("2.00")).created();
    assert_eq!(wait_until(&ana, &anas, |one| one["state"] == "delivered").len(), 2);
    assert_eq!(sent.0.lock().unwrap().len(), 2, "nothing for the webhook of the removed member");
}

#[test]
fn nothing_is_sent_while_the_maker_may_not_make_a_webhook() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let bia = app.member(&ana, "bia", Role::Editor);
    let bias = hook(&bia, "https://hooks.example/y", &["transaction.created"]);
    let anas = hook(&ana, "https://hooks.example/x", &["transaction.created"]);
    let path = format!("/api/members/{}", bias["created_by"]);
    let sent = Keeping::default();
    let _deliverer = app.deliver_by(sent.clone());
    let mut count = 0;
    let mut deliver = |is_sent: bool| {
        count += 1;
        ana.post("/api/transactions", expense("1.00")).created();
        wait_until(&ana, &anas, |one| one["state"] == "delivered");
        let all = wait_until(&ana, &bias, |one| one["state"] != "pending");
        assert_eq!(all.len(), count, "{all:?}");
        let (state, error) = if is_sent { ("delivered", Value::Null) } else { ("failed", json!("stopped")) };
        assert_eq!((&all[0]["state"], &all[0]["error"]), (&json!(state), &error));
        all[0].clone()
    };
    deliver(true);
    ana.put(&path, json!({ "role": "viewer" })).ok();
    let missed = deliver(false);
    assert_eq!((&missed["response_status"], &missed["next_attempt_at"]), (&Value::Null, &Value::Null));
    ana.put(&path, json!({ "role": "editor" })).ok();
    deliver(true);
    app.store.member_set_disabled("bia", true).unwrap();
    deliver(false);
    app.store.member_set_disabled("bia", false).unwrap();
    deliver(true);
    // What was not sent can be sent by hand.
    let again = format!("/api/webhooks/{}/deliveries/{}/send", bias["id"], missed["id"]);
    ana.post_nothing(&again).ok();
    let is_sent = |one: &&Value| one["state"] == "delivered";
    eventually("four are sent", || (deliveries(&ana, &bias).iter().filter(is_sent).count() == 4).then_some(()));
    assert_eq!(sent.0.lock().unwrap().len(), 5 + 4);
}
