//! The HTTP server.

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::time::Duration;

use actix_cors::Cors;
use actix_web::http::Method;
use actix_web::http::header::{AUTHORIZATION, CONTENT_DISPOSITION, CONTENT_TYPE, LINK, LOCATION, RETRY_AFTER};
use actix_web::middleware::{Condition, from_fn};
use actix_web::web::{Data, PathConfig};
use actix_web::{App, HttpRequest, HttpServer};
use utoipa_actix_web::AppExt;

use crate::addresses::TrustedProxies;
use crate::problems::Problem;
use crate::punctual::{self, BodyTimeout};
use crate::requests::REQUEST_ID;
use crate::service::Service;
use crate::{authentication, idempotency, openapi, passwords, requests};

/// How to serve.
#[derive(Debug, Clone)]
pub struct ServerOptions {
    /// The address to listen on; port 0 picks a free one.
    pub bind: SocketAddr,
    /// How long requests in flight may take once the server is told to stop.
    pub shutdown_timeout: Duration,
    /// How long a client may take to send a request's head, and then, before its size counts, its body.
    pub request_timeout: Duration,
    /// The proxies that are believed about whom they were asked by.
    pub trusted_proxies: TrustedProxies,
    /// The web pages' origins that browsers may call from; where there is none, no browser is told that it may.
    pub cors_origins: Vec<String>,
}

impl ServerOptions {
    /// The defaults, listening on that address: no proxy is trusted and no origin allowed.
    pub fn new(bind: SocketAddr) -> Self {
        ServerOptions {
            bind,
            shutdown_timeout: Duration::from_secs(30),
            request_timeout: Duration::from_secs(10),
            trusted_proxies: TrustedProxies::default(),
            cors_origins: Vec::new(),
        }
    }
}

/// Connections at once, at the most; one more waits to be taken.
const CONNECTIONS_MAX: usize = 4_096;
/// How long a browser may keep what it was told about an origin, in seconds.
const CORS_AGE_SECONDS_MAX: usize = 3_600;

/// Serves until `stop` is ready, then finishes the requests in flight. Tells `listening` the address
/// once requests are taken.
///
/// # Errors
///
/// Where the address cannot be listened on, or the server fails.
pub fn serve(
    service: Service,
    options: &ServerOptions,
    listening: impl FnOnce(SocketAddr),
    stop: impl Future<Output = ()>,
) -> io::Result<()> {
    let listener = TcpListener::bind(options.bind)?;
    let address = listener.local_addr()?;
    std::thread::spawn(passwords::warm_up);
    let service = Data::new(service);
    let workers = std::thread::available_parallelism().map_or(1, std::num::NonZeroUsize::get);
    actix_web::rt::System::new().block_on(async {
        let (timeout, proxies) = (BodyTimeout(options.request_timeout), options.trusted_proxies.clone());
        let origins = options.cors_origins.clone();
        let server = HttpServer::new(move || {
            App::new()
                .into_utoipa_app()
                .app_data(service.clone())
                .app_data(Data::new(timeout))
                .app_data(proxies.clone())
                .app_data(PathConfig::default().error_handler(|_, _| Problem::not_found("row").into()))
                .configure(openapi::routes)
                .into_app()
                .default_service(actix_web::web::to(unrouted))
                .wrap(from_fn(authentication::require_token))
                .wrap(from_fn(punctual::wrap))
                .wrap(Condition::new(!origins.is_empty(), cors(&origins)))
                .wrap(from_fn(requests::wrap))
        })
        .workers(workers)
        .max_connections(CONNECTIONS_MAX / workers)
        .client_request_timeout(options.request_timeout)
        // A client that closes its end has hung up: its handler is dropped, which cancels what it asked for.
        .h1_allow_half_closed(false)
        .shutdown_timeout(options.shutdown_timeout.as_secs())
        .disable_signals()
        .listen(listener)?
        .run();
        let handle = server.handle();
        let running = actix_web::rt::spawn(server);
        listening(address);
        stop.await;
        handle.stop(true).await;
        running.await.map_err(io::Error::other)?
    })
}

/// What browsers are told: the pages that may call, with what, and what they may read of an answer. There are no
/// cookies, so there are no credentials to allow.
fn cors(origins: &[String]) -> Cors {
    let allowed = Cors::default()
        .allowed_methods([Method::GET, Method::POST, Method::PUT, Method::DELETE])
        .allowed_headers([AUTHORIZATION, CONTENT_TYPE, idempotency::KEY, REQUEST_ID])
        .expose_headers([LINK, LOCATION, RETRY_AFTER, CONTENT_DISPOSITION, REQUEST_ID, idempotency::REPLAYED])
        .max_age(CORS_AGE_SECONDS_MAX);
    origins.iter().fold(allowed, |allowed, origin| allowed.allowed_origin(origin))
}

async fn unrouted(request: HttpRequest) -> Result<&'static str, Problem> {
    Err(openapi::unrouted(&request))
}
