//! Measures how long an import of 10,000 rows takes over HTTP if 100,000 transactions are stored, and how much suggestions add
//! to a preview: the same file for a profile whose rows have categories, and for a profile whose rows have none, so that there is
//! nothing to suggest. `cargo run --release --package finance-load --bin import_speed`.
#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a measurement that cannot go on stops")]

use std::time::Instant;

use finance_tests::{Client, Form, Program, ofx};
use serde_json::{Value, json};

const STORED: usize = 100_000;
const ROWS: usize = 10_000;
const ROUNDS: usize = 5;
/// The number of different shops.
const SHOPS: usize = 225;

fn main() {
    let data_dir = std::env::temp_dir().join(format!("finance-import-speed-{}", std::process::id()));
    std::fs::create_dir_all(&data_dir).expect("a directory");
    for name in ["ana", "bia"] {
        let created = Program::run(&data_dir, &["create-user", "--name", name, "--password", "correct horse"]);
        assert!(created.status.success(), "{}", String::from_utf8_lossy(&created.stderr));
    }
    let program = Program::start(Program::command(&data_dir).env("RUST_LOG", "warn"));
    let ana = program.login("ana", "correct horse");
    let account = open(&ana);
    for start in (0..STORED).step_by(25_000) {
        confirm(&ana, &account, &preview(&ana, &account, &file(start, 25_000)));
    }
    println!("{STORED} transactions stored; {ROWS} rows a file, {ROUNDS} files; milliseconds, median of the rounds");
    let mut times: [Vec<u128>; 4] = Default::default();
    for round in 0..ROUNDS {
        let file = file(STORED + round * ROWS, ROWS);
        for (first, inserted) in [(0, ROWS), (2, 0)] {
            let started = Instant::now();
            let previewed = preview(&ana, &account, &file);
            times[first].push(started.elapsed().as_millis());
            let started = Instant::now();
            let answer = confirm(&ana, &account, &previewed);
            times[first + 1].push(started.elapsed().as_millis());
            assert_eq!(answer["inserted"], inserted);
        }
    }
    for (what, mut times) in
        ["preview, all new", "confirm, all new", "preview, all known", "confirm, all known"].into_iter().zip(times)
    {
        times.sort_unstable();
        println!("  {what:<20}{:>6}", times[times.len() / 2]);
    }
    measure_suggestions(&ana, &account, &program.login("bia", "correct horse"));
    drop(program);
    std::fs::remove_dir_all(&data_dir).expect("the directory is deleted");
}

fn open(client: &Client) -> Value {
    client.post("/api/accounts", json!({ "name": "Conta", "kind": "current" })).created()["id"].clone()
}

/// Previews new files for both profiles in turn. Before that, the second profile stores the same rows as the first, each with a
/// category that depends on its shop.
fn measure_suggestions(unfiled: &Client, account: &Value, filed: &Client) {
    let own = open(filed);
    let categories = filed.get("/api/categories").ok();
    let categories: Vec<&Value> = categories.as_array().unwrap().iter().map(|category| &category["id"]).collect();
    for start in (0..STORED).step_by(25_000) {
        let mut previewed = preview(filed, &own, &file(start, 25_000));
        for (at, row) in previewed["rows"].as_array_mut().unwrap().iter_mut().enumerate() {
            row["category_id"] = categories[(start + at) % SHOPS % categories.len()].clone();
        }
        confirm(filed, &own, &previewed);
    }
    let mut times: [Vec<u128>; 2] = Default::default();
    let mut suggested = 0;
    for round in 0..ROUNDS {
        let file = file(STORED + (ROUNDS + round) * ROWS, ROWS);
        for (at, (client, account)) in [(unfiled, account), (filed, &own)].into_iter().enumerate() {
            let started = Instant::now();
            let previewed = preview(client, account, &file);
            times[at].push(started.elapsed().as_millis());
            let rows = previewed["rows"].as_array().unwrap();
            if at == 1 {
                suggested = rows.iter().filter(|row| !row["suggestion"].is_null()).count();
            }
        }
    }
    times.iter_mut().for_each(|times| times.sort_unstable());
    let [without, with] = times.map(|times| times[times.len() / 2]);
    let ratio = with as f64 / without as f64;
    println!(
        "preview, nothing filed {without}; all filed, {suggested} suggested {with}; {ratio:.2} times (at most 1.5)"
    );
}

/// The name of a shop, in letters, because digits do not identify a payee.
fn shop(number: usize) -> String {
    let syllables = ["BA", "CE", "DI", "FO", "GU", "LA", "ME", "NI", "PO", "RU", "SA", "TE", "VI", "XO", "ZU"];
    let syllable = |at: usize| syllables[at % syllables.len()];
    let (first, second) = (number % syllables.len(), number / syllables.len());
    format!(
        "{}{}{} {}{}",
        syllable(first),
        syllable(second),
        syllable(first + second),
        syllable(second + 3),
        syllable(first + 7)
    )
}

/// Rows of about four years, about 70 for each day, so that many rows have the same date and some the same amount.
fn file(start: usize, count: usize) -> Vec<u8> {
    let rows: Vec<_> = (start..start + count)
        .map(|at| {
            let day = (at / 70) % 1_400;
            let date = format!("{:04}{:02}{:02}", 2022 + day / 350, 1 + (day % 350) / 30 % 12, 1 + day % 28);
            let amount = format!("-{}.{:02}", 1 + at * 37 % 900, at % 100);
            (date, amount, format!("F{at}"), format!("COMPRA CARTAO {} {at}", shop(at % SHOPS)))
        })
        .collect();
    let rows: Vec<_> = rows.iter().map(|(date, amount, id, memo)| (&**date, &**amount, &**id, &**memo)).collect();
    ofx(&rows)
}

fn preview(ana: &Client, account: &Value, file: &[u8]) -> Value {
    let form = Form::new().file("statement.ofx", file).text("account_id", &account.to_string());
    ana.post_form("/api/import/preview", form).ok()
}

fn confirm(ana: &Client, account: &Value, preview: &Value) -> Value {
    let body = json!({ "account_id": account, "file_name": "statement.ofx", "format": "ofx", "rows": preview["rows"] });
    ana.post("/api/import/confirm", body).created()
}
