//! What an upgrade changed on the bills of cards is told once.

use finance_domain::credentials::Role;
use finance_tests::{Client, TestApp};
use serde_json::{Value, json};
use time::macros::date;

use super::{account, put};

/// Stores what an earlier release showed as due on the bill that is due on a date, as migration 0073 does.
fn showed(app: &TestApp, card: i64, due: &[(&str, &str)]) {
    for (date, amount) in due {
        app.sql(&format!(
            "update credit_bills set due_before = {amount} where account_id = {card} and due_date = '{date}'"
        ));
    }
    app.sql(&format!("update accounts set payments_stale = true, bills_complete_until = null where id = {card}"));
    app.sql("update profiles set upkept_on = null");
}

fn bill(client: &Client, card: i64) -> Value {
    let of = |accounts: &Value| -> Value {
        let accounts = accounts.as_array().unwrap();
        accounts.iter().find(|account| account["id"] == card).unwrap()["changed_bill"].clone()
    };
    let dashboard = client.get("/api/dashboard").ok();
    let listed = client.get("/api/accounts").ok();
    assert_eq!(of(&dashboard["accounts"]), of(&listed));
    assert_eq!(account(client, card)["changed_bill"], of(&listed));
    of(&listed)
}

#[test]
fn what_an_upgrade_changed_is_told_until_it_was_read() {
    let app = TestApp::start();
    app.clock.set_today(date!(2026 - 03 - 10));
    let (ana, eva) = (app.user("ana"), app.user("eva"));
    let bia = app.member(&ana, "bia", Role::Viewer);
    let [credit, rest, same] = ["Um", "Dois", "Três"].map(|name| ana.open_card(name, 25, 5));
    let evas = eva.open_card("Um", 25, 5);
    for (client, card) in [(&ana, credit), (&eva, evas)] {
        put(client, card, "2026-02-10", "income", "500.00");
        put(client, card, "2026-03-02", "expense", "200.00");
    }
    put(&ana, rest, "2026-01-10", "expense", "100.00");
    put(&ana, rest, "2026-02-10", "expense", "40.00");
    put(&ana, same, "2026-03-02", "expense", "60.00");
    for card in [credit, rest, same] {
        assert_eq!(bill(&ana, card), Value::Null, "nothing was upgraded");
    }
    showed(&app, credit, &[("2026-03-05", "-500.00"), ("2026-04-05", "200.00")]);
    showed(&app, evas, &[("2026-03-05", "-500.00"), ("2026-04-05", "200.00")]);
    showed(&app, rest, &[("2026-02-05", "100.00"), ("2026-03-05", "40.00"), ("2026-04-05", "0.00")]);
    showed(&app, same, &[("2026-04-05", "60.00")]);
    let of_credit = json!({ "due_date": "2026-04-05", "before": "200.00", "after": "-300.00" });
    let of_rest = json!({ "due_date": "2026-03-05", "before": "40.00", "after": "140.00" });
    for client in [&ana, &bia] {
        assert_eq!(bill(client, credit), of_credit);
        assert_eq!(bill(client, rest), of_rest, "the open bill is the same, so the one that closed before it is told");
        assert_eq!(bill(client, same), Value::Null);
    }
    assert_eq!(bill(&eva, evas), of_credit);
    // Later writes do not change what the upgrade changed.
    put(&ana, credit, "2026-03-09", "expense", "10.00");
    app.clock.set_today(date!(2026 - 03 - 26));
    assert_eq!(bill(&ana, credit), of_credit);
    assert_eq!(account(&ana, credit)["current_bill"]["amount_due"], "-290.00");
    let kept = format!("select id from credit_bills where due_before is not null and account_id <> {evas}");
    assert_eq!(app.rows(&kept), [] as [Value; 0]);

    bia.delete("/api/credit-bills/changed").problem(403, "ErrNotAllowed");
    let tag = ana.get("/api/accounts").header("ETag").unwrap().to_string();
    ana.delete("/api/credit-bills/changed").gone();
    assert_ne!(ana.get("/api/accounts").header("ETag"), Some(tag.as_str()));
    for card in [credit, rest, same] {
        assert_eq!(bill(&ana, card), Value::Null);
    }
    // For good, and only in this profile. Doing it again changes nothing.
    ana.delete("/api/credit-bills/changed").gone();
    put(&ana, rest, "2026-03-09", "expense", "10.00");
    assert_eq!(bill(&ana, rest), Value::Null);
    assert_eq!(bill(&eva, evas), of_credit);
}
