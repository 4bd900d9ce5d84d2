//! An HTTP client of the service.

use std::net::SocketAddr;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};
use ureq::Agent;
use ureq::http::{Method, Request};

/// The time limit of a request.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(60);
const BOUNDARY: &str = "finance-demo-1b2f86c3";

/// A logged-in client.
pub(super) struct Api {
    agent: Agent,
    address: SocketAddr,
    token: String,
}

impl Api {
    pub(super) fn log_in(address: SocketAddr, name: &str, password: &str) -> Result<Self> {
        let agent =
            Agent::config_builder().http_status_as_error(false).timeout_global(Some(ANSWER_TIMEOUT)).proxy(None);
        let mut api = Api { agent: agent.build().into(), address, token: String::new() };
        let answer = api.post("/api/auth/login", &json!({ "name": name, "password": password }))?;
        api.token = answer["token"].as_str().context("an answer without a token")?.to_string();
        Ok(api)
    }

    pub(super) fn token(&self) -> &str {
        &self.token
    }

    pub(super) fn get(&self, path: &str) -> Result<Value> {
        self.send(Method::GET, path, "application/json", Vec::new())
    }

    pub(super) fn post(&self, path: &str, body: &Value) -> Result<Value> {
        self.send(Method::POST, path, "application/json", body.to_string().into_bytes())
    }

    pub(super) fn put(&self, path: &str, body: &Value) -> Result<Value> {
        self.send(Method::PUT, path, "application/json", body.to_string().into_bytes())
    }

    /// Uploads a statement of an account for a preview.
    pub(super) fn preview(&self, statement: &[u8], account_id: &Value) -> Result<Value> {
        let head = format!(
            "--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"account_id\"\r\n\r\n{account_id}\r\n\
             --{BOUNDARY}\r\nContent-Disposition: form-data; name=\"file\"; filename=\"extrato.ofx\"\r\n\
             Content-Type: application/octet-stream\r\n\r\n"
        );
        let body = [head.as_bytes(), statement, format!("\r\n--{BOUNDARY}--\r\n").as_bytes()].concat();
        self.send(Method::POST, "/api/import/preview", &format!("multipart/form-data; boundary={BOUNDARY}"), body)
    }

    fn send(&self, method: Method, path: &str, content_type: &str, body: Vec<u8>) -> Result<Value> {
        let what = format!("{method} {path}");
        let request = Request::builder()
            .method(&method)
            .uri(format!("http://{}{path}", self.address))
            .header("Authorization", format!("Bearer {}", self.token));
        let sent = if body.is_empty() {
            self.agent.run(request.body(())?)
        } else {
            self.agent.run(request.header("Content-Type", content_type).body(body)?)
        };
        let mut answer = sent.with_context(|| what.clone())?;
        let text = answer.body_mut().read_to_string().with_context(|| what.clone())?;
        if !answer.status().is_success() {
            bail!("{what}: {} {text}", answer.status());
        }
        serde_json::from_str(&text).with_context(|| what)
    }
}

/// A string of an answer; empty where it is null.
pub(super) fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
