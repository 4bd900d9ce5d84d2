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

/// Of the households with writes of further nouns.
const SEEDS: [u64; 4] = [5, 12, 29, 38];

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

/// One random write of the nouns that have more to them: held statements, plans, links, balances that were said, budgets, dues.
fn write_further(house: &House, numbers: &mut Numbers, step: usize) -> Option<Reply> {
    let ana = &house.ana;
    let account = [house.bank, house.savings][numbers.below(2)];
    let day = format!("2026-03-{:02}", 1 + numbers.below(9));
    let amount = format!("{}.{:02}", 1 + numbers.below(90), numbers.below(100));
    let list = |path: &str| ana.get(path).ok().as_array().cloned().unwrap_or_default();
    let rows = || ana.all("/api/transactions?limit=1000");
    let named = |path: &str, letter: char| -> Vec<Value> {
        let is_own =
            |one: &Value| one["name"].as_str().or(one["description"].as_str()).unwrap_or_default().starts_with(letter);
        list(path).into_iter().filter(is_own).collect()
    };
    Some(match numbers.below(17) {
        0 => {
            let file = ofx(&[
                ("20260301", "-15.00", &format!("h{}", numbers.below(3)), "LIVRARIA"),
                ("20260303", "-8.00", &format!("i{}", numbers.below(3)), "LOJA 1"),
            ]);
            ana.import_card(house.card, &format!("2026-0{}-05", 5 + numbers.below(4)), &file)
        }
        1 => {
            let held: Vec<Value> =
                list("/api/pending-bills").into_iter().filter(|held| held["status"] == "pending").collect();
            let path = format!("/api/pending-bills/{}", id(numbers.of(&held)?));
            match numbers.below(2) {
                0 => ana.post_nothing(&format!("{path}/confirm")),
                _ => ana.delete(&path),
            }
        }
        2 => {
            let body = json!({ "account_id": house.card, "description": format!("P{step}"), "total_amount": "90.00",
                "count": 2 + numbers.below(4), "date": day, "category_id": house.home });
            ana.post("/api/installments", body)
        }
        3 => {
            let path = format!("/api/installments/{}", id(numbers.of(&list("/api/installments"))?));
            match numbers.below(2) {
                0 => ana.put(&path, json!({ "ended": true })),
                _ => ana.delete(&path),
            }
        }
        // Two sides of a transfer, to be found, linked or refused.
        4 | 5 => {
            let (kind, account) = [("expense", house.bank), ("income", house.savings)][numbers.below(2)];
            ana.post(
                "/api/transactions",
                json!({ "type": kind, "date": day, "amount": "77.00", "description": "Pix", "account_id": account }),
            )
        }
        6 => {
            let side = |kind: &str| -> Vec<Value> {
                let is_side =
                    |row: &Value| row["type"] == kind && row["amount"] == "77.00" && row["transfer_id"].is_null();
                rows().into_iter().filter(is_side).collect()
            };
            let body =
                json!({ "from_id": id(numbers.of(&side("expense"))?), "to_id": id(numbers.of(&side("income"))?) });
            ana.post(["/api/transfers/link", "/api/transfers/reject"][numbers.below(2)], body)
        }
        7 => {
            let sides: Vec<Value> = rows().into_iter().filter(|row| !row["transfer_id"].is_null()).collect();
            let path = format!("/api/transfers/{}", numbers.of(&sides)?["transfer_id"]);
            match numbers.below(2) {
                0 => ana.post_nothing(&format!("{path}/unlink")),
                _ => ana.delete(&path),
            }
        }
        8 => ana.post("/api/transfers/detect", json!({})),
        9 => {
            let path = format!("/api/accounts/{account}/anchors/{day}");
            match numbers.below(4) {
                0 => ana.delete(&path),
                1 => ana.post_nothing(&format!("{path}/adjust")),
                _ => ana.put(&path, json!({ "amount": amount })),
            }
        }
        10 => {
            let month = ["2026-02", "2026-03"][numbers.below(2)];
            match numbers.below(3) {
                0 => ana.post(&format!("/api/budgets/{month}/fill"), json!({ "from": "average3" })),
                1 => {
                    let none = json!({ "budgets": [{ "category_id": house.food, "amount": null }] });
                    ana.put(&format!("/api/budgets/{month}"), none)
                }
                _ => {
                    let both = json!({ "budgets": [{ "category_id": house.food, "amount": amount }, { "category_id": house.home, "amount": "9" }] });
                    ana.put(&format!("/api/budgets/{month}"), both)
                }
            }
        }
        11 => {
            let bill = numbers.of(&list("/api/credit-bills"))?.clone();
            let due = bill["due_date"].as_str().unwrap();
            let moved = format!("{}{:02}", &due[..8], 3 + numbers.below(5));
            ana.put(&format!("/api/credit-bills/{}", id(&bill)), json!({ "due_date": moved }))
        }
        12 => {
            let own = named("/api/accounts", 'A');
            match (numbers.below(3), numbers.of(&own)) {
                (0, Some(one)) => {
                    house.put(&format!("/api/accounts/{}", id(one)), &[("name", json!(format!("A{step}")))])
                }
                (1, Some(one)) => ana.delete(&format!("/api/accounts/{}", id(one))),
                _ => {
                    let body = json!({ "name": format!("A{step}"), "kind": "current", "balance_today": amount });
                    ana.post("/api/accounts", body)
                }
            }
        }
        13 => {
            let own = named("/api/rules", 'R');
            let path = format!("/api/rules/{}", id(numbers.of(&own)?));
            match numbers.below(2) {
                0 => house.put(
                    &path,
                    &[("conditions", json!([{ "field": "description", "op": "contains", "value": amount }]))],
                ),
                _ => ana.delete(&path),
            }
        }
        14 => {
            let body = json!({ "type": "expense", "description": format!("W{step}"), "amount": amount, "category_id": house.home,
                "account_id": house.bank, "every": { "n": 1, "unit": "week" }, "start_on": "2026-03-02" });
            ana.post("/api/recurring", body)
        }
        15 => {
            let own = named("/api/recurring?month=2026-03", ['W', 'R'][numbers.below(2)]);
            let item = numbers.of(&own)?;
            let path = format!("/api/recurring/{}", id(item));
            let due = item["occurrences"].as_array().and_then(|dues| numbers.of(dues))?["due"].as_str()?.to_string();
            match numbers.below(5) {
                0 => house.put(&path, &[("amount", json!(amount))]),
                1 => ana.delete(&path),
                2 => ana.post_nothing(&format!("{path}/unlink?due={due}")),
                3 => {
                    let expenses: Vec<Value> = rows().into_iter().filter(|row| row["type"] == "expense").collect();
                    let row = id(numbers.of(&expenses)?);
                    ana.post(&format!("{path}/link?due={due}"), json!({ "transaction_ids": [row] }))
                }
                _ => {
                    let action = ["late", "unlate", "ignore", "unignore"][numbers.below(4)];
                    ana.post_nothing(&format!("{path}/{action}?due={due}"))
                }
            }
        }
        _ => {
            let rows: Vec<Value> = rows().into_iter().filter(|row| row["source"] == "manual").collect();
            let row = numbers.of(&rows)?;
            let lines = json!([{ "category_id": house.food, "amount": "0.40" }, { "category_id": house.home, "amount": "0.60" }]);
            let change =
                [("amount", json!("1.00")), ("category_id", Value::Null), ("lines", lines), ("tags", json!(["a"]))];
            house.put(&format!("/api/transactions/{}", id(row)), &change)
        }
    })
}

/// One random write. None: there was nothing to write on.
fn write(house: &House, numbers: &mut Numbers, step: usize, is_further: bool) -> Option<Reply> {
    if is_further && numbers.below(2) == 0 {
        return write_further(house, numbers, step);
    }
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
fn history(house: &House, numbers: &mut Numbers, steps: usize, is_further: bool) -> Vec<(i64, Value)> {
    let mut made = Vec::new();
    for step in 0..steps {
        let before = books(&house.ana);
        let Some(reply) = write(house, numbers, step, is_further) else { continue };
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

fn undone_in_reverse(seeds: &[u64], is_further: bool) {
    for seed in seeds {
        let house = House::new();
        for (change, before) in history(&house, &mut Numbers(*seed), 40, is_further).into_iter().rev() {
            let shown = house.ana.get(&format!("/api/changes/{change}")).ok();
            let reply = undo(&house.ana, change);
            assert_eq!(reply.status, 200, "seed {seed}: {shown} {reply:?}");
            let (before, now) = (without_empty_bills(before), without_empty_bills(books(&house.ana)));
            assert_same(&format!("seed {seed}: {} of {change}", shown["kind"]), &before, &now);
            assert_sums(&house.app);
        }
    }
}

#[test]
fn random_writes_are_undone_in_reverse_order_step_by_step() {
    undone_in_reverse(&[7, 20, 41], false);
}

#[test]
fn random_writes_of_further_nouns_are_undone_in_reverse_order_step_by_step() {
    undone_in_reverse(&SEEDS, true);
}

/// Undoes random writes in any order.
fn undone_in_any_order(seeds: &[u64], is_further: bool) {
    for seed in seeds {
        let house = House::new();
        let mut numbers = Numbers(*seed);
        let mut left: Vec<i64> =
            history(&house, &mut numbers, 40, is_further).into_iter().map(|(change, _)| change).collect();
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
                let shown = house.ana.get(&format!("/api/changes/{change}"));
                assert_eq!((reply.status, blocked), (200, json!([])), "seed {seed}: {} {shown:?}", reply.json());
            }
            assert_sums(&house.app);
        }
        assert!(refused > 0, "seed {seed}");
    }
}

#[test]
fn random_writes_are_undone_in_any_order_or_say_what_is_in_the_way() {
    undone_in_any_order(&[3, 11], false);
}

#[test]
fn random_writes_of_further_nouns_are_undone_in_any_order_or_say_what_is_in_the_way() {
    undone_in_any_order(&SEEDS, true);
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
