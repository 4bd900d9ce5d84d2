//! The push services of browsers: `config/push.toml`.

use anyhow::{Context, Result, bail};
use finance_domain::notices::is_push_host;
use serde::Deserialize;

const FILE: &str = "config/push.toml";
const SHIPPED: &str = include_str!("../../../../config/push.toml");

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PushFile {
    hosts: Vec<String>,
}

/// The hosts of the push services of browsers.
///
/// # Errors
///
/// If `config/push.toml` is invalid. The message names the host.
pub fn push_hosts() -> Result<Vec<String>> {
    read(SHIPPED)
}

fn read(text: &str) -> Result<Vec<String>> {
    let PushFile { hosts } = toml::from_str(text).context(FILE)?;
    if let Some(host) = hosts.iter().find(|host| !is_push_host(host)) {
        bail!("{FILE}: {host:?} is no host");
    }
    Ok(hosts)
}

#[cfg(test)]
mod tests {
    use finance_domain::notices::PushHosts;

    use super::*;

    #[test]
    fn the_push_services_of_the_browsers_are_known() {
        let hosts = PushHosts::new(push_hosts().unwrap(), [""; 0], false);
        for endpoint in [
            "https://fcm.googleapis.com/fcm/send/cXyz:APA91b",
            "https://updates.push.services.mozilla.com/wpush/v2/gAAAA",
            "https://web.push.apple.com/QGuQ",
            "https://db5p.notify.windows.com/w/?token=BQYAAA",
        ] {
            assert!(hosts.check(endpoint).is_ok(), "{endpoint}");
        }
    }

    #[test]
    fn a_host_with_a_path_is_refused_by_name() {
        let error = format!("{:#}", read("hosts = [\"push.example/x\"]").unwrap_err());
        assert!(error.contains(FILE) && error.contains("push.example/x"), "{error}");
    }
}
