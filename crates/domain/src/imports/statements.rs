//! The statements of accounts that a file consists of.

use time::Date;

use crate::account_keys::{AccountKey, FileAccount, HINT_CHARS_MAX, REFERENCE_CHARS};
use crate::accounts::AccountKind;
use crate::error::FieldErrors;
use crate::ids::AccountId;
use crate::money::Money;
use crate::violations::Violation;

/// The most statements of one file.
pub const STATEMENTS_MAX: usize = 50;
/// The most balances of one statement.
pub const BALANCES_MAX: usize = 5_000;

/// What an account held at the end of a day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DayBalance {
    /// The day.
    pub date: Date,
    /// What the account held. What a card owes is negative.
    pub amount: Money,
}

/// One statement of a file, as it was read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FileStatement {
    /// The account. None if the file does not name it.
    pub account: Option<FileAccount>,
    /// The kind of the account, if the file says it.
    pub kind: Option<AccountKind>,
    /// The currency. None if it is the real.
    pub currency: Option<String>,
    /// The balances that the file states, oldest first.
    pub balances: Vec<DayBalance>,
}

/// One statement of a previewed file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PreviewedStatement {
    /// The key of the account. None if the file does not name the account.
    pub key: Option<AccountKey>,
    /// The kind of the account, if the file says it.
    pub kind: Option<AccountKind>,
    /// The currency. None if it is the real.
    pub currency: Option<String>,
    /// How many rows it has.
    pub rows: usize,
    /// The balances that it states until today, oldest first.
    pub balances: Vec<DayBalance>,
    /// What the account would hold after a confirm, at the end of the day of the last balance. None without an account or a balance.
    pub balance_after: Option<Money>,
    /// The account that the rows are compared with.
    pub account_id: Option<AccountId>,
}

impl PreviewedStatement {
    /// The last balance that it states.
    pub fn balance(&self) -> Option<DayBalance> {
        self.balances.last().copied()
    }

    /// Whether the account would hold what the statement says. None if that is not known.
    pub fn agrees(&self) -> Option<bool> {
        Some(self.balance()?.amount == self.balance_after?)
    }
}

/// One statement of an import, as a client sends it, not yet checked.
#[derive(Debug, Clone, Default)]
pub struct StatementInput {
    /// Required: the position by which rows name it.
    pub index: Option<usize>,
    /// The reference of its account, as a preview returned it.
    pub reference: Option<String>,
    /// The last characters of the account's number.
    pub hint: Option<String>,
    /// The account that was chosen.
    pub account_id: Option<AccountId>,
    /// The balances that it states.
    pub balances: Vec<DayBalance>,
}

impl StatementInput {
    /// The key that its account learns. None if the file did not name the account.
    pub(crate) fn key(&self, at: usize, errors: &mut FieldErrors) -> Option<AccountKey> {
        let reference = self.reference.clone()?;
        let is_hash = reference.len() == REFERENCE_CHARS && reference.bytes().all(|digit| digit.is_ascii_hexdigit());
        if !is_hash {
            errors.push(format!("statements[{at}].ref"), Violation::NotAReference);
        }
        let hint = self.hint.clone().unwrap_or_default();
        if hint.chars().nth(HINT_CHARS_MAX).is_some() {
            errors.push(format!("statements[{at}].hint"), Violation::TooLong { max: HINT_CHARS_MAX as i64 });
        } else if hint.contains('\0') {
            errors.push(format!("statements[{at}].hint"), Violation::NulCharacter);
        }
        is_hash.then_some(AccountKey { reference, hint })
    }
}
