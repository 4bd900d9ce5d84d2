//! Which bills a listing refreshes.

use finance_domain::month::parse_date;
use finance_domain::transactions::{Kind, NewTransaction, Source, TransactionFilter};
use finance_domain::{Access, AccountId, Money, Store};
use finance_tests::{Client, TestApp};
use serde_json::{Value, json};
use time::macros::date;
use time::{Date, Duration};

/// How often the twins change.
const STEPS: usize = 120;

/// A small generator of pseudo-random numbers, the same in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }
}

/// A change of a card's transactions, made directly in the store: an insert, which may have a purchase date, or a change of
/// rows that are selected by their amount.
#[derive(Debug, Clone, Copy)]
enum Change {
    Insert { original_date: Option<Date> },
    Move,
    Delete,
}

impl Change {
    fn make(self, app: &TestApp, client: &Client, card: AccountId, date: Date, amount: Money) {
        let row = NewTransaction {
            account_id: Some(card),
            source: Source::Ofx,
            ..NewTransaction::new(Kind::Expense, date, "x", amount)
        };
        let store: &dyn Store = app.store.as_ref();
        let made = store.run(&client.caller(), Access::Write, |repo| {
            let all = repo.transaction_list(&TransactionFilter::default(), None, 1_000)?;
            match self {
                Change::Insert { original_date } => {
                    repo.transaction_insert(&[NewTransaction { original_date, ..row }])?;
                }
                Change::Move => {
                    let first = all.iter().filter(|stored| stored.amount >= amount).min_by_key(|stored| stored.id);
                    if let Some(stored) = first {
                        repo.transaction_update(&[stored.edited(NewTransaction { amount: stored.amount, ..row })])?;
                    }
                }
                Change::Delete => {
                    let same = all.iter().filter(|stored| stored.amount == amount).map(|stored| stored.id);
                    repo.transaction_delete(&same.collect())?;
                }
            }
            Ok(())
        });
        made.unwrap();
    }
}

/// The date that is this number of days later.
fn later(date: &Value, days: i64) -> Value {
    let date = parse_date(date.as_str().unwrap()).unwrap() + Duration::days(days);
    json!(date.to_string())
}

/// Two profiles have the same history. Before each listing of the second one's bills, `bills_complete_until` is reset, so that
/// all bills are refreshed.
#[test]
fn refreshing_changed_bills_gives_the_same_as_refreshing_all() {
    let app = TestApp::start();
    let twins = ["ana", "bia"].map(|name| app.user(name));
    let cards = twins.each_ref().map(|client| [client.open_card("Um", 10, 20), client.open_card("Dois", 31, 7)]);
    let list = |client: &Client| {
        let own = |bill: &Value| {
            let mut bill = bill.clone();
            for field in ["id", "profile_id", "account_id"] {
                bill.as_object_mut().unwrap().remove(field);
            }
            bill
        };
        let accounts = client.get("/api/accounts").ok();
        let current: Vec<Value> =
            accounts.as_array().unwrap().iter().map(|account| own(&account["current_bill"])).collect();
        let bills = client.get("/api/credit-bills?limit=1000").ok();
        (current, bills.as_array().unwrap().iter().map(own).collect::<Vec<_>>())
    };
    let (mut numbers, mut today) = (Numbers(7), date!(2026 - 03 - 15));
    let first = date!(2025 - 09 - 01);
    let (mut most, mut dated) = (0, 0);
    for step in 0..STEPS {
        let day = first + Duration::days(numbers.below(600) as i64);
        let (which, amount) = (numbers.below(2) as usize, numbers.below(100) + 1);
        let change = match numbers.below(9) {
            0..4 => {
                let original_date = (numbers.below(2) == 1).then(|| day - Duration::days(30));
                Some(Change::Insert { original_date })
            }
            4 => Some(Change::Move),
            5 => Some(Change::Delete),
            6 => {
                let (closing_day, due_day) = (numbers.below(31) + 1, numbers.below(31) + 1);
                let name = ["Um", "Dois"][which];
                let days = json!({ "name": name, "kind": "credit", "closing_day": closing_day, "due_day": due_day });
                for (client, cards) in twins.iter().zip(&cards) {
                    client.put(&format!("/api/accounts/{}", cards[which]), days.clone()).ok();
                }
                None
            }
            7 => {
                // A bill closes up to 13 days before or after its day. About half of these bills also get a due date.
                let (at, days, due) = (numbers.below(4) as usize, numbers.below(27) as i64 - 13, numbers.below(2) == 1);
                for (client, cards) in twins.iter().zip(&cards) {
                    let bills = client.get(&format!("/api/credit-bills?account_id={}", cards[which])).ok();
                    let Some(bill) = bills.get(at) else { continue };
                    let dates = |closing_date: Value| {
                        let due_date = due.then(|| later(&closing_date, 12));
                        json!({ "closing_date": closing_date, "due_date": due_date })
                    };
                    let path = format!("/api/credit-bills/{}", bill["id"]);
                    // The days are counted from the closing date by the card's days.
                    let scheduled = client.put(&path, json!({})).ok()["closing_date"].clone();
                    let moved = later(&scheduled, days);
                    let is_moved = client.put(&path, dates(moved.clone()));
                    if is_moved.status == 200 {
                        assert_eq!(is_moved.json()["closing_date"], moved);
                        dated += 1;
                    }
                }
                None
            }
            _ => {
                today += Duration::days(numbers.below(20) as i64);
                app.clock.set_today(today);
                None
            }
        };
        for (client, cards) in twins.iter().zip(&cards) {
            if let Some(change) = change {
                let card = AccountId(cards[which]);
                change.make(&app, client, card, day, Money::from_cents(i128::from(amount) * 100));
            }
        }
        if step + 1 == STEPS || numbers.below(3) > 0 {
            let forgotten = twins[1].caller().profile_id.0;
            app.sql(&format!("update accounts set bills_complete_until = null where profile_id = {forgotten}"));
            // The rows were written below the use cases, which leave the bills as they are today.
            app.sql("update profiles set upkept_on = null");
            let listed = list(&twins[0]);
            assert!(listed == list(&twins[1]), "step {step}, {today}: {change:?} on {day}");
            most = most.max(listed.1.len());
        }
    }
    assert!(most > 15 && dated > 10, "{most} bills, {dated} with dates of their own: the years were too quiet");
}
