//! Tests of the workspace: imports, external programs, the schema, and row-level security.
#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a test that cannot go on stops")]

mod commit;
mod features;
mod history;
mod layering;
mod leaner_rows;
mod makers;
mod minimal_system;
mod oldest_rust;
mod ownership;
mod partitions;
mod rls;
mod schema;
mod waits;
