//! The result of a confirmed statement: the answer to the confirm of an import and of a pending bill.

use finance_domain::FieldErrors;
use finance_domain::use_cases::imports::{Imported, LinkedRow, SkippedRow};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::codes::{ParamsView, SkippedCodeView};
use crate::extract::query::Param;
use crate::routes::transactions::TransactionView;

/// The result of a confirm.
#[derive(Serialize, ToSchema)]
#[schema(as = Imported)]
pub(crate) struct ImportedView {
    #[schema(example = "imported")]
    status: &'static str,
    /// The entry in the import log; null if nothing was inserted.
    import_id: Option<i64>,
    inserted: usize,
    skipped: Vec<SkippedView>,
    /// The rows that are transfers.
    linked: Vec<LinkedView>,
    /// The inserted transactions, in the order of the rows; absent if they were not requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    transactions: Option<Vec<TransactionView>>,
}

/// What the answer to a confirm contains.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct AnswerQuery {
    /// `false` leaves the list of inserted transactions out of the answer.
    #[param(value_type = Option<bool>)]
    transactions: Param,
}

impl AnswerQuery {
    /// Whether the answer lists the inserted transactions.
    pub(crate) fn lists_transactions(self, errors: &mut FieldErrors) -> bool {
        self.transactions.flag("transactions", errors).unwrap_or(true)
    }
}

/// A row that was not inserted.
#[derive(Serialize, ToSchema)]
#[schema(as = SkippedRow)]
struct SkippedView {
    /// Its position in the request, from 0.
    row: usize,
    code: SkippedCodeView,
    params: ParamsView,
    #[schema(example = "duplicate of transaction 7")]
    reason: String,
}

/// A row that is a transfer.
#[derive(Serialize, ToSchema)]
#[schema(as = LinkedRow)]
struct LinkedView {
    /// Its position in the request, from 0. Null for a stored row that is a transfer since these rows came: a payment of a card, or what
    /// was entered by hand and the statement has.
    row: Option<usize>,
    /// The other side, or that row; null if it is not kept here.
    transaction_id: Option<i64>,
    /// Null if the other side is not kept here.
    transfer_id: Option<i64>,
    /// The bill that it pays, if the card's side was made for it.
    bill_id: Option<i64>,
}

impl From<LinkedRow> for LinkedView {
    fn from(linked: LinkedRow) -> Self {
        LinkedView {
            row: linked.row,
            transaction_id: linked.transaction_id.map(|id| id.0),
            transfer_id: linked.transfer_id.map(|id| id.0),
            bill_id: linked.bill_id.map(|id| id.0),
        }
    }
}

impl From<SkippedRow> for SkippedView {
    fn from(skipped: SkippedRow) -> Self {
        let reason = skipped.reason;
        SkippedView {
            row: skipped.row,
            code: reason.code().into(),
            params: reason.params().into(),
            reason: reason.to_string(),
        }
    }
}

impl ImportedView {
    /// The answer, with the inserted transactions if they were requested.
    pub(crate) fn new(imported: Imported, lists_transactions: bool) -> Self {
        let inserted = imported.transactions.len();
        let transactions =
            lists_transactions.then(|| imported.transactions.into_iter().map(TransactionView::from).collect());
        ImportedView {
            status: "imported",
            import_id: imported.import_id.map(|id| id.0),
            inserted,
            skipped: imported.skipped.into_iter().map(SkippedView::from).collect(),
            linked: imported.linked.into_iter().map(LinkedView::from).collect(),
            transactions,
        }
    }
}
