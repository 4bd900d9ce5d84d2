//! The age of a backup, as text.

use time::OffsetDateTime;

/// The time since `at`, in the largest unit that gives at least two.
pub(crate) fn age(at: OffsetDateTime, now: OffsetDateTime) -> String {
    let seconds = (now - at).whole_seconds().max(0);
    match seconds {
        0..120 => format!("{seconds} s"),
        120..7_200 => format!("{} min", seconds / 60),
        7_200..172_800 => format!("{} h", seconds / 3_600),
        _ => format!("{} days", seconds / 86_400),
    }
}

#[cfg(test)]
mod tests {
    use time::Duration;

    use super::*;

    #[test]
    fn an_age_has_two_of_its_unit_at_least() {
        let now = OffsetDateTime::UNIX_EPOCH;
        let ages = [-5, 119, 120, 7_199, 7_200, 172_799, 172_800].map(|ago| age(now - Duration::seconds(ago), now));
        assert_eq!(ages, ["0 s", "119 s", "2 min", "119 min", "2 h", "47 h", "2 days"]);
    }
}
