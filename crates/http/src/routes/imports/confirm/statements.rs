//! The statements of a confirmed file: the account of each, and the balances that it states.

use finance_domain::imports::FileBalance;
use finance_domain::{AccountId, FieldErrors, Money};
use serde::Deserialize;
use time::Date;
use utoipa::ToSchema;

use crate::extract::json::{Field, FirstObjects, Object};
use crate::views::{DateInput, MoneyInput};

/// The most statements of a file.
pub(super) const STATEMENTS_MAX: usize = 50;
/// The most balances of a statement: those of ten years of working days.
const BALANCES_MAX: usize = 4_000;

/// The statements of a file.
pub(super) type Statements = FirstObjects<StatementBody, STATEMENTS_MAX>;

/// A statement of the file, as the preview returns it, with the account that was chosen.
#[derive(Deserialize, ToSchema)]
#[schema(as = ImportStatementBody)]
pub(super) struct StatementBody {
    /// Its position in the file, from 0.
    #[schema(value_type = Option<i64>, minimum = 0)]
    index: Field<i64>,
    /// Its account. The account of the import takes its place, if the file has one statement.
    #[schema(value_type = Option<i64>, minimum = 1)]
    account_id: Field<AccountId>,
    /// The last balance that the statement states.
    #[serde(default)]
    #[schema(value_type = Option<BalanceBody>)]
    balance: Option<Object<BalanceBody>>,
    /// Every balance that the statement states. They are kept as anchors of its account, if something is inserted and the account is
    /// no card.
    #[serde(default)]
    #[schema(value_type = Option<Vec<BalanceBody>>, max_items = 4_000)]
    balances: FirstObjects<BalanceBody, BALANCES_MAX>,
}

/// What the account held at the end of a day.
#[derive(Deserialize, ToSchema)]
#[schema(as = ImportBalanceBody)]
pub(super) struct BalanceBody {
    #[schema(value_type = DateInput)]
    date: Field<Date>,
    /// Below 0 if money is owed.
    #[schema(value_type = MoneyInput)]
    amount: Field<Money>,
}

impl BalanceBody {
    fn read(self, errors: &mut FieldErrors) -> Option<(Date, Money)> {
        let date = self.date.take("date", errors);
        let amount = self.amount.take("amount", errors);
        let date = if errors.has("date") { None } else { errors.require("date", date) };
        let amount = if errors.has("amount") { None } else { errors.require("amount", amount) };
        let amount = amount.and_then(|amount| errors.check("amount", amount.stated_balance()));
        Some((date?, amount?))
    }
}

/// A statement that was read.
pub(super) struct Statement {
    account_id: Option<AccountId>,
    balances: Vec<(Date, Money)>,
}

impl StatementBody {
    fn read(self, errors: &mut FieldErrors) -> Statement {
        self.index.take("index", errors);
        let account_id = self.account_id.take("account_id", errors);
        let listed = self.balances.take("balances", errors, BalanceBody::read);
        let mut balances: Vec<(Date, Money)> = listed.into_iter().flatten().flatten().flatten().collect();
        if let Some(Object(last)) = self.balance {
            match last {
                None => errors.push("balance", finance_domain::Violation::NotAnObjectOrNull),
                Some(body) => {
                    let mut own = FieldErrors::default();
                    balances.extend(body.read(&mut own));
                    for error in own.iter() {
                        errors.push(format!("balance.{}", error.field), error.violation.clone());
                    }
                }
            }
        }
        Statement { account_id, balances }
    }
}

/// The statements of a body.
pub(super) fn read(statements: Statements, errors: &mut FieldErrors) -> Vec<Option<Statement>> {
    statements.take("statements", errors, StatementBody::read).unwrap_or_default()
}

/// The account of each statement. `account_id` is the account of the import.
pub(super) fn accounts(statements: &[Option<Statement>], account_id: Option<AccountId>) -> Vec<Option<AccountId>> {
    let own = |statement: &Option<Statement>| statement.as_ref().and_then(|statement| statement.account_id);
    match statements {
        [] => vec![account_id],
        [only] => vec![account_id.or(own(only))],
        several => several.iter().map(own).collect(),
    }
}

/// The balances that the statements of these accounts state.
pub(super) fn balances(statements: Vec<Option<Statement>>, accounts: &[Option<AccountId>]) -> Vec<FileBalance> {
    let of_accounts = statements.into_iter().zip(accounts);
    let known = of_accounts.filter_map(|(statement, account_id)| Some((statement?, (*account_id)?)));
    known
        .flat_map(|(statement, account_id)| {
            statement.balances.into_iter().map(move |(date, amount)| FileBalance { account_id, date, amount })
        })
        .collect()
}
