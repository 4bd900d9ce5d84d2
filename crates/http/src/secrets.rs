//! Secrets that are shown once: tokens and invitations, which are stored as hashes, and the keys of webhooks.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use finance_domain::credentials::SecretHash;
use finance_domain::{Error, Result};
use sha2::{Digest, Sha256};

/// The random bytes of a secret: 256 bits.
const BYTES: usize = 32;
/// The number of characters of these bytes in base64 without padding.
const CHARS: usize = 43;

/// The purpose of a secret, which determines its prefix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SecretKind {
    /// A token.
    Token,
    /// An invitation.
    Invitation,
    /// The key that signs what is sent to a webhook.
    Webhook,
}

impl SecretKind {
    fn prefix(self) -> &'static str {
        match self {
            SecretKind::Token => "fin_",
            SecretKind::Invitation => "inv_",
            SecretKind::Webhook => "whs_",
        }
    }

    /// Draws a secret: its text, which is shown once, and its hash.
    pub(crate) fn draw(self) -> Result<(String, SecretHash)> {
        let mut bytes = [0; BYTES];
        getrandom::fill(&mut bytes).map_err(|error| Error::Internal(Box::new(error)))?;
        let text = format!("{}{}", self.prefix(), URL_SAFE_NO_PAD.encode(bytes));
        let hash = hash(&text);
        Ok((text, hash))
    }

    /// The hash of a text that has the form of such a secret.
    pub(crate) fn hash_of(self, text: &str) -> Option<SecretHash> {
        let random = text.strip_prefix(self.prefix())?;
        let is_base64 = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
        (random.len() == CHARS && random.bytes().all(is_base64)).then(|| hash(text))
    }
}

/// Draws the secret of an invitation, or of a link with which a member sets its password: its text, which is shown once, and its hash.
///
/// # Errors
///
/// [`Error::Internal`] if the system provides no random bytes.
pub fn draw_invitation() -> Result<(String, SecretHash)> {
    SecretKind::Invitation.draw()
}

fn hash(text: &str) -> SecretHash {
    SecretHash(Sha256::digest(text).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_known_by_its_form_and_never_drawn_twice() {
        for (kind, other) in [(SecretKind::Token, SecretKind::Invitation), (SecretKind::Invitation, SecretKind::Token)]
        {
            let (text, hash) = kind.draw().unwrap();
            assert_eq!(text.len(), 4 + CHARS);
            assert_eq!(kind.hash_of(&text), Some(hash));
            assert_eq!(other.hash_of(&text), None);
            assert_ne!(kind.draw().unwrap().1, hash);
            for garbled in [&text[1..], &text[..46], &format!("{text}A"), &text.to_uppercase(), &text.replace('_', "=")]
            {
                assert_eq!(kind.hash_of(garbled), None, "{garbled}");
            }
        }
    }
}
