//! Tests of the program itself.
#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a test that cannot go on stops")]

mod crash;
mod soak;
mod start;
mod yield_provider;
