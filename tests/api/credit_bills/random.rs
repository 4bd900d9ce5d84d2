//! Random households: members come and go, the days of a card and the dates of its bills change, and the clock goes back.

mod people;

use finance_tests::{Client, TestApp, cents, id, ofx};
use serde_json::{Value, json};
use time::macros::date;
use time::{Date, Duration};

use super::changed_days::days;
use super::{path, pay, put};
use people::People;

/// Numbers that are the same in each run, by a multiplication of Lehmer.
pub(super) struct Numbers(u64);

impl Numbers {
    /// A number below a limit.
    pub(super) fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0 * 48_271 % 2_147_483_647;
        self.0 % limit
    }
}

/// What was bought and paid on a card.
struct Card<'a> {
    app: &'a TestApp,
    id: i64,
    bank: i64,
    today: Date,
    /// The amount of each purchase, its date, and whether it counts by the date of a payment.
    rows: Vec<(i128, Date, bool)>,
    paid: i128,
}

impl Card<'_> {
    fn bills(&self, client: &Client) -> Vec<Value> {
        client.all(&format!("/api/credit-bills?account_id={}", self.id))
    }

    /// One change by a member who may write.
    fn step(&mut self, client: &Client, numbers: &mut Numbers) {
        let listed = self.bills(client);
        let bill = &listed[numbers.below(listed.len() as u64) as usize];
        match numbers.below(8) {
            0 => {
                self.today = date!(2026 - 01 - 01) + Duration::days(numbers.below(150) as i64);
                self.app.clock.set_today(self.today);
            }
            1 | 2 => days(client, self.id, 1 + numbers.below(31) as u8, 1 + numbers.below(31) as u8),
            3 | 4 => {
                let closing: Date = finance_domain::month::parse_date(bill["closing_date"].as_str().unwrap()).unwrap();
                let closing = closing + Duration::days(numbers.below(21) as i64 - 10);
                // A date that the bill cannot have is refused, and a bill of the future may be gone afterwards.
                let reply = client.put(&path(bill), json!({ "closing_date": closing.to_string() }));
                assert!([200, 404, 422].contains(&reply.status), "{reply:?}");
            }
            5 => {
                let (amount, date) = (self.amount(numbers), self.today - Duration::days(numbers.below(70) as i64 - 20));
                put(client, self.id, &date.to_string(), "expense", &format!("{}.00", amount / 100));
                self.rows.push((amount, date, false));
            }
            6 => {
                let (amount, date) = (self.amount(numbers), self.today - Duration::days(numbers.below(40) as i64));
                let (text, fitid) = (format!("-{}.00", amount / 100), format!("F{}", self.rows.len()));
                let bought = date.to_string().replace('-', "");
                let reply = client.import_card(
                    self.id,
                    &date.to_string(),
                    &ofx(&[(bought.as_str(), text.as_str(), fitid.as_str(), fitid.as_str())]),
                );
                assert_eq!(reply.created()["inserted"], 1);
                self.rows.push((amount, date, true));
            }
            _ if bill["paid_at"].is_null() => {
                let body = if numbers.below(2) == 0 { json!({}) } else { json!({ "account_id": self.bank }) };
                let due = cents(&bill["amount_due"]);
                if pay(client, bill, body).status == 200 {
                    self.paid += due;
                }
            }
            _ => {
                // The payments that name the bill, whatever bill they count on.
                let query =
                    format!("select sum(amount)::text as sum from credit_bill_payments where bill_id = {}", bill["id"]);
                let named = self.app.rows(&query)[0]["sum"].clone();
                let reply = client.post_nothing(&format!("{}/unpay", path(bill)));
                assert_eq!(reply.status, if named.is_null() { 409 } else { 200 }, "{reply:?}");
                self.paid -= if named.is_null() { 0 } else { cents(&named) };
            }
        }
    }

    /// Another amount for each purchase, so that a wrong bill has a wrong total.
    fn amount(&self, numbers: &mut Numbers) -> i128 {
        100 * (i128::from(numbers.below(50)) + 1) + 100_000 * self.rows.len() as i128
    }

    fn check(&self, client: &Client) {
        let listed = self.bills(client);
        let day = |bill: &Value, name: &str| finance_domain::month::parse_date(bill[name].as_str().unwrap()).unwrap();
        let following = |bill: &Value| -> Date {
            let query = format!("select following_end::text as day from credit_bills where id = {}", bill["id"]);
            finance_domain::month::parse_date(self.app.rows(&query)[0]["day"].as_str().unwrap()).unwrap()
        };
        // The newest is listed first.
        for two in listed.windows(2) {
            assert!(day(&two[1], "period_end") < day(&two[0], "period_start"), "bills overlap: {listed:#?}");
        }
        let open =
            listed.iter().find(|bill| (day(bill, "period_start")..=day(bill, "period_end")).contains(&self.today));
        let open_end = day(open.expect("a card has an open bill"), "period_end");
        let mut on_bills = vec![0; self.rows.len()];
        let mut sum = 0;
        for bill in &listed {
            let (start, end, following) = (day(bill, "period_start"), day(bill, "period_end"), following(bill));
            let mut total = 0;
            for (at, (amount, date, is_by_payment)) in self.rows.iter().enumerate() {
                if if *is_by_payment { end < *date && *date <= following } else { start <= *date && *date <= end } {
                    total += amount;
                    on_bills[at] += 1;
                }
            }
            assert_eq!(cents(&bill["total"]), total, "{bill}");
            sum += total;
        }
        let on_a_bill = self.rows.iter().zip(&on_bills).filter(|(_, bills)| **bills > 0);
        assert_eq!(sum, on_a_bill.map(|((amount, ..), _)| amount).sum::<i128>(), "each purchase is on one bill");
        for ((_, date, _), bills) in self.rows.iter().zip(&on_bills) {
            assert!(*bills == 1 || *bills == 0 && *date > open_end, "{date} is on {bills} bills: {listed:#?}");
        }
        let paid: i128 = listed.iter().map(|bill| cents(&bill["paid_amount"])).sum();
        assert_eq!(paid, self.paid, "no payment is lost: {listed:#?}");
    }
}

/// The number of households of a longer run: `FINANCE_RANDOM_HOUSEHOLDS=1000 cargo test -p finance-tests --test api random`.
fn seeds() -> Vec<u64> {
    match std::env::var("FINANCE_RANDOM_HOUSEHOLDS") {
        Ok(count) => (1..=count.parse().expect("a number of households")).map(|seed| seed * 7_919).collect(),
        Err(_) => vec![3, 71, 1_999],
    }
}

#[test]
fn no_sequence_of_members_days_dates_and_clocks_puts_a_purchase_on_two_bills_or_lets_anyone_in() {
    let app = TestApp::start();
    for seed in seeds() {
        eprintln!("household {seed}");
        let today = date!(2026 - 03 - 20);
        app.clock.set_today(today);
        let mut people = People::new(&app, &format!("user-{seed}"));
        let mut numbers = Numbers(seed);
        let (card, bank) = {
            let owner = people.writer(&mut numbers);
            put(owner, owner.open_card("Cartão", 25, 5), "2026-03-01", "expense", "1.00");
            (id(&owner.get("/api/accounts").ok()[0]), owner.open_account("Banco", "current"))
        };
        let rows = vec![(100, date!(2026 - 03 - 01), false)];
        let mut card = Card { app: &app, id: card, bank, today, rows, paid: 0 };
        for _ in 0..40 {
            people.step(&mut numbers);
            people.check(card.id, &mut numbers);
            let client = people.writer(&mut numbers);
            card.step(client, &mut numbers);
            card.check(client);
        }
    }
}
