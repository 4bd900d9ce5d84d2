//! A profile with rows in every table, and all its answers.

use finance_tests::{Client, TestApp, id};
use serde_json::{Value, json};
use time::macros::date;

const STATEMENT: &[u8] = include_bytes!("../../config/demo/three_months.ofx");

/// The months with data, one month before them and one after them.
pub(crate) const MONTHS: [&str; 8] =
    ["2025-10", "2025-11", "2025-12", "2026-01", "2026-02", "2026-03", "2026-04", "2026-05"];

/// Creates the history of a new profile up to 2026-03-15. If `app` is given, its clock and rates are set, and the history
/// includes yield.
pub(crate) fn fill(client: &Client, app: Option<&TestApp>) {
    let make = |path: &str, body: Value| client.post(path, body).created();
    let bank = id(&make(
        "/api/accounts",
        json!({ "name": "Banco", "kind": "current", "opening_balance": "2300.00", "opening_date": "2025-11-30" }),
    ));
    let card =
        id(&make("/api/accounts", json!({ "name": "Cartão", "kind": "credit", "closing_day": 20, "due_day": 27 })));
    let invested = json!({ "name": "CDB", "kind": "investment", "yield_type": "cdi", "cdi_percentage": 102.5,
        "last_yield_date": "2026-01-31", "opening_balance": "10000", "opening_date": "2026-01-31" });
    let invested = id(&make("/api/accounts", invested));
    let category = id(&make("/api/categories", json!({ "name": "Pets", "monthly_budget": "250.00" })));
    client.import(Some(bank), STATEMENT).created();
    for (day, amount, text) in
        [("2026-01-08", "120.00", "Ração"), ("2026-02-11", "80.00", "Banho"), ("2026-03-02", "55.55", "Ração")]
    {
        let bought = json!({ "type": "expense", "date": day, "description": text, "amount": amount,
            "category_id": category, "account_id": card });
        make("/api/transactions", bought);
    }
    let own = json!({ "type": "income", "date": "2026-02-20", "description": "Venda da bicicleta", "amount": "400",
        "external_id": "manual-1" });
    make("/api/transactions", own);
    // A statement with a payment date in the past, and a pending one.
    let row = |day: &str, text: &str, amount: &str| json!({ "date": day, "description": text, "amount": amount, "type": "expense", "external_id": text });
    let paid = json!({ "account_id": card, "is_credit_card": true, "payment_date": "2026-02-27", "format": "csv",
        "file_name": "fatura.csv", "rows": [row("2026-02-01", "Livro 1/3", "50.00"), row("2026-02-02", "Livro", "50.00")] });
    make("/api/import/confirm", paid);
    let held = json!({ "account_id": card, "is_credit_card": true, "payment_date": "2026-03-27", "format": "csv",
        "file_name": "fatura-3.csv", "rows": [row("2026-03-05", "Livro 2/3", "50.00"), row("2026-03-06", "Mercado", "99.90")] });
    client.post("/api/import/confirm", held).expect(202);
    let moved = json!({ "from_account_id": bank, "to_account_id": invested, "amount": "150.00", "date": "2026-03-01" });
    make("/api/transfers", moved);
    client.get("/api/accounts").ok();
    let bills = client.all("/api/credit-bills");
    let due = bills.iter().find(|bill| bill["amount_due"] != "0.00").expect("a bill to pay");
    client
        .post(&format!("/api/credit-bills/{}/pay", due["id"]), json!({ "account_id": bank, "date": "2026-03-10" }))
        .ok();
    let due = client.all("/api/credit-bills").into_iter().find(|bill| bill["amount_due"] != "0.00");
    if let Some(due) = due {
        client.post(&format!("/api/credit-bills/{}/pay", due["id"]), json!({ "date": "2026-03-11" })).ok();
    }
    for (kind, text, amount, day) in
        [("income", "Salário", "5000.00", 5), ("expense", "Aluguel", "1800.00", 10), ("expense", "Luz", "777.00", 12)]
    {
        let item = json!({ "type": kind, "description": text, "amount": amount, "category_id": category,
            "account_id": bank, "day": day });
        let item = id(&make("/api/recurring", item));
        match text {
            "Salário" => {
                drop(client.post(&format!("/api/recurring/{item}/confirm?month=2026-02"), json!({})).created())
            }
            "Aluguel" => drop(client.post_nothing(&format!("/api/recurring/{item}/late")).ok()),
            _ => drop(client.post_nothing(&format!("/api/recurring/{item}/ignore?month=2026-01")).ok()),
        }
    }
    let days = json!({ "name": "Cartão", "kind": "credit", "closing_day": 21, "due_day": 28 });
    client.put(&format!("/api/accounts/{card}"), days).ok();
    client.put("/api/settings", json!({ "savings_goal_pct": 12.5 })).ok();
    if let Some(app) = app {
        app.rates.publish_weekdays(date!(2026 - 01 - 30), date!(2026 - 03 - 14), "0.05");
        client.get("/api/accounts").ok();
        let yields = client.all(&format!("/api/transactions?account_id={invested}"));
        assert!(yields.iter().any(|row| row["source"] == "yield"), "{yields:?}");
    }
    for month in MONTHS {
        client.get(&format!("/api/dashboard?month={month}")).ok();
    }
    client.get("/api/gamification/achievements").ok();
    let cosmetics = client.get("/api/gamification/cosmetics").ok();
    let own = cosmetics.as_array().unwrap().iter().find(|cosmetic| cosmetic["owned"] == true).expect("one to wear");
    client.post_nothing(&format!("/api/gamification/cosmetics/{}/equip", own["id"])).ok();
}

/// Adds transfers from statements: a payment of the card, a pair that is linked, and a pair that is rejected.
pub(crate) fn move_money(client: &Client) {
    let named = |name: &str| {
        let accounts = client.get("/api/accounts").ok();
        id(accounts.as_array().unwrap().iter().find(|account| account["name"] == name).expect("the account"))
    };
    let (bank, card) = (named("Banco"), named("Cartão"));
    let row = |description: &str, amount: &str, kind: &str| {
        json!({ "date": "2026-03-12", "description": description,
        "amount": amount, "type": kind })
    };
    let confirm = |account: i64, rows: Value| {
        let body = json!({ "account_id": account, "format": "csv", "rows": rows });
        client.post("/api/import/confirm", body).created()["transactions"].clone()
    };
    confirm(card, json!([row("Pagamento recebido", "31.00", "income")]));
    let sent = confirm(bank, json!([row("PIX A", "11.00", "expense"), row("PIX B", "12.00", "expense")]));
    let other = id(&client.post("/api/accounts", json!({ "name": "Reserva", "kind": "savings" })).created());
    let came = confirm(other, json!([row("PIX C", "11.00", "income"), row("PIX D", "12.00", "income")]));
    let pair = |at: usize| json!({ "from_id": sent[at]["id"], "to_id": came[at]["id"] });
    client.post("/api/transfers/link", pair(0)).created();
    client.post("/api/transfers/reject", pair(1)).gone();
    client.put("/api/settings", json!({ "savings_goal_pct": 12.5, "own_names": ["Ana Souza", "Ana Lima"] })).ok();
}

/// Gives the card a limit, and enters a purchase by instalments. A statement has its first instalment.
pub(crate) fn buy_by_instalments(client: &Client) {
    let accounts = client.get("/api/accounts").ok();
    let card = accounts.as_array().unwrap().iter().find(|account| account["kind"] == "credit").expect("the card");
    let mut limited = card.clone();
    limited["credit_limit"] = json!("7500.50");
    client.put(&format!("/api/accounts/{}", id(card)), limited).ok();
    let plan = json!({ "account_id": id(card), "description": "Sofá", "date": "2026-03-13", "count": 4, "total_amount": "1000.01" });
    client.post("/api/installments", plan).created();
    let row =
        json!({ "date": "2026-03-13", "description": "Sofá - Parcela 1/4", "amount": "250.01", "type": "expense" });
    let body = json!({ "account_id": id(card), "format": "csv", "rows": [row] });
    assert_eq!(client.post("/api/import/confirm", body).created()["inserted"], 0);
}

/// Enters a transaction with lines, a tag and a note.
pub(crate) fn split_a_row(client: &Client) {
    let category = client.get("/api/categories").ok()[0]["id"].clone();
    let row = json!({
        "type": "expense", "date": "2026-03-05", "description": "Atacado", "amount": "30.00", "tags": ["Churrasco"], "note": "Da Bia",
        "lines": [{ "category_id": category, "amount": "20.00" }, { "category_id": category, "amount": "10.00" }],
    });
    client.post("/api/transactions", row).created();
}

/// Makes a rule with every field and every action.
pub(crate) fn make_a_rule(client: &Client) {
    let id = |path: &str| client.get(path).ok()[0]["id"].as_i64().expect("an id");
    let (account, category) = (id("/api/accounts"), id("/api/categories"));
    let rule = json!({
        "name": "Café", "match": "all",
        "conditions": [
            { "field": "description", "op": "contains", "value": "não há tal texto" },
            { "field": "account_id", "op": "eq", "value": account },
            { "field": "amount", "op": "between", "value": ["0.01", "0.02"] },
            { "field": "type", "op": "eq", "value": "income" },
            { "field": "day", "op": "between", "value": [31, 31] },
        ],
        "actions": [
            { "action": "set_category", "category_id": category },
            { "action": "rename", "description": "Café" },
            { "action": "mark_transfer" },
            { "action": "add_tag", "tag": "Café" },
            { "action": "skip" },
        ],
    });
    client.post("/api/rules", rule).created();
}

/// Chooses the appearance of the character.
pub(crate) fn choose_looks(client: &Client) {
    let looks = json!({ "skin": "deep", "hair_style": "coily", "body": "broad" });
    client.put("/api/gamification/appearance", looks).ok();
}

/// Gives the card's open bill other dates than the card's days.
pub(crate) fn name_bill_dates(client: &Client) {
    let accounts = client.all("/api/accounts");
    let card = accounts.iter().find(|account| account["kind"] == "credit").expect("a card");
    let dates = json!({ "closing_date": "2026-03-23", "due_date": "2026-03-30" });
    client.put(&format!("/api/credit-bills/{}", id(&card["current_bill"])), dates).ok();
}

/// Edits all values that the statement gave to one row of the statement that [`fill`] imported.
pub(crate) fn edit_a_row(client: &Client) {
    let other = id(&client.post("/api/accounts", json!({ "name": "Carteira", "kind": "current" })).created());
    let rows = client.all("/api/transactions?limit=1000");
    let mut row = rows.into_iter().find(|row| row["source"] == "ofx").expect("a row of a statement");
    let changes = json!({ "description": "Corrigida", "date": "2026-01-02", "amount": "77.70", "account_id": other });
    row.as_object_mut().unwrap().extend(changes.as_object().unwrap().clone());
    row["type"] = json!(if row["type"] == "income" { "expense" } else { "income" });
    client.put(&format!("/api/transactions/{}", id(&row)), row).ok();
}

/// All answers of a profile, with their paths and without ids.
pub(crate) fn figures(client: &Client) -> Vec<(String, Value)> {
    let months = MONTHS
        .iter()
        .flat_map(|month| [format!("/api/dashboard?month={month}"), format!("/api/recurring?month={month}")]);
    let lists = [
        "/api/accounts",
        "/api/categories",
        "/api/transactions?limit=1000",
        "/api/credit-bills",
        "/api/credit-bills/upcoming",
        "/api/installments",
        "/api/forecast",
        "/api/pending-bills",
        "/api/imports",
        "/api/settings",
        "/api/gamification/profile",
        "/api/gamification/xp-events?limit=1000",
        "/api/gamification/quests",
        "/api/gamification/achievements",
        "/api/gamification/cosmetics",
        "/api/gamification/appearance",
    ];
    // The list of accounts is first, because it creates the bills of the period that contains today.
    lists
        .into_iter()
        .map(str::to_string)
        .chain(months)
        .map(|path| {
            let mut answer = client.get(&path).ok();
            without_ids(&mut answer);
            (path, answer)
        })
        .collect()
}

/// Removes values that each service generates.
fn without_ids(value: &mut Value) {
    match value {
        Value::Object(object) => {
            object.retain(|key, value| {
                // The key of a category's achievement contains the category's id.
                let names_an_id = value.as_str().is_some_and(|text| text.starts_with("category_budget_"));
                let is_list_of_ids = key == "transactions" && value[0].is_number();
                let is_id = key == "id"
                    || key == "created_by"
                    || key.ends_with("_ids")
                    || key.ends_with("_id") && key != "external_id";
                !(is_id || is_list_of_ids || key == "key" && names_an_id)
            });
            object.values_mut().for_each(without_ids);
        }
        Value::Array(items) => items.iter_mut().for_each(without_ids),
        _ => {}
    }
}
