//! Black-box tests of the API, over HTTP.
#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a test that cannot go on stops")]

mod accounts;
mod auth;
mod bill_totals;
mod card_year;
mod categories;
mod conventions;
mod corpus;
mod credit_bills;
mod cross_origin;
mod dashboard;
mod export;
mod fairness;
mod gamification;
mod health;
mod hostile;
mod household;
mod idempotency;
mod imports;
mod isolation;
mod openapi;
mod pending_bills;
mod recurring;
mod settings;
mod time_limits;
mod transactions;
mod transfers;
mod yields;
