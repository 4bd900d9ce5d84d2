//! A year of a card, month by month, compared with an independent calculation. The calculation does not use periods,
//! payments or duplicates, only the statement of each row.

#![allow(clippy::inconsistent_digit_grouping, reason = "the last two digits are hundredths")]

use finance_tests::{Client, TestApp, cents, money, ofx};
use serde_json::{Value, json};
use time::macros::date;
use time::{Date, Month};

const CLOSING_DAY: u8 = 28;
const DUE_DAY: u8 = 7;
/// Statements that are imported before they are due.
const EARLY: [u8; 4] = [2, 5, 8, 11];
const DISCARDED_ONCE: u8 = 5;
const IMPORTED_TWICE: [u8; 2] = [3, 8];
/// The file of this statement begins with rows of the previous statement.
const OVERLAPPING: u8 = 6;
const OPENING: i128 = 10_000_00;
const RENT: i128 = 1_800_00;
/// A row that was entered by hand on its day, and that the statement also has.
const BY_HAND: (Date, i128, &str) = (date!(2025 - 06 - 10), 33_00, "PADARIA DO ZE");
/// A row that is entered months after its bill was paid.
const FORGOTTEN: (Date, i128) = (date!(2025 - 03 - 20), 12_34);

/// A row as the bank writes it, with negative cents for an expense.
struct Line {
    date: Date,
    cents: i128,
    id: &'static str,
    memo: String,
}

fn day(month: u8, day: u8) -> Date {
    let (year, month) = match month {
        0 => (2024, 12),
        1..=12 => (2025, month),
        _ => (2026, month - 12),
    };
    Date::from_calendar_date(year, Month::try_from(month).unwrap(), day).unwrap()
}

fn salary(month: u8) -> i128 {
    5_000_00 + i128::from(month) * 10_01
}

fn taxes(month: u8) -> i128 {
    500_00 + i128::from(month) * 7_07
}

/// The statement that closes in that month of 2025 and is due in the next month.
fn statement(month: u8) -> Vec<Line> {
    let step = i128::from(month);
    let line = |date, cents, id, memo: &str| Line { date, cents, id, memo: memo.to_string() };
    let mut lines = vec![
        // A bill begins on the day on which the previous one closed.
        line(day(month - 1, CLOSING_DAY), -(100_00 + step * 3_33), "0", "MERCADO"),
        line(day(month, 3), -15_50, "", "CAFE"),
        line(day(month, 3), -15_50, "", "CAFE"),
        line(day(month, CLOSING_DAY - 1), -(70_10 + step * 11), "0", "POSTO"),
        // The bank gives all instalments the date of the purchase and the same id.
        line(date!(2024 - 11 - 15), -89_90, "5f2c-9b", &format!("LOJA DE MOVEIS Parcela {}/14", month + 1)),
        line(day(month, 9), -250_00, "77aa-01", "HOTEL LISBOA"),
        line(day(month, 9), -(9_50 + step), "77aa-01", "IOF DE HOTEL LISBOA"),
    ];
    if month.is_multiple_of(4) {
        lines.push(line(day(month, 12), 45_45 + step, "", "ESTORNO LOJA"));
    }
    if month == 6 {
        lines.push(line(BY_HAND.0, -BY_HAND.1, "", BY_HAND.2));
    }
    lines
}

fn file(lines: &[Line]) -> Vec<u8> {
    let texts: Vec<[String; 2]> =
        lines.iter().map(|line| [line.date.to_string().replace('-', ""), money(line.cents)]).collect();
    let rows: Vec<_> = lines
        .iter()
        .zip(&texts)
        .map(|(line, [date, amount])| (date.as_str(), amount.as_str(), line.id, line.memo.as_str()))
        .collect();
    ofx(&rows)
}

/// The total of the bill that closes in that month.
fn bill_total(month: u8) -> i128 {
    -statement(month).iter().map(|line| line.cents).sum::<i128>()
}

/// Income, expenses and taxes of a month. Month 13 is January 2026.
fn month_totals(month: u8) -> (i128, i128, i128) {
    // The rows of a card count in the month of their payment, except those that were entered by hand.
    let statement = if month == 1 { Vec::new() } else { statement(month - 1) };
    let (by_hand, on_statement): (Vec<Line>, Vec<Line>) =
        statement.into_iter().partition(|line| line.memo == BY_HAND.2);
    assert_eq!(by_hand.len(), usize::from(month == 7));
    let total = |is_counted: fn(&&Line) -> bool| {
        on_statement.iter().filter(is_counted).map(|line| line.cents.abs()).sum::<i128>()
    };
    let (mut income, mut expenses) = (total(|line| line.cents > 0), total(|line| line.cents < 0));
    if month <= 12 {
        income += salary(month);
        expenses += RENT + taxes(month);
    }
    if day(month, 1).month() == BY_HAND.0.month() {
        expenses += BY_HAND.1;
    }
    if day(month, 1).month() == FORGOTTEN.0.month() {
        expenses += FORGOTTEN.1;
    }
    (income, expenses, if month <= 12 { taxes(month) } else { 0 })
}

/// 100 × (income − expenses) / (income − taxes) in hundredths, half to even. None if the divisor is zero.
fn savings_hundredths((income, expenses, taxes): (i128, i128, i128)) -> Option<i128> {
    let (dividend, divisor) = (10_000 * (income - expenses), income - taxes);
    if divisor <= 0 {
        return None;
    }
    let (down, rest) = (dividend.div_euclid(divisor), dividend.rem_euclid(divisor));
    Some(match (2 * rest).cmp(&divisor) {
        std::cmp::Ordering::Less => down,
        std::cmp::Ordering::Greater => down + 1,
        std::cmp::Ordering::Equal => down + down.rem_euclid(2),
    })
}

/// A percentage of an answer, in hundredths. None for null.
fn hundredths(percentage: &Value) -> Option<i128> {
    let text = percentage.as_number()?.to_string();
    let (whole, places) = text.split_once('.').unwrap_or((&text, ""));
    assert!(places.len() <= 2, "{text}");
    Some(format!("{whole}{places:0<2}").parse().unwrap())
}

struct Household<'a> {
    app: &'a TestApp,
    ana: Client,
    card: i64,
    current: i64,
    tax_category: Value,
}

impl Household<'_> {
    fn enter(&self, account: i64, date: Date, kind: &str, cents: i128, description: &str, category: &Value) {
        let body = json!({ "type": kind, "date": date.to_string(), "description": description, "amount": money(cents),
            "account_id": account, "category_id": category });
        self.ana.post("/api/transactions", body).created();
    }

    /// Salary, rent and taxes of a month.
    fn live(&self, month: u8) {
        self.app.clock.set_today(day(month, 20));
        self.enter(self.current, day(month, 5), "income", salary(month), "SALARIO", &Value::Null);
        self.enter(self.current, day(month, 6), "expense", RENT, "ALUGUEL", &Value::Null);
        self.enter(self.current, day(month, 20), "expense", taxes(month), "IMPOSTO", &self.tax_category);
    }

    /// Imports the statement, on the day it closes or on the day it is due.
    fn receive(&self, month: u8) {
        let payment_date = day(month + 1, DUE_DAY).to_string();
        let lines = statement(month);
        let send = |file: &[u8]| self.ana.import_card(self.card, &payment_date, file);
        if EARLY.contains(&month) {
            self.app.clock.set_today(day(month, CLOSING_DAY));
            let mut bill = send(&file(&lines)).expect(202)["pending_bill"].clone();
            if month == DISCARDED_ONCE {
                self.ana.delete(&format!("/api/pending-bills/{}", bill["id"])).gone();
                bill = send(&file(&lines)).expect(202)["pending_bill"].clone();
            }
            assert_eq!(cents(&bill["total"]), bill_total(month), "held in {month}");
            if IMPORTED_TWICE.contains(&month) {
                assert_eq!(send(&file(&lines)).created()["inserted"], 0);
            }
            self.app.clock.set_today(day(month + 1, DUE_DAY));
            let path = format!("/api/pending-bills/{}/confirm", bill["id"]);
            assert_eq!(self.ana.post_nothing(&path).created()["inserted"], lines.len());
            return;
        }
        self.app.clock.set_today(day(month + 1, DUE_DAY));
        let (new, known) = (lines.len() - usize::from(month == 6), usize::from(month == 6));
        let (mut sent, mut skipped) = (lines, known);
        if month == OVERLAPPING {
            sent.splice(0..0, statement(month - 1).into_iter().take(3));
            skipped += 3;
        }
        let answer = send(&file(&sent)).created();
        assert_eq!(answer["inserted"], new, "{month}: {answer}");
        assert_eq!(answer["skipped"].as_array().unwrap().len(), skipped, "{month}: {answer}");
        if IMPORTED_TWICE.contains(&month) {
            sent.reverse();
            assert_eq!(send(&file(&sent)).created()["inserted"], 0);
        }
    }

    /// The bill that closes in that month.
    fn bill(&self, month: u8) -> Value {
        let bills = self.ana.get(&format!("/api/credit-bills?account_id={}", self.card)).ok();
        let start = day(month - 1, CLOSING_DAY).to_string();
        bills.as_array().unwrap().iter().find(|bill| bill["period_start"] == start).unwrap().clone()
    }

    fn pay(&self, month: u8) {
        let path = format!("/api/credit-bills/{}/pay", self.bill(month)["id"]);
        let paid = self.ana.post(&path, json!({ "account_id": self.current })).ok();
        assert_eq!((&paid["status"], &paid["amount_due"]), (&json!("paid"), &json!("0.00")), "{month}");
    }
}

#[test]
fn a_year_of_a_card_adds_up() {
    let app = TestApp::start();
    app.clock.set_today(date!(2025 - 01 - 01));
    let ana = app.user("ana");
    let card = ana.open_card("Cartão", CLOSING_DAY, DUE_DAY);
    let opened = json!({ "name": "Conta", "kind": "current", "opening_balance": money(OPENING) });
    let current = ana.post("/api/accounts", opened).created()["id"].as_i64().unwrap();
    let categories = ana.get("/api/categories").ok();
    let is_tax = |category: &&Value| category["is_tax"] == true;
    let tax_category = categories.as_array().unwrap().iter().find(is_tax).unwrap()["id"].clone();
    let house = Household { app: &app, ana, card, current, tax_category };

    let mut in_current = OPENING;
    for month in 1..=12 {
        house.live(month);
        in_current += salary(month) - RENT - taxes(month);
        if day(month, 1).month() == BY_HAND.0.month() {
            house.enter(card, BY_HAND.0, "expense", BY_HAND.1, "Padaria do Zé", &Value::Null);
        }
        house.receive(month);
        assert_eq!(cents(&house.bill(month)["total"]), bill_total(month), "the bill of {month}");
        assert_eq!(house.ana.balance(card), -bill_total(month), "the card before the payment of {month}");
        house.pay(month);
        in_current -= bill_total(month);
        if month == 7 {
            house.enter(card, FORGOTTEN.0, "expense", FORGOTTEN.1, "Farmácia", &Value::Null);
            let (late, due) = (house.bill(3), house.bill(month));
            assert_eq!(
                (&late["status"], cents(&late["carried"])),
                (&json!("paid"), FORGOTTEN.1),
                "it is on the next bill"
            );
            assert_eq!((&due["status"], cents(&due["amount_due"])), (&json!("unpaid"), FORGOTTEN.1));
            house.pay(month);
            in_current -= FORGOTTEN.1;
        }
        assert_eq!((house.ana.balance(card), house.ana.balance(current)), (0, in_current), "after {month}");
        assert_eq!(cents(&house.ana.get("/api/dashboard").ok()["net_worth"]), in_current, "after {month}");
    }

    let bills = house.ana.all(&format!("/api/credit-bills?account_id={card}&limit=5"));
    assert_eq!(bills.len(), 13, "twelve, and the current one");
    for (bill, month) in bills.iter().zip((1..=13).rev()) {
        assert_eq!(bill["period_start"], day(month - 1, CLOSING_DAY).to_string());
        assert_eq!(bill["due_date"], day(month + 1, DUE_DAY).to_string());
        let (total, status) = match month {
            13 => (0, "unpaid"),
            3 => (bill_total(3) + FORGOTTEN.1, "paid"),
            month => (bill_total(month), "paid"),
        };
        assert_eq!((cents(&bill["total"]), &bill["status"]), (total, &json!(status)), "{month}");
        let paid = match month {
            3 => bill_total(3),
            7 => total + FORGOTTEN.1,
            _ => total,
        };
        assert_eq!(cents(&bill["paid_amount"]), paid, "{month}");
    }
    for month in 1..=13 {
        let dashboard = house.ana.get(&format!("/api/dashboard?month={}", &day(month, 1).to_string()[..7])).ok();
        let figures = ["income", "expenses", "taxes"].map(|field| cents(&dashboard[field]));
        let totals = month_totals(month);
        assert_eq!(figures, [totals.0, totals.1, totals.2], "{month}");
        assert_eq!(hundredths(&dashboard["savings_pct"]), savings_hundredths(totals), "{month}: {dashboard}");
        assert_eq!(hundredths(&dashboard["evolution"][5]["savings_pct"]), savings_hundredths(totals), "{month}");
        let spent = dashboard["spending_by_category"].as_array().unwrap();
        assert_eq!(spent.iter().map(|spending| cents(&spending["total"])).sum::<i128>(), totals.1, "{month}");
    }
    let dashboard = house.ana.get("/api/dashboard").ok();
    assert_eq!(dashboard["pending_bill_imports"], json!([]));
    assert_eq!(
        dashboard["current_bills"].as_array().unwrap().len(),
        1,
        "nothing is due but what is bought from now on"
    );
    let income: i128 = (1..=13).map(|month| month_totals(month).0 - month_totals(month).1).sum();
    assert_eq!(cents(&dashboard["net_worth"]), OPENING + income, "what was earned less what was spent");
}
