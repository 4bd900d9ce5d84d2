//! The category and the account that an input refers to.

use diesel::QueryableByName;
use diesel::sql_types::{Bool, Date as SqlDate, Nullable, Text};
use finance_domain::accounts::AccountKind;
use finance_domain::references::{ReferenceRepo, References};
use finance_domain::{AccountId, CategoryId, Result};
use time::Date;

use crate::repo::PgRepo;
use crate::row::row;
use crate::sql::{Arguments, Cache};
use crate::words::StoredWord;

row! { struct ReferencesRow {
    has_category: bool [Bool],
    account_kind: Option<StoredWord<AccountKind>> [Nullable<Text>],
    has_webhook: bool [Bool],
    anchored_until: Option<Date> [Nullable<SqlDate>],
} }

impl ReferenceRepo for PgRepo<'_> {
    fn references_get(&mut self, category_id: Option<CategoryId>, account_id: Option<AccountId>) -> Result<References> {
        let query = self.sql(
            "select exists (select 1 from categories where profile_id = $1 and id = $2) as has_category,
                (select kind from accounts where profile_id = $1 and id = $3) as account_kind,
                exists (select 1 from webhooks where profile_id = $1) as has_webhook,
                (select max(date) from anchors where profile_id = $1 and account_id = $3) as anchored_until",
        );
        let row: ReferencesRow =
            query.arg(category_id.map(|id| id.0)).arg(account_id.map(|id| id.0)).row(self.connection)?;
        self.has_no_webhook = !row.has_webhook;
        let account_kind = row.account_kind.map(|kind| kind.0);
        if account_kind.is_some_and(|kind| kind != AccountKind::Credit) {
            self.no_cards.extend(account_id);
        }
        if let Some(id) = account_id {
            self.anchored_until.insert(id, row.anchored_until);
        }
        Ok(References { has_category: row.has_category, account_kind })
    }
}
