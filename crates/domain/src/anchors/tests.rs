use std::collections::BTreeMap;

use proptest::prelude::*;
use time::macros::date;

use super::*;
use crate::month::day_before;

const FIRST: Date = date!(2026 - 01 - 01);

fn day(number: i64) -> Date {
    FIRST + Duration::days(number)
}

fn cents(cents: i128) -> Money {
    Money::from_cents(cents)
}

/// An account as a person thinks of it: rows by day, and what was said, in that order. It knows no sums.
#[derive(Debug, Clone)]
struct Books {
    /// Signed amounts in cents, by day.
    rows: Vec<(i64, i128)>,
    /// The day, the cents, and the import of what was said.
    stated: Vec<(i64, i128, Option<i64>)>,
    /// The days on which later imports have rows.
    later: Vec<(i64, i64)>,
}

impl Books {
    fn up_to(&self, until: i64) -> i128 {
        self.rows.iter().filter(|(at, _)| *at <= until).map(|(_, amount)| amount).sum()
    }

    fn followed(&self) -> Option<(i64, i128)> {
        self.stated.iter().find(|(.., import)| import.is_none()).map(|(at, amount, _)| (*at, *amount))
    }

    fn opening(&self) -> Option<Opening> {
        let (at, amount) = self.followed()?;
        let first = self.rows.iter().map(|(at, _)| at - 1).min();
        let balance = amount - self.up_to(at);
        (balance != 0).then(|| Opening { date: day(first.map_or(at, |first| first.min(at))), balance: cents(balance) })
    }

    /// The day, what was said, and what the rows come to, of everything that counts, oldest first.
    fn counting(&self) -> Vec<(i64, i128, i128)> {
        let opening = self.opening().map_or(0, |opening| opening.balance.cents());
        let mut of_days: BTreeMap<i64, (i128, Option<i64>)> = BTreeMap::new();
        for (at, amount, import) in &self.stated {
            let is_better = match of_days.get(at) {
                None => true,
                Some((_, None)) => false,
                Some((_, Some(known))) => import.is_none_or(|import| import > *known),
            };
            if is_better {
                of_days.insert(*at, (*amount, *import));
            }
        }
        let counts = |at: i64, amount: i128, import: Option<i64>| match import {
            None => true,
            Some(import) => {
                let is_of_noon = self.later.iter().any(|(day, later)| *day == at && *later > import);
                !is_of_noon && (amount != 0 || self.up_to(at) + opening == 0)
            }
        };
        let of_days = of_days.into_iter().filter(|(at, (amount, import))| counts(*at, *amount, *import));
        of_days.map(|(at, (amount, _))| (at, amount, self.up_to(at) + opening)).collect()
    }

    /// What a store knows of the anchors.
    fn known(&self, opening: Option<Opening>) -> Vec<KnownAnchor> {
        let known = self.stated.iter().enumerate().map(|(id, (at, amount, import))| {
            let opened =
                opening.filter(|opening| opening.date <= day(*at)).map_or(Money::ZERO, |opening| opening.balance);
            KnownAnchor {
                anchor: Anchor {
                    id: AnchorId(id as i64),
                    date: day(*at),
                    amount: cents(*amount),
                    import_id: import.map(ImportId),
                },
                rows: cents(self.up_to(*at)) + opened,
                has_later_rows: import
                    .is_some_and(|import| self.later.iter().any(|(day, later)| day == at && *later > import)),
            }
        });
        known.collect()
    }

    fn checks(&self) -> Vec<Check> {
        let opening = self.opening();
        checks(&self.known(opening), &opening.into_iter().collect::<Vec<_>>())
    }
}

fn books() -> impl Strategy<Value = Books> {
    let amount = || -3_i128..=3;
    let stated = (0_i64..12, amount(), prop_oneof![Just(None), (1_i64..4).prop_map(Some)]);
    let rows = prop::collection::vec((0_i64..12, amount()), 0..8);
    let later = prop::collection::vec((0_i64..12, 2_i64..5), 0..3);
    (rows, prop::collection::vec(stated, 0..8), later).prop_map(|(rows, mut stated, later)| {
        // Of one day, people and each import say one thing.
        let mut known = std::collections::HashSet::new();
        stated.retain(|(at, _, import)| known.insert((*at, *import)));
        Books { rows, stated, later }
    })
}

proptest! {
    #[test]
    fn the_rule_agrees_with_adding_up_the_rows(books in books()) {
        let opening_of = books.followed().and_then(|(at, amount)| opening(&Followed {
            account_id: AccountId(1),
            date: day(at),
            amount: cents(amount),
            others: cents(books.up_to(at)),
            first_row: books.rows.iter().map(|(at, _)| day(*at)).min(),
            openings: Vec::new(),
        }));
        prop_assert_eq!(opening_of, books.opening());
        let checks = books.checks();
        let counted: Vec<(i64, i128, i128)> = checks.iter().rev()
            .map(|check| ((check.anchor.date - FIRST).whole_days(), check.anchor.amount.cents(), check.computed.cents()))
            .collect();
        let expected = books.counting();
        prop_assert_eq!(&counted, &expected);
        // The followed one always agrees, and it is the only one that is followed.
        let followed: Vec<&Check> = checks.iter().filter(|check| check.is_followed).collect();
        prop_assert_eq!(followed.len(), usize::from(books.followed().is_some()));
        prop_assert!(followed.iter().all(|check| check.agrees()));
        let first = expected.iter().find(|(_, amount, computed)| amount != computed);
        let until = expected.iter().rfind(|(at, ..)| {
            first.is_none_or(|(first, ..)| at < first) && books.followed().map(|(at, _)| at) != Some(*at)
        });
        let found = agreement(&checks);
        let at = |check: Check| (check.anchor.date - FIRST).whole_days();
        prop_assert_eq!(found.first_difference.map(at), first.map(|(at, ..)| *at));
        prop_assert_eq!(found.agrees_until, until.map(|(at, ..)| day(*at)));
    }

    #[test]
    fn an_adjustment_ends_the_difference_and_begins_none_where_what_is_earlier_agrees(books in books()) {
        let before = books.checks();
        for check in before.iter().filter(|check| !check.agrees()) {
            let date = check.anchor.date;
            let rows = adjustment(&before, date).expect("a difference");
            let mut after = books.clone();
            after.rows.extend(rows.iter().map(|(date, signed)| ((*date - FIRST).whole_days(), signed.cents())));
            let after = after.checks();
            let now = after.iter().find(|now| now.anchor.date == date);
            prop_assert!(now.is_some_and(Check::agrees), "{:?}", now);
            let earlier = before.iter().filter(|other| other.anchor.date < date);
            for other in earlier.filter(|other| other.agrees()) {
                // A zero of a file that no longer agrees does not count.
                let now = after.iter().find(|now| now.anchor.date == other.anchor.date);
                prop_assert!(now.is_none_or(Check::agrees), "{:?}", now);
            }
        }
        prop_assert!(before.iter().filter(|check| check.agrees()).all(|check| adjustment(&before, check.anchor.date).is_none()));
    }

    #[test]
    fn the_rows_of_the_span_lack_the_gap(books in books()) {
        let checks = books.checks();
        let computed = |date: Option<Date>| -> Money {
            let of_day = |date: Date| checks.iter().find(|check| check.anchor.date == date);
            date.and_then(of_day).map_or(Money::ZERO, |check| check.computed)
        };
        let stated = |date: Option<Date>| -> Money {
            let of_day = |date: Date| checks.iter().find(|check| check.anchor.date == date);
            date.and_then(of_day).map_or(Money::ZERO, |check| check.anchor.amount)
        };
        for check in &checks {
            let found = span(&checks, check.anchor.date);
            prop_assert_eq!(found.is_none(), check.agrees());
            let Some(span) = found else { continue };
            let rows = computed(Some(span.until)) - computed(span.after);
            prop_assert_eq!(stated(Some(span.until)) - stated(span.after) - rows, span.gap);
            let ends = [span.after, Some(span.until)];
            let agreeing = checks.iter().filter(|check| check.agrees()).map(|check| Some(check.anchor.date));
            prop_assert!(span.after.is_none() || agreeing.into_iter().any(|date| ends.contains(&date)));
        }
    }
}

fn row(id: i64, days: i64, signed: i128) -> Suspect {
    Suspect {
        kind: SuspectKind::Extra,
        transaction_id: Some(TransactionId(id)),
        import_id: None,
        date: day(days),
        amount: cents(signed).abs(),
        row_kind: Kind::of(cents(signed)),
        description: id.to_string(),
    }
}

fn describe(suspects: &[Suspect]) -> Vec<(SuspectKind, i64)> {
    suspects.iter().map(|row| (row.kind, row.transaction_id.map_or(0, |id| id.0))).collect()
}

#[test]
fn suspects_explain_the_gap() {
    use SuspectKind::{Extra, LeftOut, Sign};
    let stored = vec![row(1, 1, 20), row(2, 2, 10), row(3, 3, -20), row(4, 4, -10), row(5, 9, 20), row(6, 3, 20)];
    let left_out = vec![row(7, 1, -20), row(8, 1, 20)];
    let found = suspects(cents(-20), stored.clone(), left_out);
    // Rows 1 and 6 are twins; 5 is six days from the nearest.
    assert_eq!(describe(&found), [(Sign, 2), (Extra, 6), (Extra, 1), (Extra, 5), (LeftOut, 7)]);
    assert_eq!(describe(&suspects(cents(20), stored, vec![])), [(Sign, 4), (Extra, 3)]);
    assert_eq!(describe(&suspects(cents(7), vec![], vec![])), []);
}

#[test]
fn of_many_suspects_every_kind_is_told() {
    let stored: Vec<Suspect> = (0..20).map(|at| row(at, at, if at % 2 == 0 { 10 } else { 20 })).collect();
    let found = suspects(cents(-20), stored, vec![row(30, 1, -20)]);
    let kinds: Vec<SuspectKind> = found.iter().map(|row| row.kind).collect();
    use SuspectKind::{Extra, LeftOut, Sign};
    assert_eq!(kinds, [Sign, Sign, Extra, Extra, LeftOut]);
}

#[test]
fn the_opening_balance_is_never_dated_after_the_anchor() {
    let followed = |first_row: Option<Date>| Followed {
        account_id: AccountId(1),
        date: day(5),
        amount: cents(7),
        others: Money::ZERO,
        first_row,
        openings: Vec::new(),
    };
    let date = |first_row| opening(&followed(first_row)).map(|opening| opening.date);
    assert_eq!(date(None), Some(day(5)));
    assert_eq!(date(Some(day(9))), Some(day(5)));
    assert_eq!(date(Some(day(5))), Some(day_before(day(5))));
    assert_eq!(opening(&Followed { amount: Money::ZERO, ..followed(None) }), None);
    let beyond = Money::TRANSACTION_MAX + cents(1);
    assert_eq!(beyond.stated_balance().unwrap_err().code(), "too_far_from_zero");
    assert_eq!((-Money::TRANSACTION_MAX).stated_balance(), Ok(-Money::TRANSACTION_MAX));
}
