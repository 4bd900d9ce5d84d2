//! The printed report of a file: what was recognised in it, and what was done with it.

use finance_statements::Rejected;

use super::statements::Ready;

use crate::output::say;

/// The result for a file.
pub(super) struct Report {
    pub(super) rows: usize,
    pub(super) new: usize,
    pub(super) skipped_by_rules: usize,
    /// The rows of yield on an account that yields by itself.
    pub(super) yields: usize,
    pub(super) income: String,
    pub(super) expenses: String,
    pub(super) stored: Stored,
    /// The rows that are transfers.
    pub(super) transfers: Vec<Transfer>,
    /// Rows that may be transfers and are not linked.
    pub(super) likely_transfers: usize,
}

/// The result for the new rows. Ids are none in a dry run.
pub(super) enum Stored {
    Held { id: Option<i64>, until: String },
    Inserted { id: Option<i64> },
    Nothing,
}

/// A row that is a transfer.
pub(super) struct Transfer {
    /// Date, description and amount.
    pub(super) row: String,
    pub(super) other_side: OtherSide,
}

/// The other side of a transfer. Ids are none in a dry run.
pub(super) enum OtherSide {
    Bill(Option<i64>),
    Transaction(Option<i64>),
    NotKeptHere,
}

/// Prints the report of a file.
pub(super) fn print(file: &Ready<'_>, report: &Report) {
    let Ready { statement, payment_date, .. } = file;
    let Report { rows, new, skipped_by_rules, yields, income, expenses, .. } = report;
    say!(
        "{}: {} of {}: rows {rows}, new {new}, duplicates {}, rejected {}, income {income}, expenses {expenses}",
        file.shown(),
        statement.format.as_str(),
        file.account_names(),
        rows - new - skipped_by_rules - yields,
        statement.rejected.len(),
    );
    if *skipped_by_rules > 0 {
        say!("  {skipped_by_rules} left out by rules");
    }
    if *yields > 0 {
        say!("  {yields} left out: the account yields by itself");
    }
    match &statement.accounts[..] {
        [of] if of.number.is_none() => {}
        [of] => say!("  the file is for {of}"),
        several => {
            for (of, account) in several.iter().zip(&file.accounts) {
                say!("  {of} goes to {:?}", account.name);
            }
        }
    }
    for Rejected { sheet, line, reason, .. } in &statement.rejected {
        let sheet = sheet.as_ref().map(|sheet| format!("{sheet:?} ")).unwrap_or_default();
        say!("  {sheet}line {line} rejected: {reason}");
    }
    let on = payment_date.map(|date| format!(", paid on {date}")).unwrap_or_default();
    match &report.stored {
        Stored::Held { id: Some(id), until } => say!("  {new} held as pending bill {id} until {until}"),
        Stored::Held { id: None, until } => say!("  {new} would be held as a pending bill until {until}"),
        Stored::Inserted { id: Some(id) } => say!("  {new} inserted as import {id}{on}"),
        Stored::Inserted { id: None } => say!("  {new} would be inserted{on}"),
        Stored::Nothing => say!("  nothing to insert"),
    }
    print_transfers(report);
}

/// Prints the rows that are transfers between own accounts, and the number of rows that may be.
fn print_transfers(report: &Report) {
    for Transfer { row, other_side } in &report.transfers {
        let other_side = match other_side {
            OtherSide::Bill(Some(id)) => format!("pays bill {id}"),
            OtherSide::Bill(None) => "pays a bill".to_string(),
            OtherSide::Transaction(Some(id)) => format!("is one transfer with transaction {id}"),
            OtherSide::Transaction(None) => "is one transfer with a row of another account".to_string(),
            OtherSide::NotKeptHere => "is a transfer whose other side is not kept here".to_string(),
        };
        say!("  {row} {other_side}");
    }
    let likely = report.likely_transfers;
    if likely > 0 {
        say!("  {likely} of the rows may be transfers and are not linked: GET /api/transfers/suggestions lists them");
    }
}
