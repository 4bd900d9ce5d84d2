use proptest::prelude::*;
use time::Duration;
use time::macros::date;

use super::*;

const TODAY: Date = date!(2026 - 03 - 10);

fn event(date: Date, kind: EventKind, cents: i128) -> Event {
    Event {
        date,
        kind,
        description: "Algo".into(),
        amount: Money::from_cents(cents),
        account_id: None,
        source_id: None,
        is_transfer: false,
        is_internal: false,
        is_spendable: true,
    }
}

/// A forecast of a household that spends from all its accounts, and has no income by which others are judged.
fn forecast(
    today: Date,
    months: u32,
    opening: Money,
    events: Vec<Event>,
    left_out: &[EventsLeftOut],
    estimate: Option<Estimate>,
) -> Forecast {
    super::forecast(today, months, opening, events, left_out, estimate, &Spendable { opening, ..Spendable::default() })
}

fn cents(amounts: impl IntoIterator<Item = Money>) -> Vec<i128> {
    amounts.into_iter().map(Money::cents).collect()
}

/// The household whose figures are known from the specification of the forecast.
fn household() -> Vec<Event> {
    let day = |month: i32, day: u8| Month::of(TODAY).plus(month).day_clamped(day);
    let mut events = vec![event(day(0, 15), EventKind::Recurring, -180_000)];
    for (later, bill) in (1..).zip([44_000, 14_000, 14_000, 14_000, 4_000]) {
        events.push(event(day(later, 5), EventKind::CreditBill, -bill));
        events.push(event(day(later, 5), EventKind::Recurring, 500_000));
        events.push(event(day(later, 15), EventKind::Recurring, -180_000));
    }
    events
}

#[test]
fn the_months_come_to_what_their_events_do() {
    let ahead = forecast(TODAY, 6, Money::from_cents(200_000), household(), &[], None);
    let closing = cents(ahead.months.iter().map(|month| month.closing));
    assert_eq!(closing, [20_000, 296_000, 602_000, 908_000, 1_214_000, 1_530_000]);
    let card_bills = cents(ahead.months.iter().map(|month| month.card_bills));
    assert_eq!(card_bills, [0, 44_000, 14_000, 14_000, 14_000, 4_000]);
    let low = Low { date: date!(2026 - 03 - 15), balance: Money::from_cents(20_000) };
    assert_eq!(ahead.months[0].lowest, low);
    assert_eq!((ahead.free_to_spend.cents(), ahead.first_negative_date), (20_000, None));
    assert_eq!((ahead.months[1].income.cents(), ahead.months[1].expenses.cents()), (500_000, 180_000));
    assert!(ahead.events.is_sorted_by_key(|event| event.date));

    let short = forecast(TODAY, 6, Money::from_cents(150_000), household(), &[], None);
    assert_eq!((short.first_negative_date, short.free_to_spend.cents()), (Some(date!(2026 - 03 - 15)), 0));
}

#[test]
fn what_is_free_does_not_depend_on_how_many_months_are_asked_for() {
    let free = |months| forecast(TODAY, months, Money::from_cents(200_000), household(), &[], None).free_to_spend;
    assert_eq!(free(1), free(12));
    // The card's bill and the salary have the same day, so the balance of the day before counts, even if that day is in another
    // month.
    let opening = Money::from_cents(180_000 + 500);
    let mut events = household();
    events.push(event(date!(2026 - 04 - 02), EventKind::Recurring, -400));
    let ahead = |months| forecast(TODAY, months, opening, events.clone(), &[], None);
    assert_eq!((ahead(1).free_to_spend.cents(), ahead(2).free_to_spend.cents()), (100, 100));
    assert_eq!((ahead(1).months.len(), ahead(1).events.len()), (1, 1));
}

#[test]
fn without_an_income_what_is_free_is_told_until_the_end_of_the_month() {
    let goes = [
        event(date!(2026 - 03 - 31), EventKind::Recurring, -70),
        event(date!(2026 - 04 - 01), EventKind::Recurring, -20),
    ];
    let ahead = forecast(TODAY, 2, Money::from_cents(100), goes.to_vec(), &[], None);
    assert_eq!(ahead.free_to_spend.cents(), 30);
    // Income of today is in the balance already, and a transfer is not income.
    let comes = [
        event(TODAY, EventKind::Recurring, 5),
        Event { is_transfer: true, ..event(date!(2026 - 03 - 12), EventKind::Posted, 1_000) },
        event(date!(2026 - 03 - 20), EventKind::Recurring, -1_050),
        event(date!(2026 - 03 - 25), EventKind::Posted, 10),
    ];
    assert_eq!(forecast(TODAY, 2, Money::from_cents(100), comes.to_vec(), &[], None).free_to_spend.cents(), 55);
}

#[test]
fn the_first_of_several_lowest_days_is_told_and_today_is_one() {
    let later = event(date!(2026 - 03 - 20), EventKind::Recurring, 10);
    let ahead = forecast(TODAY, 1, Money::from_cents(-5), vec![later], &[], None);
    assert_eq!(ahead.months[0].lowest, Low { date: TODAY, balance: Money::from_cents(-5) });
    assert_eq!((ahead.first_negative_date, ahead.free_to_spend), (Some(TODAY), Money::ZERO));
}

#[test]
fn what_moves_between_own_accounts_is_neither_income_nor_expense() {
    let side = |cents| Event { is_transfer: true, is_internal: true, ..event(TODAY, EventKind::Posted, cents) };
    let ahead = forecast(TODAY, 1, Money::ZERO, vec![side(100), side(-100)], &[], None);
    assert_eq!((ahead.months[0].income, ahead.months[0].expenses, ahead.months[0].closing), Default::default());
    assert_eq!(ahead.events.len(), 2);
}

#[test]
fn what_is_estimated_is_spread_over_the_days_that_are_left() {
    let estimate = Estimate { monthly: Money::from_cents(3_100), spent: Money::from_cents(900) };
    let ahead = forecast(TODAY, 2, Money::from_cents(10_000), vec![], &[], Some(estimate));
    assert_eq!(cents(ahead.months.iter().map(|month| month.estimated)), [2_200, 3_100]);
    assert_eq!(cents(ahead.months.iter().map(|month| month.closing)), [7_800, 4_700]);
    assert_eq!((ahead.events.len(), ahead.free_to_spend.cents()), (0, 7_800));
    // March has 22 days left, so each has a share of 1.00.
    let low = |opening| forecast(TODAY, 1, Money::from_cents(opening), vec![], &[], Some(estimate)).first_negative_date;
    assert_eq!(low(1_000), Some(date!(2026 - 03 - 20)));
}

#[test]
fn more_events_than_an_answer_holds_are_counted_all_the_same() {
    let many: Vec<Event> = (0..3_000).map(|_| event(TODAY, EventKind::Posted, -1)).collect();
    let left_out = [EventsLeftOut {
        date: date!(2026 - 03 - 11),
        amount: Money::from_cents(-7),
        spendable: Money::from_cents(-7),
    }];
    let ahead = forecast(TODAY, 1, Money::ZERO, many, &left_out, None);
    assert_eq!((ahead.events.len(), ahead.months[0].closing.cents()), (EVENTS_MAX, -3_007));
}

fn kinds() -> impl Strategy<Value = EventKind> {
    prop_oneof![
        Just(EventKind::Posted),
        Just(EventKind::Recurring),
        Just(EventKind::CreditBill),
        Just(EventKind::PendingBill)
    ]
}

fn events() -> impl Strategy<Value = Vec<Event>> {
    let one = (0i64..800, kinds(), -100_000i128..100_000).prop_map(|(day, kind, cents)| {
        let cents = if kind.is_card_bill() { -cents.abs() } else { cents };
        event(TODAY + Duration::days(day), kind, cents)
    });
    prop::collection::vec(one, 0..60)
}

proptest! {
    #[test]
    fn opening_and_events_without_what_is_estimated_are_the_closing(
        events in events(), months in 1u32..=24, opening in -1_000_000i128..1_000_000,
        estimate in prop::option::of((0i128..500_000, 0i128..500_000)),
    ) {
        let estimate = estimate.map(|(monthly, spent)| {
            Estimate { monthly: Money::from_cents(monthly), spent: Money::from_cents(spent) }
        });
        let ahead = forecast(TODAY, months, Money::from_cents(opening), events, &[], estimate);
        prop_assert_eq!(ahead.months.len(), months as usize);
        let known: Money = ahead.events.iter().map(|event| event.amount).sum();
        let estimated: Money = ahead.months.iter().map(|month| month.estimated).sum();
        let closing = ahead.months.last().unwrap().closing;
        prop_assert_eq!(ahead.opening + known - estimated, closing);

        let mut before = ahead.opening;
        for month in &ahead.months {
            prop_assert_eq!(before + month.income - month.expenses - month.card_bills - month.estimated, month.closing);
            prop_assert!(month.lowest.balance <= month.closing && month.month.contains(month.lowest.date));
            before = month.closing;
        }
        let negative = ahead.months.iter().any(|month| month.lowest.balance < Money::ZERO);
        prop_assert_eq!(ahead.first_negative_date.is_some(), negative);
        prop_assert!(ahead.free_to_spend >= Money::ZERO);
    }
}

#[test]
fn what_is_free_is_the_money_of_spendable_accounts_until_the_next_main_income() {
    let income = MainIncome::new(TODAY, Some(Month::of(TODAY).minus(3)), Money::from_cents(3 * 560_000));
    let mut events = vec![
        event(date!(2026 - 03 - 12), EventKind::Recurring, 35_000),
        event(date!(2026 - 03 - 20), EventKind::Recurring, -50_000),
        event(date!(2026 - 04 - 05), EventKind::Recurring, 560_000),
        Event { source_id: Some(1), ..event(date!(2026 - 04 - 10), EventKind::CreditBill, -266_000) },
        event(date!(2026 - 05 - 10), EventKind::CreditBill, -4_000),
    ];
    events.push(Event { is_spendable: false, ..event(date!(2026 - 03 - 25), EventKind::Posted, -9_000) });
    let spendable = Spendable {
        opening: Money::from_cents(60_000),
        others: vec![(date!(2026 - 03 - 28), Money::from_cents(-1_000))],
        income,
        reserves: Vec::new(),
    };
    let ahead = super::forecast(TODAY, 1, Money::from_cents(160_000), events, &[], None, &spendable);
    // 600.00 + 350.00 - 500.00 - 10.00: an income of 350.00 ends nothing, and the savings are left alone.
    assert_eq!((ahead.free_to_spend.cents(), ahead.free_until), (44_000, date!(2026 - 04 - 04)));
    assert_eq!((ahead.bills_after.cents(), ahead.opening.cents()), (266_000, 160_000));
    assert_eq!(ahead.months[0].closing.cents(), 136_000);
}
