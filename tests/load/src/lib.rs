//! Load on the service: the soak, and in `bin/` the measurements that `just bench`, `just bench-readers` and
//! `just soak` run.
#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a measurement that cannot go on stops")]

mod soak;

pub use soak::{Deliveries, SoakPlan, SoakReport, soak};
