//! When a backup is due.

use time::{Date, Duration, OffsetDateTime};

/// The local hour after which the backup of a day is made.
const HOUR: i64 = 3;
/// The wait after a failed backup.
const RETRY_AFTER: Duration = Duration::HOUR;
/// The age of the last good backup from which the log warns.
const OLD_AFTER: Duration = Duration::days(2);

/// Whether a backup must be made: this day has no good one, and none failed within the hour. Times have the household's offset.
pub(super) fn is_due(
    last_good: Option<OffsetDateTime>,
    last_failure: Option<OffsetDateTime>,
    now: OffsetDateTime,
) -> bool {
    // A failure in the future is ignored: the clock was set back.
    let failed_just_now = last_failure.is_some_and(|at| (at..at + RETRY_AFTER).contains(&now));
    let is_done = last_good.is_some_and(|at| day(at.to_offset(now.offset())) == day(now));
    !is_done && !failed_just_now
}

/// The day that a backup belongs to. It starts at `HOUR`, at night.
fn day(at: OffsetDateTime) -> Date {
    (at - Duration::hours(HOUR)).date()
}

/// Whether the last good backup is so old that the log must warn.
pub(super) fn is_old(last_good: Option<OffsetDateTime>, now: OffsetDateTime) -> bool {
    last_good.is_none_or(|at| now - at > OLD_AFTER)
}

#[cfg(test)]
mod tests {
    use time::macros::datetime;

    use super::*;

    #[test]
    fn a_backup_is_due_once_a_day_after_three() {
        let now = datetime!(2026-11-22 12:00 -03:00);
        for (last_good, due) in [
            (None, true),
            (Some(datetime!(2026-11-22 03:00 -03:00)), false),
            (Some(datetime!(2026-11-22 06:00 UTC)), false),
            (Some(datetime!(2026-11-22 02:59 -03:00)), true),
            (Some(datetime!(2026-11-21 23:00 -03:00)), true),
            (Some(datetime!(2025-11-22 12:00 -03:00)), true),
            // Made before the clock was set back.
            (Some(datetime!(2026-12-24 12:00 -03:00)), true),
        ] {
            assert_eq!(is_due(last_good, None, now), due, "{last_good:?}");
        }
        let yesterday = Some(datetime!(2026-11-21 03:00 -03:00));
        assert!(!is_due(yesterday, None, datetime!(2026-11-22 02:59 -03:00)));
        assert!(is_due(yesterday, None, datetime!(2026-11-22 03:00 -03:00)));
    }

    #[test]
    fn a_failed_backup_is_tried_again_after_an_hour() {
        let failed = Some(datetime!(2026-11-22 03:00 -03:00));
        assert!(!is_due(None, failed, datetime!(2026-11-22 03:59 -03:00)));
        assert!(is_due(None, failed, datetime!(2026-11-22 04:00 -03:00)));
        assert!(is_due(None, failed, datetime!(2026-11-21 12:00 -03:00)), "the clock was set back");
    }

    #[test]
    fn the_last_good_backup_is_old_after_two_days() {
        let now = datetime!(2026-11-22 12:00 UTC);
        assert!(is_old(None, now));
        assert!(!is_old(Some(now - Duration::days(2)), now));
        assert!(is_old(Some(now - Duration::days(2) - Duration::SECOND), now));
    }
}
