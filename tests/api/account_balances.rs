//! `GET /api/accounts/{id}/balances`.

use finance_tests::TestApp;
use serde_json::{Value, json};

#[test]
fn balances_are_those_at_the_end_of_each_month() {
    let app = TestApp::start(); // today is 2026-03-15
    let ana = app.user("ana");
    let opening =
        json!({ "name": "Banco", "kind": "current", "opening_balance": "1000.00", "opening_date": "2025-12-31" });
    let account = ana.create("/api/accounts", opening);
    let other = ana.create("/api/accounts", json!({ "name": "Reserva", "kind": "savings" }));
    for (kind, date, amount) in [
        ("expense", "2026-01-31", "100.10"),
        ("income", "2026-02-01", "50.00"),
        ("expense", "2026-03-15", "0.90"),
        // In the future: these are in the balance of the account, and in the balance of no month.
        ("income", "2026-03-16", "7.00"),
        ("income", "2027-01-01", "8.00"),
    ] {
        let body = json!({ "type": kind, "date": date, "description": "x", "amount": amount, "account_id": account });
        ana.create("/api/transactions", body);
    }
    let moved = json!({ "from_account_id": account, "to_account_id": other, "amount": "200", "date": "2026-02-28" });
    ana.post("/api/transfers", moved).created();
    let balances = |account: i64, query: &str| -> Value {
        ana.get(&format!("/api/accounts/{account}/balances{query}")).ok()["balances"].clone()
    };
    let expected = json!([
        { "month": "2025-11", "balance": "0.00" },
        { "month": "2025-12", "balance": "1000.00" },
        { "month": "2026-01", "balance": "899.90" },
        { "month": "2026-02", "balance": "749.90" },
        { "month": "2026-03", "balance": "749.00" },
    ]);
    assert_eq!(balances(account, "?months=5"), expected);
    assert_eq!(balances(account, "?months=1"), json!([{ "month": "2026-03", "balance": "749.00" }]));
    assert_eq!(balances(other, "?months=2")[1], json!({ "month": "2026-03", "balance": "200.00" }));
    let year = balances(account, "");
    assert_eq!((year.as_array().unwrap().len(), &year[0]), (12, &json!({ "month": "2025-04", "balance": "0.00" })));
    for wrong in ["0", "61", "x", "-1"] {
        ana.get(&format!("/api/accounts/{account}/balances?months={wrong}")).invalid(&["months"]);
    }
    ana.get("/api/accounts/999999/balances").problem(404, "ErrNotFound");
}
