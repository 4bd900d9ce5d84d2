//! The JSON API over the domain: routes, views, errors, tokens and the OpenAPI document.
//!
//! The only crate that knows JSON and status codes. Each noun of the domain has a file of the same
//! name here. A handler parses its body into a domain value, runs one use case through
//! [`Service`], and turns the result into a view.

mod accounts;
mod addresses;
mod answers;
mod auth;
mod authentication;
mod blocking;
mod body;
mod categories;
mod credit_bills;
mod dashboard;
pub mod export;
mod gamification;
mod health;
mod idempotency;
mod imports;
mod metrics;
mod openapi;
pub mod passwords;
mod pending_bills;
mod places;
mod problems;
mod punctual;
mod query;
mod recurring;
mod requests;
mod server;
mod service;
mod settings;
mod stream;
mod tokens;
mod transactions;
mod transfers;
mod views;
mod words;

pub use addresses::TrustedProxies;
pub use auth::AUDIT;
pub use metrics::{Metrics, MetricsListener, Observed};
pub use openapi::document as openapi_document;
pub use server::{CONNECTIONS_MAX, ServerOptions, serve};
pub use service::{Service, ServiceParts};
pub use tokens::{SecretTooShort, Tokens};
