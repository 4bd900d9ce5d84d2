//! Sends one message to the push service of a device.

use finance_domain::notices::{Message, Outcome, PAYLOAD_BYTES_MAX, PushTarget};
use finance_domain::webhooks::Failure;
use serde_json::json;
use time::format_description::well_known::Rfc2822;
use time::{Duration, OffsetDateTime};
use ureq::Agent;
use ureq::http::{HeaderMap, StatusCode, header};

use crate::agent::{agent, failure};
use crate::encryption::{DeviceKeys, encrypt};
use crate::vapid::PushKey;

/// What stands at the end of a text that was cut.
const CUT: char = '…';

/// Sends messages to push services. Only the head of an answer is read.
#[derive(Debug)]
pub struct Push {
    agent: Agent,
    key: PushKey,
    subject: Option<String>,
}

impl Push {
    /// A sender with the key of this service. `subject` is an https or mailto address where the operator of a push service reaches
    /// whoever runs this one; without it the signature names nobody, which some push services refuse.
    pub fn new(key: PushKey, subject: Option<String>, allows_private: bool) -> Self {
        Push { agent: agent(allows_private), key, subject }
    }

    /// The public key, see [`PushKey::public_key`].
    pub fn public_key(&self) -> &str {
        self.key.public_key()
    }

    /// Sends a message to a device.
    pub(crate) fn send(&self, target: &PushTarget, message: &Message, now: OffsetDateTime) -> Outcome {
        let device = DeviceKeys { point: &target.p256dh, auth: &target.auth };
        let Some(origin) = origin(&target.endpoint) else { return Outcome::Failed(Failure::Connection) };
        let body = encrypt(payload(message).as_bytes(), device);
        let authorization = self.key.authorization(origin, self.subject.as_deref(), now);
        let (Ok(body), Ok(authorization)) = (body, authorization) else {
            return Outcome::Failed(Failure::Connection);
        };
        let ttl = (message.expires_at - now).whole_seconds().max(0);
        let request = self
            .agent
            .post(&target.endpoint)
            .header("Authorization", authorization)
            .header("Content-Encoding", "aes128gcm")
            .header("Content-Type", "application/octet-stream")
            .header("TTL", ttl.to_string())
            .header("Topic", &message.tag)
            .header("Urgency", "normal");
        match request.send(&body[..]) {
            Ok(response) => outcome(response.status(), response.headers(), now),
            Err(error) => Outcome::Failed(failure(&error)),
        }
    }
}

/// What a status means.
fn outcome(status: StatusCode, headers: &HeaderMap, now: OffsetDateTime) -> Outcome {
    match status {
        StatusCode::NOT_FOUND | StatusCode::GONE => Outcome::Gone,
        StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE => {
            let wait = headers.get(header::RETRY_AFTER).and_then(|value| retry_after(value.to_str().ok()?, now));
            wait.map_or(Outcome::Failed(Failure::Status), Outcome::RetryAfter)
        }
        status if status.is_success() => Outcome::Done,
        status if status.is_redirection() => Outcome::Failed(Failure::Redirect),
        _ => Outcome::Failed(Failure::Status),
    }
}

/// The wait that `Retry-After` names: seconds, or a date.
fn retry_after(text: &str, now: OffsetDateTime) -> Option<Duration> {
    let text = text.trim();
    match text.parse::<u32>() {
        Ok(seconds) => Some(Duration::seconds(i64::from(seconds))),
        Err(_) => Some((OffsetDateTime::parse(text, &Rfc2822).ok()? - now).max(Duration::ZERO)),
    }
}

/// The origin of an endpoint, for which the signature is valid.
fn origin(endpoint: &str) -> Option<&str> {
    let (scheme, rest) = endpoint.split_once("://")?;
    let authority = rest.split(['/', '?', '#']).next()?;
    endpoint.get(..scheme.len() + "://".len() + authority.len())
}

/// What the device gets, at most [`PAYLOAD_BYTES_MAX`] bytes. A text that is too long is cut, first the body.
fn payload(message: &Message) -> String {
    let actions: Vec<_> =
        message.actions.iter().map(|action| json!({ "action": action.action, "title": action.title })).collect();
    let written = |title: &str, body: &str| {
        json!({ "title": title, "body": body, "tag": message.tag, "url": message.url, "actions": actions }).to_string()
    };
    let whole = written(&message.title, &message.body);
    if whole.len() <= PAYLOAD_BYTES_MAX {
        return whole;
    }
    let title = cut(&message.title, PAYLOAD_BYTES_MAX.saturating_sub(written("", "").len()));
    let body = cut(&message.body, PAYLOAD_BYTES_MAX.saturating_sub(written(&title, "").len()));
    written(&title, &body)
}

/// The beginning of a text that takes at most this many bytes within a JSON string.
fn cut(text: &str, bytes_max: usize) -> String {
    let bytes = |letter: char| match letter {
        '"' | '\\' => 2,
        letter if letter < ' ' => 6,
        letter => letter.len_utf8(),
    };
    if text.chars().map(bytes).sum::<usize>() <= bytes_max {
        return text.to_string();
    }
    let mut left = bytes_max.saturating_sub(CUT.len_utf8());
    let fits = |letter: &char| match left.checked_sub(bytes(*letter)) {
        Some(rest) => {
            left = rest;
            true
        }
        None => false,
    };
    let mut kept: String = text.chars().take_while(fits).collect();
    if bytes_max >= CUT.len_utf8() {
        kept.push(CUT);
    }
    kept
}

#[cfg(test)]
mod tests {
    use finance_domain::notices::{Action, Language};

    use super::*;

    fn now() -> OffsetDateTime {
        OffsetDateTime::from_unix_timestamp(1_773_579_600).unwrap()
    }

    fn message(title: &str, body: &str) -> Message {
        Message {
            title: title.into(),
            body: body.into(),
            tag: "0123456789abcdef0123456789abcdef".into(),
            message_id: "x".into(),
            url: "/cards".into(),
            actions: vec![Action { action: "paid:7".into(), title: "Paguei".into() }],
            language: Language::Portuguese,
            expires_at: now(),
        }
    }

    #[test]
    fn a_payload_says_what_the_device_shows() {
        let found: serde_json::Value = serde_json::from_str(&payload(&message("Fatura", "É \"hoje\""))).unwrap();
        let expected = json!({
            "title": "Fatura",
            "body": "É \"hoje\"",
            "tag": "0123456789abcdef0123456789abcdef",
            "url": "/cards",
            "actions": [{ "action": "paid:7", "title": "Paguei" }],
        });
        assert_eq!(found, expected);
    }

    #[test]
    fn a_payload_keeps_to_its_bytes() {
        for letter in ["a", "é", "\"", "\u{1}", "🎉", "\n"] {
            for (title, body) in [(10, 2_900), (10, 5_000), (5_000, 10), (5_000, 5_000)] {
                let text = payload(&message(&letter.repeat(title), &letter.repeat(body)));
                assert!(text.len() <= PAYLOAD_BYTES_MAX, "{letter:?} {title} {body}: {}", text.len());
                let fields: serde_json::Value = serde_json::from_str(&text).unwrap();
                assert_eq!(fields["url"], "/cards");
                let is_whole = fields["title"].as_str().unwrap().chars().count() == title;
                assert!(is_whole || fields["title"].as_str().unwrap().ends_with(CUT));
            }
        }
        let text = payload(&message("Fatura", &"a".repeat(5_000)));
        assert_eq!(text.len(), PAYLOAD_BYTES_MAX);
        assert!(text.contains("a…\""));
    }

    #[test]
    fn the_signature_is_for_the_origin_of_the_endpoint() {
        assert_eq!(origin("https://push.example/a/b?c"), Some("https://push.example"));
        assert_eq!(origin("https://push.example:8443?x"), Some("https://push.example:8443"));
        assert_eq!(origin("http://[::1]:9/x"), Some("http://[::1]:9"));
        assert_eq!(origin("push.example"), None);
    }

    #[test]
    fn a_status_says_whether_and_when_to_try_again() {
        let judge = |status: u16, wait: Option<&str>| {
            let mut headers = HeaderMap::new();
            if let Some(wait) = wait {
                headers.insert(header::RETRY_AFTER, wait.parse().unwrap());
            }
            outcome(StatusCode::from_u16(status).unwrap(), &headers, now())
        };
        let failed = |failure| Outcome::Failed(failure);
        for (status, expected) in [
            (200, Outcome::Done),
            (201, Outcome::Done),
            (204, Outcome::Done),
            (301, failed(Failure::Redirect)),
            (307, failed(Failure::Redirect)),
            (400, failed(Failure::Status)),
            (403, failed(Failure::Status)),
            (404, Outcome::Gone),
            (410, Outcome::Gone),
            (413, failed(Failure::Status)),
            (429, failed(Failure::Status)),
            (500, failed(Failure::Status)),
            (503, failed(Failure::Status)),
        ] {
            assert_eq!(judge(status, None), expected, "{status}");
        }
        for status in [429, 503] {
            assert_eq!(judge(status, Some("120")), Outcome::RetryAfter(Duration::minutes(2)));
            // 2026-03-15T13:00:00Z is `now`.
            assert_eq!(judge(status, Some("Sun, 15 Mar 2026 13:05:00 GMT")), Outcome::RetryAfter(Duration::minutes(5)));
            assert_eq!(judge(status, Some("Sun, 15 Mar 2026 12:00:00 GMT")), Outcome::RetryAfter(Duration::ZERO));
            assert_eq!(judge(status, Some("soon")), failed(Failure::Status));
        }
        assert_eq!(judge(500, Some("120")), failed(Failure::Status));
    }
}
