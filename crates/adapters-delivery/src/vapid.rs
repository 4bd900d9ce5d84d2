//! The key by which a push service knows this service, and what is signed with it: RFC 8292 (VAPID).

use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair};
use time::{Duration, OffsetDateTime};

/// How long a signature is valid. RFC 8292 allows a day; clocks differ.
const VALID_FOR: Duration = Duration::hours(12);

/// The key of this service: a private key of P-256, of which devices know the public one. A device's subscription is bound to it.
pub struct PushKey {
    pair: EcdsaKeyPair,
    public: String,
}

/// Shows the public key only.
impl fmt::Debug for PushKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("PushKey").field(&self.public).finish()
    }
}

/// The system has no random numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NoRandom;

impl fmt::Display for NoRandom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the system has no random numbers")
    }
}

impl std::error::Error for NoRandom {}

impl PushKey {
    /// A new key, as text: the Base64 (of URLs) of a PKCS #8 document.
    ///
    /// # Errors
    ///
    /// [`NoRandom`].
    pub fn generate() -> Result<String, NoRandom> {
        let key = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &SystemRandom::new());
        Ok(URL_SAFE_NO_PAD.encode(key.map_err(|_| NoRandom)?))
    }

    /// Reads a key that [`generate`](Self::generate) made. None for anything else.
    ///
    /// ```
    /// use finance_adapters_delivery::PushKey;
    ///
    /// let key = PushKey::parse(&PushKey::generate()?).expect("a key");
    /// assert_eq!(key.public_key().len(), 87);
    /// assert!(PushKey::parse("a key of somebody").is_none());
    /// # Ok::<(), finance_adapters_delivery::NoRandom>(())
    /// ```
    pub fn parse(text: &str) -> Option<Self> {
        let document = URL_SAFE_NO_PAD.decode(text.trim()).ok()?;
        let random = SystemRandom::new();
        let pair = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &document, &random).ok()?;
        let public = URL_SAFE_NO_PAD.encode(pair.public_key());
        Some(PushKey { pair, public })
    }

    /// The public key, as browsers take it: an uncompressed point in the Base64 of URLs.
    pub fn public_key(&self) -> &str {
        &self.public
    }

    /// The `Authorization` of a message to a push service. `audience` is the origin of the service, `subject` where its operator
    /// reaches whoever runs this one.
    pub(crate) fn authorization(
        &self,
        audience: &str,
        subject: Option<&str>,
        now: OffsetDateTime,
    ) -> Result<String, NoRandom> {
        let header = URL_SAFE_NO_PAD.encode(r#"{"typ":"JWT","alg":"ES256"}"#);
        let until = (now + VALID_FOR).unix_timestamp();
        let mut claims = serde_json::json!({ "aud": audience, "exp": until });
        if let Some(subject) = subject {
            claims["sub"] = subject.into();
        }
        let signed = format!("{header}.{}", URL_SAFE_NO_PAD.encode(claims.to_string()));
        let signature = self.pair.sign(&SystemRandom::new(), signed.as_bytes()).map_err(|_| NoRandom)?;
        Ok(format!("vapid t={signed}.{}, k={}", URL_SAFE_NO_PAD.encode(signature), self.public))
    }
}

#[cfg(test)]
mod tests {
    use ring::signature::{ECDSA_P256_SHA256_FIXED, UnparsedPublicKey};

    use super::*;

    #[test]
    fn the_authorization_is_signed_for_one_service_and_half_a_day() {
        let key = PushKey::parse(&PushKey::generate().unwrap()).unwrap();
        let now = OffsetDateTime::from_unix_timestamp(1_773_579_600).unwrap();
        let text = key.authorization("https://push.example", Some("https://finance.example"), now).unwrap();
        let (token, public) = text.strip_prefix("vapid t=").unwrap().split_once(", k=").unwrap();
        let (signed, signature) = token.rsplit_once('.').unwrap();
        let public = URL_SAFE_NO_PAD.decode(public).unwrap();
        let signature = URL_SAFE_NO_PAD.decode(signature).unwrap();
        UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, &public).verify(signed.as_bytes(), &signature).unwrap();
        let (header, claims) = signed.split_once('.').unwrap();
        let json = |part| serde_json::from_slice::<serde_json::Value>(&URL_SAFE_NO_PAD.decode(part).unwrap()).unwrap();
        assert_eq!(json(header), serde_json::json!({ "typ": "JWT", "alg": "ES256" }));
        let expected = serde_json::json!({
            "aud": "https://push.example",
            "exp": 1_773_579_600 + 43_200,
            "sub": "https://finance.example",
        });
        assert_eq!(json(claims), expected);
    }

    #[test]
    fn a_key_is_never_shown() {
        let text = PushKey::generate().unwrap();
        let shown = format!("{:?}", PushKey::parse(&text).unwrap());
        assert!(shown.starts_with("PushKey(\"B") && !text.contains(&shown[9..50]), "{shown}");
        assert_ne!(text, PushKey::generate().unwrap());
    }
}
