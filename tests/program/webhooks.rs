//! Webhooks of the program: a stored delivery is sent, whatever happens to the process.

use diesel::connection::SimpleConnection;
use finance_tests::{PASSWORD, Program, Receiver, ScratchDir, eventually_or};
use serde_json::json;

use crate::superuser;

/// Makes an hour pass for the deliveries: the turn of a killed process and the wait after a failure are over.
const AN_HOUR_LATER: &str = "
    update profiles set webhooks_leased_until = webhooks_leased_until - interval '1 hour',
        webhooks_due_at = webhooks_due_at - interval '1 hour';
    update webhook_deliveries set next_attempt_at = next_attempt_at - interval '1 hour'";

#[test]
fn a_service_that_is_killed_after_a_confirm_delivers_when_it_is_started_again() {
    let scratch = ScratchDir::with_user();
    let receiver = Receiver::start();
    receiver.answers("503 Service Unavailable");
    let serve = || Program::start(Program::command(scratch.path()).env("FINANCE_WEBHOOKS_PRIVATE", "yes"));
    let mut service = serve();
    let ana = service.login("ana", PASSWORD);
    let body = json!({ "url": receiver.url("/"), "events": ["transaction.created"] });
    let hook = ana.post("/api/webhooks", body).created()["id"].clone();
    let row = json!({ "type": "expense", "date": "2026-03-02", "description": "Pão", "amount": "8" });
    ana.post("/api/transactions", row).created();
    service.signal("KILL");
    service.wait();
    receiver.answers("204 No Content");
    superuser::wait_until_unused(scratch.path());
    superuser::connect(scratch.path()).batch_execute(AN_HOUR_LATER).unwrap();
    let service = serve();
    let ana = service.login("ana", PASSWORD);
    let deliveries = || ana.get(&format!("/api/webhooks/{hook}/deliveries")).ok();
    eventually_or(|| deliveries().to_string(), || (deliveries()[0]["state"] == "delivered").then_some(()));
}
