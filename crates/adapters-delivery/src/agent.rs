//! The HTTP client of webhooks and push messages.

use std::time::Duration;

use finance_domain::webhooks::Failure;
use ureq::unversioned::transport::DefaultConnector;
use ureq::{Agent, Error};

use crate::resolver::PublicResolver;

/// How long one attempt may take, including the connection.
const ATTEMPT_MAX: Duration = Duration::from_secs(10);
/// How long the connection may take.
const CONNECT_MAX: Duration = Duration::from_secs(5);

/// A client that connects to addresses of private networks only if `allows_private` is set, and follows no redirect. It uses no proxy,
/// because a proxy would resolve the names itself.
pub(crate) fn agent(allows_private: bool) -> Agent {
    let config = Agent::config_builder()
        .http_status_as_error(false)
        .max_redirects(0)
        .max_redirects_will_error(false)
        .proxy(None)
        .timeout_global(Some(ATTEMPT_MAX))
        .timeout_connect(Some(CONNECT_MAX))
        .user_agent(concat!("finance/", env!("CARGO_PKG_VERSION")))
        // The address of an idle connection would have been checked long ago.
        .max_idle_connections(0)
        .build();
    Agent::with_parts(config, DefaultConnector::default(), PublicResolver::new(allows_private))
}

/// Why a request was not answered.
pub(crate) fn failure(error: &Error) -> Failure {
    match error {
        Error::HostNotFound => Failure::Unresolved,
        Error::Timeout(_) => Failure::Timeout,
        _ => Failure::Connection,
    }
}
