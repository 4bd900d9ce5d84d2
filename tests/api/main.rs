//! Black-box tests of the API, over HTTP.
#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a test that cannot go on stops")]

mod accounts;
mod bill_totals;
mod categories;
mod dashboard;
mod recurring;
mod settings;
mod transfers;
mod yields;
