//! How many transactions a profile has. `transaction_counts` keeps the number, so no write counts rows.
//!
//! The statement that is sent with the commit counts what was stored and deleted, and refuses the commit if the profile then has
//! more transactions than it may. Writers of one profile run one after another, so the number is exact.

use diesel::QueryableByName;
use diesel::sql_types::BigInt;
use finance_domain::{Refusal, Result};

use crate::constraints::TRANSACTIONS;
use crate::repo::PgRepo;
use crate::row::row;
use crate::sql::Cache;

row! { struct CountRow { transactions: i64 [BigInt] } }

impl PgRepo<'_> {
    /// Whether the profile may have that many more transactions.
    pub(crate) fn has_room(&mut self, count: usize) -> Result<bool> {
        let query = self.sql("select transactions from transaction_counts where profile_id = $1");
        let stored: Option<CountRow> = query.row_if_any(self.connection)?;
        let stored = stored.map_or(0, |row| row.transactions).saturating_add(self.transactions_added);
        let count = i64::try_from(count).unwrap_or(i64::MAX);
        Ok(stored.saturating_add(count) <= self.transactions_max)
    }

    /// Refuses to store many transactions that the profile has no room for, before they are stored. Fewer are refused by the
    /// statement of the commit, without a question of their own.
    pub(crate) fn check_room(&mut self, count: usize) -> Result<()> {
        match self.has_room(count)? {
            true => Ok(()),
            // The store knows the limit.
            false => Err(Refusal::LimitReached { what: TRANSACTIONS, max: 0 }.into()),
        }
    }
}

/// The statement that counts what the work stored and deleted. None if the number of transactions is the same. It contains only
/// integers.
pub(crate) fn count(repo: &PgRepo<'_>) -> Option<String> {
    let PgRepo { profile_id, transactions_added: added, transactions_max: max, .. } = *repo;
    (added != 0).then(|| format!("SELECT count_transactions({profile_id}, {added}, {max})"))
}
