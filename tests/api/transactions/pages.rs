//! The pages of the list.

use std::collections::BTreeSet;

use finance_tests::{Client, TestApp, ofx};
use serde_json::{Value, json};

use super::{PATH, expense, ids};

/// All pages, beginning with a path, while an answer links to a next one. Calls `between` after each page.
fn pages(client: &Client, path: &str, mut between: impl FnMut()) -> Vec<Value> {
    let mut pages = Vec::new();
    let mut next = Some(path.to_string());
    while let Some(path) = next {
        let reply = client.get(&path);
        next = reply.next().map(str::to_string);
        pages.push(reply.ok());
        between();
    }
    pages
}

pub(super) fn all(client: &Client, path: &str) -> Vec<i64> {
    pages(client, path, || {}).iter().flat_map(ids).collect()
}

#[test]
fn pages_lose_and_repeat_nothing_while_rows_are_inserted() {
    let app = TestApp::start();
    for limit in [1, 2, 5, 7, 8] {
        // Each limit has its own profile, because with pages of one row the number of inserted rows doubles with each date.
        let ana = app.user(&format!("ana {limit}"));
        let insert = |date: &str| {
            ana.post(PATH, expense(date, "x", json!({}))).created();
        };
        for date in ["2026-03-01", "2026-03-02", "2026-03-02", "2026-03-05"].repeat(2) {
            insert(date);
        }
        let before = ids(&ana.get(&format!("{PATH}?limit=1000")).ok());
        assert_eq!(before.len(), 8);
        let known: BTreeSet<i64> = before.iter().copied().collect();
        let pages = pages(&ana, &format!("{PATH}?limit={limit}"), || {
            // One row at the top of the list, and one on each date on which a page can end.
            for date in ["2026-03-09", "2026-03-05", "2026-03-02", "2026-03-01"] {
                insert(date);
            }
        });
        assert!(pages.iter().all(|page| page.as_array().unwrap().len() <= limit), "{limit}");
        let listed: Vec<i64> = pages.iter().flat_map(ids).collect();
        assert_eq!(listed.iter().collect::<BTreeSet<_>>().len(), listed.len(), "{limit}: a row came twice");
        let old: Vec<i64> = listed.into_iter().filter(|id| known.contains(id)).collect();
        assert_eq!(old, before, "{limit}");
    }
}

#[test]
fn pages_lose_nothing_while_rows_are_deleted() {
    let app = TestApp::start();
    let ana = app.user("ana");
    for _ in 0..12 {
        ana.post(PATH, expense("2026-03-01", "x", json!({}))).created();
    }
    let before = ids(&ana.get(PATH).ok());
    let first = ana.get(&format!("{PATH}?limit=4"));
    let next = first.next().unwrap().to_string();
    // The row of the cursor is also deleted.
    for id in &before[..4] {
        ana.delete(&format!("{PATH}/{id}")).gone();
    }
    assert_eq!(all(&ana, &next), before[4..]);
}

#[test]
fn opening_balances_of_the_year_before_the_first_one_are_listed_too() {
    let app = TestApp::start();
    let ana = app.user("ana");
    for name in ["Banco", "Carteira"] {
        let account = json!({ "name": name, "kind": "current", "balance_today": "50.00" });
        let account = ana.create("/api/accounts", account);
        ana.post(PATH, expense("1900-01-01", "x", json!({ "account_id": account }))).created();
    }
    let listed = ana.get(PATH).ok();
    let dates: Vec<&str> = listed.as_array().unwrap().iter().map(|row| row["date"].as_str().unwrap()).collect();
    assert_eq!(dates, ["1900-01-01", "1900-01-01", "1899-12-31", "1899-12-31"]);
    assert_eq!(all(&ana, &format!("{PATH}?limit=1")), ids(&listed));
    assert_eq!(all(&ana, &format!("{PATH}?date=purchase&to=2026-03-15")), ids(&listed));
}

#[test]
fn a_page_holds_100_rows_or_what_limit_says_up_to_1000() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let texts: Vec<String> = (0..1_001).map(|number| format!("F{number}")).collect();
    let rows: Vec<_> = texts.iter().map(|text| ("20260301", "-1.00", text.as_str(), text.as_str())).collect();
    assert_eq!(ana.import(None, &ofx(&rows)).created()["inserted"], 1_001);
    let lengths = |path: &str| -> Vec<usize> {
        pages(&ana, path, || {}).iter().map(|page| page.as_array().unwrap().len()).collect()
    };
    assert_eq!(lengths(&format!("{PATH}?limit=1000")), [1000, 1]);
    assert_eq!(lengths(&format!("{PATH}?limit=999")), [999, 2]);
    let hundreds = lengths(PATH);
    assert_eq!((hundreds.len(), hundreds[0], hundreds[10]), (11, 100, 1));
    assert_eq!(all(&ana, PATH), all(&ana, &format!("{PATH}?limit=1000")));
    let whole = ana.get(&format!("{PATH}?q=F100&limit=3"));
    assert_eq!(whole.next(), None, "F100 and F1000 are two");
    for limit in ["0", "1001", "-1", "ten", "1.5", "", "99999999999999999999", "0x10"] {
        ana.get(&format!("{PATH}?limit={limit}")).invalid(&["limit"]);
    }
}

#[test]
fn the_next_page_keeps_the_filters() {
    let app = TestApp::start();
    let ana = app.user("ana");
    for number in 0..6 {
        let kind = ["income", "expense"][number % 2];
        ana.post(PATH, expense("2026-03-01", "Pão & água", json!({ "type": kind }))).created();
        ana.post(PATH, expense("2026-02-01", "Pão & água", json!({ "type": kind }))).created();
        ana.post(PATH, expense("2026-03-01", "Outro", json!({ "type": kind }))).created();
    }
    let path = format!("{PATH}?month=2026-03&q=p%C3%A3o%20%26&type=expense&limit=2");
    let reply = ana.get(&path);
    let next = reply.next().expect("another page").to_string();
    assert!(next.starts_with(&format!("{path}&cursor=")), "{next}");
    assert_eq!(next.matches("cursor=").count(), 1);
    assert_eq!(all(&ana, &path).len(), 3);
    assert_eq!(ana.get(&format!("{PATH}?limit=18")).next(), None, "a full last page links nowhere");
}

#[test]
fn a_cursor_that_is_none_is_refused() {
    let app = TestApp::start();
    let ana = app.user("ana");
    for _ in 0..2 {
        ana.post(PATH, expense("2026-03-01", "x", json!({}))).created();
    }
    let reply = ana.get(&format!("{PATH}?limit=1"));
    let next = reply.next().unwrap().to_string();
    let cursor = next.rsplit_once("cursor=").unwrap().1;
    ana.get(&format!("{PATH}?cursor={cursor}")).ok();
    for bad in [
        "",
        "x",
        "!!!",
        "MQ",
        "MjAyNi0wMy0wMQ",
        "MjAyNi0wMi0zMC8x",
        "MjAyNi0wMy0wMS94",
        "____",
        &cursor[1..],
        &format!("{cursor}=="),
        "%00",
    ] {
        ana.get(&format!("{PATH}?cursor={bad}")).invalid(&["cursor"]);
    }
}
