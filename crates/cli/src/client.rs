//! An HTTP client of the service.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};
use ureq::Agent;
use ureq::http::header::LINK;
use ureq::http::{Method, Request};

use crate::configuration::Configuration;
use crate::secret;

/// The time limit of a request: longer than the limit of any work of the service except an import.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(60);
/// The time limit of an import.
const IMPORT_TIMEOUT: Duration = Duration::from_secs(30 * 60);
/// The maximum size of an answer in bytes: larger than the preview of the largest statement.
const ANSWER_BYTES_MAX: u64 = 64 * 1024 * 1024;
/// The fixed part of the boundary between the parts of a form. Random bytes follow it.
const BOUNDARY: &str = "finance-form-";

/// A client with a token. It contains a secret, so it does not implement `Debug`.
#[derive(Clone)]
pub(crate) struct Client {
    agent: Agent,
    url: String,
    token: String,
}

/// A request beyond its method and path.
#[derive(Default)]
pub(crate) struct Extras<'a> {
    /// The body and its content type.
    pub(crate) body: Option<(&'a str, Vec<u8>)>,
    pub(crate) idempotency_key: Option<&'a str>,
    /// The maximum size of the answer in bytes, if it is lower than the default.
    pub(crate) answer_bytes_max: Option<u64>,
    pub(crate) timeout: Option<Duration>,
}

/// An answer.
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) has_next_page: bool,
    pub(crate) body: Vec<u8>,
}

/// An agent that connects to the service directly: without a proxy, and without following redirects. Every status is an answer,
/// not an error.
pub(crate) fn agent(answer_timeout: Duration) -> Agent {
    Agent::config_builder()
        .http_status_as_error(false)
        .max_redirects(0)
        .proxy(None)
        .timeout_global(Some(answer_timeout))
        .build()
        .new_agent()
}

impl Client {
    /// A client of the service at a URL without a path.
    pub(crate) fn new(url: String, token: String) -> Self {
        Client { agent: agent(ANSWER_TIMEOUT), url, token }
    }

    /// A client from the settings: `FINANCE_TOKEN` at `FINANCE_URL`, or else at `FINANCE_BIND` on this machine.
    pub(crate) fn configured(configuration: &Configuration) -> Result<Option<Self>> {
        let Some(token) = secret::token(configuration)? else { return Ok(None) };
        let url = match &configuration.url {
            Some(url) => url.clone(),
            None => format!("http://{}", reachable(configuration.bind)),
        };
        Ok(Some(Client::new(url, token)))
    }

    pub(crate) fn token(&self) -> &str {
        &self.token
    }

    pub(crate) fn get(&self, path: &str) -> Result<Value> {
        self.expect(&Method::GET, path, Extras::default())
    }

    pub(crate) fn post(&self, path: &str, body: &Value) -> Result<Value> {
        let body = Some(("application/json", body.to_string().into_bytes()));
        self.expect(&Method::POST, path, Extras { body, ..Extras::default() })
    }

    /// Like [`Client::post`], with an idempotency key.
    pub(crate) fn post_once(&self, path: &str, body: &Value, key: &str) -> Result<Value> {
        let body = Some(("application/json", body.to_string().into_bytes()));
        self.expect(&Method::POST, path, Extras { body, idempotency_key: Some(key), ..Extras::default() })
    }

    pub(crate) fn put(&self, path: &str, body: &Value) -> Result<Value> {
        let body = Some(("application/json", body.to_string().into_bytes()));
        self.expect(&Method::PUT, path, Extras { body, ..Extras::default() })
    }

    /// Confirms the rows of a preview. The answer does not list the transactions.
    pub(crate) fn confirm(&self, body: &Value) -> Result<Value> {
        let body = Some(("application/json", body.to_string().into_bytes()));
        let extras = Extras { body, timeout: Some(IMPORT_TIMEOUT), ..Extras::default() };
        self.expect(&Method::POST, "/api/import/confirm?transactions=false", extras)
    }

    /// Uploads a statement for a preview, with the fields of the form.
    pub(crate) fn preview(&self, statement: &[u8], fields: &[(&str, String)]) -> Result<Value> {
        let mut random = [0; 16];
        getrandom::fill(&mut random)?;
        let boundary: String = BOUNDARY.chars().chain(random.iter().map(|byte| char::from(b'a' + byte % 26))).collect();
        let mut form = Vec::new();
        for (name, value) in fields {
            let part = format!("--{boundary}\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n");
            form.extend_from_slice(part.as_bytes());
        }
        let head = format!(
            "--{boundary}\r\nContent-Disposition: form-data; name=\"file\"; filename=\"statement\"\r\n\
             Content-Type: application/octet-stream\r\n\r\n"
        );
        form.extend_from_slice(head.as_bytes());
        form.extend_from_slice(statement);
        form.extend_from_slice(format!("\r\n--{boundary}--\r\n").as_bytes());
        let content_type = format!("multipart/form-data; boundary={boundary}");
        let body = Some((content_type.as_str(), form));
        self.expect(&Method::POST, "/api/import/preview", Extras { body, ..Extras::default() })
    }

    /// Sends a request and expects success.
    fn expect(&self, method: &Method, path: &str, extras: Extras<'_>) -> Result<Value> {
        let what = || format!("{method} {path}");
        let answer = self.send(method, path, extras)?;
        if !(200..300).contains(&answer.status) {
            bail!("{}: {} {}", what(), answer.status, problem_text(&answer.body));
        }
        serde_json::from_slice(&answer.body).with_context(what)
    }

    /// Sends a request. An answer with an error status is not an error.
    pub(crate) fn send(&self, method: &Method, path: &str, extras: Extras<'_>) -> Result<Answer> {
        let what = || format!("{method} {}{path}", self.url);
        let mut request = Request::builder().method(method).uri(format!("{}{path}", self.url));
        if !self.token.is_empty() {
            request = request.header("Authorization", format!("Bearer {}", self.token));
        }
        if let Some(key) = extras.idempotency_key {
            request = request.header("Idempotency-Key", key);
        }
        let timeout = extras.timeout.unwrap_or(ANSWER_TIMEOUT);
        let sent = match extras.body {
            Some((content_type, body)) => {
                let request = request.header("Content-Type", content_type).body(body)?;
                self.agent.run(self.agent.configure_request(request).timeout_global(Some(timeout)).build())
            }
            None => {
                let request = request.body(())?;
                self.agent.run(self.agent.configure_request(request).timeout_global(Some(timeout)).build())
            }
        };
        let mut answer = sent.with_context(what)?;
        let has_next_page = answer.headers().contains_key(LINK);
        let bytes_max = extras.answer_bytes_max.unwrap_or(ANSWER_BYTES_MAX);
        let body = answer.body_mut().with_config().limit(bytes_max).read_to_vec().with_context(what)?;
        Ok(Answer { status: answer.status().as_u16(), has_next_page, body })
    }
}

/// The code, detail and field errors of a problem, or the body of any other answer.
fn problem_text(body: &[u8]) -> String {
    let problem: Value = serde_json::from_slice(body).unwrap_or_default();
    let Some(detail) = problem["detail"].as_str() else { return String::from_utf8_lossy(body).into_owned() };
    let errors = problem["errors"].as_array().into_iter().flatten();
    let fields = errors.map(|error| {
        format!(" {} {}.", error["field"].as_str().unwrap_or_default(), error["message"].as_str().unwrap_or_default())
    });
    format!("{} {detail}{}", problem["code"].as_str().unwrap_or_default(), fields.collect::<String>())
}

/// A string of an answer; empty if the value is not a string.
pub(crate) fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// Logs in, and returns a client with the token.
pub(crate) fn log_in(url: String, name: &str, password: &str) -> Result<Client> {
    let anyone = Client::new(url, String::new());
    let answer = anyone.post("/api/auth/login", &json!({ "name": name, "password": password }))?;
    let token = answer["token"].as_str().context("an answer without a token")?.to_string();
    Ok(Client { token, ..anyone })
}

/// The address to reach a service on this machine that may listen on all addresses.
pub(crate) fn reachable(mut bind: SocketAddr) -> SocketAddr {
    if bind.ip().is_unspecified() {
        let loopback = if bind.is_ipv4() { IpAddr::V4(Ipv4Addr::LOCALHOST) } else { IpAddr::V6(Ipv6Addr::LOCALHOST) };
        bind.set_ip(loopback);
    }
    bind
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_service_that_listens_everywhere_is_reached_by_the_loopback() {
        for (bind, expected) in [
            ("0.0.0.0:8080", "127.0.0.1:8080"),
            ("[::]:8080", "[::1]:8080"),
            ("127.0.0.1:1", "127.0.0.1:1"),
            ("192.0.2.7:80", "192.0.2.7:80"),
        ] {
            assert_eq!(reachable(bind.parse().unwrap()), expected.parse().unwrap());
        }
    }

    #[test]
    fn a_problem_is_told_by_its_code_detail_and_fields() {
        let problem =
            br#"{"code": "ErrValidation", "detail": "See errors.", "errors": [{"field": "a", "message": "is b"}]}"#;
        assert_eq!(problem_text(problem), "ErrValidation See errors. a is b.");
        assert_eq!(problem_text(b"<html>"), "<html>");
    }
}
