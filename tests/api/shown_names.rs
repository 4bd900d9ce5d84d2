//! How transactions are shown: names of payees and methods, also in files; all transactions of a payee at once; colors of
//! categories; and searching by amounts.

use finance_tests::{Client, TestApp};
use serde_json::{Value, json};

fn enter(client: &Client, description: &str, category_id: Option<i64>) -> i64 {
    let body = json!({ "type": "expense", "date": "2026-03-05", "description": description, "amount": "1299.00",
        "category_id": category_id });
    client.create("/api/transactions", body)
}

fn read(client: &Client, id: i64) -> Value {
    client.get(&format!("/api/transactions/{id}")).ok()
}

#[test]
fn each_transaction_says_who_was_paid_and_how() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let id = enter(&ana, "PIX ENVIADO - MARIA APARECIDA DOS SANTOS", None);
    let shown = json!({ "name": "Maria Aparecida dos Santos", "method": "pix" });
    assert_eq!(read(&ana, id)["display"], shown);
    assert_eq!(ana.get("/api/transactions").ok()[0]["display"], shown);
    assert_eq!(ana.get("/api/dashboard").ok()["last_transactions"][0]["display"], shown);
    assert_eq!(read(&ana, id)["description"], "PIX ENVIADO - MARIA APARECIDA DOS SANTOS", "the text stays");
    let plain = enter(&ana, "Padaria da Ana", None);
    assert_eq!(read(&ana, plain)["display"], json!({ "name": "Padaria da Ana", "method": null }));
    let preview = ana
        .preview(
            "data;descricao;valor\n05/03/2026;COMPRA NO DEBITO - PADARIA E CONFEITARIA NOVA ESPERANCA LTDA;-10,00\n"
                .as_bytes(),
        )
        .ok();
    let row = &preview["rows"][0];
    assert_eq!(row["display"], json!({ "name": "Padaria e Confeitaria Nova Esperança", "method": "debit" }));
    // A renamed row has the name that it was given, and the method of its statement.
    let confirmed = ana.post("/api/import/confirm", json!({ "format": "csv", "rows": preview["rows"] })).created();
    let stored = confirmed["transactions"][0]["id"].as_i64().unwrap();
    let mut body = read(&ana, stored);
    body["description"] = json!("Pão");
    let renamed = ana.put(&format!("/api/transactions/{stored}"), body).ok();
    assert_eq!(renamed["display"], json!({ "name": "Pão", "method": "debit" }));
}

#[test]
fn tables_for_brazil_have_names_and_decimal_commas() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let food = ana.create("/api/categories", json!({ "name": "Comida; e mais", "monthly_budget": "1234.50" }));
    let account = ana.create("/api/accounts", json!({ "name": "Conta", "kind": "current" }));
    let body = json!({ "type": "expense", "date": "2026-03-05", "description": "PIX ENVIADO - JOSE", "amount": "1299.5",
        "category_id": food, "account_id": account });
    ana.post("/api/transactions", body).created();
    let tables = crate::export::tables(ana.get("/api/export?format=csv&locale=pt-BR").bytes);
    let mut lines = tables["transactions.csv"].lines();
    let header: Vec<&str> = lines.next().unwrap().split(';').collect();
    assert!(
        header.contains(&"category") && header.contains(&"account") && !header.contains(&"category_id"),
        "{header:?}"
    );
    let row = lines.next().unwrap();
    assert!(row.contains(";\"Comida; e mais\";Conta;"), "{row}");
    assert!(row.contains(";1299,50;") && row.ends_with(";José;pix"), "{row}");
    assert!(tables["categories.csv"].contains(";1234,50;"));
    // Without a locale everything is as before.
    let plain = crate::export::tables(ana.get("/api/export?format=csv").bytes);
    assert!(plain["transactions.csv"].contains(",1299.50,") && plain["transactions.csv"].contains("category_id"));
    ana.get("/api/export?format=csv&locale=en-US").invalid(&["locale"]);
}

#[test]
fn one_request_changes_the_category_of_all_of_a_payee() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let (food, fun) = (
        ana.create("/api/categories", json!({ "name": "Comida" })),
        ana.create("/api/categories", json!({ "name": "Festa" })),
    );
    let first = enter(&ana, "PADARIA NOVA ESPERANCA 01/03", None);
    let second = enter(&ana, "COMPRA NO DEBITO - Padaria Nova Esperança", Some(fun));
    let filed = enter(&ana, "Padaria Nova Esperanca LTDA", Some(food));
    let other = enter(&ana, "Padaria Velha", None);
    let refund = ana.create(
        "/api/transactions",
        json!({ "type": "income", "date": "2026-03-06", "description": "Padaria Nova Esperança", "amount": "1" }),
    );
    let split = ana.create(
        "/api/transactions",
        json!({ "type": "expense", "date": "2026-03-06", "description": "Padaria Nova Esperança", "amount": "3",
        "lines": [{ "category_id": food, "amount": "1" }, { "category_id": fun, "amount": "2" }] }),
    );
    ana.put(&format!("/api/transactions/{first}"), {
        let mut body = read(&ana, first);
        body["category_id"] = json!(food);
        body
    })
    .ok();
    let payee = ana.get(&format!("/api/transactions/{first}/payee")).ok();
    assert_eq!(payee, json!({ "key": "padaria nova esperanca", "name": "Padaria Nova Esperança", "others": 1 }));
    let answer = ana.post("/api/transactions/update", json!({ "payee_of": second, "category_id": food })).ok();
    assert_eq!(answer, json!({ "updated": 1 }), "those that have it already stay");
    let answer = ana.post("/api/transactions/update", json!({ "payee_of": first, "category_id": fun })).ok();
    assert_eq!(answer, json!({ "updated": 3 }));
    for id in [first, second, filed] {
        assert_eq!(read(&ana, id)["category_id"], fun);
    }
    for id in [other, refund, split] {
        assert_eq!(read(&ana, id)["category_id"], Value::Null);
    }
    assert_eq!(ana.get(&format!("/api/transactions/{first}/payee")).ok()["others"], 0);
    ana.post("/api/transactions/update", json!({ "payee_of": split, "category_id": fun })).invalid(&["payee_of"]);
    ana.post("/api/transactions/update", json!({ "payee_of": first })).invalid(&["category_id"]);
    ana.post("/api/transactions/update", json!({ "payee_of": 9_000_000, "category_id": fun })).invalid(&["payee_of"]);
    ana.post("/api/transactions/update", json!({ "payee_of": "x", "category_id": fun })).invalid(&["payee_of"]);
    ana.post("/api/transactions/update", json!({ "payee_of": first, "category_id": 9_000_000 }))
        .invalid(&["category_id"]);
    let bia = app.user("bia");
    let hers = bia.create("/api/categories", json!({ "name": "Dela" }));
    bia.post("/api/transactions/update", json!({ "payee_of": first, "category_id": hers })).invalid(&["payee_of"]);
    bia.get(&format!("/api/transactions/{first}/payee")).problem(404, "ErrNotFound");
    // Texts that name nobody have nothing in common.
    let nobody = enter(&ana, "PIX ENVIADO", None);
    enter(&ana, "PIX RECEBIDO", None);
    assert_eq!(ana.get(&format!("/api/transactions/{nobody}/payee")).ok()["others"], 0);
}

#[test]
fn categories_have_colors_that_stay_apart() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let colors = || -> Vec<Value> {
        let listed = ana.get("/api/categories").ok();
        listed.as_array().unwrap().iter().map(|category| category["color"].clone()).collect()
    };
    let first = colors();
    let distinct: std::collections::BTreeSet<&str> = first.iter().map(|color| color.as_str().unwrap()).collect();
    assert_eq!(distinct.len(), first.len(), "each standard category has its own");
    let fresh = ana.post("/api/categories", json!({ "name": "Pets" })).created();
    assert!(!first.contains(&fresh["color"]), "a new category gets one that is free");
    let path = format!("/api/categories/{}", fresh["id"]);
    assert_eq!(ana.put(&path, json!({ "name": "Bichos" })).ok()["color"], fresh["color"], "absent: it stays");
    assert_eq!(ana.put(&path, json!({ "name": "Bichos", "color": "blue" })).ok()["color"], "blue");
    assert_eq!(ana.put(&path, json!({ "name": "Bichos", "color": null })).ok()["color"], Value::Null);
    assert_eq!(ana.post("/api/categories", json!({ "name": "Nada", "color": null })).created()["color"], Value::Null);
    for wrong in [json!("mud"), json!(7), json!("")] {
        ana.put(&path, json!({ "name": "Bichos", "color": wrong })).invalid(&["color"]);
        ana.post("/api/categories", json!({ "name": "Outra", "color": wrong })).invalid(&["color"]);
    }
    for number in 0..30 {
        ana.post("/api/categories", json!({ "name": format!("C{number}") })).created();
    }
    assert!(colors().iter().filter(|color| **color == json!("blue")).count() <= 2, "evenly, once all are taken");
    let document = ana.get("/api/export").ok();
    assert!(document["categories"].as_array().unwrap().iter().any(|category| category["color"] == "blue"));
    let bia = app.user("bia");
    bia.post("/api/restore", document).ok();
    assert_eq!(
        bia.get("/api/categories")
            .ok()
            .as_array()
            .unwrap()
            .iter()
            .map(|category| category["color"].clone())
            .collect::<Vec<_>>(),
        colors()
    );
}

#[test]
fn a_search_finds_amounts() {
    let app = TestApp::start();
    let ana = app.user("ana");
    enter(&ana, "Geladeira", None);
    let body = json!({ "type": "income", "date": "2026-03-06", "description": "Nota 1299", "amount": "54.90" });
    ana.post("/api/transactions", body).created();
    for (text, count) in [
        ("1299", 2),
        ("1.299,00", 1),
        ("1299,00", 1),
        ("1299.00", 1),
        ("R$ 1.299,00", 1),
        ("54,90", 1),
        ("54,9", 1),
        ("54", 0),
        ("1299,01", 0),
        ("geladeira", 1),
    ] {
        let query = format!("q={}", text.replace(' ', "%20").replace('$', "%24"));
        assert_eq!(ana.get(&format!("/api/transactions?{query}")).ok().as_array().unwrap().len(), count, "{text}");
        assert_eq!(ana.get(&format!("/api/transactions/summary?{query}")).ok()["count"], count, "{text}");
    }
}
