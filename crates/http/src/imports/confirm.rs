//! The confirm of a statement: the rows of a preview in, transactions or a held statement out.

use std::sync::Arc;

use actix_web::http::StatusCode;
use actix_web::web::Data;
use actix_web::{HttpResponse, post};
use finance_domain::imports::{
    self, Confirmed, ImportInput, ImportTarget, Imported, ROWS_MAX, RowInput, StatementFormat,
};
use finance_domain::transactions::Kind;
use finance_domain::{AccountId, CategoryId, FieldErrors, Money, Repo};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use time::Date;
use utoipa::ToSchema;

use super::FormatView;
use crate::body::{Body, Field};
use crate::idempotency::{Once, answered};
use crate::pending_bills::PendingBillView;
use crate::problems::Problem;
use crate::service::Service;
use crate::transactions::{KindView, TransactionView};
use crate::views::{DateInput, MoneyInput};

/// Bytes in a confirm's body at the most.
const CONFIRM_BYTES_MAX: usize = 16 * 1024 * 1024;

/// The rows of a preview to keep.
#[derive(Deserialize, ToSchema)]
#[schema(as = ImportConfirmBody)]
pub(crate) struct ConfirmBody {
    #[schema(value_type = Option<i64>, minimum = 1)]
    account_id: Field<AccountId>,
    #[schema(value_type = Option<String>, max_length = 255, example = "extrato.ofx")]
    file_name: Field<String>,
    /// `ofx` where absent.
    #[schema(value_type = Option<FormatView>)]
    format: Field<StatementFormat>,
    #[schema(value_type = Option<bool>)]
    is_credit_card: Field<bool>,
    /// Counts only with `is_credit_card`: the day the rows count on.
    #[schema(value_type = Option<DateInput>)]
    payment_date: Field<Date>,
    #[schema(value_type = Vec<RowBody>, max_items = 50_000)]
    rows: Field<Vec<Value>>,
}

/// A row to keep.
#[derive(Deserialize, ToSchema)]
#[schema(as = ImportRowBody)]
struct RowBody {
    /// The statement's own date.
    #[schema(value_type = DateInput)]
    date: Field<Date>,
    #[schema(value_type = String, min_length = 1, max_length = 255)]
    description: Field<String>,
    #[schema(value_type = MoneyInput)]
    amount: Field<Money>,
    #[serde(rename = "type")]
    #[schema(value_type = KindView)]
    kind: Field<Kind>,
    #[schema(value_type = Option<String>, max_length = 255)]
    external_id: Field<String>,
    #[schema(value_type = Option<i64>, minimum = 1)]
    category_id: Field<CategoryId>,
}

impl ConfirmBody {
    fn into_input(self) -> ImportInput {
        let mut errors = FieldErrors::default();
        let rows = self.rows.take("rows", &mut errors);
        // Beyond the limit the rows need not be read to be refused.
        let rows = rows.map(|rows| match rows.len() {
            0..=ROWS_MAX => rows.into_iter().enumerate().map(|(at, row)| row_input(at, row, &mut errors)).collect(),
            beyond => vec![None; beyond],
        });
        ImportInput {
            target: ImportTarget {
                account_id: self.account_id.take("account_id", &mut errors),
                is_credit_card: self.is_credit_card.take("is_credit_card", &mut errors).unwrap_or(false),
                payment_date: self.payment_date.take("payment_date", &mut errors),
            },
            file_name: self.file_name.take("file_name", &mut errors),
            format: self.format.take("format", &mut errors),
            rows,
            errors,
        }
    }
}

fn row_input(at: usize, row: Value, errors: &mut FieldErrors) -> Option<RowInput> {
    let Some(body) = row.is_object().then(|| serde_json::from_value::<RowBody>(row).ok()).flatten() else {
        errors.push(format!("rows[{at}]"), "must be an object");
        return None;
    };
    let mut own = FieldErrors::default();
    let input = RowInput {
        date: body.date.take("date", &mut own),
        description: body.description.take("description", &mut own),
        amount: body.amount.take("amount", &mut own),
        kind: body.kind.take("type", &mut own),
        external_id: body.external_id.take("external_id", &mut own),
        category_id: body.category_id.take("category_id", &mut own),
    };
    for error in own.iter() {
        errors.push(format!("rows[{at}].{}", error.field), error.message.clone());
    }
    Some(input)
}

/// What a confirm did.
#[derive(Serialize, ToSchema)]
#[schema(as = Imported)]
pub(crate) struct ImportedView {
    #[schema(example = "imported")]
    status: &'static str,
    /// The entry in the log; null where nothing was inserted.
    import_id: Option<i64>,
    inserted: usize,
    skipped: Vec<SkippedView>,
    transactions: Vec<TransactionView>,
}

/// A row that was not inserted.
#[derive(Serialize, ToSchema)]
#[schema(as = SkippedRow)]
struct SkippedView {
    /// Its position in the request, from 0.
    row: usize,
    #[schema(example = "duplicate of transaction 7")]
    reason: String,
}

impl From<Imported> for ImportedView {
    fn from(imported: Imported) -> Self {
        ImportedView {
            status: "imported",
            import_id: imported.import_id.map(|id| id.0),
            inserted: imported.transactions.len(),
            skipped: imported
                .skipped
                .into_iter()
                .map(|skipped| SkippedView {
                    row: skipped.row,
                    reason: match skipped.duplicate_of {
                        Some(id) => format!("duplicate of transaction {id}"),
                        None => "duplicate of a row in a pending bill".to_string(),
                    },
                })
                .collect(),
            transactions: imported.transactions.into_iter().map(TransactionView::from).collect(),
        }
    }
}

/// That a card statement is held until its payment date.
#[derive(Serialize, ToSchema)]
#[schema(as = Held)]
pub(crate) struct HeldView {
    #[schema(example = "pending")]
    status: &'static str,
    pending_bill: PendingBillView,
}

/// Inserts the rows that are not stored yet, all or nothing; lists the others. A card statement whose
/// payment date is after today is held until then.
#[utoipa::path(tag = "imports", request_body = ConfirmBody,
    responses((status = 201, body = ImportedView), (status = 202, body = HeldView),
        (status = 409, description = "`ErrLimitReached`, where the statement would be held")))]
#[post("/api/import/confirm")]
pub(crate) async fn confirm(
    service: Data<Service>,
    Once(post, body): Once<Body<ConfirmBody, CONFIRM_BYTES_MAX>>,
) -> Result<HttpResponse, Problem> {
    let (input, today) = (body.0.into_input(), service.clock.today());
    let work = move |repo: &mut dyn Repo| imports::confirm(repo, input, today);
    let metrics = Arc::clone(&service.metrics);
    let answer = move |confirmed| match confirmed {
        Confirmed::Imported(imported) => {
            metrics.imported(&imported);
            answered(StatusCode::CREATED, ImportedView::from(imported))
        }
        Confirmed::Held(bill) => {
            metrics.held();
            answered(StatusCode::ACCEPTED, HeldView { status: "pending", pending_bill: bill.into() })
        }
    };
    post.long().write(&service, work, answer).await
}
