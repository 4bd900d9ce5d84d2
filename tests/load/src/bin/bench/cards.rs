//! What the ledger of a card costs: reads and writes of a card with ten years of bills, compared with one with a year of them, and
//! the confirm of a card's statement, compared with an account's.

use finance_tests::Client;
use serde_json::{Value, json};

use crate::Plan;
use crate::data::Household;
use crate::load::Ask;
use crate::report::{Report, Target, median};
use crate::requests::{dashboard_path, insert_again};
use crate::stage::Stage;

/// The number of bills of the compared cards.
const BILLS: [i32; 2] = [120, 12];
/// Rows of each month. One in five is on the card.
const ROWS_A_MONTH: usize = 100;
/// Rows of a confirmed file.
const ROWS: usize = 10_000;
/// Payments of a card in a file of an account, one a month.
const PAYMENTS: usize = 120;

/// A profile whose card has so many bills, each of them paid in part.
struct Card {
    household: Household,
    id: i64,
    client: Client,
}

pub(crate) fn measure(stage: &Stage, plan: &Plan, report: &mut Report) {
    let [long, short] = BILLS.map(|bills| settle(stage, bills));
    stage.admin("vacuum analyze");
    let get = |path: &str| Ask::Get(path.to_string());
    for (name, ask) in [
        ("dashboard", get(&dashboard_path())),
        ("last 12 bills", get("/api/credit-bills?limit=12")),
        ("accounts", get("/api/accounts")),
        ("forecast", get("/api/forecast")),
        ("insert on the card", insert_again()),
    ] {
        let cost = stage.compared(plan, (&ask, &on_card(&long)), (&ask, &on_card(&short)));
        report.add(
            format!("{name}, a card of {} bills for {}", BILLS[0], BILLS[1]),
            Some(cost.0 / cost.1),
            Some(Target::AtMost(1.5)),
            &[("processor µs", cost.0), ("with few bills", cost.1)],
        );
    }
    let cost = stage.compared(plan, (&insert_again(), &on_card(&short)), (&insert_again(), &short.household));
    report.add(
        "insert on a card, of one on an account",
        Some(cost.0 / cost.1),
        Some(Target::AtMost(1.05)),
        &[("processor µs", cost.0), ("on an account", cost.1)],
    );
    confirms(stage, plan, report, &short);
}

fn on_card(card: &Card) -> Household {
    Household { account: card.id, ..card.household.clone() }
}

/// Confirms of [`ROWS`] rows: purchases on a card, purchases on an account, and an account's file that also has payments of the card.
fn confirms(stage: &Stage, plan: &Plan, report: &mut Report, of: &Card) {
    let mut costs: [Vec<f64>; 3] = Default::default();
    for round in 0..plan.files {
        let sides = [(of.id, false), (of.household.account, false), (of.household.account, true)];
        for (side, (account, pays)) in sides.into_iter().enumerate() {
            let body = json!({ "account_id": account, "file_name": "extrato.ofx", "format": "ofx",
                "rows": rows(round * sides.len() + side, pays) });
            let (confirmed, cost) = stage.spent(|| of.client.post("/api/import/confirm", body).created());
            assert_eq!(confirmed["inserted"], json!(ROWS));
            costs[side].push(cost / ROWS as f64);
        }
    }
    let [card, account, paying] = costs.map(median);
    report.add(
        "confirm of 10,000 rows on a card, of an account",
        Some(card / account),
        Some(Target::AtMost(1.1)),
        &[("processor µs a row", card), ("on an account", account)],
    );
    report.add(
        "  of an account, 120 of them payments of the card",
        Some(paying / account),
        Some(Target::AtMost(1.1)),
        &[("processor µs a row", paying), ("without", account)],
    );
}

/// Rows of a year. With `pays`, [`PAYMENTS`] of them are payments of a card, of equal amounts in pairs.
fn rows(file: usize, pays: bool) -> Vec<Value> {
    let row = |at: usize| {
        let date = format!("2025-{:02}-{:02}", 1 + at % 12, 1 + at / 12 % 28);
        let (text, amount) = match pays && at.is_multiple_of(ROWS / PAYMENTS) && at / (ROWS / PAYMENTS) < PAYMENTS {
            true => ("PAGAMENTO FATURA CARTAO".to_string(), format!("{}.{file:02}", 1_000 + at / 2 % 7)),
            false => (format!("COMPRA LOJA {file}X{at}"), format!("{}.{:02}", 1 + at * 37 % 900, at % 100)),
        };
        json!({ "date": date, "type": "expense", "description": text, "amount": amount,
            "external_id": format!("C{file}-{at}") })
    };
    (0..ROWS).map(row).collect()
}

/// Creates a profile, and pays a part of each bill of its card.
fn settle(stage: &Stage, bills: i32) -> Card {
    let household = stage.load(&format!("bills{bills}-"), ROWS_A_MONTH * bills.unsigned_abs() as usize, bills);
    let client = stage.program.client().with_token(&household.token);
    let accounts = client.get("/api/accounts").ok();
    let card = accounts.as_array().unwrap().iter().find(|account| account["kind"] == "credit").unwrap();
    let id = card["id"].as_i64().unwrap();
    let stored = client.get("/api/credit-bills?limit=1000").ok();
    for bill in stored.as_array().unwrap().iter().rev() {
        // A bill of the future is not paid.
        let Some(date) = bill["due_date"].as_str().filter(|date| *date <= "2026-03-15") else { continue };
        let body = json!({ "from_account_id": household.account, "to_account_id": id, "date": date,
            "amount": "500.00", "description": "Pagamento" });
        client.post("/api/transfers", body).created();
    }
    Card { household, id, client }
}
