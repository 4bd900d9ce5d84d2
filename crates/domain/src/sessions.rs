//! Sessions: the valid logins of a member.
//!
//! Only the member's credential proves a login. A session is a record of the login that the member can see; it gives no access.

use time::{Duration, OffsetDateTime};

use crate::error::Result;
use crate::ids::SessionId;
use crate::members::Credential;

/// The most sessions of one member that are kept. The oldest are removed.
pub const SESSIONS_MAX: usize = 50;
/// How long a login is valid.
pub const LOGIN_HOURS: i64 = 24;
/// The most characters of a client's self-description that are kept.
pub const CLIENT_CHARS_MAX: usize = 200;

/// A login of a member.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    /// The session's id.
    pub id: SessionId,
    /// The instant of the login.
    pub created_at: OffsetDateTime,
    /// The instant from which the login is refused.
    pub expires_at: OffsetDateTime,
    /// The client's description of itself. None if it sent none.
    pub client: Option<String>,
}

/// A session to store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewSession {
    /// The instant of the login, in whole seconds.
    pub created_at: OffsetDateTime,
    /// The instant from which the login is refused.
    pub expires_at: OffsetDateTime,
    /// The client's description of itself, as it is stored.
    pub client: Option<String>,
}

impl NewSession {
    /// The session of a login at `now`, with the client's description of itself.
    ///
    /// ```
    /// use finance_domain::sessions::NewSession;
    /// use time::macros::datetime;
    ///
    /// let new = NewSession::new(datetime!(2026-03-15 12:00:00.5 UTC), Some(" curl/8\r\n"));
    /// assert_eq!(new.expires_at, datetime!(2026-03-16 12:00 UTC));
    /// assert_eq!(new.client.as_deref(), Some("curl/8"));
    /// ```
    pub fn new(now: OffsetDateTime, client: Option<&str>) -> Self {
        // Whole seconds, like all instants that are sent.
        let created_at = now.replace_nanosecond(0).unwrap_or(now);
        NewSession {
            created_at,
            expires_at: created_at + Duration::hours(LOGIN_HOURS),
            client: client.and_then(kept_client),
        }
    }
}

/// The part of a client's self-description that is stored: without control characters, at most [`CLIENT_CHARS_MAX`] characters.
/// None if nothing is left.
fn kept_client(said: &str) -> Option<String> {
    let printed: String = said.chars().filter(|letter| !letter.is_control()).collect();
    let kept: String = printed.trim().chars().take(CLIENT_CHARS_MAX).collect();
    let kept = kept.trim_end();
    (!kept.is_empty()).then(|| kept.to_string())
}

/// A member who has logged in, and the session.
#[derive(Debug, Clone)]
pub struct LoggedIn {
    /// The login of the member.
    pub credential: Credential,
    /// The new session.
    pub session: Session,
}

/// The port of sessions. Every method may fail as [`Store::transact`](crate::Store::transact) does.
#[allow(clippy::missing_errors_doc)]
pub trait SessionRepo {
    /// The sessions, newest first, of the member for whom the transaction runs, if their logins are valid at `now`.
    fn session_list(&mut self, now: OffsetDateTime) -> Result<Vec<Session>>;
    /// Stores a session of a credential. Removes the expired sessions of its member, and all but the newest
    /// [`SESSIONS_MAX`].
    fn session_insert(&mut self, credential: &Credential, new: &NewSession) -> Result<Session>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_what_a_client_says_a_line_of_200_characters_is_kept() {
        assert_eq!(kept_client("Mozilla/5.0 (X11)").as_deref(), Some("Mozilla/5.0 (X11)"));
        assert_eq!(kept_client("a\0b\u{1b}[31m\u{85}c\n").as_deref(), Some("ab[31mc"));
        assert_eq!(kept_client(&"ç".repeat(4096)), Some("ç".repeat(200)));
        assert_eq!(kept_client(&format!("{} b", "a".repeat(199))), Some("a".repeat(199)));
        for nothing in ["", "  ", "\t\u{7f}"] {
            assert_eq!(kept_client(nothing), None, "{nothing:?}");
        }
    }
}
