//! One line on the command line: the operator and a token save the same.

use std::process::Output;

use finance_tests::{Client, Program, ScratchDir, TestApp};
use serde_json::json;

use crate::outcome::{printed, refused};

fn add(app: &TestApp, scratch: &ScratchDir, token: Option<&str>, arguments: &[&str]) -> Output {
    let mut command = Program::command(scratch.path());
    match token {
        Some(token) => command.env("FINANCE_TOKEN", token).env("FINANCE_URL", format!("http://{}/", app.address())),
        None => command.env("DATABASE_URL", app.database_url()).env("FINANCE_TODAY", "2026-03-15"),
    };
    command.env("RUST_LOG", "warn").current_dir(scratch.path()).arg("add").args(arguments);
    command.stdin(std::process::Stdio::null()).output().expect("the program runs")
}

/// The printed text without the ids, which differ between profiles.
fn without_ids(text: &str) -> String {
    text.split(' ').map(|word| if word.trim_end_matches(':').parse::<i64>().is_ok() { "N" } else { word }).collect()
}

fn household(app: &TestApp, name: &str) -> Client {
    let client = app.user(name);
    client.open_account("Banco", "current");
    client.open_account("Poupança", "savings");
    client.open_card("Cartão", 25, 5);
    client
}

#[test]
fn a_token_that_enters_saves_what_the_operator_saves() {
    let (app, scratch) = (TestApp::start(), ScratchDir::new());
    std::fs::create_dir_all(scratch.path()).expect("a directory");
    let (ana, bia) = (household(&app, "ana"), household(&app, "bia"));
    let made = bia.post("/api/tokens", json!({ "name": "t", "scopes": ["enter"] })).created();
    let token = made["token"].as_str().expect("a token").to_string();
    let rows = |client: &Client| client.all("/api/transactions").len();
    for (text, expected) in [
        (&["mercado 54,90 ontem"][..], "54.90, 2026-03-14, Mercado"),
        (&["pão 8 no banco #casa"], ": 8.00, 2026-03-15, Pão, no banco, #casa\n"),
        (
            &["tv", "300", "em", "3x", "no", "cartão"],
            "a purchase in 3 instalments: 100.00 each, 2026-03-15, Tv, no cartão\n",
        ),
        (&["transferi 10 do banco para poupança"], "10.00, 2026-03-15, Transferência, do banco, para poupança\n"),
    ] {
        let before = rows(&ana);
        let dry: Vec<&str> = ["--dry-run"].into_iter().chain(text.iter().copied()).collect();
        let named: Vec<&str> = ["--name", "ana"].into_iter().chain(text.iter().copied()).collect();
        let named_dry: Vec<&str> = ["--name", "ana", "--dry-run"].into_iter().chain(text.iter().copied()).collect();
        let would = printed(&add(&app, &scratch, None, &named_dry));
        assert!(would.contains("nothing was saved"), "{would}");
        assert_eq!(printed(&add(&app, &scratch, Some(&token), &dry)), would);
        assert_eq!((rows(&ana), rows(&bia)), (before, before));
        let direct = printed(&add(&app, &scratch, None, &named));
        assert!(direct.contains(expected), "{direct}");
        let by_token = printed(&add(&app, &scratch, Some(&token), text));
        assert_eq!(without_ids(&by_token), without_ids(&direct));
        assert!(rows(&ana) > before);
        assert_eq!(rows(&ana), rows(&bia));
    }
    let before = rows(&ana);
    for (text, expected) in [
        ("posto 7 120", "amount is missing (7.00 or 120.00)"),
        ("pizza 50 no dólar 5 dólares", "amount is missing"),
        ("transferi 10 para poupança", "from_account_id is missing"),
        ("34191.79001 01043.510047 91020.150008 8 95870000012345", "a boleto or a Pix code"),
        ("paguei a fatura", "bill_id is missing"),
    ] {
        for (token, arguments) in [(None, vec!["--name", "ana", text]), (Some(token.as_str()), vec![text])] {
            let line = refused(&add(&app, &scratch, token, &arguments));
            assert!(line.contains(expected) && line.contains("nothing was saved"), "{line}");
        }
    }
    assert!(refused(&add(&app, &scratch, None, &["--name", "ana"])).contains("which line?"));
    assert!(refused(&add(&app, &scratch, None, &["pão 5"])).contains("whose is it?"));
    assert_eq!((rows(&ana), rows(&bia)), (before, before));
}
