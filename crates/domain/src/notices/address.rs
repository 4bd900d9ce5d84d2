//! The e-mail address of a member, and the codes that confirm it.

use std::fmt;

use time::{Date, Duration, OffsetDateTime};

use super::delivery::{CODE_GUESSES_MAX, CODE_MINUTES, CODES_A_DAY_MAX};
use crate::error::{Error, Result};
use crate::violations::Violation;

/// The e-mail address of a member, and what is known about its codes.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct EmailAddress {
    /// The address. None if it was removed: the codes of the day still count.
    pub address: Option<String>,
    /// Whether the member has entered a code that was sent there.
    pub is_confirmed: bool,
    /// The code that was sent last, until it is used.
    pub code: Option<Code>,
    /// The day of the last code.
    pub codes_on: Option<Date>,
    /// How many codes were sent on that day.
    pub codes: u16,
}

/// A code that was sent.
#[derive(Clone, PartialEq, Eq)]
pub struct Code {
    /// Its [hash](super::code_hash).
    pub hash: String,
    /// Until when it is valid.
    pub expires_at: OffsetDateTime,
    /// How often it was guessed at.
    pub guesses: u16,
}

// Neither an address nor a hash is ever logged.
impl fmt::Debug for EmailAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EmailAddress").field("is_confirmed", &self.is_confirmed).finish_non_exhaustive()
    }
}

impl EmailAddress {
    /// The address, if notices are sent there.
    pub fn confirmed(&self) -> Option<&str> {
        self.address.as_deref().filter(|_| self.is_confirmed)
    }

    /// The same member with another address, which a new code of that hash is to confirm.
    ///
    /// # Errors
    ///
    /// [`Error::TooManyAttempts`] after [`CODES_A_DAY_MAX`] codes, until the next day. `until_midnight` is the time until then.
    pub fn ask(
        self,
        address: String,
        hash: String,
        today: Date,
        now: OffsetDateTime,
        until_midnight: Duration,
    ) -> Result<Self> {
        let codes = if self.codes_on == Some(today) { self.codes } else { 0 };
        if codes >= CODES_A_DAY_MAX {
            return Err(too_many(until_midnight));
        }
        let code = Code { hash, expires_at: now + Duration::minutes(CODE_MINUTES), guesses: 0 };
        Ok(EmailAddress {
            address: Some(address),
            is_confirmed: false,
            code: Some(code),
            codes_on: Some(today),
            codes: codes + 1,
        })
    }

    /// Counts a guess at the code that was sent, if there is one. None: there is nothing to count.
    ///
    /// # Errors
    ///
    /// [`Error::TooManyAttempts`] after [`CODE_GUESSES_MAX`] guesses, until the code expires.
    pub fn guessed(mut self, now: OffsetDateTime) -> Result<Option<Self>> {
        let Some(code) = self.code.as_mut().filter(|code| code.expires_at > now) else { return Ok(None) };
        if code.guesses >= CODE_GUESSES_MAX {
            return Err(too_many(code.expires_at - now));
        }
        code.guesses += 1;
        Ok(Some(self))
    }

    /// The same, confirmed by the code of that hash.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] at `code` if no such code was sent, or it has expired.
    pub fn confirm(self, hash: &str, now: OffsetDateTime) -> Result<Self> {
        match &self.code {
            Some(code) if code.hash == hash && code.expires_at > now => {
                Ok(EmailAddress { is_confirmed: true, code: None, ..self })
            }
            _ => Err(Error::invalid("code", Violation::WrongCode)),
        }
    }

    /// The same without an address.
    #[must_use]
    pub fn removed(self) -> Self {
        EmailAddress { address: None, is_confirmed: false, code: None, ..self }
    }
}

fn too_many(wait: Duration) -> Error {
    Error::TooManyAttempts { retry_after_seconds: u64::try_from(wait.whole_seconds()).unwrap_or(0).max(1) }
}

#[cfg(test)]
mod tests {
    use time::macros::{date, datetime};

    use super::*;

    const NOW: OffsetDateTime = datetime!(2026-03-10 12:00 UTC);
    const TODAY: Date = date!(2026 - 03 - 10);

    fn ask(address: EmailAddress, hash: &str, today: Date) -> Result<EmailAddress> {
        address.ask("ana@example.com".into(), hash.into(), today, NOW, Duration::HOUR)
    }

    #[test]
    fn a_code_is_valid_for_half_an_hour_and_once() {
        let address = ask(EmailAddress::default(), "h", TODAY).unwrap();
        assert_eq!(address.confirmed(), None);
        let (early, late) = (NOW + Duration::minutes(30) - Duration::SECOND, NOW + Duration::minutes(30));
        assert!(address.clone().confirm("other", early).is_err());
        assert!(address.clone().confirm("h", late).is_err());
        let confirmed = address.confirm("h", early).unwrap();
        assert_eq!(confirmed.confirmed(), Some("ana@example.com"));
        assert!(confirmed.clone().confirm("h", early).is_err(), "it is used");
        assert_eq!(ask(confirmed, "i", TODAY).unwrap().confirmed(), None, "another address has another code");
    }

    #[test]
    fn a_code_is_guessed_at_five_times() {
        let mut address = ask(EmailAddress::default(), "h", TODAY).unwrap();
        for _ in 0..CODE_GUESSES_MAX {
            address = address.guessed(NOW).unwrap().unwrap();
        }
        let Err(Error::TooManyAttempts { retry_after_seconds }) = address.clone().guessed(NOW) else {
            panic!("a sixth guess")
        };
        assert_eq!(retry_after_seconds, 1_800);
        assert!(address.clone().guessed(NOW + Duration::HOUR).unwrap().is_none(), "it has expired");
        assert!(ask(address, "i", TODAY).unwrap().guessed(NOW).unwrap().is_some(), "a new code can be guessed at");
    }

    #[test]
    fn three_codes_are_sent_a_day_whatever_is_removed() {
        let mut address = EmailAddress::default();
        for hash in ["a", "b", "c"] {
            address = ask(address, hash, TODAY).unwrap().removed();
        }
        assert!(matches!(ask(address.clone(), "d", TODAY), Err(Error::TooManyAttempts { retry_after_seconds: 3_600 })));
        assert_eq!(ask(address, "d", TODAY.next_day().unwrap()).unwrap().codes, 1);
    }
}
