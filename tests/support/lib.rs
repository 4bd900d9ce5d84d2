//! The test harness: the real server on a free port, PostgreSQL with an empty database for each test, and a client with
//! assertions.
//!
//! ```no_run
//! use finance_tests::TestApp;
//! use serde_json::json;
//!
//! let app = TestApp::start();
//! let ana = app.user("ana");
//! ana.post("/api/categories", json!({ "name": "Casa" })).created();
//! ```
#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a test that cannot go on stops")]

mod app;
mod citus;
mod client;
mod clock;
mod corpus;
mod curve;
mod database;
mod eventually;
mod gzip;
mod households;
mod ledger;
mod mailbox;
mod multipart;
mod node;
mod ofx;
mod prepared;
mod program;
mod push;
mod queries;
mod rates;
mod receiver;
mod replication;
mod reused;
mod scratch;
mod skipped;
mod statements;
mod sums;
mod totp;

pub use app::{PASSWORD, PASSWORD_HASH, TOKEN_SECRET, TestApp, rows};
pub use citus::Citus;
pub use client::{Client, Method, Reply};
pub use clock::FakeClock;
pub use corpus::corpus;
pub use database::admin_url;
pub use eventually::{EVENTUALLY_MAX, eventually, eventually_or};
pub use gzip::gzip;
pub use households::{Example, ExampleRow, FoundSeries, Score, TrueSeries, example, score};
pub use ledger::{cents, id, money, signed_cents};
pub use mailbox::{Mailbox, ReceivedMail};
pub use multipart::Form;
pub use node::run_node;
pub use ofx::{OfxRow, ofx};
pub use prepared::{migrated, with_user};
pub use program::{Program, finance_binary, is_restarted, kill, postmaster};
pub use push::{Device, PUSH_KEY, Pushed, channels, public_push_key};
pub use rates::FakeRates;
pub use receiver::{Received, Receiver};
pub use replication::{Server, urls};
pub use scratch::ScratchDir;
pub use skipped::{notice, skipped};
pub use statements::signed_sum;
pub use sums::wrong_sums;
pub use totp::totp;
