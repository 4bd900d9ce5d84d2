//! Tests of the program itself.
#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a test that cannot go on stops")]

mod crash;
mod documents;
mod health;
mod lifecycle;
mod operation;
mod secrets;
mod start;
mod users;
mod yield_provider;
