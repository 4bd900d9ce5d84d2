//! Which days are near for the two sides of a transfer or a payment, and pairs of two lists of dates: as many as can be, and among those
//! the nearest ones.

use std::ops::RangeInclusive;

use time::Date;

/// The most days between the two sides of a transfer.
pub const NEAR_DAYS_MAX: i64 = 4;

/// How many days after the account's row the card's row of a payment may be: banks book it before or later.
pub const PAYMENT_DAYS: RangeInclusive<i64> = -NEAR_DAYS_MAX..=10;

/// The most pairs of dates that are compared. Above that, the dates are paired in their order.
const COMPARED_MAX: usize = 250_000;

/// Pairs of positions in `from` and `to`, which are sorted by date. The second date is `days` after the first one.
pub(crate) fn pair_dates(
    from: &[Date],
    to: &[Date],
    days: &RangeInclusive<i64>,
    may_pair: impl Fn(usize, usize) -> bool,
) -> Vec<(usize, usize)> {
    if from.len().saturating_mul(to.len()) > COMPARED_MAX {
        return in_order(from, to, days, may_pair);
    }
    let apart = |one: usize, other: usize| {
        let apart = (to[other] - from[one]).whole_days();
        (days.contains(&apart) && may_pair(one, other)).then_some(apart.unsigned_abs())
    };
    let width = to.len() + 1;
    // The best result for the rest of both lists: the number of pairs, and how far they are apart.
    let mut best = vec![(0_usize, 0_u64); (from.len() + 1) * width];
    let better = |one: (usize, u64), other: (usize, u64)| match one.0 > other.0 || one.0 == other.0 && one.1 <= other.1
    {
        true => one,
        false => other,
    };
    let with = |rest: (usize, u64), apart: u64| (rest.0 + 1, rest.1 + apart);
    for one in (0..from.len()).rev() {
        for other in (0..to.len()).rev() {
            let skipped = better(best[(one + 1) * width + other], best[one * width + other + 1]);
            let paired = apart(one, other).map(|apart| with(best[(one + 1) * width + other + 1], apart));
            best[one * width + other] = paired.map_or(skipped, |paired| better(paired, skipped));
        }
    }
    let (mut pairs, mut one, mut other) = (Vec::new(), 0, 0);
    while one < from.len() && other < to.len() {
        let here = best[one * width + other];
        if apart(one, other).is_some_and(|apart| with(best[(one + 1) * width + other + 1], apart) == here) {
            pairs.push((one, other));
            (one, other) = (one + 1, other + 1);
        } else if best[(one + 1) * width + other] == here {
            one += 1;
        } else {
            other += 1;
        }
    }
    pairs
}

/// Pairs each date with the first one that the days allow and no earlier date has.
fn in_order(
    from: &[Date],
    to: &[Date],
    days: &RangeInclusive<i64>,
    may_pair: impl Fn(usize, usize) -> bool,
) -> Vec<(usize, usize)> {
    let (mut pairs, mut first) = (Vec::new(), 0);
    for (one, date) in from.iter().enumerate() {
        let apart = |other: usize| (to[other] - *date).whole_days();
        while first < to.len() && apart(first) < *days.start() {
            first += 1;
        }
        let mut allowed = (first..to.len()).take_while(|other| apart(*other) <= *days.end());
        if let Some(other) = allowed.find(|other| may_pair(one, *other)) {
            pairs.push((one, other));
            first = other + 1;
        }
    }
    pairs
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use time::Duration;
    use time::macros::date;

    use super::*;

    fn day(after: i64) -> Date {
        date!(2026 - 02 - 01) + Duration::days(after)
    }

    #[test]
    fn as_many_as_can_be_are_paired_and_the_nearest_of_them() {
        let pairs = |from: &[i64], to: &[i64]| {
            let dates = |days: &[i64]| days.iter().copied().map(day).collect::<Vec<_>>();
            pair_dates(&dates(from), &dates(to), &(-4..=10), |_, _| true)
        };
        assert_eq!(pairs(&[3, 8], &[6, 11]), [(0, 0), (1, 1)]);
        assert_eq!(pairs(&[3], &[1, 3, 5]), [(0, 1)]);
        assert_eq!(pairs(&[3, 20], &[14, 17]), [(1, 1)]);
        assert_eq!(pairs(&[], &[1]), []);
    }

    proptest! {
        #[test]
        fn no_other_assignment_pairs_more(
            mut from in prop::collection::vec(0_i64..40, 0..6),
            mut to in prop::collection::vec(0_i64..40, 0..6),
        ) {
            fn most(from: &[i64], to: &mut Vec<i64>) -> usize {
                let Some((first, rest)) = from.split_first() else { return 0 };
                let mut best = most(rest, to);
                for at in 0..to.len() {
                    if (-4..=10).contains(&(to[at] - first)) {
                        let taken = to.remove(at);
                        best = best.max(1 + most(rest, to));
                        to.insert(at, taken);
                    }
                }
                best
            }
            from.sort_unstable();
            to.sort_unstable();
            let dates = |days: &[i64]| days.iter().copied().map(day).collect::<Vec<_>>();
            let pairs = pair_dates(&dates(&from), &dates(&to), &(-4..=10), |_, _| true);
            prop_assert_eq!(pairs.len(), most(&from, &mut to));
            prop_assert_eq!(in_order(&dates(&from), &dates(&to), &(-4..=10), |_, _| true).len(), pairs.len());
        }
    }
}
