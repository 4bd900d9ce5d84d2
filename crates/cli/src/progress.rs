//! The progress of a long command, shown on a terminal only.

use std::io::{self, IsTerminal, Read, Write};
use std::time::{Duration, Instant};

/// How often the line is redrawn. A command that ends earlier shows no progress.
const INTERVAL: Duration = Duration::from_millis(100);
/// The width of the bar.
const BAR_CHARS: u64 = 30;

/// Passes bytes on, and shows how many.
pub(crate) struct Progress<T> {
    inner: T,
    what: &'static str,
    total: Option<u64>,
    bytes: u64,
    shown_at: Instant,
    is_told: bool,
    is_shown: bool,
}

impl<T> Progress<T> {
    /// Shows the progress of `what`: a bar if the total is known, otherwise the number of bytes.
    pub(crate) fn new(inner: T, what: &'static str, total: Option<u64>) -> Self {
        Progress {
            inner,
            what,
            total,
            bytes: 0,
            shown_at: Instant::now(),
            is_told: false,
            is_shown: io::stderr().is_terminal(),
        }
    }

    /// The wrapped writer.
    pub(crate) fn inner(&self) -> &T {
        &self.inner
    }

    fn advance(&mut self, bytes: usize) {
        self.bytes += bytes as u64;
        if self.is_shown && self.shown_at.elapsed() >= INTERVAL {
            eprint!("\r{}", line(self.what, self.bytes, self.total));
            self.shown_at = Instant::now();
            self.is_told = true;
        }
    }
}

impl<T> Drop for Progress<T> {
    /// Ends the line.
    fn drop(&mut self) {
        if self.is_told {
            eprintln!("\r{}", line(self.what, self.bytes, self.total));
        }
    }
}

/// The line on the terminal.
fn line(what: &str, bytes: u64, total: Option<u64>) -> String {
    let (whole, tenth) = (bytes / 1_000_000, bytes % 1_000_000 / 100_000);
    match total {
        Some(total) if total > 0 => {
            let done = (bytes.min(total) * BAR_CHARS / total) as usize;
            let rest = BAR_CHARS as usize - done;
            format!("{what} [{}{}] {:>3} %", "#".repeat(done), "-".repeat(rest), bytes.min(total) * 100 / total)
        }
        _ => format!("{what} {whole}.{tenth} MB"),
    }
}

impl<T: Write> Write for Progress<T> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.inner.write(bytes)?;
        self.advance(count);
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

impl<T: Read> Read for Progress<T> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.advance(count);
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_fills_up_and_bytes_are_counted_without_one() {
        let empty = "-".repeat(30);
        assert_eq!(line("restoring", 0, Some(200)), format!("restoring [{empty}]   0 %"));
        let half = format!("{}{}", "#".repeat(15), "-".repeat(15));
        assert_eq!(line("restoring", 100, Some(200)), format!("restoring [{half}]  50 %"));
        assert_eq!(line("restoring", 300, Some(200)), format!("restoring [{}] 100 %", "#".repeat(30)));
        assert_eq!(line("writing", 12_345_678, None), "writing 12.3 MB");
    }
}
