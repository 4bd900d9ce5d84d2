//! Sessions: the logins of a member that open its profile still.
//!
//! A login is proved by its member's credential alone. A session is a note of it for the member to see, and opens nothing.

use time::{Duration, OffsetDateTime};

use crate::error::Result;
use crate::ids::SessionId;
use crate::members::Credential;

/// The most sessions of one member that are kept: the newest.
pub const SESSIONS_MAX: usize = 50;
/// How long a login is good.
pub const LOGIN_HOURS: i64 = 24;
/// The most characters of what a client says of itself that are kept.
pub const CLIENT_CHARS_MAX: usize = 200;

/// A login of a member.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    /// The session's id.
    pub id: SessionId,
    /// The instant of the login.
    pub created_at: OffsetDateTime,
    /// From when on it is refused.
    pub expires_at: OffsetDateTime,
    /// What the client said of itself. None where it said nothing.
    pub client: Option<String>,
}

/// A session to store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewSession {
    /// The instant of the login, in whole seconds.
    pub created_at: OffsetDateTime,
    /// From when on it is refused.
    pub expires_at: OffsetDateTime,
    /// What the client said of itself, as it is kept.
    pub client: Option<String>,
}

impl NewSession {
    /// A login that takes place now, by a client that says that of itself.
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
        // Whole seconds, as all instants that are sent.
        let created_at = now.replace_nanosecond(0).unwrap_or(now);
        NewSession {
            created_at,
            expires_at: created_at + Duration::hours(LOGIN_HOURS),
            client: client.and_then(kept_client),
        }
    }
}

/// What is kept of what a client says of itself: no control characters, and no more than [`CLIENT_CHARS_MAX`]. None where
/// nothing is left.
fn kept_client(said: &str) -> Option<String> {
    let printed: String = said.chars().filter(|letter| !letter.is_control()).collect();
    let kept: String = printed.trim().chars().take(CLIENT_CHARS_MAX).collect();
    let kept = kept.trim_end();
    (!kept.is_empty()).then(|| kept.to_string())
}

/// Who has logged in, and the session of that.
#[derive(Debug, Clone)]
pub struct LoggedIn {
    /// The login of the member.
    pub credential: Credential,
    /// The session that begins.
    pub session: Session,
}

/// The port of sessions. Every method may fail as [`Store::transact`](crate::Store::transact) does.
#[allow(clippy::missing_errors_doc)]
pub trait SessionRepo {
    /// The sessions of the member for whom the transaction runs whose logins are good at `now`, the newest first.
    fn session_list(&mut self, now: OffsetDateTime) -> Result<Vec<Session>>;
    /// Stores a session of a credential. Those of its member that are good no more, and all but the newest
    /// [`SESSIONS_MAX`], are removed.
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
