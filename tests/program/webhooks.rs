//! Webhooks of the program: a stored delivery is sent, whatever happens to the process.

use finance_tests::{Program, Receiver, ScratchDir};
use serde_json::json;

use crate::outcome::printed;

const PASSWORD: &str = "correct horse";

#[test]
fn a_service_that_is_killed_after_a_confirm_delivers_when_it_is_started_again() {
    let scratch = ScratchDir::new();
    let receiver = Receiver::start();
    receiver.answers("503 Service Unavailable");
    let serve = || Program::start(Program::command(scratch.path()).env("FINANCE_WEBHOOKS_PRIVATE", "yes"));
    let mut service = serve();
    printed(&Program::run(scratch.path(), &["create-user", "--name", "ana", "--password", PASSWORD]));
    let ana = service.login("ana", PASSWORD);
    let body = json!({ "url": receiver.url("/"), "events": ["transaction.created"] });
    let hook = ana.post("/api/webhooks", body).created()["id"].clone();
    let row = json!({ "type": "expense", "date": "2026-03-02", "description": "Pão", "amount": "8" });
    ana.post("/api/transactions", row).created();
    service.signal("KILL");
    service.wait();
    receiver.answers("204 No Content");
    let service = serve();
    let ana = service.login("ana", PASSWORD);
    // The delivery is sent at once if nothing was sent before the kill. Otherwise it is sent when the turn of the killed
    // process, or the wait after the failure, is over.
    let path = format!("/api/webhooks/{hook}/deliveries");
    for _ in 0..900 {
        if ana.get(&path).ok()[0]["state"] == "delivered" {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
    panic!("{:?}", ana.get(&path).ok());
}
