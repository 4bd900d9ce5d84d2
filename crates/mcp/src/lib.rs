//! The tools for assistants: a server of the Model Context Protocol (MCP), built with its official SDK.
//!
//! A tool sends requests to the API and turns the answers into typed results of a limited size. It reaches the API through
//! [`Api`], so that the same tools work in a program that asks over the network ([`serve_stdio`]) and in the service itself
//! ([`answer`]). The API decides what a tool may do, by the credential of each request.
//!
//! - `api.rs`: a request to the API, its answer, and the error that is reported to a client.
//! - `server.rs`: the protocol. `endpoint.rs` (HTTP) and `stdio.rs`: its two transports.
//! - `tools.rs`: the only list of tools. `tools/<noun>.rs`: the arguments, results and requests of the tools for one noun.

mod api;
mod endpoint;
mod query;
mod server;
mod stdio;
mod tools;

pub use api::{ANSWER_BYTES_MAX, Api, ApiAnswer, ApiMethod, ApiRequest, Unreachable};
pub use endpoint::{HttpAnswer, HttpRequest, MESSAGE_BYTES_MAX, PROTOCOL_HEADERS, answer};
pub use stdio::{StdioError, serve_stdio};
