//! Services in separate processes. Their clocks and rates follow those of a test.
//!
//! With `FINANCE_TESTS_NODES=2` every [`TestApp`](crate::TestApp) is two such processes on one database, and a
//! [`Client`](crate::Client) alternates between them. `just nodes` runs the tests of the API in this way.

use std::io::{BufRead, BufReader, Write};
use std::net::SocketAddr;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Arc, Mutex};

use finance_domain::yields::{DayCount, Series};
use time::{Date, Duration, OffsetDateTime};

use crate::app::{Parts, open_usual, serve};
use crate::clock::FakeClock;
use crate::program::profile_folder;
use crate::rates::FakeRates;

/// The variable with the number of processes of a test's service. Without it, the service runs in the process of the test.
const NODES: &str = "FINANCE_TESTS_NODES";

/// The number of processes. 0 if the variable is not set.
pub(crate) fn count() -> usize {
    std::env::var(NODES).ok().and_then(|count| count.parse().ok()).unwrap_or(0)
}

/// A service in a separate process. Dropping this kills the process.
#[derive(Debug)]
pub(crate) struct Node {
    child: Child,
    pipe: Mutex<(ChildStdin, BufReader<ChildStdout>)>,
    pub(crate) address: SocketAddr,
}

impl Node {
    /// Starts a node, and waits until it listens.
    pub(crate) fn start(database_url: &str, day_count: DayCount) -> Arc<Self> {
        // Cargo builds the programs of a package before it runs the tests of the package.
        let program = profile_folder().join("finance-test-node");
        let mut child = Command::new(program)
            .args([database_url, day_count_word(day_count)])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the node starts");
        let stdin = child.stdin.take().expect("its standard input");
        let mut stdout = BufReader::new(child.stdout.take().expect("its standard output"));
        let mut line = String::new();
        stdout.read_line(&mut line).expect("a line");
        let address = line.trim().parse().unwrap_or_else(|_| panic!("the node did not listen: {line:?}"));
        Arc::new(Node { child, pipe: Mutex::new((stdin, stdout)), address })
    }

    /// Sends a command to the node, and waits for its answer.
    pub(crate) fn tell(&self, order: &str) -> String {
        let mut pipe = self.pipe.lock().unwrap();
        writeln!(pipe.0, "{order}").and_then(|()| pipe.0.flush()).expect("the node lives");
        let mut answer = String::new();
        pipe.1.read_line(&mut answer).expect("the node lives");
        answer.trim().to_string()
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn day_count_word(day_count: DayCount) -> &'static str {
    match day_count {
        DayCount::Calendar => "calendar",
        DayCount::Business => "business",
    }
}

/// The program of a node: `finance-test-node DATABASE_URL calendar|business`. It executes the commands on its standard input
/// until the input ends.
pub fn run_node() {
    let mut arguments = std::env::args().skip(1);
    let database_url = arguments.next().expect("a database");
    let day_count = match arguments.next().as_deref() {
        Some("business") => DayCount::Business,
        _ => DayCount::Calendar,
    };
    let parts = Parts::new(day_count);
    let (clock, rates) = (Arc::clone(&parts.clock), Arc::clone(&parts.rates));
    let served = serve(Arc::new(open_usual(&database_url)), parts, |options| options);
    println!("{}", served.address);
    for order in std::io::stdin().lines().map_while(Result::ok) {
        println!("{}", obey(&order, &clock, &rates));
    }
}

fn obey(order: &str, clock: &FakeClock, rates: &FakeRates) -> String {
    let day = |julian: &str| Date::from_julian_day(julian.parse().expect("a day")).expect("a day");
    let words: Vec<&str> = order.split(' ').collect();
    match words[..] {
        ["today", julian] => clock.set_today(day(julian)),
        ["advance", seconds] => clock.advance(Duration::seconds_f64(seconds.parse().expect("seconds"))),
        ["publish", code, julian, percent] => {
            let series = Series::ALL.into_iter().find(|series| series.code().to_string() == code);
            rates.publish_of(series.expect("a series"), day(julian), percent);
        }
        ["asked"] => return rates.requests().to_string(),
        _ => panic!("a node cannot {order}"),
    }
    OffsetDateTime::now_utc().to_string()
}
