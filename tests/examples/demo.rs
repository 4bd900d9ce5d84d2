//! `just demo`: a service on a throw-away directory, a bank statement imported through the public
//! API, and the dashboard for a person to read.
#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a demonstration that cannot go on stops")]

use std::io::IsTerminal;

use finance_tests::{Client, Program};
use serde_json::{Value, json};

const STATEMENT: &[u8] = include_bytes!("../fixtures/three_months.ofx");
/// The statement ends here, so this is the demonstration's today.
const TODAY: &str = "2026-03-31";
const MONTH: &str = "2026-03";
/// What a person would file each description under.
const CATEGORIES: [(&str, &str); 15] = [
    ("SALARIO", "Salário"),
    ("ALUGUEL", "Moradia"),
    ("CONDOMINIO", "Moradia"),
    ("CONTA DE", "Moradia"),
    ("INTERNET", "Assinaturas"),
    ("STREAMING", "Assinaturas"),
    ("SUPERMERCADO", "Mercado"),
    ("PADARIA", "Mercado"),
    ("METRÔ", "Transporte"),
    ("RESTAURANTE", "Restaurantes"),
    ("PIZZARIA", "Restaurantes"),
    ("DARF", "Impostos"),
    ("IPVA", "Impostos"),
    ("FARMÁCIA", "Saúde"),
    ("ESCOLA", "Educação"),
];

fn main() {
    let data_dir = std::env::temp_dir().join(format!("finance-demo-{}", std::process::id()));
    std::fs::create_dir_all(&data_dir).expect("a directory");
    println!("\nA service on a throw-away directory, with today frozen at {TODAY}:\n");
    let created = Program::run(&data_dir, &["create-user", "--name", "ana", "--password", "correct horse"]);
    assert!(created.status.success(), "{}", String::from_utf8_lossy(&created.stderr));
    print!("  $ finance create-user --name ana\n  {}", String::from_utf8_lossy(&created.stdout));
    let program = Program::start(Program::command(&data_dir).env("FINANCE_TODAY", TODAY));
    println!(
        "  $ finance serve\n  listening on {}, {} ms after its start\n",
        program.url(),
        program.started_in.as_millis()
    );
    let ana = program.login("ana", "correct horse");
    import(&ana);
    show(&ana.get(&format!("/api/dashboard?month={MONTH}")).ok());
    println!("\nGo on with:\n");
    println!("  export FINANCE={} TOKEN={}", program.url(), ana.token());
    println!("  curl -H \"Authorization: Bearer $TOKEN\" \"$FINANCE/api/transactions?month={MONTH}&limit=5\"");
    println!("  open {}/docs in a browser; log in as ana, with the password correct horse\n", program.url());
    if std::io::stdin().is_terminal() {
        println!("Press Enter to stop; everything in {} is deleted then.", data_dir.display());
        let _ = std::io::stdin().read_line(&mut String::new());
    }
    drop(program);
    std::fs::remove_dir_all(&data_dir).expect("the directory is deleted");
}

fn import(ana: &Client) {
    let account = json!({ "name": "Conta corrente", "kind": "current", "opening_balance": "2300.00", "opening_date": "2025-12-31" });
    let account_id = ana.post("/api/accounts", account).created()["id"].as_i64();
    let categories = ana.get("/api/categories").ok();
    let category_id = |name: &str| {
        let found = categories.as_array().unwrap().iter().find(|category| category["name"] == name);
        found.map_or(Value::Null, |category| category["id"].clone())
    };
    for (name, budget) in [("Mercado", "1200.00"), ("Restaurantes", "200.00")] {
        let body = json!({ "name": name, "monthly_budget": budget });
        ana.put(&format!("/api/categories/{}", category_id(name)), body).ok();
    }
    let preview = ana.preview(STATEMENT).ok();
    let summary = &preview["summary"];
    println!("Preview of a bank statement of three months (OFX):");
    println!(
        "  {} rows, {} new, income {}, expenses {}",
        summary["rows"],
        summary["new"],
        text(&summary["income"]),
        text(&summary["expenses"])
    );
    let mut rows = preview["rows"].clone();
    for row in rows.as_array_mut().unwrap() {
        let description = row["description"].as_str().unwrap();
        let known = CATEGORIES.iter().find(|(part, _)| description.contains(part));
        row["category_id"] = known.map_or(Value::Null, |(_, name)| category_id(name));
    }
    let body = json!({ "account_id": account_id, "file_name": "extrato.ofx", "format": "ofx", "rows": rows });
    let imported = ana.post("/api/import/confirm", body).created();
    println!("Confirmed: {} transactions inserted.", imported["inserted"]);
    let again = ana.import(account_id, STATEMENT).created();
    println!(
        "Confirmed once more: {} inserted, {} found to be duplicates.\n",
        again["inserted"],
        again["skipped"].as_array().unwrap().len()
    );
}

fn show(dashboard: &Value) {
    let percent = |value: &Value| if value.is_null() { "-".to_string() } else { format!("{value} %") };
    println!("{:=<64}", format!("== Dashboard of {} ", text(&dashboard["month"])));
    for (label, key) in
        [("Income", "income"), ("Expenses", "expenses"), ("  of which taxes", "taxes"), ("Net worth", "net_worth")]
    {
        println!("  {label:<28}{:>14}", text(&dashboard[key]));
    }
    println!(
        "  {:<28}{:>14}  (goal {})",
        "Saved",
        percent(&dashboard["savings_pct"]),
        percent(&dashboard["savings_goal_pct"])
    );
    println!("\n  Spent on");
    for spending in dashboard["spending_by_category"].as_array().unwrap() {
        let name = spending["name"].as_str().unwrap_or("(no category)");
        let budget = spending["monthly_budget"].as_str().map_or(String::new(), |budget| format!("  of {budget}"));
        println!("    {name:<26}{:>14}{budget}", text(&spending["total"]));
    }
    println!("\n  Month          Income      Expenses    Saved");
    for month in dashboard["evolution"].as_array().unwrap() {
        println!(
            "    {}{:>14}{:>14}{:>9}",
            text(&month["month"]),
            text(&month["income"]),
            text(&month["expenses"]),
            percent(&month["savings_pct"])
        );
    }
    println!("\n  Last transactions");
    for transaction in dashboard["last_transactions"].as_array().unwrap() {
        let sign = if transaction["type"] == "expense" { "-" } else { "+" };
        let description: String = text(&transaction["description"]).chars().take(32).collect();
        println!(
            "    {}  {description:<32}{:>14}",
            text(&transaction["date"]),
            format!("{sign}{}", text(&transaction["amount"]))
        );
    }
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
