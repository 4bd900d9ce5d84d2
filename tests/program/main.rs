//! Tests of the program itself.
#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a test that cannot go on stops")]

mod backup;
mod crafted_backups;
mod crash;
mod documents;
mod health;
mod household;
mod lifecycle;
mod operation;
mod outcome;
mod ownership;
mod secrets;
mod soak;
mod start;
mod upgrade;
mod users;
mod yield_provider;
