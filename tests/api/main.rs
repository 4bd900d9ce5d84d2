//! Black-box tests of the API, over HTTP.

mod card_year;
mod categories;
mod corpus;
mod credit_bills;
mod imports;
mod pending_bills;
