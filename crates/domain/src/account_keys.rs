//! By which accounts the service knows statements again: keyed hashes of the numbers that files name. The numbers are never stored.

use std::collections::HashMap;
use std::fmt::Write;

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use crate::error::Result;
use crate::ids::AccountId;

/// The most keys of one account. A newer one takes the place of the oldest.
pub const KEYS_MAX: usize = 20;
/// The hexadecimal digits of a [`AccountKey::reference`].
pub const REFERENCE_CHARS: usize = 64;
/// The most characters of a hint.
pub const HINT_CHARS_MAX: usize = 4;

/// The random secret of a profile, by which its references are made.
#[derive(Clone, PartialEq, Eq)]
pub struct KeySecret(pub String);

impl std::fmt::Debug for KeySecret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("KeySecret")
    }
}

/// What a file says of an account.
///
/// ```
/// use finance_domain::account_keys::{FileAccount, KeySecret};
///
/// let account = FileAccount { bank: "0341".into(), branch: "12".into(), number: "11111-1".into() };
/// let secret = KeySecret("a".into());
/// let key = secret.key(&account);
/// assert_eq!((key.hint.as_str(), key.reference.len()), ("11-1", 64));
/// assert_eq!(secret.key(&account), key);
/// assert_ne!(KeySecret("b".into()).key(&account).reference, key.reference);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileAccount {
    /// The number of its bank, or the layout of a CSV file. May be empty.
    pub bank: String,
    /// The number of its branch. May be empty.
    pub branch: String,
    /// Its number, or the last digits of it.
    pub number: String,
}

/// A key of an account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccountKey {
    /// HMAC-SHA-256 of bank, branch and number under the profile's secret, in hexadecimal digits.
    pub reference: String,
    /// The last characters of the number, for people.
    pub hint: String,
}

impl KeySecret {
    /// The key of an account.
    pub fn key(&self, account: &FileAccount) -> AccountKey {
        let FileAccount { bank, branch, number } = account;
        #[allow(clippy::expect_used, reason = "a key of HMAC may have any length")]
        let mut mac = Hmac::<Sha256>::new_from_slice(self.0.as_bytes()).expect("a key of any length");
        for part in [bank, branch, number] {
            mac.update(part.as_bytes());
            // Never in a text, so different parts never give the same bytes.
            mac.update(&[0xff]);
        }
        let reference = mac.finalize().into_bytes().iter().fold(String::new(), |mut text, byte| {
            let _ = write!(text, "{byte:02x}");
            text
        });
        let skipped = number.chars().count().saturating_sub(HINT_CHARS_MAX);
        AccountKey { reference, hint: number.chars().skip(skipped).collect() }
    }
}

/// The port of account keys. Every method may fail as [`Store::transact`](crate::Store::transact) does.
pub trait AccountKeyRepo {
    /// The secret of the profile.
    fn account_key_secret(&mut self) -> Result<KeySecret>;
    /// The accounts that learned these references.
    fn account_keys_find(&mut self, references: &[&str]) -> Result<HashMap<String, AccountId>>;
    /// The keys of an account, the newest first.
    fn account_keys(&mut self, id: AccountId) -> Result<Vec<AccountKey>>;
    /// Gives each account a key. The latest choice for a key counts, and the newest [`KEYS_MAX`] of an account.
    fn account_keys_learn(&mut self, learned: &[(AccountKey, AccountId)]) -> Result<()>;
    /// Deletes the keys of an account.
    fn account_keys_forget(&mut self, id: AccountId) -> Result<()>;
}
