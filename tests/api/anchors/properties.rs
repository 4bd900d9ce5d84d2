//! Random writes of an account with anchors, compared with an oracle that knows no SQL and keeps no sums.

use std::collections::BTreeMap;
use std::sync::Barrier;
use std::thread;

use finance_tests::{Client, TestApp};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Value, json};

use super::{account, body};

/// A write. Days are of March 2026, amounts are cents.
#[derive(Debug, Clone)]
enum Write {
    Add { day: u8, cents: i64 },
    Edit { nth: usize, day: u8, cents: i64 },
    Remove { nth: usize },
    Import { rows: Vec<(u8, i64)>, balances: Vec<(u8, i64)> },
    Undo { nth: usize },
    Say { day: u8, cents: i64 },
    Unsay { nth: usize },
    Move { day: u8, cents: i64 },
}

fn writes() -> impl Strategy<Value = Vec<Write>> {
    let (day, cents) = (1_u8..13, prop_oneof![-400_i64..-1, 1_i64..400]);
    let (balance, nth) = (-300_i64..300, 0_usize..8);
    let row = (day.clone(), cents.clone());
    let write = prop_oneof![
        4 => row.clone().prop_map(|(day, cents)| Write::Add { day, cents }),
        2 => (nth.clone(), day.clone(), cents).prop_map(|(nth, day, cents)| Write::Edit { nth, day, cents }),
        1 => nth.clone().prop_map(|nth| Write::Remove { nth }),
        3 => (prop::collection::vec(row.clone(), 1..4), prop::collection::vec((day.clone(), prop_oneof![1 => Just(0), 3 => balance.clone()]), 0..4))
            .prop_map(|(rows, balances)| Write::Import { rows, balances }),
        1 => nth.clone().prop_map(|nth| Write::Undo { nth }),
        3 => (day, balance).prop_map(|(day, cents)| Write::Say { day, cents }),
        1 => nth.prop_map(|nth| Write::Unsay { nth }),
        // Amounts of their own: a row of a file that is a side of a transfer is taken for it.
        1 => row.prop_map(|(day, cents)| Write::Move { day, cents: cents + cents.signum() * 10_000 }),
    ];
    prop::collection::vec(write, 1..14)
}

/// A row of the account: its id, its day, its signed cents, and the import that brought it.
#[derive(Debug, Clone)]
struct Row {
    id: i64,
    day: u8,
    cents: i64,
    import: Option<i64>,
}

/// What an account should be.
#[derive(Debug, Default)]
struct Oracle {
    rows: Vec<Row>,
    /// What people said, in that order.
    stated: Vec<(u8, i64)>,
    /// What files say: the import, the day and the cents.
    files: Vec<(i64, u8, i64)>,
    /// The opening balance that stayed when what it followed was deleted: its day and its cents.
    left: Option<(u8, i64)>,
}

/// What counts of a day: who says it, the cents, and what the rows come to.
type Counting = BTreeMap<u8, (&'static str, i64, i64)>;

impl Oracle {
    fn up_to(&self, day: u8) -> i64 {
        self.rows.iter().filter(|row| row.day <= day).map(|row| row.cents).sum()
    }

    /// The opening balance: its day, where 0 is the last day of February, and its cents.
    fn opening(&self) -> Option<(u8, i64)> {
        let Some((day, cents)) = self.stated.first() else { return self.left };
        let balance = cents - self.up_to(*day);
        let first = self.rows.iter().map(|row| row.day - 1).min();
        (balance != 0).then_some((first.map_or(*day, |first| first.min(*day)), balance))
    }

    fn computed(&self, day: u8) -> i64 {
        let counted = |opening: &(u8, i64)| !self.stated.is_empty() || opening.0 <= day;
        self.up_to(day) + self.opening().filter(counted).map_or(0, |(_, cents)| cents)
    }

    fn counting(&self) -> Counting {
        let mut counting = Counting::new();
        for day in 0..=20 {
            let computed = self.computed(day);
            let by_file = self.files.iter().filter(|(_, of, _)| *of == day).max_by_key(|(import, ..)| *import);
            let person = self.stated.iter().find(|(of, _)| *of == day);
            if let Some((_, cents)) = person {
                counting.insert(day, ("person", *cents, computed));
            } else if let Some((import, _, cents)) = by_file {
                let is_of_noon = self.rows.iter().any(|row| row.day == day && row.import > Some(*import));
                if !is_of_noon && (*cents != 0 || computed == 0) {
                    counting.insert(day, ("file", *cents, computed));
                }
            }
        }
        counting
    }
}

fn date(day: u8) -> String {
    if day == 0 { "2026-02-28".to_string() } else { format!("2026-03-{day:02}") }
}

fn money(cents: i64) -> String {
    let sign = if cents < 0 { "-" } else { "" };
    format!("{sign}{}.{:02}", cents.abs() / 100, cents.abs() % 100)
}

fn row_body(account: i64, day: u8, cents: i64) -> Value {
    let kind = if cents < 0 { "expense" } else { "income" };
    json!({ "account_id": account, "date": date(day), "type": kind, "amount": money(cents.abs()), "description": "x" })
}

/// Sends a write, and does it in the oracle too.
fn write(client: &Client, bank: i64, other: i64, oracle: &mut Oracle, number: usize, write: &Write) {
    let nth = |nth: usize, len: usize| (len > 0).then(|| nth % len);
    match write {
        Write::Add { day, cents } => {
            let id = client.create("/api/transactions", row_body(bank, *day, *cents));
            oracle.rows.push(Row { id, day: *day, cents: *cents, import: None });
        }
        Write::Edit { nth: at, day, cents } => {
            let Some(at) = nth(*at, oracle.rows.len()) else { return };
            let row = &mut oracle.rows[at];
            client.put(&format!("/api/transactions/{}", row.id), row_body(bank, *day, *cents)).ok();
            (row.day, row.cents) = (*day, *cents);
        }
        Write::Remove { nth: at } => {
            let Some(at) = nth(*at, oracle.rows.len()) else { return };
            client.delete(&format!("/api/transactions/{}", oracle.rows.remove(at).id)).gone();
        }
        Write::Import { rows, balances } => {
            let texts: Vec<(String, String, String)> = rows
                .iter()
                .enumerate()
                .map(|(at, (day, cents))| (date(*day), money(*cents), format!("import {number} {at}")))
                .collect();
            let of_rows: Vec<(&str, &str, &str)> =
                texts.iter().map(|(date, cents, text)| (date.as_str(), cents.as_str(), text.as_str())).collect();
            let held: Vec<(String, String)> = balances.iter().map(|(day, cents)| (date(*day), money(*cents))).collect();
            let held: Vec<(&str, &str)> = held.iter().map(|(date, cents)| (date.as_str(), cents.as_str())).collect();
            let imported = client.post("/api/import/confirm?transactions=true", body(bank, &of_rows, &held)).created();
            let import = imported["import_id"].as_i64().unwrap();
            let stored = client.all(&format!("/api/transactions?account_id={bank}"));
            for (at, (day, cents)) in rows.iter().enumerate() {
                let text = format!("import {number} {at}");
                let row = stored.iter().find(|row| row["description"] == text).unwrap_or_else(|| panic!("{text}"));
                let id = row["id"].as_i64().unwrap();
                oracle.rows.push(Row { id, day: *day, cents: *cents, import: Some(import) });
            }
            let of_days: BTreeMap<u8, i64> = balances.iter().copied().collect();
            oracle.files.extend(of_days.into_iter().map(|(day, cents)| (import, day, cents)));
        }
        Write::Undo { nth: at } => {
            let mut imports: Vec<i64> = oracle.rows.iter().filter_map(|row| row.import).collect();
            imports.dedup();
            let Some(at) = nth(*at, imports.len()) else { return };
            client.delete(&format!("/api/imports/{}", imports[at])).ok();
            oracle.rows.retain(|row| row.import != Some(imports[at]));
            oracle.files.retain(|(import, ..)| *import != imports[at]);
        }
        Write::Say { day, cents } => {
            client
                .put(&format!("/api/accounts/{bank}/anchors/{}", date(*day)), json!({ "amount": money(*cents) }))
                .ok();
            match oracle.stated.iter_mut().find(|(of, _)| of == day) {
                Some(known) => known.1 = *cents,
                None => oracle.stated.push((*day, *cents)),
            }
        }
        Write::Unsay { nth: at } => {
            let Some(at) = nth(*at, oracle.stated.len()) else { return };
            let left = oracle.opening();
            let (day, _) = oracle.stated.remove(at);
            if oracle.stated.is_empty() {
                oracle.left = left;
            }
            client.delete(&format!("/api/accounts/{bank}/anchors/{}", date(day))).gone();
        }
        Write::Move { day, cents } => {
            let (from, to) = if *cents < 0 { (bank, other) } else { (other, bank) };
            let body = json!({ "from_account_id": from, "to_account_id": to, "amount": money(cents.abs()), "date": date(*day) });
            let moved = client.post("/api/transfers", body).created();
            let legs = [&moved["from"], &moved["to"]];
            let leg = legs.into_iter().find(|leg| leg["account_id"] == bank).unwrap_or_else(|| panic!("{moved}"));
            let id = leg["id"].as_i64().unwrap();
            // The leg cannot be edited by itself, so it is a row that no later write picks.
            oracle.rows.push(Row { id, day: *day, cents: *cents, import: None });
        }
    }
}

fn agrees(client: &Client, bank: i64, oracle: &Oracle) -> Result<(), TestCaseError> {
    let listed = client.all(&format!("/api/accounts/{bank}/anchors?limit=3"));
    let counting = oracle.counting();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_string();
    let found: Vec<[String; 4]> = listed
        .iter()
        .rev()
        .map(|anchor| ["date", "source", "amount", "computed"].map(|name| text(&anchor[name])))
        .collect();
    let expected: Vec<[String; 4]> = counting
        .iter()
        .map(|(day, (source, cents, computed))| [date(*day), source.to_string(), money(*cents), money(*computed)])
        .collect();
    prop_assert_eq!(found, expected);
    let now = account(client, bank);
    let followed = oracle.stated.first().map(|(day, _)| *day);
    let first = counting.iter().find(|(_, (_, cents, computed))| cents != computed);
    let until = counting.keys().rfind(|day| first.is_none_or(|(first, _)| *day < first) && Some(**day) != followed);
    let difference = first.map_or(Value::Null, |(day, (_, cents, computed))| {
        json!({ "date": date(*day), "amount": money(*cents), "difference": money(cents - computed) })
    });
    prop_assert_eq!(&now["first_difference"], &difference);
    prop_assert_eq!(&now["agrees_until"], &until.map_or(Value::Null, |day| json!(date(*day))));
    let all: i64 = oracle.rows.iter().map(|row| row.cents).sum();
    prop_assert_eq!(&now["balance"], &json!(money(all + oracle.opening().map_or(0, |(_, cents)| cents))));
    let openings = super::openings(client, bank);
    let opening: Vec<(String, String)> =
        oracle.opening().map(|(day, cents)| (date(day), money(cents))).into_iter().collect();
    prop_assert_eq!(openings, opening);
    Ok(())
}

#[test]
fn any_writes_in_any_order_agree_with_adding_up_the_rows() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let other = ana.create("/api/accounts", json!({ "name": "Outra", "kind": "current" }));
    let mut runner =
        TestRunner::new(Config { cases: 24, max_shrink_iters: 40, failure_persistence: None, ..Config::default() });
    let number = std::cell::Cell::new(0_usize);
    let ran = runner.run(&writes(), |writes| {
        number.set(number.get() + 1);
        let bank = ana.create("/api/accounts", json!({ "name": format!("Banco {}", number.get()), "kind": "current" }));
        let mut oracle = Oracle::default();
        for (at, each) in writes.iter().enumerate() {
            if let Write::Edit { .. } | Write::Remove { .. } = each
                && writes[..at].iter().any(|write| matches!(write, Write::Move { .. }))
            {
                continue;
            }
            write(&ana, bank, other, &mut oracle, number.get() * 100 + at, each);
            agrees(&ana, bank, &oracle)?;
        }
        Ok(())
    });
    if let Err(failure) = ran {
        panic!("{failure}");
    }
    app.rebuild_sums();
}

#[test]
fn an_import_and_a_person_at_once_end_right() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let bank = ana.create("/api/accounts", json!({ "name": "Banco", "kind": "current" }));
    for round in 0..6 {
        let start = Barrier::new(3);
        let day = format!("2026-03-{:02}", 14 - round);
        thread::scope(|scope| {
            scope.spawn(|| {
                let text = format!("importada {round}");
                let file = body(bank, &[(&day, "-10.00", &text)], &[(&day, "90.00")]);
                start.wait();
                ana.post("/api/import/confirm", file).created();
            });
            scope.spawn(|| {
                start.wait();
                ana.put(&format!("/api/accounts/{bank}/anchors/2026-03-15"), json!({ "amount": "100.00" })).ok();
            });
            scope.spawn(|| {
                start.wait();
                super::add(&ana, bank, &day, "3.00", "por fora");
            });
        });
        let spent = -7 * (i64::from(round) + 1);
        assert_eq!(account(&ana, bank)["balance"], "100.00", "round {round}");
        let first = format!("2026-03-{:02}", 13 - round);
        assert_eq!(super::openings(&ana, bank), super::opening(&first, &money(10_000 - spent * 100)), "round {round}");
    }
}
