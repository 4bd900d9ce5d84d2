//! The addresses that webhooks may use: public addresses of the internet, and none of the networks that this service is in.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use crate::violations::Violation;

/// The most characters of an address.
pub const URL_CHARS_MAX: usize = 2_000;

/// IPv4 networks that are not public, each with its prefix length: those of IANA's special-purpose registry, multicast, and
/// reserved ones.
const SPECIAL_V4: [(Ipv4Addr, u32); 15] = [
    (Ipv4Addr::new(0, 0, 0, 0), 8),
    (Ipv4Addr::new(10, 0, 0, 0), 8),
    (Ipv4Addr::new(100, 64, 0, 0), 10),
    (Ipv4Addr::new(127, 0, 0, 0), 8),
    (Ipv4Addr::new(169, 254, 0, 0), 16),
    (Ipv4Addr::new(172, 16, 0, 0), 12),
    (Ipv4Addr::new(192, 0, 0, 0), 24),
    (Ipv4Addr::new(192, 0, 2, 0), 24),
    (Ipv4Addr::new(192, 88, 99, 0), 24),
    (Ipv4Addr::new(192, 168, 0, 0), 16),
    (Ipv4Addr::new(198, 18, 0, 0), 15),
    (Ipv4Addr::new(198, 51, 100, 0), 24),
    (Ipv4Addr::new(203, 0, 113, 0), 24),
    (Ipv4Addr::new(224, 0, 0, 0), 4),
    (Ipv4Addr::new(240, 0, 0, 0), 4),
];

/// Networks within the global unicast addresses of IPv6 that are not public: protocol assignments (Teredo among them),
/// documentation, and 6to4, which embeds IPv4 addresses.
const SPECIAL_V6: [(Ipv6Addr, u32); 4] = [
    (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 23),
    (Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0), 32),
    (Ipv6Addr::new(0x2002, 0, 0, 0, 0, 0, 0, 0), 16),
    (Ipv6Addr::new(0x3fff, 0, 0, 0, 0, 0, 0, 0), 20),
];
/// The global unicast addresses. All others are loopback, private, link-local or multicast, or embed an IPv4 address.
const GLOBAL_V6: (Ipv6Addr, u32) = (Ipv6Addr::new(0x2000, 0, 0, 0, 0, 0, 0, 0), 3);

/// Whether an address is a public address of the internet.
///
/// ```
/// use finance_domain::webhooks::is_public;
///
/// assert!(is_public("93.184.215.14".parse().unwrap()));
/// assert!(!is_public("192.168.0.7".parse().unwrap()));
/// assert!(!is_public("::ffff:127.0.0.1".parse().unwrap()));
/// ```
pub fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => {
            let within = |(net, bits): &(Ipv4Addr, u32)| (address.to_bits() ^ net.to_bits()) >> (32 - bits) == 0;
            !SPECIAL_V4.iter().any(within)
        }
        IpAddr::V6(address) => {
            let within = |(net, bits): &(Ipv6Addr, u32)| (address.to_bits() ^ net.to_bits()) >> (128 - bits) == 0;
            within(&GLOBAL_V6) && !SPECIAL_V6.iter().any(within)
        }
    }
}

/// Checks the URL of a webhook and returns it as it is stored. Whether a host name has a public address is only known when it is
/// resolved.
///
/// # Errors
///
/// [`Violation::NotAWebAddress`], or [`Violation::PrivateAddress`] unless `allows_private`.
pub fn check_url(text: &str, allows_private: bool) -> Result<String, Violation> {
    let text = text.trim();
    let host = host(text).ok_or(Violation::NotAWebAddress)?;
    let address = match host.strip_prefix('[') {
        Some(literal) => {
            Some(IpAddr::V6(literal.trim_end_matches(']').parse().map_err(|_| Violation::NotAWebAddress)?))
        }
        // Some programs read a name that ends in a number as an IPv4 address, in forms that nobody writes by accident.
        None if ends_in_a_number(host) => Some(IpAddr::V4(host.parse().map_err(|_| Violation::NotAWebAddress)?)),
        None => None,
    };
    let name = host.trim_end_matches('.').to_ascii_lowercase();
    let is_local = name == "localhost" || name.ends_with(".localhost");
    if !allows_private && (is_local || address.is_some_and(|address| !is_public(address))) {
        return Err(Violation::PrivateAddress);
    }
    Ok(text.to_string())
}

/// The host of an `http` or `https` URL that has neither a user nor a fragment.
fn host(text: &str) -> Option<&str> {
    let is_plain = |byte: u8| byte.is_ascii_graphic() && !b"\"<>\\^`{|}#".contains(&byte);
    if text.len() > URL_CHARS_MAX || !text.bytes().all(is_plain) {
        return None;
    }
    let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"))?;
    let authority = rest.split(['/', '?']).next()?;
    let (host, port) = match authority.rsplit_once(']') {
        Some((literal, port)) => {
            (&authority[..=literal.len()], port.strip_prefix(':').or(port.is_empty().then_some("1"))?)
        }
        None => authority.split_once(':').unwrap_or((authority, "1")),
    };
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || b".-_".contains(&byte);
    let is_host = host.starts_with('[') || (!host.is_empty() && host.bytes().all(is_name));
    let is_port = port.bytes().all(|byte| byte.is_ascii_digit()) && port.parse::<u16>().is_ok_and(|port| port > 0);
    (is_host && is_port).then_some(host)
}

fn ends_in_a_number(host: &str) -> bool {
    let last = host.trim_end_matches('.').rsplit('.').next().unwrap_or_default();
    let digits = last.strip_prefix("0x").or_else(|| last.strip_prefix("0X"));
    !last.is_empty()
        && (last.bytes().all(|byte| byte.is_ascii_digit())
            || digits.is_some_and(|hex| hex.bytes().all(|byte| byte.is_ascii_hexdigit())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_no_public_network_are_known() {
        for text in [
            "0.0.0.0",
            "0.1.2.3",
            "10.0.0.1",
            "100.64.0.1",
            "100.127.255.255",
            "127.0.0.1",
            "127.255.255.254",
            "169.254.169.254",
            "172.16.0.1",
            "172.31.255.255",
            "192.0.0.8",
            "192.0.2.1",
            "192.88.99.1",
            "192.168.1.1",
            "198.18.0.1",
            "198.19.255.255",
            "198.51.100.1",
            "203.0.113.9",
            "224.0.0.1",
            "239.255.255.255",
            "240.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::7f00:1",
            "::ffff:10.0.0.1",
            "::ffff:93.184.215.14",
            "64:ff9b::7f00:1",
            "64:ff9b:1::1",
            "100::1",
            "2001::1",
            "2001:1ff::1",
            "2001:db8::1",
            "2002:7f00:1::",
            "3fff::1",
            "fc00::1",
            "fd12:3456::1",
            "fe80::1",
            "fec0::1",
            "ff02::1",
        ] {
            assert!(!is_public(text.parse().unwrap()), "{text}");
        }
        for text in [
            "1.1.1.1",
            "9.255.255.255",
            "11.0.0.0",
            "100.63.255.255",
            "100.128.0.0",
            "172.15.255.255",
            "172.32.0.0",
            "192.0.1.0",
            "198.17.255.255",
            "198.20.0.0",
            "223.255.255.255",
            "2001:200::1",
            "2606:4700::1111",
            "2a00:1450:4001::1",
        ] {
            assert!(is_public(text.parse().unwrap()), "{text}");
        }
    }

    #[test]
    fn an_address_is_of_the_web_and_public() {
        for good in [
            "https://hooks.example/finance?key=1",
            "http://hooks.example:8080",
            "https://93.184.215.14/x",
            " https://a.example/ ",
            "https://[2606:4700::1111]:8443/x",
            "https://a_b.example?x",
        ] {
            assert_eq!(check_url(good, false).as_deref(), Ok(good.trim()));
        }
        for private in [
            "http://127.0.0.1/",
            "http://localhost:9/",
            "http://LOCALHOST./",
            "http://a.localhost",
            "https://10.1.2.3",
            "http://[::1]/",
            "http://[::ffff:7f00:1]:80/",
            "http://169.254.169.254/latest/meta-data",
        ] {
            assert_eq!(check_url(private, false), Err(Violation::PrivateAddress), "{private}");
            assert!(check_url(private, true).is_ok(), "{private}");
        }
        let long = format!("https://a.example/{}", "x".repeat(URL_CHARS_MAX));
        for wrong in [
            "",
            "hooks.example",
            "ftp://hooks.example",
            "https://",
            "https:///x",
            "https://user@hooks.example",
            "https://a.example/#x",
            "https://a.example:0",
            "https://a.example:99999",
            "https://a.example:+1",
            "https://a b.example",
            "https://é.example",
            "https://2130706433/",
            "https://0x7f000001/",
            "https://0x7f.1",
            "https://127.1",
            "https://0177.0.0.1",
            "https://[::1",
            "https://[zz]/",
            "https://a\\b.example",
            "https://1.2.3.4.5",
            "javascript:alert(1)",
            "https://[::1%25eth0]/",
            &long,
        ] {
            assert_eq!(check_url(wrong, true), Err(Violation::NotAWebAddress), "{wrong}");
        }
    }
}
