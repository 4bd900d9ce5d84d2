//! `finance demo`: a service on a temporary directory, a bank statement imported through the public API, and the dashboard of a
//! month as text.

mod dashboard;

use std::fs::File;
use std::io::{self, IsTerminal, Write};
use std::net::SocketAddr;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::process::Command;
use std::sync::mpsc;
use std::thread;

use anyhow::{Context, Result, bail};
use finance_domain::accounts::AccountKind;
use finance_private_postgres::ClusterError;
use serde_json::{Value, json};
use time::Date;
use time::macros::date;
use tokio::sync::oneshot;

use crate::arguments::CreateUser;
use crate::client::{self, Client, text};
use crate::configuration::Configuration;
use crate::database::with_database;
use crate::output::say;
use crate::{serve, users};

const NAME: &str = "ana";
const PASSWORD: &str = "correct horse";
const STATEMENT: &[u8] = include_bytes!("../../../config/demo/three_months.ofx");
/// The statement of a card, with its payment.
const CARD_STATEMENT: &[u8] = include_bytes!("../../../config/demo/card.ofx");
/// A later statement of the account, with the payment of the card, and one row that the previous statement also has.
const PAYMENT_STATEMENT: &[u8] = include_bytes!("../../../config/demo/payment.ofx");
/// The day before the statement begins.
const OPENING_DATE: &str = "2025-12-31";
/// The last month of the statement.
const MONTH: &str = "2026-03";
/// The last day of that month. It is today in the demonstration unless `FINANCE_TODAY` sets another day.
const TODAY: Date = date!(2026 - 03 - 31);
/// `just` runs the same script.
const INSTALL_POSTGRESQL: &str = include_str!("demo/install_postgresql.sh");
/// The category for descriptions that contain a text.
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
const BUDGETS: [(&str, &str); 2] = [("Mercado", "1200.00"), ("Restaurantes", "200.00")];

/// Runs the demonstration. Installs PostgreSQL first if it is missing.
pub(crate) fn run(configuration: &Configuration) -> Result<()> {
    let directory = tempfile::Builder::new().prefix("finance-demo-").tempdir().context("a temporary directory")?;
    let configuration = throw_away(configuration, directory.path());
    say!("Starting a service on a private PostgreSQL in {}.", directory.path().display());
    // The database keeps running between the creation of the user and the start of the service.
    let demonstrated = match with_database(&configuration, |_| demonstrate(&configuration)) {
        Err(error) if is_postgresql_missing(&error) => {
            install_postgresql()?;
            with_database(&configuration, |_| demonstrate(&configuration))
        }
        demonstrated => demonstrated,
    };
    let removed = directory.close().context("the temporary directory cannot be removed");
    demonstrated.and(removed)
}

/// The configuration, without the settings that would reach permanent data.
fn throw_away(configuration: &Configuration, directory: &Path) -> Configuration {
    Configuration {
        database_url: None,
        database_replica_url: None,
        jwt_secret: None,
        data_dir: directory.to_owned(),
        backup_dir: None,
        bind: SocketAddr::from(([127, 0, 0, 1], 0)),
        metrics_bind: None,
        migrate_at_start: true,
        today: configuration.today.or(Some(TODAY)),
        ..configuration.clone()
    }
}

fn is_postgresql_missing(error: &anyhow::Error) -> bool {
    matches!(error.downcast_ref(), Some(ClusterError::PostgresMissing { .. }))
}

fn install_postgresql() -> Result<()> {
    let installed = Command::new("sh").args(["-c", INSTALL_POSTGRESQL]).status().context("sh cannot be run")?;
    if !installed.success() {
        bail!("PostgreSQL could not be installed: {installed}");
    }
    Ok(())
}

/// Creates the user and serves until the demonstration is finished, or Ctrl-C.
fn demonstrate(configuration: &Configuration) -> Result<()> {
    users::create(
        configuration,
        &CreateUser { name: NAME.to_string(), password: Some(PASSWORD.to_string()), link: false },
    )?;
    let (listening, address) = mpsc::channel();
    let (sender, outcome) = mpsc::channel();
    let (stop, stopped) = oneshot::channel::<()>();
    let (has_pages, header) = (configuration.web, configuration.data_dir.join("authorization"));
    // Not joined: after Ctrl-C the thread may still be reading from the terminal.
    thread::spawn(move || {
        // Without an address the service has failed and reports the reason.
        if let Ok(address) = address.recv() {
            let _ = sender.send(tell(address, &header, has_pages));
        }
        drop(stop);
    });
    let announce = |address| {
        let _ = listening.send(address);
    };
    serve::serve_until(configuration, finance_web::demonstration_routes, announce, async {
        tokio::select! {
            _ = stopped => {}
            () = serve::stop_signal() => {}
        }
    })?;
    // None if Ctrl-C came first.
    outcome.try_recv().unwrap_or(Ok(()))
}

/// The first steps of a user, and their results. The token goes into the file `header`: the arguments of a command can be read by
/// everybody on the machine.
fn tell(address: SocketAddr, header: &Path, has_pages: bool) -> Result<()> {
    say!("listening on http://{address}\n");
    let api = client::log_in(format!("http://{address}"), NAME, PASSWORD)?;
    import(&api)?;
    say!("{}", dashboard::table(&api.get(&format!("/api/dashboard?month={MONTH}"))?).trim_end());
    say!("\nContinue with:\n");
    write_header(header, api.token())?;
    say!("  curl -H @{} \"http://{address}/api/transactions?month={MONTH}&limit=5\"\n", header.display());
    say!("The profile is {NAME}, its password {PASSWORD:?}.\n");
    if has_pages {
        say!("The same dashboard as a web page, logged in:\n");
        say!("  {}\n", link(address));
    }
    if io::stdin().is_terminal() {
        say!("Press Enter or Ctrl-C to stop; everything above is deleted then.");
        io::stdin().read_line(&mut String::new()).context("the terminal cannot be read")?;
    }
    Ok(())
}

/// Writes the header that a request needs, readable by the user alone.
fn write_header(path: &Path, token: &str) -> Result<()> {
    let mut options = File::options();
    let file = options.write(true).create_new(true).mode(0o600).open(path);
    file.and_then(|mut file| writeln!(file, "Authorization: Bearer {token}"))
        .with_context(|| format!("{} cannot be written", path.display()))
}

/// The address of the pages with the login data. The data is in the fragment: browsers do not send it to a server, and the login
/// page removes it from the address. Only the pages of a demonstration use it.
fn link(address: SocketAddr) -> String {
    format!("http://{address}/login#name={NAME}&password={}", PASSWORD.replace(' ', "%20"))
}

/// Imports the statement, and imports it again to show that nothing is duplicated.
fn import(api: &Client) -> Result<()> {
    let account = json!({ "name": "Conta corrente", "kind": AccountKind::Current.as_str(), "opening_balance": "2300.00", "opening_date": OPENING_DATE });
    let account_id = api.post("/api/accounts", &account)?["id"].clone();
    let categories = api.get("/api/categories")?;
    let category_id = |name: &str| {
        let found = categories.as_array().into_iter().flatten().find(|category| category["name"] == name);
        found.map_or(Value::Null, |category| category["id"].clone())
    };
    for (name, budget) in BUDGETS {
        let body = json!({ "name": name, "monthly_budget": budget });
        api.put(&format!("/api/categories/{}", category_id(name)), &body)?;
    }
    let mut preview = api.preview(STATEMENT, &[("account_id", account_id.to_string())])?;
    let summary = &preview["summary"];
    say!("Preview of a bank statement of three months (OFX):");
    say!(
        "  {} rows, {} new, income {}, expenses {}",
        summary["rows"],
        summary["new"],
        text(&summary["income"]),
        text(&summary["expenses"])
    );
    let mut rows = preview["rows"].take();
    for row in rows.as_array_mut().into_iter().flatten() {
        let known = CATEGORIES.iter().find(|(part, _)| text(&row["description"]).contains(part));
        row["category_id"] = known.map_or(Value::Null, |(_, name)| category_id(name));
    }
    let body = json!({ "account_id": account_id, "file_name": "extrato.ofx", "format": "ofx", "rows": rows });
    let imported = api.post("/api/import/confirm", &body)?;
    say!("Confirmed: {} transactions inserted.", imported["inserted"]);
    let again = api.post("/api/import/confirm", &body)?;
    let skipped = again["skipped"].as_array().map_or(0, Vec::len);
    say!("Confirmed once more: {} inserted, {skipped} found to be duplicates.\n", again["inserted"]);
    import_card(api, &account_id)
}

/// Imports the statement of a card and the statement of the account that paid it: the payment is neither income nor expense.
fn import_card(api: &Client, account_id: &Value) -> Result<()> {
    let card = json!({ "name": "Cartão", "kind": AccountKind::Credit.as_str(), "closing_day": 20, "due_day": 28 });
    let card_id = api.post("/api/accounts", &card)?["id"].clone();
    for (what, file_name, statement, account_id) in [
        ("The card's statement", "cartao.ofx", CARD_STATEMENT, &card_id),
        ("The account's next statement", "extrato-2.ofx", PAYMENT_STATEMENT, account_id),
    ] {
        let rows = api.preview(statement, &[("account_id", account_id.to_string())])?["rows"].take();
        let body = json!({ "account_id": account_id, "file_name": file_name, "format": "ofx", "rows": rows });
        let imported = api.post("/api/import/confirm", &body)?;
        let count = |list: &str| imported[list].as_array().map_or(0, Vec::len);
        say!(
            "{what}: {} inserted, {} found to be duplicates, {} recognised as a transfer.",
            imported["inserted"],
            count("skipped"),
            count("linked")
        );
    }
    say!("The payment counts neither as income nor as an expense: the purchases on the card do.\n");
    Ok(())
}
