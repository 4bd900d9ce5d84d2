//! A client of the API: requests, and assertions on their answers.

use std::collections::HashSet;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use finance_domain::Caller;
use serde_json::Value;
use ureq::Agent;
use ureq::http::Request;

pub use ureq::http::Method;

use crate::multipart::Form;

/// How long an idle connection is used again. The service closes it after five seconds, perhaps while a request is sent.
const IDLE_MAX: Duration = Duration::from_secs(2);

/// A client with or without a token.
#[derive(Clone)]
pub struct Client {
    agent: Agent,
    addresses: Vec<SocketAddr>,
    /// The number of requests so far. Each request goes to the next address.
    turn: Arc<AtomicUsize>,
    token: Option<String>,
    caller: Option<Caller>,
}

impl Client {
    pub(crate) fn new(addresses: &[SocketAddr], token: Option<String>, caller: Option<Caller>) -> Self {
        let agent = Agent::config_builder()
            .http_status_as_error(false)
            .timeout_global(Some(Duration::from_secs(60)))
            .max_idle_age(IDLE_MAX)
            .proxy(None)
            .max_redirects(0)
            .allow_non_standard_methods(true)
            .build()
            .into();
        Client { agent, addresses: addresses.to_vec(), turn: Arc::default(), token, caller }
    }

    /// A client of an address, such as the address of a program under test.
    pub fn of(address: SocketAddr) -> Self {
        Client::new(&[address], None, None)
    }

    /// A client that sends its requests to several services in turn.
    pub fn of_all(addresses: &[SocketAddr]) -> Self {
        Client::new(addresses, None, None)
    }

    /// The same client with another token.
    pub fn with_token(&self, token: &str) -> Self {
        Client { token: Some(token.to_string()), ..self.clone() }
    }

    /// The caller of the token, for a client that [`TestApp::user`](crate::TestApp::user) created.
    pub fn caller(&self) -> Caller {
        self.caller.expect("the client of a user")
    }

    /// The token.
    pub fn token(&self) -> &str {
        self.token.as_deref().expect("a client with a token")
    }

    /// `GET`.
    pub fn get(&self, path: &str) -> Reply {
        self.send(Method::GET, path, None, Vec::new())
    }

    /// `POST` with a JSON body.
    pub fn post(&self, path: &str, body: Value) -> Reply {
        self.send(Method::POST, path, Some("application/json"), body.to_string().into_bytes())
    }

    /// `POST` without a body.
    pub fn post_nothing(&self, path: &str) -> Reply {
        self.send(Method::POST, path, None, Vec::new())
    }

    /// `PUT` with a JSON body.
    pub fn put(&self, path: &str, body: Value) -> Reply {
        self.send(Method::PUT, path, Some("application/json"), body.to_string().into_bytes())
    }

    /// `DELETE`.
    pub fn delete(&self, path: &str) -> Reply {
        self.send(Method::DELETE, path, None, Vec::new())
    }

    /// `POST` of a multipart form.
    pub fn post_form(&self, path: &str, form: Form) -> Reply {
        let (content_type, body) = form.build();
        self.send(Method::POST, path, Some(&content_type), body)
    }

    /// Previews a file without options.
    pub fn preview(&self, file: &[u8]) -> Reply {
        self.post_form("/api/import/preview", Form::new().file("statement", file))
    }

    /// Previews a file for an account, and confirms all rows of the preview.
    pub fn import(&self, account_id: Option<i64>, file: &[u8]) -> Reply {
        let mut form = Form::new().file("statement", file);
        if let Some(account_id) = account_id {
            form = form.text("account_id", &account_id.to_string());
        }
        let preview = self.post_form("/api/import/preview", form).ok();
        self.post(
            "/api/import/confirm",
            serde_json::json!({
                "account_id": account_id, "file_name": "statement", "format": preview["format"], "rows": preview["rows"],
            }),
        )
    }

    /// Sends any request.
    pub fn send(&self, method: Method, path: &str, content_type: Option<&str>, body: Vec<u8>) -> Reply {
        self.send_with(method, path, content_type, body, &[])
    }

    /// Sends any request with additional headers.
    pub fn send_with(
        &self,
        method: Method,
        path: &str,
        content_type: Option<&str>,
        body: Vec<u8>,
        headers: &[(&str, &str)],
    ) -> Reply {
        let answered = self.try_send(method.clone(), path, content_type, body, headers);
        answered.unwrap_or_else(|error| panic!("{method} {path}: {error}"))
    }

    /// Sends any request to a service that may be killed before it answers.
    ///
    /// # Errors
    ///
    /// If the connection fails.
    pub fn try_send(
        &self,
        method: Method,
        path: &str,
        content_type: Option<&str>,
        body: Vec<u8>,
        headers: &[(&str, &str)],
    ) -> Result<Reply, ureq::Error> {
        let turn = self.turn.fetch_add(1, Ordering::Relaxed);
        let address = self.addresses[turn % self.addresses.len()];
        let mut request = Request::builder().method(method.clone()).uri(format!("http://{address}{path}"));
        if let Some(token) = &self.token {
            request = request.header("Authorization", format!("Bearer {token}"));
        }
        if let Some(content_type) = content_type {
            request = request.header("Content-Type", content_type);
        }
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let has_body = !body.is_empty() || content_type.is_some();
        let answered = if has_body {
            self.agent.run(request.body(body).expect("a request"))
        } else {
            self.agent.run(request.body(()).expect("a request"))
        };
        let what = format!("{method} {path}");
        let mut response = answered?;
        let bytes = response.body_mut().with_config().limit(64 << 20).read_to_vec()?;
        let headers = response
            .headers()
            .iter()
            .map(|(name, value)| (name.to_string(), value.to_str().unwrap_or_default().to_string()))
            .collect();
        Ok(Reply { what, status: response.status().as_u16(), headers, bytes })
    }
}

/// The codes of field errors in the OpenAPI document.
static FIELD_ERROR_CODES: LazyLock<HashSet<String>> = LazyLock::new(|| {
    let document: Value = serde_json::from_str(finance_http::openapi_document()).expect("the document");
    let codes = document["components"]["schemas"]["FieldErrorCode"]["enum"].as_array().expect("codes");
    codes.iter().map(|code| code.as_str().expect("a code").to_string()).collect()
});

/// An answer.
#[derive(Debug)]
pub struct Reply {
    what: String,
    /// The status.
    pub status: u16,
    headers: Vec<(String, String)>,
    /// The body.
    pub bytes: Vec<u8>,
}

impl Reply {
    /// The body as JSON.
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.bytes)
            .unwrap_or_else(|error| panic!("{}: {error} in {}", self.what, String::from_utf8_lossy(&self.bytes)))
    }

    /// A header.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }

    /// The path of the next page, if the answer links to one.
    pub fn next(&self) -> Option<&str> {
        let link = self.header("Link")?;
        let path = link.strip_prefix('<').and_then(|link| link.strip_suffix(">; rel=\"next\""));
        Some(path.unwrap_or_else(|| panic!("{}: Link: {link}", self.what)))
    }

    /// Expects a status and returns the body.
    #[track_caller]
    pub fn expect(self, status: u16) -> Value {
        assert_eq!(self.status, status, "{}: {}", self.what, String::from_utf8_lossy(&self.bytes));
        if self.bytes.is_empty() { Value::Null } else { self.json() }
    }

    /// Expects 200.
    #[track_caller]
    pub fn ok(self) -> Value {
        self.expect(200)
    }

    /// Expects 201.
    #[track_caller]
    pub fn created(self) -> Value {
        self.expect(201)
    }

    /// Expects 204 and an empty body.
    #[track_caller]
    pub fn gone(self) {
        assert_eq!(self.expect(204), Value::Null);
    }

    /// Expects a problem with the given status and code.
    #[track_caller]
    pub fn problem(self, status: u16, code: &str) -> Value {
        assert_eq!(self.header("Content-Type"), Some("application/problem+json"), "{self:?}");
        let id = self.header("X-Request-Id").map(str::to_string);
        let problem = self.expect(status);
        assert_eq!(problem["code"], code, "{problem}");
        assert_eq!(problem["status"], status, "{problem}");
        assert_eq!(problem["type"], "about:blank", "{problem}");
        assert_eq!(problem["request_id"].as_str(), id.as_deref(), "{problem}");
        for error in problem["errors"].as_array().into_iter().flatten() {
            let is_listed = error["code"].as_str().is_some_and(|code| FIELD_ERROR_CODES.contains(code));
            assert!(is_listed && error["params"].is_object() && error["message"].is_string(), "{problem}");
        }
        problem
    }

    /// Expects a validation problem about exactly these fields, in any order.
    #[track_caller]
    pub fn invalid(self, fields: &[&str]) -> Value {
        let problem = self.problem(422, "ErrValidation");
        let errors = problem["errors"].as_array().expect("errors");
        let mut named: Vec<&str> = errors.iter().map(|error| error["field"].as_str().expect("a field")).collect();
        let mut expected = fields.to_vec();
        named.sort_unstable();
        expected.sort_unstable();
        assert_eq!(named, expected, "{problem}");
        problem
    }
}
