//! Devices that notices are pushed to. A [`Receiver`] is their push service.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use finance_adapters_delivery::{Channels, Mail, MailServer, Push, PushKey, Sender};
use ring::aead::{AES_128_GCM, Aad, LessSafeKey, Nonce, UnboundKey};
use ring::hkdf::{HKDF_SHA256, KeyType, Prk, Salt};
use ring::signature::{ECDSA_P256_SHA256_FIXED, UnparsedPublicKey};
use serde_json::{Value, json};
use time::OffsetDateTime;

use crate::curve::{public_key, shared_secret};
use crate::mailbox::Mailbox;
use crate::receiver::{Received, Receiver};

/// The key of the services of tests, as `FINANCE_PUSH_KEY` has it.
pub const PUSH_KEY: &str = "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgM0sCWBWs6NF7nHi0WfxSFmGBdg1FOIZ5uUEkTGJ3Limh\
    RANCAARvq_92JACNLxuE9MmQ6Dj-Zu7fs4TfsZMH5Isj5NUIHqbvqTWy1tK02b3kSloyzAafrYSm8GoZiMjymCvx_RMT";
/// Whom the signatures of tests name.
const SUBJECT: &str = "https://finance.example";

/// The public key of [`PUSH_KEY`].
pub fn public_push_key() -> String {
    PushKey::parse(PUSH_KEY).expect("a key").public_key().to_string()
}

/// The channels of a service under test: push by [`PUSH_KEY`], and mail to a mailbox if there is one. Private addresses are allowed.
pub fn channels(mailbox: Option<&Mailbox>) -> Channels {
    let push = Push::new(PushKey::parse(PUSH_KEY).expect("a key"), Some(SUBJECT.to_string()), true);
    let mail = mailbox.map(|mailbox| {
        let server = MailServer::parse(&mailbox.url()).expect("a server");
        let from = Sender::parse("Finance <finance@finance.example>").expect("an address");
        Mail::new(server, from, Some(SUBJECT.to_string()))
    });
    Channels::new(Some(push), mail)
}

/// A device with its private key.
#[derive(Debug, Clone)]
pub struct Device {
    endpoint: String,
    private: [u8; 32],
    public: Vec<u8>,
    auth: [u8; 16],
}

/// What a device was sent.
#[derive(Debug, Clone, PartialEq)]
pub struct Pushed {
    /// What it shows: `{title, body, tag, url, actions}`.
    pub payload: Value,
    /// The bytes of the payload.
    pub bytes: usize,
    /// The `Topic`.
    pub topic: String,
    /// The `TTL`, in seconds.
    pub ttl: i64,
}

impl Device {
    /// A device whose push service is a receiver. The number makes its keys, and ends its endpoint.
    pub fn new(service: &Receiver, number: u8) -> Self {
        let private = [number.wrapping_add(1); 32];
        let endpoint = service.url(&format!("/push/{number}"));
        Device { endpoint, public: public_key(&private), private, auth: [number; 16] }
    }

    /// The address of the device at its push service.
    pub fn endpoint(&self) -> &str {
        &self.endpoint
    }

    /// Moves the device to another endpoint.
    pub fn at(mut self, endpoint: &str) -> Self {
        self.endpoint = endpoint.to_string();
        self
    }

    /// The JSON of its `PushSubscription`.
    pub fn subscription(&self) -> Value {
        let encoded = |bytes: &[u8]| URL_SAFE_NO_PAD.encode(bytes);
        json!({
            "endpoint": self.endpoint,
            "expirationTime": null,
            "keys": { "p256dh": encoded(&self.public), "auth": encoded(&self.auth) },
        })
    }

    /// Whether a request is for this device.
    pub fn is_of(&self, request: &Received) -> bool {
        let path = self.endpoint.splitn(4, '/').nth(3).unwrap_or_default();
        request.head.first().is_some_and(|line| line.starts_with(&format!("POST /{path} ")))
    }

    /// Checks the signature and the head of a request, and decrypts its body. `now` is the instant of the service's clock.
    #[track_caller]
    pub fn open(&self, request: &Received, now: OffsetDateTime) -> Pushed {
        assert!(self.is_of(request), "{:?}", request.head);
        assert_signed(request, &self.endpoint, now);
        assert_eq!(request.header("Content-Encoding"), Some("aes128gcm"));
        let payload = self.decrypt(&request.bytes);
        let topic = request.header("Topic").expect("a topic").to_string();
        assert!(topic.len() <= 32 && topic.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte)));
        let ttl = request.header("TTL").and_then(|ttl| ttl.parse().ok()).expect("a TTL");
        let bytes = payload.len();
        Pushed { payload: serde_json::from_slice(&payload).expect("JSON"), bytes, topic, ttl }
    }

    /// Decrypts a message as RFC 8291 says, with the curve of the tests.
    fn decrypt(&self, body: &[u8]) -> Vec<u8> {
        let (salt, rest) = body.split_at(16);
        let (size, rest) = rest.split_at(4);
        assert!(u32::from_be_bytes(size.try_into().expect("4 bytes")) >= rest.len() as u32 - 66, "one record");
        let (point, record) = rest[1..].split_at(usize::from(rest[0]));
        let shared = shared_secret(&self.private, point);
        let secret = Salt::new(HKDF_SHA256, &self.auth).extract(&shared);
        let secret: [u8; 32] = expanded(&secret, &[b"WebPush: info\0", &self.public, point]);
        let secret = Salt::new(HKDF_SHA256, salt).extract(&secret);
        let key: [u8; 16] = expanded(&secret, &[b"Content-Encoding: aes128gcm\0"]);
        let nonce: [u8; 12] = expanded(&secret, &[b"Content-Encoding: nonce\0"]);
        let key = LessSafeKey::new(UnboundKey::new(&AES_128_GCM, &key).expect("a key"));
        let mut record = record.to_vec();
        let opened = key.open_in_place(Nonce::assume_unique_for_key(nonce), Aad::empty(), &mut record);
        let opened = opened.expect("it was encrypted for this device");
        let end = opened.iter().rposition(|byte| *byte != 0).expect("a delimiter");
        assert_eq!(opened[end], 2, "the delimiter of the last record");
        opened[..end].to_vec()
    }
}

fn expanded<const N: usize>(secret: &Prk, info: &[&[u8]]) -> [u8; N] {
    struct Bytes(usize);
    impl KeyType for Bytes {
        fn len(&self) -> usize {
            self.0
        }
    }
    let mut bytes = [0; N];
    secret.expand(info, Bytes(N)).and_then(|okm| okm.fill(&mut bytes)).expect("few bytes");
    bytes
}

/// Checks that a request is signed by the service under test, for the push service of the endpoint, and for at most a day (RFC 8292).
#[track_caller]
fn assert_signed(request: &Received, endpoint: &str, now: OffsetDateTime) {
    let authorization = request.header("Authorization").expect("an authorization");
    let (token, key) =
        authorization.strip_prefix("vapid t=").and_then(|rest| rest.split_once(", k=")).expect("t and k");
    assert_eq!(key, public_push_key());
    let decoded = |text: &str| URL_SAFE_NO_PAD.decode(text).expect("Base64");
    let (signed, signature) = token.rsplit_once('.').expect("a signature");
    let verified =
        UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, decoded(key)).verify(signed.as_bytes(), &decoded(signature));
    verified.expect("the signature is of the key");
    let (header, claims) = signed.split_once('.').expect("a header");
    let json = |part| serde_json::from_slice::<Value>(&decoded(part)).expect("JSON");
    assert_eq!(json(header), json!({ "typ": "JWT", "alg": "ES256" }));
    let claims = json(claims);
    let origin = endpoint.splitn(4, '/').take(3).collect::<Vec<_>>().join("/");
    assert_eq!((&claims["aud"], &claims["sub"]), (&json!(origin), &json!(SUBJECT)));
    let valid_for = claims["exp"].as_i64().expect("an end") - now.unix_timestamp();
    assert!((1..=86_400).contains(&valid_for), "{valid_for}");
}
