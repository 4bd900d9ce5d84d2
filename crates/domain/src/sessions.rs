//! Sessions: the valid logins of a member, and the devices that renew them.
//!
//! The member's credential proves a login, unless its session was ended. A session gives no access by itself: it is a record of the
//! login that the member can see. A session may have a [`Device`], which renews the login for 90 days without the password.
//!
//! Each renewal changes the device's secret. The answer with the new secret can be lost, and two tabs can renew at once, so the
//! secret before stays good as [`Device::renew`] says. Whoever shows another one of the device's secrets has an old copy: then two
//! hold the device, and its session ends.

use std::fmt;

use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};
use time::{Duration, OffsetDateTime};

use crate::credentials::SecretHash;
use crate::error::Result;
use crate::ids::SessionId;
use crate::members::Credential;
use crate::words::words;

/// The most sessions of one member that are kept. The oldest without a device are removed first.
pub const SESSIONS_MAX: usize = 50;
/// The most devices of one member. The one that was unused longest gives way to a new one.
pub const DEVICES_MAX: usize = 20;
/// The most ended sessions of one member that are kept until their tokens have expired. To end one more ends all of them.
pub const ENDED_MAX: usize = 200;
/// How long a device renews its login after the last renewal.
pub const DEVICE_DAYS: i64 = 90;
/// How long the secret before the current one is answered with the current one: two tabs may show the same.
pub const TABS_SECONDS: i64 = 60;
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
    /// The instant from which its device renews nothing. None if it has no device.
    pub device_expires_at: Option<OffsetDateTime>,
    /// The instant of the last renewal. None if there was none.
    pub renewed_at: Option<OffsetDateTime>,
}

words! {
    /// How a client keeps the secret of a device.
    pub enum Remember {
        /// A program keeps it: it is in the body of the answer.
        Token = "token",
        /// A browser keeps it: it is in a cookie, which no script reads.
        Cookie = "cookie",
    }
}

/// A secret of a device.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct DeviceSecret(pub [u8; 32]);

impl fmt::Debug for DeviceSecret {
    /// Does not show the secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("DeviceSecret(..)")
    }
}

impl DeviceSecret {
    /// Its SHA-256, which is what is stored.
    pub fn hash(&self) -> SecretHash {
        SecretHash(Sha256::digest(self.0).into())
    }
}

/// The key with which the secrets of a device are made of each other. It is stored, and useless without one of the secrets.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct DeviceKey(pub [u8; 32]);

impl fmt::Debug for DeviceKey {
    /// Does not show the key.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("DeviceKey(..)")
    }
}

/// The state of a device: what decides whether a secret that is shown renews its login.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Device {
    /// The key of its secrets.
    pub key: DeviceKey,
    /// The hash of the current secret.
    pub current: SecretHash,
    /// The hash of the secret that was shown for the current one. None before the first renewal.
    pub previous: Option<SecretHash>,
    /// How many secrets were made.
    pub count: i64,
    /// When the current secret was made, in whole seconds.
    pub changed_at: OffsetDateTime,
    /// The instant from which it renews nothing.
    pub expires_at: OffsetDateTime,
}

/// What a secret that is shown for a device means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shown {
    /// The device has expired.
    Expired,
    /// It is an old secret, or was never one: more than one holder has the device, and its session ends.
    Reused,
    /// It renews the login. The client gets this secret, and this is the device's state from then on.
    Renewed(DeviceSecret, Device),
}

impl Device {
    /// A new device.
    pub fn new(key: DeviceKey, secret: &DeviceSecret, now: OffsetDateTime) -> Self {
        let changed_at = whole_second(now);
        let expires_at = changed_at + Duration::days(DEVICE_DAYS);
        Device { key, current: secret.hash(), previous: None, count: 0, changed_at, expires_at }
    }

    /// What it means that a secret is shown now.
    ///
    /// - The current one is replaced by another.
    /// - The previous one gets the current one again for [`TABS_SECONDS`], because two tabs may show the same. Later the answer was
    ///   lost, or there are two holders: it gets yet another, and what was given for it before no longer counts.
    /// - Any other ends the session.
    ///
    /// ```
    /// use finance_domain::sessions::{Device, DeviceKey, DeviceSecret, Shown};
    /// use time::Duration;
    /// use time::macros::datetime;
    ///
    /// let now = datetime!(2026-03-15 12:00 UTC);
    /// let (key, first) = (DeviceKey([1; 32]), DeviceSecret([2; 32]));
    /// let Shown::Renewed(second, device) = Device::new(key, &first, now).renew(&first, now) else { panic!() };
    /// // Another tab shows the same secret, and both have the same new one.
    /// assert_eq!(device.renew(&first, now + Duration::seconds(60)), Shown::Renewed(second, device));
    /// // Two minutes later the first holder has shown the first secret once more, so the second one was not received, or stolen.
    /// let Shown::Renewed(third, device) = device.renew(&first, now + Duration::minutes(2)) else { panic!() };
    /// assert_ne!(third, second);
    /// assert_eq!(device.renew(&second, now + Duration::minutes(3)), Shown::Reused);
    /// ```
    pub fn renew(&self, secret: &DeviceSecret, now: OffsetDateTime) -> Shown {
        let now = whole_second(now);
        if self.expires_at <= now {
            return Shown::Expired;
        }
        let hash = secret.hash();
        let is_current = hash == self.current;
        if !is_current && Some(hash) != self.previous {
            return Shown::Reused;
        }
        if !is_current && now - self.changed_at <= Duration::seconds(TABS_SECONDS) {
            return Shown::Renewed(self.successor(secret, self.count), *self);
        }
        let count = self.count + 1;
        let next = self.successor(secret, count);
        let expires_at = now + Duration::days(DEVICE_DAYS);
        let device = Device { current: next.hash(), previous: Some(hash), count, changed_at: now, expires_at, ..*self };
        Shown::Renewed(next, device)
    }

    /// The secret that the holder of a secret gets for it, as the given one of all secrets of the device.
    fn successor(&self, secret: &DeviceSecret, count: i64) -> DeviceSecret {
        // A key of any length will do, so this never fails.
        let Ok(mut made) = Hmac::<Sha256>::new_from_slice(&self.key.0) else { unreachable!("HMAC takes every key") };
        made.update(&secret.0);
        made.update(&count.to_be_bytes());
        DeviceSecret(made.finalize().into_bytes().into())
    }
}

/// Whether a renewal needs a code: the member has a second factor, the profile asks for one again after some days, and the last one
/// was given that many days ago.
///
/// ```
/// use finance_domain::sessions::is_code_due;
/// use time::macros::datetime;
///
/// let coded_at = datetime!(2026-03-15 12:00 UTC);
/// assert!(!is_code_due(Some(30), coded_at, datetime!(2026-04-14 11:59:59 UTC)));
/// assert!(is_code_due(Some(30), coded_at, datetime!(2026-04-14 12:00 UTC)));
/// assert!(!is_code_due(None, coded_at, datetime!(2027-03-15 12:00 UTC)));
/// ```
pub fn is_code_due(days: Option<i64>, coded_at: OffsetDateTime, now: OffsetDateTime) -> bool {
    days.is_some_and(|days| coded_at + Duration::days(days) <= now)
}

/// A device, its session and its member, as they are stored.
#[derive(Debug, Clone)]
pub struct DeviceLogin {
    /// The member.
    pub credential: Credential,
    /// The session.
    pub session: Session,
    /// The state of the device.
    pub device: Device,
    /// When a code was last given, or the session began.
    pub coded_at: OffsetDateTime,
    /// After how many days a renewal takes a code again. None if it does not, or the member has no second factor.
    pub code_days: Option<i64>,
}

/// What becomes of a device after a secret was shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeviceChange {
    /// Nothing.
    None,
    /// Its session ends.
    Ended,
    /// Its login was renewed.
    Renewed {
        /// The state of the device.
        device: Device,
        /// The instant from which the new login is refused.
        expires_at: OffsetDateTime,
        /// When a code was last given.
        coded_at: OffsetDateTime,
    },
}

/// A device to store with its session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NewDevice {
    /// The hash of what names it.
    pub selector: SecretHash,
    /// Its state.
    pub device: Device,
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
    /// The device that renews the login, if the client asks for one.
    pub device: Option<NewDevice>,
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
        let created_at = whole_second(now);
        NewSession {
            created_at,
            expires_at: created_at + Duration::hours(LOGIN_HOURS),
            client: client.and_then(kept_client),
            device: None,
        }
    }
}

/// Whole seconds, like all instants that are sent.
pub(crate) fn whole_second(now: OffsetDateTime) -> OffsetDateTime {
    now.replace_nanosecond(0).unwrap_or(now)
}

/// The part of a client's self-description that is stored: without control characters, at most [`CLIENT_CHARS_MAX`] characters.
/// None if nothing is left.
fn kept_client(client: &str) -> Option<String> {
    let printed: String = client.chars().filter(|letter| !letter.is_control()).collect();
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
pub trait SessionRepo {
    /// The sessions, newest first, of the member for whom the transaction runs, whose logins are valid at `now` or can be renewed.
    fn session_list(&mut self, now: OffsetDateTime) -> Result<Vec<Session>>;
    /// Stores a session of a credential. Removes the expired sessions of its member, all but [`SESSIONS_MAX`], and the devices
    /// beyond [`DEVICES_MAX`].
    fn session_insert(&mut self, credential: &Credential, new: &NewSession) -> Result<Session>;
    /// Ends a session of the member for whom the transaction runs: its tokens and its device are refused. Ends all of them if
    /// [`ENDED_MAX`] were ended lately. Returns whether there was such a session.
    fn session_end(&mut self, id: SessionId, now: OffsetDateTime) -> Result<bool>;
    /// Removes the devices of all members of the profile. Their logins last until they expire.
    fn devices_remove(&mut self) -> Result<()>;
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use time::macros::datetime;

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

    const KEY: DeviceKey = DeviceKey([7; 32]);
    const FIRST: DeviceSecret = DeviceSecret([1; 32]);
    const BEGIN: OffsetDateTime = datetime!(2026-03-15 12:00:00.25 UTC);

    fn after(seconds: i64) -> OffsetDateTime {
        BEGIN + Duration::seconds(seconds)
    }

    fn renewed(shown: Shown) -> (DeviceSecret, Device) {
        let Shown::Renewed(secret, device) = shown else { panic!("{shown:?}") };
        (secret, device)
    }

    /// What is shown to a device whose first secret was exchanged at the begin, how many seconds later, and the result.
    #[derive(Debug, Clone, Copy, PartialEq)]
    enum Expected {
        Another,
        TheSame,
        Ends,
        Expired,
    }

    #[test]
    fn a_secret_means_what_the_table_says() {
        use Expected::{Another, Ends, Expired, TheSame};
        let (second, device) = renewed(Device::new(KEY, &FIRST, BEGIN).renew(&FIRST, BEGIN));
        let (third, later) = renewed(device.renew(&second, after(10)));
        let (_, replaced) = renewed(device.renew(&FIRST, after(61)));
        let never = DeviceSecret([9; 32]);
        let days = DEVICE_DAYS * 86_400;
        for (name, device, given, shown, seconds, expected) in [
            ("the current one", device, second, second, 0, Another),
            ("the current one, a day later", device, second, second, 86_400, Another),
            ("the current one, a second before it expires", device, second, second, days - 1, Another),
            ("the current one, when it expires", device, second, second, days, Expired),
            ("the previous one, at once", device, second, FIRST, 0, TheSame),
            ("the previous one, a minute later", device, second, FIRST, 60, TheSame),
            ("the previous one, after that", device, second, FIRST, 61, Another),
            ("the previous one, when it expires", device, second, FIRST, days, Expired),
            ("one that never was", device, second, never, 0, Ends),
            ("the one before the previous", later, third, FIRST, 11, Ends),
            ("the previous of the third", later, third, second, 70, TheSame),
            ("the previous of the third, later", later, third, second, 71, Another),
            ("what was given before another was", replaced, FIRST, second, 62, Ends),
        ] {
            let found = match device.renew(&shown, after(seconds)) {
                Shown::Expired => Expired,
                Shown::Reused => Ends,
                Shown::Renewed(secret, next) if next == device => {
                    assert_eq!((secret, secret.hash()), (given, device.current), "{name}");
                    TheSame
                }
                Shown::Renewed(secret, next) => {
                    assert_eq!((next.current, next.previous), (secret.hash(), Some(shown.hash())), "{name}");
                    assert_ne!(secret, given, "{name}");
                    assert_eq!(next.expires_at, whole_second(after(seconds + days)), "{name}");
                    Another
                }
            };
            assert_eq!(found, expected, "{name}");
        }
    }

    #[test]
    fn a_new_device_has_one_secret() {
        let device = Device::new(KEY, &FIRST, BEGIN);
        assert_eq!(device.expires_at, datetime!(2026-06-13 12:00 UTC));
        assert_eq!(device.renew(&DeviceSecret([2; 32]), BEGIN), Shown::Reused);
        let (next, renewed) = renewed(device.renew(&FIRST, BEGIN));
        // HMAC-SHA-256 of the secret and the count, as another program computes it.
        let mut made = Hmac::<Sha256>::new_from_slice(&[7; 32]).unwrap();
        made.update(&[[1; 32].as_slice(), &[0, 0, 0, 0, 0, 0, 0, 1]].concat());
        assert_eq!(next.0, <[u8; 32]>::from(made.finalize().into_bytes()));
        assert_eq!(renewed.count, 1);
    }

    #[test]
    fn no_log_of_a_device_has_its_secrets() {
        let text = format!("{:?} {FIRST:?}", Device::new(KEY, &FIRST, BEGIN));
        assert!(text.contains("DeviceKey(..)") && text.contains("DeviceSecret(..)"), "{text}");
        assert!(!text.contains("[7, 7"), "{text}");
    }

    /// One step of those who hold a device.
    #[derive(Debug, Clone, Copy)]
    enum Act {
        /// A tab renews with the secret that all tabs share. The answer may be lost.
        Renew { is_lost: bool },
        /// Two tabs read the shared secret and both renew with it, so many seconds apart. After a lost answer the minute of the
        /// secret has begun before, so they do it at once.
        Together { apart: i64, is_first_lost: bool, is_second_lost: bool },
        /// Time passes.
        Pass(i64),
    }

    fn acts() -> impl Strategy<Value = Vec<Act>> {
        let act = prop_oneof![
            any::<bool>().prop_map(|is_lost| Act::Renew { is_lost }),
            (0..=TABS_SECONDS, any::<bool>(), any::<bool>()).prop_map(|(apart, is_first_lost, is_second_lost)| {
                Act::Together { apart, is_first_lost, is_second_lost }
            }),
            (0..200_000_i64).prop_map(Act::Pass),
        ];
        proptest::collection::vec(act, 1..40)
    }

    /// A service with one device.
    struct Service {
        device: Device,
        now: OffsetDateTime,
        is_ended: bool,
    }

    impl Service {
        fn show(&mut self, secret: &DeviceSecret) -> Option<DeviceSecret> {
            if self.is_ended {
                return None;
            }
            match self.device.renew(secret, self.now) {
                Shown::Renewed(next, device) => {
                    self.device = device;
                    Some(next)
                }
                Shown::Reused => {
                    self.is_ended = true;
                    None
                }
                Shown::Expired => panic!("nobody waits for 90 days"),
            }
        }

        fn run(&mut self, jar: &mut DeviceSecret, acts: &[Act]) {
            for act in acts {
                match *act {
                    Act::Pass(seconds) => self.now += Duration::seconds(seconds),
                    Act::Renew { is_lost } => {
                        let given = self.show(jar).expect("a renewal");
                        if !is_lost {
                            *jar = given;
                        }
                    }
                    Act::Together { apart, is_first_lost, is_second_lost } => {
                        let read = *jar;
                        let is_current = read.hash() == self.device.current;
                        let first = self.show(&read).expect("the first tab's");
                        self.now += Duration::seconds(if is_current { apart } else { 0 });
                        let second = self.show(&read).expect("the second tab's");
                        assert_eq!(first, second, "both have the same");
                        if !(is_first_lost && is_second_lost) {
                            *jar = second;
                        }
                    }
                }
            }
        }
    }

    proptest! {
        #[test]
        fn no_lost_answer_and_no_second_tab_ends_a_session(acts in acts()) {
            let mut service = Service { device: Device::new(KEY, &FIRST, BEGIN), now: BEGIN, is_ended: false };
            let mut jar = FIRST;
            service.run(&mut jar, &acts);
            prop_assert!(service.show(&jar).is_some());
        }

        #[test]
        fn two_holders_end_the_session_within_two_renewals_each(
            before in acts(), pauses in proptest::collection::vec(TABS_SECONDS + 1..200_000, 4), is_thief_first in any::<bool>(),
        ) {
            let mut service = Service { device: Device::new(KEY, &FIRST, BEGIN), now: BEGIN, is_ended: false };
            let mut jar = FIRST;
            service.run(&mut jar, &before);
            // Some time after that, someone copies the secret, and both renew in turn.
            let mut holders = [jar, jar];
            for (turn, pause) in pauses.into_iter().enumerate() {
                service.now += Duration::seconds(pause);
                let holder = &mut holders[(turn + usize::from(is_thief_first)) % 2];
                if let Some(next) = service.show(holder) {
                    *holder = next;
                }
            }
            prop_assert!(service.is_ended);
        }
    }
}
