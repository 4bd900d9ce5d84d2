//! Black-box tests of the API, over HTTP.
#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a test that cannot go on stops")]

mod card_year;
mod categories;
mod corpus;
mod credit_bills;
mod imports;
mod pending_bills;
