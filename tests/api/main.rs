//! Black-box tests of the API, over HTTP.

mod categories;
mod gamification;
