//! Tests of the workspace itself: who imports whom, and what the schema promises.

mod layering;
mod rls;
mod schema;
