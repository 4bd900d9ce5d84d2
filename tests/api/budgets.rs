//! `/api/budgets`: the budget follows the month.

use std::sync::Barrier;
use std::thread;

use finance_tests::{Client, Method, Reply, TestApp};
use serde_json::{Value, json};
use time::macros::date;

use crate::planned_household::{Planned, cents, change, enter, money, month, row, standard};

fn set(client: &Client, month: &str, budgets: Value) -> Reply {
    client.put(&format!("/api/budgets/{month}"), json!({ "budgets": budgets }))
}

fn of_category(client: &Client, month: &str, id: i64) -> Value {
    row(&client.get(&format!("/api/budgets/{month}")).ok()["categories"], "category_id", id).clone()
}

#[test]
fn february_has_what_january_left() {
    let app = TestApp::start();
    let house = Planned::new(&app);
    let february = house.budgets("2026-02");
    let market = row(&february["categories"], "category_id", house.market);
    assert_eq!(
        *market,
        json!({ "category_id": house.market, "name": "Mercado", "group": "Casa", "hidden": false, "carry": "both", "own": null,
            "budget": "500.00", "carried_in": "-180.00", "expenses": "685.00", "refunds": "0.00", "spent": "685.00",
            "available": "-365.00", "average3": "668.33", "average12": "545.83", "last_year": "445.00" })
    );
    let leisure = row(&february["categories"], "category_id", house.leisure);
    assert_eq!((&leisure["carried_in"], &leisure["available"]), (&json!("0.00"), &json!("2.55")));
    let shopping = row(&february["categories"], "category_id", house.shopping);
    assert_eq!(
        (&shopping["expenses"], &shopping["refunds"], &shopping["spent"]),
        (&json!("110.00"), &json!("50.25"), &json!("59.75"))
    );
    let health = row(&february["categories"], "category_id", house.health);
    assert_eq!((&health["available"], &health["last_year"]), (&Value::Null, &json!("400.00")));
    assert_eq!((&february["income"], &february["income_expected"]), (&json!("5000.00"), &json!("5000.00")));
    assert_eq!(february["to_distribute"], "4200.00");
    let life = row(&february["groups"], "group", "Vida");
    assert_eq!((&life["budget"], &life["available"]), (&json!("300.00"), &json!("42.80")));
    assert_eq!((&february["total"]["budget"], &february["total"]["spent"]), (&json!("800.00"), &json!("942.20")));
    // The same figures on the dashboard.
    let dashboard = house.client.get("/api/dashboard?month=2026-02").ok();
    assert_eq!((&dashboard["income"], &dashboard["refunds"]), (&json!("5050.25"), &json!("50.25")), "never netted");
    let market = row(&dashboard["spending_by_category"], "category_id", house.market);
    assert_eq!((&market["budget"], &market["available"]), (&json!("500.00"), &json!("-365.00")));
    let shopping = row(&dashboard["spending_by_category"], "category_id", house.shopping);
    assert_eq!((&shopping["total"], &shopping["spent"]), (&json!("110.00"), &json!("59.75")));
    assert_eq!(dashboard["evolution"][5]["refunds"], "50.25");
    // December had more, and its default is what it was before.
    assert_eq!(of_category(&house.client, "2025-12", house.market)["own"], "800.00");
    assert_eq!(of_category(&house.client, "2025-01", house.market)["carried_in"], "0.00", "the first month");
    assert_eq!(of_category(&house.client, "2025-01", house.market)["average3"], Value::Null);
    assert_eq!(of_category(&house.client, "2024-12", house.health)["last_year"], Value::Null);
}

#[test]
fn a_new_default_does_not_change_the_past() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let id = standard(&ana, "Lazer");
    let budget = |month: &str| of_category(&ana, month, id)["budget"].clone();
    change(&ana, id, json!({ "monthly_budget": "100.00" }));
    assert_eq!(
        (budget("2020-01"), budget("2026-03"), budget("2027-01")),
        (json!("100.00"), json!("100.00"), json!("100.00"))
    );
    app.clock.set_today(date!(2026 - 05 - 20));
    change(&ana, id, json!({ "monthly_budget": "150.00" }));
    change(&ana, id, json!({ "monthly_budget": "160.00" }));
    assert_eq!(
        (budget("2026-04"), budget("2026-05"), budget("2027-01")),
        (json!("100.00"), json!("160.00"), json!("160.00"))
    );
    set(&ana, "2026-04", json!([{ "category_id": id, "amount": 90 }])).ok();
    app.clock.set_today(date!(2026 - 07 - 01));
    change(&ana, id, json!({ "monthly_budget": null }));
    app.clock.set_today(date!(2026 - 09 - 01));
    change(&ana, id, json!({ "monthly_budget": "200.00" }));
    let all: Vec<Value> = ["2026-03", "2026-04", "2026-06", "2026-07", "2026-08", "2026-09"].map(budget).into();
    assert_eq!(json!(all), json!(["100.00", "90.00", "160.00", null, null, "200.00"]));
    set(&ana, "2026-04", json!([{ "category_id": id, "amount": null }])).ok();
    assert_eq!(budget("2026-04"), "100.00", "the default of its time");
}

#[test]
fn a_put_of_an_old_client_loses_nothing() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let id = standard(&ana, "Lazer");
    let planned = json!({ "group": "Vida", "position": 3, "icon": "film", "hidden": true, "nets_refunds": false,
        "carry": "both", "carry_since": "2025-06" });
    let before = change(&ana, id, planned);
    let old = json!({ "name": "Diversão", "is_tax": false, "monthly_budget": "10.00", "tax_kind": "none" });
    let after = ana.put(&format!("/api/categories/{id}"), old).ok();
    for field in ["group", "position", "icon", "hidden", "nets_refunds", "carry", "carry_since"] {
        assert_eq!(after[field], before[field], "{field}");
    }
    let wrong = json!({ "name": "x", "group": "", "position": 10_000, "icon": "no such", "hidden": 1, "nets_refunds": "y",
        "carry": "all", "carry_since": "2016-02" });
    let fields = ["group", "position", "icon", "hidden", "nets_refunds", "carry"];
    ana.put(&format!("/api/categories/{id}"), wrong).invalid(&[&fields[..], &["carry_since"]].concat());
    let none = change(&ana, id, json!({ "carry": "none" }));
    assert_eq!(none["carry_since"], Value::Null);
    let on = change(&ana, id, json!({ "carry": "surplus" }));
    assert_eq!(on["carry_since"], "2026-03", "this month");
    let made = ana.post("/api/categories", json!({ "name": "Nova" })).created();
    assert_eq!(
        (&made["position"], &made["nets_refunds"], &made["hidden"], &made["carry"], &made["group"]),
        (&json!(9999), &json!(true), &json!(false), &json!("none"), &Value::Null)
    );
    assert_eq!(ana.get(&format!("/api/categories/{}", standard(&ana, "Salário"))).ok()["nets_refunds"], false);
}

#[test]
fn groups_stand_where_their_first_category_does_whatever_their_case() {
    let app = TestApp::start();
    let ana = app.user("ana");
    for category in ana.get("/api/categories").ok().as_array().unwrap() {
        change(&ana, category["id"].as_i64().unwrap(), json!({ "group": null }));
    }
    for (name, group, position) in [("B", "casa", 2), ("A", "Vida", 1), ("C", "Casa", 0), ("D", "vida", 5)] {
        let body = json!({ "name": name, "group": group, "position": position, "monthly_budget": "1.00" });
        ana.create("/api/categories", body);
    }
    let month = ana.get("/api/budgets/2026-03").ok();
    let names = month["categories"].as_array().unwrap().iter().map(|line| line["name"].as_str().unwrap());
    assert_eq!(names.take(4).collect::<Vec<_>>(), ["C", "B", "A", "D"]);
    let groups: Vec<_> = month["groups"]
        .as_array()
        .unwrap()
        .iter()
        .map(|group| (group["group"].clone(), group["budget"].clone()))
        .collect();
    assert_eq!(groups, [(json!("Casa"), json!("2.00")), (json!("Vida"), json!("2.00")), (Value::Null, json!("0.00"))]);
}

#[test]
fn a_fill_sets_what_differs_and_a_retry_does_nothing() {
    let app = TestApp::start();
    let house = Planned::new(&app);
    let client = &house.client;
    let fill = |body: Value| client.post("/api/budgets/2026-03/fill", body);
    let budget = |id: i64| {
        let line = of_category(client, "2026-03", id);
        (line["own"].clone(), line["budget"].clone())
    };
    fill(json!({ "from": "previous" })).ok();
    assert_eq!(budget(house.market), (Value::Null, json!("500.00")), "the same as in February");
    let filled = fill(json!({ "from": "average3" })).ok();
    assert_eq!(row(&filled["categories"], "category_id", house.market)["own"], "703.33");
    assert_eq!(budget(house.health).0, Value::Null, "0.00 is not above 0");
    fill(json!({ "from": "last_year" })).ok();
    assert_eq!(budget(house.market).0, "703.33", "an own amount stays");
    fill(json!({ "from": "last_year", "category_ids": [house.market] })).ok();
    assert_eq!(budget(house.market).0, "460.00");
    set(client, "2026-02", json!([{ "category_id": house.market, "amount": "555.00" }])).ok();
    fill(json!({ "from": "previous", "category_ids": [house.market] })).ok();
    assert_eq!(budget(house.market).0, "555.00");
    change(client, house.leisure, json!({ "hidden": true }));
    set(client, "2026-03", json!([{ "category_id": house.leisure, "amount": null }])).ok();
    fill(json!({ "from": "average12" })).ok();
    assert_eq!(budget(house.leisure).0, Value::Null, "a hidden category is left");
    fill(json!({ "from": "average12", "category_ids": [house.leisure] })).ok();
    assert_ne!(budget(house.leisure).0, Value::Null, "unless it is named");
    // Done once.
    let send = |from: &str| {
        let body = json!({ "from": from }).to_string().into_bytes();
        let headers = [("Idempotency-Key", "fill-1")];
        client.send_with(Method::POST, "/api/budgets/2026-04/fill", Some("application/json"), body, &headers)
    };
    let first = send("previous").ok();
    set(client, "2026-04", json!([{ "category_id": house.market, "amount": "1.00" }])).ok();
    assert_eq!(send("previous").ok(), first);
    assert_eq!(of_category(client, "2026-04", house.market)["own"], "1.00");
    send("average3").problem(422, "ErrIdempotencyKeyReused");
}

#[test]
fn expected_income_is_added_from_this_month_on() {
    let app = TestApp::start();
    let house = Planned::new(&app);
    let item =
        json!({ "type": "income", "description": "Salário", "amount": "5000", "category_id": house.salary, "day": 5 });
    house.client.create("/api/recurring", item);
    let expected = |month: &str| {
        let budgets = house.budgets(month);
        (budgets["income"].clone(), budgets["income_expected"].clone())
    };
    assert_eq!(expected("2026-03"), (json!("0.00"), json!("5000.00")));
    assert_eq!(expected("2026-04"), (json!("0.00"), json!("5000.00")));
    assert_eq!(expected("2026-02"), (json!("5000.00"), json!("5000.00")));
    enter(&house.client, "income", house.salary, "2026-03-09", "Salário", 500_000);
    assert_eq!(expected("2026-03"), (json!("5000.00"), json!("5000.00")), "it has arrived");
}

#[test]
fn wrong_months_and_budgets_are_named() {
    let app = TestApp::start();
    let (ana, bia) = (app.user("ana"), app.user("bia"));
    let (own, foreign) = (standard(&ana, "Lazer"), standard(&bia, "Lazer"));
    for month in ["2016-02", "2028-04", "2026-13", "march", "2026-3"] {
        ana.get(&format!("/api/budgets/{month}")).invalid(&["month"]);
        set(&ana, month, json!([{ "category_id": own, "amount": 1 }])).invalid(&["month"]);
        ana.post(&format!("/api/budgets/{month}/fill"), json!({ "from": "previous" })).invalid(&["month"]);
    }
    for month in ["2016-03", "2028-03"] {
        ana.get(&format!("/api/budgets/{month}")).ok();
    }
    ana.put("/api/budgets/2026-03", json!({})).invalid(&["budgets"]);
    set(&ana, "2026-03", json!([])).invalid(&["budgets"]);
    set(&ana, "2026-03", json!(vec![json!({ "category_id": own, "amount": "1" }); 501])).invalid(&["budgets"]);
    set(&ana, "2026-03", json!([{ "category_id": foreign, "amount": "1" }])).invalid(&["budgets[0].category_id"]);
    let wrong = json!([{ "category_id": own, "amount": "1" }, { "category_id": own, "amount": "2" }, { "amount": -1 }, 7,
        { "category_id": "x", "amount": "0.001" }]);
    set(&ana, "2026-03", wrong).invalid(&[
        "budgets[1].category_id",
        "budgets[2].category_id",
        "budgets[2].amount",
        "budgets[3]",
        "budgets[4].category_id",
        "budgets[4].amount",
    ]);
    assert_eq!(of_category(&ana, "2026-03", own)["own"], Value::Null, "all or none");
    let fill = |body: Value| ana.post("/api/budgets/2026-03/fill", body);
    fill(json!({})).invalid(&["from"]);
    fill(json!({ "from": "next" })).invalid(&["from"]);
    fill(json!({ "from": "previous", "category_ids": [foreign] })).invalid(&["category_ids[0]"]);
    fill(json!({ "from": "previous", "category_ids": [own, "x"] })).invalid(&["category_ids[1]"]);
}

#[test]
fn four_writers_of_a_month_keep_all_four() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let ids: Vec<i64> = ["Lazer", "Mercado", "Compras", "Moradia"].map(|name| standard(&ana, name)).into();
    let barrier = Barrier::new(ids.len());
    thread::scope(|scope| {
        for (at, id) in ids.iter().enumerate() {
            let (ana, barrier) = (&ana, &barrier);
            scope.spawn(move || {
                barrier.wait();
                set(ana, "2026-03", json!([{ "category_id": id, "amount": at + 1 }])).ok();
            });
        }
    });
    let month = ana.get("/api/budgets/2026-03").ok();
    for (at, id) in ids.iter().enumerate() {
        assert_eq!(row(&month["categories"], "category_id", *id)["own"], format!("{}.00", at + 1));
    }
    assert_eq!(month["total"]["budget"], "10.00");
}

#[test]
fn budgets_go_with_their_category_and_are_exported_and_restored() {
    let app = TestApp::start();
    let house = Planned::new(&app);
    let pets = house.client.create("/api/categories", json!({ "name": "Pets", "monthly_budget": "5.00" }));
    set(&house.client, "2026-03", json!([{ "category_id": pets, "amount": "7.00" }])).ok();
    app.clock.set_today(date!(2026 - 04 - 10));
    change(&house.client, pets, json!({ "monthly_budget": "6.00" }));
    change(
        &house.client,
        house.market,
        json!({ "monthly_budget": "510.00", "icon": "cart", "position": 4, "hidden": true }),
    );
    let document = house.client.get("/api/export").ok();
    assert_eq!(document["budgets"].as_array().unwrap().len(), 2);
    assert_eq!(document["budget_defaults"].as_array().unwrap().len(), 2);
    let bia = app.user("bia");
    bia.post("/api/restore", document.clone()).ok();
    let figures = |client: &Client, month: &str| {
        let mut budgets = client.get(&format!("/api/budgets/{month}")).ok();
        for line in budgets["categories"].as_array_mut().unwrap() {
            line.as_object_mut().unwrap().remove("category_id");
        }
        budgets
    };
    for month in ["2025-12", "2026-02", "2026-03", "2026-04"] {
        assert_eq!(figures(&bia, month), figures(&house.client, month), "{month}");
    }
    let market = standard(&bia, "Mercado");
    let market = bia.get(&format!("/api/categories/{market}")).ok();
    assert_eq!((&market["icon"], &market["position"], &market["hidden"]), (&json!("cart"), &json!(4), &json!(true)));
    house.client.delete(&format!("/api/categories/{pets}")).gone();
    let id = house.client.caller().profile_id;
    for table in ["budgets", "budget_defaults"] {
        assert_eq!(app.rows(&format!("select * from {table} where profile_id = {id}")).len(), 1, "{table}");
    }
    // A document of an earlier release: what nets refunds is judged as in an upgrade.
    let mut old = document;
    for table in ["budgets", "budget_defaults"] {
        old.as_object_mut().unwrap().remove(table);
    }
    let rent = json!({ "name": "Aluguel", "id": 999_999, "is_tax": false, "is_standard": false, "monthly_budget": null, "tax_kind": "none" });
    old["categories"].as_array_mut().unwrap().push(rent);
    for category in old["categories"].as_array_mut().unwrap() {
        let fields = category.as_object_mut().unwrap();
        for field in ["group", "position", "icon", "hidden", "nets_refunds", "carry", "carry_since"] {
            fields.remove(field);
        }
    }
    let mut paid = old["transactions"][0].clone();
    for (field, value) in [
        ("id", json!(999_999)),
        ("category_id", json!(999_999)),
        ("type", json!("income")),
        ("source", json!("manual")),
    ] {
        paid[field] = value;
    }
    old["transactions"].as_array_mut().unwrap().push(paid);
    let caio = app.user("caio");
    caio.post("/api/restore", old).ok();
    let nets: Vec<Value> = ["Mercado", "Compras", "Salário", "Investimentos", "Aluguel"]
        .iter()
        .map(|name| caio.get(&format!("/api/categories/{}", standard(&caio, name))).ok()["nets_refunds"].clone())
        .collect();
    assert_eq!(json!(nets), json!([true, true, false, false, false]));
}

#[test]
fn ten_years_are_carried_to_the_cent() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let (both, surplus) = (standard(&ana, "Mercado"), standard(&ana, "Lazer"));
    for (id, carry) in [(both, "both"), (surplus, "surplus")] {
        change(&ana, id, json!({ "monthly_budget": "333.33", "carry": carry, "carry_since": "2016-03" }));
    }
    let months: Vec<String> = (0..120).map(|later| month(later - 106)).collect();
    assert_eq!((months[0].as_str(), months[119].as_str()), ("2016-03", "2026-02"));
    let mut seed: u64 = 7;
    let mut drawn = |below: u64| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        i64::try_from((seed >> 33) % below).unwrap()
    };
    let mut rows = Vec::new();
    let mut left = [Vec::new(), Vec::new()];
    for month in &months {
        for (at, id) in [both, surplus].into_iter().enumerate() {
            let (expense, refund) = (20_000 + drawn(30_000), drawn(4_000) + 1);
            for (kind, cents, day) in [("expense", expense, 3), ("income", refund, 9)] {
                rows.push(json!({ "date": format!("{month}-{day:02}"), "description": format!("Loja {at} {cents}"),
                    "type": kind, "amount": money(cents), "category_id": id }));
            }
            left[at].push(33_333 - expense + refund);
        }
    }
    ana.post("/api/import/confirm", json!({ "format": "csv", "rows": rows })).created();
    // By another path: the sum; and the largest sum of the last months, however many.
    let sums = (0..=120).map(|from| left[1][from..].iter().sum::<i64>());
    let expected = [left[0].iter().sum::<i64>(), sums.max().unwrap().max(0)];
    let march = ana.get("/api/budgets/2026-03").ok();
    for (id, expected) in [both, surplus].into_iter().zip(expected) {
        assert_eq!(row(&march["categories"], "category_id", id)["carried_in"], money(expected));
    }
    // And by the report of ten years.
    let report = ana.get(&format!("/api/reports/flow?from=2016-03-01&to=2026-02-28&category_id={both}")).ok();
    assert_eq!(report["intervals"].as_array().unwrap().len(), 120);
    assert_eq!(120 * 33_333 - cents(&report["total"]["total"]["net"]), expected[0]);
}

#[test]
fn an_award_is_for_the_budget_of_its_month_without_what_is_carried() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let earned = |id: i64| {
        let all = ana.get("/api/gamification/achievements").ok();
        all.as_array().unwrap().iter().any(|one| one["category_id"] == id && !one["earned_at"].is_null())
    };
    let make = |name: &str, fields: Value| {
        let id = ana.create("/api/categories", json!({ "name": name }));
        change(&ana, id, fields);
        id
    };
    let refunded = make("Roupas", json!({ "monthly_budget": "100.00" }));
    let raised = make("Pets", json!({ "monthly_budget": "10.00" }));
    let carried = make("Carro", json!({ "monthly_budget": "50.00", "carry": "both", "carry_since": "2025-01" }));
    set(&ana, "2026-02", json!([{ "category_id": raised, "amount": "120.00" }])).ok();
    for id in [refunded, raised, carried] {
        enter(&ana, "expense", id, "2026-02-10", "Compra", 11_000);
    }
    enter(&ana, "income", refunded, "2026-02-11", "Troca", 1_000);
    assert!(earned(refunded), "110.00 less 10.00");
    assert!(earned(raised), "the own amount of February");
    assert!(!earned(carried), "what is carried does not count");
}

#[test]
fn a_webhook_is_told_when_nothing_is_available() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let hook =
        ana.post("/api/webhooks", json!({ "url": "https://hooks.example/x", "events": ["budget.exceeded"] })).created();
    let events = || -> Vec<Value> {
        let listed = ana.get(&format!("/api/webhooks/{}/deliveries", hook["id"])).ok();
        let rows = listed.as_array().unwrap().iter().map(|row| row["id"].to_string());
        let ids: Vec<String> = rows.collect();
        let found = app.rows("select id, data from webhook_deliveries order by id");
        let kept = found.iter().filter(|row| ids.contains(&row["id"].to_string()));
        kept.map(|row| serde_json::from_str(row["data"].as_str().unwrap()).unwrap()).collect()
    };
    let carrying = standard(&ana, "Mercado");
    change(&ana, carrying, json!({ "monthly_budget": "100.00", "carry": "both", "carry_since": "2026-01" }));
    enter(&ana, "expense", carrying, "2026-03-02", "Feira", 25_000);
    assert_eq!(events(), [] as [Value; 0], "300.00 are available");
    // January is over, but leaves less.
    enter(&ana, "expense", carrying, "2026-01-02", "Feira", 6_000);
    let event = json!({ "category_id": carrying, "month": "2026-03", "budget": "240.00", "spent": "250.00" });
    assert_eq!(events(), std::slice::from_ref(&event));
    let shopping = standard(&ana, "Compras");
    change(&ana, shopping, json!({ "monthly_budget": "100.00" }));
    enter(&ana, "income", shopping, "2026-03-02", "Troca", 5_000);
    enter(&ana, "expense", shopping, "2026-03-02", "Loja", 15_000);
    assert_eq!(events().len(), 1, "spent is 100.00");
    enter(&ana, "expense", shopping, "2026-02-02", "Loja", 90_000);
    assert_eq!(events().len(), 1, "February matters only if something is carried");
    set(&ana, "2026-03", json!([{ "category_id": shopping, "amount": "99.99" }])).ok();
    let other = json!({ "category_id": shopping, "month": "2026-03", "budget": "99.99", "spent": "100.00" });
    assert_eq!(events(), [event, other]);
}

/// A refund of 50.00 in a category of 100.00 where 150.00 were spent, and how often its webhook was told.
fn refunded(app: &TestApp) -> (finance_tests::Client, i64, i64, impl Fn() -> usize + '_) {
    let ana = app.user("ana");
    ana.post("/api/webhooks", json!({ "url": "https://hooks.example/x", "events": ["budget.exceeded"] })).created();
    let shopping = standard(&ana, "Compras");
    change(&ana, shopping, json!({ "monthly_budget": "100.00" }));
    enter(&ana, "income", shopping, "2026-03-02", "Troca", 5_000);
    enter(&ana, "expense", shopping, "2026-03-02", "Loja", 15_000);
    let id = ana.get("/api/transactions?q=troca").ok()[0]["id"].as_i64().unwrap();
    let count = || app.rows("select id from webhook_deliveries").len();
    assert_eq!(count(), 0, "spent is 100.00");
    (ana, shopping, id, count)
}

#[test]
fn a_webhook_is_told_by_the_write_that_takes_a_refund_away() {
    let refund = |amount: &str, category: Option<i64>, date: &str| json!({ "type": "income", "date": date, "description": "Troca", "amount": amount, "category_id": category });
    let app = TestApp::start();
    let (ana, _, id, count) = refunded(&app);
    ana.delete(&format!("/api/transactions/{id}")).gone();
    assert_eq!(count(), 1, "deleted");
    for (amount, is_moved, date, why) in [
        ("49.99", false, "2026-03-02", "lower"),
        ("50.00", true, "2026-03-02", "in another category"),
        ("50.00", false, "2026-02-02", "in another month"),
    ] {
        let app = TestApp::start();
        let (ana, shopping, id, count) = refunded(&app);
        let other = standard(&ana, "Lazer");
        let category = if is_moved { other } else { shopping };
        ana.put(&format!("/api/transactions/{id}"), refund(amount, Some(category), date)).ok();
        assert_eq!(count(), 1, "{why}");
    }
    let app = TestApp::start();
    let (ana, shopping, id, count) = refunded(&app);
    ana.put(&format!("/api/transactions/{id}"), refund("50.00", Some(shopping), "2026-03-09")).ok();
    ana.put(&format!("/api/transactions/{id}"), refund("60.00", Some(shopping), "2026-03-09")).ok();
    assert_eq!(count(), 0, "still refunded");
    ana.delete("/api/transactions?month=2026-03").ok();
    assert_eq!(count(), 0, "what was spent is gone too");
}

#[test]
fn a_hidden_category_is_not_suggested() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let id = standard(&ana, "Mercado");
    enter(&ana, "expense", id, "2026-03-01", "Supermercado Sol", 1_000);
    let suggested = || {
        let file = finance_tests::ofx(&[
            ("20260309", "-9.00", "F1", "Supermercado Sol"),
            ("20260309", "-8.00", "F2", "Supermercado Lua"),
        ]);
        let rows = ana.preview(&file).ok()["rows"].clone();
        let described = ana.get("/api/transactions/descriptions?q=super").ok();
        [rows[0]["category_id"].clone(), rows[1]["category_id"].clone(), described[0]["category_id"].clone()]
    };
    assert_eq!(suggested(), [json!(id), json!(id), json!(id)]);
    let of_file = || {
        let file = b"Data;Loja;Valor;Categoria\n09/03/2026;QUITANDA;-9,00;mercado\n";
        ana.preview(file).ok()["rows"][0]["category_id"].clone()
    };
    assert_eq!(of_file(), json!(id));
    change(&ana, id, json!({ "hidden": true }));
    assert_eq!(suggested(), [Value::Null, Value::Null, Value::Null]);
    assert_eq!(of_file(), Value::Null, "nor by the name in a file");
}

#[test]
fn a_fill_sets_no_budget_that_is_too_large() {
    let app = TestApp::start();
    let ana = app.user("ana");
    app.clock.set_today(date!(2026 - 03 - 10));
    let [large, small] = ["Iate", "Barco"].map(|name| ana.create("/api/categories", json!({ "name": name })));
    for (category, amount) in [(large, "9999999999.99"), (large, "9999999999.99"), (small, "10.00")] {
        let body = json!({ "type": "expense", "category_id": category, "date": "2025-03-02", "description": "x", "amount": amount });
        ana.create("/api/transactions", body);
    }
    let month = ana.post("/api/budgets/2026-03/fill", json!({ "from": "last_year" })).ok();
    let own = |id: i64| row(&month["categories"], "category_id", id)["own"].clone();
    assert_eq!((own(large), own(small)), (Value::Null, json!("10.00")));
}
