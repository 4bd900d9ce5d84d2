//! `finance add`: saves one line, in the database or with a token.

use std::fmt::Display;

use anyhow::{Context as _, Result, bail};
use finance_domain::changes::Recording;
use finance_domain::entries::{Missing, Part};
use finance_domain::installments::PlanInput;
use finance_domain::transactions::TransactionInput;
use finance_domain::transfers::TransferInput;
use finance_domain::use_cases::entries::{self, LineInput, ReadLine, Request, Saved};
use finance_domain::use_cases::upkeep;
use finance_domain::{Access, Money, TransactionOptions};
use finance_http::AUDIT;
use serde::Deserialize;
use serde_json::{Value, json};
use time::Date;

use crate::arguments::Add;
use crate::catalogs;
use crate::client::Client;
use crate::clock::SystemClock;
use crate::configuration::Configuration;
use crate::database::with_store;
use crate::output::say;
use crate::users;

/// Saves a line and says what. If something is missing, saves nothing and fails with one line.
pub(crate) fn add(configuration: &Configuration, arguments: &Add) -> Result<()> {
    let text = arguments.text.join(" ");
    if text.trim().is_empty() {
        bail!("which line? For example: finance add mercado 54,90 ontem no nubank");
    }
    if let Some(name) = &arguments.name {
        return direct(configuration, name, text, arguments.dry_run);
    }
    match Client::configured(configuration)? {
        Some(client) => by_token(&client, &text, arguments.dry_run),
        None => bail!("whose is it? Give --name on the machine of the service, or a token in FINANCE_TOKEN"),
    }
}

/// Fails with what is missing: fields, and the values that fit each.
fn refuse(missing: impl IntoIterator<Item = (String, Vec<String>)>) -> Result<()> {
    let reasons = missing.into_iter().map(|(field, candidates)| match candidates.is_empty() {
        true => format!("{field} is missing"),
        false => format!("{field} is missing ({})", candidates.join(" or ")),
    });
    let reasons: Vec<String> = reasons.collect();
    if reasons.is_empty() { Ok(()) } else { bail!("nothing was saved: {}", reasons.join("; ")) }
}

const IS_CODE: &str = "nothing was saved: this is a boleto or a Pix code, not an entry";

/// Prints what was saved, or would be.
struct Report {
    /// The words of the line that name its accounts, its bill and its tags. They show what was understood, and a token that only
    /// enters cannot list accounts.
    names: Vec<String>,
    is_dry_run: bool,
}

impl Report {
    /// From what was understood of the line: what each part says, and its words.
    fn new<'a>(understood: impl IntoIterator<Item = (&'a str, &'a str)>, is_dry_run: bool) -> Self {
        let is_name = |part: &str| [Part::Account, Part::Bill, Part::Tag].iter().any(|name| name.as_str() == part);
        let names = understood.into_iter().filter(|(part, _)| is_name(part)).map(|(_, text)| text.to_string());
        Report { names: names.collect(), is_dry_run }
    }

    fn print(&self, what: &str, amount: &str, date: &str, description: &str) {
        let parts = [amount, date, description].into_iter().chain(self.names.iter().map(String::as_str));
        let parts: Vec<&str> = parts.filter(|part| !part.is_empty()).collect();
        match self.is_dry_run {
            true => say!("would be saved as {what}: {}; nothing was saved", parts.join(", ")),
            false => say!("saved as {what}: {}", parts.join(", ")),
        }
    }
}

/// Reads the line, then saves it in a transaction that is recorded as what the line turned out to be.
fn direct(configuration: &Configuration, name: &str, text: String, is_dry_run: bool) -> Result<()> {
    let clock = SystemClock::new(configuration);
    let context = catalogs::context(configuration, &clock)?;
    with_store(configuration, |store| {
        let caller = users::caller(store, name)?;
        let line = store.run(&caller, Access::Write, |repo| {
            let input = LineInput { text: Some(text.clone()), ..LineInput::default() };
            upkeep::run(repo, context.today)?;
            entries::parse(repo, &context, input)
        })?;
        let describe = |missing: &Missing| {
            let candidates = missing.candidates.iter().map(|candidate| line.text(candidate));
            (missing.field.as_str().to_string(), candidates.collect())
        };
        refuse(line.missing.iter().map(describe))?;
        let request = line.request.clone().filter(|_| !is_dry_run);
        let saved = request.map(|request| {
            let recording = Some(Recording::of(request.change_kind(), &clock));
            let options = TransactionOptions { recording, ..Access::Write.into() };
            store.run(&caller, options, |repo| entries::save(repo, &context, request.clone()))
        });
        let understood = line.understood.iter().map(|span| (span.part.as_str(), span.text.as_str()));
        let report = Report::new(understood, is_dry_run);
        match saved.transpose()? {
            Some(saved) => {
                report_saved(&saved, &report);
                log::info!(target: AUDIT, "profile {} saved an entry on the command line", caller.profile_id);
            }
            None => report_read(&line, &report)?,
        }
        Ok(())
    })
}

fn report_saved(saved: &Saved, report: &Report) {
    match saved {
        Saved::Transaction(row) => {
            let what = format!("{} {}", row.kind.as_str(), row.id);
            report.print(&what, &row.amount.to_string(), &row.date.to_string(), &row.description);
        }
        Saved::Installments(plan) => {
            let what = format!("a purchase in {} instalments", plan.count);
            let amount = format!("{} each", plan.amount());
            report.print(&what, &amount, &plan.first_date().to_string(), &plan.description());
        }
        Saved::Transfer(transfer) => {
            let row = &transfer.from;
            let what = format!("transfer {}", transfer.id);
            report.print(&what, &row.amount.to_string(), &row.date.to_string(), &row.description);
        }
        Saved::Payment(bill) => {
            report.print(&stored_payment_of(bill.id), &bill.entry.paid_amount.to_string(), "", "");
        }
    }
}

/// What would be saved of a line in which nothing is missing.
fn report_read(line: &ReadLine, report: &Report) -> Result<()> {
    let money = |amount: Option<Money>| amount.map(|amount| amount.to_string()).unwrap_or_default();
    let day = |date: Option<Date>| date.map(|date| date.to_string()).unwrap_or_default();
    match &line.request {
        None => bail!("{IS_CODE}"),
        Some(Request::Transaction(TransactionInput { kind, amount, date, description, .. })) => {
            let what = kind.map_or("a transaction", |kind| kind.as_str());
            report.print(what, &money(*amount), &day(*date), description.as_deref().unwrap_or_default());
        }
        Some(Request::Installments(PlanInput { count, total_amount, amount, date, description, .. })) => {
            let what = format!("a purchase in {} instalments", count.unwrap_or_default());
            let amount = money(total_amount.or(*amount));
            report.print(&what, &amount, &day(*date), description.as_deref().unwrap_or_default());
        }
        Some(Request::Transfer(TransferInput { amount, date, description, .. })) => {
            report.print("transfer", &money(*amount), &day(*date), description.as_deref().unwrap_or_default());
        }
        Some(Request::Payment(bill_id, input)) => {
            report.print(&bill_id.map(payment_of).unwrap_or_default(), "", &day(input.date), "");
        }
    }
    Ok(())
}

/// The fields of the answer to a parse that are used.
#[derive(Deserialize)]
struct ParseAnswer {
    path: Option<String>,
    body: Option<Value>,
    understood: Vec<SpanAnswer>,
    missing: Vec<MissingAnswer>,
}

#[derive(Deserialize)]
struct SpanAnswer {
    text: String,
    #[serde(rename = "as")]
    part: String,
}

#[derive(Deserialize)]
struct MissingAnswer {
    field: String,
    candidates: Vec<CandidateAnswer>,
}

#[derive(Deserialize)]
struct CandidateAnswer {
    text: String,
}

/// Sends the requests that any client sends.
fn by_token(client: &Client, text: &str, is_dry_run: bool) -> Result<()> {
    let answer: ParseAnswer = serde_json::from_value(client.post("/api/entries/parse", &json!({ "text": text }))?)
        .context("the answer of the service is not understood")?;
    let describe = |missing: MissingAnswer| {
        (missing.field, missing.candidates.into_iter().map(|candidate| candidate.text).collect())
    };
    refuse(answer.missing.into_iter().map(describe))?;
    let (Some(path), Some(body)) = (answer.path, answer.body) else { bail!("{IS_CODE}") };
    let understood = answer.understood.iter().map(|span| (span.part.as_str(), span.text.as_str()));
    let report = Report::new(understood, is_dry_run);
    let text = |value: &Value| value.as_str().unwrap_or_default().to_string();
    let (amount, date, description) = (&body["amount"], text(&body["date"]), text(&body["description"]));
    let amount = text(if amount.is_null() { &body["total_amount"] } else { amount });
    let kind = text(&body["type"]);
    if is_dry_run {
        report.print(&named(&path, &kind, &body, None), &amount, &date, &description);
        return Ok(());
    }
    let mut random = [0; 16];
    getrandom::fill(&mut random)?;
    let key: String = random.iter().map(|byte| format!("{byte:02x}")).collect();
    let stored = client.post_once(&path, &body, &key)?;
    let amount = if path == "/api/installments" { format!("{} each", text(&stored["amount"])) } else { amount };
    let amount = if amount.is_empty() { text(&stored["paid_amount"]) } else { amount };
    let description = if description.is_empty() { text(&stored["from"]["description"]) } else { description };
    let date = if stored["paid_amount"].is_null() { date } else { String::new() };
    report.print(&named(&path, &kind, &body, Some(&stored["id"])), &amount, &date, &description);
    Ok(())
}

fn payment_of(bill: impl Display) -> String {
    format!("the payment of bill {bill}")
}

/// A payment that was saved. The bill tells what is paid of it in all, which may be more than this payment.
fn stored_payment_of(bill: impl Display) -> String {
    format!("{}; paid of it in all", payment_of(bill))
}

/// The name of what a route saves.
fn named(path: &str, kind: &str, body: &Value, stored: Option<&Value>) -> String {
    let numbered = |what: &str| stored.map_or_else(|| what.to_string(), |id| format!("{what} {id}"));
    match path {
        "/api/transactions" => numbered(kind),
        "/api/installments" => format!("a purchase in {} instalments", body["count"]),
        "/api/transfers" => numbered("transfer"),
        _ => {
            let id = path.trim_start_matches("/api/credit-bills/").trim_end_matches("/pay");
            if stored.is_some() { stored_payment_of(id) } else { payment_of(id) }
        }
    }
}
