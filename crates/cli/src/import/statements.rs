//! The statements that a command names, after reading, and their accounts.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use finance_domain::accounts::AccountKind;
use finance_domain::imports::{ROWS_MAX, StatementFormat, StatementRow};
use finance_domain::month::parse_date;
use finance_domain::text::name_key;
use finance_http::statement_row;
use finance_statements::{Format, Options, Rejected};
use time::Date;

use crate::arguments::Import;

/// A file argument of the command line.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Argument {
    /// The name or id of its account.
    account: Option<String>,
    payment_date: Option<Date>,
    pub(super) path: PathBuf,
}

/// A file that was read.
pub(super) struct Statement {
    pub(super) argument: Argument,
    pub(super) format: StatementFormat,
    /// The accounts that the file names.
    pub(super) accounts: Vec<finance_statements::Account>,
    pub(super) rows: Vec<StatementRow>,
    pub(super) rejected: Vec<Rejected>,
    pub(super) due_date: Option<Date>,
}

/// An account that a file may belong to.
pub(super) struct KnownAccount {
    pub(super) id: i64,
    pub(super) name: String,
    pub(super) kind: AccountKind,
}

/// A file whose account is known.
pub(super) struct Ready<'a> {
    pub(super) statement: Statement,
    pub(super) account: &'a KnownAccount,
    pub(super) is_credit_card: bool,
    pub(super) payment_date: Option<Date>,
}

impl Ready<'_> {
    /// The path of the file, as it was given.
    pub(super) fn shown(&self) -> String {
        self.statement.argument.path.display().to_string()
    }

    /// The name of the file.
    pub(super) fn file_name(&self) -> Option<String> {
        self.statement.argument.path.file_name().map(|name| name.to_string_lossy().into_owned())
    }
}

/// Reads all files, or reports the problems of all that cannot be read.
pub(super) fn read_all(arguments: &Import, bytes_max: usize) -> Result<Vec<Statement>> {
    if arguments.files.is_empty() {
        bail!("no file is named; see `finance import --help`");
    }
    all_or_problems(arguments.files.iter().map(|argument| read(argument, bytes_max)))
}

/// Finds the accounts of all files, or reports the problems of all whose account is unknown.
pub(super) fn prepare_all<'a>(
    statements: Vec<Statement>,
    arguments: &Import,
    accounts: &'a [KnownAccount],
    who: &str,
) -> Result<Vec<Ready<'a>>> {
    let ready = all_or_problems(statements.into_iter().map(|statement| prepare(statement, arguments, accounts, who)))?;
    if arguments.payment_date.is_some() && ready.iter().all(|file| !file.is_credit_card) {
        bail!("--payment-date: none of the files is for a card");
    }
    Ok(ready)
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
        // An account's name may contain an @.
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
    let finance_statements::Statement { format, rows, rejected, due_date, .. } =
        finance_statements::read(&bytes, &options).with_context(|| shown.clone())?;
    let accounts = finance_statements::accounts(&bytes).with_context(|| shown)?;
    let format = match format {
        Format::Ofx => StatementFormat::Ofx,
        Format::Csv => StatementFormat::Csv,
    };
    let rows = rows.into_iter().map(statement_row).collect();
    Ok(Statement { argument, format, accounts, rows, rejected, due_date })
}

/// The content of a file. Fails if the file is larger than the limit.
pub(super) fn read_file(path: &Path, bytes_max: usize) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(bytes_max as u64 + 1).read_to_end(&mut bytes)?;
    if bytes.len() > bytes_max {
        bail!("is larger than {bytes_max} bytes (FINANCE_UPLOAD_BYTES_MAX)");
    }
    Ok(bytes)
}

/// Finds the account of a file. A file for a card is a statement of the card.
fn prepare<'a>(statement: Statement, arguments: &Import, accounts: &'a [KnownAccount], who: &str) -> Result<Ready<'a>> {
    let Argument { account, payment_date, path } = &statement.argument;
    let shown = path.display();
    let known = || {
        let known: Vec<String> = accounts
            .iter()
            .map(|account| format!("{:?} ({}, {})", account.name, account.id, account.kind.as_str()))
            .collect();
        match known.is_empty() {
            true => format!("{who} has no account yet"),
            false => format!("{who} has {}", known.join(", ")),
        }
    };
    let Some(named) = account.as_ref().or(arguments.account.as_ref()) else {
        bail!("{shown}: which account does it belong to? Write ACCOUNT={shown} or give --account; {}", known());
    };
    let key = name_key(named);
    let found = accounts.iter().find(|account| name_key(&account.name) == key);
    let found = found.or_else(|| accounts.iter().find(|account| account.id.to_string() == *named));
    let Some(account) = found else { bail!("{shown}: there is no account {named:?}; {}", known()) };
    let is_credit_card = account.kind == AccountKind::Credit;
    if let Some(card) = statement.accounts.iter().find(|account| account.is_card)
        && !is_credit_card
    {
        bail!("{shown}: is the statement of a card ({card}), but {:?} is not a card", account.name);
    }
    if payment_date.is_some() && !is_credit_card {
        bail!("{shown}: {:?} is not a card, and only a card's statement has a payment date", account.name);
    }
    let payment_date = payment_date.or(arguments.payment_date).filter(|_| is_credit_card);
    Ok(Ready { statement, account, is_credit_card, payment_date })
}

/// The error of a file that ends the import: no later file is stored.
pub(super) fn failed(error: anyhow::Error, files: &[Ready<'_>], at: usize) -> anyhow::Error {
    let names = |files: &[Ready<'_>]| match files {
        [] => "none".to_string(),
        files => files.iter().map(Ready::shown).collect::<Vec<_>>().join(", "),
    };
    let (stored, left) = files.split_at(at);
    let shown = files.get(at).map(Ready::shown).unwrap_or_default();
    error.context(format!("{shown}; stored: {}; not stored: {}", names(stored), names(left)))
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
