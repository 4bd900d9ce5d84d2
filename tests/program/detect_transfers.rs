//! `finance detect-transfers`.

use std::process::Output;

use finance_tests::{Client, Program, ScratchDir, TestApp};
use serde_json::json;

use crate::outcome::{printed, refused};

/// Enters a card's payment and the account's expense by hand, so they are not linked, as in releases that did not link the
/// rows of statements.
fn pay(client: &Client) {
    let (account, card) = (client.open_account("Conta", "current"), client.open_card("Cartão", 25, 5));
    for (kind, account, description) in
        [("income", card, "Pagamento recebido"), ("expense", account, "PAGAMENTO FATURA")]
    {
        let body = json!({ "type": kind, "date": "2026-03-05", "description": description, "amount": "90",
            "account_id": account });
        client.post("/api/transactions", body).created();
    }
}

#[test]
fn transfers_are_linked_for_one_user_or_for_all() {
    let app = TestApp::start();
    let scratch = ScratchDir::new();
    let [ana, bia, caio] = ["ana", "bia", "caio"].map(|name| app.user(name));
    for client in [&ana, &bia, &caio] {
        pay(client);
    }
    let run = |arguments: &[&str]| -> Output {
        let mut command = Program::command(scratch.path());
        command.env("DATABASE_URL", app.database_url()).env("FINANCE_TODAY", "2026-03-15").env("RUST_LOG", "warn");
        command.args(arguments).stdin(std::process::Stdio::null()).output().expect("the program runs")
    };
    let income = |client: &Client| client.get("/api/dashboard?month=2026-03").ok()["income"].clone();
    let output = printed(&run(&["detect-transfers", "--name", "ana", "--dry-run"]));
    assert_eq!(output, "ana: 1 would be linked, 0 suggested; nothing was saved\n");
    assert_eq!(income(&ana), "90.00");
    assert_eq!(printed(&run(&["detect-transfers", "--name", "ANA"])), "ANA: 1 linked, 0 suggested\n");
    assert_eq!((income(&ana), income(&bia)), (json!("0.00"), json!("90.00")));
    printed(&run(&["disable-user", "--name", "caio"]));
    let output = printed(&run(&["detect-transfers", "--all"]));
    assert_eq!(output, "ana: 0 linked, 0 suggested\nbia: 1 linked, 0 suggested\ncaio: disabled, skipped\n");
    assert_eq!(income(&bia), "0.00");
    for wrong in [&["detect-transfers"][..], &["detect-transfers", "--all", "--name", "ana"]] {
        assert!(refused(&run(wrong)).contains("either --name or --all"));
    }
    assert!(refused(&run(&["detect-transfers", "--name", "nobody"])).contains("nobody"));
}
