//! Half a year of a household with two purchases by instalments: each month's forecast is compared with what then happened.

use finance_tests::{Client, TestApp, cents, money};
use serde_json::{Value, json};
use time::macros::date;
use time::{Date, Duration, Month};

const MONTHS: [Month; 6] = [Month::January, Month::February, Month::March, Month::April, Month::May, Month::June];

/// Something that a forecast made on an earlier day could not know.
struct Surprise {
    made: Date,
    /// The day on which it is paid from the bank account.
    paid: Date,
    cents: i128,
}

struct Household {
    ana: Client,
    bank: i64,
    card: i64,
    surprises: Vec<Surprise>,
}

fn day(month: Month, day: u8) -> Date {
    Date::from_calendar_date(2026, month, day).unwrap()
}

impl Household {
    fn moves(&self, kind: &str, date: Date, description: &str, amount: i128, account: i64, category: Option<i64>) {
        let row = json!({ "type": kind, "date": date.to_string(), "description": description, "amount": money(amount),
            "account_id": account, "category_id": category });
        self.ana.create("/api/transactions", row);
    }

    /// Pays an unforeseen expense from the bank account.
    fn spends(&mut self, date: Date, description: &str, amount: i128) {
        self.moves("expense", date, description, amount, self.bank, None);
        self.surprises.push(Surprise { made: date, paid: date, cents: -amount });
    }

    /// Makes an unforeseen purchase with the card. A negative amount is a refund to the card.
    fn buys(&mut self, date: Date, description: &str, amount: i128, due: Date) {
        let kind = if amount < 0 { "income" } else { "expense" };
        self.moves(kind, date, description, amount.abs(), self.card, None);
        self.surprises.push(Surprise { made: date, paid: due, cents: -amount });
    }

    /// Pays the bills that are due on a day, and returns the amount that was due.
    fn pays_bills(&self, today: Date) -> i128 {
        let bills = self.ana.all("/api/credit-bills?status=unpaid");
        let due = bills.iter().filter(|bill| bill["due_date"] == json!(today.to_string()));
        let pay = |bill: &Value| {
            let body = json!({ "account_id": self.bank, "date": today.to_string() });
            let paid = self.ana.post(&format!("/api/credit-bills/{}/pay", bill["id"]), body).ok();
            assert_eq!(paid["status"], "paid");
            cents(&bill["amount_due"])
        };
        due.map(pay).sum()
    }

    /// Imports rows of the card's statement. Returns how many were new.
    fn imports(&self, rows: &[(Date, &str, i128)]) -> Value {
        let rows: Vec<Value> = rows
            .iter()
            .map(|(date, description, amount)| {
                json!({ "date": date.to_string(), "description": description, "amount": money(*amount), "type": "expense" })
            })
            .collect();
        let statement = json!({ "account_id": self.card, "format": "csv", "is_credit_card": true, "rows": rows });
        self.ana.post("/api/import/confirm", statement).created()["inserted"].clone()
    }
}

#[test]
fn half_a_year_comes_as_it_was_foreseen_but_for_surprises() {
    let app = TestApp::start();
    app.clock.set_today(date!(2026 - 01 - 01));
    let ana = app.user("ana");
    let bank =
        json!({ "name": "Banco", "kind": "current", "opening_balance": "3000.00", "opening_date": "2025-12-31" });
    let bank = ana.create("/api/accounts", bank);
    let card = ana.open_card("Visa", 25, 5);
    let category = |name: &str| ana.create("/api/categories", json!({ "name": name }));
    let [salary, school, rent, stream] = ["Ordenado", "Escola", "Casa", "Filmes"].map(category);
    let item = |kind: &str, text: &str, amount: i128, day: u8, category: i64, account: i64| {
        let body = json!({ "type": kind, "description": text, "amount": money(amount), "day": day,
            "category_id": category, "account_id": account });
        ana.create("/api/recurring", body)
    };
    item("income", "Salário", 650_000, 5, salary, bank);
    item("expense", "Escola Arco", 98_000, 8, school, bank);
    item("expense", "Aluguel", 180_000, 10, rent, bank);
    item("expense", "Filmes", 4_000, 12, stream, card);
    let mut house = Household { ana, bank, card, surprises: Vec::new() };

    // The forecasts with the day on which they were made, and the balances at the ends of months.
    let mut forecasts: Vec<(Date, Value)> = Vec::new();
    let mut closings: Vec<i128> = Vec::new();
    for month in MONTHS {
        let first = day(month, 1);
        app.clock.set_today(first);
        let forecast = house.ana.get("/api/forecast?months=6").ok();
        if month != Month::January {
            closings.push(cents(&forecast["opening"]));
        }
        let foreseen_bills = cents(&forecast["months"][0]["card_bills"]);
        forecasts.push((first, forecast));

        app.clock.set_today(day(month, 5));
        assert_eq!(house.pays_bills(day(month, 5)), foreseen_bills, "{month}");
        house.moves("income", day(month, 5), "Salário", 650_000, house.bank, Some(salary));
        // In April the school costs 15.00 more. The amount is close enough to cover the recurring item.
        let dearer = if month == Month::April { 1_500 } else { 0 };
        house.moves("expense", day(month, 8), "Escola Arco", 98_000 + dearer, house.bank, Some(school));
        house.surprises.push(Surprise { made: day(month, 8), paid: day(month, 8), cents: -dearer });
        house.moves("expense", day(month, 10), "Aluguel", 180_000, house.bank, Some(rent));
        house.moves("expense", day(month, 12), "Filmes", 4_000, house.card, Some(stream));
        house.spends(day(month, 15), "Supermercado", 61_235 + 100 * i128::from(u8::from(month)));

        app.clock.set_today(day(month, 20));
        let next = |months: u8| day(month.nth_next(months), 5);
        house.buys(day(month, 20), "Cantina", 15_680, next(1));
        match month {
            Month::January => {
                let plan = json!({ "account_id": house.card, "description": "TV", "date": "2026-01-14", "count": 3,
                    "total_amount": "1000.00" });
                house.ana.post("/api/installments", plan).created();
                for (due, cents) in [(1, 33_334), (2, 33_333), (3, 33_333)] {
                    house.surprises.push(Surprise { made: day(month, 14), paid: next(due), cents: -cents });
                }
            }
            Month::February => {
                // The statement has the purchase that was entered by hand, and another purchase that was not.
                let rows =
                    [(day(month, 14), "TV - Parcela 2/3", 33_333), (day(month, 3), "Geladeira - Parcela 1/4", 25_000)];
                assert_eq!(house.imports(&rows), 1);
                for due in 1..=4 {
                    house.surprises.push(Surprise { made: day(month, 3), paid: next(due), cents: -25_000 });
                }
            }
            Month::March => {
                let rows =
                    [(day(month, 14), "TV - Parcela 3/3", 33_333), (day(month, 3), "Geladeira - Parcela 2/4", 25_000)];
                assert_eq!(house.imports(&rows), 1);
                // This purchase is after the closing day, so it is on the bill after the next one.
                app.clock.set_today(day(month, 27));
                house.buys(day(month, 27), "Presente", 9_990, next(2));
            }
            Month::April => {
                assert_eq!(house.imports(&[(day(month, 3), "Geladeira - Parcela 3/4", 25_000)]), 1);
                house.buys(day(month, 10), "Estorno Cantina", -15_680, next(1));
            }
            Month::May => assert_eq!(house.imports(&[(day(month, 3), "Geladeira - Parcela 4/4", 25_000)]), 1),
            _ => {}
        }
    }
    app.clock.set_today(date!(2026 - 07 - 01));
    closings.push(cents(&house.ana.get("/api/forecast").ok()["opening"]));

    let mut compared = 0;
    for (at, (made, forecast)) in forecasts.iter().enumerate() {
        let months = forecast["months"].as_array().unwrap();
        for (month, (foreseen, came)) in MONTHS[at..].iter().zip(months.iter().zip(&closings[at..])) {
            let end = day(month.next(), 1) - Duration::DAY;
            let unforeseen = house.surprises.iter().filter(|surprise| surprise.made >= *made && surprise.paid <= end);
            let expected = cents(&foreseen["closing"]) + unforeseen.map(|surprise| surprise.cents).sum::<i128>();
            assert_eq!(expected, *came, "{month} as it was foreseen on {made}");
            compared += 1;
        }
    }
    assert_eq!(compared, 21);
    let plans = house.ana.all("/api/installments");
    let states: Vec<_> = plans.iter().map(|plan| (plan["count"].as_i64(), plan["status"].as_str())).collect();
    assert_eq!(states, [(Some(4), Some("finished")), (Some(3), Some("finished"))]);
}
