//! The confirm of a statement: turns the rows of a preview into transactions or a held statement.

mod rejected;
mod statements;

use std::sync::Arc;

use actix_web::http::StatusCode;
use actix_web::post;
use finance_domain::imports::{
    DetailsInput, FormerInput, ImportInput, ImportTarget, ROWS_MAX, RowInput, StatementFormat,
};
use finance_domain::pending_bills::PendingBillStatus;
use finance_domain::tags::TAGS_MAX;
use finance_domain::transactions::{Kind, LINES_MAX};
use finance_domain::transfers::Choice;
use finance_domain::use_cases::imports::{self, Confirmed};
use finance_domain::{AccountId, BillId, CategoryId, FieldErrors, InboxItemId, Money, Repo, TransactionId, Violation};
use serde::de::value::MapAccessDeserializer;
use serde::de::{IgnoredAny, MapAccess, SeqAccess};
use serde::{Deserialize, Deserializer, Serialize};
use time::Date;
use utoipa::ToSchema;

use super::FormatView;
use super::imported::{AnswerQuery, ImportedView};
use crate::extract::body::LargeBody;
use crate::extract::idempotency::{Idempotent, answered};
use crate::extract::json::{AnyVisitor, Field, FromAny, Items, Object, Objects, take_fields};
use crate::extract::query::Params;
use crate::metrics::{ImportCounts, ImportNote};
use crate::problem::Reply;
use crate::routes::pending_bills::PendingBillView;
use crate::routes::transactions::KindView;
use crate::routes::transactions::lines::{LineBody, read_tags};
use crate::service::Shared;
use crate::views::{DateInput, MoneyInput};
use rejected::RejectedLines;
pub use rejected::left_out_row;
use statements::Statements;

/// The maximum size of a confirm's body in bytes.
const CONFIRM_BYTES_MAX: usize = 16 * 1024 * 1024;

/// The rows of a preview to keep.
#[derive(Deserialize, ToSchema)]
#[schema(as = ImportConfirmBody)]
pub(crate) struct ConfirmBody {
    #[schema(value_type = Option<i64>, minimum = 1)]
    account_id: Field<AccountId>,
    #[schema(value_type = Option<String>, max_length = 255, example = "extrato.ofx")]
    file_name: Field<String>,
    /// The file in the inbox that the rows are from. It is `imported` then.
    #[schema(value_type = Option<i64>, minimum = 1)]
    inbox_id: Field<i64>,
    /// `ofx` if absent.
    #[schema(value_type = Option<FormatView>)]
    format: Field<StatementFormat>,
    #[schema(value_type = Option<bool>)]
    is_credit_card: Field<bool>,
    /// Used only with `is_credit_card`: the date on which the rows count.
    #[schema(value_type = Option<DateInput>)]
    payment_date: Field<Date>,
    /// Used only with `is_credit_card` and an account: the bill's due date in the statement, as returned by the preview. It
    /// becomes the due date of the last bill that closed on or before it, in place of the date by the card's due day.
    #[schema(value_type = Option<DateInput>)]
    due_date: Field<Date>,
    #[serde(default)]
    #[schema(value_type = Vec<RowBody>, max_items = 50_000)]
    rows: RowsBody,
    /// The statements of the file, as the preview returns them, with their accounts. If one of them has an account, rows of others
    /// without one are skipped.
    #[serde(default)]
    #[schema(value_type = Option<Vec<statements::StatementBody>>, max_items = 50)]
    statements: Statements,
    /// The lines that the preview rejected, as it returns them. The first 200 rows that an import leaves out are kept with it: they
    /// may explain a difference of a balance.
    #[serde(default)]
    #[schema(value_type = Option<Vec<rejected::RejectedBody>>, max_items = 50_000)]
    rejected: RejectedLines,
}

/// A row to keep.
#[derive(Deserialize, ToSchema)]
#[schema(as = ImportRowBody)]
struct RowBody {
    /// The date in the statement.
    #[schema(value_type = DateInput)]
    date: Field<Date>,
    #[schema(value_type = String, min_length = 1, max_length = 255)]
    description: Field<String>,
    /// The description in the statement, if it differs. Later imports recognise the row by it.
    #[schema(value_type = Option<String>, min_length = 1, max_length = 255)]
    statement_description: Field<String>,
    #[schema(value_type = MoneyInput)]
    amount: Field<Money>,
    #[serde(rename = "type")]
    #[schema(value_type = KindView)]
    kind: Field<Kind>,
    #[schema(value_type = Option<String>, max_length = 255)]
    external_id: Field<String>,
    #[schema(value_type = Option<i64>, minimum = 1)]
    category_id: Field<CategoryId>,
    /// The other side, if the row is a transfer. An empty object makes it a transfer with the certain other side, if there is
    /// one. `null` makes it an ordinary row that is never linked automatically. If absent, only a certain transfer is linked.
    #[serde(default)]
    #[schema(value_type = Option<TransferWithBody>)]
    transfer_with: TransferWithField,
    /// True stores the row even if a rule leaves it out, or if it is yield on an account with automatic yield.
    #[schema(value_type = Option<bool>)]
    keep: Field<bool>,
    /// What earlier versions made of the row, as the preview returns it. If the row is not stored as it is read now, it is compared by
    /// this.
    #[serde(default)]
    #[schema(value_type = Option<FormerBody>)]
    former: Option<Object<FormerBody>>,
    /// The currency of the amount; null for the real. A confirm skips a row in another currency.
    #[schema(value_type = Option<String>, max_length = 8)]
    currency: Field<String>,
    /// The index of its statement. Required if the file has several.
    #[schema(value_type = Option<i64>, minimum = 0)]
    statement: Field<i64>,
    /// Instead of a category: parts that each have a category, and that sum to the amount. A row with lines is no transfer.
    #[serde(default)]
    #[schema(value_type = Option<Vec<LineBody>>, min_items = 2, max_items = 20)]
    lines: Objects<LineBody, LINES_MAX>,
    /// Each 1 to 30 characters, unique regardless of case. Rules add theirs.
    #[serde(default)]
    #[schema(value_type = Option<Vec<String>>, max_items = 10)]
    tags: Items<Field<String>, TAGS_MAX>,
    #[schema(value_type = Option<String>, min_length = 1, max_length = 1000)]
    note: Field<String>,
}

/// What earlier versions made of a row.
#[derive(Deserialize, ToSchema)]
#[schema(as = ImportFormerBody)]
struct FormerBody {
    /// The row's if absent.
    #[schema(value_type = Option<DateInput>)]
    date: Field<Date>,
    #[schema(value_type = String, min_length = 1, max_length = 255)]
    description: Field<String>,
    #[schema(value_type = MoneyInput)]
    amount: Field<Money>,
    #[serde(rename = "type")]
    #[schema(value_type = KindView)]
    kind: Field<Kind>,
}

impl FormerBody {
    fn take(body: Option<Object<Self>>, errors: &mut FieldErrors) -> Option<FormerInput> {
        let Object(body) = body?;
        let Some(body) = body else {
            errors.push("former", Violation::NotAnObjectOrNull);
            return None;
        };
        Some(FormerInput {
            date: body.date.take("former.date", errors),
            description: body.description.take("former.description", errors),
            amount: body.amount.take("former.amount", errors),
            kind: body.kind.take("former.type", errors),
        })
    }
}

/// The other side of a transfer.
#[derive(Deserialize, ToSchema)]
#[schema(as = TransferWithBody)]
struct TransferWithBody {
    /// A transaction of the same amount and the other type, on another account.
    #[schema(value_type = Option<i64>, minimum = 1)]
    transaction_id: Field<i64>,
    /// A bill with at least this amount due.
    #[schema(value_type = Option<i64>, minimum = 1)]
    bill_id: Field<i64>,
}

/// The value of `transfer_with`: absent, null, not an object, or the other side.
#[derive(Default)]
enum TransferWithField {
    #[default]
    Absent,
    Null,
    Other,
    With(TransferWithBody),
}

impl<'de> Deserialize<'de> for TransferWithField {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AnyVisitor::new())
    }
}

impl<'de> FromAny<'de> for TransferWithField {
    fn from_other() -> Self {
        TransferWithField::Other
    }

    fn from_null() -> Self {
        TransferWithField::Null
    }

    fn from_object<A: MapAccess<'de>>(object: A) -> Result<Self, A::Error> {
        TransferWithBody::deserialize(MapAccessDeserializer::new(object)).map(TransferWithField::With)
    }
}

impl TransferWithField {
    fn take(self, name: &str, errors: &mut FieldErrors) -> Choice {
        let body = match self {
            TransferWithField::Absent => return Choice::Unsaid,
            TransferWithField::Null => return Choice::Ordinary,
            TransferWithField::Other => {
                errors.push(name, Violation::NotAnObjectOrNull);
                return Choice::Unsaid;
            }
            TransferWithField::With(body) => body,
        };
        match (body.transaction_id.take(name, errors), body.bill_id.take(name, errors)) {
            (None, None) => Choice::Transfer,
            (Some(id), None) => Choice::With(TransactionId(id)),
            (None, Some(id)) => Choice::Bill(BillId(id)),
            (Some(_), Some(_)) => {
                errors.push(name, Violation::NotOneReference);
                Choice::Unsaid
            }
        }
    }
}

impl ConfirmBody {
    /// The input, with the errors of the query.
    fn into_input(self, mut errors: FieldErrors) -> ImportInput {
        let target = ImportTarget {
            account_id: self.account_id.take("account_id", &mut errors),
            is_credit_card: self.is_credit_card.take("is_credit_card", &mut errors).unwrap_or(false),
            payment_date: self.payment_date.take("payment_date", &mut errors),
            held_at: None,
        };
        let due_date = self.due_date.take("due_date", &mut errors);
        let file_name = self.file_name.take("file_name", &mut errors);
        let inbox_id = self.inbox_id.take("inbox_id", &mut errors).map(InboxItemId);
        let format = self.format.take("format", &mut errors);
        let statements = statements::read(self.statements, &mut errors);
        let account_of = statements::account_of(&statements, target.account_id);
        let rejected = rejected::read(self.rejected, account_of, &mut errors);
        // Last, because there may be more errors than are kept.
        for error in self.rows.errors.iter() {
            errors.push(error.field.as_str(), error.violation.clone());
        }
        ImportInput {
            target,
            file_name,
            inbox_id,
            format,
            due_date,
            statements,
            rows: self.rows.rows,
            rejected,
            errors,
        }
    }
}

/// The rows. They are parsed one by one, so that only the results are in memory. Of the rows beyond the limit, one entry is kept,
/// which is enough to refuse them all.
#[derive(Default)]
struct RowsBody {
    rows: Option<Vec<Option<RowInput>>>,
    errors: FieldErrors,
}

impl<'de> Deserialize<'de> for RowsBody {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AnyVisitor::new())
    }
}

impl<'de> FromAny<'de> for RowsBody {
    fn from_other() -> Self {
        let mut errors = FieldErrors::default();
        errors.push("rows", Violation::NotAnArray);
        RowsBody { rows: None, errors }
    }

    fn from_null() -> Self {
        RowsBody::default()
    }

    fn from_array<A: SeqAccess<'de>>(mut array: A) -> Result<Self, A::Error> {
        let mut errors = FieldErrors::default();
        let mut rows = Vec::new();
        while rows.len() < ROWS_MAX {
            match array.next_element::<Object<RowBody>>()? {
                Some(row) => rows.push(row_input(rows.len(), row.0, &mut errors)),
                None => return Ok(RowsBody { rows: Some(rows), errors }),
            }
        }
        while array.next_element::<IgnoredAny>()?.is_some() {
            rows.truncate(ROWS_MAX);
            rows.push(None);
        }
        Ok(RowsBody { rows: Some(rows), errors })
    }
}

fn row_input(at: usize, row: Option<RowBody>, errors: &mut FieldErrors) -> Option<RowInput> {
    let Some(body) = row else {
        errors.push(format!("rows[{at}]"), Violation::NotAnObject);
        return None;
    };
    let mut own = FieldErrors::default();
    let statement = body.statement.take("statement", &mut own);
    if statement.is_some_and(|index| index < 0) {
        own.push("statement", Violation::NoSuchStatement);
    }
    let input = take_fields!(body, &mut own => RowInput {
        date, description, statement_description, amount, kind as "type", external_id, category_id, choice from transfer_with,
        currency;
        is_kept: body.keep.take("keep", &mut own).unwrap_or(false),
        former: FormerBody::take(body.former, &mut own).map(Box::new),
        statement: statement.and_then(|index| usize::try_from(index).ok()),
        details: DetailsInput {
            lines: body.lines.take_objects("lines", &mut own, LineBody::into_input),
            tags: body.tags.take("tags", &mut own).map(|tags| read_tags(tags, &mut own)),
            note: body.note.take("note", &mut own),
        },
    });
    for error in own.iter() {
        errors.push(format!("rows[{at}].{}", error.field), error.violation.clone());
    }
    Some(input)
}

/// A card statement that is held until its payment date.
#[derive(Serialize, ToSchema)]
#[schema(as = Held)]
pub(crate) struct HeldView {
    #[schema(example = "pending")]
    status: &'static str,
    pending_bill: PendingBillView,
}

/// Inserts the rows that are not stored yet, all or nothing, and lists the skipped ones. It also skips rows that a rule leaves
/// out, and yield on an account with automatic yield. A card statement whose payment date is after today is held until then.
#[utoipa::path(tag = "imports", params(AnswerQuery), request_body = ConfirmBody,
    responses((status = 201, body = ImportedView), (status = 202, body = HeldView),
        (status = 409, description = "`ErrLimitReached`: too many statements or rows would be held, or too many transactions or imports stored")))]
#[post("/api/import/confirm")]
pub(crate) async fn confirm(
    service: Shared,
    query: Params<AnswerQuery>,
    Idempotent { post, body }: Idempotent<LargeBody<ConfirmBody, CONFIRM_BYTES_MAX>>,
) -> Reply {
    let mut errors = FieldErrors::default();
    let lists_transactions = query.value.lists_transactions(&mut errors);
    let (input, context) = (body.value.into_input(errors), service.context());
    let permit = body.permit.map(Arc::new);
    let permit_of_work = permit.clone();
    let work = move |repo: &mut dyn Repo| {
        // The rows are in memory until this is done, even if the client no longer waits for the answer.
        let _permit = permit_of_work;
        imports::confirm(repo, &context, input)
    };
    let note = ImportNote::default();
    let noted = note.clone();
    let answer = move |confirmed| match confirmed {
        Confirmed::Imported(imported) => {
            noted.note(ImportCounts::of(&imported));
            answered(StatusCode::CREATED, ImportedView::new(imported, lists_transactions))
        }
        Confirmed::Held(bill) => {
            noted.note(ImportCounts::Held);
            answered(
                StatusCode::ACCEPTED,
                HeldView { status: PendingBillStatus::Pending.as_str(), pending_bill: bill.into() },
            )
        }
    };
    let mut response = post.long().write(&service, work, answer).await?;
    note.count(&service.metrics);
    if let Some(permit) = permit {
        response.extensions_mut().insert(permit);
    }
    Ok(response)
}
