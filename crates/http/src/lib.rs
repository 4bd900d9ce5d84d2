//! The JSON API over the domain: routes, views, errors, tokens and the OpenAPI document.
//!
//! The only crate that knows JSON and status codes.
//!
//! - `routes/`: a file for each noun of the domain, with its handlers, bodies and views. A handler reads the request
//!   into a domain input, runs one use case through [`Service`], and turns the result into a view.
//! - `extract/`: what reads a request: JSON bodies, query parameters, `Idempotency-Key`, the caller.
//! - `middleware/`: what every request passes: log, time limits, the client's address, the token.
//! - `service.rs`: what handlers share. `blocking.rs` and `permits.rs` share it fairly between profiles.
//! - `openapi.rs` is the one list of routes, `problem.rs` the one table of errors, `views.rs` how values leave.

mod blocking;
mod durations;
mod extract;
mod hs256;
mod metrics;
mod middleware;
mod openapi;
mod page;
pub mod passwords;
mod permits;
mod problem;
mod request_id;
mod routes;
mod server;
mod service;
mod stream;
mod tokens;
mod views;
mod words;

pub use metrics::{Metrics, MetricsListener, Observed};
pub use middleware::real_ip::TrustedProxies;
pub use openapi::document as openapi_document;
pub use routes::auth::AUDIT;
pub use routes::export;
pub use server::{CONNECTIONS_MAX, ServerOptions, serve};
pub use service::{Service, ServiceParts};
pub use tokens::{SecretTooShort, Tokens};
