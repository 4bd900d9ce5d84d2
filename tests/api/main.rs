//! Black-box tests of the API, over HTTP.

mod auth;
mod categories;
mod conventions;
mod household;
mod isolation;
mod openapi;
mod transactions;
