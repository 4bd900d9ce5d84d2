use time::macros::date;

use super::*;
use crate::ids::{BillId, CategoryId, RecurringId, TransactionId};
use crate::notices::{Channel, KindPreferences, StatementFact, WeekFact};
use crate::words::Word;

const TODAY: Date = date!(2026 - 03 - 10);

fn reais(units: i128) -> Money {
    Money::from_cents(units * 100)
}

fn bill(due_date: Date) -> BillFact {
    BillFact {
        id: BillId(4),
        account_id: AccountId(2),
        name: "Nubank".into(),
        closing_date: date!(2026 - 03 - 03),
        due_date,
        total: reais(300),
        statement: Some(reais(300)),
        amount_due: reais(300),
    }
}

fn item(date: Date) -> ItemFact {
    ItemFact { id: RecurringId(6), name: "Salário".into(), date, amount: reais(5_000), is_late: false }
}

fn expense(id: i64, date: Date, cents: i128, payee: &str) -> ExpenseFact {
    ExpenseFact {
        id: TransactionId(id),
        account_id: Some(AccountId(1)),
        date,
        amount: Money::from_cents(cents),
        name: payee.to_uppercase(),
        payee: payee.into(),
    }
}

/// The notices of a kind, by the default preferences but with every kind on the page.
fn due_of(kind: NoticeKind, facts: &Facts, today: Date) -> Vec<Due> {
    let mut all = Preferences::default();
    for kind in NoticeKind::ALL {
        let limits = all.kind(*kind).limits.clone();
        all.put(*kind, KindPreferences { channels: vec![Channel::Page], limits });
    }
    due(facts, &all, today).into_iter().filter(|due| due.kind == kind).collect()
}

fn subjects_of(kind: NoticeKind, facts: &Facts, today: Date) -> Vec<String> {
    due_of(kind, facts, today).into_iter().map(|due| due.subject).collect()
}

#[test]
fn a_bill_is_due_by_the_nearest_of_the_days_and_until_its_day() {
    for (due_date, subjects) in [
        (date!(2026 - 03 - 14), &[][..]),
        (date!(2026 - 03 - 13), &["4:3"]),
        (date!(2026 - 03 - 11), &["4:3"]),
        (date!(2026 - 03 - 10), &["4:0"]),
        (date!(2026 - 03 - 09), &[]),
    ] {
        let facts = Facts { bills: vec![bill(due_date)], ..Facts::default() };
        assert_eq!(subjects_of(NoticeKind::BillDue, &facts, TODAY), subjects, "{due_date}");
    }
    let paid = Facts { bills: vec![BillFact { amount_due: Money::ZERO, ..bill(TODAY) }], ..Facts::default() };
    assert_eq!(subjects_of(NoticeKind::BillDue, &paid, TODAY), [""; 0]);
    let open = BillFact { closing_date: date!(2026 - 03 - 11), ..bill(date!(2026 - 03 - 13)) };
    assert_eq!(subjects_of(NoticeKind::BillDue, &Facts { bills: vec![open], ..Facts::default() }, TODAY), [""; 0]);
}

#[test]
fn a_bill_closed_for_a_week() {
    let facts = Facts { bills: vec![bill(date!(2026 - 03 - 13))], ..Facts::default() };
    let is_told = |today| !subjects_of(NoticeKind::BillClosed, &facts, today).is_empty();
    let days = [date!(2026 - 03 - 02), date!(2026 - 03 - 03), TODAY, date!(2026 - 03 - 11)];
    assert_eq!(days.map(is_told), [false, true, true, false]);
    // It is told with what the bank printed: what was left before, less what was paid early.
    for (printed, told) in [(650, 650), (0, 0), (-50, 0)] {
        let of = BillFact { statement: Some(reais(printed)), ..bill(date!(2026 - 03 - 13)) };
        let closed = due_of(NoticeKind::BillClosed, &Facts { bills: vec![of], ..Facts::default() }, TODAY);
        assert_eq!(closed[0].params.amount, Some(reais(told)), "{printed}");
    }
    let empty = Facts { bills: vec![BillFact { total: Money::ZERO, ..bill(TODAY) }], ..Facts::default() };
    assert_eq!(subjects_of(NoticeKind::BillClosed, &empty, TODAY), [""; 0]);
}

#[test]
fn an_item_is_due_before_its_day_and_late_for_a_week_after_it() {
    let facts = Facts { items: vec![item(date!(2026 - 03 - 05))], ..Facts::default() };
    for (today, is_due, is_late) in [
        (date!(2026 - 03 - 03), None, false),
        (date!(2026 - 03 - 04), Some("6:2026-03-05:1"), false),
        (date!(2026 - 03 - 05), Some("6:2026-03-05:0"), false),
        (date!(2026 - 03 - 07), None, false),
        (date!(2026 - 03 - 08), None, true),
        (date!(2026 - 03 - 15), None, true),
        (date!(2026 - 03 - 16), None, false),
    ] {
        let due: Vec<&str> = is_due.into_iter().collect();
        assert_eq!(subjects_of(NoticeKind::RecurringDue, &facts, today), due, "{today}");
        assert_eq!(subjects_of(NoticeKind::RecurringLate, &facts, today).len(), usize::from(is_late), "{today}");
    }
    let late = Facts { items: vec![ItemFact { is_late: true, ..item(TODAY) }], ..Facts::default() };
    assert_eq!(subjects_of(NoticeKind::RecurringDue, &late, TODAY), [""; 0], "it is known to be late");
}

#[test]
fn a_budget_is_told_by_the_highest_percent_that_is_reached() {
    for (cents, subjects) in [
        (39_999, &[][..]),
        (40_000, &["7:2026-03:80"]),
        (49_999, &["7:2026-03:80"]),
        (50_000, &["7:2026-03:100"]),
        (90_000, &["7:2026-03:100"]),
    ] {
        let (category_id, name, spent) = (CategoryId(7), "Mercado".into(), Money::from_cents(cents));
        let facts =
            Facts { budgets: vec![BudgetFact { category_id, name, budget: reais(500), spent }], ..Facts::default() };
        assert_eq!(subjects_of(NoticeKind::Budget, &facts, TODAY), subjects, "{cents}");
    }
}

#[test]
fn a_balance_below_zero_is_told_two_weeks_ahead_and_a_statement_after_ten_days() {
    let negative = |date| Facts { negative: Some((date, reais(-100))), ..Facts::default() };
    assert_eq!(subjects_of(NoticeKind::Balance, &negative(date!(2026 - 03 - 24)), TODAY), ["2026-03"]);
    assert_eq!(subjects_of(NoticeKind::Balance, &negative(date!(2026 - 03 - 25)), TODAY), [""; 0]);
    let statement = |date| {
        let statements = vec![StatementFact { account_id: AccountId(1), name: "Conta".into(), date }];
        Facts { statements, ..Facts::default() }
    };
    assert_eq!(subjects_of(NoticeKind::StatementMissing, &statement(date!(2026 - 02 - 28)), TODAY), [""; 0]);
    assert_eq!(subjects_of(NoticeKind::StatementMissing, &statement(date!(2026 - 02 - 27)), TODAY), ["1:2026-02-27"]);
}

#[test]
fn a_price_has_changed_after_two_equal_months() {
    let rows = |cents: &[(i64, Date, i128)]| {
        let expenses = cents.iter().map(|(id, date, cents)| expense(*id, *date, *cents, "netflix")).collect();
        subjects_of(NoticeKind::PriceChanged, &Facts { expenses, ..Facts::default() }, TODAY)
    };
    let (first, last, now) = (date!(2026 - 01 - 12), date!(2026 - 02 - 12), date!(2026 - 03 - 09));
    assert_eq!(rows(&[(1, first, 3_990), (2, last, 3_990), (3, now, 4_490)]), ["3"]);
    assert_eq!(rows(&[(1, first, 3_990), (2, last, 3_990), (3, now, 2_990)]), ["3"], "a lower price too");
    assert_eq!(rows(&[(1, first, 3_990), (2, last, 3_990), (3, now, 3_990)]), [""; 0]);
    assert_eq!(rows(&[(1, first, 3_990), (2, last, 3_991), (3, now, 4_490)]), [""; 0]);
    assert_eq!(rows(&[(2, last, 3_990), (3, now, 4_490)]), [""; 0]);
    assert_eq!(rows(&[(1, first, 3_990), (4, first, 3_990), (2, last, 3_990), (3, now, 4_490)]), [""; 0], "a shop");
    assert_eq!(rows(&[(1, first, 3_990), (2, last, 3_990), (3, now, 4_490), (4, now, 100)]), [""; 0]);
    let nobody = [expense(1, first, 1, ""), expense(2, last, 1, ""), expense(3, now, 2, "")];
    let facts = Facts { expenses: nobody.into(), ..Facts::default() };
    assert_eq!(subjects_of(NoticeKind::PriceChanged, &facts, TODAY), [""; 0]);
}

#[test]
fn a_charge_is_repeated_within_three_days_and_told_for_a_week() {
    let pair = |first: Date, second: Date, adjust: fn(&mut ExpenseFact)| {
        let mut later = expense(9, second, 5_490, "posto");
        adjust(&mut later);
        let expenses = vec![expense(8, first, 5_490, "posto"), later];
        subjects_of(NoticeKind::RepeatedCharge, &Facts { expenses, ..Facts::default() }, TODAY)
    };
    let same = |_: &mut ExpenseFact| {};
    let (eighth, ninth) = (date!(2026 - 03 - 08), date!(2026 - 03 - 09));
    assert_eq!(pair(eighth, ninth, same), ["8:9"]);
    assert_eq!(pair(ninth, ninth, same), ["8:9"], "on one day too");
    assert_eq!(pair(date!(2026 - 03 - 06), ninth, same), ["8:9"]);
    assert_eq!(pair(date!(2026 - 03 - 05), ninth, same), [""; 0]);
    assert_eq!(pair(date!(2026 - 03 - 02), date!(2026 - 03 - 03), same), ["8:9"]);
    assert_eq!(pair(date!(2026 - 03 - 01), date!(2026 - 03 - 02), same), [""; 0]);
    assert_eq!(pair(eighth, ninth, |later| later.amount = Money::from_cents(5_491)), [""; 0]);
    assert_eq!(pair(eighth, ninth, |later| later.account_id = Some(AccountId(2))), [""; 0]);
    assert_eq!(pair(eighth, ninth, |later| later.account_id = None), [""; 0]);
    assert_eq!(pair(eighth, ninth, |later| later.payee = "outro".into()), [""; 0]);
    let three = (1..=3).map(|id| expense(id, ninth, 100, "posto")).collect();
    let facts = Facts { expenses: three, ..Facts::default() };
    assert_eq!(subjects_of(NoticeKind::RepeatedCharge, &facts, TODAY), ["1:2", "2:3"]);
}

#[test]
fn a_week_is_summed_up_on_mondays() {
    let week = Some(WeekFact { rows: 12, expenses: reais(410) });
    let items = vec![item(date!(2026 - 03 - 15)), item(date!(2026 - 03 - 16)), item(date!(2026 - 03 - 08))];
    let facts = Facts { week, items, bills: vec![bill(date!(2026 - 03 - 13))], ..Facts::default() };
    assert_eq!(subjects_of(NoticeKind::Digest, &facts, date!(2026 - 03 - 09)), ["2026-W11"]);
    assert_eq!(subjects_of(NoticeKind::Digest, &facts, TODAY), [""; 0]);
    let mut wants = Preferences::default();
    wants.put(NoticeKind::Digest, KindPreferences { channels: vec![Channel::Email], limits: Vec::new() });
    let digest = due(&facts, &wants, date!(2026 - 03 - 09)).pop().unwrap();
    assert_eq!((digest.kind, digest.params.rows, digest.params.due), (NoticeKind::Digest, Some(12), Some(2)));
    // The first days of a year may be of the last week of the year before.
    assert_eq!(subjects_of(NoticeKind::Digest, &facts, date!(2024 - 12 - 30)), ["2025-W01"]);
}

#[test]
fn what_nobody_wants_is_not_due() {
    let mut nothing = Preferences::default();
    for kind in NoticeKind::ALL {
        nothing.put(*kind, KindPreferences { channels: Vec::new(), limits: vec![3] });
    }
    let facts = Facts {
        bills: vec![bill(date!(2026 - 03 - 13))],
        items: vec![item(date!(2026 - 03 - 05))],
        negative: Some((TODAY, reais(-1))),
        ..Facts::default()
    };
    assert_eq!(due(&facts, &nothing, TODAY), []);
    assert!(!due(&facts, &Preferences::default(), TODAY).is_empty());
}

#[test]
fn only_so_many_are_due_at_once() {
    let expenses = (0..2 * NOTICES_DUE_MAX as i64).map(|id| expense(id, TODAY, 100, "posto")).collect();
    let facts = Facts { expenses, ..Facts::default() };
    assert_eq!(due(&facts, &Preferences::default(), TODAY).len(), NOTICES_DUE_MAX);
}
