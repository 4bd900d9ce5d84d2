//! Sends the deliveries of webhooks.
//!
//! - `sender.rs`: one delivery, signed, as one request that follows no redirect.
//! - `resolver.rs`: names, whose addresses are checked where they are resolved, so that what is connected to is what was
//!   checked.
//! - `deliverer.rs`: the threads that take turns at the profiles.

mod deliverer;
mod resolver;
mod sender;

pub use deliverer::{DELIVERIES_AT_ONCE_MAX, Deliverer};
pub use sender::HttpSender;
