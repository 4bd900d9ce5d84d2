//! `finance import`: statements of any number of accounts at once.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context as _, Result, bail};
use finance_domain::accounts::{Account, AccountKind};
use finance_domain::imports::{
    ImportInput, ImportTarget, PreviewRow, ROWS_MAX, RowInput, StatementFormat, StatementRow,
};
use finance_domain::month::parse_date;
use finance_domain::text::name_key;
use finance_domain::transactions::Kind;
use finance_domain::transfers::Confidence;
use finance_domain::use_cases::accounts;
use finance_domain::use_cases::imports::{self, Confirmed, LinkedRow};
use finance_domain::{Access, Caller, Clock, Context, Money, Repo, Store, TimeLimit, TransactionOptions, Word};
use finance_http::{AUDIT, statement_row};
use finance_statements::{Format, Options, Rejected};
use time::Date;

use crate::arguments::Import;
use crate::catalogs;
use crate::clock::SystemClock;
use crate::configuration::Configuration;
use crate::database::with_store;
use crate::users;

/// A file as the command line names it.
#[derive(Debug, PartialEq, Eq)]
struct Argument {
    /// The name or id of its account.
    account: Option<String>,
    payment_date: Option<Date>,
    path: PathBuf,
}

/// A file that was read.
struct Statement {
    argument: Argument,
    format: StatementFormat,
    /// The accounts that the file names.
    accounts: Vec<finance_statements::Account>,
    rows: Vec<StatementRow>,
    rejected: Vec<Rejected>,
}

/// A file that is ready to be stored.
struct Ready<'a> {
    statement: Statement,
    account: &'a Account,
    target: ImportTarget,
}

/// What was done with a file.
struct Outcome {
    preview: Vec<PreviewRow>,
    confirmed: Confirmed,
}

/// Imports files one by one, each whole or not at all, and stops at the first that fails.
pub(crate) fn import(configuration: &Configuration, arguments: &Import) -> Result<()> {
    // Reports the problems of all files before anything is started or stored.
    if arguments.files.is_empty() {
        bail!("no file is named; see `finance import --help`");
    }
    let read = arguments.files.iter().map(|argument| read(argument, configuration.upload_bytes_max));
    let statements = all_or_problems(read)?;
    let today = SystemClock::new(configuration).today();
    let catalog = Arc::new(catalogs::gamification()?);
    let phrases = Arc::new(catalogs::transfer_phrases()?);
    let lexicon = Arc::new(catalogs::lexicon()?);
    let context = Context { today, catalog, phrases, lexicon, day_count: configuration.day_count };
    with_store(configuration, |store| {
        let caller = users::caller(store, &arguments.name)?;
        let accounts = store.run(&caller, Access::Read, |repo| accounts::states(repo, today))?;
        let accounts: Vec<Account> = accounts.into_iter().map(|state| state.account).collect();
        let ready = all_or_problems(statements.into_iter().map(|statement| prepare(statement, arguments, &accounts)))?;
        if arguments.payment_date.is_some() && ready.iter().all(|file| !file.target.is_credit_card) {
            bail!("--payment-date: none of the files is a card's");
        }
        match arguments.dry_run {
            true => rehearse(store, &caller, &context, &ready),
            false => store_each(store, &caller, &context, &ready),
        }
    })
}

/// All values, or all problems in one error.
fn all_or_problems<T>(results: impl Iterator<Item = Result<T>>) -> Result<Vec<T>> {
    let (mut values, mut problems) = (Vec::new(), Vec::new());
    for result in results {
        match result {
            Ok(value) => values.push(value),
            Err(error) => problems.push(format!("{error:#}")),
        }
    }
    if problems.is_empty() { Ok(values) } else { bail!("{}; nothing was stored", problems.join("; ")) }
}

/// `FILE`, `ACCOUNT=FILE`, or `CARD@PAYMENT-DATE=FILE`.
fn parse(argument: &str) -> Argument {
    let Some((account, path)) = argument.split_once('=') else {
        return Argument { account: None, payment_date: None, path: argument.into() };
    };
    let (account, payment_date) = match account.rsplit_once('@').map(|(account, date)| (account, parse_date(date))) {
        Some((account, Ok(date))) => (account, Some(date)),
        // An account's name may have an @.
        _ => (account, None),
    };
    let account = Some(account.trim().to_string()).filter(|account| !account.is_empty());
    Argument { account, payment_date, path: path.into() }
}

fn read(argument: &str, bytes_max: usize) -> Result<Statement> {
    let argument = parse(argument);
    let shown = argument.path.display().to_string();
    let bytes = read_file(&argument.path, bytes_max).with_context(|| shown.clone())?;
    if bytes.is_empty() {
        bail!("{shown}: the file is empty");
    }
    let options = Options { rows_max: Some(ROWS_MAX), ..Options::default() };
    let finance_statements::Statement { format, rows, rejected, .. } =
        finance_statements::read(&bytes, &options).with_context(|| shown.clone())?;
    let accounts = finance_statements::accounts(&bytes).with_context(|| shown)?;
    let format = match format {
        Format::Ofx => StatementFormat::Ofx,
        Format::Csv => StatementFormat::Csv,
    };
    Ok(Statement { argument, format, accounts, rows: rows.into_iter().map(statement_row).collect(), rejected })
}

fn read_file(path: &Path, bytes_max: usize) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(bytes_max as u64 + 1).read_to_end(&mut bytes)?;
    if bytes.len() > bytes_max {
        bail!("is larger than {bytes_max} bytes (FINANCE_UPLOAD_BYTES_MAX)");
    }
    Ok(bytes)
}

/// Finds the account of a file. The file of a card is the card's statement.
fn prepare<'a>(statement: Statement, arguments: &Import, accounts: &'a [Account]) -> Result<Ready<'a>> {
    let Argument { account, payment_date, path } = &statement.argument;
    let shown = path.display();
    let known = || {
        let known: Vec<String> = accounts
            .iter()
            .map(|account| format!("{:?} ({}, {})", account.name, account.id, account.kind.as_str()))
            .collect();
        match known.is_empty() {
            true => format!("{} has no account yet", arguments.name),
            false => format!("{} has {}", arguments.name, known.join(", ")),
        }
    };
    let Some(named) = account.as_ref().or(arguments.account.as_ref()) else {
        bail!("{shown}: which account is it of? Write ACCOUNT={shown} or give --account; {}", known());
    };
    let key = name_key(named);
    let found = accounts.iter().find(|account| name_key(&account.name) == key);
    let found = found.or_else(|| accounts.iter().find(|account| account.id.to_string() == *named));
    let Some(account) = found else { bail!("{shown}: there is no account {named:?}; {}", known()) };
    let is_credit_card = account.kind == AccountKind::Credit;
    if let Some(card) = statement.accounts.iter().find(|account| account.is_card)
        && !is_credit_card
    {
        bail!("{shown}: is the statement of a card ({card}), and {:?} is none", account.name);
    }
    if payment_date.is_some() && !is_credit_card {
        bail!("{shown}: {:?} is no card, and only a card's statement has a payment date", account.name);
    }
    let payment_date = payment_date.or(arguments.payment_date).filter(|_| is_credit_card);
    let target = ImportTarget { account_id: Some(account.id), is_credit_card, payment_date };
    Ok(Ready { statement, account, target })
}

/// Stores each file in a transaction of its own.
fn store_each(store: &dyn Store, caller: &Caller, context: &Context, files: &[Ready<'_>]) -> Result<()> {
    for (at, file) in files.iter().enumerate() {
        let outcome = match store.run(caller, long(), |repo| keep(repo, context, file)) {
            Ok(outcome) => outcome,
            Err(error) => {
                let names = |files: &[Ready<'_>]| match files {
                    [] => "none".to_string(),
                    files => files.iter().map(shown).collect::<Vec<_>>().join(", "),
                };
                let (stored, left) = files.split_at(at);
                let context = format!("{}; stored: {}; not stored: {}", shown(file), names(stored), names(left));
                return Err(anyhow::Error::from(error).context(context));
            }
        };
        print(file, &outcome, false);
        let rows = outcome.new_rows();
        log::info!(target: AUDIT, "profile {} imported a statement on the command line: {rows} rows", caller.profile_id);
    }
    Ok(())
}

/// Stores all files in one transaction and takes it back: what is printed is what would be done.
fn rehearse(store: &dyn Store, caller: &Caller, context: &Context, files: &[Ready<'_>]) -> Result<()> {
    let (mut outcomes, mut begun) = (Vec::new(), None);
    let rehearsed = store.run(caller, long(), |repo| {
        repo.rehearse(&mut |repo| {
            for file in files {
                begun = Some(file);
                outcomes.push(keep(repo, context, file)?);
            }
            Ok(())
        })
    });
    if let Err(error) = rehearsed {
        let error = anyhow::Error::from(error);
        return Err(begun.map(shown).into_iter().fold(error, anyhow::Error::context));
    }
    for (file, outcome) in files.iter().zip(outcomes) {
        print(file, &outcome, true);
    }
    println!("nothing was saved");
    Ok(())
}

fn long() -> TransactionOptions {
    TransactionOptions { time_limit: TimeLimit::Long, ..Access::Write.into() }
}

/// Stores a file as a client does that sends its preview back unchanged.
fn keep(repo: &mut dyn Repo, context: &Context, file: &Ready<'_>) -> finance_domain::Result<Outcome> {
    let Ready { statement, target, .. } = file;
    let preview = imports::preview_now(repo, context, target, statement.rows.clone())?;
    let rows = preview.iter().map(|judged| {
        let row = judged.row.clone();
        Some(RowInput {
            date: Some(row.date),
            description: Some(row.description),
            statement_description: row.statement_description,
            amount: Some(row.amount),
            kind: Some(row.kind),
            external_id: row.external_id,
            category_id: row.category_id,
            choice: judged.transfer.and_then(|transfer| transfer.choice()).unwrap_or_default(),
            is_kept: false,
        })
    });
    let input = ImportInput {
        target: *target,
        file_name: statement.argument.path.file_name().map(|name| name.to_string_lossy().into_owned()),
        format: Some(statement.format),
        rows: Some(rows.collect()),
        ..ImportInput::default()
    };
    let confirmed = imports::confirm(repo, context, input)?;
    Ok(Outcome { preview, confirmed })
}

impl Outcome {
    fn new_rows(&self) -> usize {
        self.preview.iter().filter(|row| !row.duplicate && row.skipped_by.is_none()).count()
    }

    fn skipped_by_rules(&self) -> usize {
        self.preview.iter().filter(|row| row.skipped_by.is_some()).count()
    }

    fn total(&self, kind: Kind) -> Money {
        self.preview.iter().filter(|row| row.row.kind == kind).map(|row| row.row.amount).sum()
    }
}

/// The path of a file, as it was given.
fn shown(file: &Ready<'_>) -> String {
    file.statement.argument.path.display().to_string()
}

/// Prints what was recognised in a file, and what was done with it.
fn print(file: &Ready<'_>, outcome: &Outcome, is_dry_run: bool) {
    let Ready { statement, account, target } = file;
    let (rows, new) = (outcome.preview.len(), outcome.new_rows());
    let (income, expenses) = (outcome.total(Kind::Income), outcome.total(Kind::Expense));
    println!(
        "{}: {} of {:?}: rows {rows}, new {new}, duplicates {}, rejected {}, income {income}, expenses {expenses}",
        shown(file),
        statement.format.as_str(),
        account.name,
        rows - new - outcome.skipped_by_rules(),
        statement.rejected.len(),
    );
    if outcome.skipped_by_rules() > 0 {
        println!("  {} left out by rules", outcome.skipped_by_rules());
    }
    match &statement.accounts[..] {
        [] => {}
        [of] => println!("  the file is of {of}"),
        several => {
            let several: Vec<String> = several.iter().map(ToString::to_string).collect();
            println!("  the file is of {}, and all of it is taken for {:?}", several.join(" and "), account.name);
        }
    }
    for Rejected { line, reason } in &statement.rejected {
        println!("  line {line} rejected: {reason}");
    }
    match (&outcome.confirmed, target.payment_date) {
        (Confirmed::Held(bill), _) if is_dry_run => {
            println!("  {new} would be held as a pending bill until {}", bill.payment_date);
        }
        (Confirmed::Held(bill), _) => println!("  {new} held as pending bill {} until {}", bill.id, bill.payment_date),
        (Confirmed::Imported(imported), payment_date) => {
            let on = payment_date.map(|date| format!(", paid on {date}")).unwrap_or_default();
            match imported.import_id {
                None => println!("  nothing to insert"),
                Some(_) if is_dry_run => println!("  {new} would be inserted{on}"),
                Some(id) => println!("  {new} inserted as import {id}{on}"),
            }
            print_transfers(outcome, &imported.linked, is_dry_run);
        }
    }
}

/// Prints which rows are transfers between own accounts, and how many may be.
fn print_transfers(outcome: &Outcome, linked: &[LinkedRow], is_dry_run: bool) {
    for link in linked {
        let Some(PreviewRow { row, .. }) = outcome.preview.get(link.row) else { continue };
        let other_side = match (link.bill_id, link.transaction_id) {
            // The ids of a dry run are rolled back.
            (Some(_), _) if is_dry_run => "pays a bill".to_string(),
            (None, Some(_)) if is_dry_run => "is one transfer with a row of another account".to_string(),
            (Some(id), _) => format!("pays bill {id}"),
            (None, Some(id)) => format!("is one transfer with transaction {id}"),
            (None, None) => "is a transfer whose other side is not kept here".to_string(),
        };
        println!("  {} {:?} {} {other_side}", row.date, row.description, row.amount);
    }
    let is_likely = |row: &&PreviewRow| {
        !row.duplicate && row.transfer.is_some_and(|transfer| transfer.confidence == Confidence::Likely)
    };
    let likely = outcome.preview.iter().filter(is_likely).count();
    if likely > 0 {
        println!(
            "  {likely} of the rows may be transfers and are not linked: GET /api/transfers/suggestions lists them"
        );
    }
}

#[cfg(test)]
mod tests {
    use time::macros::date;

    use super::*;

    #[test]
    fn an_argument_names_a_file_and_may_name_its_account_and_payment_date() {
        let argument = |account: Option<&str>, payment_date, path: &str| Argument {
            account: account.map(str::to_string),
            payment_date,
            path: path.into(),
        };
        let day = Some(date!(2026 - 03 - 10));
        for (text, expected) in [
            ("extrato.ofx", argument(None, None, "extrato.ofx")),
            ("Conta corrente=a/b c.ofx", argument(Some("Conta corrente"), None, "a/b c.ofx")),
            ("3=extrato.ofx", argument(Some("3"), None, "extrato.ofx")),
            ("Nubank@2026-03-10=fatura.csv", argument(Some("Nubank"), day, "fatura.csv")),
            ("@2026-03-10=fatura.csv", argument(None, day, "fatura.csv")),
            ("ana@banco=x.ofx", argument(Some("ana@banco"), None, "x.ofx")),
            ("ana@banco@2026-03-10=x.ofx", argument(Some("ana@banco"), day, "x.ofx")),
            ("=a=b.ofx", argument(None, None, "a=b.ofx")),
            ("Conta=a=b.ofx", argument(Some("Conta"), None, "a=b.ofx")),
        ] {
            assert_eq!(parse(text), expected, "{text}");
        }
    }
}
