//! Items of any rhythm: their fields, dues and moves, what stays open, and what is set aside.

use finance_tests::{Client, TestApp, id};
use serde_json::{Value, json};
use time::macros::date;

use super::{at, category, dates, dues, item, made, path, recurring, stands, transaction, with};

/// The household of the acceptance figures.
fn household(app: &TestApp) -> (Client, i64) {
    let ana = at(app);
    let bank = ana.create(
        "/api/accounts",
        json!({ "name": "Banco", "kind": "current", "opening_balance": "2550.00", "opening_date": "2026-01-01" }),
    );
    let category = category(&ana, "Contas");
    let body = |fields: Value| {
        with(json!({ "category_id": category, "account_id": bank, "type": "expense", "description": "x" }), &fields)
    };
    let salary =
        body(json!({ "type": "income", "amount": "5000.00", "day": 5, "day_count": "labour", "weekend": "before" }));
    let salary = ana.create("/api/recurring", salary);
    let weekly = json!({ "n": 1, "unit": "week" });
    ana.create("/api/recurring", body(json!({ "amount": "150.00", "every": weekly, "start_on": "2026-03-06" })));
    let yearly = json!({ "n": 1, "unit": "year" });
    ana.create(
        "/api/recurring",
        body(json!({ "amount": "2400.00", "every": yearly, "start_on": "2025-01-20", "reserve": true })),
    );
    let boleto = json!({ "amount": "180.00", "count": 1, "start_on": "2026-03-15", "weekend": "after" });
    ana.create("/api/recurring", body(boleto));
    for (kind, date, amount) in
        [("expense", "2026-01-20", "2400.00"), ("income", "2026-03-06", "5000.00"), ("expense", "2026-03-06", "150.00")]
    {
        let row = json!({ "type": kind, "account_id": bank, "date": date, "description": "Algo", "amount": amount, "category_id": category });
        ana.create("/api/transactions", row);
    }
    assert_eq!(dates(&ana, salary, &["2026-03", "2026-04", "2026-05"]), ["2026-03-06", "2026-04-07", "2026-05-07"]);
    (ana, category)
}

fn closings(forecast: &Value) -> Vec<&str> {
    forecast["months"].as_array().unwrap().iter().map(|month| month["closing"].as_str().unwrap()).collect()
}

#[test]
fn the_figures_of_the_acceptance_hold() {
    let app = TestApp::start();
    let (ana, category) = household(&app);
    let forecast = ana.get("/api/forecast?months=3").ok();
    assert_eq!(closings(&forecast), ["4370.00", "8770.00", "13020.00"]);
    assert_eq!((&forecast["reserved"], &forecast["free_to_spend"]), (&json!("200.00"), &json!("4020.00")));
    let reserves = forecast["reserves"].as_array().unwrap();
    assert_eq!(reserves.len(), 1);
    assert_eq!(
        (&reserves[0]["due"], &reserves[0]["amount"], &reserves[0]["reserved"], &reserves[0]["description"]),
        (&json!("2027-01-20"), &json!("2400.00"), &json!("200.00"), &json!("x"))
    );
    let boleto = forecast["events"].as_array().unwrap().iter().find(|event| event["amount"] == "-180.00").unwrap();
    assert_eq!(boleto["date"], "2026-03-16", "a Sunday moves");
    let dashboard = ana.get("/api/dashboard").ok()["forecast"].clone();
    assert_eq!(
        dashboard,
        json!({ "closing": "4370.00", "free_to_spend": "4020.00", "reserved": "200.00", "first_negative_date": null })
    );
    let policy = json!({ "every": { "n": 1, "unit": "year" }, "start_on": "2025-04-01", "reserve": true });
    made(&ana, "expense", category, "1200.00", with(policy, &json!({ "day": null })));
    let forecast = ana.get("/api/forecast?months=3").ok();
    assert_eq!((&forecast["reserved"], &forecast["free_to_spend"]), (&json!("1300.00"), &json!("2820.00")));
}

#[test]
fn an_item_has_its_fields_and_keeps_those_that_a_put_leaves_out() {
    let app = TestApp::start();
    let ana = at(&app);
    let category = category(&ana, "Casa");
    let plain = ana.get(&path(recurring(&ana, "expense", category, "10.00"))).ok();
    for (field, value) in [
        ("every", json!({ "n": 1, "unit": "month" })),
        ("start_on", Value::Null),
        ("until", Value::Null),
        ("count", Value::Null),
        ("day_count", json!("calendar")),
        ("weekend", json!("same")),
        ("amount_min", Value::Null),
        ("amount_max", Value::Null),
        ("expects", json!("amount")),
        ("reserve", json!(false)),
        ("next_on", json!("2026-03-31")),
    ] {
        assert_eq!(plain[field], value, "{field}");
    }
    let fields = json!({
        "every": { "n": 3, "unit": "month" }, "start_on": "2026-02-10", "until": "2027-12-31", "day_count": "business",
        "weekend": "after", "amount_min": "8.00", "amount_max": "12.00", "expects": "mean3", "reserve": true, "day": 5,
    });
    let id = made(&ana, "expense", category, "10.00", fields.clone());
    let stored = ana.get(&path(id)).ok();
    for (name, value) in fields.as_object().unwrap() {
        assert_eq!(stored[name], *value, "{name}");
    }
    // An old client sends what it knows.
    let kept = ana.put(&path(id), with(item("expense", category, "9.00"), &json!({ "day": 6 }))).ok();
    for (name, value) in fields.as_object().unwrap().iter().filter(|(name, _)| *name != "day") {
        assert_eq!(kept[name], *value, "{name}");
    }
    assert_eq!((&kept["day"], &kept["amount"]), (&json!(6), &json!("9.00")));
    let reset = json!({ "every": null, "start_on": null, "until": null, "day_count": null, "weekend": null,
        "amount_min": null, "amount_max": null, "expects": null, "reserve": null });
    let plain_again = ana.put(&path(id), with(item("expense", category, "9.00"), &reset)).ok();
    for field in ["every", "start_on", "until", "count", "day_count", "weekend", "amount_min", "expects", "reserve"] {
        assert_eq!(plain_again[field], plain[field], "{field}");
    }
    // Without a day, it is that of the first possible day.
    let mut body = item("expense", category, "10.00");
    body.as_object_mut().unwrap().remove("day");
    ana.post("/api/recurring", body.clone()).invalid(&["day"]);
    body["start_on"] = json!("2026-05-17");
    let started = ana.post("/api/recurring", body.clone()).created();
    assert_eq!(
        (&started["day"], &started["next_on"], &started["status"]),
        (&json!(17), &json!("2026-05-17"), &Value::Null)
    );
    assert_eq!(started["occurrences"], json!([]));
    // It follows that day. One of its own stays.
    let started = path(started["id"].as_i64().unwrap());
    let day_after = |fields: Value| ana.put(&started, with(body.clone(), &fields)).ok()["day"].as_i64().unwrap();
    assert_eq!(day_after(json!({ "start_on": "2026-05-20" })), 20);
    assert_eq!(day_after(json!({ "day": 5 })), 5);
    assert_eq!(day_after(json!({ "start_on": "2026-06-20" })), 5);
}

#[test]
fn every_wrong_field_of_a_rhythm_is_named() {
    let app = TestApp::start();
    let ana = at(&app);
    let category = category(&ana, "Casa");
    let first = path(recurring(&ana, "expense", category, "10.00"));
    let yearly = json!({ "n": 1, "unit": "year" });
    for (fields, wrong) in [
        (json!({ "every": { "n": 0, "unit": "week" }, "start_on": "2026-01-01" }), vec!["every.n"]),
        (json!({ "every": { "n": 367, "unit": "day" }, "start_on": "2026-01-01" }), vec!["every.n"]),
        (json!({ "every": { "n": "1", "unit": "moon" } }), vec!["every.n", "every.unit"]),
        (json!({ "every": {} }), vec!["every.n", "every.unit"]),
        (json!({ "every": 7 }), vec!["every"]),
        (json!({ "every": yearly }), vec!["start_on"]),
        (json!({ "every": { "n": 2, "unit": "month" } }), vec!["start_on"]),
        (json!({ "count": 1 }), vec!["start_on"]),
        (json!({ "count": 0, "start_on": "2026-01-01" }), vec!["count"]),
        (json!({ "count": 1000, "start_on": "2026-01-01" }), vec!["count"]),
        (json!({ "count": 2, "start_on": "2026-01-01", "until": "2026-12-31" }), vec!["count"]),
        (json!({ "start_on": "2026-02-30" }), vec!["start_on"]),
        (json!({ "start_on": "2026-02-02", "until": "2026-02-01" }), vec!["until"]),
        (json!({ "day_count": "working" }), vec!["day_count"]),
        (json!({ "weekend": "next" }), vec!["weekend"]),
        (json!({ "amount_min": "9.00" }), vec!["amount_max"]),
        (json!({ "amount_max": "11.00" }), vec!["amount_min"]),
        (json!({ "amount_min": "10.01", "amount_max": "11.00" }), vec!["amount_min"]),
        (json!({ "amount_min": "9.00", "amount_max": "9.99" }), vec!["amount_max"]),
        (json!({ "amount_min": "0", "amount_max": "11.001" }), vec!["amount_min", "amount_max"]),
        (json!({ "expects": "mean" }), vec!["expects"]),
        (json!({ "reserve": 1 }), vec!["reserve"]),
        (json!({ "reserve": true }), vec!["reserve"]),
        (json!({ "reserve": true, "every": { "n": 60, "unit": "day" }, "start_on": "2026-01-01" }), vec!["reserve"]),
        (json!({ "reserve": true, "type": "income", "every": yearly, "start_on": "2026-01-01" }), vec!["reserve"]),
    ] {
        let body = with(item("expense", category, "10.00"), &fields);
        ana.post("/api/recurring", body.clone()).invalid(&wrong);
        ana.put(&first, body).invalid(&wrong);
    }
    // Without a day, days and weeks miss only the day on which they begin.
    for (unit, wrong) in [("week", vec!["start_on"]), ("day", vec!["start_on"]), ("year", vec!["start_on", "day"])] {
        let mut body = with(item("expense", category, "10.00"), &json!({ "every": { "n": 1, "unit": unit } }));
        body.as_object_mut().unwrap().remove("day");
        ana.post("/api/recurring", body).invalid(&wrong);
    }
    assert_eq!(ana.get("/api/recurring").ok().as_array().unwrap().len(), 1);
}

#[test]
fn dues_follow_the_rhythm() {
    let app = TestApp::start();
    let ana = at(&app);
    let category = category(&ana, "Casa");
    let of = |fields: Value| made(&ana, "expense", category, "10.00", fields);
    let every = |n: i64, unit: &str| json!({ "n": n, "unit": unit });
    let months = ["2026-01", "2026-02", "2026-03", "2026-04"];
    for (fields, expected) in [
        (
            json!({ "every": every(2, "week"), "start_on": "2026-02-26" }),
            vec!["2026-02-26", "2026-03-12", "2026-03-26", "2026-04-09", "2026-04-23"],
        ),
        (
            json!({ "every": every(40, "day"), "start_on": "2026-01-01" }),
            vec!["2026-01-01", "2026-02-10", "2026-03-22"],
        ),
        // The day of the rhythm is past its first possible day only from the second month on.
        (json!({ "start_on": "2026-01-31", "day": 30 }), vec!["2026-02-28", "2026-03-30", "2026-04-30"]),
        (json!({ "start_on": "2026-01-31", "day": null, "count": 2 }), vec!["2026-01-31", "2026-02-28"]),
        (json!({ "start_on": "2026-01-31", "day": 30, "count": 2 }), vec!["2026-02-28", "2026-03-30"]),
        (
            json!({ "start_on": "2026-01-10", "day": 10, "until": "2026-03-10" }),
            vec!["2026-01-10", "2026-02-10", "2026-03-10"],
        ),
        (json!({ "every": every(3, "month"), "start_on": "2025-10-31", "day": 31 }), vec!["2026-01-31", "2026-04-30"]),
        (json!({ "every": every(2, "year"), "start_on": "2024-02-29", "day": 29 }), vec!["2026-02-28"]),
        (
            json!({ "day": 31, "day_count": "business", "start_on": "2026-02-01", "until": "2026-03-31" }),
            vec!["2026-02-27", "2026-03-31"],
        ),
        // Of a rhythm of days or weeks the day means nothing.
        (
            json!({ "every": every(1, "week"), "start_on": "2026-04-27", "day": 3, "day_count": "labour" }),
            vec!["2026-04-27"],
        ),
    ] {
        let id = of(fields.clone());
        assert_eq!(dates(&ana, id, &months), expected, "{fields}");
    }
    // The date of a due may be in another month, the due names it.
    let id = of(json!({ "day": 1, "weekend": "before" }));
    let march = ana.get(&format!("{}?month=2026-03", path(id))).ok();
    assert_eq!(march["occurrences"][0]["due"], "2026-03-01");
    assert_eq!(march["occurrences"][0]["date"], "2026-02-27");
}

#[test]
fn the_dues_of_all_items_are_listed_by_date_in_pages() {
    let app = TestApp::start();
    let ana = at(&app);
    let category = category(&ana, "Casa");
    let weekly = json!({ "every": { "n": 1, "unit": "week" }, "start_on": "2026-03-06" });
    let cleaner = made(&ana, "expense", category, "150.00", weekly);
    let rent = made(&ana, "expense", category, "900.00", json!({ "day": 13 }));
    let row = transaction(&ana, "expense", category, "2026-03-14", "905.00");
    let seen = |query: &str| -> Vec<(String, i64)> {
        let rows = ana.all(&format!("/api/recurring/occurrences{query}"));
        rows.iter().map(|row| (row["date"].as_str().unwrap().into(), row["recurring_id"].as_i64().unwrap())).collect()
    };
    let of = |date: &str, id: i64| (date.to_string(), id);
    let march = [
        of("2026-03-06", cleaner),
        of("2026-03-13", cleaner),
        of("2026-03-13", rent),
        of("2026-03-20", cleaner),
        of("2026-03-27", cleaner),
    ];
    assert_eq!(seen(""), march);
    assert_eq!(seen("?limit=2"), march, "in pages");
    assert_eq!(seen("?from=2026-03-13&to=2026-03-13"), march[1..3]);
    assert_eq!(seen("?to=2026-02-10"), [of("2026-02-13", rent)][..0]);
    let listed = ana.get("/api/recurring/occurrences?from=2026-03-13&to=2026-03-19").ok();
    assert_eq!(
        listed[1],
        json!({ "recurring_id": rent, "type": "expense", "description": "Salário", "category_id": category,
            "account_id": null, "due": "2026-03-13", "date": "2026-03-13", "amount": "905.00", "status": "covered",
            "linked": false, "transaction_ids": [row] })
    );
    assert_eq!(seen("?from=2026-01-01&to=2027-01-01").len(), 12 + 44);
    for (query, field) in [
        ("?from=2026-01-01&to=2027-01-02", "to"),
        ("?from=2026-03-02&to=2026-03-01", "to"),
        ("?from=x", "from"),
        ("?to=2026-02-30", "to"),
        ("?limit=0", "limit"),
        ("?cursor=x", "cursor"),
    ] {
        ana.get(&format!("/api/recurring/occurrences{query}")).invalid(&[field]);
    }
}

#[test]
fn a_due_moves_by_its_name_and_a_month_by_its_first_that_may() {
    let app = TestApp::start();
    let ana = at(&app);
    let category = category(&ana, "Renda");
    let weekly = json!({ "every": { "n": 1, "unit": "week" }, "start_on": "2026-03-06" });
    let id = made(&ana, "income", category, "150.00", weekly);
    let act = |action: &str, query: &str| ana.post_nothing(&format!("{}/{action}{query}", path(id)));
    let states = || -> Vec<String> { dues(&ana, id, "2026-03").into_iter().map(|(_, status)| status).collect() };
    assert_eq!(act("late", "?due=2026-03-20").ok()["status"], "late");
    assert_eq!(states(), ["pending", "pending", "late", "pending"]);
    act("ignore", "").ok();
    act("ignore", "?month=2026-03").ok();
    assert_eq!(states(), ["ignored", "ignored", "late", "pending"]);
    act("late", "?due=2026-03-20").problem(409, "ErrRecurringNotPending");
    act("unlate", "").ok();
    act("unignore", "?due=2026-03-13").ok();
    assert_eq!(states(), ["ignored", "pending", "pending", "pending"]);
    let made = ana.post(&format!("{}/confirm?due=2026-03-27", path(id)), json!({ "date": "2026-03-26" })).created();
    assert_eq!((&made["date"], &made["amount"]), (&json!("2026-03-26"), &json!("150.00")));
    assert_eq!(states(), ["ignored", "pending", "pending", "confirmed"]);
    assert_eq!(stands(&ana, id, "?month=2026-03"), ("pending".into(), None));
    for action in ["late", "unlate", "ignore", "unignore", "confirm", "unlink"] {
        act(action, "?due=2026-03-21").invalid(&["due"]);
        act(action, "?due=2026-13-21").invalid(&["due"]);
    }
    act("unlate", "").problem(409, "ErrRecurringNotLate");
    // A month without a due has nothing that may move.
    act("late", "?month=2026-02").problem(409, "ErrRecurringNotPending");
    act("unignore", "?month=2026-02").problem(409, "ErrRecurringNotIgnored");
    // Marks are kept by the due, and by the month where the rhythm is one of months.
    let mut changed = ana.get(&path(id)).ok();
    changed["every"] = Value::Null;
    ana.put(&path(id), changed.clone()).ok();
    assert_eq!(dues(&ana, id, "2026-03").len(), 1);
    changed["every"] = json!({ "n": 1, "unit": "week" });
    ana.put(&path(id), changed).ok();
    assert_eq!(states(), ["ignored", "pending", "pending", "confirmed"], "they outlive edits");
}

#[test]
fn what_is_overdue_of_rare_items_stays_for_sixty_days() {
    let app = TestApp::start();
    let ana = at(&app);
    let bank = ana.create(
        "/api/accounts",
        json!({ "name": "Banco", "kind": "current", "opening_balance": "5000.00", "opening_date": "2026-01-01" }),
    );
    let category = category(&ana, "Casa");
    let once = |due: &str| {
        made(
            &ana,
            "expense",
            category,
            "180.00",
            json!({ "count": 1, "start_on": due, "day": null, "account_id": bank }),
        )
    };
    let (kept, gone) = (once("2026-01-09"), once("2026-01-08"));
    let pending = |path: &str| -> Vec<i64> {
        ana.get(path).ok()["pending_recurrings"].as_array().unwrap().iter().map(id).collect()
    };
    assert_eq!(pending("/api/dashboard"), [kept]);
    assert_eq!(pending("/api/dashboard?month=2026-02"), [0; 0], "only in the present month");
    assert_eq!(pending("/api/dashboard?month=2026-01"), [gone, kept]);
    let shown = ana.get("/api/dashboard").ok()["pending_recurrings"][0].clone();
    assert_eq!((&shown["status"], &shown["occurrences"][0]["due"]), (&json!("pending"), &json!("2026-01-09")));
    let events = ana.get("/api/forecast").ok()["events"].clone();
    assert_eq!(events.as_array().unwrap().len(), 1);
    assert_eq!((&events[0]["date"], &events[0]["source_id"]), (&json!("2026-03-10"), &json!(kept)));
    transaction(&ana, "expense", category, "2026-03-10", "180.00");
    assert_eq!(pending("/api/dashboard"), [0; 0]);
    assert_eq!(ana.get("/api/forecast").ok()["events"], json!([]));
    // From 31 December to 1 March are sixty days.
    let last = once("2025-12-31");
    for (today, shown) in [(date!(2026 - 03 - 01), vec![last]), (date!(2026 - 03 - 02), vec![])] {
        app.clock.set_today(today);
        let of_last = |ids: Vec<i64>| ids.into_iter().filter(|id| *id == last).collect::<Vec<_>>();
        assert_eq!(of_last(pending("/api/dashboard")), shown, "{today}");
        let events = ana.get("/api/forecast").ok()["events"].clone();
        let foreseen = events.as_array().unwrap().iter().filter_map(|event| event["source_id"].as_i64()).collect();
        assert_eq!(of_last(foreseen), shown, "{today}");
    }
}

#[test]
fn what_is_set_aside_for_a_far_due_follows_what_came() {
    let app = TestApp::start();
    let ana = at(&app);
    app.clock.set_today(date!(2024 - 08 - 10));
    let category = category(&ana, "Casa");
    let every = json!({ "every": { "n": 2, "unit": "year" }, "start_on": "2024-05-10", "day": null, "reserve": true });
    made(&ana, "expense", category, "2400.00", with(every.clone(), &json!({ "expects": "last" })));
    transaction(&ana, "expense", category, "2024-05-10", "2600.00");
    let reserve = ana.get("/api/forecast").ok()["reserves"][0].clone();
    assert_eq!(
        (&reserve["due"], &reserve["amount"], &reserve["reserved"]),
        (&json!("2026-05-10"), &json!("2600.00"), &json!("325.00"))
    );
}

#[test]
fn a_due_that_moves_over_the_end_of_a_month_counts_by_its_date() {
    let app = TestApp::start();
    let ana = at(&app);
    let bank = ana.create("/api/accounts", json!({ "name": "Banco", "kind": "current" }));
    let category = category(&ana, "Casa");
    let moved = |more: Value| with(json!({ "weekend": "after", "start_on": "2026-05-31", "account_id": bank }), &more);
    // 31 May is a Sunday.
    let once = made(&ana, "expense", category, "77.00", moved(json!({ "count": 1 })));
    let yearly = made(&ana, "income", category, "900.00", moved(json!({ "every": { "n": 1, "unit": "year" } })));
    made(&ana, "expense", category, "1.00", moved(json!({ "day": 31 })));
    let figures = |month: &str| {
        let dashboard = ana.get(&format!("/api/dashboard?month={month}")).ok();
        let budget = ana.get(&format!("/api/budgets/{month}")).ok();
        let pending: Vec<i64> = dashboard["pending_recurrings"].as_array().unwrap().iter().map(id).collect();
        let expected = dashboard["expected"].clone();
        assert_eq!(budget["income_expected"], expected["income"], "{month}");
        (pending.contains(&once), pending.contains(&yearly), expected["income"].clone(), expected["expenses"].clone())
    };
    let sums = |income: &str, expenses: &str| (json!(income), json!(expenses));
    let with_sums = |shown: bool, (income, expenses): (Value, Value)| (shown, shown, income, expenses);
    // June has the 1.00 of 31 May, which is due on 1 June, and that of 30 June.
    for (today, may, june) in [
        (date!(2026 - 05 - 31), Some(with_sums(true, sums("0.00", "0.00"))), with_sums(false, sums("900.00", "79.00"))),
        (date!(2026 - 06 - 01), None, with_sums(true, sums("900.00", "79.00"))),
        (date!(2026 - 06 - 02), None, with_sums(true, sums("900.00", "79.00"))),
    ] {
        app.clock.set_today(today);
        if let Some(may) = may {
            assert_eq!(figures("2026-05"), may, "May on {today}");
        }
        assert_eq!(figures("2026-06"), june, "June on {today}");
    }
}

#[test]
fn what_is_due_in_another_month_waits_in_the_month_of_its_day() {
    let app = TestApp::start();
    let ana = at(&app);
    let category = category(&ana, "Casa");
    let waiting = || {
        let shown = ana.get("/api/dashboard").ok()["pending_recurrings"].as_array().unwrap().to_vec();
        let dues = shown.iter().flat_map(|item| item["occurrences"].as_array().unwrap().to_vec());
        dues.map(|one| one["date"].as_str().unwrap().to_string()).collect::<Vec<_>>()
    };
    // Due on Saturday, 28 February, and on Sunday, 1 February.
    made(&ana, "expense", category, "50.00", json!({ "day": 31, "weekend": "after" }));
    app.clock.set_today(date!(2026 - 03 - 02));
    assert_eq!(waiting(), ["2026-03-02", "2026-03-31"]);
    transaction(&ana, "expense", category, "2026-03-02", "50.00");
    assert_eq!(waiting(), ["2026-03-31"]);
    made(&ana, "expense", category, "70.00", json!({ "day": 1, "weekend": "before", "start_on": "2026-02-01" }));
    app.clock.set_today(date!(2026 - 01 - 29));
    assert!(waiting().contains(&"2026-01-30".to_string()), "{:?}", waiting());
}

#[test]
fn a_profile_is_due_a_thousand_times_in_a_month() {
    let app = TestApp::start();
    let ana = at(&app);
    let category = category(&ana, "Casa");
    let daily = json!({ "every": { "n": 1, "unit": "day" }, "start_on": "2026-03-01" });
    let items: Vec<i64> = (0..32).map(|_| made(&ana, "expense", category, "1.00", daily.clone())).collect();
    let last = items[31];
    let body = with(item("expense", category, "1.00"), &daily);
    ana.post("/api/recurring", body.clone()).problem(409, "ErrLimitReached");
    let plain = recurring(&ana, "expense", category, "1.00");
    ana.put(&path(plain), body.clone()).problem(409, "ErrLimitReached");
    ana.put(&path(last), body).ok();
    assert_eq!(ana.all("/api/recurring/occurrences").len(), 32 * 31 + 1);
}

#[test]
fn bills_calendar_and_budgets_go_by_the_dates_of_dues() {
    let app = TestApp::start();
    let ana = at(&app);
    let card = ana.open_card("Nubank", 25, 5);
    let category = category(&ana, "Casa");
    let weekly = json!({ "every": { "n": 1, "unit": "week" }, "start_on": "2026-03-06", "account_id": card });
    let id = made(&ana, "expense", category, "10.00", weekly);
    let bills = ana.get("/api/credit-bills/upcoming?months=2").ok();
    // 6, 13 and 20 March are on the open bill, five Fridays of 27 March to 24 April on the next.
    assert_eq!((&bills[0]["recurring"], &bills[1]["recurring"]), (&json!("30.00"), &json!("50.00")));
    let token = ana.post("/api/tokens", json!({ "name": "phone", "scopes": ["calendar"] })).created();
    let feed = app.anyone().get(&format!("/calendar.ics?token={}", token["token"].as_str().unwrap()));
    let text = String::from_utf8(feed.bytes.clone()).unwrap().replace("\r\n ", "");
    assert!(text.contains(&format!("UID:recurring-{id}-2026-03-13.")), "{text}");
    let salary = made(
        &ana,
        "income",
        category,
        "100.00",
        json!({ "every": { "n": 2, "unit": "week" }, "start_on": "2026-03-06" }),
    );
    assert_eq!(ana.get("/api/budgets/2026-03").ok()["income_expected"], "200.00");
    ana.post_nothing(&format!("{}/ignore?due=2026-03-20", path(salary))).ok();
    assert_eq!(ana.get("/api/budgets/2026-03").ok()["income_expected"], "100.00");
}

#[test]
fn codes_are_read_and_nothing_is_saved() {
    let app = TestApp::start();
    let ana = at(&app);
    let parse = |text: &str| ana.post("/api/recurring/parse", json!({ "text": text }));
    let boleto = parse("00190.50095 40144.816069 06809.350314 3 37370000000100").ok();
    assert_eq!((&boleto["kind"], &boleto["draft"]["amount"]), (&json!("boleto"), &json!("1.00")));
    assert_eq!(
        (&boleto["draft"]["count"], &boleto["draft"]["weekend"], &boleto["draft"]["type"]),
        (&json!(1), &json!("after"), &json!("expense"))
    );
    let pix = "00020126580014br.gov.bcb.pix0136123e4567-e12b-12d1-a456-4266554400005204000053039865802BR5913Fulano de Tal6008BRASILIA62070503***63041D3D";
    let read = parse(pix).ok();
    assert_eq!((&read["kind"], &read["draft"]["description"]), (&json!("pix"), &json!("Fulano de Tal")));
    for field in ["amount", "category_id", "account_id", "day", "start_on"] {
        assert_eq!(read["draft"][field], Value::Null, "{field}");
    }
    for wrong in [
        "",
        "Aluguel",
        &pix.replace("1D3D", "1D3E"),
        "00190.50095 40144.816069 06809.350314 4 37370000000100",
        &"1".repeat(1_001),
    ] {
        parse(wrong).invalid(&["text"]);
    }
    ana.post("/api/recurring/parse", json!({})).invalid(&["text"]);
    ana.post("/api/recurring/parse", json!({ "text": 7 })).invalid(&["text"]);
    assert_eq!(ana.get("/api/recurring").ok(), json!([]));
}

#[test]
fn templates_begin_on_the_next_such_day() {
    let app = TestApp::start();
    let ana = at(&app);
    let templates = ana.get("/api/recurring/templates").ok();
    let keys: Vec<&str> = templates.as_array().unwrap().iter().map(|one| one["key"].as_str().unwrap()).collect();
    assert_eq!(keys, ["ipva", "insurance", "iptu_single", "iptu_10", "enrolment", "thirteenth", "vacation"]);
    let thirteenth: Vec<&str> =
        templates[5]["items"].as_array().unwrap().iter().map(|item| item["start_on"].as_str().unwrap()).collect();
    assert_eq!(thirteenth, ["2026-11-30", "2026-12-20"]);
    assert_eq!((&templates[3]["items"][0]["count"], &templates[0]["items"][0]["reserve"]), (&json!(10), &json!(true)));
    let category = category(&ana, "Carro");
    for template in templates.as_array().unwrap() {
        for draft in template["items"].as_array().unwrap() {
            assert_eq!(draft["amount"], Value::Null);
            let made = with(draft.clone(), &json!({ "amount": "10.00", "category_id": category }));
            ana.post("/api/recurring", made).created();
        }
    }
}

#[test]
fn an_income_of_this_month_is_confirmed_today_also_if_it_was_due_before_the_month() {
    let app = TestApp::start();
    let ana = at(&app);
    app.clock.set_today(date!(2026 - 03 - 02));
    let salary = category(&ana, "Ordenado");
    // The first of March is a Sunday, so that the income is expected on the Friday before.
    let id = made(&ana, "income", salary, "5000.00", json!({ "day": 1, "weekend": "before" }));
    let row = ana.post(&format!("{}/confirm?month=2026-03", path(id)), json!({})).created();
    assert_eq!(row["date"], "2026-03-02");
}
