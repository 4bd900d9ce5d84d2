//! The client's address: the peer of the connection, or the address that a trusted proxy reports.

use std::convert::Infallible;
use std::future::{Ready, ready};
use std::net::{IpAddr, Ipv6Addr, SocketAddr};
use std::str::FromStr;

use actix_web::dev::Payload;
use actix_web::http::header::HeaderMap;
use actix_web::{FromRequest, HttpRequest};
use ipnet::IpNet;

use crate::fair_queue::Requester;

const FORWARDED_FOR: &str = "x-forwarded-for";
/// The prefix of an IPv6 address that identifies a customer, in bits. The customer chooses the rest.
const CUSTOMER_PREFIX_BITS: u32 = 64;

/// Proxies whose `X-Forwarded-For` is trusted. Other clients may send any value.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TrustedProxies(Vec<IpNet>);

impl FromStr for TrustedProxies {
    type Err = String;

    /// Parses addresses and networks, separated by commas.
    ///
    /// ```
    /// use finance_http::TrustedProxies;
    ///
    /// assert!("127.0.0.1, 10.0.0.0/8, ::1".parse::<TrustedProxies>().is_ok());
    /// assert!("proxy.example".parse::<TrustedProxies>().is_err());
    /// ```
    fn from_str(text: &str) -> Result<Self, String> {
        let parts = text.split(',').map(str::trim).filter(|part| !part.is_empty());
        parts
            .map(|part| {
                let network = part.parse().or_else(|_| part.parse::<IpAddr>().map(IpNet::from));
                network.map_err(|_| format!("{part:?} is neither an address nor a network such as 10.0.0.0/8"))
            })
            .collect::<Result<_, _>>()
            .map(TrustedProxies)
    }
}

impl TrustedProxies {
    fn trusts(&self, address: IpAddr) -> bool {
        self.0.iter().any(|network| network.contains(&address))
    }

    /// The last address that is not a trusted proxy. Each proxy appends its peer's address, so the header is read from its end,
    /// as far as trusted proxies wrote it.
    fn client(&self, peer: IpAddr, headers: &HeaderMap) -> IpAddr {
        let mut nearest = peer.to_canonical();
        let lines: Vec<&str> = headers.get_all(FORWARDED_FOR).filter_map(|line| line.to_str().ok()).collect();
        for hop in lines.iter().rev().flat_map(|line| line.rsplit(',')) {
            if !self.trusts(nearest) {
                break;
            }
            let Some(address) = address(hop.trim()) else { break };
            nearest = address.to_canonical();
        }
        nearest
    }
}

/// Parses an address of the header, with a port or without.
fn address(text: &str) -> Option<IpAddr> {
    let bare = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).unwrap_or(text);
    bare.parse().ok().or_else(|| text.parse::<SocketAddr>().ok().map(|address| address.ip()))
}

/// The client's address, an argument of handlers.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ClientAddress(pub(crate) Option<IpAddr>);

impl ClientAddress {
    /// The address for the log.
    pub(crate) fn text(self) -> String {
        self.0.map_or_else(String::new, |address| address.to_string())
    }

    /// The address or IPv6 network under which failed logins are counted: an IPv6 customer has too many addresses.
    pub(crate) fn counted(self) -> String {
        match self.0 {
            Some(IpAddr::V6(address)) => {
                let kept = u128::MAX << (u128::BITS - CUSTOMER_PREFIX_BITS);
                format!("{}/{CUSTOMER_PREFIX_BITS}", Ipv6Addr::from_bits(address.to_bits() & kept))
            }
            _ => self.text(),
        }
    }
}

impl ClientAddress {
    /// The requester of a request without a profile.
    pub(crate) fn requester(self) -> Requester {
        Requester::Address(self.counted())
    }
}

impl FromRequest for ClientAddress {
    type Error = Infallible;
    type Future = Ready<Result<Self, Infallible>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        ready(Ok(client(request)))
    }
}

/// The client's address of a request.
pub(crate) fn client(request: &HttpRequest) -> ClientAddress {
    let peer = request.peer_addr().map(|peer| peer.ip());
    ClientAddress(peer.map(|peer| match request.app_data::<TrustedProxies>() {
        Some(proxies) => proxies.client(peer, request.headers()),
        None => peer.to_canonical(),
    }))
}

#[cfg(test)]
mod tests {
    use actix_web::http::header::{HeaderName, HeaderValue};

    use super::*;

    fn client(proxies: &str, peer: &str, lines: &[&str]) -> String {
        let mut headers = HeaderMap::new();
        for line in lines {
            headers.append(HeaderName::from_static(FORWARDED_FOR), HeaderValue::from_str(line).unwrap());
        }
        let proxies: TrustedProxies = proxies.parse().unwrap();
        proxies.client(peer.parse().unwrap(), &headers).to_string()
    }

    #[test]
    fn a_stranger_is_who_it_is_whatever_it_says() {
        assert_eq!(client("", "203.0.113.9", &["1.2.3.4"]), "203.0.113.9");
        assert_eq!(client("10.0.0.0/8", "203.0.113.9", &["1.2.3.4"]), "203.0.113.9");
    }

    #[test]
    fn a_trusted_proxy_tells_who_asked_it() {
        assert_eq!(client("10.0.0.0/8", "10.0.0.1", &["203.0.113.9"]), "203.0.113.9");
        assert_eq!(client("10.0.0.0/8", "::ffff:10.0.0.1", &["203.0.113.9:4711"]), "203.0.113.9");
        assert_eq!(client("::1", "::1", &["[2001:db8::7]:443"]), "2001:db8::7");
        assert_eq!(client("10.0.0.0/8", "10.0.0.1", &[]), "10.0.0.1");
    }

    #[test]
    fn only_what_our_proxies_appended_is_believed() {
        // The client sent the first part itself; the proxies appended the rest.
        assert_eq!(client("10.0.0.0/8", "10.0.0.1", &["1.2.3.4, 203.0.113.9, 10.0.0.2"]), "203.0.113.9");
        assert_eq!(client("10.0.0.0/8", "10.0.0.1", &["1.2.3.4", "203.0.113.9", "10.0.0.2"]), "203.0.113.9");
        assert_eq!(client("10.0.0.0/8", "10.0.0.1", &["203.0.113.9, nonsense, 10.0.0.2"]), "10.0.0.2");
        assert_eq!(client("10.0.0.0/8", "10.0.0.1", &["10.0.0.3, 10.0.0.2"]), "10.0.0.3");
    }

    #[test]
    fn the_addresses_of_one_customer_are_counted_together() {
        let counted = |text: &str| ClientAddress(Some(text.parse().unwrap())).counted();
        assert_eq!(counted("2001:db8:1:2:3:4:5:6"), counted("2001:db8:1:2::9"));
        assert_ne!(counted("2001:db8:1:2::9"), counted("2001:db8:1:3::9"));
        assert_eq!(counted("203.0.113.9"), "203.0.113.9");
    }
}
