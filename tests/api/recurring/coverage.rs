//! What covers a due: rows of its month and near it, parts, links and confirmations.

use finance_tests::{TestApp, id};
use serde_json::{Value, json};
use time::macros::date;

use super::{at, category, dues, made, path, recurring, stands, transaction, with};
use crate::calendar;

#[test]
fn confirm_takes_near_days_too() {
    let app = TestApp::start();
    let ana = at(&app);
    let category = category(&ana, "Renda");
    let id = made(&ana, "income", category, "100.00", json!({ "day": 1 }));
    let confirm =
        |month: &str, date: &str| ana.post(&format!("{}/confirm?month={month}", path(id)), json!({ "date": date }));
    confirm("2026-04", "2026-03-26").invalid(&["date"]);
    confirm("2026-04", "2026-05-01").invalid(&["date"]);
    let refused = confirm("2026-04", "2026-03-26").problem(422, "ErrValidation");
    let message = refused["errors"][0]["message"].as_str().unwrap();
    assert!(message.ends_with("from 2026-03-27 to 2026-04-30"), "{message}");
    confirm("2026-04", "2026-03-27").created();
    assert_eq!(dues(&ana, id, "2026-04"), [("2026-04-01".into(), "confirmed".into())]);
    let yearly = json!({ "every": { "n": 1, "unit": "year" }, "start_on": "2026-01-20", "day": null });
    let bonus = made(&ana, "income", category, "100.00", yearly);
    let late = |date: &str| ana.post(&format!("{}/confirm?due=2026-01-20", path(bonus)), json!({ "date": date }));
    late("2026-03-22").invalid(&["date"]);
    late("2026-03-21").created();
    // A due of weeks has the days around it, also across the end of a month.
    let weekly = json!({ "every": { "n": 1, "unit": "week" }, "start_on": "2026-03-30" });
    let tips = made(&ana, "income", category, "100.00", weekly);
    let near = |date: &str| ana.post(&format!("{}/confirm?due=2026-03-30", path(tips)), json!({ "date": date }));
    near("2026-04-03").invalid(&["date"]);
    near("2026-04-02").created();
}

#[test]
fn rows_cover_dues_near_them_that_their_own_month_can_do_without() {
    let app = TestApp::start();
    let ana = at(&app);
    // The salary of February comes at the end of January, whichever row was stored first.
    for rows in [["2026-01-02", "2026-01-30"], ["2026-01-30", "2026-01-02"]] {
        let category = category(&ana, rows[0]);
        let id = made(&ana, "income", category, "5000.00", json!({ "day": 1 }));
        let ids: Vec<i64> = rows.iter().map(|date| transaction(&ana, "income", category, date, "5000.00")).collect();
        let by_date = if rows[0] < rows[1] { ids } else { vec![ids[1], ids[0]] };
        assert_eq!(stands(&ana, id, "?month=2026-01"), ("covered".into(), Some(by_date[0])));
        assert_eq!(stands(&ana, id, "?month=2026-02"), ("covered".into(), Some(by_date[1])));
        assert_eq!(stands(&ana, id, "?month=2026-03").0, "pending");
    }
    // It comes early again: each month alone is covered, and nothing is pending or foreseen again.
    for first in ["2026-01-02", "2025-12-31"] {
        let category = category(&ana, &format!("Salário de {first}"));
        let id = made(&ana, "income", category, "5000.00", json!({ "day": 1, "start_on": "2026-01-01" }));
        let dates = [first, "2026-01-30", "2026-02-27"];
        let ids = dates.map(|date| transaction(&ana, "income", category, date, "5000.00"));
        for month in ["2026-01", "2026-02", "2026-03"] {
            assert_eq!(stands(&ana, id, &format!("?month={month}")).0, "covered", "{first} {month}");
        }
        let listed = ana.get("/api/recurring/occurrences?from=2026-01-01&to=2026-03-31").ok();
        let of_item = listed.as_array().expect("a list").iter().filter(|one| one["recurring_id"] == json!(id));
        let found: Vec<Value> = of_item.map(|one| one["transaction_ids"].clone()).collect();
        assert_eq!(found, ids.map(|row| json!([row])), "{first}");
        let pending = ana.get("/api/dashboard?month=2026-03").ok()["pending_recurrings"].clone();
        assert!(pending.as_array().expect("a list").iter().all(|item| item["id"] != json!(id)), "{pending}");
        let events = ana.get("/api/forecast?months=1").ok()["events"].clone();
        assert!(events.as_array().expect("a list").iter().all(|event| event["source_id"] != json!(id)), "{events}");
    }
    // One row alone covers its own month.
    let alone = category(&ana, "Só");
    let id = made(&ana, "income", alone, "5000.00", json!({ "day": 1 }));
    transaction(&ana, "income", alone, "2026-01-30", "5000.00");
    assert_eq!(stands(&ana, id, "?month=2026-01").0, "covered");
    assert_eq!(stands(&ana, id, "?month=2026-02").0, "pending");
    // Five days before, not six.
    for (date, status) in [("2026-02-24", "pending"), ("2026-02-25", "covered")] {
        let category = category(&ana, date);
        let start = json!({ "day": 2, "start_on": "2026-03-01" });
        let id = made(&ana, "expense", category, "70.00", start);
        transaction(&ana, "expense", category, date, "70.00");
        assert_eq!(stands(&ana, id, "?month=2026-03").0, status, "{date}");
    }
    // A yearly bill is paid up to 60 days later.
    for (date, status) in [("2026-03-22", "pending"), ("2026-03-21", "covered"), ("2026-01-15", "covered")] {
        let category = category(&ana, &format!("IPVA {date}"));
        let yearly = json!({ "every": { "n": 1, "unit": "year" }, "start_on": "2025-01-20", "day": null });
        let id = made(&ana, "expense", category, "2400.00", yearly);
        transaction(&ana, "expense", category, date, "2500.00");
        assert_eq!(stands(&ana, id, "?month=2026-01").0, status, "{date}");
    }
    // The cleaner of each Friday: three days are near, four are not before the due.
    let visits = category(&ana, "Faxina");
    let weekly = json!({ "every": { "n": 1, "unit": "week" }, "start_on": "2026-02-06" });
    let id = made(&ana, "expense", visits, "150.00", weekly);
    let early = transaction(&ana, "expense", visits, "2026-02-03", "150.00");
    let next = transaction(&ana, "expense", visits, "2026-02-14", "150.00");
    let item = ana.get(&format!("{}?month=2026-02", path(id))).ok();
    let ids: Vec<Value> =
        item["occurrences"].as_array().unwrap().iter().map(|one| one["transaction_ids"].clone()).collect();
    assert_eq!(ids, [json!([early]), json!([next]), json!([]), json!([])]);
}

#[test]
fn all_that_shows_this_month_says_the_same_of_money_that_comes_early() {
    let app = TestApp::start();
    let ana = at(&app);
    app.clock.set_today(date!(2026 - 03 - 04));
    let salary = category(&ana, "Renda");
    let id = made(&ana, "income", salary, "5000.00", json!({ "day": 1 }));
    // The books begin with the salary of January. That of March came on 27 February.
    for date in ["2025-12-31", "2026-01-30", "2026-02-27"] {
        transaction(&ana, "income", salary, date, "5000.00");
    }
    assert_eq!(stands(&ana, id, "?month=2026-03").0, "covered");
    assert_eq!(ana.get("/api/dashboard").ok()["pending_recurrings"], json!([]));
    for baseline in ["none", "median3"] {
        let forecast = ana.get(&format!("/api/forecast?months=1&baseline={baseline}")).ok();
        assert_eq!(forecast["events"], json!([]), "{baseline}");
    }
    assert_eq!(ana.get("/api/notices").ok(), json!([]));
    let days: Vec<String> =
        calendar::feed(&app, &calendar::address(&ana)).into_iter().map(|event| event.first).collect();
    assert!(!days.contains(&"20260301".to_string()) && days.contains(&"20260401".to_string()), "{days:?}");
}

#[test]
fn a_row_of_a_card_counts_on_its_purchase() {
    let app = TestApp::start();
    let ana = at(&app);
    let card = ana.open_card("Nubank", 25, 5);
    let category = category(&ana, "Canais");
    let id = made(&ana, "expense", category, "40.00", json!({ "day": 12, "account_id": card }));
    let row = json!({ "date": "2026-02-12", "description": "Streaming", "amount": "40.00", "type": "expense", "category_id": category });
    let bill = json!({ "account_id": card, "is_credit_card": true, "payment_date": "2026-03-05", "rows": [row] });
    ana.post("/api/import/confirm", bill).created();
    assert_eq!(stands(&ana, id, "?month=2026-03").0, "pending");
    assert_eq!(stands(&ana, id, "?month=2026-02").0, "covered");
}

#[test]
fn a_range_covers_within_its_ends() {
    let app = TestApp::start();
    let ana = at(&app);
    for (paid, status) in [("72.00", "covered"), ("71.99", "pending"), ("165.00", "covered"), ("165.01", "pending")] {
        let category = category(&ana, paid);
        let range = json!({ "amount_min": "80.00", "amount_max": "150.00" });
        let id = made(&ana, "expense", category, "100.00", range);
        transaction(&ana, "expense", category, "2026-03-05", paid);
        assert_eq!(stands(&ana, id, "").0, status, "{paid}");
    }
    // The range that ends first takes the row.
    let category = category(&ana, "Duas");
    let wide = made(&ana, "expense", category, "100.00", json!({ "amount_min": "50.00", "amount_max": "200.00" }));
    let narrow = recurring(&ana, "expense", category, "100.00");
    let first = transaction(&ana, "expense", category, "2026-03-05", "100.00");
    assert_eq!(stands(&ana, narrow, ""), ("covered".into(), Some(first)));
    let second = transaction(&ana, "expense", category, "2026-03-06", "190.00");
    assert_eq!((stands(&ana, wide, "").1, stands(&ana, narrow, "").1), (Some(second), Some(first)));
}

#[test]
fn all_rows_of_a_payee_in_a_month_cover_a_due_in_parts() {
    let app = TestApp::start();
    let ana = at(&app);
    let category = category(&ana, "Aluguel");
    let id = made(&ana, "expense", category, "1800.00", json!({ "day": 5 }));
    let pay = |date: &str, text: &str, amount: &str| {
        let row =
            json!({ "type": "expense", "category_id": category, "date": date, "description": text, "amount": amount });
        ana.create("/api/transactions", row)
    };
    let first = pay("2026-03-04", "Pix enviado - Imobiliária Sol", "900.00");
    pay("2026-03-06", "Padaria", "900.00");
    assert_eq!(stands(&ana, id, "").0, "pending");
    let second = pay("2026-03-20", "Imobiliária Sol", "890.00");
    let item = ana.get(&path(id)).ok();
    let one = &item["occurrences"][0];
    assert_eq!((&one["status"], &one["amount"], &one["linked"]), (&json!("covered"), &json!("1790.00"), &json!(false)));
    assert_eq!(one["transaction_ids"].as_array().unwrap().len(), 2);
    assert!([first, second].iter().all(|id| one["transaction_ids"].as_array().unwrap().contains(&json!(id))));
    // All of them count, not the best of them, nor those that are less than the due.
    for amount in ["400.00", "2500.00"] {
        let more = pay("2026-03-21", "Imobiliária Sol", amount);
        assert_eq!(stands(&ana, id, "").0, "pending", "{amount}");
        ana.delete(&format!("/api/transactions/{more}")).gone();
        assert_eq!(stands(&ana, id, "").0, "covered");
    }
}

#[test]
fn what_was_said_of_a_rhythm_keeps_no_row_from_another_one() {
    let app = TestApp::start();
    let ana = at(&app);
    let category = category(&ana, "Faxina");
    for kind in ["expense", "income"] {
        let item = made(&ana, kind, category, "150.00", json!({ "day": 6 }));
        let path = path(item);
        // An expense is linked, an income confirmed.
        let row = match kind {
            "expense" => {
                let row = transaction(&ana, kind, category, "2026-03-06", "150.00");
                ana.post(&format!("{path}/link?month=2026-03"), json!({ "transaction_ids": [row] })).ok();
                row
            }
            _ => id(&ana.post(&format!("{path}/confirm?month=2026-03"), json!({ "date": "2026-03-06" })).created()),
        };
        let mut changed = ana.get(&path).ok();
        let monthly = changed["every"].clone();
        (changed["every"], changed["start_on"]) = (json!({ "n": 1, "unit": "week" }), json!("2026-03-06"));
        ana.put(&path, changed.clone()).ok();
        let first = || ana.get(&format!("{path}?month=2026-03")).ok()["occurrences"][0].clone();
        let covered = |linked: bool| {
            json!({ "due": "2026-03-06", "date": "2026-03-06", "amount": "150.00", "status": "covered", "linked": linked,
                "transaction_ids": [row] })
        };
        assert_eq!(first(), covered(false), "{kind}");
        ana.post(&format!("{path}/link?due=2026-03-06"), json!({ "transaction_ids": [row] })).ok();
        assert_eq!(first(), covered(true), "{kind}");
        ana.post(&format!("{path}/unlink?due=2026-03-06"), json!({})).ok();
        changed["every"] = monthly;
        ana.put(&path, changed).ok();
        // The newer link took the place of the first; a confirmation stays.
        let status = if kind == "expense" { "covered" } else { "confirmed" };
        assert_eq!((&first()["status"], &first()["transaction_ids"]), (&json!(status), &json!([row])), "{kind}");
    }
}

#[test]
fn what_was_said_of_a_due_that_is_gone_keeps_no_row() {
    let app = TestApp::start();
    let ana = at(&app);
    let lessons = category(&ana, "Aulas");
    // On Mondays: one is linked, one confirmed.
    let item = made(
        &ana,
        "income",
        lessons,
        "50.00",
        json!({ "every": { "n": 1, "unit": "week" }, "start_on": "2026-03-02" }),
    );
    let path = path(item);
    let first = transaction(&ana, "income", lessons, "2026-03-04", "75.00");
    ana.post(&format!("{path}/link?due=2026-03-02"), json!({ "transaction_ids": [first] })).ok();
    let second = id(&ana.post(&format!("{path}/confirm?due=2026-03-09"), json!({ "date": "2026-03-11" })).created());
    let before = ana.get(&format!("{path}?month=2026-03")).ok();
    // They are on Wednesdays: the second row is that of its day, and the first can be linked again.
    ana.put(&path, with(before.clone(), &json!({ "start_on": "2026-03-04" }))).ok();
    let stands = |due: &str| {
        let item = ana.get(&format!("{path}?month=2026-03")).ok();
        let one = item["occurrences"].as_array().unwrap().iter().find(|one| one["due"] == due).cloned().unwrap();
        (one["status"].as_str().unwrap().to_string(), one["transaction_ids"].clone())
    };
    assert_eq!(stands("2026-03-11"), ("covered".into(), json!([second])));
    assert_eq!(stands("2026-03-04"), ("pending".into(), json!([])));
    // An undo brings back what was said, and the undo of that forgets it again.
    let undo = |change: &Value| ana.post_nothing(&format!("/api/changes/{change}/undo")).ok()["change_id"].clone();
    let undone = undo(&ana.all("/api/changes")[0]["id"]);
    assert_eq!(ana.get(&format!("{path}?month=2026-03")).ok()["occurrences"], before["occurrences"]);
    undo(&undone);
    assert_eq!(stands("2026-03-11"), ("covered".into(), json!([second])));
    ana.post(&format!("{path}/link?due=2026-03-04"), json!({ "transaction_ids": [first] })).ok();
    assert_eq!(stands("2026-03-04"), ("covered".into(), json!([first])));
}

#[test]
fn a_month_that_is_due_no_more_keeps_no_row() {
    let app = TestApp::start();
    let ana = at(&app);
    let category = category(&ana, "Dentista");
    let monthly = json!({ "day": 5, "start_on": "2026-01-05" });
    let item = made(&ana, "expense", category, "300.00", monthly);
    let path = path(item);
    let row = transaction(&ana, "expense", category, "2026-02-20", "340.00");
    ana.post(&format!("{path}/link?due=2026-02-05"), json!({ "transaction_ids": [row] })).ok();
    let rarer = json!({ "every": { "n": 2, "unit": "month" } });
    ana.put(&path, with(ana.get(&path).ok(), &rarer)).ok();
    ana.post(&format!("{path}/link?due=2026-03-05"), json!({ "transaction_ids": [row] })).ok();
    assert_eq!(stands(&ana, item, "?month=2026-03"), ("covered".into(), Some(row)));
}

#[test]
fn what_is_expected_follows_what_came() {
    let app = TestApp::start();
    let ana = at(&app);
    let category = category(&ana, "Luz");
    let range = json!({ "day": 20, "amount_min": "50.00", "amount_max": "300.00" });
    let last = made(&ana, "expense", category, "100.00", with(range.clone(), &json!({ "expects": "last" })));
    let amount = |id: i64, month: &str| {
        ana.get(&format!("{}?month={month}", path(id))).ok()["occurrences"][0]["amount"].as_str().unwrap().to_string()
    };
    assert_eq!(amount(last, "2026-04"), "100.00", "nothing came yet");
    for (date, paid) in
        [("2025-08-20", "300.00"), ("2025-11-20", "150.05"), ("2025-12-20", "120.00"), ("2026-02-20", "110.00")]
    {
        transaction(&ana, "expense", category, date, paid);
    }
    assert_eq!((amount(last, "2026-03"), amount(last, "2026-06")), ("110.00".into(), "110.00".into()));
    assert_eq!(amount(last, "2026-02"), "110.00", "what came");
    assert_eq!(amount(last, "2026-01"), "120.00", "what came before");
    let mut item = ana.get(&path(last)).ok();
    item["expects"] = json!("mean3");
    ana.put(&path(last), item).ok();
    assert_eq!(amount(last, "2026-04"), "126.68", "the mean of three, half-even: 126.683…");
    app.clock.set_today(date!(2026 - 06 - 25));
    assert_eq!(amount(last, "2026-07"), "110.00", "the six dues before reach back to January");
    // What came says it of any month, and no due between is looked at.
    let daily = json!({ "day": null, "every": { "n": 1, "unit": "day" }, "start_on": "2026-06-01", "expects": "last" });
    let coffee = made(&ana, "expense", category, "8.00", daily);
    transaction(&ana, "expense", category, "2026-06-24", "7.50");
    assert_eq!(["2026-07", "2027-01", "2199-12"].map(|month| amount(coffee, month)), ["7.50"; 3]);
}

#[test]
fn links_cover_a_due_whatever_the_rows_are() {
    let app = TestApp::start();
    let (ana, bia) = (at(&app), app.user("bia"));
    let (casa, outra) = (category(&ana, "Casa"), category(&ana, "Outra"));
    let id = made(&ana, "expense", casa, "1000.00", json!({ "day": 5 }));
    let one = transaction(&ana, "expense", outra, "2026-01-05", "7.00");
    let two = transaction(&ana, "expense", outra, "2026-02-05", "5.00");
    let link =
        |query: &str, ids: Value| ana.post(&format!("{}/link{query}", path(id)), json!({ "transaction_ids": ids }));
    let linked = link("?due=2026-03-05", json!([one, two])).ok();
    let state = &linked["occurrences"][0];
    assert_eq!(
        (&state["status"], &state["amount"], &state["linked"]),
        (&json!("covered"), &json!("12.00"), &json!(true))
    );
    assert_eq!(state["transaction_ids"], json!([one, two]));
    assert_eq!(link("", json!([one, two])).ok(), linked, "again changes nothing");
    assert_eq!(link("", json!([two])).ok()["occurrences"][0]["transaction_ids"], json!([two]), "they are replaced");
    // What is linked covers nothing else.
    let other = made(&ana, "expense", outra, "5.00", json!({ "day": 5 }));
    assert_eq!(stands(&ana, other, "?month=2026-02").0, "pending");
    let again = ana.post(&format!("{}/link", path(other)), json!({ "transaction_ids": [one, two] }));
    again.invalid(&["transaction_ids[1]"]);
    link("?month=2026-04", json!([two])).invalid(&["transaction_ids[0]"]);

    let income = transaction(&ana, "income", casa, "2026-03-05", "5.00");
    let hers = transaction(&bia, "expense", category(&bia, "Dela"), "2026-03-05", "5.00");
    let (from, to) = (ana.open_account("Banco", "current"), ana.open_account("Poupança", "savings"));
    let transfer = json!({ "from_account_id": from, "to_account_id": to, "amount": "5.00", "date": "2026-03-05" });
    let leg = id_of_leg(&ana.post("/api/transfers", transfer).created());
    let salary = made(&ana, "income", casa, "1000.00", json!({ "day": 5 }));
    let confirmed = finance_tests::id(&ana.post_nothing(&format!("{}/confirm", path(salary))).created());
    for wrong in [income, hers, leg, 999_999_999, confirmed] {
        link("", json!([wrong])).invalid(&["transaction_ids[0]"]);
    }
    link("", json!([one, one])).invalid(&["transaction_ids[1]"]);
    link("", json!([one, "x"])).invalid(&["transaction_ids[1]"]);
    link("", json!([])).invalid(&["transaction_ids"]);
    link("", json!((1..=11).collect::<Vec<_>>())).invalid(&["transaction_ids"]);
    ana.post(&format!("{}/link", path(id)), json!({})).invalid(&["transaction_ids"]);
    link("?due=2026-03-06", json!([one])).invalid(&["due"]);
    ana.post(&format!("{}/link", path(salary)), json!({ "transaction_ids": [income] }))
        .problem(409, "ErrRecurringNotPending");

    let unlink = || ana.post_nothing(&format!("{}/unlink", path(id)));
    assert_eq!(unlink().ok()["status"], "pending");
    unlink().problem(409, "ErrRecurringNotLinked");
    assert_eq!(stands(&ana, other, "?month=2026-02"), ("covered".into(), Some(two)));
    // A link goes with its transaction, and outlives a change of the day.
    link("", json!([one])).ok();
    let mut item = ana.get(&path(id)).ok();
    item["day"] = json!(9);
    assert_eq!(ana.put(&path(id), item).ok()["occurrences"][0]["linked"], true);
    ana.delete(&format!("/api/transactions/{one}")).gone();
    assert_eq!(stands(&ana, id, "").0, "pending");
    bia.post(&format!("{}/link", path(id)), json!({ "transaction_ids": [hers] })).problem(404, "ErrNotFound");
    bia.post_nothing(&format!("{}/unlink", path(id))).problem(404, "ErrNotFound");
}

#[test]
fn a_linked_row_that_becomes_a_transfer_or_changes_its_type_covers_nothing() {
    let app = TestApp::start();
    let ana = at(&app);
    let casa = category(&ana, "Casa");
    let bank = ana.open_account("Banco", "current");
    let id = made(&ana, "expense", casa, "100.00", json!({ "day": 5 }));
    let outra = category(&ana, "Outra");
    let row = transaction(&ana, "expense", outra, "2026-03-02", "60.00");
    ana.post(&format!("{}/link", path(id)), json!({ "transaction_ids": [row] })).ok();
    let edited = |fields: Value| {
        let row = format!("/api/transactions/{row}");
        let mut body = ana.get(&row).ok();
        body.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        ana.put(&row, body).ok();
        stands(&ana, id, "").0
    };
    assert_eq!(stands(&ana, id, "").0, "covered");
    assert_eq!(edited(json!({ "is_transfer": true, "account_id": bank })), "pending");
    assert_eq!(edited(json!({ "is_transfer": false })), "covered", "it is still linked");
    assert_eq!(edited(json!({ "type": "income" })), "pending");
    assert_eq!(edited(json!({ "type": "expense" })), "covered");
}

fn id_of_leg(transfer: &Value) -> i64 {
    id(&transfer["from"])
}

#[test]
fn of_two_links_of_one_row_at_once_one_succeeds() {
    let app = TestApp::start();
    let ana = at(&app);
    let category = category(&ana, "Casa");
    let items = [1, 2].map(|day| made(&ana, "expense", category, "1000.00", json!({ "day": day })));
    let row = transaction(&ana, "expense", category, "2026-03-05", "7.00");
    let mut statuses: Vec<u16> = std::thread::scope(|scope| {
        let ana = &ana;
        let link = |id: i64| ana.post(&format!("{}/link", path(id)), json!({ "transaction_ids": [row] })).status;
        let threads = items.map(|id| scope.spawn(move || link(id)));
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 422]);
}
