//! The statements that a command names, after reading, and their accounts.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use finance_domain::accounts::AccountKind;
use finance_domain::imports::{FileStatement, StatementFormat, StatementRow};
use finance_domain::month::parse_date;
use finance_domain::text::name_key;
use finance_http::{file_statements, statement_row};
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
    /// The statements that the file consists of.
    pub(super) statements: Vec<FileStatement>,
    /// The content of the file, and how it was read: a card's is read in another way.
    bytes: Vec<u8>,
    options: Options,
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
    /// The account of each of its statements, at least one.
    pub(super) accounts: Vec<&'a KnownAccount>,
    /// Whether it is the statement of one card.
    pub(super) is_credit_card: bool,
    pub(super) payment_date: Option<Date>,
}

impl Ready<'_> {
    /// The only account. None if the file has statements of several.
    pub(super) fn account(&self) -> Option<&KnownAccount> {
        match self.accounts[..] {
            [only] => Some(only),
            _ => None,
        }
    }

    /// The names of the accounts, for people.
    pub(super) fn account_names(&self) -> String {
        self.accounts.iter().map(|account| format!("{:?}", account.name)).collect::<Vec<_>>().join(" and ")
    }

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
pub(super) fn read_all(arguments: &Import, bytes_max: usize, options: &Options) -> Result<Vec<Statement>> {
    if arguments.files.is_empty() {
        bail!("no file is named; see `finance import --help`");
    }
    all_or_problems(arguments.files.iter().map(|argument| read(argument, bytes_max, options)))
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

fn read(argument: &str, bytes_max: usize, options: &Options) -> Result<Statement> {
    let argument = parse(argument);
    let shown = argument.path.display().to_string();
    let bytes = read_file(&argument.path, bytes_max).with_context(|| shown.clone())?;
    if bytes.is_empty() {
        bail!("{shown}: the file is empty");
    }
    Statement::new(argument, bytes, options.clone()).with_context(|| shown)
}

impl Statement {
    fn new(argument: Argument, bytes: Vec<u8>, options: Options) -> Result<Self> {
        let read = finance_statements::read(&bytes, &options)?;
        let finance_statements::Statement { format, rows, rejected, due_date, accounts, layout } = read;
        let format = match format {
            Format::Ofx => StatementFormat::Ofx,
            Format::Csv => StatementFormat::Csv,
        };
        let statements = file_statements(accounts.clone(), layout.as_ref());
        let accounts = accounts.into_iter().map(|statement| statement.account).collect();
        let rows = rows.into_iter().map(statement_row).collect();
        Ok(Statement { argument, format, accounts, statements, rows, rejected, due_date, bytes, options })
    }

    /// The same file, read as that of a card.
    fn of_card(self, payment_date: Option<Date>) -> Result<Self> {
        let latest = payment_date.or(self.options.latest);
        Statement::new(self.argument, self.bytes, Options { on_card: true, latest, ..self.options })
    }
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
    let (shown, payment_date) = (path.display().to_string(), *payment_date);
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
    let find = |named: &str| {
        let key = name_key(named);
        let found = accounts.iter().find(|account| name_key(&account.name) == key);
        let found = found.or_else(|| accounts.iter().find(|account| account.id.to_string() == named.trim()));
        found.with_context(|| format!("{shown}: there is no account {named:?}; {}", known()))
    };
    let found: Vec<&KnownAccount> = match statement.statements.len() {
        0 | 1 => vec![find(named)?],
        count => {
            let names: Vec<&str> = named.split(',').collect();
            if names.len() != count {
                let several: Vec<String> = statement.accounts.iter().map(ToString::to_string).collect();
                bail!(
                    "{shown}: has statements of {count} accounts ({}); name them in this order: ACCOUNT,ACCOUNT={shown}",
                    several.join(", ")
                );
            }
            names.into_iter().map(find).collect::<Result<_>>()?
        }
    };
    let is_credit_card = matches!(found[..], [only] if only.kind == AccountKind::Credit);
    for (of, account) in statement.accounts.iter().zip(&found) {
        if of.is_card() && account.kind != AccountKind::Credit {
            bail!("{shown}: is the statement of a card ({of}), but {:?} is not a card", account.name);
        }
    }
    if payment_date.is_some() && !is_credit_card {
        let names: Vec<String> = found.iter().map(|account| format!("{:?}", account.name)).collect();
        bail!("{shown}: {} is not a card, and only a card's statement has a payment date", names.join(" and "));
    }
    let payment_date = payment_date.or(arguments.payment_date).filter(|_| is_credit_card);
    let statement = if is_credit_card { statement.of_card(payment_date)? } else { statement };
    Ok(Ready { statement, accounts: found, is_credit_card, payment_date })
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
