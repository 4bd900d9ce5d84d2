//! What leaves the machine: where notices are sent, what is sent, and what came of it.

use std::fmt;

use sha2::{Digest, Sha256};
use time::{Duration, OffsetDateTime};

use super::hosts::PushHosts;
use super::values::{Channel, Language};
use crate::error::{FieldErrors, Result};
use crate::ids::{MemberId, NoticeDeliveryId, NoticeId, ProfileId, PushDeviceId, SessionId};
use crate::violations::Violation;
use crate::webhooks::Failure;

/// The most devices of a member.
pub const DEVICES_MAX: usize = 10;
/// The most notices that are sent to a member on one day. The rest is in the list only.
pub const SENT_A_DAY_MAX: usize = 30;
/// The most bytes of what is sent to a device, before it is encrypted.
pub const PAYLOAD_BYTES_MAX: usize = 3_000;
/// The characters of a tag.
pub const TAG_CHARS: usize = 32;
/// The bytes of a device's public key: a point of P-256 that is not compressed.
pub const P256DH_BYTES: usize = 65;
/// The bytes of a device's secret.
pub const AUTH_BYTES: usize = 16;
/// The most characters of an e-mail address.
pub const EMAIL_CHARS_MAX: usize = 254;
/// The most characters before the `@` of an e-mail address.
const EMAIL_LOCAL_CHARS_MAX: usize = 64;
/// The most characters of a label of a domain's name.
const LABEL_CHARS_MAX: usize = 63;
/// How many digits a code has.
pub const CODE_DIGITS: usize = 6;
/// How many minutes a code is valid.
pub const CODE_MINUTES: i64 = 30;
/// The most guesses at a code.
pub const CODE_GUESSES_MAX: u16 = 5;
/// The most codes that are sent for a member on one day.
pub const CODES_A_DAY_MAX: u16 = 3;

/// A device of a member that notices are pushed to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PushDevice {
    /// Its id.
    pub id: PushDeviceId,
    /// The address of its push service.
    pub endpoint: String,
    /// The program that signed up, as in the list of the member's logins. None if it named none.
    pub client: Option<String>,
    /// When it signed up.
    pub created_at: OffsetDateTime,
    /// Why the last attempt to reach it failed, if it did.
    pub failure: Option<Failure>,
}

impl PushDevice {
    /// The host of its push service.
    pub fn host(&self) -> &str {
        host(&self.endpoint)
    }
}

/// The host of an endpoint, without its port.
fn host(endpoint: &str) -> &str {
    let rest = endpoint.split_once("://").map_or(endpoint, |(_, rest)| rest);
    let authority = rest.split(['/', '?']).next().unwrap_or_default();
    match authority.rsplit_once(']') {
        Some((literal, _)) => &authority[..=literal.len()],
        None => authority.split(':').next().unwrap_or_default(),
    }
}

/// A device to store, checked.
#[derive(Clone, PartialEq, Eq)]
pub struct NewPushDevice {
    /// The address of its push service, and the keys of what is sent there.
    pub target: PushTarget,
    /// The program that signs up.
    pub client: Option<String>,
    /// The login that signs up. The device goes when it is ended. None for a login of a release that stored no sessions.
    pub session_id: Option<SessionId>,
}

/// A device as a client sends it, not yet checked.
#[derive(Clone, Default)]
pub struct PushDeviceInput {
    /// Required, see [`PushHosts::check`].
    pub endpoint: Option<String>,
    /// Required: [`P256DH_BYTES`] bytes that are a point of P-256.
    pub p256dh: Option<Vec<u8>>,
    /// Required: [`AUTH_BYTES`] bytes.
    pub auth: Option<Vec<u8>>,
    /// Fields that could not be read. They are reported together with those that break a rule.
    pub errors: FieldErrors,
}

impl PushDeviceInput {
    /// Applies the rules.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`](crate::Error::Invalid) with every broken rule.
    pub fn check(self, hosts: &PushHosts, sender: &dyn NoticeSender) -> Result<PushTarget> {
        let mut errors = self.errors;
        let endpoint = errors
            .require("endpoint", self.endpoint)
            .and_then(|endpoint| errors.check("endpoint", hosts.check(&endpoint)));
        let (p256dh, auth) = (self.p256dh, self.auth);
        if !errors.has("keys") {
            let p256dh = errors.require("keys.p256dh", p256dh.as_deref());
            if p256dh.is_some_and(|bytes| bytes.len() != P256DH_BYTES || !sender.is_public_key(bytes)) {
                errors.push("keys.p256dh", Violation::NotAPublicKey);
            }
            let auth = errors.require("keys.auth", auth.as_deref());
            if auth.is_some_and(|bytes| bytes.len() != AUTH_BYTES) {
                errors.push("keys.auth", Violation::ByteCount { bytes: AUTH_BYTES as i64 });
            }
        }
        let (endpoint, p256dh, auth) = errors.all((endpoint, p256dh, auth))?;
        Ok(PushTarget { endpoint, p256dh, auth })
    }
}

/// Where a device is reached.
#[derive(Clone, PartialEq, Eq)]
pub struct PushTarget {
    /// The address of its push service. It is a secret: whoever has it can reach the device.
    pub endpoint: String,
    /// The device's public key: a point of P-256, not compressed.
    pub p256dh: Vec<u8>,
    /// The device's secret.
    pub auth: Vec<u8>,
}

// Neither the endpoint nor a key is ever logged.
impl fmt::Debug for PushTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PushTarget").finish_non_exhaustive()
    }
}

/// Where one message goes.
#[derive(Clone, PartialEq, Eq)]
pub enum Destination {
    /// A device.
    Push(PushTarget),
    /// An e-mail address.
    Email(String),
}

impl Destination {
    /// The channel, which is all that a log or a metric may say.
    pub fn channel(&self) -> Channel {
        match self {
            Destination::Push(_) => Channel::Push,
            Destination::Email(_) => Channel::Email,
        }
    }
}

impl fmt::Debug for Destination {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.channel().as_str())
    }
}

/// What the member can choose on a message. It opens the page, which acts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Action {
    /// `paid` or `tomorrow`, a colon, and the id of the notice.
    pub action: String,
    /// What its button says.
    pub title: String,
}

/// One message, as it is sent.
///
/// A push has the JSON `{title, body, tag, url, actions}` and `tag` as its `Topic`; a mail has `message_id` before the `@` of its
/// `Message-ID`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// The title, or the subject of a mail.
    pub title: String,
    /// The body.
    pub body: String,
    /// [`TAG_CHARS`] characters that a `Topic` may have, the same for every attempt.
    pub tag: String,
    /// The same for every attempt. It is another one when a notice that was put off is sent again, so that no mailbox takes it for the
    /// first one.
    pub message_id: String,
    /// The path of the page that it opens. `/` if none.
    pub url: String,
    /// What the member can choose.
    pub actions: Vec<Action>,
    /// The language of the texts.
    pub language: Language,
    /// After this nobody needs it any more: the `TTL` of a push ends here.
    pub expires_at: OffsetDateTime,
}

/// What came of an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// It was accepted.
    Done,
    /// The device does not exist any more: a status of 404 or 410.
    Gone,
    /// The receiver asks to wait: a status of 429, or a temporary refusal that names a time.
    RetryAfter(Duration),
    /// It was not accepted. It is tried again for a day.
    Failed(Failure),
}

/// Sends messages, and knows what is configured.
pub trait NoticeSender: Send + Sync {
    /// The public key that devices sign up with, in Base64 for URLs without padding. None if push is not configured.
    fn push_key(&self) -> Option<&str>;
    /// Whether mail is configured.
    fn has_mail(&self) -> bool;
    /// Whether [`P256DH_BYTES`] bytes are a point of P-256.
    fn is_public_key(&self, p256dh: &[u8]) -> bool;
    /// Sends a message. Takes less time than [`LEASE_SECONDS`](crate::webhooks::LEASE_SECONDS).
    fn send(&self, destination: &Destination, message: &Message, now: OffsetDateTime) -> Outcome;
}

/// The tag of a notice: the same for every attempt and every device, another one for every notice.
///
/// ```
/// use finance_domain::notices::tag;
/// use finance_domain::{NoticeId, ProfileId};
///
/// let one = tag(ProfileId(1), NoticeId(7));
/// assert_eq!((one.len(), &one), (32, &tag(ProfileId(1), NoticeId(7))));
/// assert_ne!(one, tag(ProfileId(17), NoticeId(7)));
/// ```
pub fn tag(profile_id: ProfileId, notice_id: NoticeId) -> String {
    tag_of(&format!("notice:{profile_id}:{notice_id}"))
}

/// The tag of what is no notice: a test of a device, or a code.
pub fn tag_of_delivery(profile_id: ProfileId, delivery_id: NoticeDeliveryId) -> String {
    tag_of(&format!("delivery:{profile_id}:{delivery_id}"))
}

fn tag_of(text: &str) -> String {
    let digest = Sha256::digest(text.as_bytes());
    digest.iter().take(TAG_CHARS / 2).map(|byte| format!("{byte:02x}")).collect()
}

/// The hash of a code. It differs between members, so that equal codes do not show.
pub fn code_hash(profile_id: ProfileId, member_id: MemberId, code: &str) -> String {
    let digest = Sha256::digest(format!("{profile_id}:{member_id}:{code}").as_bytes());
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Checks an e-mail address, and returns it without spaces around it.
///
/// ```
/// use finance_domain::notices::check_email;
///
/// assert_eq!(check_email(" ana@example.com ").as_deref(), Ok("ana@example.com"));
/// for wrong in ["", "ana", "@example.com", "ana@", "ana@@example.com", "a na@example.com", "ana@example", "ana@-a.com"] {
///     assert!(check_email(wrong).is_err(), "{wrong}");
/// }
/// ```
///
/// # Errors
///
/// [`Violation::NotAnEmailAddress`].
pub fn check_email(text: &str) -> Result<String, Violation> {
    let text = text.trim();
    let (local, domain) = text.rsplit_once('@').ok_or(Violation::NotAnEmailAddress)?;
    let is_atom = |byte: u8| byte.is_ascii_alphanumeric() || b".!#$%&'*+-/=?^_`{|}~".contains(&byte);
    let is_local = (1..=EMAIL_LOCAL_CHARS_MAX).contains(&local.len())
        && local.bytes().all(is_atom)
        && !local.starts_with('.')
        && !local.ends_with('.')
        && !local.contains("..");
    let is_label = |label: &str| {
        (1..=LABEL_CHARS_MAX).contains(&label.len())
            && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    let is_domain = domain.contains('.') && domain.split('.').all(is_label);
    match is_local && is_domain && text.len() <= EMAIL_CHARS_MAX {
        true => Ok(text.to_string()),
        false => Err(Violation::NotAnEmailAddress),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_host_of_an_endpoint_has_no_port() {
        for (endpoint, expected) in [
            ("https://fcm.googleapis.com/fcm/send/abc", "fcm.googleapis.com"),
            ("http://127.0.0.1:9000/push?x", "127.0.0.1"),
            ("https://[::1]:8443/x", "[::1]"),
            ("https://push.example", "push.example"),
        ] {
            assert_eq!(host(endpoint), expected);
        }
    }

    #[test]
    fn a_tag_can_be_a_topic() {
        let tag = tag(ProfileId(i64::MAX), NoticeId(i64::MAX));
        assert_eq!(tag.len(), TAG_CHARS);
        assert!(tag.bytes().all(|byte| byte.is_ascii_alphanumeric()));
        assert_ne!(tag, tag_of_delivery(ProfileId(i64::MAX), NoticeDeliveryId(i64::MAX)));
    }

    #[test]
    fn what_is_printed_tells_no_address() {
        let target = PushTarget { endpoint: "https://secret.example/x".into(), p256dh: vec![7], auth: vec![9] };
        assert_eq!(format!("{target:?}"), "PushTarget { .. }");
        assert_eq!(format!("{:?}", Destination::Push(target)), "push");
        assert_eq!(format!("{:?}", Destination::Email("ana@example.com".into())), "email");
    }

    #[test]
    fn long_addresses_are_refused() {
        let label = "d".repeat(60);
        let long = format!("ana@{label}.{label}.{label}.{label}.example.com");
        assert!(check_email(&long).is_err());
        assert!(check_email(&format!("{}@example.com", "a".repeat(65))).is_err());
        for wrong in
            ["ana\r\nBcc: x@example.com", "ana@exam\nple.com", "<ana@example.com>", "á@example.com", "a..b@x.com"]
        {
            assert!(check_email(wrong).is_err(), "{wrong:?}");
        }
        for good in ["a.b+c@sub.example.com.br", "o'brien@xn--bcher-kva.example", "1@2.co"] {
            assert_eq!(check_email(good).as_deref(), Ok(good));
        }
    }
}
