//! The import of a statement of 10,000 rows, compared with one plain insert of the same rows.

use std::time::Instant;

use diesel::connection::SimpleConnection;
use diesel::{Connection, PgConnection};
use finance_tests::{Client, Form, ofx};
use serde_json::{Value, json};

use crate::Plan;
use crate::data::{Household, credential_of};
use crate::report::{Report, Target, median};
use crate::stage::Stage;

const ROWS: usize = 10_000;

/// The columns with data of the file, and the columns that the service fills in for later comparisons.
const COLUMNS: &str = "profile_id, kind, account_id, date, external_id, source, description,
    description_normalized, amount";

pub(crate) fn measure(stage: &Stage, plan: &Plan, report: &mut Report) {
    let household = &stage.households[0];
    let client = stage.program.client().with_token(&household.token);
    // A copy of the table with its indexes, but without its foreign keys.
    stage.admin(
        "create table if not exists plain (like transactions including all);
        alter table plain owner to finance",
    );
    let (mut previews, mut confirms, mut bares, mut plains) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    stage.forget_peak();
    for file in 0..plan.files {
        let rows = rows(file * ROWS);
        let begun = Instant::now();
        let preview = preview(&client, household, &rows);
        previews.push(ROWS as f64 / begun.elapsed().as_secs_f64());
        assert_eq!(preview["summary"]["new"], json!(ROWS));
        let body = json!({ "account_id": household.account, "file_name": "extrato.ofx", "format": "ofx",
            "rows": preview["rows"] });
        let begun = Instant::now();
        assert_eq!(client.post("/api/import/confirm", body).created()["inserted"], json!(ROWS));
        confirms.push(ROWS as f64 / begun.elapsed().as_secs_f64());
        bares.push(bare(stage, "transactions", &stage.households[1], &rows));
        plains.push(bare(stage, "plain", &stage.households[1], &rows));
    }
    let peak = stage.peak_kib() / 1024.0;
    let (preview, confirm, bare, plain) = (median(previews), median(confirms), median(bares), median(plains));
    report.add(
        "confirm of 10,000 rows, of a bare insert",
        Some(confirm / bare),
        Some(Target::AtLeast(0.5)),
        &[("rows/s", confirm), ("bare rows/s", bare)],
    );
    report.add(
        "  of one without references",
        Some(confirm / plain),
        None,
        &[("rows/s", confirm), ("bare rows/s", plain)],
    );
    report.add("preview of 10,000 rows, of a bare insert", Some(preview / bare), None, &[("rows/s", preview)]);
    report.add("resident memory while importing", None, None, &[("MiB", peak)]);
}

/// A row: date, amount, id, text.
type Row = (String, String, String, String);

fn rows(start: usize) -> Vec<Row> {
    (start..start + ROWS)
        .map(|at| {
            let date = format!("2025{:02}{:02}", 1 + at % 12, 1 + at / 12 % 28);
            (date, format!("{}.{:02}", 1 + at * 37 % 900, at % 100), format!("B{at}"), format!("COMPRA LOJA {at}"))
        })
        .collect()
}

fn preview(client: &Client, household: &Household, rows: &[Row]) -> Value {
    let rows: Vec<_> =
        rows.iter().map(|(date, amount, id, memo)| (&**date, format!("-{amount}"), &**id, &**memo)).collect();
    let rows: Vec<_> = rows.iter().map(|(date, amount, id, memo)| (*date, &**amount, *id, *memo)).collect();
    let form = Form::new().file("extrato.ofx", &ofx(&rows)).text("account_id", &household.account.to_string());
    client.post_form("/api/import/preview", form).ok()
}

/// Inserts the rows with one `insert … values`, in a transaction bound to the profile, without their sums. Returns the rows per
/// second.
fn bare(stage: &Stage, table: &str, household: &Household, rows: &[Row]) -> f64 {
    let Household { profile, account, .. } = household;
    let values: Vec<String> = rows
        .iter()
        .map(|(date, amount, id, memo)| {
            let normalized = memo.to_lowercase();
            format!("({profile},'expense',{account},'{date}','{id}','ofx','{memo}','{normalized}',{amount})")
        })
        .collect();
    let statement = format!("insert into {table} ({COLUMNS}) values {}", values.join(","));
    let mut connection = PgConnection::establish(&stage.cluster.url()).unwrap();
    connection
        .batch_execute(&format!(
            "begin; select bind_profile({profile}, '{}', '{{owner}}', true)",
            credential_of(*profile)
        ))
        .unwrap();
    let begun = Instant::now();
    connection.batch_execute(&statement).unwrap();
    connection.batch_execute("commit").unwrap();
    rows.len() as f64 / begun.elapsed().as_secs_f64()
}
