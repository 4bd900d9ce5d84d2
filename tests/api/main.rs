//! Black-box tests of the API, over HTTP.
#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a test that cannot go on stops")]

mod auth;
mod categories;
mod conventions;
mod household;
mod isolation;
mod openapi;
mod transactions;
