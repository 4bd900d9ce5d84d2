//! What a member wants to be told, where and when.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use time::Time;

use super::values::{Channel, Language, NoticeKind};
use crate::error::{FieldErrors, Result};
use crate::violations::Violation;
use crate::words::Word;

/// The most days or percents of a kind.
pub const THRESHOLDS_MAX: usize = 3;
/// The most days before or after the cause of a notice.
const DAYS_MAX: i64 = 30;
/// The highest percent of a budget.
pub const PERCENT_MAX: i64 = 200;
/// The minutes of a day.
const DAY_MINUTES: i16 = 24 * 60;

/// A time of day, to the minute.
///
/// ```
/// use finance_domain::notices::ClockTime;
///
/// let time: ClockTime = "09:05".parse()?;
/// assert_eq!((time.minutes(), time.to_string().as_str()), (545, "09:05"));
/// for wrong in ["24:00", "9:05", "09:60", "09:05:00", "+9:05", ""] {
///     assert!(wrong.parse::<ClockTime>().is_err(), "{wrong}");
/// }
/// # Ok::<(), finance_domain::Violation>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct ClockTime(i16);

impl ClockTime {
    /// The time that many minutes after midnight. None if that is not on the same day.
    pub fn from_minutes(minutes: i16) -> Option<Self> {
        (0..DAY_MINUTES).contains(&minutes).then_some(ClockTime(minutes))
    }

    /// The minutes since midnight.
    pub fn minutes(self) -> i16 {
        self.0
    }

    /// The time to the minute.
    pub fn of(time: Time) -> Self {
        ClockTime(i16::from(time.hour()) * 60 + i16::from(time.minute()))
    }
}

impl fmt::Display for ClockTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:02}:{:02}", self.0 / 60, self.0 % 60)
    }
}

impl FromStr for ClockTime {
    type Err = Violation;

    fn from_str(text: &str) -> Result<Self, Violation> {
        let digits = |text: &str| {
            let are_two = text.len() == 2 && text.bytes().all(|byte| byte.is_ascii_digit());
            if are_two { text.parse::<i16>().ok() } else { None }
        };
        let (hour, minute) = text.split_once(':').ok_or(Violation::InvalidTime)?;
        match (digits(hour), digits(minute)) {
            (Some(hour @ 0..24), Some(minute @ 0..60)) => Ok(ClockTime(hour * 60 + minute)),
            _ => Err(Violation::InvalidTime),
        }
    }
}

/// What the thresholds of a kind are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limits {
    /// It has none.
    Nothing,
    /// One number of days.
    Day,
    /// Several numbers of days.
    Days,
    /// Several percents.
    Percents,
}

impl Limits {
    /// What the thresholds of the kind are.
    pub fn of(kind: NoticeKind) -> Self {
        match kind {
            NoticeKind::BillDue | NoticeKind::RecurringDue => Limits::Days,
            NoticeKind::RecurringLate | NoticeKind::Balance | NoticeKind::StatementMissing => Limits::Day,
            NoticeKind::Budget => Limits::Percents,
            NoticeKind::BillClosed | NoticeKind::PriceChanged | NoticeKind::RepeatedCharge | NoticeKind::Digest => {
                Limits::Nothing
            }
        }
    }

    /// The name of the field.
    pub fn field(self) -> &'static str {
        if self == Limits::Percents { "percents" } else { "days" }
    }
}

/// How one kind is told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KindPreferences {
    /// Where it is told. Empty: it is not told.
    pub channels: Vec<Channel>,
    /// Its days or percents, each once. See [`Limits::of`].
    pub limits: Vec<i16>,
}

impl KindPreferences {
    /// Those of a member who chose none.
    pub fn default_of(kind: NoticeKind) -> Self {
        let channels = match kind {
            NoticeKind::BillDue
            | NoticeKind::RecurringDue
            | NoticeKind::RecurringLate
            | NoticeKind::Balance
            | NoticeKind::RepeatedCharge => vec![Channel::Page, Channel::Push],
            NoticeKind::Digest => Vec::new(),
            _ => vec![Channel::Page],
        };
        let limits = match kind {
            NoticeKind::BillDue => vec![3, 0],
            NoticeKind::RecurringDue => vec![1, 0],
            NoticeKind::RecurringLate => vec![3],
            NoticeKind::Budget => vec![80, 100],
            NoticeKind::Balance => vec![14],
            NoticeKind::StatementMissing => vec![10],
            _ => Vec::new(),
        };
        KindPreferences { channels, limits }
    }

    /// Whether it is told on any channel.
    pub fn is_told(&self) -> bool {
        !self.channels.is_empty()
    }
}

/// What a member wants to be told, where and when.
///
/// ```
/// use finance_domain::notices::{Channel, NoticeKind, Preferences};
///
/// let default = Preferences::default();
/// assert_eq!((default.hour.to_string(), default.amounts), ("09:00".to_string(), false));
/// assert_eq!(default.kind(NoticeKind::BillDue).limits, [3, 0]);
/// assert_eq!(default.kind(NoticeKind::Budget).channels, [Channel::Page]);
/// assert!(!default.kind(NoticeKind::Digest).is_told());
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Preferences {
    /// From when on a day's notices are sent.
    pub hour: ClockTime,
    /// From when on nothing is sent.
    pub quiet_from: ClockTime,
    /// Until when nothing is sent. Equal to `quiet_from`: something is always sent.
    pub quiet_to: ClockTime,
    /// Whether what leaves the machine has amounts.
    pub amounts: bool,
    /// The language of what is told.
    pub language: Language,
    kinds: BTreeMap<NoticeKind, KindPreferences>,
}

impl Default for Preferences {
    fn default() -> Self {
        let at = |hour: i16| ClockTime(hour * 60);
        Preferences {
            hour: at(9),
            quiet_from: at(21),
            quiet_to: at(8),
            amounts: false,
            language: Language::default(),
            kinds: NoticeKind::ALL.iter().map(|kind| (*kind, KindPreferences::default_of(*kind))).collect(),
        }
    }
}

impl Preferences {
    /// How a kind is told.
    pub fn kind(&self, kind: NoticeKind) -> &KindPreferences {
        // Every kind is in the map by construction.
        &self.kinds[&kind]
    }

    /// How each kind is told.
    pub fn kinds(&self) -> impl Iterator<Item = (NoticeKind, &KindPreferences)> {
        self.kinds.iter().map(|(kind, preferences)| (*kind, preferences))
    }

    /// The same, with a kind told in another way.
    pub fn put(&mut self, kind: NoticeKind, preferences: KindPreferences) {
        self.kinds.insert(kind, preferences);
    }

    /// The kinds that are told on a channel.
    pub fn told_on(&self, channel: Channel) -> Vec<NoticeKind> {
        self.kinds().filter(|(_, of)| of.channels.contains(&channel)).map(|(kind, _)| kind).collect()
    }
}

/// How a kind is told, as a client sends it. What is absent stays.
#[derive(Debug, Clone, Default)]
pub struct KindInput {
    /// A channel is None if it could not be read; the errors say so already.
    pub channels: Option<Vec<Option<Channel>>>,
    /// The kind's days. A number is None if it could not be read; the errors say so already.
    pub days: Option<Vec<Option<i64>>>,
    /// The kind's percents, likewise.
    pub percents: Option<Vec<Option<i64>>>,
}

/// Preferences as a client sends them, not yet checked. What is absent stays.
#[derive(Debug, Clone, Default)]
pub struct PreferencesInput {
    /// As `HH:MM`.
    pub hour: Option<ClockTime>,
    /// As `HH:MM`.
    pub quiet_from: Option<ClockTime>,
    /// As `HH:MM`.
    pub quiet_to: Option<ClockTime>,
    /// Whether what leaves the machine has amounts.
    pub amounts: Option<bool>,
    /// One of the [`Language`]s.
    pub language: Option<Language>,
    /// By the word of their kind.
    pub kinds: Vec<(String, KindInput)>,
    /// Fields that could not be read. They are reported together with those that break a rule.
    pub errors: FieldErrors,
}

impl PreferencesInput {
    /// Applies the rules.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`](crate::Error::Invalid) with every broken rule.
    pub fn check(self, before: Preferences) -> Result<Preferences> {
        let mut errors = self.errors;
        let mut after = Preferences {
            hour: self.hour.unwrap_or(before.hour),
            quiet_from: self.quiet_from.unwrap_or(before.quiet_from),
            quiet_to: self.quiet_to.unwrap_or(before.quiet_to),
            amounts: self.amounts.unwrap_or(before.amounts),
            language: self.language.unwrap_or(before.language),
            kinds: before.kinds,
        };
        for (word, input) in self.kinds {
            match errors.check(&format!("kinds.{word}"), word.parse::<NoticeKind>()) {
                Some(kind) => {
                    let kept = after.kind(kind).clone();
                    after.put(kind, checked(kind, input, kept, &mut errors));
                }
                None => continue,
            }
        }
        errors.into_result()?;
        Ok(after)
    }
}

fn checked(kind: NoticeKind, input: KindInput, kept: KindPreferences, errors: &mut FieldErrors) -> KindPreferences {
    let name = kind.as_str();
    let channels = match input.channels {
        Some(given) => each_once(given.into_iter().flatten()),
        None => kept.channels,
    };
    let limits = Limits::of(kind);
    let (given, min, max) = match limits {
        Limits::Nothing => (None, 0, 0),
        Limits::Day | Limits::Days => (input.days, 0, DAYS_MAX),
        Limits::Percents => (input.percents, 1, PERCENT_MAX),
    };
    let Some(given) = given else { return KindPreferences { channels, limits: kept.limits } };
    let field = format!("kinds.{name}.{}", limits.field());
    let most = if limits == Limits::Day { 1 } else { THRESHOLDS_MAX };
    if !(1..=most).contains(&given.len()) {
        errors.push(&field, Violation::ElementCount { min: 1, max: most as i64 });
    }
    let mut values = Vec::new();
    for (at, value) in given.into_iter().enumerate().take(most) {
        match value.map(|value| (value, i16::try_from(value).ok().filter(|of| (min..=max).contains(&i64::from(*of))))) {
            Some((_, Some(value))) => values.push(value),
            Some((_, None)) => errors.push(format!("{field}[{at}]"), Violation::out_of_range(min, max)),
            None => {}
        }
    }
    KindPreferences { channels, limits: each_once(values.into_iter()) }
}

fn each_once<T: Copy + PartialEq>(values: impl Iterator<Item = T>) -> Vec<T> {
    let mut kept = Vec::new();
    for value in values {
        if !kept.contains(&value) {
            kept.push(value);
        }
    }
    kept
}
