//! Import into the database, on the machine of the service.

use anyhow::Result;
use finance_domain::changes::{ChangeKind, Recording};
use finance_domain::imports::{
    DetailsInput, FormerInput, ImportInput, ImportTarget, LeftOutRow, PreviewedStatement, RowInput, StatementInput,
    StatementRow,
};
use finance_domain::transactions::Kind;
use finance_domain::use_cases::imports::{self, Confirmed, LinkedRow, Preview, PreviewInput, PreviewRow};
use finance_domain::use_cases::{accounts, upkeep};
use finance_domain::{Access, AccountId, Caller, Clock, Context, Money, Repo, Store, TimeLimit, TransactionOptions};
use finance_http::{AUDIT, left_out_row};
use finance_statements::Rejected;

use super::report::{self, OtherSide, Report, Stored, Transfer};
use super::statements::{KnownAccount, Ready, Statement, failed, prepare_all};
use crate::arguments::Import;
use crate::catalogs;
use crate::clock::SystemClock;
use crate::configuration::Configuration;
use crate::database::with_store;
use crate::output::say;
use crate::users;

/// The result for a file.
struct Outcome {
    preview: Vec<PreviewRow>,
    confirmed: Confirmed,
}

/// Imports the files for a user, each completely or not at all, and stops at the first failure.
pub(super) fn import(
    configuration: &Configuration,
    arguments: &Import,
    name: &str,
    statements: Vec<Statement>,
) -> Result<()> {
    let clock = SystemClock::new(configuration);
    let context = catalogs::context(configuration, &clock)?;
    with_store(configuration, |store| {
        let caller = users::caller(store, name)?;
        let accounts = store.run(&caller, Access::Read, |repo| accounts::states(repo, &context))?;
        let accounts: Vec<KnownAccount> = accounts
            .into_iter()
            .map(|state| KnownAccount { id: state.account.id.0, name: state.account.name, kind: state.account.kind })
            .collect();
        let ready = prepare_all(statements, arguments, &accounts, name)?;
        match arguments.dry_run {
            true => rehearse(store, &caller, &context, &ready),
            false => store_each(store, &caller, &context, &clock, &ready),
        }
    })
}

/// Stores each file in a separate transaction.
fn store_each(
    store: &dyn Store,
    caller: &Caller,
    context: &Context,
    clock: &dyn Clock,
    files: &[Ready<'_>],
) -> Result<()> {
    for (at, file) in files.iter().enumerate() {
        let kept = store.run(caller, recorded(clock), |repo| keep(repo, context, file));
        let outcome = kept.map_err(|error| failed(error.into(), files, at))?;
        report::print(file, &outcome.report(false));
        let rows = outcome.new_rows();
        log::info!(target: AUDIT, "profile {} imported a statement on the command line: {rows} rows", caller.profile_id);
    }
    Ok(())
}

/// Stores all files in one transaction and rolls it back. The report shows what would be done.
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
        return Err(begun.map(Ready::shown).into_iter().fold(error, anyhow::Error::context));
    }
    for (file, outcome) in files.iter().zip(outcomes) {
        report::print(file, &outcome.report(true));
    }
    say!("nothing was saved");
    Ok(())
}

fn long() -> TransactionOptions {
    TransactionOptions { time_limit: TimeLimit::Long, ..Access::Write.into() }
}

/// As [`long`], and what changes is recorded.
fn recorded(clock: &dyn Clock) -> TransactionOptions {
    TransactionOptions { recording: Some(Recording::of(ChangeKind::ImportsConfirm, clock)), ..long() }
}

/// Stores a file as for a client that sends its preview back unchanged.
fn keep(repo: &mut dyn Repo, context: &Context, file: &Ready<'_>) -> finance_domain::Result<Outcome> {
    let Ready { statement, accounts, is_credit_card, payment_date } = file;
    let target = ImportTarget {
        account_id: file.account().map(|account| AccountId(account.id)),
        is_credit_card: *is_credit_card,
        payment_date: *payment_date,
        held_at: None,
    };
    let chosen = accounts.iter().enumerate().map(|(index, account)| (Some(index), Some(AccountId(account.id))));
    let input = PreviewInput {
        target,
        statements: statement.statements.clone(),
        chosen: if accounts.len() > 1 { chosen.collect() } else { Vec::new() },
        rows: statement.rows.clone(),
        ..PreviewInput::default()
    };
    upkeep::run(repo, context.today)?;
    let Preview { rows: preview, foreign, statements } = imports::preview(repo, context, input)?;
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
            former: row.former.map(|former| {
                Box::new(FormerInput {
                    date: former.date,
                    description: Some(former.description),
                    amount: Some(former.amount),
                    kind: Some(former.kind),
                })
            }),
            currency: row.currency,
            statement: Some(row.statement),
            details: DetailsInput::default(),
        })
    });
    let input = ImportInput {
        target,
        file_name: file.file_name(),
        format: Some(statement.format),
        due_date: statement.due_date,
        statements: statements.into_iter().enumerate().map(|(index, one)| statement_input(index, one)).collect(),
        rows: Some(rows.collect()),
        rejected: left_out(file, &foreign),
        ..ImportInput::default()
    };
    let confirmed = imports::confirm(repo, context, input)?;
    Ok(Outcome { preview, confirmed })
}

/// The rows that the preview rejected: lines of the file, and rows in other currencies.
fn left_out(file: &Ready<'_>, foreign: &[usize]) -> Vec<LeftOutRow> {
    let account_of = |index: usize| {
        let account = file.account().or_else(|| file.accounts.get(index).copied());
        account.map(|account| AccountId(account.id))
    };
    let Statement { rows, rejected, .. } = &file.statement;
    let of_line = |line: &Rejected| {
        let amount = line.cents.map(|cents| Money::from_cents(cents.into()));
        let values = (amount.map(Kind::of), amount.map(Money::abs));
        left_out_row(line.reason.code(), account_of(line.statement), line.date, values, line.description.as_deref())
    };
    let of_foreign = |row: &StatementRow| LeftOutRow {
        account_id: account_of(row.statement),
        date: row.date,
        kind: row.kind,
        amount: row.amount,
        description: row.description.clone(),
    };
    let foreign = foreign.iter().filter_map(|at| rows.get(*at));
    rejected.iter().filter_map(of_line).chain(foreign.map(of_foreign)).collect()
}

/// A statement as a client sends it back.
fn statement_input(index: usize, statement: PreviewedStatement) -> StatementInput {
    let (reference, hint) = statement.key.map(|key| (key.reference, key.hint)).unzip();
    let PreviewedStatement { account_id, balances, .. } = statement;
    StatementInput { index: Some(index), reference, hint, account_id, balances }
}

impl Outcome {
    fn new_rows(&self) -> usize {
        self.preview.iter().filter(|row| row.is_new()).count()
    }

    fn total(&self, kind: Kind) -> String {
        let rows = self.preview.iter().filter(|row| row.row.kind == kind);
        rows.map(|row| row.row.amount).sum::<Money>().to_string()
    }

    /// The report to print. The ids of a dry run are omitted, because they are rolled back.
    fn report(&self, is_dry_run: bool) -> Report {
        let kept = |id: i64| (!is_dry_run).then_some(id);
        let (stored, linked) = match &self.confirmed {
            Confirmed::Held(bill) => {
                (Stored::Held { id: kept(bill.id.0), until: bill.payment_date.to_string() }, &[][..])
            }
            Confirmed::Imported(imported) => match imported.import_id {
                Some(id) => (Stored::Inserted { id: kept(id.0) }, &imported.linked[..]),
                None => (Stored::Nothing, &imported.linked[..]),
            },
        };
        let transfer = |link: &LinkedRow| {
            let PreviewRow { row, .. } = self.preview.get(link.row?)?;
            let other_side = match (link.bill_id, link.transaction_id) {
                (Some(id), _) => OtherSide::Bill(kept(id.0)),
                (None, Some(id)) => OtherSide::Transaction(kept(id.0)),
                (None, None) => OtherSide::NotKeptHere,
            };
            Some(Transfer { row: format!("{} {:?} {}", row.date, row.description, row.amount), other_side })
        };
        let is_likely =
            |row: &&PreviewRow| !row.is_duplicate() && row.transfer.is_some_and(|transfer| !transfer.is_certain());
        let is_held = matches!(self.confirmed, Confirmed::Held(_));
        Report {
            rows: self.preview.len(),
            new: self.new_rows(),
            skipped_by_rules: self.preview.iter().filter(|row| row.is_skipped_by_rule()).count(),
            yields: self.preview.iter().filter(|row| row.is_automatic_yield()).count(),
            income: self.total(Kind::Income),
            expenses: self.total(Kind::Expense),
            stored,
            transfers: linked.iter().filter_map(transfer).collect(),
            likely_transfers: if is_held { 0 } else { self.preview.iter().filter(is_likely).count() },
        }
    }
}
