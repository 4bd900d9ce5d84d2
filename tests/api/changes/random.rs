//! Random writes, undone in reverse and in any order.

use finance_tests::{Reply, id, ofx};
use serde_json::{Value, json};

use super::{House, assert_same, assert_sums, books, change_of, undo};

/// Numbers that are the same in each run, by a multiplication of Lehmer.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0 * 48_271 % 2_147_483_647;
        (self.0 % limit as u64) as usize
    }

    fn of<'a>(&mut self, all: &'a [Value]) -> Option<&'a Value> {
        if all.is_empty() { None } else { all.get(self.below(all.len())) }
    }
}

/// The books without bills that have neither rows nor payments: they are made on demand.
fn without_empty_bills(mut books: Value) -> Value {
    let used: Vec<i64> = books["credit_bill_payments"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|payment| payment["bill_id"].as_i64())
        .chain(books["transactions"].as_array().into_iter().flatten().filter_map(|row| row["bill_id"].as_i64()))
        .collect();
    if let Some(bills) = books["credit_bills"].as_array_mut() {
        bills.retain(|bill| used.contains(&id(bill)));
    }
    books
}

/// One random write. None: there was nothing to write on.
fn write(house: &House, numbers: &mut Numbers, step: usize) -> Option<Reply> {
    let ana = &house.ana;
    let account = [house.bank, house.savings, house.card][numbers.below(3)];
    let category = [json!(house.food), json!(house.home), Value::Null][numbers.below(3)].clone();
    let day = format!("2026-0{}-{:02}", 2 + numbers.below(2), 1 + numbers.below(9));
    let amount = format!("{}.{:02}", 1 + numbers.below(90), numbers.below(100));
    let kind = if numbers.below(4) == 0 { "income" } else { "expense" };
    let row = json!({ "type": kind, "date": day, "amount": amount,
        "description": format!("Loja {}", numbers.below(5)), "account_id": account, "category_id": category });
    let rows = ana.all("/api/transactions?limit=1000");
    let rows: Vec<Value> = rows.into_iter().filter(|row| row["source"] != "opening_balance").collect();
    let list = |path: &str| ana.get(path).ok().as_array().cloned().unwrap_or_default();
    Some(match numbers.below(20) {
        0..=3 => ana.post("/api/transactions", row),
        4 | 5 => ana.put(&format!("/api/transactions/{}", id(numbers.of(&rows)?)), row),
        6 => ana.delete(&format!("/api/transactions/{}", id(numbers.of(&rows)?))),
        7 => {
            let some: Vec<i64> = (0..3).filter_map(|_| numbers.of(&rows)).map(id).collect();
            let mut some: Vec<i64> = some.into_iter().collect();
            some.sort_unstable();
            some.dedup();
            match numbers.below(2) {
                0 => ana.post("/api/transactions/update", json!({ "ids": some, "category_id": category })),
                _ => ana.post("/api/transactions/delete", json!({ "ids": some })),
            }
        }
        8 => {
            let body =
                json!({ "from_account_id": house.bank, "to_account_id": house.savings, "amount": amount, "date": day });
            ana.post("/api/transfers", body)
        }
        9 => {
            let file = ofx(&[
                ("20260301", "-31.00", &format!("r{}", numbers.below(3)), "POSTO"),
                ("20260304", "-9.50", &format!("s{}", numbers.below(3)), "BANCA"),
            ]);
            ana.import(Some(account), &file)
        }
        10 => ana.delete(&format!("/api/imports/{}", id(numbers.of(&list("/api/imports"))?))),
        11 => ana.post("/api/categories", json!({ "name": format!("C{step}"), "monthly_budget": amount })),
        12 => {
            let all = list("/api/categories");
            let own: Vec<Value> =
                all.into_iter().filter(|one| one["name"].as_str().is_some_and(|name| name.starts_with('C'))).collect();
            let path = format!("/api/categories/{}", id(numbers.of(&own)?));
            match numbers.below(2) {
                0 => house.put(&path, &[("monthly_budget", json!(amount))]),
                _ => ana.delete(&format!("{path}?move_to={}", house.food)),
            }
        }
        13 => house.put(
            &format!("/api/accounts/{}", house.card),
            &[("closing_day", json!(20 + numbers.below(8))), ("due_day", json!(1 + numbers.below(9)))],
        ),
        14 => {
            let body = json!({ "type": "expense", "description": format!("R{step}"), "amount": amount, "category_id": house.home,
                "account_id": house.bank, "day": 1 + numbers.below(28) });
            ana.post("/api/recurring", body)
        }
        15 => {
            let items = list("/api/recurring?month=2026-03");
            let path = format!("/api/recurring/{}", id(numbers.of(&items)?));
            let actions = ["late", "unlate", "ignore", "unignore", "confirm"];
            let action = actions[numbers.below(5)];
            ana.post(&format!("{path}/{action}?month=2026-03"), json!({}))
        }
        16 => {
            let body = json!({ "name": format!("R{step}"), "conditions": [{ "field": "description", "op": "contains", "value": "loja 1" }],
                "actions": [{ "action": "set_category", "category_id": house.home }] });
            ana.post("/api/rules", body)
        }
        17 => ana.post("/api/rules/apply", json!({ "only_uncategorized": false })),
        18 => {
            let bill = numbers.of(&list("/api/credit-bills"))?.clone();
            let path = format!("/api/credit-bills/{}", id(&bill));
            match bill["status"] == "paid" {
                true => ana.post_nothing(&format!("{path}/unpay")),
                false => ana.post(&format!("{path}/pay"), json!({ "account_id": house.bank, "date": "2026-03-10" })),
            }
        }
        _ => house.put("/api/settings", &[("savings_goal_pct", json!(numbers.below(90)))]),
    })
}

/// Writes, and returns the changes with the books before each.
fn history(house: &House, numbers: &mut Numbers, steps: usize) -> Vec<(i64, Value)> {
    let mut made = Vec::new();
    for step in 0..steps {
        let before = books(&house.ana);
        let Some(reply) = write(house, numbers, step) else { continue };
        assert!(reply.status < 500, "{reply:?}");
        match change_of(&reply) {
            Some(change) => made.push((change, before)),
            None => {
                assert_same("without a change", &without_empty_bills(before), &without_empty_bills(books(&house.ana)))
            }
        }
    }
    made
}

#[test]
fn random_writes_are_undone_in_reverse_order_step_by_step() {
    for seed in [7, 20, 41] {
        let house = House::new();
        for (change, before) in history(&house, &mut Numbers(seed), 40).into_iter().rev() {
            let told = house.ana.get(&format!("/api/changes/{change}")).ok();
            let reply = undo(&house.ana, change);
            assert_eq!(reply.status, 200, "seed {seed}: {told} {reply:?}");
            let (before, now) = (without_empty_bills(before), without_empty_bills(books(&house.ana)));
            assert_same(&format!("seed {seed}: {} of {change}", told["kind"]), &before, &now);
            assert_sums(&house.app);
        }
    }
}

#[test]
fn random_writes_are_undone_in_any_order_or_say_what_is_in_the_way() {
    for seed in [3, 11] {
        let house = House::new();
        let mut numbers = Numbers(seed);
        let mut left: Vec<i64> = history(&house, &mut numbers, 40).into_iter().map(|(change, _)| change).collect();
        let mut refused = 0;
        while !left.is_empty() {
            let change = left.swap_remove(numbers.below(left.len()));
            let blocked = house.ana.get(&format!("/api/changes/{change}")).ok()["blocked_by"].clone();
            let before = books(&house.ana);
            let reply = undo(&house.ana, change);
            if reply.status == 409 {
                refused += 1;
                let named = reply.problem(409, "ErrChangedSince")["changes"].clone();
                assert_ne!(named, json!([]), "seed {seed}: {change}");
                assert_eq!(named, blocked, "seed {seed}: {change}");
                assert_same("refused", &before, &books(&house.ana));
            } else {
                let told = house.ana.get(&format!("/api/changes/{change}"));
                assert_eq!((reply.status, blocked), (200, json!([])), "seed {seed}: {} {told:?}", reply.json());
            }
            assert_sums(&house.app);
        }
        assert!(refused > 0, "seed {seed}");
    }
}

#[test]
fn an_undo_against_an_edit_is_done_before_or_refused_after() {
    let house = House::new();
    let ana = &house.ana;
    let row = house.row(house.bank, "2026-03-02", "-5.00", Some(house.food));
    let path = format!("/api/transactions/{row}");
    for round in 0..6 {
        let first = format!("-{round}");
        let change = change_of(&house.put(&path, &[("description", json!(first)), ("amount", json!("7.00"))])).unwrap();
        let body = {
            let mut body = ana.get(&path).ok();
            (body["description"], body["amount"], body["category_id"]) =
                (json!("Por outra pessoa"), json!("9.00"), json!(house.home));
            body
        };
        let (undone, edited) = std::thread::scope(|scope| {
            let undone = scope.spawn(|| undo(ana, change));
            let edited = scope.spawn(|| ana.put(&path, body.clone()));
            (undone.join().unwrap(), edited.join().unwrap())
        });
        assert_eq!(edited.status, 200, "{edited:?}");
        if undone.status != 200 {
            undone.problem(409, "ErrChangedSince");
        }
        let now = ana.get(&path).ok();
        assert_eq!(
            (&now["description"], &now["amount"], &now["category_id"]),
            (&json!("Por outra pessoa"), &json!("9.00"), &json!(house.home)),
            "the edit came last"
        );
        assert_sums(&house.app);
    }
}
