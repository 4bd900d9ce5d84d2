//! Counts the statements that this process sends to each database.

use std::collections::HashMap;
use std::sync::{LazyLock, Mutex, Once};

use diesel::connection::{Instrumentation, InstrumentationEvent, set_default_instrumentation};

/// The statements so far, by the name of the database.
static SENT: LazyLock<Mutex<HashMap<String, usize>>> = LazyLock::new(Mutex::default);

/// Counts the statements of one connection.
#[derive(Default)]
struct Counting {
    database: String,
}

impl Instrumentation for Counting {
    fn on_connection_event(&mut self, event: InstrumentationEvent<'_>) {
        match event {
            InstrumentationEvent::StartEstablishConnection { url, .. } => self.database = name(url).to_string(),
            InstrumentationEvent::StartQuery { .. } => {
                *SENT.lock().expect("the counts").entry(self.database.clone()).or_default() += 1;
            }
            _ => {}
        }
    }
}

/// The name of the database of a URL.
fn name(url: &str) -> &str {
    let path = url.split('?').next().unwrap_or_default();
    path.rsplit('/').next().unwrap_or_default()
}

/// Counts the statements of all connections that are made from now on.
pub(crate) fn count() {
    static BEGUN: Once = Once::new();
    BEGUN.call_once(|| set_default_instrumentation(|| Some(Box::<Counting>::default())).expect("no other one counts"));
}

/// The number of statements that were sent to the database of a URL so far.
pub(crate) fn sent(url: &str) -> usize {
    SENT.lock().expect("the counts").get(name(url)).copied().unwrap_or_default()
}
