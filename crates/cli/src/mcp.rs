//! `finance mcp`: the tools of assistants over standard input and output, with a token.

use std::time::Duration;

use anyhow::{Context as _, Result, anyhow, bail};
use finance_mcp::{ANSWER_BYTES_MAX, Api, ApiAnswer, ApiMethod, ApiRequest, Unreachable, serve_stdio};
use ureq::http::Method;

use crate::client::{Client, Extras};
use crate::configuration::Configuration;

/// The wait before a request is sent again after its answer was lost.
const RETRY_INTERVAL: Duration = Duration::from_secs(1);

/// Serves one assistant until standard input ends.
pub(crate) fn serve(configuration: &Configuration) -> Result<()> {
    let Some(client) = Client::configured(configuration)? else {
        bail!(
            "FINANCE_TOKEN or FINANCE_TOKEN_FILE is required: a token with the scope read, or write to have it change things"
        );
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().context("threads")?;
    let served = runtime.block_on(serve_stdio(Service(client))).map_err(|error| anyhow!(error));
    // A request that nobody waits for any more must not keep the program running.
    runtime.shutdown_background();
    served
}

/// The service, accessed with the token.
#[derive(Clone)]
struct Service(Client);

impl Api for Service {
    async fn send(&self, request: ApiRequest) -> Result<ApiAnswer, Unreachable> {
        let client = self.0.clone();
        let task = tokio::task::spawn_blocking(move || {
            // What has no key only reads.
            send(&client, &request).or_else(|_| {
                std::thread::sleep(RETRY_INTERVAL);
                send(&client, &request)
            })
        });
        match task.await {
            Ok(Ok(answer)) => Ok(answer),
            Ok(Err(error)) => Err(Unreachable(format!("The service cannot be reached: {error:#}."))),
            Err(error) => Err(Unreachable(format!("The request was given up: {error}."))),
        }
    }
}

fn send(client: &Client, request: &ApiRequest) -> Result<ApiAnswer> {
    let method = match request.method {
        ApiMethod::Get => Method::GET,
        ApiMethod::Post => Method::POST,
        ApiMethod::Put => Method::PUT,
    };
    let extras = Extras {
        body: request.body.as_ref().map(|body| ("application/json", body.clone().into_bytes())),
        idempotency_key: request.idempotency_key.as_deref(),
        answer_bytes_max: Some(ANSWER_BYTES_MAX as u64),
        timeout: None,
    };
    let answer = client.send(&method, &request.path, extras)?;
    Ok(ApiAnswer { status: answer.status, has_next_page: answer.has_next_page, body: answer.body })
}
