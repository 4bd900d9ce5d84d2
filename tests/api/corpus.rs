//! Imports of real statements: which rows are read from each, and that a second import finds only duplicates.

use std::fs;
use std::path::Path;

use finance_tests::{Client, Reply, TestApp, corpus, signed_sum};
use serde_json::{Value, json};

/// Deliberate differences from the other reader: rows and sum in hundredths.
const ON_PURPOSE: [(&str, &str, usize, i128); 5] = [
    ("synthetic/saldo_rows_and_zero_dates.ofx", "balances are no transactions", 1, -1200),
    ("synthetic/truncated_mid_transaction.ofx", "the last amount may be cut short", 1, -1000),
    ("bradenmacdonald__ofx-js/example2.ofx", "every date is masked", 0, 0),
    ("jseutter__ofxparse/date_missing.ofx", "no date, or 31 February", 0, 0),
    ("jseutter__ofxparse/decimal_error.ofx", "the month is 20", 0, 0),
];

/// The numbers of samples. With fewer, a test would pass without having read them.
const OFX_SAMPLES_MIN: usize = 80;
const CSV_SAMPLES_MIN: usize = 15;

/// Files without a statement: profiles, answers to a sign-on, errors. They are refused as unreadable.
const WITHOUT_STATEMENT: [&str; 14] = [
    "stoicflame__ofx4j/bank-of-america-profile.ofx",
    "stoicflame__ofx4j/fremont-bank-profile.ofx",
    "stoicflame__ofx4j/mercantile-brokerage-services-profile.ofx",
    "stoicflame__ofx4j/wells-fargo-investments-profile.ofx",
    "stoicflame__ofx4j/closing-tags.ofx",
    "stoicflame__ofx4j/example-response2.ofx",
    "stoicflame__ofx4j/simple.ofx",
    "stoicflame__ofx4j/whitespace-example.ofx",
    "jseutter__ofxparse/account_listing_aggregation.ofx",
    "jseutter__ofxparse/bank_small.ofx",
    "jseutter__ofxparse/error_message.ofx",
    "jseutter__ofxparse/signon_fail.ofx",
    "jseutter__ofxparse/signon_success.ofx",
    "jseutter__ofxparse/signon_success_no_message.ofx",
];

/// The rows and the sum in hundredths that the other reader found. Its sums have more decimals if the file has more.
fn golden(line: &str) -> (&str, usize, i128) {
    let fields: Vec<&str> = line.split('\t').collect();
    let [file, _, rows, sum, ..] = fields[..] else { panic!("{line}") };
    let sum: f64 = sum.parse().unwrap();
    (file, rows.parse().unwrap(), (sum * 100.0).round() as i128)
}

/// Rows and sum in hundredths of a preview. None if the file is unreadable.
fn figures(file: &str, reply: Reply) -> Option<(usize, i128)> {
    assert!(reply.status < 500, "{file}: {reply:?}");
    if reply.status != 200 {
        reply.problem(422, "ErrStatementUnreadable");
        return None;
    }
    let preview = reply.ok();
    let rows = preview["rows"].as_array().unwrap();
    assert_eq!(preview["summary"]["new"], rows.len(), "{file}: rows of one file are no duplicates of each other");
    Some((rows.len(), signed_sum(rows)))
}

/// Imports a file, and checks that all of it is stored once and a second import finds duplicates.
fn import_twice(client: &Client, name: &str, file: &[u8], rows: usize) {
    // An amount in another currency is never stored as reais.
    let preview = client.preview(file).ok();
    let foreign = preview["rows"].as_array().unwrap().iter().filter(|row| !row["currency"].is_null()).count();
    let stored = rows - foreign;
    let imported = client.import(None, file).created();
    assert_eq!(
        (imported["inserted"].as_u64(), imported["skipped"].as_array().map(Vec::len)),
        (Some(stored as u64), Some(foreign)),
        "{name}"
    );
    let again = client.preview(file).ok();
    assert_eq!(again["summary"]["duplicates"], stored, "{name}");
    assert_eq!(client.import(None, file).created()["inserted"], 0, "{name}");
    assert_eq!(client.all("/api/transactions?limit=1000").len(), stored, "{name}");
}

#[test]
fn every_ofx_sample_reads_as_another_reader_read_it_and_is_known_again() {
    let Some(corpus) = corpus() else { return };
    let app = TestApp::start();
    let (mut agreeing, mut wrong) = (0, Vec::new());
    let golden_figures = fs::read_to_string(corpus.join("ofx_golden.tsv")).unwrap();
    for (file, rows, cents) in golden_figures.lines().skip(1).map(golden) {
        let client = app.user(file);
        let bytes = fs::read(corpus.join("ofx").join(file)).unwrap();
        let found = figures(file, client.preview(&bytes));
        let ours = ON_PURPOSE.iter().find(|(name, ..)| *name == file);
        let expected = if WITHOUT_STATEMENT.contains(&file) {
            None
        } else {
            Some(ours.map_or((rows, cents), |(_, _, rows, cents)| (*rows, *cents)))
        };
        agreeing += usize::from(found.unwrap_or_default() == (rows, cents));
        if found != expected {
            wrong.push(format!("{file}: {found:?}, and not {expected:?}"));
        }
        if let Some((rows, _)) = found {
            import_twice(&client, file, &bytes, rows);
        }
    }
    let count = golden_figures.lines().count() - 1;
    println!("{agreeing} of {count} OFX samples agree in rows and sum");
    assert!(count >= OFX_SAMPLES_MIN, "{count} samples");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_csv_sample_reads_without_options_and_is_known_again() {
    let Some(corpus) = corpus() else { return };
    let app = TestApp::start();
    let mut files: Vec<_> =
        fs::read_dir(corpus.join("csv/synthetic")).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort_unstable();
    for path in &files {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap();
        let client = app.user(name);
        let bytes = fs::read(path).unwrap();
        let (rows, sum) = figures(name, client.preview(&bytes)).unwrap_or_else(|| panic!("{name} is unreadable"));
        assert!(rows > 0, "{name}");
        import_twice(&client, name, &bytes, rows);
        assert_eq!(signed_sum(&client.all("/api/transactions")), sum, "{name}");
    }
    println!("{} CSV samples read", files.len());
    assert!(files.len() >= CSV_SAMPLES_MIN, "{} samples", files.len());
}

/// The rows of a preview as the last release read them: with the former text, amount and sign where they differ, and without what
/// only this release says. Also the number of rows that differ.
fn former_rows(preview: &Value) -> (Vec<Value>, usize) {
    let mut differing = 0;
    let mut former = |row: &Value| {
        let mut read = json!({});
        for field in ["date", "description", "amount", "type", "external_id"] {
            read[field] = row[field].clone();
        }
        for (field, value) in row["former"].as_object().into_iter().flatten() {
            read[field] = value.clone();
        }
        differing += usize::from(row["former"].is_object());
        read
    };
    let rows = preview["rows"].as_array().unwrap().iter().map(&mut former).collect();
    (rows, differing)
}

/// What the last release read of a file is stored; this one finds nothing new in the file. Returns the number of rows that the two
/// read otherwise.
fn import_after_upgrade(client: &Client, account: Option<i64>, name: &str, file: &[u8]) -> usize {
    let account_id = account.map(|id| id.to_string());
    let options: Vec<(&str, &str)> = account_id.iter().map(|id| ("account_id", id.as_str())).collect();
    let reply = client.preview_with(file, &options);
    if reply.status != 200 {
        return 0;
    }
    let preview = reply.ok();
    let (rows, differing) = former_rows(&preview);
    // Before this release an amount in another currency was taken for reais, and another account's statement for this one's.
    let stored = json!({ "account_id": account, "format": preview["format"], "rows": rows });
    assert_eq!(client.post("/api/import/confirm", stored).created()["inserted"], rows.len(), "{name}");
    let again = client.preview_with(file, &options).ok();
    assert_eq!(again["summary"]["new"], 0, "{name}: {again}");
    let confirm = json!({ "account_id": account, "format": again["format"], "rows": again["rows"] });
    assert_eq!(client.post("/api/import/confirm", confirm).created()["inserted"], 0, "{name}");
    differing
}

#[test]
fn a_file_that_the_last_release_imported_holds_nothing_new_for_this_one() {
    let Some(corpus) = corpus() else { return };
    let app = TestApp::start();
    let (mut files, mut differing) = (0, 0);
    for folder in ["ofx", "csv", "cards"] {
        let mut folders = vec![corpus.join(folder)];
        let mut paths = Vec::new();
        while let Some(folder) = folders.pop() {
            for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
                match path.extension().and_then(|extension| extension.to_str()) {
                    _ if path.is_dir() => folders.push(path),
                    Some("ofx" | "qfx" | "csv") => paths.push(path),
                    _ => {}
                }
            }
        }
        paths.sort_unstable();
        for path in paths {
            let name = path.strip_prefix(&corpus).unwrap().display().to_string();
            let bytes = fs::read(&path).unwrap();
            for on_card in [false, true] {
                let client = app.user(&format!("{files} {on_card}"));
                let card = on_card.then(|| client.open_card("Cartão", 25, 5));
                differing += import_after_upgrade(&client, card, &format!("{name}, on a card: {on_card}"), &bytes);
            }
            files += 1;
        }
    }
    println!("{files} samples of the last release are known again, with {differing} rows that it read otherwise");
    assert!(files >= OFX_SAMPLES_MIN + CSV_SAMPLES_MIN, "{files} samples");
    assert!(differing > 0, "no sample is read otherwise, so nothing was tested");
}

#[test]
fn a_sample_under_the_wrong_name_or_cut_anywhere_is_no_fault_of_the_service() {
    let Some(corpus) = corpus() else { return };
    let app = TestApp::start();
    let ana = app.user("ana");
    let mut accepted = 0;
    for folder in ["ofx/synthetic", "csv/synthetic"] {
        for path in fs::read_dir(corpus.join(folder)).unwrap().map(|entry| entry.unwrap().path()) {
            let bytes = fs::read(&path).unwrap();
            for part in 1..8 {
                let reply = ana.preview(&bytes[..bytes.len() * part / 8]);
                assert!(reply.status < 500, "{} cut at {part}/8: {reply:?}", Path::new(&path).display());
                accepted += usize::from(reply.status == 200);
            }
            for format in ["ofx", "csv"] {
                let reply = ana.preview_with(&bytes, &[("format", format)]);
                assert!(reply.status < 500, "{} as {format}: {reply:?}", Path::new(&path).display());
            }
        }
    }
    assert!(accepted > CSV_SAMPLES_MIN, "{accepted} parts were read");
}
