use proptest::prelude::*;
use time::macros::{date, datetime};
use time::{Date, Duration};

use super::*;
use crate::credit_bills::{Cycle, Cycles};
use crate::ids::TransactionId;
use crate::openings::Opening;

/// A card that closes on the 25th and is due on the 5th.
fn card() -> Cycles {
    Cycles::new(Cycle { closing_day: 25, due_day: 5 }, [])
}

/// The bills of the card, from the one due in February on.
fn bills(totals: &[i128]) -> Vec<(Period, Money)> {
    let card = card();
    let mut period = card.period_holding(date!(2026 - 01 - 10));
    totals
        .iter()
        .map(|total| {
            let bill = (period, Money::from_cents(*total));
            period = card.period_following(&period);
            bill
        })
        .collect()
}

fn paid(payments: &[(Date, i128)]) -> CardHistory {
    let stored_at = datetime!(2026-03-05 12:00 UTC);
    let payment = |(date, cents): &(Date, i128)| CardPayment {
        date: *date,
        amount: Money::from_cents(*cents),
        stored_at,
        origin: PaymentOrigin::Row,
    };
    CardHistory { payments: payments.iter().map(payment).collect(), ..CardHistory::default() }
}

#[test]
fn a_recorded_payment_gives_way_to_rows_and_is_never_a_credit() {
    let totals = bills(&[0, 100_000, 5_000]);
    let of = |(day, cents, hour, origin): (Date, i128, u8, PaymentOrigin)| CardPayment {
        date: day,
        amount: Money::from_cents(cents),
        stored_at: datetime!(2026-03-08 00:00 UTC) + Duration::hours(i64::from(hour)),
        origin,
    };
    let due = |payments: &[(Date, i128, u8, PaymentOrigin)]| {
        let payments = payments.iter().copied().map(of).collect();
        due(&totals, &CardHistory { payments, ..CardHistory::default() }, date!(2026 - 03 - 20))
    };
    let recorded = (date!(2026 - 03 - 05), 100_000, 1, PaymentOrigin::Recorded(totals[1].0.start));
    let row = |day: Date, hour: u8| (day, 100_000, hour, PaymentOrigin::Row);
    assert_eq!(due(&[recorded]), [0, 0, 5_000]);
    assert_eq!(due(&[recorded, row(date!(2026 - 03 - 06), 2)]), [0, 0, 5_000], "the same payment");
    assert_eq!(due(&[recorded, row(date!(2026 - 03 - 15), 2)]), [0, 0, 5_000], "booked ten days later");
    assert_eq!(due(&[recorded, row(date!(2026 - 03 - 16), 2)]), [0, 0, 5_000], "booked after more days");
    assert_eq!(due(&[recorded, row(date!(2026 - 03 - 06), 0)]), [0, 0, 5_000], "the row was known before");
    assert_eq!(due(&[recorded, row(date!(2026 - 03 - 06), 2), row(date!(2026 - 03 - 06), 3)]), [0, 0, -95_000]);
    let part = |cents| (date!(2026 - 03 - 06), cents, 2, PaymentOrigin::Row);
    assert_eq!(due(&[recorded, part(40_000)]), [0, 0, 5_000], "a part of it");
    assert_eq!(due(&[recorded, part(40_000), part(60_000)]), [0, 0, 5_000], "in two parts");
    assert_eq!(due(&[recorded, part(100_050)]), [0, 0, 4_950], "somewhat more");
    let early = (date!(2026 - 03 - 05), 3_000, 1, PaymentOrigin::Recorded(totals[2].0.start));
    assert_eq!(due(&[row(date!(2026 - 03 - 04), 0), early]), [0, 0, 2_000], "of the open bill");
}

#[test]
fn money_that_leaves_a_card_is_owed_with_the_open_bill() {
    let totals = bills(&[0, 100_000, 5_000]);
    let march_5 = date!(2026 - 03 - 05);
    assert_eq!(due(&totals, &paid(&[(march_5, -10_000)]), date!(2026 - 03 - 20)), [0, 100_000, 15_000]);
    // A credit that the bank paid out.
    let paid = paid(&[(march_5, 110_000), (date!(2026 - 03 - 10), -10_000)]);
    assert_eq!(due(&totals, &paid, date!(2026 - 03 - 20)), [0, 0, 5_000]);
}

/// An opening balance that owes an amount.
fn opening_debt(date: Date, cents: i128) -> StoredOpening {
    StoredOpening { id: TransactionId(1), opening: Opening { date, balance: Money::from_cents(-cents) } }
}

fn due(bills: &[(Period, Money)], history: &CardHistory, today: Date) -> Vec<i128> {
    let entries = ledger(&card(), bills, history, today);
    let due = bills
        .iter()
        .zip(&entries)
        .map(|((_, total), entry)| entry.previous + *total - entry.paid_amount - entry.carried);
    due.map(Money::cents).collect()
}

#[test]
fn what_a_bill_leaves_is_on_the_next_one() {
    let (march_5, march_10, march_26) = (date!(2026 - 03 - 05), date!(2026 - 03 - 10), date!(2026 - 03 - 26));
    let april_26 = date!(2026 - 04 - 26);
    for (what, totals, payments, today, expected) in [
        ("a part is paid", vec![0, 100_000, 5_000], vec![(march_5, 40_000)], march_10, vec![0, 60_000, 5_000]),
        ("and the next closes", vec![0, 100_000, 5_000, 0], vec![(march_5, 40_000)], march_26, vec![0, 0, 65_000, 0]),
        ("a credit", vec![0, 10_000, 0, 3_000, 4_000], vec![(march_5, 15_000)], april_26, vec![0, 0, 0, 0, 2_000]),
        (
            "a refund on a bill that closes below zero",
            vec![50_000, -50_000, 20_000, 0],
            vec![(date!(2026 - 02 - 05), 50_000)],
            march_26,
            vec![0, 0, 0, -30_000],
        ),
        ("a debt of two bills is one amount", vec![700, 800, 900, 0], vec![], march_26, vec![0, 0, 2_400, 0]),
        (
            "on the closing date it pays what closed",
            vec![500, 0],
            vec![(date!(2026 - 01 - 25), 500)],
            march_5,
            vec![0, 0],
        ),
        (
            "a day earlier it is early",
            vec![500, 0],
            vec![(date!(2026 - 01 - 24), 600)],
            date!(2026 - 01 - 24),
            vec![-100, 0],
        ),
        (
            "before all bills it counts nowhere",
            vec![500],
            vec![(date!(2025 - 12 - 01), 600)],
            date!(2026 - 01 - 24),
            vec![500],
        ),
        (
            "twice",
            vec![100, 0],
            vec![(date!(2026 - 02 - 05), 100), (date!(2026 - 02 - 06), 100)],
            date!(2026 - 02 - 10),
            vec![0, -100],
        ),
    ] {
        assert_eq!(due(&bills(&totals), &paid(&payments), today), expected, "{what}");
    }
}

#[test]
fn the_statement_is_what_was_due_when_the_bill_closed() {
    let payments = [(date!(2026 - 02 - 05), 400), (date!(2026 - 02 - 10), 50), (date!(2026 - 03 - 05), 700)];
    let entries = ledger(&card(), &bills(&[1_000, 200, 30]), &paid(&payments), date!(2026 - 03 - 10));
    let figures: Vec<_> = entries
        .iter()
        .map(|entry| {
            (
                entry.previous.cents(),
                entry.statement.map(Money::cents),
                entry.paid_amount.cents(),
                entry.carried.cents(),
            )
        })
        .collect();
    // 1,000 closed, 450 of it were paid; 550 and 200 closed, 700 of them were paid.
    assert_eq!(figures, [(0, Some(1_000), 450, 550), (550, Some(750), 700, 0), (0, None, 0, 0)]);
}

#[test]
fn an_opening_debt_is_due_with_the_bill_that_closed_before_it() {
    let opening = |date, cents| CardHistory { openings: vec![opening_debt(date, cents)], ..CardHistory::default() };
    let first = |date| due(&bills(&[0, 10, 20]), &opening(date, 300), date!(2026 - 02 - 26));
    assert_eq!(first(date!(2026 - 01 - 24)), [0, 310, 20], "it closed on the next day");
    assert_eq!(first(date!(2026 - 02 - 04)), [0, 310, 20], "it is due on the next day");
    assert_eq!(first(date!(2026 - 02 - 05)), [0, 310, 20], "it was due already, so it is on the open one");
    assert_eq!(first(date!(2026 - 02 - 25)), [0, 310, 20]);
    let entries = ledger(&card(), &bills(&[0, 10, 20]), &opening(date!(2026 - 02 - 04), 300), date!(2026 - 02 - 26));
    assert_eq!(entries[0].statement, Some(Money::from_cents(300)));
    let entries = ledger(&card(), &bills(&[0, 10, 20]), &opening(date!(2026 - 02 - 05), 300), date!(2026 - 02 - 26));
    assert_eq!((entries[0].statement, entries[1].previous), (Some(Money::ZERO), Money::from_cents(300)));
    let credit = due(&bills(&[0, 10, 20]), &opening(date!(2026 - 01 - 24), -300), date!(2026 - 02 - 26));
    assert_eq!(credit, [0, 0, -270]);
}

#[test]
fn a_held_statement_is_owed_on_the_bill_of_its_payment_date() {
    let held = |payment_date| CardHistory {
        held: vec![HeldDebt { payment_date, owed: Money::from_cents(140) }],
        ..CardHistory::default()
    };
    let of = |payment_date| {
        let entries = ledger(&card(), &bills(&[10, 20, 30]), &held(payment_date), date!(2026 - 03 - 26));
        entries.iter().map(|entry| (entry.held.cents(), entry.previous.cents())).collect::<Vec<_>>()
    };
    assert_eq!(of(date!(2026 - 03 - 05)), [(0, 0), (140, 10), (0, 170)]);
    assert_eq!(of(date!(2026 - 02 - 24)), [(140, 0), (0, 150), (0, 170)]);
}

proptest! {
    #[test]
    fn what_is_due_is_what_is_owed_in_any_order(
        totals in prop::collection::vec(-50_i128..200, 1..8),
        days in prop::collection::vec((0_i64..240, 1_i128..300), 0..12),
        opening in (0_i64..240, -100_i128..100),
        today in 0_i64..300,
    ) {
        let bills = bills(&totals);
        let (first, last) = (bills[0].0.start, bills[bills.len() - 1].0.end);
        let day = |after: i64| (first + Duration::days(after)).min(last);
        let payments: Vec<(Date, i128)> = days.iter().map(|(after, cents)| (day(*after), *cents)).collect();
        let mut history = paid(&payments);
        history.openings.push(opening_debt(day(opening.0), opening.1));
        let today = day(today);
        let due = due(&bills, &history, today);
        let owed = totals.iter().sum::<i128>() + opening.1 - payments.iter().map(|(_, cents)| cents).sum::<i128>();
        prop_assert_eq!(due.iter().sum::<i128>(), owed);
        let closed = bills.iter().filter(|(period, _)| period.end < today).count();
        for (at, due) in due.iter().enumerate().take(closed) {
            prop_assert!(*due >= 0 && (*due == 0 || at + 1 == closed), "{:?}", due);
        }
        let entries = ledger(&card(), &bills, &history, today);
        history.payments.reverse();
        prop_assert_eq!(ledger(&card(), &bills, &history, today), entries);
    }
}
