//! When a notice is sent.

use time::{Date, Duration, OffsetDateTime, Time, UtcOffset};

use super::preferences::{ClockTime, Preferences};
use super::values::NoticeKind;

/// When a notice that is known `now` is sent: at once if its kind is [prompt](NoticeKind::is_prompt), otherwise from the member's hour
/// on, and in no case in the quiet hours. The time of day is that at `offset`.
///
/// ```
/// use finance_domain::notices::{NoticeKind, Preferences, when};
/// use time::macros::{datetime, offset};
///
/// let sent = |kind, now| when(kind, now, offset!(-3), &Preferences::default());
/// let early = datetime!(2026-03-10 08:59 -3);
/// assert_eq!(sent(NoticeKind::BillDue, early), datetime!(2026-03-10 09:00 -3));
/// assert_eq!(sent(NoticeKind::Budget, early), early);
/// assert_eq!(sent(NoticeKind::Budget, datetime!(2026-03-10 21:00 -3)), datetime!(2026-03-11 08:00 -3));
/// ```
pub fn when(kind: NoticeKind, now: OffsetDateTime, offset: UtcOffset, preferences: &Preferences) -> OffsetDateTime {
    after_hour(kind.is_prompt(), now, offset, preferences)
}

/// When a notice that may have been put off until a day is sent, as it is known `now`: [`when`], or from the member's hour of that day
/// on, whatever its kind. The day is that of the service, which may be fixed; the time of day is that at `offset`.
pub fn when_sent(
    kind: NoticeKind,
    put_off_until: Option<Date>,
    today: Date,
    now: OffsetDateTime,
    offset: UtcOffset,
    preferences: &Preferences,
) -> OffsetDateTime {
    match put_off_until {
        Some(day) if day > today => at_hour(now.to_offset(offset).date() + (day - today), offset, preferences),
        put_off_until => after_hour(kind.is_prompt() && put_off_until.is_none(), now, offset, preferences),
    }
}

fn after_hour(is_prompt: bool, now: OffsetDateTime, offset: UtcOffset, preferences: &Preferences) -> OffsetDateTime {
    let local = now.to_offset(offset);
    let from = if is_prompt { local } else { local.max(at(local.date(), preferences.hour, offset)) };
    after_quiet(from, preferences)
}

/// When a notice that was put off until a day is sent: at the member's hour, or after the quiet hours.
pub fn at_hour(day: Date, offset: UtcOffset, preferences: &Preferences) -> OffsetDateTime {
    after_quiet(at(day, preferences.hour, offset), preferences)
}

fn at(day: Date, time: ClockTime, offset: UtcOffset) -> OffsetDateTime {
    day.with_time(Time::MIDNIGHT).assume_offset(offset) + Duration::minutes(i64::from(time.minutes()))
}

/// The instant, or the end of the quiet hours that it is in.
fn after_quiet(instant: OffsetDateTime, preferences: &Preferences) -> OffsetDateTime {
    let Preferences { quiet_from: from, quiet_to: to, .. } = *preferences;
    let (time, day) = (ClockTime::of(instant.time()), instant.date());
    let is_quiet = if from <= to { (from..to).contains(&time) } else { time >= from || time < to };
    match is_quiet {
        false => instant,
        // The quiet hours that have begun today end tomorrow.
        true if from > to && time >= from => at(day + Duration::DAY, to, instant.offset()),
        true => at(day, to, instant.offset()),
    }
}

#[cfg(test)]
mod tests {
    use time::macros::{date, datetime, offset};

    use super::*;

    fn hours(hour: &str, from: &str, to: &str) -> Preferences {
        let read = |text: &str| text.parse().unwrap();
        let mut preferences = Preferences::default();
        (preferences.hour, preferences.quiet_from, preferences.quiet_to) = (read(hour), read(from), read(to));
        preferences
    }

    #[test]
    fn times_offsets_and_quiet_hours_across_midnight() {
        let (due, prompt) = (NoticeKind::BillDue, NoticeKind::RepeatedCharge);
        let default = ("09:00", "21:00", "08:00");
        for (kind, (hour, from, to), now, sent) in [
            (due, default, datetime!(2026-03-10 00:00 -3), datetime!(2026-03-10 09:00 -3)),
            (due, default, datetime!(2026-03-10 08:59:59 -3), datetime!(2026-03-10 09:00 -3)),
            (due, default, datetime!(2026-03-10 09:00 -3), datetime!(2026-03-10 09:00 -3)),
            (due, default, datetime!(2026-03-10 20:59:59 -3), datetime!(2026-03-10 20:59:59 -3)),
            (due, default, datetime!(2026-03-10 21:00 -3), datetime!(2026-03-11 08:00 -3)),
            // In UTC it is the next day already.
            (due, default, datetime!(2026-03-11 02:30 UTC), datetime!(2026-03-11 08:00 -3)),
            (prompt, default, datetime!(2026-03-11 10:59 UTC), datetime!(2026-03-11 08:00 -3)),
            (prompt, default, datetime!(2026-03-10 08:00 -3), datetime!(2026-03-10 08:00 -3)),
            (prompt, default, datetime!(2026-03-10 23:59 -3), datetime!(2026-03-11 08:00 -3)),
            // Equal: never quiet.
            (prompt, ("09:00", "08:00", "08:00"), datetime!(2026-03-10 08:00 -3), datetime!(2026-03-10 08:00 -3)),
            // Quiet within a day, with the hour in it.
            (due, ("13:00", "12:00", "14:00"), datetime!(2026-03-10 07:00 -3), datetime!(2026-03-10 14:00 -3)),
            (prompt, ("13:00", "12:00", "14:00"), datetime!(2026-03-10 11:59 -3), datetime!(2026-03-10 11:59 -3)),
            // The hour is in the night.
            (due, ("22:00", "21:00", "08:00"), datetime!(2026-03-10 12:00 -3), datetime!(2026-03-11 08:00 -3)),
            (due, ("00:00", "00:00", "06:00"), datetime!(2026-12-31 23:00 -3), datetime!(2026-12-31 23:00 -3)),
            (due, ("00:00", "00:00", "06:00"), datetime!(2027-01-01 00:00 -3), datetime!(2027-01-01 06:00 -3)),
        ] {
            assert_eq!(when(kind, now, offset!(-3), &hours(hour, from, to)), sent, "{kind:?} {hour} {from} {to} {now}");
        }
        let east = when(due, datetime!(2026-03-10 22:00 UTC), offset!(+10), &Preferences::default());
        assert_eq!(east, datetime!(2026-03-11 09:00 +10));
    }

    #[test]
    fn what_was_put_off_is_sent_on_its_day() {
        let sent = |preferences: &Preferences| at_hour(date!(2026 - 03 - 12), offset!(-3), preferences);
        assert_eq!(sent(&Preferences::default()), datetime!(2026-03-12 09:00 -3));
        assert_eq!(sent(&hours("07:00", "21:00", "08:00")), datetime!(2026-03-12 08:00 -3));
    }
}
