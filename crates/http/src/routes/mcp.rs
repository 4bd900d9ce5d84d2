//! The tools of assistants over HTTP (Model Context Protocol). Each tool calls the API's routes with the caller's credential.

use std::pin::pin;
use std::rc::Rc;

use actix_web::http::StatusCode;
use actix_web::http::header::CONTENT_TYPE;
use actix_web::web::{Payload, post, resource, to};
use actix_web::{HttpRequest, HttpResponse, Resource};
use finance_mcp::{Api, ApiAnswer, ApiRequest, HttpAnswer, MESSAGE_BYTES_MAX, Unreachable};
use tokio::sync::{mpsc, oneshot};

use crate::extract::authenticated::Authenticated;
use crate::extract::body;
use crate::internal_client::InternalClient;
use crate::problem::{Problem, Reply};
use crate::service::Shared;

/// The path of the endpoint. It is not in the OpenAPI document, because its messages belong to another protocol, which itself
/// describes the tools.
pub(crate) const PATH: &str = "/mcp";

/// What the endpoint needs, for one worker.
pub(crate) struct Endpoint {
    /// The routes that tools call.
    pub(crate) routes: InternalClient,
    /// The origins of web pages that may call the endpoint.
    pub(crate) origins: Vec<String>,
}

/// The endpoint.
pub(crate) fn endpoint() -> Resource {
    resource(PATH).route(post().to(answer)).default_service(to(only_post))
}

/// There are no sessions, so there is no stream to `GET` and nothing to `DELETE`.
async fn only_post() -> Result<&'static str, Problem> {
    Err(Problem::method_not_allowed("POST".to_string()))
}

/// A request of a tool, and the channel for its answer.
type Asked = (ApiRequest, oneshot::Sender<Result<ApiAnswer, Unreachable>>);

/// The API as tools see it. The SDK runs each tool in its own task. The task of the message makes the tools' requests, so they
/// end with it.
#[derive(Clone)]
struct InProcess {
    asking: mpsc::Sender<Asked>,
}

impl Api for InProcess {
    async fn send(&self, request: ApiRequest) -> Result<ApiAnswer, Unreachable> {
        let gone = || Unreachable("The request was cancelled.".to_string());
        let (answered, answer) = oneshot::channel();
        self.asking.send((request, answered)).await.map_err(|_| gone())?;
        answer.await.map_err(|_| gone())?
    }
}

/// Answers a message.
async fn answer(request: HttpRequest, service: Shared, user: Authenticated, payload: Payload) -> Reply {
    let Some(endpoint) = request.app_data::<Rc<Endpoint>>().cloned() else {
        return Err(Problem::not_found("route"));
    };
    // A tool's own request is checked too, but listing the tools makes none.
    service.check(user.caller).await?;
    if !body::is_json(&request) {
        return Err(body::not_json());
    }
    let message = body::read(payload.into_inner(), MESSAGE_BYTES_MAX).await?.to_vec();
    let headers = request.headers().iter().map(|(name, value)| (name.as_str(), value.as_bytes())).collect();
    let (asking, mut requests) = mpsc::channel::<Asked>(1);
    let message = finance_mcp::HttpRequest { headers, body: message, origins: &endpoint.origins };
    let mut answering = pin!(finance_mcp::answer(InProcess { asking }, message));
    let HttpAnswer { status, is_json, body } = loop {
        tokio::select! {
            answer = &mut answering => break answer,
            Some((of_tool, answered)) = requests.recv() => {
                // A cancelled tool no longer waits.
                let _ = answered.send(endpoint.routes.ask(&request, of_tool).await);
            }
        }
    };
    let mut response = HttpResponse::build(StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR));
    if is_json {
        response.insert_header((CONTENT_TYPE, "application/json"));
    }
    Ok(response.body(body))
}
