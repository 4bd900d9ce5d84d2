//! `finance health`: the health check of a container, whose image has no curl.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use ureq::Agent;

use crate::configuration::Configuration;

/// The time limit of the answer.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(5);

/// Asks the service on `FINANCE_BIND` whether it is ready.
pub(crate) fn check(configuration: &Configuration) -> Result<()> {
    let address = reachable(configuration.bind);
    let agent = Agent::config_builder()
        .http_status_as_error(false)
        .max_redirects(0)
        .proxy(None)
        .timeout_global(Some(ANSWER_TIMEOUT))
        .build()
        .new_agent();
    let answer = agent.get(format!("http://{address}/readyz")).call();
    let status = answer.with_context(|| format!("no answer from {address}"))?.status();
    if status != 200 {
        bail!("{address} is not ready: status {}", status.as_u16());
    }
    println!("{address} is ready");
    Ok(())
}

/// The address to reach a service on this machine that may listen on all addresses.
fn reachable(mut bind: SocketAddr) -> SocketAddr {
    if bind.ip().is_unspecified() {
        let loopback = if bind.is_ipv4() { IpAddr::V4(Ipv4Addr::LOCALHOST) } else { IpAddr::V6(Ipv6Addr::LOCALHOST) };
        bind.set_ip(loopback);
    }
    bind
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_service_that_listens_everywhere_is_reached_by_the_loopback() {
        for (bind, expected) in [
            ("0.0.0.0:8080", "127.0.0.1:8080"),
            ("[::]:8080", "[::1]:8080"),
            ("127.0.0.1:1", "127.0.0.1:1"),
            ("192.0.2.7:80", "192.0.2.7:80"),
        ] {
            assert_eq!(reachable(bind.parse().unwrap()), expected.parse().unwrap());
        }
    }
}
