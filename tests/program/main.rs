//! Tests of the program itself.
#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a test that cannot go on stops")]

mod backup;
mod crafted_backups;
mod crash;
mod demo;
mod documents;
mod health;
mod hostile;
mod household;
mod lifecycle;
mod operation;
mod outcome;
mod ownership;
mod secrets;
mod start;
mod upgrade;
mod users;
mod yield_provider;
