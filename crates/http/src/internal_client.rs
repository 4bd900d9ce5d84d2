//! Calls the service's own routes from within the process. Such a request passes everything that a request from outside passes:
//! authentication, limits, the access log.

use std::future::{poll_fn, ready};
use std::rc::Rc;

use actix_http::Request;
use actix_service::IntoServiceFactory;
use actix_web::body::{BoxBody, MessageBody, to_bytes_limited};
use actix_web::dev::{AppConfig, Payload, Service, ServiceFactory, ServiceRequest, ServiceResponse};
use actix_web::http::header::{
    AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, InvalidHeaderValue, LINK,
};
use actix_web::http::{Method, Uri};
use actix_web::web::Bytes;
use actix_web::{App, Error, HttpRequest};
use finance_mcp::{ANSWER_BYTES_MAX, ApiAnswer, ApiMethod, ApiRequest, Unreachable};
use futures_util::future::LocalBoxFuture;
use futures_util::stream;
use tokio::sync::OnceCell;

use crate::extract::idempotency;
use crate::request_id::{self, REQUEST_ID};

/// The headers that are copied from a request to the requests made on its behalf.
const KEPT: [HeaderName; 2] = [AUTHORIZATION, HeaderName::from_static("x-forwarded-for")];

type Answered = LocalBoxFuture<'static, Result<ServiceResponse<BoxBody>, Error>>;
type Routes = Rc<dyn Fn(Request) -> Answered>;

/// The routes. Each worker creates them when it first calls one.
pub(crate) struct InternalClient {
    make: Box<dyn Fn() -> LocalBoxFuture<'static, Option<Routes>>>,
    made: OnceCell<Routes>,
}

impl InternalClient {
    /// The routes of a new app, which `make` creates.
    pub(crate) fn new<T, B>(make: impl Fn() -> App<T> + 'static) -> Self
    where
        T: ServiceFactory<ServiceRequest, Config = (), Response = ServiceResponse<B>, Error = Error, InitError = ()>
            + 'static,
        B: MessageBody + 'static,
    {
        let make = move || -> LocalBoxFuture<'static, Option<Routes>> {
            let app = make();
            Box::pin(async move {
                let service = Rc::new(app.into_factory().new_service(AppConfig::default()).await.ok()?);
                let routes: Routes = Rc::new(move |request| {
                    let service = Rc::clone(&service);
                    Box::pin(async move {
                        poll_fn(|context| service.poll_ready(context)).await?;
                        Ok(service.call(request).await?.map_into_boxed_body())
                    })
                });
                Some(routes)
            })
        };
        InternalClient { make: Box::new(make), made: OnceCell::new() }
    }

    /// Calls a route on behalf of a request: with its credential, its address and its id.
    pub(crate) async fn ask(&self, of: &HttpRequest, request: ApiRequest) -> Result<ApiAnswer, Unreachable> {
        let failed = || Unreachable("The service could not call its own routes.".to_string());
        let routes = self.made.get_or_try_init(|| async { (self.make)().await.ok_or_else(failed) }).await?;
        let request = build(of, request).ok_or_else(failed)?;
        let response = routes(request).await.map_err(|_| failed())?;
        let status = response.status().as_u16();
        let has_next_page = response.headers().contains_key(LINK);
        match to_bytes_limited(response.into_body(), ANSWER_BYTES_MAX).await {
            Ok(Ok(body)) => Ok(ApiAnswer { status, has_next_page, body: body.to_vec() }),
            Ok(Err(_)) => Err(failed()),
            Err(_) => Err(Unreachable(format!("The answer is over {ANSWER_BYTES_MAX} bytes; ask for less."))),
        }
    }
}

/// The request as it would arrive from outside; `None` if its path or key cannot be sent.
fn build(of: &HttpRequest, request: ApiRequest) -> Option<Request> {
    let payload: Payload = match request.body {
        Some(body) => Payload::Stream { payload: Box::pin(stream::once(ready(Ok(Bytes::from(body))))) },
        None => Payload::None,
    };
    let headers = headers(of.headers(), request.idempotency_key.as_deref()).ok()?;
    let mut built = Request::with_payload(payload);
    let head = built.head_mut();
    head.method = match request.method {
        ApiMethod::Get => Method::GET,
        ApiMethod::Post => Method::POST,
        ApiMethod::Put => Method::PUT,
    };
    head.uri = request.path.parse::<Uri>().ok()?;
    head.peer_addr = of.peer_addr();
    head.headers = headers;
    Some(built)
}

fn headers(of: &HeaderMap, key: Option<&str>) -> Result<HeaderMap, InvalidHeaderValue> {
    let mut headers = HeaderMap::new();
    for name in KEPT {
        for value in of.get_all(&name) {
            headers.append(name.clone(), value.clone());
        }
    }
    headers.insert(REQUEST_ID, HeaderValue::from_str(&request_id::current())?);
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    if let Some(key) = key {
        headers.insert(idempotency::KEY, HeaderValue::from_str(key)?);
    }
    Ok(headers)
}
