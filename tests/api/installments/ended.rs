//! Plans that end early, that a person names otherwise than the bank, and whose shop the bank names otherwise.

use finance_tests::{Client, TestApp, id, ofx};
use serde_json::{Value, json};
use time::macros::date;

use super::plans;

/// A card with a limit that closes on the 25th and is due on the 5th.
fn card(client: &Client, limit: &str) -> i64 {
    let card = json!({ "name": "Visa", "kind": "credit", "closing_day": 25, "due_day": 5, "credit_limit": limit });
    client.create("/api/accounts", card)
}

fn limit(client: &Client, card: i64) -> Value {
    client.get(&format!("/api/accounts/{card}")).ok()["available_limit"].clone()
}

#[test]
fn nothing_more_comes_of_a_plan_that_is_ended() {
    let app = TestApp::start();
    app.clock.set_today(date!(2026 - 03 - 10));
    let (ana, bia) = (app.user("ana"), app.user("bia"));
    let card = card(&ana, "2000.00");
    let rows =
        [("20260220", "-100.00", "E1", "LOJA B - Parcela 1/12"), ("20260303", "100.00", "E2", "Estorno de \"LOJA B\"")];
    ana.import(Some(card), &ofx(&rows)).created();
    let plan = plans(&ana).remove(0);
    let path = format!("/api/installments/{}", plan["id"]);
    assert_eq!((&plan["ended"], limit(&ana, card)), (&json!(false), json!("900.00")));
    let ended = ana.put(&path, json!({ "ended": true })).ok();
    let of =
        |plan: &Value| ["ended", "status", "remaining", "remaining_amount", "upcoming"].map(|name| plan[name].clone());
    assert_eq!(of(&ended), [json!(true), json!("finished"), json!(0), json!("0.00"), json!([])]);
    assert_eq!((limit(&ana, card), ana.get(&path).ok()), (json!("2000.00"), ended));
    assert_eq!(ana.get("/api/installments?status=active").ok(), json!([]));
    let upcoming = ana.get("/api/credit-bills/upcoming?months=3").ok();
    assert!(upcoming.as_array().unwrap().iter().all(|bill| bill["installments"] == "0.00"), "{upcoming}");
    assert_eq!(ana.get("/api/forecast?months=6").ok()["months"][5]["card_bills"], "0.00");
    // It is exported and restored, and said again.
    bia.post("/api/restore", ana.get("/api/export").ok()).ok();
    assert_eq!(
        (plans(&bia).remove(0)["ended"].clone(), bia.get("/api/accounts").ok()[0]["available_limit"].clone()),
        (json!(true), json!("2000.00"))
    );
    let again = ana.put(&path, json!({ "ended": false })).ok();
    assert_eq!((&again["status"], limit(&ana, card)), (&json!("active"), json!("900.00")));
    ana.put(&path, json!({})).invalid(&["ended"]);
    ana.put(&path, json!({ "ended": "yes" })).invalid(&["ended"]);
    ana.put("/api/installments/999999", json!({ "ended": true })).problem(404, "ErrNotFound");
}

#[test]
fn a_plan_that_a_person_named_otherwise_is_taken_over_by_the_statement_s_rows() {
    let app = TestApp::start();
    app.clock.set_today(date!(2026 - 03 - 10));
    let (ana, bia) = (app.user("ana"), app.user("bia"));
    let card = card(&ana, "2000.00");
    let bike = json!({ "account_id": card, "description": "Bicicleta", "date": "2026-03-02", "count": 5, "total_amount": "450.20" });
    let plan = ana.post("/api/installments", bike).created();
    assert_eq!(limit(&ana, card), "1549.80");
    let row = |day: &str, number: u8, id: &str| {
        let text = format!("PG *PEDAL SERRA NORTE {number}/5");
        ofx(&[(day, "-90.04", id, text.as_str())])
    };
    let first = ana.import(Some(card), &row("20260303", 1, "B1")).created();
    assert_eq!((&first["inserted"], &first["skipped"][0]["params"]["transaction_id"]), (&json!(0), &plan["id"]));
    let listed = plans(&ana);
    assert_eq!(listed.len(), 1, "{listed:?}");
    assert_eq!((&listed[0]["description"], &listed[0]["transactions"]), (&json!("Bicicleta"), &plan["transactions"]));
    assert_eq!(limit(&ana, card), "1549.80");
    app.clock.set_today(date!(2026 - 04 - 20));
    assert_eq!(ana.import(Some(card), &row("20260402", 2, "B2")).created()["inserted"], 0);
    assert_eq!((plans(&ana).len(), limit(&ana, card)), (1, json!("1549.80")));
    // A copy reads the same plan.
    bia.post("/api/restore", ana.get("/api/export").ok()).ok();
    assert_eq!((plans(&bia).len(), plans(&bia)[0]["number"].clone()), (1, json!(2)));

    // Where two fit, neither is taken.
    let other = ana.open_card("Master", 25, 5);
    for name in ["Geladeira", "Fogão"] {
        let body =
            json!({ "account_id": other, "description": name, "date": "2026-04-02", "count": 3, "amount": "50.00" });
        ana.post("/api/installments", body).created();
    }
    let of_other = ana.import(Some(other), &ofx(&[("20260403", "-50.00", "G1", "MAGALU 1/3")])).created();
    assert_eq!(of_other["inserted"], 1);
}

#[test]
fn a_plan_stays_one_when_the_bank_names_another_acquirer() {
    let app = TestApp::start();
    app.clock.set_today(date!(2026 - 03 - 10));
    let ana = app.user("ana");
    let card = card(&ana, "2000.00");
    let rows = [
        ("20260120", "-100.00", "P1", "PAG*CasaMaria - Parcela 1/4"),
        ("20260220", "-100.00", "P2", "CASAMARIA LTDA - Parcela 2/4"),
        ("20260228", "-100.00", "P3", "MP *CASAMARIA 3/4"),
    ];
    ana.import(Some(card), &ofx(&rows)).created();
    let plan = plans(&ana);
    assert_eq!(plan.len(), 1, "{plan:?}");
    assert_eq!((&plan[0]["number"], limit(&ana, card)), (&json!(3), json!("1600.00")));
    assert!(id(&plan[0]) > 0);
}
