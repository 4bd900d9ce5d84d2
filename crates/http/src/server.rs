//! The HTTP server.

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::time::Duration;

use actix_web::middleware::from_fn;
use actix_web::web::{Data, PathConfig};
use actix_web::{App, HttpRequest, HttpServer};
use utoipa_actix_web::AppExt;

use crate::problems::Problem;
use crate::service::Service;
use crate::{authentication, openapi, passwords, requests};

/// How to serve.
#[derive(Debug, Clone)]
pub struct ServerOptions {
    /// The address to listen on; port 0 picks a free one.
    pub bind: SocketAddr,
    /// How long requests in flight may take once the server is told to stop.
    pub shutdown_timeout: Duration,
}

/// How long a client may take to send a request's head.
const HEAD_TIMEOUT: Duration = Duration::from_secs(10);

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
        let server = HttpServer::new(move || {
            App::new()
                .into_utoipa_app()
                .app_data(service.clone())
                .app_data(PathConfig::default().error_handler(|_, _| Problem::not_found("row").into()))
                .configure(openapi::routes)
                .into_app()
                .default_service(actix_web::web::to(unrouted))
                .wrap(from_fn(authentication::require_token))
                .wrap(from_fn(requests::wrap))
        })
        .workers(workers)
        .client_request_timeout(HEAD_TIMEOUT)
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

async fn unrouted(request: HttpRequest) -> Result<&'static str, Problem> {
    Err(openapi::unrouted(&request))
}
