//! Two hundred cards with two hundred purchases each.

use finance_tests::{TestApp, cents};
use serde_json::{Value, json};
use time::macros::date;

#[test]
fn as_many_plans_as_a_profile_may_come_to_are_all_foreseen() {
    const CARDS: usize = 200;
    const PLANS: usize = 200;
    let app = TestApp::start();
    app.clock.set_today(date!(2026 - 03 - 10));
    let ana = app.user("ana");
    let cards: Vec<i64> = (0..CARDS)
        .map(|at| {
            let card = json!({ "name": format!("Cartão {at:03}"), "kind": "credit", "closing_day": 25, "due_day": 5,
                "credit_limit": "5000.00" });
            ana.create("/api/accounts", card)
        })
        .collect();
    // The first of twelve instalments of 1.00, as an import of a statement stores them.
    app.sql(&format!(
        "insert into transactions (profile_id, kind, account_id, date, source, description, description_normalized, amount,
            installment_number, installment_count, installment_shop)
        select a.profile_id, 'expense', a.id, '2026-03-02', 'ofx', 'Loja ' || n || ' - Parcela 1/12',
            'loja ' || n || ' - parcela 1/12', 1.00, 1, 12, 'loja ' || n
        from accounts a, generate_series(1, {PLANS}) as n
        where a.kind = 'credit'
        order by a.id, n"
    ));
    app.rebuild_sums();
    // Autovacuum does this some moments later. Without it, the rows of each shop are searched among all rows of their card.
    app.sql("analyze transactions");

    // Each card has its plans, in its own answer and in the pages of all plans.
    for card in [cards[0], cards[CARDS / 2], cards[CARDS - 1]] {
        let plans = ana.get(&format!("/api/installments?account_id={card}&limit=1000")).ok();
        let plans = plans.as_array().unwrap();
        assert_eq!(plans.len(), PLANS);
        for plan in plans {
            assert_eq!(
                (&plan["account_id"], &plan["number"], &plan["remaining"]),
                (&json!(card), &json!(1), &json!(11))
            );
        }
    }
    let first = ana.get("/api/installments?limit=1000");
    let next = ana.get(first.next().expect("there are more"));
    let ids =
        |page: &Value| page.as_array().unwrap().iter().map(|plan| plan["id"].as_i64().unwrap()).collect::<Vec<_>>();
    let (first, next) = (ids(&first.json()), ids(&next.json()));
    assert_eq!((first.len(), next.len()), (1_000, 1_000));
    assert!(first.iter().min() > next.iter().max(), "newest first, and none twice");

    // The instalments to come of all plans are on the bills, in the limits and in the forecast.
    let upcoming = ana.get("/api/credit-bills/upcoming?months=24").ok();
    let upcoming = upcoming.as_array().unwrap();
    assert_eq!(upcoming.len(), CARDS * 24);
    for bill in upcoming {
        let due = bill["due_date"].as_str().unwrap();
        let (posted, to_come) = match due {
            "2026-04-05" => (200, 0),
            _ if due <= "2027-03-05" => (0, 200),
            _ => (0, 0),
        };
        assert_eq!((cents(&bill["posted"]), cents(&bill["installments"])), (posted * 100, to_come * 100), "{bill}");
    }
    for account in ana.get("/api/accounts").ok().as_array().unwrap() {
        assert_eq!(account["available_limit"], "2600.00", "5000.00 without twelve times 200.00");
    }
    let forecast = ana.get("/api/forecast?months=13").ok();
    let card_bills: Vec<&Value> =
        forecast["months"].as_array().unwrap().iter().map(|month| &month["card_bills"]).collect();
    let mut expected = vec!["40000.00"; 13];
    expected[0] = "0.00";
    assert_eq!(card_bills, expected);
    assert!(forecast["events"].as_array().unwrap().len() <= 2_000);
}
