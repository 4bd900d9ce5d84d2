//! Black-box tests of the API, over HTTP.

mod accounts;
mod bill_totals;
mod categories;
mod dashboard;
mod recurring;
mod settings;
mod transfers;
mod yields;
