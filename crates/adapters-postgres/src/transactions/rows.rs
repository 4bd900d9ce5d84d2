//! Rows of the table of transactions, and their conversion to transactions.

use diesel::prelude::*;
use finance_domain::transactions::{Details, Kind, Source, StatementValues, Transaction};
use finance_domain::{AccountId, CategoryId, ImportId, MemberId, ProfileId, TransactionId, TransferId};
use time::{Date, OffsetDateTime};

use crate::installments::installment;
use crate::numeric::Hundredths;
use crate::schema::transactions;
use crate::words::StoredWord;

/// A stored transaction.
#[derive(Queryable, QueryableByName, Selectable)]
#[diesel(table_name = transactions)]
pub(super) struct TransactionRow {
    profile_id: i64,
    pub(super) id: i64,
    kind: StoredWord<Kind>,
    category_id: Option<i64>,
    account_id: Option<i64>,
    date: Date,
    original_date: Option<Date>,
    external_id: Option<String>,
    source: StoredWord<Source>,
    description: String,
    amount: Hundredths,
    transfer_id: Option<i64>,
    import_id: Option<i64>,
    statement_description: Option<String>,
    statement_date: Option<Date>,
    statement_amount: Option<Hundredths>,
    statement_kind: Option<StoredWord<Kind>>,
    statement_account_id: Option<i64>,
    is_transfer: bool,
    is_kept_unlinked: bool,
    installment_number: Option<i16>,
    installment_count: Option<i16>,
    is_recognised: bool,
    note: Option<String>,
    tags: Option<Vec<String>>,
    pub(super) is_split: bool,
    created_by: Option<i64>,
    created_at: OffsetDateTime,
}

/// The transaction without its lines, which are in another table.
impl From<TransactionRow> for Transaction {
    fn from(row: TransactionRow) -> Self {
        Transaction {
            id: TransactionId(row.id),
            profile_id: ProfileId(row.profile_id),
            kind: row.kind.0,
            category_id: row.category_id.map(CategoryId),
            account_id: row.account_id.map(AccountId),
            date: row.date,
            original_date: row.original_date,
            external_id: row.external_id,
            source: row.source.0,
            description: row.description,
            amount: row.amount.into(),
            transfer_id: row.transfer_id.map(TransferId),
            import_id: row.import_id.map(ImportId),
            statement: StatementValues {
                description: row.statement_description,
                date: row.statement_date,
                amount: row.statement_amount.map(Into::into),
                kind: row.statement_kind.map(|kind| kind.0),
                account_id: row.statement_account_id.map(AccountId),
            },
            is_transfer: row.is_transfer,
            is_kept_unlinked: row.is_kept_unlinked,
            installment: installment(row.installment_number, row.installment_count),
            is_recognised: row.is_recognised,
            details: Details { lines: Vec::new(), tags: row.tags.unwrap_or_default(), note: row.note },
            created_by: row.created_by.map(MemberId),
            created_at: row.created_at,
        }
    }
}
