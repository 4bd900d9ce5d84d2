//! Import with a token: it sends the requests that any client sends. The scope `import` is enough.

use anyhow::{Context as _, Result, bail};
use finance_domain::imports::ROWS_MAX;
use serde::Deserialize;
use serde_json::{Value, json};

use super::report::{self, OtherSide, Report, Stored, Transfer};
use super::statements::{KnownAccount, Ready, Statement, failed, prepare_all, read_file};
use crate::arguments::Import;
use crate::client::Client;
use crate::output::say;

/// The fields of an account that are used.
#[derive(Deserialize)]
struct AccountAnswer {
    id: i64,
    name: String,
    kind: String,
}

/// The fields of a preview that are used. Its rows are sent back unchanged.
#[derive(Deserialize)]
struct PreviewAnswer {
    rows: Vec<Value>,
    /// Those that may be rows of an account are sent back, too.
    rejected: Vec<Value>,
    summary: Summary,
    due_date: Value,
    format: Value,
    /// Sent back with their accounts.
    statements: Vec<Value>,
}

#[derive(Deserialize)]
struct Summary {
    income: String,
    expenses: String,
}

/// The fields of a preview's row that are used.
#[derive(Deserialize)]
struct RowAnswer {
    date: String,
    description: String,
    amount: String,
    duplicate: bool,
    skipped_by_rule: bool,
    automatic_yield: bool,
    transfer: Option<TransferAnswer>,
    /// Absent if the row is not certainly a transfer.
    transfer_with: Option<LinkAnswer>,
}

#[derive(Deserialize)]
struct TransferAnswer {
    confidence: String,
}

/// The other side of a transfer.
#[derive(Deserialize, Default, Clone, Copy)]
struct LinkAnswer {
    transaction_id: Option<i64>,
    bill_id: Option<i64>,
}

/// The fields of the answer to a confirm that are used.
#[derive(Deserialize)]
#[serde(tag = "status", rename_all = "snake_case")]
enum ConfirmAnswer {
    Imported { import_id: Option<i64>, linked: Vec<LinkedAnswer> },
    Pending { pending_bill: HeldAnswer },
}

#[derive(Deserialize)]
struct LinkedAnswer {
    /// None of a row that was stored before.
    row: Option<usize>,
    #[serde(flatten)]
    with: LinkAnswer,
}

#[derive(Deserialize)]
struct HeldAnswer {
    id: i64,
    payment_date: String,
}

/// Imports the files for the profile of the token, each completely or not at all, and stops at the first failure.
pub(super) fn import(
    client: &Client,
    arguments: &Import,
    statements: Vec<Statement>,
    upload_bytes_max: usize,
) -> Result<()> {
    let me = client.get("/api/auth/me")?;
    let accounts: Vec<AccountAnswer> = serde_json::from_value(client.get("/api/accounts")?)
        .context("the accounts of the service are not understood")?;
    let known = accounts.into_iter().map(|AccountAnswer { id, name, kind }| match kind.parse() {
        Ok(kind) => Ok(KnownAccount { id, name, kind }),
        Err(_) => bail!("the kind {kind:?} of the account {name:?} is not understood"),
    });
    let known: Vec<KnownAccount> = known.collect::<Result<_>>()?;
    let who = me["name"].as_str().unwrap_or("the token's profile");
    let files = prepare_all(statements, arguments, &known, who)?;
    if arguments.dry_run {
        let today = me["today"].as_str().context("the service does not say which day it is")?;
        for file in &files {
            let rehearsed = rehearse(client, file, upload_bytes_max, today).with_context(|| file.shown())?;
            report::print(file, &rehearsed);
        }
        say!("nothing was saved");
        return Ok(());
    }
    for (at, file) in files.iter().enumerate() {
        let stored = store(client, file, upload_bytes_max).map_err(|error| failed(error, &files, at))?;
        report::print(file, &stored);
    }
    Ok(())
}

/// A preview with its rows, as received and as parsed.
struct Preview {
    answer: PreviewAnswer,
    rows: Vec<RowAnswer>,
}

fn preview(client: &Client, file: &Ready<'_>, upload_bytes_max: usize) -> Result<Preview> {
    let bytes = read_file(&file.statement.argument.path, upload_bytes_max)?;
    let account = match file.account() {
        Some(account) => ("account_id", account.id.to_string()),
        None => {
            let chosen = file.accounts.iter().enumerate();
            let chosen: Vec<Value> =
                chosen.map(|(index, account)| json!({ "index": index, "account_id": account.id })).collect();
            ("statements", Value::from(chosen).to_string())
        }
    };
    let mut fields = vec![account, ("format", file.statement.format.as_str().into())];
    if file.is_credit_card {
        fields.push(("is_credit_card", "true".to_string()));
    }
    if let Some(date) = file.payment_date {
        fields.push(("payment_date", date.to_string()));
    }
    let answer: PreviewAnswer = serde_json::from_value(client.preview(&bytes, &fields)?)
        .context("the preview of the service is not understood")?;
    let rows = answer.rows.iter().map(RowAnswer::deserialize).collect::<Result<_, _>>();
    Ok(Preview { answer, rows: rows.context("a row of the preview is not understood")? })
}

/// Previews a file, and reports what a confirm would do. Earlier files of the same command are not taken into account.
fn rehearse(client: &Client, file: &Ready<'_>, upload_bytes_max: usize, today: &str) -> Result<Report> {
    let preview = preview(client, file, upload_bytes_max)?;
    // Dates in this format sort like text.
    let held_until = file.payment_date.map(|date| date.to_string()).filter(|date| date.as_str() > today);
    let stored = match (preview.new_rows(), held_until) {
        (0, _) => Stored::Nothing,
        (_, Some(until)) => Stored::Held { id: None, until },
        (_, None) => Stored::Inserted { id: None },
    };
    let certain = preview.rows.iter().filter(|row| row.is_new());
    let transfers = certain.filter_map(|row| {
        let other_side = match row.transfer_with? {
            LinkAnswer { bill_id: Some(_), .. } => OtherSide::Bill(None),
            LinkAnswer { transaction_id: Some(_), .. } => OtherSide::Transaction(None),
            LinkAnswer { .. } => OtherSide::NotKeptHere,
        };
        Some(Transfer { row: row.shown(), other_side })
    });
    let transfers = if matches!(stored, Stored::Held { .. }) { Vec::new() } else { transfers.collect() };
    Ok(preview.report(stored, transfers))
}

/// Previews a file, and sends the preview back unchanged.
fn store(client: &Client, file: &Ready<'_>, upload_bytes_max: usize) -> Result<Report> {
    let mut preview = preview(client, file, upload_bytes_max)?;
    let rows = std::mem::take(&mut preview.answer.rows);
    let is_dated = |line: &&Value| !line["date"].is_null() && !line["amount"].is_null();
    let rejected: Vec<&Value> = preview.answer.rejected.iter().filter(is_dated).take(ROWS_MAX).collect();
    let body = json!({
        "account_id": file.account().map(|account| account.id),
        "statements": preview.answer.statements,
        "file_name": file.file_name(),
        "format": preview.answer.format,
        "is_credit_card": file.is_credit_card,
        "payment_date": file.payment_date.map(|date| date.to_string()),
        "due_date": preview.answer.due_date,
        "rows": rows,
        "rejected": rejected,
    });
    let confirmed = serde_json::from_value(client.confirm(&body)?).context("the answer is not understood")?;
    let (stored, linked) = match confirmed {
        ConfirmAnswer::Imported { import_id: Some(id), linked } => (Stored::Inserted { id: Some(id) }, linked),
        ConfirmAnswer::Imported { import_id: None, linked } => (Stored::Nothing, linked),
        ConfirmAnswer::Pending { pending_bill } => {
            (Stored::Held { id: Some(pending_bill.id), until: pending_bill.payment_date }, Vec::new())
        }
    };
    let transfers = linked.iter().filter_map(|link| {
        let other_side = match link.with {
            LinkAnswer { bill_id: Some(id), .. } => OtherSide::Bill(Some(id)),
            LinkAnswer { transaction_id: Some(id), .. } => OtherSide::Transaction(Some(id)),
            LinkAnswer { .. } => OtherSide::NotKeptHere,
        };
        Some(Transfer { row: preview.rows.get(link.row?)?.shown(), other_side })
    });
    let transfers = transfers.collect();
    Ok(preview.report(stored, transfers))
}

impl Preview {
    fn new_rows(&self) -> usize {
        self.rows.iter().filter(|row| row.is_new()).count()
    }

    fn report(&self, stored: Stored, transfers: Vec<Transfer>) -> Report {
        let is_likely = |row: &&RowAnswer| {
            !row.duplicate && row.transfer.as_ref().is_some_and(|transfer| transfer.confidence == "likely")
        };
        let is_held = matches!(stored, Stored::Held { .. });
        Report {
            rows: self.rows.len(),
            new: self.new_rows(),
            skipped_by_rules: self.rows.iter().filter(|row| row.skipped_by_rule).count(),
            yields: self.rows.iter().filter(|row| row.automatic_yield).count(),
            income: self.answer.summary.income.clone(),
            expenses: self.answer.summary.expenses.clone(),
            stored,
            transfers,
            likely_transfers: if is_held { 0 } else { self.rows.iter().filter(is_likely).count() },
        }
    }
}

impl RowAnswer {
    /// Whether a confirm inserts it.
    fn is_new(&self) -> bool {
        !self.duplicate && !self.skipped_by_rule && !self.automatic_yield
    }

    fn shown(&self) -> String {
        format!("{} {:?} {}", self.date, self.description, self.amount)
    }
}
