//! The views of a transaction and of the number of deleted ones.

use finance_domain::installments::Installment;
use finance_domain::transactions::{Kind, Source, Transaction};
use serde::Serialize;
use utoipa::ToSchema;

use crate::display::DisplayView;
use crate::routes::transactions::lines::LineView;
use crate::views::{DateView, InstantView, MoneyView};
use crate::words::WordView;

pub(crate) type KindView = WordView<Kind>;
pub(crate) type SourceView = WordView<Source>;

/// A transaction.
#[derive(Serialize, ToSchema)]
#[schema(as = Transaction)]
pub(crate) struct TransactionView {
    id: i64,
    profile_id: i64,
    /// The sign of the amount.
    #[serde(rename = "type")]
    kind: KindView,
    category_id: Option<i64>,
    account_id: Option<i64>,
    date: DateView,
    /// The purchase date of a card row that counts on its bill's payment date.
    original_date: Option<DateView>,
    external_id: Option<String>,
    source: SourceView,
    #[schema(example = "Padaria")]
    description: String,
    display: DisplayView,
    /// The description in the statement, if an edit changed it. Imports recognise the row by it.
    #[schema(example = "PADARIA PAO QUENTE 0034")]
    statement_description: Option<String>,
    amount: MoneyView,
    transfer_id: Option<i64>,
    import_id: Option<i64>,
    /// Whether it is a side of a transfer between own accounts, which is neither income nor expense. Its other side has the same
    /// `transfer_id`; if that is null, the other side is not kept here.
    is_transfer: bool,
    /// Which instalment it is, according to its description; null if that names none, and on every account except a card.
    installment: Option<InstallmentView>,
    /// The 2 to 20 parts that it is split into, which sum to its amount. Null if it is not split. If it is split, `category_id`
    /// is null.
    lines: Option<Vec<LineView>>,
    tags: Vec<String>,
    note: Option<String>,
    /// The member who entered or imported it. That member may have been removed since. Null if the service made the transaction
    /// by itself, or if the member is not known.
    created_by: Option<i64>,
    created_at: InstantView,
}

impl From<Transaction> for TransactionView {
    fn from(transaction: Transaction) -> Self {
        TransactionView {
            id: transaction.id.0,
            profile_id: transaction.profile_id.0,
            kind: transaction.kind.into(),
            category_id: transaction.category_id.map(|id| id.0),
            account_id: transaction.account_id.map(|id| id.0),
            date: DateView(transaction.date),
            original_date: transaction.original_date.map(DateView),
            external_id: transaction.external_id,
            source: transaction.source.into(),
            display: DisplayView::of(&transaction.description, transaction.statement.description.as_deref()),
            description: transaction.description,
            statement_description: transaction.statement.description,
            amount: MoneyView(transaction.amount),
            transfer_id: transaction.transfer_id.map(|id| id.0),
            import_id: transaction.import_id.map(|id| id.0),
            is_transfer: transaction.is_transfer,
            installment: transaction.installment.map(InstallmentView::from),
            lines: LineView::of(transaction.details.lines),
            tags: transaction.details.tags,
            note: transaction.details.note,
            created_by: transaction.created_by.map(|id| id.0),
            created_at: InstantView(transaction.created_at),
        }
    }
}

/// Which instalment of a purchase a transaction is.
#[derive(Serialize, ToSchema)]
#[schema(as = Installment)]
pub(crate) struct InstallmentView {
    /// From 1 to `count`.
    #[schema(minimum = 1, maximum = 99, example = 3)]
    number: u8,
    #[schema(minimum = 2, maximum = 99, example = 10)]
    count: u8,
}

impl From<Installment> for InstallmentView {
    fn from(installment: Installment) -> Self {
        InstallmentView { number: installment.number, count: installment.count }
    }
}

/// How many transactions were deleted.
#[derive(Serialize, ToSchema)]
#[schema(as = Deleted)]
pub(crate) struct DeletedView {
    pub(crate) deleted: u64,
}
