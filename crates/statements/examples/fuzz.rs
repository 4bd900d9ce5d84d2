//! Reads mutated statements for a given number of seconds: `cargo run --release --example fuzz -- ofx 600`, or `csv`, `sheet`. `costly`
//! makes small spreadsheets that cost much, and a few of the others. The result says which file took longest.
//!
//! Fails if a reader panics, violates an invariant, or takes far longer than the size of a file allows. It then prints the
//! seed of the file: `-- ofx 1 SEED` repeats it.

#[path = "../tests/fuzz/mutation.rs"]
mod mutation;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use finance_statements::{Error, Options, Statement, read};
use mutation::{Chance, Kind, costly, long, mutated, options, violation};

/// One file of this many is long.
const LONG_ONE_IN: usize = 500;
const LONG_FILE_BYTES: usize = 512 * 1024;
/// All but one file of this many are costly, if costly ones are made.
const COSTLY_OF_TEN: usize = 10;
/// The time limit of a file, and of each byte: about fifty times the usual time.
const ALLOWED: Duration = Duration::from_millis(2);
const ALLOWED_NANOS_PER_BYTE: u64 = 300;
/// The time limit of a spreadsheet, which may be far larger after decompression.
const ALLOWED_FOR_SHEETS: Duration = Duration::from_millis(500);
/// A slow file is read again this often, because other programs share the caches of the processor.
const REPEATS: usize = 5;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let format = match arguments.first().map(String::as_str) {
        Some("ofx") => Kind::Ofx,
        Some("csv") => Kind::Csv,
        Some("sheet" | "costly") => Kind::Sheet,
        _ => {
            eprintln!("usage: fuzz ofx|csv|sheet|costly SECONDS [NUMBER]");
            return ExitCode::FAILURE;
        }
    };
    let number = |at: usize| arguments.get(at).and_then(|text| text.parse::<u64>().ok());
    let seconds = number(1).unwrap_or(60);
    let first = number(2).unwrap_or_else(|| {
        SystemTime::now().duration_since(UNIX_EPOCH).map_or(1, |now| now.as_secs().wrapping_mul(1_000_000_000))
    });
    let is_costly = arguments.first().is_some_and(|kind| kind == "costly");
    println!("{format}: from {first} on, {seconds} s");
    match run(format, is_costly, first, Duration::from_secs(seconds)) {
        Ok(report) => {
            println!("{report}");
            ExitCode::SUCCESS
        }
        Err(failure) => {
            eprintln!("{failure}");
            ExitCode::FAILURE
        }
    }
}

fn run(format: Kind, is_costly: bool, first: u64, time: Duration) -> Result<String, String> {
    let start = Instant::now();
    let (mut files, mut bytes, mut read_files, mut rows) = (0u64, 0u64, 0u64, 0u64);
    let mut slowest = (0.0, 0, 0);
    let mut longest = (Duration::ZERO, 0, 0);
    while start.elapsed() < time {
        let seed = first.wrapping_add(files);
        let mut chance = Chance::new(seed);
        let file = if is_costly && chance.below(COSTLY_OF_TEN) > 0 {
            costly(&mut chance)
        } else if chance.below(LONG_ONE_IN) == 0 {
            long(format, &mut chance, LONG_FILE_BYTES)
        } else {
            mutated(format, &mut chance)
        };
        let options = options(&mut chance);
        let case = |what: &str| format!("{what}\nnumber {seed}, {options:?}, {} bytes:\n{}", file.len(), shown(&file));
        let (result, mut took) =
            catch_unwind(AssertUnwindSafe(|| timed(&file, &options))).map_err(|_| case("panic"))?;
        let allowed = match format {
            Kind::Sheet => ALLOWED_FOR_SHEETS,
            _ => ALLOWED + Duration::from_nanos(ALLOWED_NANOS_PER_BYTE * file.len() as u64),
        };
        if took > allowed {
            took = (0..REPEATS).map(|_| timed(&file, &options).1).min().unwrap_or(took);
            if took > allowed {
                return Err(case(&format!("slow: {took:?}")));
            }
        }
        if took > longest.0 {
            longest = (took, seed, file.len());
        }
        let nanos_per_byte = took.as_nanos() as f64 / file.len().max(4096) as f64;
        if nanos_per_byte > slowest.0 {
            slowest = (nanos_per_byte, seed, file.len());
        }
        if let Ok(statement) = result {
            if let Some(promise) = violation(&file, &options, &statement) {
                return Err(case(&promise));
            }
            (read_files, rows) = (read_files + 1, rows + statement.rows.len() as u64);
        }
        (files, bytes) = (files + 1, bytes + file.len() as u64);
    }
    let (nanos_per_byte, seed, length) = slowest;
    let (took, longest, longest_length) = longest;
    Ok(format!(
        "{files} files, {:.0}/s, {} MB; {read_files} read with {rows} rows; slowest {nanos_per_byte:.0} ns/byte (number {seed}, {length} bytes), longest {took:?} (number {longest}, {longest_length} bytes)",
        files as f64 / start.elapsed().as_secs_f64(),
        bytes / 1_000_000,
    ))
}

/// Reads a file. Returns the processor time too, or the elapsed time if the system does not report it.
fn timed(file: &[u8], options: &Options) -> (Result<Statement, Error>, Duration) {
    let (began, used) = (Instant::now(), processor_time());
    let result = read(file, options);
    let taken = match (used, processor_time()) {
        (Some(before), Some(after)) => after.saturating_sub(before),
        _ => began.elapsed(),
    };
    (result, taken)
}

fn processor_time() -> Option<Duration> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split_whitespace().next()?.parse().ok().map(Duration::from_nanos)
}

fn shown(file: &[u8]) -> String {
    String::from_utf8_lossy(&file[..file.len().min(2000)]).into_owned()
}
