//! Rows of statements for yield that the service also posts by itself.

use finance_tests::{Client, Form, TestApp, id, ofx};
use serde_json::{Value, json};

const TEXTS: [(&str, bool); 8] = [
    ("REND PAGO APLIC AUT MAIS", true),
    ("Rendimento líquido", true),
    ("RENDIMENTOS", true),
    ("Rend.poupança", true),
    ("Renda fixa", false),
    ("Rendas", false),
    ("Crédito rendimento", false),
    ("Aporte", false),
];

fn rows() -> Vec<Value> {
    TEXTS
        .iter()
        .enumerate()
        .map(|(at, (text, _))| {
            json!({ "date": format!("2026-03-{:02}", at + 1), "description": text, "amount": "1.00", "type": "income" })
        })
        .collect()
}

fn confirm(client: &Client, account_id: i64, rows: &[Value]) -> Value {
    let body = json!({ "account_id": account_id, "format": "csv", "rows": rows });
    client.post("/api/import/confirm", body).created()
}

fn account(client: &Client, kind: &str, yield_type: &str) -> i64 {
    let body = json!({ "name": format!("{kind} {yield_type}"), "kind": kind, "yield_type": yield_type });
    client.create("/api/accounts", body)
}

#[test]
fn yield_is_skipped_on_an_account_that_yields_by_itself() {
    let app = TestApp::start();
    let ana = app.user("ana");
    for (kind, yield_type) in [("savings", "poupanca"), ("investment", "cdi"), ("investment", "variable")] {
        let account = account(&ana, kind, yield_type);
        let answer = confirm(&ana, account, &rows());
        assert_eq!(answer["inserted"], 4, "{yield_type}");
        let skipped: Vec<Value> = (0..4)
            .map(|row| json!({ "row": row, "code": "automatic_yield", "params": {}, "reason": "automatic_yield" }))
            .collect();
        assert_eq!(answer["skipped"], json!(skipped));
        let again = confirm(&ana, account, &rows());
        let codes: Vec<&str> =
            again["skipped"].as_array().unwrap().iter().map(|row| row["code"].as_str().unwrap()).collect();
        assert_eq!(codes[..4], ["automatic_yield"; 4]);
        assert_eq!(codes[4..], ["duplicate"; 4], "what is stored is a duplicate, as ever");
    }
}

#[test]
fn it_is_stored_where_nothing_yields_by_itself() {
    let app = TestApp::start();
    let ana = app.user("ana");
    for kind in ["current", "savings", "investment"] {
        let account = account(&ana, kind, "none");
        assert_eq!(confirm(&ana, account, &rows())["inserted"], 8, "{kind}");
    }
    let body = json!({ "format": "csv", "rows": [{ "date": "2025-03-01", "description": "Rendimento", "amount": 2, "type": "income" }] });
    assert_eq!(ana.post("/api/import/confirm", body).created()["inserted"], 1, "without an account");
}

#[test]
fn a_row_that_is_kept_is_stored_once() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let account = account(&ana, "savings", "poupanca");
    let mut kept = rows();
    kept[1]["keep"] = json!(true);
    kept[2]["keep"] = json!(false);
    let answer = confirm(&ana, account, &kept);
    assert_eq!(answer["inserted"], 5);
    assert_eq!(confirm(&ana, account, &kept)["inserted"], 0);
    kept[0]["keep"] = json!("yes");
    let body = json!({ "account_id": account, "rows": kept });
    ana.post("/api/import/confirm", body).invalid(&["rows[0].keep"]);
}

#[test]
fn a_preview_marks_what_a_confirm_skips() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let (yields, plain) = (account(&ana, "savings", "poupanca"), account(&ana, "current", "none"));
    let file = ofx(&[("20260302", "6.70", "A1", "REND POUPANCA"), ("20260303", "100.00", "A2", "DEPOSITO")]);
    let marks = |account_id: i64| {
        let form = Form::new().file("x.ofx", &file).text("account_id", &account_id.to_string());
        let preview = ana.post_form("/api/import/preview", form).ok();
        let rows = preview["rows"].as_array().unwrap().clone();
        (rows.iter().map(|row| row["automatic_yield"].as_bool().unwrap()).collect::<Vec<_>>(), rows)
    };
    assert_eq!(marks(plain).0, [false, false]);
    let (marked, rows) = marks(yields);
    assert_eq!(marked, [true, false]);
    let answer = confirm(&ana, yields, &rows);
    assert_eq!((&answer["inserted"], &answer["skipped"][0]["row"]), (&json!(1), &json!(0)));
    assert_eq!(id(&answer["transactions"][0]), id(&ana.all("/api/transactions")[0]));
}
