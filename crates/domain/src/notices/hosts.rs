//! The push services to which notices may be sent.

use std::net::IpAddr;

use crate::violations::Violation;
use crate::webhooks::check_url;

/// The push services: those that are known, and those of the operator.
///
/// ```
/// use finance_domain::notices::PushHosts;
///
/// let hosts = PushHosts::new(["fcm.googleapis.com", "*.push.apple.com"], ["push.casa.example:8443"], false);
/// assert!(hosts.check("https://fcm.googleapis.com/fcm/send/abc").is_ok());
/// assert!(hosts.check("https://web.push.apple.com/x").is_ok());
/// assert!(hosts.check("https://push.casa.example:8443/x").is_ok());
/// for wrong in ["http://fcm.googleapis.com/x", "https://push.apple.com/x", "https://push.casa.example/x", "https://evil.example/x"] {
///     assert!(hosts.check(wrong).is_err(), "{wrong}");
/// }
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PushHosts {
    /// The hosts of `config/push.toml`. One that begins with `*.` stands for every name below it.
    known: Vec<String>,
    /// The hosts of `FINANCE_PUSH_HOSTS`, likewise. One with a port stands for that port only.
    own: Vec<String>,
    /// Whether addresses of private networks are allowed, and `http` for `own`.
    allows_private: bool,
}

impl PushHosts {
    /// The push services of these hosts.
    pub fn new<K, O>(known: K, own: O, allows_private: bool) -> Self
    where
        K: IntoIterator<Item: AsRef<str>>,
        O: IntoIterator<Item: AsRef<str>>,
    {
        PushHosts {
            known: known.into_iter().map(|host| host.as_ref().to_ascii_lowercase()).collect(),
            own: own.into_iter().map(|host| host.as_ref().to_ascii_lowercase()).collect(),
            allows_private,
        }
    }

    /// Whether addresses of private networks are allowed.
    pub fn allows_private(&self) -> bool {
        self.allows_private
    }

    /// Checks the endpoint of a device, and returns it as it is stored. Whether a host has a public address is only known when it is
    /// resolved.
    ///
    /// # Errors
    ///
    /// [`Violation::NotAWebAddress`], [`Violation::PrivateAddress`] or [`Violation::NotAPushService`].
    pub fn check(&self, endpoint: &str) -> Result<String, Violation> {
        let endpoint = check_url(endpoint, self.allows_private)?;
        let (scheme, rest) = endpoint.split_once("://").ok_or(Violation::NotAWebAddress)?;
        let authority = rest.split(['/', '?']).next().unwrap_or_default().to_ascii_lowercase();
        let is_own = self.own.iter().any(|host| is_of(&authority, host));
        let is_known = is_own || self.known.iter().any(|host| is_of(&authority, host));
        let is_safe = scheme == "https" || (is_own && self.allows_private);
        if is_known && is_safe { Ok(endpoint) } else { Err(Violation::NotAPushService) }
    }
}

/// Whether the text is a host as [`PushHosts`] has them: a name, an address, or `*.` and a name, with a port or without.
///
/// ```
/// use finance_domain::notices::is_push_host;
///
/// for good in ["push.example", "*.push.example", "push.example:8443", "127.0.0.1:9000", "[::1]:9000", "localhost"] {
///     assert!(is_push_host(good), "{good}");
/// }
/// for wrong in ["", "*", "*.", "https://push.example", "push.example/x", "a b", "push.example:0", "*.127.0.0.1", "*.*.example"] {
///     assert!(!is_push_host(wrong), "{wrong}");
/// }
/// ```
pub fn is_push_host(text: &str) -> bool {
    let (name, is_pattern) = match text.strip_prefix("*.") {
        Some(name) => (name, true),
        None => (text, false),
    };
    let has_path = name.contains(['/', '?', '@']);
    let is_address = name.split(':').next().is_some_and(|name| name.parse::<IpAddr>().is_ok()) || name.starts_with('[');
    let is_name = !has_path && (!is_pattern || !is_address);
    is_name && check_url(&format!("https://{name}/"), true).is_ok()
}

/// Whether an authority is of a host. A host without a port stands for every port.
fn is_of(authority: &str, host: &str) -> bool {
    let (name, port) = split_port(authority);
    let (wanted, wanted_port) = split_port(host);
    let name = name.strip_suffix('.').unwrap_or(name);
    let is_name = match wanted.strip_prefix("*.") {
        // At least one label stands before it.
        Some(parent) => name.strip_suffix(parent).is_some_and(|labels| labels.len() > 1 && labels.ends_with('.')),
        None => name == wanted,
    };
    is_name && (wanted_port.is_none() || wanted_port == port)
}

fn split_port(authority: &str) -> (&str, Option<&str>) {
    match authority.rsplit_once(':') {
        Some((name, port)) if !port.contains(']') => (name, Some(port)),
        _ => (authority, None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_endpoint_is_of_a_known_push_service() {
        let known = ["fcm.googleapis.com", "*.notify.windows.com"];
        let open = PushHosts::new(known, ["127.0.0.1:9000", "[::1]", "LocalHost"], true);
        for good in [
            "https://FCM.googleapis.com/x",
            "https://fcm.googleapis.com./x",
            "https://db5.notify.windows.com/w/?token=abc%2b",
            "http://127.0.0.1:9000/push",
            "https://127.0.0.1:9000/push",
            "http://[::1]:7000/push",
            "http://localhost:1/",
        ] {
            assert_eq!(open.check(good).as_deref(), Ok(good));
        }
        for wrong in [
            "http://fcm.googleapis.com/x",
            "http://127.0.0.1:9001/push",
            "https://notify.windows.com/x",
            "https://evilnotify.windows.com/x",
            "https://fcm.googleapis.com.evil.example/x",
            "https://evil.example/fcm.googleapis.com",
            "https://evil.example/?https://fcm.googleapis.com",
        ] {
            assert_eq!(open.check(wrong), Err(Violation::NotAPushService), "{wrong}");
        }
        for wrong in
            ["", "fcm.googleapis.com", "https://fcm.googleapis.com@evil.example/x", "ftp://fcm.googleapis.com/"]
        {
            assert_eq!(open.check(wrong), Err(Violation::NotAWebAddress), "{wrong}");
        }
        let closed = PushHosts::new(known, ["127.0.0.1:9000", "push.casa.example"], false);
        assert_eq!(closed.check("https://127.0.0.1:9000/push"), Err(Violation::PrivateAddress));
        assert_eq!(closed.check("http://push.casa.example/x"), Err(Violation::NotAPushService));
        assert!(closed.check("https://push.casa.example/x").is_ok());
    }
}
