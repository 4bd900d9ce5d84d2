//! `finance health`: what a container's health check runs, for images have no curl.

use std::io::{Read, Write};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpStream};
use std::time::Duration;

use anyhow::{Context, Result, bail};

use crate::configuration::Configuration;

/// How long the service may take for each step of its answer.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(5);
/// Bytes of the answer that are looked at: its first line is within them.
const ANSWER_BYTES_MAX: u64 = 512;

/// Asks the service that listens on `FINANCE_BIND` whether it can answer.
pub(crate) fn check(configuration: &Configuration) -> Result<()> {
    let address = reachable(configuration.bind);
    let status = ready(address).with_context(|| format!("no answer from {address}"))?;
    if status != "200" {
        bail!("{address} is not ready: status {status}");
    }
    println!("{address} is ready");
    Ok(())
}

/// The address by which this machine reaches a service that may listen on all of its addresses.
fn reachable(mut bind: SocketAddr) -> SocketAddr {
    if bind.ip().is_unspecified() {
        let loopback = if bind.is_ipv4() { IpAddr::V4(Ipv4Addr::LOCALHOST) } else { IpAddr::V6(Ipv6Addr::LOCALHOST) };
        bind.set_ip(loopback);
    }
    bind
}

/// The status that `/readyz` answers with.
fn ready(address: SocketAddr) -> Result<String> {
    let mut stream = TcpStream::connect_timeout(&address, ANSWER_TIMEOUT)?;
    stream.set_read_timeout(Some(ANSWER_TIMEOUT))?;
    stream.set_write_timeout(Some(ANSWER_TIMEOUT))?;
    write!(stream, "GET /readyz HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n")?;
    let mut answer = Vec::new();
    stream.take(ANSWER_BYTES_MAX).read_to_end(&mut answer)?;
    let answer = String::from_utf8_lossy(&answer);
    let status = answer.strip_prefix("HTTP/1.1 ").and_then(|rest| rest.get(..3));
    Ok(status.context("what answers speaks no HTTP")?.to_string())
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
