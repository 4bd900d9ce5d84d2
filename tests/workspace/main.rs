//! Tests of the workspace.
#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a test that cannot go on stops")]

mod layering;
mod rls;
mod schema;
