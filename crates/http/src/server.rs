//! The HTTP server.

use std::any::Any;
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use actix_cors::Cors;
use actix_web::body::MessageBody;
use actix_web::dev::{ServiceFactory, ServiceRequest, ServiceResponse};
use actix_web::http::Method;
use actix_web::http::header::{
    AUTHORIZATION, CONTENT_DISPOSITION, CONTENT_ENCODING, CONTENT_TYPE, ETAG, IF_NONE_MATCH, LINK, LOCATION,
    RETRY_AFTER,
};
use actix_web::middleware::{Condition, from_fn};
use actix_web::rt::net::TcpStream;
use actix_web::web::{Data, PathConfig, ServiceConfig};
use actix_web::{App, Error, HttpRequest, HttpServer};
use futures_util::future::{Either, poll_immediate, select};

use crate::changes;
use crate::extract::idempotency;
use crate::internal_client::InternalClient;
use crate::last_backup::LastBackup;
use crate::middleware::body_timeout::{self, BodyTimeout};
use crate::middleware::real_ip::TrustedProxies;
use crate::middleware::unread_answers::{self, AnswerTimeout, UnreadAnswers};
use crate::middleware::{access_log, authentication};
use crate::problem::Problem;
use crate::request_id::REQUEST_ID;
use crate::routes::mcp;
use crate::service::Service;
use crate::{openapi, passwords, unrouted};

/// Adds routes beside the API's.
pub type Pages = fn(&mut ServiceConfig);

/// How to serve.
#[derive(Debug, Clone)]
pub struct ServerOptions {
    /// The address to listen on; port 0 picks a free one.
    pub bind: SocketAddr,
    /// How long requests in flight may take once the server is told to stop.
    pub shutdown_timeout: Duration,
    /// How long a client may take to send a request's head, and then to send its body before the minimum rate applies.
    pub request_timeout: Duration,
    /// How long a client may take to read an answer before the minimum rate applies, and how long it may read nothing of it.
    pub answer_timeout: Duration,
    /// The maximum number of concurrent connections; a further one waits to be accepted. At least one for each processor is
    /// accepted.
    pub connections_max: usize,
    /// Proxies whose `X-Forwarded-For` is trusted.
    pub trusted_proxies: TrustedProxies,
    /// The origins of web pages that may call from a browser. If empty, no origin is allowed.
    pub cors_origins: Vec<String>,
    /// More routes beside the API's, such as those of web pages; if absent, there are none.
    pub pages: Option<Pages>,
    /// When the last good backup was made; `None` if this service makes no backups.
    pub last_backup: Option<Arc<LastBackup>>,
}

impl ServerOptions {
    /// The defaults, listening on that address: no proxy is trusted, no origin is allowed, and only the API is served.
    pub fn new(bind: SocketAddr) -> Self {
        ServerOptions {
            bind,
            shutdown_timeout: Duration::from_secs(30),
            request_timeout: Duration::from_secs(10),
            answer_timeout: Duration::from_secs(30),
            connections_max: CONNECTIONS_MAX,
            trusted_proxies: TrustedProxies::default(),
            cors_origins: Vec::new(),
            pages: None,
            last_backup: None,
        }
    }
}

/// The maximum number of concurrent connections; a further one waits to be accepted.
pub const CONNECTIONS_MAX: usize = 4_096;
/// How long a browser may cache what it was told about an origin, in seconds.
const CORS_AGE_SECONDS_MAX: usize = 3_600;

/// Serves until `stop` is ready, then finishes the requests in flight. Calls `listening` with the address once requests are
/// accepted.
///
/// # Errors
///
/// The server cannot listen on the address, or it fails.
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
        let shared = Shared {
            service,
            timeout: BodyTimeout(options.request_timeout),
            answer_timeout: AnswerTimeout(options.answer_timeout),
            unread: Data::new(UnreadAnswers::default()),
            proxies: options.trusted_proxies.clone(),
            origins: options.cors_origins.clone(),
            pages: options.pages,
            last_backup: Data::new(options.last_backup.clone()),
        };
        let stall_max = options.answer_timeout;
        let server = HttpServer::new(move || {
            let (of_tools, origins) = (shared.clone(), shared.origins.clone());
            let endpoint = mcp::Endpoint { routes: InternalClient::new(move || app(&of_tools)), origins };
            app(&shared).app_data(Rc::new(endpoint)).service(mcp::endpoint())
        })
        .workers(workers)
        .on_connect(move |connection, _| limit_stall(connection, stall_max))
        .max_connections((options.connections_max / workers).max(1))
        .client_request_timeout(options.request_timeout)
        // A client that closes its side of the connection has hung up. Its handler is dropped, which cancels the work of the
        // request.
        .h1_allow_half_closed(false)
        .shutdown_timeout(options.shutdown_timeout.as_secs())
        .disable_signals()
        .listen(listener)?
        .run();
        let handle = server.handle();
        let mut running = actix_web::rt::spawn(server);
        let mut stop = std::pin::pin!(stop);
        // Polled before anybody knows the address, so that no signal to stop is missed.
        let is_stopped = poll_immediate(stop.as_mut()).await.is_some();
        listening(address);
        if !is_stopped && let Either::Right((failed, _)) = select(stop, &mut running).await {
            return failed.map_err(io::Error::other)?;
        }
        handle.stop(true).await;
        running.await.map_err(io::Error::other)?
    })
}

/// The state that all instances of the routes share.
#[derive(Clone)]
struct Shared {
    service: Data<Service>,
    timeout: BodyTimeout,
    answer_timeout: AnswerTimeout,
    unread: Data<UnreadAnswers>,
    proxies: TrustedProxies,
    origins: Vec<String>,
    pages: Option<Pages>,
    last_backup: Data<Option<Arc<LastBackup>>>,
}

/// The routes, with the middleware that wraps every request.
fn app(
    shared: &Shared,
) -> App<
    impl ServiceFactory<
        ServiceRequest,
        Config = (),
        Response = ServiceResponse<impl MessageBody + use<>>,
        Error = Error,
        InitError = (),
    > + use<>,
> {
    let pages = shared.pages;
    App::new()
        .app_data(shared.service.clone())
        .app_data(Data::new(shared.timeout))
        .app_data(Data::new(shared.answer_timeout))
        .app_data(shared.unread.clone())
        .app_data(shared.last_backup.clone())
        .app_data(shared.proxies.clone())
        .app_data(PathConfig::default().error_handler(|_, request| unrouted::unreadable_id(request).into()))
        .configure(openapi::router)
        .configure(|config| {
            if let Some(pages) = pages {
                pages(config);
            }
        })
        .route("/docs/", actix_web::web::get().to(openapi::docs_slash))
        .default_service(actix_web::web::to(unrouted))
        .wrap(from_fn(unread_answers::wrap))
        .wrap(from_fn(authentication::require_credential))
        .wrap(from_fn(body_timeout::wrap))
        .wrap(Condition::new(!shared.origins.is_empty(), cors(&shared.origins)))
        .wrap(from_fn(access_log::wrap))
}

/// Makes the system end a connection whose client reads nothing of an answer for this long. Nothing else detects this, because
/// a write to a full connection waits.
fn limit_stall(connection: &dyn Any, stall_max: Duration) {
    #[cfg(target_os = "linux")]
    if let Some(stream) = connection.downcast_ref::<TcpStream>()
        && let Err(error) = socket2::SockRef::from(stream).set_tcp_user_timeout(Some(stall_max))
    {
        log::warn!("no time limit for slow readers on a connection: {error}");
    }
    #[cfg(not(target_os = "linux"))]
    let _ = (connection, stall_max);
}

/// The CORS rules: the pages that may call, with which methods and headers, and which headers of an answer they may read. The
/// only cookie renews logins of this origin's page, so no other origin is ever allowed to send credentials.
fn cors(origins: &[String]) -> Cors {
    let allowed = Cors::default()
        .allowed_methods([Method::GET, Method::HEAD, Method::POST, Method::PUT, Method::DELETE])
        .allowed_headers([AUTHORIZATION, CONTENT_ENCODING, CONTENT_TYPE, IF_NONE_MATCH, idempotency::KEY, REQUEST_ID])
        .allowed_headers(finance_mcp::PROTOCOL_HEADERS)
        .expose_headers([
            LINK,
            LOCATION,
            RETRY_AFTER,
            CONTENT_DISPOSITION,
            ETAG,
            REQUEST_ID,
            idempotency::REPLAYED,
            changes::CHANGE,
        ])
        .max_age(CORS_AGE_SECONDS_MAX);
    origins.iter().fold(allowed, |allowed, origin| allowed.allowed_origin(origin))
}

async fn unrouted(request: HttpRequest) -> Result<&'static str, Problem> {
    Err(unrouted::unrouted(&request))
}
