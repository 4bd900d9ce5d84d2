//! The statements of a confirmed file: the account of each, the key by which it is known again, and the balances that it states.

use std::collections::HashMap;

use finance_domain::imports::{BALANCES_MAX, DayBalance, STATEMENTS_MAX, StatementInput};
use finance_domain::{AccountId, FieldErrors, Money};
use serde::Deserialize;
use time::Date;
use utoipa::ToSchema;

use crate::extract::json::{Field, Object, Objects, take_fields};
use crate::views::{DateInput, MoneyInput};

/// The statements of a file.
pub(super) type Statements = Objects<StatementBody, STATEMENTS_MAX>;

/// A statement of the file, as the preview returns it, with the account that was chosen.
#[derive(Deserialize, ToSchema)]
#[schema(as = ImportStatementBody)]
pub(super) struct StatementBody {
    /// The position by which rows name it.
    #[schema(value_type = i64, minimum = 0)]
    index: Field<i64>,
    /// The reference of its account, as the preview returned it. The chosen account learns it.
    #[serde(rename = "ref")]
    #[schema(value_type = Option<String>)]
    reference: Field<String>,
    /// The last characters of the account's number.
    #[schema(value_type = Option<String>, max_length = 4)]
    hint: Field<String>,
    /// Its account. The account of the import takes its place, if the file has one statement.
    #[schema(value_type = Option<i64>, minimum = 1)]
    account_id: Field<AccountId>,
    /// The last balance that the statement states.
    #[serde(default)]
    #[schema(value_type = Option<BalanceBody>)]
    balance: Option<Object<BalanceBody>>,
    /// Every balance that the statement states.
    #[serde(default)]
    #[schema(value_type = Option<Vec<BalanceBody>>, max_items = 5_000)]
    balances: Objects<BalanceBody, BALANCES_MAX>,
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
    fn read(self, errors: &mut FieldErrors) -> Option<DayBalance> {
        let date = self.date.take("date", errors);
        let amount = self.amount.take("amount", errors);
        let date = if errors.has("date") { None } else { errors.require("date", date) };
        let amount = if errors.has("amount") { None } else { errors.require("amount", amount) };
        let amount = amount.and_then(|amount| errors.check("amount", amount.stated_balance()));
        Some(DayBalance { date: date?, amount: amount? })
    }
}

impl StatementBody {
    fn read(self, errors: &mut FieldErrors) -> StatementInput {
        let index = self.index.take("index", errors);
        if index.is_some_and(|index| index < 0) {
            errors.push("index", finance_domain::Violation::NoSuchStatement);
        }
        let listed = self.balances.at_most_max().take_objects("balances", errors, BalanceBody::read);
        let mut balances: Vec<DayBalance> = listed.into_iter().flatten().flatten().flatten().collect();
        match self.balance {
            Some(Object(None)) => errors.push("balance", finance_domain::Violation::NotAnObjectOrNull),
            Some(Object(Some(body))) => {
                let mut own = FieldErrors::default();
                balances.extend(body.read(&mut own));
                for error in own.iter() {
                    errors.push(format!("balance.{}", error.field), error.violation.clone());
                }
            }
            None => {}
        }
        take_fields!(self, errors => StatementInput {
            reference as "ref", hint, account_id;
            index: index.and_then(|index| usize::try_from(index).ok()), balances
        })
    }
}

/// The statements of a body.
pub(super) fn read(statements: Statements, errors: &mut FieldErrors) -> Vec<StatementInput> {
    let read = statements.at_most_max().take_objects("statements", errors, StatementBody::read);
    read.into_iter().flatten().flatten().collect()
}

/// The account of a statement by its index. `account_id` is the account of the import, which is that of the only statement.
pub(super) fn account_of(
    statements: &[StatementInput],
    account_id: Option<AccountId>,
) -> impl Fn(Option<usize>) -> Option<AccountId> {
    let only = match statements {
        [] => account_id,
        [only] => account_id.or(only.account_id),
        _ => None,
    };
    let is_one = statements.len() <= 1;
    let known: HashMap<usize, AccountId> =
        statements.iter().filter_map(|statement| Some((statement.index?, statement.account_id?))).collect();
    move |index| if is_one { only } else { index.and_then(|index| known.get(&index)).copied() }
}
