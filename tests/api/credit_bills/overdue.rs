//! Bills that were not paid in full: what banks post of the rest. The card closes on the 25th and is due on the 5th.

use finance_tests::{Client, TestApp};
use serde_json::{Value, json};
use time::macros::date;

use super::{account, due};

/// Income and expenses of March.
fn march(client: &Client) -> [Value; 2] {
    let month = client.get("/api/dashboard?month=2026-03").ok();
    [month["income"].clone(), month["expenses"].clone()]
}

#[test]
fn a_debt_that_a_file_carries_is_neither_income_nor_spending() {
    let app = TestApp::start();
    app.clock.set_today(date!(2026 - 03 - 26));
    for (at, [debt, twin]) in [
        ["Saldo em atraso", "Crédito de atraso"],
        ["Saldo em rotativo", "Crédito de rotativo"],
        ["Encerramento de dívida", "Juros de dívida encerrada"],
    ]
    .into_iter()
    .enumerate()
    {
        let client = app.user(&format!("user-{at}"));
        let card = client.open_card("Cartão", 25, 5);
        let first = "date,title,amount\n2026-02-10,LOJA,456.02\n";
        client.import(Some(card), first.as_bytes()).created();
        let file = format!(
            "date,title,amount\n2026-03-06,{debt},456.02\n2026-03-06,{twin},-456.02\n2026-03-06,Multa de atraso,9.12\n\
             2026-03-10,MERCADO,50.00\n"
        );
        let preview = client.preview_with(file.as_bytes(), &[("account_id", &card.to_string())]).ok();
        let rejected: Vec<Value> =
            preview["rejected"].as_array().unwrap().iter().map(|row| json!([row["line"], row["code"]])).collect();
        assert_eq!(json!(rejected), json!([[2, "carried_balance"], [3, "carried_balance"]]), "{debt}");
        assert_eq!(client.import(Some(card), file.as_bytes()).created()["inserted"], 2, "{debt}");
        assert_eq!(march(&client), ["0.00", "59.12"], "{debt}");
        // It is owed once: the ledger carries it.
        assert_eq!(due(&client, card), [("2026-04-05".to_string(), "515.14".to_string())], "{debt}");
        assert_eq!(account(&client, card)["balance"], "-515.14", "{debt}");
        let open = client.all(&format!("/api/credit-bills?account_id={card}"));
        let april = open.iter().find(|bill| bill["due_date"] == "2026-04-05").unwrap();
        assert_eq!((&april["previous"], &april["total"]), (&json!("456.02"), &json!("59.12")), "{debt}");
        assert_eq!(client.import(Some(card), file.as_bytes()).created()["inserted"], 0, "{debt}");
    }
}

#[test]
fn a_bill_that_is_split_into_instalments_is_paid_and_its_instalments_are_a_plan() {
    let app = TestApp::start();
    app.clock.set_today(date!(2026 - 03 - 26));
    for (at, name) in ["Crédito de parcelamento", "CREDITO DE PARCELAMENTO DE FATURA"].into_iter().enumerate() {
        let client = app.user(&format!("user-{at}"));
        let card = client.create(
            "/api/accounts",
            json!({ "name": "Cartão", "kind": "credit", "closing_day": 25, "due_day": 5, "credit_limit": "5000" }),
        );
        let file = format!(
            "date,title,amount\n2026-02-10,LOJA,1200.00\n2026-03-05,Pagamento recebido,-200.00\n\
             2026-03-05,{name},-1000.00\n2026-03-06,Parcelamento de fatura - Parcela 1/6,190.00\n"
        );
        client.import(Some(card), file.as_bytes()).created();
        assert_eq!(due(&client, card), [("2026-04-05".to_string(), "190.00".to_string())], "{name}");
        assert_eq!(march(&client), ["0.00", "190.00"], "{name}");
        let shown = account(&client, card);
        assert_eq!((&shown["balance"], &shown["available_limit"]), (&json!("-190.00"), &json!("3860.00")), "{name}");
        let bills = client.all(&format!("/api/credit-bills?account_id={card}"));
        let first = bills.iter().find(|bill| bill["due_date"] == "2026-03-05").unwrap();
        assert_eq!(
            (&first["statement"], &first["paid_amount"], &first["carried"], &first["status"]),
            (&json!("1200.00"), &json!("1200.00"), &json!("0.00"), &json!("paid")),
            "{name}"
        );
        let plans = client.get("/api/installments").ok();
        assert_eq!(
            (&plans[0]["number"], &plans[0]["count"], &plans[0]["remaining"]),
            (&json!(1), &json!(6), &json!(5)),
            "{name}"
        );
    }
}
