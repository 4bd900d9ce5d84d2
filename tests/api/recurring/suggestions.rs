//! What is found in a history: what repeats, and what has another price.

use finance_tests::{Client, FoundSeries, Score, TestApp, example, id, money, score};
use serde_json::{Value, json};
use time::macros::date;
use time::{Date, Month};

use super::{category, item, path, stands, transaction};

/// The seeds that the rules were written with, and others.
const SEEDS: std::ops::Range<u64> = 0..12;

fn found(client: &Client) -> Vec<Value> {
    client.get("/api/recurring/suggestions").ok().as_array().unwrap().clone()
}

fn day(value: &Value) -> Option<Date> {
    let mut parts = value.as_str()?.split('-').map(|part| part.parse::<u16>().unwrap());
    let (year, month, day) = (parts.next()?, parts.next()?, parts.next()?);
    let month = Month::try_from(u8::try_from(month).unwrap()).unwrap();
    Date::from_calendar_date(i32::from(year), month, u8::try_from(day).unwrap()).ok()
}

#[test]
fn what_repeats_is_found_and_what_does_not_is_not() {
    let app = TestApp::start();
    let today = date!(2026 - 03 - 10);
    app.clock.set_today(today);
    let mut total = Score::default();
    for seed in SEEDS {
        let example = example(seed, today);
        let client = app.user(&format!("household-{seed}"));
        let account = client.open_account("Banco", "current");
        let row = |row: &finance_tests::ExampleRow| json!({ "date": row.date.to_string(), "description": row.description, "amount": money(i128::from(row.cents)), "type": row.kind });
        let rows: Vec<Value> = example.rows.iter().map(row).collect();
        let body = json!({ "account_id": account, "format": "csv", "rows": rows });
        let stored = client.post("/api/import/confirm", body).created();
        let ids: Vec<i64> = stored["transactions"].as_array().unwrap().iter().map(id).collect();
        assert_eq!(ids.len(), example.rows.len());
        // Each row is known by its content.
        let mut of: std::collections::HashMap<i64, Option<usize>> = std::collections::HashMap::new();
        let mut left: Vec<&finance_tests::ExampleRow> = example.rows.iter().collect();
        for one in stored["transactions"].as_array().unwrap() {
            let is_same = |row: &&finance_tests::ExampleRow| {
                one["date"] == row.date.to_string()
                    && one["amount"] == money(i128::from(row.cents))
                    && one["description"] == row.description.as_str()
            };
            let at = left.iter().position(is_same).unwrap();
            of.insert(id(one), left.swap_remove(at).series);
        }
        let text = |value: &Value| value.as_str().unwrap().to_string();
        let series: Vec<FoundSeries> = found(&client)
            .iter()
            .map(|one| {
                let rows =
                    one["transaction_ids"].as_array().unwrap().iter().map(|id| of[&id.as_i64().unwrap()]).collect();
                let draft = &one["draft"];
                (text(&draft["type"]), text(&draft["every"]["unit"]), day(&one["next_on"]), rows)
            })
            .collect();
        println!("seed {seed}");
        let scored = score(&example, &series);
        total.right += scored.right;
        total.found += scored.found;
        total.series += scored.series;
    }
    println!("{total:?}");
    assert!(total.right * 100 >= total.found * 90, "precision: {total:?}");
    assert!(total.right * 100 >= total.series * 80, "recall: {total:?}");
}

/// Rows of a payee on the 9th of the months.
fn pay(client: &Client, payee: &str, months: &[&str], amount: &str) -> Vec<i64> {
    let row = |month: &&str| {
        let row = json!({ "type": "expense", "date": format!("{month}-09"), "description": payee, "amount": amount });
        client.create("/api/transactions", row)
    };
    months.iter().map(row).collect()
}

const MONTHS: [&str; 4] = ["2025-12", "2026-01", "2026-02", "2026-03"];

#[test]
fn a_suggestion_becomes_an_item_once() {
    let app = TestApp::start();
    app.clock.set_today(date!(2026 - 03 - 10));
    let (ana, bia) = (app.user("ana"), app.user("bia"));
    let category = category(&ana, "Casa");
    let rows = pay(&ana, "Internet Fibra", &MONTHS, "99.90");
    let suggested = found(&ana);
    assert_eq!(suggested.len(), 1, "{suggested:?}");
    let one = &suggested[0];
    assert_eq!(one["transaction_ids"], json!(rows));
    assert_eq!((&one["last_on"], &one["next_on"]), (&json!("2026-03-09"), &json!("2026-04-09")));
    assert_eq!((&one["recurring_id"], &one["price_changed"]), (&Value::Null, &Value::Null));
    let draft = &one["draft"];
    assert_eq!(
        (&draft["type"], &draft["description"], &draft["amount"], &draft["day"], &draft["category_id"]),
        (&json!("expense"), &json!("Internet Fibra"), &json!("99.90"), &json!(9), &Value::Null)
    );
    assert_eq!(found(&bia), [] as [Value; 0]);
    let accept = |client: &Client, body: Value| {
        client.post(&format!("/api/recurring/suggestions/{}/accept", one["id"].as_str().unwrap()), body)
    };
    accept(&bia, json!({})).problem(404, "ErrNotFound");
    // The category is not known, and a wrong field is named.
    accept(&ana, json!({})).invalid(&["category_id"]);
    accept(&ana, json!({ "category_id": category, "count": 0 })).invalid(&["count"]);
    let body = json!({ "category_id": category, "description": "Internet" });
    let mut statuses: Vec<u16> = std::thread::scope(|scope| {
        let threads = [0, 1].map(|_| scope.spawn(|| accept(&ana, body.clone()).status));
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    statuses.sort_unstable();
    assert_eq!(statuses, [201, 404], "of two writers one succeeds");
    assert_eq!(found(&ana), [] as [Value; 0]);
    let items = ana.get("/api/recurring").ok();
    assert_eq!(items.as_array().unwrap().len(), 1);
    assert_eq!((&items[0]["description"], &items[0]["next_on"]), (&json!("Internet"), &json!("2026-04-09")));
    ana.delete(&path(id(&items[0]))).gone();
    assert_eq!(found(&ana).len(), 1, "without its item it is suggested again");
}

#[test]
fn a_hidden_category_is_not_suggested() {
    let app = TestApp::start();
    app.clock.set_today(date!(2026 - 03 - 10));
    let ana = app.user("ana");
    let [old, new] = ["Antiga", "Nova"].map(|name| category(&ana, name));
    for (month, category) in MONTHS.iter().zip([old, old, old, new]) {
        let row = json!({ "type": "expense", "date": format!("{month}-09"), "description": "Internet Fibra", "amount": "99.90",
            "category_id": category });
        ana.create("/api/transactions", row);
    }
    let suggested = || found(&ana)[0]["draft"]["category_id"].clone();
    assert_eq!(suggested(), old, "of most rows");
    let hide = |id: i64, name: &str| {
        ana.put(&format!("/api/categories/{id}"), json!({ "name": name, "hidden": true })).ok();
    };
    hide(old, "Antiga");
    assert_eq!(suggested(), new);
    hide(new, "Nova");
    assert_eq!(suggested(), Value::Null);
}

#[test]
fn a_rejection_is_remembered_and_may_be_repeated() {
    let app = TestApp::start();
    app.clock.set_today(date!(2026 - 03 - 10));
    let (ana, bia) = (app.user("ana"), app.user("bia"));
    pay(&ana, "Academia", &MONTHS, "120.00");
    let one = found(&ana)[0]["id"].as_str().unwrap().to_string();
    let reject = |client: &Client, id: &str| client.post_nothing(&format!("/api/recurring/suggestions/{id}/reject"));
    reject(&bia, &one).problem(404, "ErrNotFound");
    reject(&ana, "unknown").problem(404, "ErrNotFound");
    reject(&ana, &one).gone();
    reject(&ana, &one).gone();
    assert_eq!(found(&ana), [] as [Value; 0]);
    pay(&ana, "Academia", &["2025-11"], "120.00");
    assert_eq!(found(&ana), [] as [Value; 0], "with another row too");
    ana.post(&format!("/api/recurring/suggestions/{one}/accept"), json!({})).problem(404, "ErrNotFound");
}

#[test]
fn what_is_said_of_a_suggestion_is_undone() {
    let app = TestApp::start();
    app.clock.set_today(date!(2026 - 03 - 10));
    let ana = app.user("ana");
    pay(&ana, "Academia", &MONTHS, "120.00");
    let one = found(&ana)[0]["id"].as_str().unwrap().to_string();
    let category = ana.get("/api/categories").ok()[0]["id"].clone();
    for answer in ["reject", "accept"] {
        let path = format!("/api/recurring/suggestions/{one}/{answer}");
        let reply = if answer == "accept" {
            ana.post(&path, json!({ "category_id": category }))
        } else {
            ana.post_nothing(&path)
        };
        let change = reply.header("Finance-Change").unwrap_or_else(|| panic!("{answer}: {reply:?}")).to_string();
        assert_eq!(found(&ana), [] as [Value; 0], "{answer}");
        assert_eq!(ana.get(&format!("/api/changes/{change}")).ok()["kind"], format!("recurring.{answer}"));
        ana.post_nothing(&format!("/api/changes/{change}/undo")).ok();
        assert_eq!(found(&ana)[0]["id"], one.as_str(), "{answer}");
        assert_eq!(ana.get("/api/recurring").ok(), json!([]));
    }
}

/// A client with an item of 39.90 on the 9th of each month, its category, and its id. Today is 2026-03-10.
fn subscribed(app: &TestApp) -> (Client, i64, i64) {
    app.clock.set_today(date!(2026 - 03 - 10));
    let ana = app.user("ana");
    let category = category(&ana, "Canais");
    let mut body = item("expense", category, "39.90");
    (body["description"], body["day"]) = (json!("Netflix.com"), json!(9));
    let id = ana.create("/api/recurring", body);
    (ana, category, id)
}

#[test]
fn what_is_accepted_of_two_payees_is_covered_by_its_own_rows() {
    let app = TestApp::start();
    app.clock.set_today(date!(2026 - 03 - 10));
    let ana = app.user("ana");
    let category = category(&ana, "Contas");
    let pay = |payee: &str, day: u8, amount: &str| {
        ["2025-10", "2025-11", "2025-12", "2026-01", "2026-02"].map(|month| {
            let row = json!({ "type": "expense", "date": format!("{month}-{day}"), "description": payee, "amount": amount,
                "category_id": category });
            ana.create("/api/transactions", row)
        })
    };
    let (policy, phone) = (pay("SEGURO AUTO", 24, "120.00"), pay("VIVO CELULAR", 25, "110.00"));
    let suggested = found(&ana);
    assert_eq!(suggested.len(), 2, "{suggested:?}");
    let of = |rows: [i64; 5]| suggested.iter().find(|one| one["transaction_ids"] == json!(rows)).unwrap();
    let accept = format!("/api/recurring/suggestions/{}/accept", of(policy)["id"].as_str().unwrap());
    let item = ana.post(&accept, json!({})).created();
    for (month, row) in ["2025-12", "2026-01", "2026-02"].iter().zip(&policy[2..]) {
        assert_eq!(stands(&ana, id(&item), &format!("?month={month}")), ("covered".into(), Some(*row)), "{month}");
    }
    assert_eq!(found(&ana).iter().map(|one| &one["id"]).collect::<Vec<_>>(), [&of(phone)["id"]]);
}

#[test]
fn a_new_price_is_told_and_opens_no_month() {
    let app = TestApp::start();
    let (ana, category, id) = subscribed(&app);
    let row = |month: &str, amount: &str| transaction_of(&ana, category, month, amount);
    row("2025-12", "39.90");
    row("2026-01", "39.90");
    let raised = row("2026-03", "44.90");
    assert_eq!(found(&ana), [] as [Value; 0], "twice is not three times");
    row("2026-02", "39.90");
    let suggested = found(&ana);
    assert_eq!(suggested.len(), 1, "{suggested:?}");
    assert_eq!(suggested[0]["recurring_id"], id);
    assert_eq!(suggested[0]["price_changed"], json!({ "from": "39.90", "to": "44.90", "since": "2026-03-09" }));
    // What it cost between is not what it costs now.
    let between = transaction_of(&ana, category, "2026-03", "41.90");
    ana.put(
        &format!("/api/transactions/{between}"),
        json!({ "type": "expense", "date": "2026-03-05", "description": "Filmes",
        "amount": "41.90", "category_id": category }),
    )
    .ok();
    assert_eq!(found(&ana)[0]["price_changed"]["since"], "2026-03-09");
    ana.delete(&format!("/api/transactions/{between}")).gone();
    assert_eq!(stands(&ana, id, "").0, "pending");
    let accept = format!("/api/recurring/suggestions/{}/accept", suggested[0]["id"].as_str().unwrap());
    let item = ana.post(&accept, json!({})).ok();
    assert_eq!(
        (&item["amount"], &item["amount_min"], &item["amount_max"]),
        (&json!("44.90"), &json!("39.90"), &json!("44.90"))
    );
    assert_eq!(stands(&ana, id, ""), ("covered".into(), Some(raised)));
    for month in ["2025-12", "2026-01", "2026-02"] {
        assert_eq!(stands(&ana, id, &format!("?month={month}")).0, "covered", "{month}");
    }
    assert_eq!(found(&ana), [] as [Value; 0]);
    ana.post(&accept, json!({})).problem(404, "ErrNotFound");
}

#[test]
fn a_refused_price_stays_refused_in_a_restored_profile() {
    let app = TestApp::start();
    let (ana, category, _) = subscribed(&app);
    for (month, amount) in [("2025-12", "39.90"), ("2026-01", "39.90"), ("2026-02", "39.90"), ("2026-03", "44.90")] {
        transaction_of(&ana, category, month, amount);
    }
    let restored = app.user("bia");
    restored.post("/api/restore", ana.get("/api/export").ok()).ok();
    let id = found(&ana)[0]["id"].as_str().unwrap().to_string();
    assert_eq!(found(&restored)[0]["id"], id, "it names the same");
    ana.post_nothing(&format!("/api/recurring/suggestions/{id}/reject")).gone();
    assert_eq!(found(&ana), [] as [Value; 0]);
    let later = app.user("caio");
    later.post("/api/restore", ana.get("/api/export").ok()).ok();
    assert_eq!(found(&later), [] as [Value; 0]);
}

#[test]
fn a_second_new_price_leaves_what_the_first_one_covers() {
    let app = TestApp::start();
    let (ana, category, id) = subscribed(&app);
    let accept = || {
        let suggested = found(&ana);
        assert_eq!(suggested.len(), 1, "{suggested:?}");
        let path = format!("/api/recurring/suggestions/{}/accept", suggested[0]["id"].as_str().unwrap());
        ana.post(&path, json!({})).ok()
    };
    for (month, amount) in [("2025-08", "39.90"), ("2025-09", "39.90"), ("2025-10", "39.90"), ("2025-11", "44.90")] {
        transaction_of(&ana, category, month, amount);
    }
    accept();
    for (month, amount) in [("2025-12", "44.90"), ("2026-01", "44.90"), ("2026-02", "44.90"), ("2026-03", "69.90")] {
        transaction_of(&ana, category, month, amount);
    }
    let item = accept();
    assert_eq!((&item["amount_min"], &item["amount_max"]), (&json!("39.90"), &json!("69.90")));
    for month in ["2025-08", "2025-09", "2025-10", "2025-11", "2026-02", "2026-03"] {
        assert_eq!(stands(&ana, id, &format!("?month={month}")).0, "covered", "{month}");
    }
}

fn transaction_of(client: &Client, category_id: i64, month: &str, amount: &str) -> i64 {
    let row = json!({ "type": "expense", "category_id": category_id, "date": format!("{month}-09"),
        "description": "NETFLIX.COM", "amount": amount });
    client.create("/api/transactions", row)
}

#[test]
fn what_an_item_has_is_not_suggested() {
    let app = TestApp::start();
    app.clock.set_today(date!(2026 - 03 - 10));
    let ana = app.user("ana");
    let category = category(&ana, "Casa");
    for month in MONTHS {
        transaction(&ana, "expense", category, &format!("{month}-09"), "50.00");
    }
    assert_eq!(found(&ana).len(), 1);
    let mut body = item("expense", category, "50.00");
    body["day"] = json!(9);
    ana.create("/api/recurring", body);
    assert_eq!(found(&ana), [] as [Value; 0]);
}

#[test]
fn series_of_one_payee_and_amount_are_told_apart_by_their_days() {
    let app = TestApp::start();
    app.clock.set_today(date!(2026 - 03 - 10));
    let ana = app.user("ana");
    let months = ["2025-08", "2025-09", "2025-10", "2025-11", "2025-12", "2026-01", "2026-02", "2026-03"];
    let pay = |payee: &str, day: u8, months: &[&str]| {
        for month in months {
            let row = json!({ "type": "expense", "date": format!("{month}-{day:02}"), "description": payee, "amount": "300.00" });
            ana.create("/api/transactions", row);
        }
    };
    pay("Vale Transporte", 5, &months);
    pay("Vale Transporte", 20, &months[..7]);
    for day in [3, 13, 23] {
        pay("Porto Seguro", day, &months[..if day == 3 { 8 } else { 7 }]);
    }
    // What is bought now and then for one price is none.
    for (at, month) in months.iter().enumerate() {
        for day in [2 + at * 3, 9 + at * 2] {
            pay("Feira", u8::try_from(day).unwrap(), &[month]);
        }
    }
    let days = || {
        let mut days: Vec<(String, i64)> = found(&ana)
            .iter()
            .map(|one| {
                (one["draft"]["description"].as_str().unwrap().to_string(), one["draft"]["day"].as_i64().unwrap())
            })
            .collect();
        days.sort();
        days
    };
    let named = |payee: &str, days: &[i64]| days.iter().map(|day| (payee.to_string(), *day)).collect::<Vec<_>>();
    assert_eq!(days(), [named("Porto Seguro", &[3, 13, 23]), named("Vale Transporte", &[5, 20])].concat());
    // Each becomes an item of its own.
    let casa = category(&ana, "Casa");
    for expected in [named("Vale Transporte", &[20]), named("Vale Transporte", &[])] {
        let of_payee = |one: &Value| one["draft"]["description"] == "Vale Transporte";
        let one = found(&ana).into_iter().filter(of_payee).min_by_key(|one| one["draft"]["day"].as_i64()).unwrap();
        let accept = format!("/api/recurring/suggestions/{}/accept", one["id"].as_str().unwrap());
        ana.post(&accept, json!({ "category_id": casa })).created();
        assert_eq!(days(), [named("Porto Seguro", &[3, 13, 23]), expected].concat());
    }
}

#[test]
fn what_came_already_covers_the_item_of_a_suggestion_without_a_category() {
    let app = TestApp::start();
    app.clock.set_today(date!(2026 - 03 - 10));
    let ana = app.user("ana");
    for month in ["2025-10", "2025-11", "2025-12", "2026-01", "2026-02", "2026-03"] {
        let row = json!({ "type": "income", "date": format!("{month}-06"), "description": "SALARIO XYZ", "amount": "3000.00" });
        ana.create("/api/transactions", row);
    }
    let salary = category(&ana, "Ordenado");
    let one = found(&ana)[0].clone();
    assert_eq!(one["draft"]["category_id"], Value::Null);
    let accept = format!("/api/recurring/suggestions/{}/accept", one["id"].as_str().unwrap());
    let item = ana.post(&accept, json!({ "category_id": salary })).created();
    assert_eq!((&item["status"], &item["occurrences"][0]["linked"]), (&json!("covered"), &json!(true)), "{item}");
    assert_eq!(stands(&ana, id(&item), "?month=2026-02").0, "covered");
    assert_eq!(stands(&ana, id(&item), "?month=2026-04").0, "pending");
    let foreseen = ana.get("/api/forecast?months=1").ok();
    assert!(!foreseen.to_string().contains("2026-03-10\",\"description\":\"SALARIO"), "{foreseen}");
}

#[test]
fn an_older_row_does_not_bring_a_rejected_bill_back() {
    let app = TestApp::start();
    app.clock.set_today(date!(2026 - 03 - 10));
    let ana = app.user("ana");
    for (month, amount) in MONTHS.iter().zip(["120.00", "150.00", "130.00", "140.00"]) {
        pay(&ana, "ENEL", &[month], amount);
    }
    let one = found(&ana)[0]["id"].as_str().unwrap().to_string();
    ana.post_nothing(&format!("/api/recurring/suggestions/{one}/reject")).gone();
    pay(&ana, "ENEL", &["2025-11"], "110.00");
    assert_eq!(found(&ana), [] as [Value; 0]);
}

#[test]
fn what_else_a_payee_is_paid_for_does_not_bring_a_rejected_series_back() {
    let app = TestApp::start();
    app.clock.set_today(date!(2026 - 03 - 10));
    let ana = app.user("ana");
    pay(&ana, "AMAZON BR", &MONTHS, "19.90");
    let one = found(&ana)[0]["id"].as_str().unwrap().to_string();
    ana.post_nothing(&format!("/api/recurring/suggestions/{one}/reject")).gone();
    // Among other rows the series is told apart by its amount.
    for (day, amount) in [("2025-12-20", "310.00"), ("2026-01-28", "89.00"), ("2026-03-02", "154.50")] {
        let row = json!({ "type": "expense", "date": day, "description": "AMAZON BR", "amount": amount });
        ana.create("/api/transactions", row);
    }
    assert_eq!(found(&ana), [] as [Value; 0]);
    // What it charges for each month beside that is another series.
    let second = pay(&ana, "AMAZON BR", &MONTHS, "39.90");
    let suggested = found(&ana);
    assert_eq!(suggested.len(), 1, "{suggested:?}");
    assert_eq!(suggested[0]["transaction_ids"], json!(second));
}

#[test]
fn what_a_payee_charges_for_after_one_item_was_made_is_suggested() {
    let app = TestApp::start();
    app.clock.set_today(date!(2025 - 12 - 10));
    let ana = app.user("ana");
    pay(&ana, "APPLE.COM", &["2025-09", "2025-10", "2025-11", "2025-12"], "10.90");
    let category = category(&ana, "Aplicativos");
    let accept = |one: &Value| {
        let path = format!("/api/recurring/suggestions/{}/accept", one["id"].as_str().unwrap());
        ana.post(&path, json!({ "category_id": category })).created()
    };
    accept(&found(&ana)[0]);
    app.clock.set_today(date!(2026 - 03 - 10));
    pay(&ana, "APPLE.COM", &["2026-01", "2026-02", "2026-03"], "10.90");
    pay(&ana, "APPLE.COM", &MONTHS, "34.90");
    let second = found(&ana);
    assert_eq!(second.len(), 1, "{second:?}");
    assert_eq!(second[0]["draft"]["amount"], "34.90");
    accept(&second[0]);
    assert_eq!(found(&ana), [] as [Value; 0]);
}

#[test]
fn a_suggestion_links_its_rows_beside_an_item_of_a_like_amount() {
    let app = TestApp::start();
    let (ana, category, netflix) = subscribed(&app);
    let films = transaction_of(&ana, category, "2026-03", "39.90");
    let songs = pay(&ana, "SPOTIFY", &MONTHS, "41.90");
    let one = found(&ana).into_iter().find(|one| one["transaction_ids"] == json!(songs)).unwrap();
    let accept = format!("/api/recurring/suggestions/{}/accept", one["id"].as_str().unwrap());
    let item = ana.post(&accept, json!({ "category_id": category })).created();
    assert_eq!(stands(&ana, id(&item), "?month=2026-03"), ("covered".into(), Some(songs[3])));
    assert_eq!(stands(&ana, netflix, "?month=2026-03"), ("covered".into(), Some(films)));
    assert_eq!(item["occurrences"][0]["linked"], true, "{item}");
}
