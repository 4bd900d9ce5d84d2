//! The JSON API: routes, views, errors, tokens and the OpenAPI document. The only crate that knows JSON and status codes.
//!
//! - `routes/`: a file for each noun of the domain, with its handlers, bodies and views. A handler reads the request
//!   into a domain input, runs one use case through [`Service`], and turns the result into a view.
//! - `extract/`: extractors of requests: JSON bodies, query parameters, `Idempotency-Key`, the caller.
//! - `middleware/`: what wraps every request: the access log, time limits, the client's address, authentication.
//! - `service.rs`: what handlers share. `fair_queue.rs` divides threads (`blocking.rs`) and memory (`permits.rs`) fairly between profiles.
//! - `openapi.rs`: the only list of routes. `problem.rs`: the only table of errors. `views.rs`: how values are written.

mod authenticator;
mod banks;
mod blocking;
mod changes;
mod codes;
mod deadline;
mod devices;
mod display;
mod durations;
mod entity_tags;
mod extract;
mod fair_queue;
mod hs256;
mod internal_client;
mod known_tokens;
mod last_backup;
mod login_tokens;
mod metrics;
mod middleware;
mod openapi;
mod page;
pub mod passwords;
mod permits;
mod problem;
mod read_deadline;
mod readiness;
mod request_clock;
mod request_id;
mod routes;
mod secrets;
mod server;
mod service;
mod stream;
mod unrouted;
mod views;
mod words;

pub use banks::Bank;
pub use last_backup::LastBackup;
pub use login_tokens::{LoginTokens, SecretTooShort};
pub use metrics::{Metrics, MetricsListener, Observed};
pub use middleware::real_ip::TrustedProxies;
pub use openapi::document as openapi_document;
pub use routes::auth::AUDIT;
pub use routes::export;
pub use routes::imports::confirm::left_out_row;
pub use routes::imports::preview::{file_statements, payment_texts, statement_row};
pub use secrets::draw_invitation;
pub use server::{CONNECTIONS_MAX, Pages, ServerOptions, serve};
pub use service::{Service, ServiceParts};
