//! Sends what leaves the machine: webhooks, and notices by push and by mail.
//!
//! - `webhook.rs`: sends one delivery of a webhook as one signed request.
//! - `push.rs`: sends one notice to the push service of a device. `encryption.rs` encrypts it for the device, `vapid.rs` signs it.
//! - `mail.rs`: sends one notice to a mail server.
//! - `channels.rs`: the channels that are configured, and how their attempts ended.
//! - `agent.rs`: the HTTP client. It follows no redirect.
//! - `resolver.rs`: resolves names and checks their addresses. The check is part of the resolution, so that the request goes to
//!   an address that was checked.
//! - `deliverer.rs`: the threads that deliver, one turn of one profile at a time on each thread.

mod agent;
mod channels;
mod deliverer;
mod encryption;
mod mail;
mod push;
mod resolver;
mod vapid;
mod webhook;

pub use channels::{Attempts, Channels, OUTCOMES};
pub use deliverer::{DELIVERIES_AT_ONCE_MAX, Deliverer};
pub use mail::{Mail, MailError, MailServer, Sender};
pub use push::Push;
pub use vapid::{NoRandom, PushKey};
pub use webhook::HttpSender;
