//! What balances that agree cost a confirm and an insert, and the memory of the largest confirm in gzip.

use finance_tests::{Client, Method, gzip};
use serde_json::{Value, json};

use crate::Plan;
use crate::data::Household;
use crate::report::{Report, Target, median};
use crate::requests::insert_again;
use crate::stage::Stage;

/// Rows of a confirmed file.
const ROWS: usize = 10_000;
/// Rows of the largest one, the letters of their texts in gzip, and those with which it fits into a plain body.
const LARGEST: (usize, usize, usize) = (50_000, 255, 220);

pub(crate) fn measure(stage: &Stage, plan: &Plan, report: &mut Report) {
    anchored(stage, plan, report);
    packed(stage, report);
}

/// Writes into an account whose balance of every month and of a day is said, and into one of which nothing is said.
fn anchored(stage: &Stage, plan: &Plan, report: &mut Report) {
    let household = stage.load("anchored", 1_000, 12);
    let client = stage.program.client().with_token(&household.token);
    let open = |name: &str| client.create("/api/accounts", json!({ "name": name, "kind": "current" }));
    let accounts = [open("Com"), open("Sem")];
    for month in 1..=12 {
        let path = format!("/api/accounts/{}/anchors/2025-{month:02}-28", accounts[0]);
        client.put(&path, json!({ "amount": "1000.00" })).ok();
    }
    let mut costs: [Vec<f64>; 2] = Default::default();
    for round in 0..plan.files {
        for side in [round % 2, 1 - round % 2] {
            let rows = rows(ROWS, 30, &format!("R{round}-{side}"));
            let body =
                json!({ "account_id": accounts[side], "file_name": "extrato.ofx", "format": "ofx", "rows": rows });
            let (confirmed, cost) =
                stage.spent(|| client.post("/api/import/confirm?transactions=false", body).created());
            assert_eq!(confirmed["inserted"], json!(ROWS));
            costs[side].push(cost / ROWS as f64);
        }
    }
    let [with, without] = costs.map(median);
    report.add(
        "confirm of 10,000 rows with balances, of one without",
        Some(with / without),
        Some(Target::AtMost(1.05)),
        &[("processor µs a row", with), ("without", without)],
    );
    stage.admin("vacuum analyze");
    let [with, without] = accounts.map(|account| Household { account, ..household.clone() });
    let cost = stage.compared(plan, (&insert_again(), &with), (&insert_again(), &without));
    report.add(
        "insert after balances that are said, of one without",
        Some(cost.0 / cost.1),
        Some(Target::AtMost(1.02)),
        &[("processor µs", cost.0), ("without", cost.1)],
    );
}

/// The peak memory of the largest confirm in gzip, of the largest plain one.
fn packed(stage: &Stage, report: &mut Report) {
    let (count, in_gzip, plain) = LARGEST;
    let household = stage.load("packed", 10, 1);
    let peak = |letters: usize, is_packed: bool| {
        let service = stage.fresh_service();
        let client = service.client().with_token(&household.token);
        let account = client.create("/api/accounts", json!({ "name": format!("Conta {letters}"), "kind": "current" }));
        let rows = rows(count, letters, &format!("G{letters}"));
        let body = json!({ "account_id": account, "file_name": "extrato.ofx", "format": "ofx", "rows": rows });
        let body = body.to_string().into_bytes();
        let before = stage.peak_of(&service);
        let unpacked = body.len() as f64 / 1024.0 / 1024.0;
        assert_eq!(send(&client, body, is_packed)["inserted"], json!(count));
        (stage.peak_of(&service) / 1024.0, before / 1024.0, unpacked)
    };
    let (plain, ..) = peak(plain, false);
    let (packed, before, unpacked) = peak(in_gzip, true);
    report.add(
        "memory of 50,000 rows of 255 letters in gzip, of a plain body",
        Some(packed / plain),
        Some(Target::AtMost(1.0)),
        &[("MiB", packed), ("plain", plain), ("before", before), ("unpacked", unpacked)],
    );
}

fn send(client: &Client, body: Vec<u8>, is_packed: bool) -> Value {
    let path = "/api/import/confirm?transactions=false";
    let kind = Some("application/json");
    let reply = match is_packed {
        true => client.send_with(Method::POST, path, kind, gzip(&body), &[("Content-Encoding", "gzip")]),
        false => client.send(Method::POST, path, kind, body),
    };
    reply.created()
}

/// Rows of a year whose texts have so many letters.
fn rows(count: usize, letters: usize, name: &str) -> Vec<Value> {
    let row = |at: usize| {
        let text = format!("{:x<letters$}", format!("COMPRA LOJA {name}X{at} "));
        json!({ "date": format!("2025-{:02}-{:02}", 1 + at % 12, 1 + at / 12 % 28), "type": "expense", "description": text,
            "amount": format!("{}.{:02}", 1 + at * 37 % 900, at % 100), "external_id": format!("{name}-{at}") })
    };
    (0..count).map(row).collect()
}
