//! What the history costs: its bytes, an undo of many rows beside their import, and reads and one row's undo beside many entries.

use finance_tests::Client;
use serde_json::{Value, json};

use crate::Plan;
use crate::data::Household;
use crate::load::Ask;
use crate::report::{Report, Target, median};
use crate::requests::dashboard_path;
use crate::stage::Stage;

/// The rows of an import, and of the deletion that is undone.
const ROWS: usize = 10_000;
/// The most ids of a write of several transactions.
const IDS_MAX: usize = 1_000;
/// The entries beside which reads and an undo are measured.
const ENTRIES: usize = 30_000;
/// How many undos of one row are measured on each side.
const UNDOS: usize = 100;

pub(crate) fn measure(stage: &Stage, plan: &Plan, report: &mut Report) {
    bytes(stage, report);
    restored(stage, plan, report);
    beside(stage, plan, report);
}

/// A profile of its own, with an import of [`ROWS`] rows, and the ids of these.
struct Imported {
    household: Household,
    client: Client,
    ids: Vec<i64>,
}

fn body(household: &Household, file: usize) -> Value {
    let row = |at: usize| {
        json!({ "date": format!("2025-{:02}-{:02}", 1 + at % 12, 1 + at / 12 % 28), "type": "expense",
            "description": format!("COMPRA LOJA {file}X{at}"), "amount": format!("{}.{:02}", 1 + at * 37 % 900, at % 100),
            "external_id": format!("H{file}-{at}") })
    };
    json!({ "account_id": household.account, "file_name": "extrato.ofx", "format": "ofx",
        "rows": (0..ROWS).map(row).collect::<Vec<_>>() })
}

fn imported(stage: &Stage, name: &str) -> Imported {
    let household = stage.load(name, IDS_MAX, 1);
    let client = stage.program.client().with_token(&household.token);
    let created = client.post("/api/import/confirm", body(&household, 0)).created();
    let ids = created["transactions"].as_array().unwrap().iter().map(|row| row["id"].as_i64().unwrap()).collect();
    Imported { household, client, ids }
}

/// The bytes of the entries with their indexes.
fn size(stage: &Stage) -> f64 {
    stage.admin("vacuum full change_entries");
    // A table without partitions is in no tree of them.
    stage.number(
        "select coalesce((select sum(pg_total_relation_size(relid)) from pg_partition_tree('change_entries')),
            pg_total_relation_size('change_entries'))::bigint as n",
    )
}

fn bytes(stage: &Stage, report: &mut Report) {
    let Imported { household, client, ids } = imported(stage, "bytes");
    let entries = format!("select count(*) as n from change_entries where profile_id = {}", household.profile);
    report.add(
        "entries of an import of 10,000 rows, one a table",
        Some(stage.number(&entries)),
        Some(Target::AtMost(4.0)),
        &[],
    );
    let before = size(stage);
    for part in ids.chunks(IDS_MAX) {
        client.post("/api/transactions/update", json!({ "ids": part, "category_id": household.category })).ok();
    }
    let edited = size(stage);
    for part in ids.chunks(IDS_MAX) {
        client.post("/api/transactions/delete", json!({ "ids": part })).ok();
    }
    let removed = size(stage);
    for (what, bytes, most) in [
        ("bytes an edited row, of 250", edited - before, 250.0),
        ("bytes a removed row, of 600", removed - edited, 600.0),
    ] {
        let a_row = bytes / ids.len() as f64;
        report.add(what, Some(a_row / most), Some(Target::AtMost(1.0)), &[("bytes", a_row)]);
    }
}

/// Ten thousand rows that come back, beside the confirm that stored them.
fn restored(stage: &Stage, plan: &Plan, report: &mut Report) {
    let household = stage.load("restored", IDS_MAX, 1);
    let client = stage.program.client().with_token(&household.token);
    let (mut confirms, mut undos) = (Vec::new(), Vec::new());
    for file in 0..plan.files {
        let body = body(&household, file);
        let (confirmed, cost) = stage.spent(|| client.post("/api/import/confirm?transactions=false", body));
        confirms.push(cost / ROWS as f64);
        let import = confirmed.created()["import_id"].as_i64().unwrap();
        let gone = client.delete(&format!("/api/imports/{import}"));
        let change = gone.header("Finance-Change").unwrap().to_string();
        let (undone, cost) = stage.spent(|| client.post_nothing(&format!("/api/changes/{change}/undo")));
        let restored = undone.ok()["restored"].as_u64().unwrap();
        assert!(restored >= ROWS as u64, "{restored}");
        undos.push(cost / ROWS as f64);
    }
    let (confirm, undo) = (median(confirms), median(undos));
    report.add(
        "10,000 rows back, of their confirm",
        Some(undo / confirm),
        Some(Target::AtMost(2.0)),
        &[("processor µs a row", undo), ("confirm", confirm)],
    );
}

/// Reads and the undo of one row in a profile with [`ENTRIES`] entries, beside the same profile without.
fn beside(stage: &Stage, plan: &Plan, report: &mut Report) {
    let [with, without] = ["entries", "none"].map(|name| imported(stage, name));
    let categories = with.client.get("/api/categories").ok();
    let categories: Vec<i64> =
        categories.as_array().unwrap().iter().map(|category| category["id"].as_i64().unwrap()).collect();
    for round in 0..ENTRIES / ROWS {
        for part in with.ids.chunks(IDS_MAX) {
            let body = json!({ "ids": part, "category_id": categories[round % categories.len()] });
            with.client.post("/api/transactions/update", body).ok();
        }
    }
    stage.admin("vacuum analyze");
    let entries = stage
        .number(&format!("select count(*) as n from change_entries where profile_id = {}", with.household.profile));
    for (what, path) in [
        ("the dashboard", dashboard_path()),
        ("a list of 100", "/api/transactions?limit=100".to_string()),
        ("what changed", "/api/changes?limit=20".to_string()),
    ] {
        let ask = Ask::Get(path);
        let cost = stage.compared(plan, (&ask, &with.household), (&ask, &without.household));
        report.add(
            format!("{what} beside many entries"),
            Some(cost.0 / cost.1),
            Some(Target::AtMost(1.5)),
            &[("processor µs", cost.0), ("without", cost.1), ("entries", entries)],
        );
    }
    let undo_one = |of: &Imported| {
        let body = json!({ "type": "expense", "date": "2026-03-10", "description": "Um", "amount": "5.00",
            "account_id": of.household.account, "category_id": of.household.category });
        let made = of.client.post("/api/transactions", body);
        let change = made.header("Finance-Change").unwrap().to_string();
        let (undone, cost) = stage.spent(|| of.client.post_nothing(&format!("/api/changes/{change}/undo")));
        undone.ok();
        cost
    };
    let mut costs = [0.0, 0.0];
    for _ in 0..UNDOS {
        costs[0] += undo_one(&with);
        costs[1] += undo_one(&without);
    }
    report.add(
        "one row's undo beside many entries",
        Some(costs[0] / costs[1]),
        Some(Target::AtMost(1.5)),
        &[("processor µs", costs[0] / UNDOS as f64), ("without", costs[1] / UNDOS as f64)],
    );
}
