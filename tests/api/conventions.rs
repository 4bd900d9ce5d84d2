//! Conventions of all routes: request ids, problems, headers, and the formats of values.

mod bodies;
mod headers;
mod routing;
mod values;

use finance_tests::{Client, Reply};
use ureq::http::Method;

/// Sends a raw body.
fn raw(client: &Client, path: &str, content_type: Option<&str>, body: impl Into<Vec<u8>>) -> Reply {
    client.send(Method::POST, path, content_type, body.into())
}
