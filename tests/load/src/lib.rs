//! Load on the service: the soak, the failover, and the programs in `bin/`, which `just bench`, `just bench-readers`,
//! `just soak` and `just failover` run.
#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a measurement that cannot go on stops")]

mod crowd;
mod failover;
mod notices;
pub mod processor;
mod soak;
mod turns;
mod workers;

pub use crowd::{Deliveries, Load, Outcome};
pub use failover::{Failover, FailoverPlan, FailoverReport, failover};
pub use notices::Notices;
pub use soak::{SoakPlan, SoakReport, soak};
pub use workers::soak_on_citus;
