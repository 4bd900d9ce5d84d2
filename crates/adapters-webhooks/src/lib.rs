//! Sends the deliveries of webhooks.
//!
//! - `sender.rs`: sends one delivery as one signed request that follows no redirect.
//! - `resolver.rs`: resolves names and checks their addresses. The check is part of the resolution, so that the request goes to
//!   an address that was checked.
//! - `deliverer.rs`: the threads that deliver, one turn of one profile at a time on each thread.

mod deliverer;
mod resolver;
mod sender;

pub use deliverer::{DELIVERIES_AT_ONCE_MAX, Deliverer};
pub use sender::HttpSender;
