//! Tests of the program.
#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a test that cannot go on stops")]

mod add;
mod backup;
mod backups;
mod crafted_backups;
mod crash;
mod demo;
mod detect_transfers;
mod documents;
mod health;
mod hostile;
mod household;
mod import;
mod lifecycle;
mod links;
mod major_upgrade;
mod manual;
mod mcp;
mod members;
mod metrics;
mod migrate;
mod notices;
mod operation;
mod outcome;
mod ownership;
mod prepared;
mod replica;
mod secrets;
mod start;
mod superuser;
mod upgrade;
mod users;
mod webhooks;
mod yield_provider;
