//! The tools of assistants: a server of the Model Context Protocol (MCP), by its official SDK.
//!
//! A tool makes requests of the API and turns the answers into typed results of a limited size. It reaches the API through
//! [`Api`], so that the same tools serve a program that asks over the network ([`serve_stdio`]) and the service itself
//! ([`answer`]). What a tool may do is decided by the API, by the credential of each request.
//!
//! - `api.rs`: a request of the API, its answer, and the error that a client is told.
//! - `server.rs`: the protocol. `endpoint.rs` (HTTP) and `stdio.rs`: its two transports.
//! - `tools.rs`: the only list of tools. `tools/<noun>.rs`: arguments, results and requests of the tools of a noun.

mod api;
mod endpoint;
mod query;
mod server;
mod stdio;
mod tools;

pub use api::{ANSWER_BYTES_MAX, Api, ApiAnswer, ApiMethod, ApiRequest, Unreachable};
pub use endpoint::{HttpAnswer, HttpRequest, MESSAGE_BYTES_MAX, PROTOCOL_HEADERS, answer};
pub use stdio::{StdioError, serve_stdio};
