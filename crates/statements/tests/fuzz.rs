//! A few thousand mutated files. `examples/fuzz.rs` runs for a given time.

#[path = "fuzz/mutation.rs"]
mod mutation;

use cpu_time::ThreadTime;
use finance_statements::{Error, Format, Options, read, read_while};
use mutation::{
    COSTLY, Chance, Kind, blank_texts, costly, hundred_sheets, long, mutated, options, ordinary, seeds,
    thousands_of_ends, violation,
};
use proptest::prelude::*;

const FILES: u64 = 3_000;
const LONG_FILES: u64 = 20;
const LONG_FILE_BYTES: usize = 64 * 1024;

fn read_mutated(format: Kind) {
    let mut with_rows = 0;
    for seed in 0..FILES {
        let mut chance = Chance::new(seed);
        let file =
            if seed < LONG_FILES { long(format, &mut chance, LONG_FILE_BYTES) } else { mutated(format, &mut chance) };
        let options = options(&mut chance);
        if let Ok(statement) = read(&file, &options) {
            with_rows += usize::from(!statement.rows.is_empty());
            let broken = violation(&file, &options, &statement);
            assert_eq!(broken, None, "seed {seed}, {options:?}: {}", String::from_utf8_lossy(&file));
            for account in statement.accounts.into_iter().map(|statement| statement.account) {
                let numbers = [account.bank, account.branch, account.number].into_iter().flatten();
                assert!(numbers.into_iter().all(|number| (1..=64).contains(&number.chars().count())), "seed {seed}");
            }
        }
    }
    assert!(with_rows > 20, "{with_rows} of {FILES} have rows");
}

#[test]
fn every_seed_is_a_statement_with_rows() {
    for (kind, format) in [(Kind::Ofx, Format::Ofx), (Kind::Csv, Format::Csv)] {
        for seed in seeds(kind) {
            let statement = read(seed.as_bytes(), &Options::default()).unwrap();
            assert!(statement.format == format && !statement.rows.is_empty(), "{seed}");
        }
    }
}

#[test]
fn a_spoilt_ofx_is_read_or_refused() {
    read_mutated(Kind::Ofx);
}

#[test]
fn a_spoilt_csv_is_read_or_refused() {
    read_mutated(Kind::Csv);
}

#[test]
fn a_spoilt_spreadsheet_is_read_or_refused() {
    read_mutated(Kind::Sheet);
}

/// The rows of an ordinary spreadsheet, as many as an import may have.
const ORDINARY_ROWS: usize = 50_000;
/// How often as much a costly spreadsheet may cost. All limits together allow it less than this.
const COST_MAX: u32 = 4;
/// The costly spreadsheets of each kind. `examples/fuzz.rs` makes any number of them.
const COSTLY_FILES: u64 = 2;
/// The costly spreadsheets whose reader is stopped.
const STOPPED_FILES: u64 = 10;

#[test]
fn a_small_spreadsheet_costs_no_more_than_an_ordinary_one() {
    let cost = |file: &[u8]| {
        let started = ThreadTime::now();
        let statement = read(file, &Options::default());
        (started.elapsed(), statement)
    };
    let (allowed, statement) = cost(&ordinary(ORDINARY_ROWS));
    assert_eq!(statement.map(|statement| statement.rows.len()), Ok(ORDINARY_ROWS));
    let check = &|name: &str, file: Vec<u8>| {
        let (taken, statement) = cost(&file);
        let length = file.len();
        assert!(taken < allowed * COST_MAX, "{name}: {taken:?} for {length} bytes, {allowed:?} for an ordinary one");
        let broken = statement.ok().and_then(|statement| violation(&file, &Options::default(), &statement));
        assert_eq!(broken, None, "{name}");
        length
    };
    assert!(check("a part as a hundred sheets", hundred_sheets()) < 2_000);
    assert!(check("a text of blanks", blank_texts()) < 300_000);
    check("thousands of end records", thousands_of_ends());
    std::thread::scope(|scope| {
        for (name, make) in COSTLY {
            scope.spawn(move || {
                for seed in 0..COSTLY_FILES {
                    check(&format!("{name}, seed {seed}"), make(&mut Chance::new(seed)));
                }
            });
        }
    });
}

#[test]
fn a_reader_stops_when_it_is_told_to() {
    let calls = std::cell::Cell::new(0);
    let stop = || {
        calls.set(calls.get() + 1);
        false
    };
    let mut stopped = 0;
    for seed in 0..STOPPED_FILES {
        calls.set(0);
        let file = costly(&mut Chance::new(seed));
        let result = read_while(&file, &Options::default(), &stop);
        assert!(calls.get() <= 1, "seed {seed}: it asked again");
        assert_eq!(calls.get() == 1, result == Err(Error::Stopped), "seed {seed}: {result:?}");
        stopped += calls.get();
    }
    assert!(stopped > 0, "no file is large");
    let csv = format!("Data;Loja;Valor\n{}", "31/01/2026;PADARIA;-12,34\n".repeat(20_000)).into_bytes();
    for file in [ordinary(ORDINARY_ROWS / 10), csv] {
        assert_eq!(read_while(&file, &Options::default(), &stop), Err(Error::Stopped));
    }
    let rows = "<STMTTRN><DTPOSTED>20260131<TRNAMT>-1.00<MEMO>FEIRA</STMTTRN>\n".repeat(20_000);
    let file = format!("<OFX><BANKTRANLIST>{rows}</BANKTRANLIST></OFX>");
    assert_eq!(read_while(file.as_bytes(), &Options::default(), &stop), Err(Error::Stopped));
    assert_eq!(read_while(file.as_bytes(), &Options::default(), &|| true).map(|read| read.rows.len()), Ok(20_000));
}

#[test]
fn a_spreadsheet_that_is_mutated_is_mostly_still_one() {
    let rows =
        |seed| read(&mutated(Kind::Sheet, &mut Chance::new(seed)), &Options::default()).map(|read| read.rows.len());
    let with_rows = (0..FILES).filter(|seed| rows(*seed).is_ok_and(|rows| rows > 0)).count();
    assert!(with_rows > 100, "{with_rows} of {FILES}");
}

#[test]
fn an_instalment_without_a_description_is_no_blank_and_an_instalment() {
    let file = "Data;Estabelecimento;Portador;Valor;Parcela\n10/01/2026;;ANA;R$ 8,00;3 de 10\n";
    let statement = read(file.as_bytes(), &Options::default()).unwrap();
    assert_eq!(violation(file.as_bytes(), &Options::default(), &statement), None);
}

proptest! {
    #[test]
    fn any_bytes_are_read_or_refused(file in proptest::collection::vec(any::<u8>(), 0..300), seed in any::<u64>()) {
        let options = options(&mut Chance::new(seed));
        if let Ok(statement) = read(&file, &options) {
            prop_assert_eq!(violation(&file, &options, &statement), None);
        }
    }

    #[test]
    fn any_text_is_read_or_refused(
        file in "([<>/!&;,\"\r\n-]|STMTTRN|MEMO|DTPOSTED|TRNAMT|OFX|[0-9]{1,8}|Data|Valor|\\PC){0,80}",
        seed in any::<u64>(),
    ) {
        let options = options(&mut Chance::new(seed));
        if let Ok(statement) = read(file.as_bytes(), &options) {
            prop_assert_eq!(violation(file.as_bytes(), &options, &statement), None);
        }
    }
}
