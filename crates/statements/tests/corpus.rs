//! Statements of many banks, if their folder is beside the workspace, compared with the results of another, simpler
//! reader.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
#![allow(clippy::inconsistent_digit_grouping, reason = "the last two digits are hundredths")]

use std::collections::HashSet;
use std::fs;
use std::path::PathBuf;

use finance_statements::{Error, Format, Options, Statement, read};
use time::macros::format_description;

#[path = "../../../tests/support/skipped.rs"]
#[allow(dead_code, unreachable_pub, reason = "these tests are skipped in CI, too")]
mod skipped;

/// The number of OFX samples. With fewer, a test would pass without having read them.
const OFX_SAMPLES_MIN: usize = 80;

/// The folder of the samples. None, with a notice, if it is not beside the workspace.
fn corpus() -> Option<PathBuf> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus");
    if !folder.exists() {
        skipped::notice("../shared/corpus is not here; its samples are not tested");
        return None;
    }
    Some(folder)
}

/// The compared values: rows, sum in cents, first and last date, distinct ids.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Summary {
    rows: usize,
    cents: i64,
    first: String,
    last: String,
    ids: usize,
}

impl Summary {
    fn of(statement: &Statement) -> Self {
        let day = |date: time::Date| date.format(format_description!("[year][month][day]")).unwrap();
        let or_none = |date: Option<time::Date>| date.map_or_else(|| "-".to_string(), day);
        let ids: HashSet<_> = statement.rows.iter().filter_map(|row| row.id.as_deref()).collect();
        Summary {
            rows: statement.rows.len(),
            cents: statement.rows.iter().map(|row| row.cents).sum(),
            first: or_none(statement.rows.iter().map(|row| row.date).min()),
            last: or_none(statement.rows.iter().map(|row| row.date).max()),
            ids: ids.len(),
        }
    }

    fn golden(line: &str) -> (&str, Self) {
        let fields: Vec<&str> = line.split('\t').collect();
        let [file, _, rows, sum, first, last, ids, ..] = fields[..] else { panic!("{line}") };
        let sum: f64 = sum.parse().unwrap();
        let summary = Summary {
            rows: rows.parse().unwrap(),
            cents: (sum * 100.0).round() as i64,
            first: first.to_string(),
            last: last.to_string(),
            ids: ids.parse().unwrap(),
        };
        (file, summary)
    }
}

type Figures = (usize, i64, &'static str, &'static str, usize);

/// Deliberate differences from the other reader: rows, cents, first and last date, ids.
const ON_PURPOSE: [(&str, &str, Figures); 7] = [
    ("synthetic/fitid_zero_and_empty.ofx", "an id of 0 is none", (5, -17_53, "20250102", "20250104", 0)),
    ("synthetic/saldo_rows_and_zero_dates.ofx", "balances are no transactions", (1, -12_00, "20250103", "20250103", 1)),
    ("synthetic/truncated_mid_transaction.ofx", "-11.0 may be cut short", (1, -10_00, "20250110", "20250110", 1)),
    ("bradenmacdonald__ofx-js/example2.ofx", "every date is masked", (0, 0, "-", "-", 0)),
    ("jseutter__ofxparse/date_missing.ofx", "no date, or 31 February", (0, 0, "-", "-", 0)),
    ("jseutter__ofxparse/decimal_error.ofx", "the month is 20", (0, 0, "-", "-", 0)),
    ("adelarcubs__ofxparser/extrato_caixa.ofx", "an id of 0 is none", (4, -301_52, "20150701", "20150727", 3)),
];

/// Files of banks without a statement: profiles, answers to a sign-on, errors.
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

/// The expected values of a file. None where it has no statement.
fn expected(file: &str, golden: Summary) -> Option<Summary> {
    if WITHOUT_STATEMENT.contains(&file) {
        return None;
    }
    let ours = ON_PURPOSE.iter().find(|(name, ..)| *name == file);
    Some(ours.map_or(golden, |(_, _, (rows, cents, first, last, ids))| Summary {
        rows: *rows,
        cents: *cents,
        first: first.to_string(),
        last: last.to_string(),
        ids: *ids,
    }))
}

#[test]
fn every_ofx_sample_reads_as_another_reader_read_it() {
    let Some(corpus) = corpus() else { return };
    let golden = fs::read_to_string(corpus.join("ofx_golden.tsv")).unwrap();
    let (mut wrong, mut count) = (Vec::new(), 0);
    for (file, golden) in golden.lines().skip(1).map(Summary::golden) {
        count += 1;
        let bytes = fs::read(corpus.join("ofx").join(file)).unwrap();
        let expected = expected(file, golden);
        let found = match read(&bytes, &Options::default()) {
            Ok(statement) => {
                assert_eq!(statement.format, Format::Ofx, "{file}");
                Some(Summary::of(&statement))
            }
            Err(Error::Unreadable(_)) => None,
            Err(error) => panic!("{file}: {error}"),
        };
        if found != expected {
            wrong.push(format!("{file}: {found:?}, and not {expected:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(count >= OFX_SAMPLES_MIN, "{count} samples");
}

#[test]
fn every_ofx_sample_reads_the_same_whatever_its_line_ends_and_encoding() {
    let Some(corpus) = corpus() else { return };
    let golden = fs::read_to_string(corpus.join("ofx_golden.tsv")).unwrap();
    let mut count = 0;
    for file in golden.lines().skip(1).filter_map(|line| line.split('\t').next()) {
        let bytes = fs::read(corpus.join("ofx").join(file)).unwrap();
        let Ok(text) = String::from_utf8(bytes.clone()) else { continue };
        count += 1;
        let expected = read(&bytes, &Options::default());
        let lines = text.replace("\r\n", "\n").replace('\r', "\n");
        for line_end in ["\r", "\n", "\r\n"] {
            let rewritten = lines.replace('\n', line_end);
            assert_eq!(read(rewritten.as_bytes(), &Options::default()), expected, "{file} {line_end:?}");
            let wide: Vec<u8> =
                "\u{feff}".encode_utf16().chain(rewritten.encode_utf16()).flat_map(u16::to_le_bytes).collect();
            assert_eq!(read(&wide, &Options::default()), expected, "{file} in UTF-16");
        }
    }
    assert!(count >= OFX_SAMPLES_MIN / 2, "{count} samples");
}
