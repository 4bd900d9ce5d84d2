//! Sends one delivery of a webhook.

use std::fmt::Write;

use finance_domain::webhooks::{Attempt, Failure, Outgoing, WebhookSender};
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;
use ureq::Agent;

use crate::agent::{agent, failure};

/// The header of the signature.
const SIGNATURE: &str = "Finance-Signature";

/// Sends deliveries over HTTP. Only the status of the answer is read.
#[derive(Debug)]
pub struct HttpSender {
    agent: Agent,
}

impl HttpSender {
    /// A sender that connects to addresses of private networks only if `allows_private` is set.
    pub fn new(allows_private: bool) -> Self {
        HttpSender { agent: agent(allows_private) }
    }
}

impl WebhookSender for HttpSender {
    fn send(&self, outgoing: &Outgoing, now: OffsetDateTime) -> Attempt {
        let body = body(outgoing);
        let request = self
            .agent
            .post(&outgoing.url)
            .header("Content-Type", "application/json")
            .header(SIGNATURE, signature(&outgoing.secret, now.unix_timestamp(), &body));
        match request.send(body.as_bytes()) {
            Ok(response) => {
                let status = response.status();
                let failure = match status {
                    status if status.is_success() => None,
                    status if status.is_redirection() => Some(Failure::Redirect),
                    _ => Some(Failure::Status),
                };
                Attempt { status: Some(status.as_u16()), failure }
            }
            Err(error) => Attempt { status: None, failure: Some(failure(&error)) },
        }
    }
}

/// The body of the request: `{id, type, created_at, data}`. Each part is JSON already or has no character that JSON escapes.
fn body(outgoing: &Outgoing) -> String {
    let Outgoing { event_id, event_type, created_at, data, .. } = outgoing;
    let at = created_at.to_offset(time::UtcOffset::UTC).format(&Rfc3339).unwrap_or_default();
    format!(r#"{{"id":"{event_id}","type":"{}","created_at":"{at}","data":{data}}}"#, event_type.as_str())
}

/// `t=…,v1=…`: the Unix time in seconds, and the HMAC-SHA256 of the time, a dot and the body, in hexadecimal.
fn signature(secret: &str, seconds: i64, body: &str) -> String {
    let mut text = format!("t={seconds},v1=");
    // Never fails: HMAC accepts a key of any length.
    if let Ok(mut mac) = <Hmac<Sha256>>::new_from_slice(secret.as_bytes()) {
        mac.update(format!("{seconds}.{body}").as_bytes());
        for byte in mac.finalize().into_bytes() {
            // Writing to a `String` does not fail.
            let _ = write!(text, "{byte:02x}");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signature_is_that_of_openssl() {
        // printf '%s' '1773579600.{"a":1}' | openssl dgst -sha256 -hmac whs_key
        let signed = signature("whs_key", 1_773_579_600, r#"{"a":1}"#);
        assert_eq!(signed, "t=1773579600,v1=48e9e4c58dc65c3580989c3dbee43e4f4b85c26af6bb85d2cc82f9141f00ad3f");
    }
}
