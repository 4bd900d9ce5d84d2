//! Which backups are kept.

use std::collections::BTreeSet;

use time::OffsetDateTime;

/// Numbers of days, weeks and months with a backup: the newest backup of each is kept.
const DAYS_KEPT: usize = 7;
const WEEKS_KEPT: usize = 4;
const MONTHS_KEPT: usize = 12;

/// The times of the backups that are no longer kept, out of the times of all good backups.
///
/// The newest backup of each of the last 7 days, 4 weeks and 12 months that have one is kept. So a period without backups removes
/// none, and the newest backup is always kept.
pub(super) fn obsolete(made_at: &[OffsetDateTime]) -> Vec<OffsetDateTime> {
    let newest_first: BTreeSet<_> = made_at.iter().rev().copied().collect();
    let newest_first: Vec<_> = newest_first.into_iter().rev().collect();
    let mut kept = BTreeSet::new();
    kept.extend(newest_of_each(&newest_first, DAYS_KEPT, |at| (at.year(), at.ordinal())));
    kept.extend(newest_of_each(&newest_first, WEEKS_KEPT, |at| {
        let (year, week, _) = at.to_iso_week_date();
        (year, u16::from(week))
    }));
    kept.extend(newest_of_each(&newest_first, MONTHS_KEPT, |at| (at.year(), u16::from(u8::from(at.month())))));
    newest_first.into_iter().filter(|at| !kept.contains(at)).collect()
}

/// The newest backup of each period, for the last `count` periods.
fn newest_of_each(
    newest_first: &[OffsetDateTime],
    count: usize,
    period: fn(&OffsetDateTime) -> (i32, u16),
) -> Vec<OffsetDateTime> {
    let mut newest: Vec<OffsetDateTime> = Vec::new();
    for at in newest_first {
        if newest.last().is_none_or(|last| period(last) != period(at)) {
            newest.push(*at);
        }
    }
    newest.truncate(count);
    newest
}

#[cfg(test)]
mod tests {
    use time::Duration;
    use time::macros::datetime;

    use super::*;

    fn kept(made_at: &[OffsetDateTime]) -> Vec<OffsetDateTime> {
        let obsolete = obsolete(made_at);
        made_at.iter().copied().filter(|at| !obsolete.contains(at)).collect()
    }

    #[test]
    fn of_two_years_of_days_seven_days_four_weeks_and_twelve_months_are_kept() {
        let last = datetime!(2026-11-22 03:00 UTC);
        // As in operation: each day a backup is made, and the obsolete ones are removed.
        let mut there = Vec::new();
        for day in (0..730).rev() {
            there.push(last - Duration::days(day));
            there = kept(&there);
        }
        let days: Vec<String> = there.iter().map(|at| at.date().to_string()).collect();
        let expected = [
            // Months
            "2025-12-31",
            "2026-01-31",
            "2026-02-28",
            "2026-03-31",
            "2026-04-30",
            "2026-05-31",
            "2026-06-30",
            "2026-07-31",
            "2026-08-31",
            "2026-09-30",
            "2026-10-31", // Weeks
            "2026-11-01",
            "2026-11-08",
            "2026-11-15", // Days
            "2026-11-16",
            "2026-11-17",
            "2026-11-18",
            "2026-11-19",
            "2026-11-20",
            "2026-11-21",
            "2026-11-22",
        ];
        assert_eq!(days, expected);
    }

    #[test]
    fn of_several_backups_of_a_day_the_newest_is_kept() {
        let (morning, noon) = (datetime!(2026-11-22 03:00 UTC), datetime!(2026-11-22 12:00 UTC));
        assert_eq!(obsolete(&[noon, morning]), [morning]);
        assert_eq!(obsolete(&[morning, noon]), [morning]);
        assert!(obsolete(&[noon]).is_empty() && obsolete(&[]).is_empty());
    }

    #[test]
    fn a_year_without_backups_removes_none() {
        let old: Vec<_> = (0..7).map(|day| datetime!(2024-05-06 03:00 UTC) + Duration::days(day)).collect();
        assert!(obsolete(&old).is_empty());
        let with_new: Vec<_> = old.iter().copied().chain([datetime!(2026-11-22 03:00 UTC)]).collect();
        assert_eq!(obsolete(&with_new), [old[0]], "the eighth day, and neither the last of its week nor of its month");
    }
}
