//! `finance serve`: wires the adapters and serves until it is stopped.

use std::io::Write;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::{Context, Result, anyhow};
use finance_adapters_bcb::{BcbRates, CachedRates};
use finance_adapters_delivery::{Deliverer, HttpSender};
use finance_domain::use_cases::turns::Senders;
use finance_domain::{Clock, Store};
use finance_http::{LoginTokens, Pages, ServerOptions, Service, ServiceParts};
use finance_private_postgres::Cluster;
use tokio::signal::unix::{SignalKind, signal};

use crate::backups::{Folder, Keeper};
use crate::clock::SystemClock;
use crate::configuration::Configuration;
use crate::database::{Database, with_database};
use crate::forgetting::Forgetter;
use crate::{catalogs, delivery, descriptors, metrics, secret};

/// How often the private cluster is checked.
const WATCH_INTERVAL: Duration = Duration::from_millis(200);
/// The wait after a failed start of the private cluster. The cause rarely disappears at once.
const WATCH_RETRY_INTERVAL: Duration = Duration::from_secs(1);

/// What is printed and logged while nobody can log in.
const NO_USER: &str = "there is no user yet; `finance create-user --name NAME --link` prints the link with which the first one \
                       sets a password";

/// Serves until SIGTERM or Ctrl-C.
pub(crate) fn serve(configuration: &Configuration) -> Result<()> {
    configuration.search.tell();
    serve_until(configuration, finance_web::routes, announce, stop_signal())
}

/// Serves until `stop` is ready, with these pages if the configuration has any. `listening` is called with the address.
pub(crate) fn serve_until(
    configuration: &Configuration,
    pages: Pages,
    listening: impl FnOnce(SocketAddr),
    stop: impl Future<Output = ()>,
) -> Result<()> {
    // Fails before anything is started.
    let rates = BcbRates::new(&configuration.bcb_url).map_err(|message| anyhow!("FINANCE_BCB_URL {message}"))?;
    delivery::check(configuration)?;
    let configured = secret::configured(configuration)?.map(|secret| tokens(&secret)).transpose()?;
    with_database(configuration, |database| {
        let tokens = match configured {
            Some(tokens) => tokens,
            None => self::tokens(&secret::kept(&configuration.data_dir)?)?,
        };
        serve_on(configuration, pages, database, rates, tokens, listening, stop)
    })
}

fn tokens(secret: &[u8]) -> Result<LoginTokens> {
    LoginTokens::new(secret).context("JWT_SECRET")
}

fn serve_on(
    configuration: &Configuration,
    pages: Pages,
    database: &Database,
    rates: BcbRates,
    tokens: LoginTokens,
    listening: impl FnOnce(SocketAddr),
    stop: impl Future<Output = ()>,
) -> Result<()> {
    let clock = Arc::new(SystemClock::new(configuration));
    let store = Arc::new(database.store_with_replica()?);
    let rates = Arc::new(CachedRates::new(rates, clock.clone()));
    let channels = Arc::new(delivery::channels(configuration, secret::push_key(configuration)?));
    let texts = Arc::new(catalogs::notice_texts()?);
    let context = catalogs::context(configuration, clock.as_ref())?;
    let service = Service::new(ServiceParts {
        clock: clock.clone(),
        rates: rates.clone(),
        day_count: configuration.day_count,
        taxes: Arc::new(catalogs::taxes()?),
        schedules: Arc::new(catalogs::schedules()?),
        catalog: Arc::new(catalogs::gamification()?),
        drawings: Arc::new(catalogs::drawings()?),
        phrases: Arc::new(catalogs::transfer_phrases()?),
        notice_texts: texts.clone(),
        notice_sender: channels.clone(),
        push_hosts: delivery::push_hosts(configuration)?,
        utc_offset: configuration.utc_offset,
        lexicon: Arc::new(catalogs::lexicon()?),
        banks: catalogs::banks()?.into(),
        tokens,
        store_connections: store.connections_max() as usize,
        store: store.clone(),
        upload_bytes_max: configuration.upload_bytes_max,
        webhooks_private: configuration.webhooks_private,
        history_days: configuration.history_days,
    })
    .context("threads")?;
    let keeper = database.cluster.as_ref().map(|_| Keeper::new(Folder::new(configuration), configuration.backup_wait));
    let options = ServerOptions {
        last_backup: keeper.as_ref().map(|keeper| Arc::clone(keeper.last_good())),
        shutdown_timeout: configuration.shutdown_timeout,
        trusted_proxies: configuration.trusted_proxies.clone(),
        cors_origins: configuration.cors_origins.clone(),
        connections_max: descriptors::connections_max(),
        pages: configuration.web.then_some(pages),
        ..ServerOptions::new(configuration.bind)
    };
    // Stops when this function returns.
    let _metrics = metrics::start(configuration, &service, rates, &store, keeper.as_ref(), &channels)?;
    let senders = Senders {
        webhooks: Arc::new(HttpSender::new(configuration.webhooks_private)),
        notices: channels,
        texts,
        offset: configuration.utc_offset,
    };
    let users = Arc::clone(&store);
    // Waits for the deliveries in progress when this function returns.
    let days = clock.clone();
    let context = move || finance_domain::Context { today: days.today(), ..context.clone() };
    let _deliverer = Deliverer::start(store.clone(), senders, clock.clone(), context).context("threads")?;
    let _forgetter = Forgetter::start(store, clock, configuration.history_days).context("threads")?;
    let has_users = users.has_members()?;
    let listening = |address| {
        listening(address);
        if !has_users {
            log::info!("{NO_USER}");
            tell(NO_USER);
        }
    };
    watching(database.cluster.as_ref().zip(keeper.as_ref()), || {
        finance_http::serve(service, &options, listening, stop)
            .with_context(|| format!("FINANCE_BIND {}", configuration.bind))
    })
}

fn announce(address: SocketAddr) {
    log::info!("listening on http://{address}");
    tell(&format!("listening on http://{address}"));
}

/// Prints a line. A closed standard output does not stop the service.
fn tell(line: &str) {
    let mut stdout = std::io::stdout();
    let _ = writeln!(stdout, "{line}").and_then(|()| stdout.flush());
}

/// Ready on SIGTERM or Ctrl-C.
pub(crate) async fn stop_signal() {
    let (Ok(mut terminate), Ok(mut interrupt)) = (signal(SignalKind::terminate()), signal(SignalKind::interrupt()))
    else {
        log::error!("signal handlers cannot be installed; stop the service with SIGKILL");
        return std::future::pending().await;
    };
    tokio::select! {
        _ = terminate.recv() => log::info!("SIGTERM: finishing requests in flight"),
        _ = interrupt.recv() => log::info!("interrupted: finishing requests in flight"),
    }
}

/// Runs `work`. Meanwhile one thread restarts the private cluster whenever it dies or its program is replaced, and another one
/// makes backups of it.
fn watching<T>(private: Option<(&Cluster, &Keeper)>, work: impl FnOnce() -> T) -> T {
    let Some((cluster, keeper)) = private else { return work() };
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let watcher = scope.spawn(|| watch(cluster, &done));
        let backups = scope.spawn(|| keeper.run(cluster));
        // The scope waits for its threads, so they are stopped however the work ends, also by a panic.
        let _stopping = AtEnd(|| {
            keeper.stop(cluster, &backups);
            done.store(true, Ordering::Relaxed);
            watcher.thread().unpark();
        });
        work()
    })
}

/// Calls its function when it is dropped.
struct AtEnd<F: FnMut()>(F);

impl<F: FnMut()> Drop for AtEnd<F> {
    fn drop(&mut self) {
        (self.0)();
    }
}

fn watch(cluster: &Cluster, done: &AtomicBool) {
    let (mut interval, mut logged) = (WATCH_INTERVAL, String::new());
    loop {
        std::thread::park_timeout(interval);
        if done.load(Ordering::Relaxed) {
            return;
        }
        (interval, logged) = match cluster.ensure_running() {
            Ok(_) => (WATCH_INTERVAL, String::new()),
            Err(error) => {
                let problem = format!("{:#}", anyhow::Error::from(error));
                if problem != logged {
                    log::error!("the private database cannot be checked or started: {problem}");
                }
                (WATCH_RETRY_INTERVAL, problem)
            }
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_are_stopped_however_the_work_ends() {
        let done = AtomicBool::new(false);
        let work = std::panic::AssertUnwindSafe(|| {
            std::thread::scope(|scope| {
                let watcher = scope.spawn(|| {
                    while !done.load(Ordering::Relaxed) {
                        std::thread::park();
                    }
                });
                let _stopping = AtEnd(|| {
                    done.store(true, Ordering::Relaxed);
                    watcher.thread().unpark();
                });
                panic!("the work");
            })
        });
        assert!(std::panic::catch_unwind(work).is_err());
    }
}
