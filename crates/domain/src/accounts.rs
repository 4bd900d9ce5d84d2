//! Accounts: banks, investments and cards. A balance is income minus expenses over all transactions of the account.

use time::Date;

use crate::error::{FieldErrors, Result};
use crate::ids::{AccountId, ProfileId};
use crate::money::{Money, Percentage};
use crate::month::day_of_month;
use crate::text;
use crate::words::words;

words! {
    /// The kind of an account. It does not change after creation.
    pub enum AccountKind {
        /// A current account.
        Current = "current",
        /// A savings account.
        Savings = "savings",
        /// An investment; the only kind that may yield.
        Investment = "investment",
        /// A credit card.
        Credit = "credit",
    }
}

words! {
    /// How an investment yields.
    #[derive(Default)]
    pub enum YieldType {
        /// It does not yield.
        #[default]
        None = "none",
        /// A percentage of the CDI rate, accrued by this service.
        Cdi = "cdi",
        /// It yields in a way that this service does not compute.
        Variable = "variable",
    }
}

/// An account of a profile.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Account {
    /// Its id.
    pub id: AccountId,
    /// The profile that owns it.
    pub profile_id: ProfileId,
    /// Its name, unique in the profile whatever the case.
    pub name: String,
    /// The kind of account.
    pub kind: AccountKind,
    /// How it yields; `None` on every account but an investment.
    pub yield_type: YieldType,
    /// Its share of the CDI rate, above 0 to 1000 percent.
    pub cdi_percentage: Percentage,
    /// The last day whose yield is paid or settled. None until CDI yield was first switched on.
    pub last_yield_date: Option<Date>,
    /// The day of the month on which a card's bill closes, 1 to 31. None on any other account.
    pub closing_day: Option<u8>,
    /// The day of the month on which a card's bill is due, 1 to 31. None on any other account.
    pub due_day: Option<u8>,
    /// Income minus expenses over all its transactions.
    pub balance: Money,
}

/// The fields of an account that a client sets, checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewAccount {
    /// Its name.
    pub name: String,
    /// The kind of account.
    pub kind: AccountKind,
    /// How it yields; `None` on every account but an investment.
    pub yield_type: YieldType,
    /// Its share of the CDI rate, above 0 to 1000 percent.
    pub cdi_percentage: Percentage,
    /// The last day whose yield is paid or settled.
    pub last_yield_date: Option<Date>,
    /// The day of the month on which a card's bill closes, 1 to 31. None on any other account.
    pub closing_day: Option<u8>,
    /// The day of the month on which a card's bill is due, 1 to 31. None on any other account.
    pub due_day: Option<u8>,
}

/// An account as a client sends it, not yet checked.
#[derive(Debug, Clone, Default)]
pub struct AccountInput {
    /// Required, 1 to 100 characters.
    pub name: Option<String>,
    /// Required; cannot change later.
    pub kind: Option<AccountKind>,
    /// `none` where absent; another only on an investment.
    pub yield_type: Option<YieldType>,
    /// 100 where absent; above 0, at most 1000.
    pub cdi_percentage: Option<Percentage>,
    /// Taken when yield is switched on, ignored otherwise; today where absent, never after today.
    pub last_yield_date: Option<Date>,
    /// 1 to 31; required on a card, refused elsewhere.
    pub closing_day: Option<i64>,
    /// 1 to 31; required on a card, refused elsewhere.
    pub due_day: Option<i64>,
    /// Signed; creates one transaction that counts for the balance only. Ignored by an update.
    pub opening_balance: Option<Money>,
    /// The opening balance's date; today where absent, never after today. Ignored by an update.
    pub opening_date: Option<Date>,
    /// Fields that could not be read. They are reported together with those that break a rule.
    pub errors: FieldErrors,
}

impl AccountInput {
    /// Applies the rules, against the account as it was where there was one.
    pub(crate) fn check(self, before: Option<&Account>, today: Date) -> Result<NewAccount> {
        let mut errors = self.errors;
        let name = errors.require("name", self.name).and_then(|name| errors.check("name", text::name(&name)));
        let kind = errors.require("kind", self.kind);
        if before.is_some_and(|before| kind.is_some_and(|kind| kind != before.kind)) {
            errors.push("kind", "cannot change after creation");
        }
        let yield_type = self.yield_type.unwrap_or_default();
        if yield_type != YieldType::None && kind.is_some_and(|kind| kind != AccountKind::Investment) {
            errors.push("yield_type", "must be none on an account that is not an investment");
        }
        let cdi_percentage = self.cdi_percentage.unwrap_or(Percentage::whole(100));
        if cdi_percentage <= Percentage::default() || cdi_percentage > Percentage::whole(1000) {
            errors.push("cdi_percentage", "must be above 0 and at most 1000");
        }
        let done_until = before.and_then(|before| before.last_yield_date);
        let yielding = before.is_some_and(|before| before.yield_type == YieldType::Cdi);
        let last_yield_date = if yield_type != YieldType::Cdi || yielding {
            done_until
        } else {
            let date = self.last_yield_date.unwrap_or(today);
            if date > today {
                errors.push("last_yield_date", "must not be after today");
            } else if done_until.is_some_and(|done| date < done) {
                errors.push("last_yield_date", "must not be before the last day already paid");
            }
            Some(date)
        };
        let is_card = kind == Some(AccountKind::Credit);
        let closing_day = check_day("closing_day", self.closing_day, kind.map(|_| is_card), &mut errors);
        let due_day = check_day("due_day", self.due_day, kind.map(|_| is_card), &mut errors);
        if before.is_none() {
            if self.opening_balance.is_some_and(|balance| balance.abs() > Money::TRANSACTION_MAX) {
                errors.push("opening_balance", "must be at most 9999999999.99 either way");
            }
            if self.opening_date.is_some_and(|date| date > today) {
                errors.push("opening_date", "must not be after today");
            }
        }
        errors.into_result()?;
        Ok(NewAccount {
            name: name.unwrap_or_default(),
            kind: kind.unwrap_or(AccountKind::Current),
            yield_type,
            cdi_percentage,
            last_yield_date,
            closing_day,
            due_day,
        })
    }
}

/// A closing or due day: required on a card, refused elsewhere, 1 to 31.
fn check_day(field: &str, day: Option<i64>, is_card: Option<bool>, errors: &mut FieldErrors) -> Option<u8> {
    match (day, is_card) {
        (Some(_), Some(false)) => errors.push(field, "only on an account of kind credit"),
        (None, Some(true)) => errors.push(field, "is required on an account of kind credit"),
        (Some(day), _) => return errors.check(field, day_of_month(day)),
        (None, _) => {}
    }
    None
}

/// The most accounts of one profile.
pub const ACCOUNTS_MAX: usize = 200;

/// The port of accounts. Every method may fail as [`Store::transact`](crate::Store::transact) does.
#[allow(clippy::missing_errors_doc)]
pub trait AccountRepo {
    /// All accounts with their balances, by name.
    fn account_list(&mut self) -> Result<Vec<Account>>;
    /// How many accounts there are.
    fn account_count(&mut self) -> Result<usize>;
    /// The account of that id, if the profile has one.
    fn account_get(&mut self, id: AccountId) -> Result<Option<Account>>;
    /// Stores a new account; [`Refusal::AccountNameTaken`](crate::Refusal::AccountNameTaken) where the name is taken.
    fn account_insert(&mut self, new: &NewAccount) -> Result<Account>;
    /// Replaces the fields of an account. None where there is no such account.
    fn account_update(&mut self, id: AccountId, new: &NewAccount) -> Result<Option<Account>>;
    /// Deletes an account, its opening balance and its bills; [`Refusal::AccountInUse`](crate::Refusal::AccountInUse) where a transaction
    /// beside it, a payment of one of the bills or a pending statement refers to it.
    fn account_delete(&mut self, id: AccountId) -> Result<()>;
}
