use std::collections::HashSet;
use std::time::Duration;

use cpu_time::ThreadTime;
use time::macros::date;

use super::*;

const ANY: Evidence = Evidence { paid_out: false, paid_in: false, moved: false, lent: false };
const OUT: Evidence = Evidence { paid_out: true, ..ANY };
const IN: Evidence = Evidence { paid_in: true, ..ANY };
const MOVED: Evidence = Evidence { moved: true, ..ANY };

/// Accounts of each kind; of cards there are two.
const CURRENT: i64 = 1;
const SAVINGS: i64 = 2;
const INVESTMENT: i64 = 3;
const CARD: i64 = 4;
const OTHER_CARD: i64 = 5;

/// How many days after a leg its row may be.
const NEAR: std::ops::RangeInclusive<i64> = -4..=4;

/// A row of day `day` of March, asked about, of 10.00 with the sign of `sign`.
fn row(account: i64, sign: i128, day: u8, evidence: Evidence) -> Row {
    Row {
        id: None,
        is_asked: true,
        account_id: AccountId(account),
        account_kind: match account {
            SAVINGS => AccountKind::Savings,
            INVESTMENT => AccountKind::Investment,
            CARD | OTHER_CARD => AccountKind::Credit,
            _ => AccountKind::Current,
        },
        kind: if sign < 0 { Kind::Expense } else { Kind::Income },
        amount: Money::from_cents(1000),
        date: date!(2026 - 03 - 01).replace_day(day).unwrap(),
        evidence,
        names_own: false,
        is_refused: false,
        pays_card: None,
    }
}

/// An expense that pays a card of which no row is here.
fn paying(card: PaidCard) -> Row {
    Row { pays_card: Some(card), ..row(CURRENT, -1, 5, OUT) }
}

fn named(row: Row) -> Row {
    Row { names_own: true, ..row }
}

fn stored(id: i64, row: Row) -> Row {
    Row { id: Some(TransactionId(id)), is_asked: false, ..row }
}

/// A bill of a card of its own, on which 10.00 are due still.
fn bill(id: i64, period_end: Date, due_date: Date) -> UnpaidBill {
    let (account_id, unpaid) = (AccountId(100 + id), Money::from_cents(1000));
    UnpaidBill { id: BillId(id), account_id, period_end, due_date, last_day: None, unpaid }
}

fn found(rows: &[Row]) -> Vec<Option<Recognition>> {
    recognise(rows, &[], &RejectedPairs::default())
}

fn certain(kind: TransferKind, with: Counterpart) -> Option<Recognition> {
    Some(Recognition { kind, confidence: Confidence::Certain, with })
}

fn likely(kind: TransferKind, with: Counterpart) -> Option<Recognition> {
    Some(Recognition { kind, confidence: Confidence::Likely, with })
}

const PAYMENT: TransferKind = TransferKind::BillPayment;
const OWN: TransferKind = TransferKind::OwnAccount;

#[test]
fn a_payment_of_a_card_pairs_with_the_expense_that_says_so() {
    use Counterpart::{Card, Elsewhere, Row};
    let pair = [certain(PAYMENT, Row(1)), certain(PAYMENT, Row(0))];
    for (what, rows, expected) in [
        ("the pair", vec![row(CARD, 1, 5, IN), row(CURRENT, -1, 5, OUT)], pair.to_vec()),
        ("from savings", vec![row(CARD, 1, 5, IN), row(SAVINGS, -1, 5, OUT)], pair.to_vec()),
        ("four days later", vec![row(CARD, 1, 5, IN), row(CURRENT, -1, 9, OUT)], pair.to_vec()),
        ("four days earlier", vec![row(CARD, 1, 5, IN), row(CURRENT, -1, 1, OUT)], pair.to_vec()),
        (
            "five days away",
            vec![row(CARD, 1, 5, IN), row(CURRENT, -1, 10, OUT)],
            vec![certain(PAYMENT, Elsewhere), None],
        ),
        (
            "another amount",
            vec![row(CARD, 1, 5, IN), self::Row { amount: Money::from_cents(999), ..row(CURRENT, -1, 5, OUT) }],
            vec![certain(PAYMENT, Elsewhere), None],
        ),
        ("alone", vec![row(CARD, 1, 5, IN)], vec![certain(PAYMENT, Elsewhere)]),
        ("an expense alone", vec![row(CURRENT, -1, 5, OUT)], vec![None]),
        ("a refund", vec![row(CARD, 1, 5, ANY), row(CURRENT, -1, 5, OUT)], vec![None, None]),
        (
            "from an investment",
            vec![row(CARD, 1, 5, IN), row(INVESTMENT, -1, 5, OUT)],
            vec![certain(PAYMENT, Elsewhere), None],
        ),
        (
            "with another card",
            vec![row(CARD, 1, 5, IN), row(OTHER_CARD, -1, 5, OUT)],
            vec![certain(PAYMENT, Elsewhere), None],
        ),
        ("an income of an account", vec![row(CURRENT, 1, 5, IN), row(SAVINGS, -1, 5, OUT)], vec![None, None]),
        (
            "an expense that says nothing",
            vec![row(CARD, 1, 5, IN), row(CURRENT, -1, 5, ANY)],
            vec![certain(PAYMENT, Elsewhere), None],
        ),
        (
            "two cards that fit alike",
            vec![row(CARD, 1, 5, IN), row(OTHER_CARD, 1, 5, IN), row(CURRENT, -1, 5, OUT)],
            vec![certain(PAYMENT, Row(2)), certain(PAYMENT, Elsewhere), certain(PAYMENT, Row(0))],
        ),
        (
            "two expenses that fit alike",
            vec![row(CARD, 1, 5, IN), row(CURRENT, -1, 4, OUT), row(SAVINGS, -1, 5, OUT)],
            vec![certain(PAYMENT, Row(2)), likely(PAYMENT, Row(0)), certain(PAYMENT, Row(0))],
        ),
        (
            "the card's row comes ten days later",
            vec![row(CARD, 1, 15, IN), row(CURRENT, -1, 5, OUT)],
            vec![certain(PAYMENT, Row(1)), certain(PAYMENT, Row(0))],
        ),
        (
            "the card's row comes eleven days later",
            vec![row(CARD, 1, 16, IN), row(CURRENT, -1, 5, OUT)],
            vec![certain(PAYMENT, Elsewhere), None],
        ),
        (
            "a card is kept here, which has no row",
            vec![paying(PaidCard::Kept(AccountId(CARD)))],
            vec![certain(PAYMENT, Card(AccountId(CARD)))],
        ),
        (
            "a text that names a card, and rows of that card and of another one",
            vec![row(OTHER_CARD, 1, 5, IN), row(CARD, 1, 8, IN), paying(PaidCard::Kept(AccountId(CARD)))],
            vec![certain(PAYMENT, Elsewhere), certain(PAYMENT, Row(2)), certain(PAYMENT, Row(1))],
        ),
        (
            "a text that names a card, and a row of another one",
            vec![row(OTHER_CARD, 1, 5, IN), paying(PaidCard::Kept(AccountId(CARD)))],
            vec![certain(PAYMENT, Elsewhere), certain(PAYMENT, Card(AccountId(CARD)))],
        ),
        (
            "two texts that name cards, and a text that names none",
            vec![
                row(CARD, 1, 6, IN),
                row(OTHER_CARD, 1, 6, IN),
                row(CARD, 1, 9, IN),
                paying(PaidCard::OneOf),
                paying(PaidCard::Kept(AccountId(OTHER_CARD))),
                paying(PaidCard::Kept(AccountId(CARD))),
            ],
            vec![
                certain(PAYMENT, Row(5)),
                certain(PAYMENT, Row(4)),
                certain(PAYMENT, Row(3)),
                certain(PAYMENT, Row(2)),
                certain(PAYMENT, Row(1)),
                certain(PAYMENT, Row(0)),
            ],
        ),
        ("several cards are kept here", vec![paying(PaidCard::OneOf)], vec![certain(PAYMENT, Elsewhere)]),
        (
            "an expense that says that money moved",
            vec![row(CARD, 1, 5, IN), row(CURRENT, -1, 5, MOVED)],
            vec![certain(PAYMENT, Elsewhere), likely(PAYMENT, Row(0))],
        ),
    ] {
        assert_eq!(found(&rows), expected, "{what}");
    }
}

#[test]
fn own_accounts_need_both_texts_and_a_name() {
    use Counterpart::Row;
    let pair = vec![certain(OWN, Row(1)), certain(OWN, Row(0))];
    let maybe = vec![likely(OWN, Row(1)), likely(OWN, Row(0))];
    for (what, rows, expected) in [
        ("named by the expense", vec![named(row(CURRENT, -1, 5, MOVED)), row(SAVINGS, 1, 5, MOVED)], pair.clone()),
        ("named by the income", vec![row(CURRENT, -1, 5, MOVED), named(row(INVESTMENT, 1, 9, MOVED))], pair.clone()),
        ("FULANO, who is a third person", vec![row(CURRENT, -1, 5, MOVED), row(SAVINGS, 1, 5, MOVED)], maybe.clone()),
        ("one says nothing", vec![named(row(CURRENT, -1, 5, MOVED)), row(SAVINGS, 1, 5, ANY)], maybe.clone()),
        ("the other says nothing", vec![row(CURRENT, -1, 5, ANY), row(SAVINGS, 1, 5, MOVED)], maybe.clone()),
        ("nobody says anything", vec![named(row(CURRENT, -1, 5, ANY)), row(SAVINGS, 1, 5, ANY)], vec![None, None]),
        ("DOCERIA says nothing", vec![row(CURRENT, -1, 5, ANY), row(SAVINGS, 1, 5, ANY)], vec![None, None]),
        ("on one account", vec![named(row(CURRENT, -1, 5, MOVED)), row(CURRENT, 1, 5, MOVED)], vec![None, None]),
        ("five days away", vec![named(row(CURRENT, -1, 5, MOVED)), row(SAVINGS, 1, 10, MOVED)], vec![None, None]),
        ("both came", vec![named(row(CURRENT, 1, 5, MOVED)), row(SAVINGS, 1, 5, MOVED)], vec![None, None]),
        (
            "a purchase on a card and a Pix of a third person",
            vec![row(CARD, -1, 5, ANY), row(CURRENT, 1, 5, MOVED)],
            vec![None, None],
        ),
        (
            "a purchase on a card that says that money moved",
            vec![named(row(CARD, -1, 5, MOVED)), row(CURRENT, 1, 5, MOVED)],
            vec![None, None],
        ),
        (
            "money that moves to a card",
            vec![named(row(CURRENT, -1, 5, MOVED)), row(CARD, 1, 5, MOVED)],
            vec![likely(PAYMENT, Row(1)), likely(PAYMENT, Row(0))],
        ),
        (
            "two that fit alike",
            vec![named(row(CURRENT, -1, 5, MOVED)), row(SAVINGS, 1, 5, MOVED), row(INVESTMENT, 1, 6, MOVED)],
            vec![likely(OWN, Row(1)), likely(OWN, Row(0)), likely(OWN, Row(0))],
        ),
        (
            "two Pix sent and one received",
            vec![row(CURRENT, -1, 5, MOVED), row(CURRENT, -1, 5, MOVED), row(SAVINGS, 1, 5, MOVED)],
            vec![likely(OWN, Row(2)), likely(OWN, Row(2)), likely(OWN, Row(0))],
        ),
    ] {
        assert_eq!(found(&rows), expected, "{what}");
    }
}

#[test]
fn a_bill_is_paid_by_what_is_due_on_it_where_no_card_tells() {
    use Counterpart::{Bill, Row};
    let (february, due) = (date!(2026 - 02 - 24), date!(2026 - 03 - 05));
    let paid = certain(PAYMENT, Bill(BillId(1)));
    let of_bills = |rows: &[super::Row], bills: &[UnpaidBill]| recognise(rows, bills, &RejectedPairs::default())[0];
    for (what, rows, bills, expected) in [
        ("on the day", vec![row(CURRENT, -1, 5, OUT)], vec![bill(1, february, due)], paid),
        ("ten days late", vec![row(CURRENT, -1, 15, OUT)], vec![bill(1, february, due)], paid),
        ("eleven days late", vec![row(CURRENT, -1, 16, OUT)], vec![bill(1, february, due)], None),
        ("long before it is due", vec![row(CURRENT, -1, 1, OUT)], vec![bill(1, february, date!(2026 - 03 - 27))], paid),
        (
            "before it closed",
            vec![row(CURRENT, -1, 5, OUT)],
            vec![bill(1, date!(2026 - 03 - 05), date!(2026 - 03 - 20))],
            None,
        ),
        ("no evidence", vec![row(CURRENT, -1, 5, MOVED)], vec![bill(1, february, due)], None),
        ("not from an account", vec![row(CARD, -1, 5, OUT)], vec![bill(1, february, due)], None),
        (
            "another amount",
            vec![row(CURRENT, -1, 5, OUT)],
            vec![UnpaidBill { unpaid: Money::from_cents(1001), ..bill(1, february, due) }],
            None,
        ),
        (
            "two cards that fit alike",
            vec![row(CURRENT, -1, 5, OUT)],
            vec![bill(1, february, due), bill(2, february, due)],
            likely(PAYMENT, Bill(BillId(1))),
        ),
        (
            "two payments that fit alike",
            vec![row(CURRENT, -1, 5, OUT), row(SAVINGS, -1, 6, OUT)],
            vec![bill(1, february, due)],
            likely(PAYMENT, Bill(BillId(1))),
        ),
        (
            "the card tells of it",
            vec![row(CURRENT, -1, 5, OUT), row(CARD, 1, 5, IN)],
            vec![bill(1, february, due)],
            certain(PAYMENT, Row(1)),
        ),
    ] {
        assert_eq!(of_bills(&rows, &bills), expected, "{what}");
    }
}

#[test]
fn payments_of_several_months_pay_what_was_due_on_their_days() {
    // Nothing was paid yet, so each bill left all to the next one, on which it was due with what was new.
    let months = [(date!(2025 - 12 - 24), date!(2026 - 01 - 05)), (date!(2026 - 01 - 24), date!(2026 - 02 - 05))];
    let last = (date!(2026 - 02 - 24), date!(2026 - 03 - 05));
    let of_card = |card: i64, sums: [i128; 3]| {
        let bill = |at: usize, (period_end, due_date): (Date, Date), last_day| UnpaidBill {
            id: BillId(card * 10 + at as i64),
            account_id: AccountId(card),
            period_end,
            due_date,
            last_day,
            unpaid: Money::from_cents(sums[at]),
        };
        [bill(0, months[0], Some(months[1].0)), bill(1, months[1], Some(last.0)), bill(2, last, None)]
    };
    // One card asks for 2.00, 3.00 and 4.00, the other for 2.50, 3.00 and 3.50.
    let bills = [of_card(CARD, [200, 500, 900]), of_card(OTHER_CARD, [250, 550, 900])].concat();
    let paying = |date: Date, cents: i128| Row { date, amount: Money::from_cents(cents), ..paying(PaidCard::OneOf) };
    let pays = |id: i64| certain(PAYMENT, Counterpart::Bill(BillId(id)));
    let elsewhere = certain(PAYMENT, Counterpart::Elsewhere);
    let rows = [
        (paying(date!(2026 - 01 - 05), 200), pays(40)),
        (paying(date!(2026 - 01 - 06), 250), pays(50)),
        (paying(date!(2026 - 02 - 02), 290), elsewhere),
        (paying(date!(2026 - 03 - 05), 400), elsewhere),
    ];
    let expected = |rows: &[(Row, Option<Recognition>)]| {
        let (rows, expected): (Vec<Row>, Vec<Option<Recognition>>) = rows.iter().copied().unzip();
        assert_eq!(recognise(&rows, &bills, &RejectedPairs::default()), expected, "{rows:?}");
        Suggestions::new(&rows, &bills, &RejectedPairs::default()).count()
    };
    assert_eq!(expected(&rows), 6, "the two that are known, and the bills of which the others may be a part");
    // Of two cards that ask for 3.00, neither is known to be paid by 3.00.
    let alike = (paying(date!(2026 - 02 - 05), 300), elsewhere);
    assert_eq!(expected(&[rows[0], rows[1], alike]), 4);
    // One names its card, whatever is due; then the other card is known, and so is the third month.
    let named = (
        Row { pays_card: Some(PaidCard::Kept(AccountId(CARD))), ..paying(date!(2026 - 02 - 04), 300) },
        certain(PAYMENT, Counterpart::Card(AccountId(CARD))),
    );
    let all = [
        (paying(date!(2026 - 03 - 05), 400), pays(42)),
        (paying(date!(2026 - 03 - 05), 350), pays(52)),
        (paying(date!(2026 - 02 - 06), 300), pays(51)),
        named,
        rows[1],
        rows[0],
    ];
    assert_eq!(expected(&all), 5, "in the order of the file, newest first");
}

#[test]
fn rows_that_are_not_asked_about_only_make_others_less_certain() {
    use Counterpart::Row;
    let expense = row(CURRENT, -1, 5, OUT);
    let income = stored(1, row(CARD, 1, 5, IN));
    assert_eq!(found(&[expense, income]), [certain(PAYMENT, Row(1)), certain(PAYMENT, Row(0))]);
    let rival = stored(2, row(SAVINGS, -1, 6, OUT));
    assert_eq!(
        found(&[expense, income, rival]),
        [certain(PAYMENT, Row(1)), certain(PAYMENT, Row(0)), None],
        "the nearest"
    );
    assert_eq!(found(&[stored(3, expense), income]), [None, None], "what is stored is not changed");
}

#[test]
fn a_rejected_pair_is_none() {
    let rows = [
        stored(1, row(CURRENT, -1, 5, OUT)),
        Row { is_asked: true, ..stored(2, row(CARD, 1, 5, IN)) },
        Row { is_asked: true, ..stored(3, row(SAVINGS, -1, 5, OUT)) },
    ];
    let nothing = RejectedPairs::default();
    assert_eq!(recognise(&rows, &[], &nothing)[2], likely(PAYMENT, Counterpart::Row(1)));
    let rejected = RejectedPairs::from([(TransactionId(1), TransactionId(2))]);
    assert_eq!(recognise(&rows, &[], &rejected)[2], certain(PAYMENT, Counterpart::Row(1)));
    let both = RejectedPairs::from([(TransactionId(1), TransactionId(2)), (TransactionId(3), TransactionId(2))]);
    assert_eq!(recognise(&rows, &[], &both), [None, certain(PAYMENT, Counterpart::Elsewhere), None]);
}

#[test]
fn a_row_is_a_leg_of_the_same_account_type_and_amount_that_is_near() {
    let key = |account: i64, sign: i128, day: u8| {
        let Row { account_id, kind, amount, date, .. } = row(account, sign, day, ANY);
        LegKey { account_id, kind, amount, date }
    };
    let leg = key(CURRENT, -1, 5);
    for (what, row, expected) in [
        ("the day", key(CURRENT, -1, 5), true),
        ("four days", key(CURRENT, -1, 9), true),
        ("five days", key(CURRENT, -1, 10), false),
        ("four days before", key(CURRENT, -1, 1), true),
        ("another account", key(SAVINGS, -1, 5), false),
        ("another type", key(CURRENT, 1, 5), false),
        ("another amount", LegKey { amount: Money::from_cents(1), ..leg }, false),
    ] {
        assert_eq!(match_legs(&[row], &[leg], &NEAR)[0].is_some(), expected, "{what}");
    }
    for (rows, legs) in [(1, 3), (3, 1), (2, 2), (0, 2), (2, 0)] {
        let matched = match_legs(&vec![leg; rows], &vec![leg; legs], &NEAR);
        assert_eq!(matched.iter().flatten().collect::<HashSet<_>>().len(), rows.min(legs), "{rows} rows, {legs} legs");
    }
    let matched =
        match_legs(&[key(CURRENT, -1, 4), key(CURRENT, -1, 5)], &[key(CURRENT, -1, 5), key(CURRENT, -1, 3)], &NEAR);
    assert_eq!(matched, [Some(1), Some(0)], "the nearest, one leg each");
}

#[test]
fn suggestions_are_counted_as_they_are_told() {
    let numbered = |rows: Vec<Row>| -> Vec<Row> {
        rows.into_iter().enumerate().map(|(at, row)| Row { id: Some(TransactionId(at as i64)), ..row }).collect()
    };
    for (rows, expected) in [
        (vec![row(CURRENT, -1, 5, MOVED), row(CURRENT, -1, 5, MOVED), row(SAVINGS, 1, 5, MOVED)], 2),
        (vec![row(CURRENT, -1, 5, ANY), row(SAVINGS, 1, 5, MOVED), row(INVESTMENT, 1, 5, ANY)], 1),
        (vec![row(CURRENT, -1, 5, MOVED), row(SAVINGS, 1, 5, ANY), row(INVESTMENT, 1, 5, ANY)], 2),
        (vec![row(CURRENT, -1, 5, OUT), row(CARD, 1, 5, IN), row(OTHER_CARD, 1, 5, IN), row(SAVINGS, 1, 5, ANY)], 1),
        (vec![row(CARD, -1, 5, MOVED), row(SAVINGS, 1, 5, MOVED)], 0),
        (vec![row(CARD, 1, 5, IN), row(CURRENT, -1, 5, OUT), row(CURRENT, 1, 5, MOVED)], 1),
    ] {
        let rows = numbered(rows);
        let rejected = RejectedPairs::default();
        let suggestions = Suggestions::new(&rows, &[], &rejected);
        let listed: Vec<Suggestion> = (0..rows.len()).flat_map(|from| suggestions.of(from, 0, usize::MAX)).collect();
        assert_eq!((suggestions.count(), listed.len()), (expected, expected), "{listed:?}");
        for skipped in 0..=expected {
            let from = (0..rows.len()).find(|from| !suggestions.of(*from, 0, 1).is_empty()).unwrap_or(0);
            let all = suggestions.of(from, 0, usize::MAX);
            assert_eq!(suggestions.of(from, skipped, usize::MAX), all[skipped.min(all.len())..]);
        }
    }
}

/// Equal rows are matched without comparing each with every other: four times the rows take four times the processor time, not
/// sixteen times.
#[test]
fn hostile_rows_take_time_linear_in_their_number() {
    let few = time_of_hostile_rows(12_500);
    let many = time_of_hostile_rows(50_000);
    assert!(many < few * 9, "{many:?} after {few:?}");
}

/// The processor time for `count` equal rows and the same number of rows that may each be the other side of each.
fn time_of_hostile_rows(count: usize) -> Duration {
    let rows: Vec<Row> = (0..count)
        .map(|at| row(CURRENT, -1, 5, if at % 2 == 0 { MOVED } else { OUT }))
        .chain((0..count).map(|at| {
            stored(at as i64, row(if at % 2 == 0 { SAVINGS } else { CARD }, 1, 6, if at % 2 == 0 { MOVED } else { IN }))
        }))
        .collect();
    let bills: Vec<UnpaidBill> = (0..200).map(|id| bill(id, date!(2026 - 02 - 24), date!(2026 - 03 - 05))).collect();
    let rejected: RejectedPairs = (0..5_000).map(|at| (TransactionId(at), TransactionId(at + 5_000))).collect();
    let started = ThreadTime::now();
    let found = recognise(&rows, &bills, &rejected);
    // A row that says that money moved has many candidates; one that pays a card has its own.
    let expected = |at: usize| if at.is_multiple_of(2) { Confidence::Likely } else { Confidence::Certain };
    assert!((0..count).all(|at| found[at].is_some_and(|found| found.confidence == expected(at))));
    let suggestions = Suggestions::new(&rows, &bills, &rejected);
    assert!(suggestions.count() >= count * count / 4);
    assert_eq!(suggestions.of(0, count / 4, 7).len(), 7);
    let legs: Vec<LegKey> = rows[..count]
        .iter()
        .map(|row| LegKey { account_id: row.account_id, kind: row.kind, amount: row.amount, date: row.date })
        .collect();
    assert_eq!(match_legs(&legs, &legs, &NEAR).iter().flatten().count(), count);
    started.elapsed()
}
