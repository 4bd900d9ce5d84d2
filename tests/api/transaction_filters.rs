//! The filters of `/api/transactions`, and the sums of a list.

use std::collections::BTreeSet;

use finance_tests::{Client, TestApp, cents, money, ofx, signed_sum};
use serde_json::{Value, json};

use crate::household::{Household, id};

const PATH: &str = "/api/transactions";

fn ids(rows: &[Value]) -> BTreeSet<i64> {
    rows.iter().map(|row| id(&row["id"])).collect()
}

/// The ids that a query finds. Checks the order of the list, which is read page by page, and compares it with the summary.
#[track_caller]
fn found(client: &Client, query: &str) -> BTreeSet<i64> {
    let rows = client.all(&format!("{PATH}?limit=2&{query}"));
    let places: Vec<_> = rows.iter().map(|row| (row["date"].as_str().unwrap().to_string(), id(&row["id"]))).collect();
    assert!(places.windows(2).all(|pair| pair[0] > pair[1]), "newest first: {places:?}");
    let counted = rows.iter().filter(|row| row["is_transfer"] == false && row["source"] != "opening_balance");
    let sum = |kind: &str| counted.clone().filter(|row| row["type"] == kind).map(|row| cents(&row["amount"])).sum();
    assert_eq!(
        client.get(&format!("{PATH}/summary?{query}")).ok(),
        json!({ "count": rows.len(), "income": money(sum("income")), "expenses": money(sum("expense")) }),
        "{query}"
    );
    ids(&rows)
}

#[test]
fn every_filter_finds_its_rows_and_the_summary_adds_them_up() {
    let app = TestApp::start();
    let house = Household::new(&app, "ana");
    let client = &house.client;
    for (date, description, more) in [
        ("2026-01-31", "Café", json!({})),
        ("2026-02-01", "Almoço", json!({ "category_id": house.category })),
        ("2026-02-28", "Jantar", json!({ "account_id": house.savings, "type": "income" })),
        ("2026-03-31", "Chá", json!({ "account_id": house.card })),
    ] {
        let mut body = json!({ "type": "expense", "date": date, "description": description, "amount": "7.25" });
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        client.post(PATH, body).created();
    }
    let all = client.all_transactions();
    let those = |keep: &dyn Fn(&Value) -> bool| -> BTreeSet<i64> {
        let kept = all.iter().filter(|row| keep(row));
        kept.map(|row| id(&row["id"])).collect()
    };
    let date = |row: &Value| row["date"].as_str().unwrap().to_string();
    assert_eq!(found(client, ""), those(&|_| true));
    assert_eq!(found(client, "from=2026-02-01"), those(&|row| date(row).as_str() >= "2026-02-01"));
    assert_eq!(found(client, "to=2026-02-28"), those(&|row| date(row).as_str() <= "2026-02-28"));
    let february = those(&|row| date(row).starts_with("2026-02"));
    assert_eq!(february.len(), 2);
    assert_eq!(found(client, "from=2026-02-01&to=2026-02-28"), february);
    assert_eq!(found(client, "month=2026-02"), february);
    assert_eq!(found(client, "month=2026-02&from=2026-01-01&to=2026-12-31"), february, "a wider range adds nothing");
    assert_eq!(found(client, "month=2026-02&from=2026-02-02").len(), 1);
    assert_eq!(
        found(client, "month=2026-02&from=2026-03-01"),
        BTreeSet::new(),
        "a month and a range that exclude each other"
    );
    assert_eq!(found(client, "from=2026-03-31&to=2026-03-31").len(), 1, "one day");
    let without_category = those(&|row| row["category_id"].is_null());
    assert!(without_category.len() > 3 && without_category.len() < all.len());
    assert_eq!(found(client, "category_id=none"), without_category);
    let without_account = those(&|row| row["account_id"].is_null());
    assert_eq!(without_account.len(), 2);
    assert_eq!(found(client, "account_id=none"), without_account);
    assert_eq!(found(client, "account_id=none&category_id=none").len(), 1);
    assert_eq!(
        found(client, &format!("account_id={}&category_id=none", house.card)),
        those(&|row| row["account_id"] == house.card && row["category_id"].is_null())
    );
    for source in ["manual", "ofx", "csv", "yield", "transfer", "opening_balance"] {
        assert_eq!(found(client, &format!("source={source}")), those(&|row| row["source"] == source), "{source}");
    }
    let imported = those(&|row| row["import_id"] == house.import);
    assert_eq!(imported.len(), 1);
    assert_eq!(found(client, &format!("import_id={}", house.import)), imported);
    assert_eq!(found(client, &format!("import_id={}&type=income", house.import)), BTreeSet::new());
    assert_eq!(found(client, "import_id=9000000000&q=a"), BTreeSet::new());
}

#[test]
fn a_bill_has_the_rows_that_its_total_adds_up() {
    let app = TestApp::start();
    let client = app.user("ana");
    let account = client.open_account("Conta", "current");
    // The bill of February closes on 20 February and is due on the 27th.
    let card = client.open_card("Cartão", 20, 27);
    for (date, amount) in
        [("2026-01-19", "1"), ("2026-01-20", "2"), ("2026-02-19", "4"), ("2026-02-20", "8"), ("2026-03-19", "16")]
    {
        let body =
            json!({ "type": "expense", "date": date, "description": "Compra", "amount": amount, "account_id": card });
        client.post(PATH, body).created();
    }
    let body = json!({ "type": "income", "date": "2026-02-10", "description": "Estorno", "amount": "0.5", "account_id": card });
    client.post(PATH, body).created();
    let purchases = [("20260105", "-32.00", "A1", "Livro"), ("20260128", "-64.00", "A2", "Sapato")];
    // These are paid on 27 February, so they are on the bill that closed on the 20th, whatever the dates of the purchases
    // are.
    client.import_card(card, "2026-02-27", &ofx(&purchases)).created();
    let transfer = json!({ "from_account_id": account, "to_account_id": card, "amount": "3", "date": "2026-02-05" });
    client.post("/api/transfers", transfer).created();
    let bills = client.all("/api/credit-bills");
    assert!(bills.len() >= 3, "{bills:?}");
    let mut seen = BTreeSet::new();
    for bill in &bills {
        let query = format!("bill_id={}", bill["id"]);
        let rows = found(&client, &query);
        let listed = client.all(&format!("{PATH}?{query}"));
        assert_eq!(money(-signed_sum(&listed)), bill["total"], "{bill}: {listed:?}");
        assert!(listed.iter().all(|row| row["account_id"] == card && row["is_transfer"] == false), "{listed:?}");
        assert!(rows.is_disjoint(&seen), "a row is on one bill");
        seen.extend(rows);
    }
    let closed = bills.iter().find(|bill| bill["period_end"] == "2026-02-19").expect("the bill of February");
    assert_eq!(closed["total"], "101.50");
    assert_eq!(found(&client, &format!("bill_id={}", closed["id"])).len(), 5);
    assert_eq!(found(&client, &format!("bill_id={}&type=income", closed["id"])).len(), 1);
    assert_eq!(found(&client, &format!("bill_id={}&to=2026-02-10", closed["id"])).len(), 2);
    assert_eq!(found(&client, &format!("bill_id={}&account_id={account}", closed["id"])), BTreeSet::new());
    assert_eq!(found(&client, "bill_id=9000000000"), BTreeSet::new());
}

#[test]
fn filters_that_say_nothing_are_refused() {
    let app = TestApp::start();
    let client = app.user("ana");
    for (query, fields) in [
        ("from=2026-02-30", &["from"][..]),
        ("to=2026-2-1", &["to"]),
        ("from=2026-03", &["from"]),
        ("from=2026-03-02&to=2026-03-01", &["to"]),
        ("from=1899-12-31&to=2200-01-01", &["from", "to"]),
        ("account_id=None", &["account_id"]),
        ("category_id=", &["category_id"]),
        ("account_id=null&category_id=1.5", &["account_id", "category_id"]),
        ("source=bank", &["source"]),
        ("import_id=none", &["import_id"]),
        ("bill_id=x&month=2026-00&type=gift", &["bill_id", "month", "type"]),
    ] {
        client.get(&format!("{PATH}?{query}")).invalid(fields);
        client.get(&format!("{PATH}/summary?{query}")).invalid(fields);
    }
    client.get(&format!("{PATH}?from=x&limit=0&cursor=y")).invalid(&["from", "limit", "cursor"]);
    client.get(&format!("{PATH}/summary?limit=0")).ok();
    client.get(&format!("{PATH}?from=2026-03-01&from=2026-03-02")).invalid(&["query"]);
    assert_eq!(
        client.get(&format!("{PATH}/summary")).ok(),
        json!({ "count": 0, "income": "0.00", "expenses": "0.00" })
    );
}

#[test]
fn the_dashboard_names_the_first_month_with_rows() {
    let app = TestApp::start();
    let client = app.user("ana");
    let first = |of: &Client| of.get("/api/dashboard").ok()["first_month"].clone();
    assert_eq!(first(&client), Value::Null);
    let body = |date: &str| json!({ "type": "expense", "date": date, "description": "Pão", "amount": "1" });
    client.post(PATH, body("2026-02-14")).created();
    assert_eq!(first(&client), "2026-02");
    let earlier = client.post(PATH, body("2019-12-31")).created();
    assert_eq!(first(&client), "2019-12");
    client.delete(&format!("{PATH}/{}", earlier["id"])).gone();
    assert_eq!(first(&client), "2026-02");
}
