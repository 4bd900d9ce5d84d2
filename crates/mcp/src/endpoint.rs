//! The protocol over HTTP: the Streamable HTTP transport, without sessions. A message is sent by POST, and its answer is JSON.

use std::sync::Arc;

use bytes::Bytes;
use http::header::{ACCEPT, CONTENT_TYPE, HeaderName, HeaderValue};
use http::{Method, Request};
use http_body_util::{BodyExt, Full};
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};

use crate::api::Api;
use crate::server::Assistant;

/// The most bytes of a message. The longest message sets the categories of a hundred transactions.
pub const MESSAGE_BYTES_MAX: usize = 64 * 1024;
/// The headers of a message that the protocol defines.
pub const PROTOCOL_HEADERS: [&str; 3] = ["mcp-protocol-version", "mcp-method", "mcp-name"];
/// Other headers that the transport reads.
const USUAL_HEADERS: [&str; 3] = ["content-type", "origin", "host"];

/// A message that was sent by POST.
#[derive(Debug)]
pub struct HttpRequest<'a> {
    /// The headers, with names in lower case.
    pub headers: Vec<(&'a str, &'a [u8])>,
    /// The message.
    pub body: Vec<u8>,
    /// The origins of web pages that may call. A request without an origin does not come from a web page.
    pub origins: &'a [String],
}

/// The answer to a message.
#[derive(Debug)]
pub struct HttpAnswer {
    /// The HTTP status.
    pub status: u16,
    /// Whether the body is a JSON-RPC message. Otherwise it is plain text or empty.
    pub is_json: bool,
    /// The body.
    pub body: Vec<u8>,
}

/// Answers a message with the tools that use an API.
pub async fn answer(api: impl Api, request: HttpRequest<'_>) -> HttpAnswer {
    let mut config = StreamableHttpServerConfig::default();
    config.legacy_session_mode = false;
    config.json_response = true;
    config.sse_keep_alive = None;
    config.sse_retry = None;
    config.max_request_body_bytes = MESSAGE_BYTES_MAX;
    // The service does not know the host names under which proxies publish it. A page that uses DNS rebinding sends its own
    // origin, and has no token.
    let config = config
        .disable_allowed_hosts()
        .with_allowed_origins(request.origins.iter().map(|origin| with_port(origin)))
        .enforce_origin_validation();
    let service = StreamableHttpService::new(
        move || Ok(Assistant::new(api.clone())),
        Arc::new(NeverSessionManager::default()),
        config,
    );
    let mut message = Request::new(Full::<Bytes>::from(request.body));
    *message.method_mut() = Method::POST;
    for name in PROTOCOL_HEADERS.into_iter().chain(USUAL_HEADERS) {
        let found = request.headers.iter().find(|(known, _)| *known == name);
        if let Some(value) = found.and_then(|(_, value)| HeaderValue::from_bytes(value).ok()) {
            message.headers_mut().insert(HeaderName::from_static(name), value);
        }
    }
    // Answers are JSON for all clients, so the formats that a client accepts do not matter.
    message.headers_mut().insert(ACCEPT, HeaderValue::from_static("application/json, text/event-stream"));
    let (head, body) = service.handle(message).await.into_parts();
    let kind = head.headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let is_json = kind.starts_with("application/json");
    let body = match body.collect().await {
        Ok(body) => body.to_bytes().to_vec(),
        Err(never) => match never {},
    };
    HttpAnswer { status: head.status.as_u16(), is_json, body }
}

/// An origin with its port, because the SDK lets an origin without a port match every port.
fn with_port(origin: &str) -> String {
    let Some((scheme, host)) = origin.split_once("://") else { return origin.to_string() };
    let has_port = host.rsplit_once(':').is_some_and(|(_, port)| port.bytes().all(|byte| byte.is_ascii_digit()));
    match (has_port, scheme) {
        (true, _) => origin.to_string(),
        (false, "https") => format!("{origin}:443"),
        (false, _) => format!("{origin}:80"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_origin_is_of_one_port() {
        assert_eq!(with_port("https://finance.example"), "https://finance.example:443");
        assert_eq!(with_port("http://finance.example"), "http://finance.example:80");
        assert_eq!(with_port("http://[::1]:8080"), "http://[::1]:8080");
        assert_eq!(with_port("http://[::1]"), "http://[::1]:80");
    }
}
