//! The texts of devices, which renew logins: `fin_dev_`, 22 characters that name the device, and 43 of a secret. A program gets the
//! text in the body of an answer, and a browser in a cookie, which no script reads.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use finance_domain::credentials::SecretHash;
use finance_domain::sessions::{DEVICE_DAYS, Device, DeviceKey, DeviceSecret, NewDevice, NewSession, Remember};
use finance_domain::{Error, Result};
use sha2::{Digest, Sha256};
use time::OffsetDateTime;

/// The cookie's name.
pub(crate) const COOKIE: &str = "finance_device";
/// The only path to which browsers send the cookie.
pub(crate) const RENEW_PATH: &str = "/api/auth/renew";

const PREFIX: &str = "fin_dev_";
/// The characters of 128 random bits in base64 without padding.
const SELECTOR_CHARS: usize = 22;
/// The characters of 256 bits.
const SECRET_CHARS: usize = 43;

/// What a client keeps of a device.
#[derive(Clone)]
pub(crate) struct DeviceToken {
    selector: String,
    pub(crate) secret: DeviceSecret,
}

impl DeviceToken {
    /// Draws a device.
    fn draw(now: OffsetDateTime) -> Result<(Self, NewDevice)> {
        let mut random = [0; 16 + 32 + 32];
        getrandom::fill(&mut random).map_err(|error| Error::Internal(Box::new(error)))?;
        let (named, rest) = random.split_at(16);
        let (mut secret, mut key) = ([0; 32], [0; 32]);
        secret.copy_from_slice(&rest[..32]);
        key.copy_from_slice(&rest[32..]);
        let token = DeviceToken { selector: URL_SAFE_NO_PAD.encode(named), secret: DeviceSecret(secret) };
        let device = Device::new(DeviceKey(key), &token.secret, now);
        let new = NewDevice { selector: token.selector(), device };
        Ok((token, new))
    }

    /// Reads a text of that form. One that was never issued is read, too, as a secret that no device has.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let random = text.strip_prefix(PREFIX)?;
        let is_base64 = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
        if random.len() != SELECTOR_CHARS + SECRET_CHARS || !random.bytes().all(is_base64) {
            return None;
        }
        let (selector, secret) = random.split_at(SELECTOR_CHARS);
        // The last character has bits that an encoder leaves at 0. With another value it is the text of no secret.
        let decoded = URL_SAFE_NO_PAD.decode(secret).ok().and_then(|bytes| bytes.try_into().ok());
        let secret = DeviceSecret(decoded.unwrap_or_else(|| Sha256::digest(text).into()));
        Some(DeviceToken { selector: selector.to_string(), secret })
    }

    /// The same device with another secret.
    pub(crate) fn with(self, secret: DeviceSecret) -> Self {
        DeviceToken { secret, ..self }
    }

    /// The hash of what names the device.
    pub(crate) fn selector(&self) -> SecretHash {
        SecretHash(Sha256::digest(&self.selector).into())
    }

    /// The text that a client keeps.
    pub(crate) fn text(&self) -> String {
        format!("{PREFIX}{}{}", self.selector, URL_SAFE_NO_PAD.encode(self.secret.0))
    }
}

/// A device of an answer, and how the client keeps it.
pub(crate) struct Remembered {
    pub(crate) how: Remember,
    pub(crate) token: DeviceToken,
}

impl Remembered {
    /// Gives a session a new device if the client asks for one.
    pub(crate) fn begin(how: Option<Remember>, session: &mut NewSession, now: OffsetDateTime) -> Result<Option<Self>> {
        let Some(how) = how else { return Ok(None) };
        let (token, new) = DeviceToken::draw(now)?;
        session.device = Some(new);
        Ok(Some(Remembered { how, token }))
    }
}

/// The value of the header that sets the cookie.
pub(crate) fn cookie(token: &DeviceToken, is_https: bool) -> String {
    let secure = if is_https { "; Secure" } else { "" };
    let seconds = DEVICE_DAYS * 86_400;
    format!("{COOKIE}={}; Path={RENEW_PATH}; HttpOnly; SameSite=Strict; Max-Age={seconds}{secure}", token.text())
}

/// The value of the header that removes the cookie.
pub(crate) fn no_cookie() -> String {
    format!("{COOKIE}=; Path={RENEW_PATH}; HttpOnly; SameSite=Strict; Max-Age=0")
}

#[cfg(test)]
mod tests {
    use time::macros::datetime;

    use super::*;

    const NOW: OffsetDateTime = datetime!(2026-03-15 12:00 UTC);

    #[test]
    fn a_device_reads_its_text_and_is_never_drawn_twice() {
        let (token, new) = DeviceToken::draw(NOW).unwrap();
        let text = token.text();
        assert_eq!(text.len(), 8 + 22 + 43);
        let read = DeviceToken::parse(&text).unwrap();
        assert_eq!((read.selector(), read.secret.hash()), (new.selector, new.device.current));
        let (other, another) = DeviceToken::draw(NOW).unwrap();
        assert!(other.selector() != new.selector && another.device.current != new.device.current);
        assert!(another.device.key != new.device.key);
    }

    #[test]
    fn a_text_of_that_form_is_read_and_another_is_not() {
        let text = DeviceToken::draw(NOW).unwrap().0.text();
        for garbled in ["", &text[1..], &text[..72], &format!("{text}A"), &text.replace("fin_dev_", "fin_"), "fin_dev_"]
        {
            assert!(DeviceToken::parse(garbled).is_none(), "{garbled}");
        }
        // Each of the 64 last characters is another secret, also those that no encoder writes.
        let last = |letter: char| DeviceToken::parse(&format!("{}{letter}", &text[..72])).unwrap().secret.hash();
        let letters = ('A'..='Z').chain('a'..='z').chain('0'..='9').chain(['-', '_']);
        let hashes: std::collections::HashSet<_> = letters.map(last).collect();
        assert_eq!(hashes.len(), 64);
    }

    #[test]
    fn a_cookie_is_for_renewals_alone() {
        let (token, _) = DeviceToken::draw(NOW).unwrap();
        let rest = "Path=/api/auth/renew; HttpOnly; SameSite=Strict; Max-Age=7776000";
        assert_eq!(cookie(&token, false), format!("finance_device={}; {rest}", token.text()));
        assert_eq!(cookie(&token, true), format!("finance_device={}; {rest}; Secure", token.text()));
    }
}
