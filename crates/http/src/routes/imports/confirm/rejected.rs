//! The lines that a preview rejected, sent back with the confirm: they may explain a difference of a balance.

use finance_domain::imports::{LeftOutRow, ROWS_MAX};
use finance_domain::text::DESCRIPTION_CHARS_MAX;
use finance_domain::transactions::Kind;
use finance_domain::{AccountId, FieldErrors, Money, Violation};
use finance_statements::Reason;
use serde::Deserialize;
use time::Date;
use utoipa::ToSchema;

use crate::extract::json::{Field, Objects};
use crate::routes::transactions::KindView;
use crate::views::{DateInput, MoneyInput};

/// The rejected lines of a file.
pub(super) type RejectedLines = Objects<RejectedBody, ROWS_MAX>;

/// The description of a line without one.
const NO_DESCRIPTION: &str = "Sem descrição";

/// A line that the preview rejected, as it was returned. `params` and `reason` are not used.
#[derive(Deserialize, ToSchema)]
#[schema(as = ImportRejectedBody)]
pub(super) struct RejectedBody {
    #[schema(value_type = Option<String>)]
    sheet: Field<String>,
    #[schema(value_type = i64, minimum = 1)]
    line: Field<i64>,
    #[schema(value_type = String, example = "invalid_date")]
    code: Field<String>,
    /// The position of its statement in the file; the first if absent.
    #[schema(value_type = Option<i64>, minimum = 0)]
    statement: Field<i64>,
    /// Only a line with a date, a type and an amount is kept, and none of a balance or a total.
    #[schema(value_type = Option<DateInput>)]
    date: Field<Date>,
    #[schema(value_type = Option<MoneyInput>)]
    amount: Field<Money>,
    #[serde(rename = "type")]
    #[schema(value_type = Option<KindView>)]
    kind: Field<Kind>,
    #[schema(value_type = Option<String>)]
    description: Field<String>,
}

/// Whether lines of this code are no rows of the account.
fn is_no_row(code: &str) -> bool {
    let summaries = [Reason::BalanceLine, Reason::CarriedBalance, Reason::TotalLine, Reason::RepeatedHeader];
    summaries.iter().any(|reason| reason.code() == code)
}

/// A description as it is kept.
fn kept(description: &str) -> String {
    let plain = description.replace('\0', " ");
    match plain.trim() {
        "" => NO_DESCRIPTION.to_string(),
        text => text.chars().take(DESCRIPTION_CHARS_MAX).collect::<String>().trim_end().to_string(),
    }
}

/// The row of an account that a rejected line with this code is. None if it is none, or if its date, type or amount is not known.
pub fn left_out_row(
    code: &str,
    account_id: Option<AccountId>,
    date: Option<Date>,
    (kind, amount): (Option<Kind>, Option<Money>),
    description: Option<&str>,
) -> Option<LeftOutRow> {
    if is_no_row(code) {
        return None;
    }
    let amount = amount?.transaction_amount().ok()?;
    let description = kept(description.unwrap_or_default());
    Some(LeftOutRow { account_id, date: date?, kind: kind?, amount, description })
}

/// The rows among the rejected lines of which date, type and amount are known. `account_of` is the account of a statement by its
/// index; a line without one is of the only statement.
pub(super) fn read(
    lines: RejectedLines,
    account_of: impl Fn(Option<usize>) -> Option<AccountId>,
    errors: &mut FieldErrors,
) -> Vec<LeftOutRow> {
    let row = |body: RejectedBody, errors: &mut FieldErrors| {
        body.sheet.take("sheet", errors);
        let line = body.line.take("line", errors);
        if !errors.has("line") {
            errors.require("line", line);
        }
        let code = body.code.take("code", errors);
        let code = if errors.has("code") { None } else { errors.require("code", code) };
        if code.as_deref().is_some_and(|code| !Reason::CODES.contains(&code)) {
            errors.push("code", Violation::not_one_of(Reason::CODES));
        }
        let statement = body.statement.take("statement", errors);
        let (date, amount) = (body.date.take("date", errors), body.amount.take("amount", errors));
        let (kind, description) = (body.kind.take("type", errors), body.description.take("description", errors));
        let account_id = account_of(statement.and_then(|index| usize::try_from(index).ok()));
        left_out_row(&code?, account_id, date, (kind, amount), description.as_deref())
    };
    lines.at_most_max().take_objects("rejected", errors, row).into_iter().flatten().flatten().flatten().collect()
}
