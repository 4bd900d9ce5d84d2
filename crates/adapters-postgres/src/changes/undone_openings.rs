//! The opening balances that an undo meets: those that the service has deleted since, and those that it keeps in their place.

use std::collections::{BTreeMap, HashMap};

use const_format::formatcp;
use finance_domain::accounts::AccountKind;
use finance_domain::changes::RECORDED;
use finance_domain::export::Row;
use finance_domain::transactions::Source;
use finance_domain::{ChangeId, Result};

use super::entries::{ALL_ENTRIES, ENTRIES, ENTRY, EntryRow, parsed};
use super::openings::{IS_OF_CARD, SAID, opening_of};
use super::{CHANGED, CREATED, REMOVED};
use crate::recorder::place;
use crate::repo::PgRepo;
use crate::sql::{Arguments, Fetch, IdRow};

impl PgRepo<'_> {
    /// The opening balances that a change wrote and that the service has deleted since, because they had become zero or other ones
    /// took their place: as they were then. The rows that the change touched must have been read.
    pub(super) fn lost_openings(
        &mut self,
        id: ChangeId,
        by_table: &BTreeMap<usize, Vec<EntryRow>>,
    ) -> Result<HashMap<i64, Row>> {
        let at = place("transactions")?;
        let wrote = by_table.get(&at).into_iter().flatten().filter(|entry| entry.op == CHANGED && !entry.is_derived);
        let missing = wrote.filter(|entry| !self.was_there(at, &entry.row_key()));
        self.removed_since(id, missing.filter_map(|entry| entry.row_id).collect())
    }

    /// Those of the transactions that the service has deleted since a change, as they were then.
    fn removed_since(&mut self, id: ChangeId, ids: Vec<i64>) -> Result<HashMap<i64, Row>> {
        if ids.is_empty() {
            return Ok(HashMap::new());
        }
        let query = self.sql(format!(
            "select {ENTRY} from {ENTRIES}
            where e.profile_id = $1 and e.change_id > $2 and e.table_name = 'transactions' and e.op = 'd' and e.is_derived
                and e.row_id = any($3)
            order by e.change_id"
        ));
        let removed: Vec<EntryRow> = query.arg(id.0).arg(ids).fetch(self.connection)?;
        let recorded = &RECORDED[place("transactions")?];
        Ok(removed.into_iter().filter_map(|entry| Some((entry.row_id?, entry.row(recorded)))).collect())
    }

    /// The opening balances that the service keeps now, under other ids, on accounts that the change created or whose own one it
    /// wrote, and those that the service made since in the place of one that it made with the change. They go: nobody wrote them.
    pub(super) fn openings_in_place_of(
        &mut self,
        id: ChangeId,
        by_table: &BTreeMap<usize, Vec<EntryRow>>,
        lost: &HashMap<i64, Row>,
    ) -> Result<Vec<i64>> {
        let (transactions, accounts) = (place("transactions")?, place("accounts")?);
        let entries = |at: usize| by_table.get(&at).into_iter().flatten();
        let removed = entries(transactions).filter(|entry| entry.op == REMOVED && !entry.is_derived);
        let removed = removed.filter(|entry| entry.cell("source") == Some(Source::OpeningBalance.as_str()));
        let removed = removed.filter_map(|entry| parsed(entry.cell("account_id")?));
        let created = entries(accounts).filter(|entry| entry.op == CREATED);
        let created = created.flat_map(|entry| entry.ids.iter().copied());
        let accounts: Vec<i64> = created.chain(removed).chain(lost.values().filter_map(opening_of)).collect();
        let made = entries(transactions).filter(|entry| entry.op == CREATED && entry.is_derived);
        let made = made.flat_map(|entry| entry.ids.iter().copied());
        let gone: Vec<i64> = made.filter(|id| !self.was_there(transactions, &[id.to_string()])).collect();
        let made_again: Vec<i64> = self.removed_since(id, gone)?.values().filter_map(opening_of).collect();
        if accounts.is_empty() && made_again.is_empty() {
            return Ok(Vec::new());
        }
        let own = entries(transactions).flat_map(|entry| entry.ids.iter().copied().chain(entry.row_id));
        let query = self.sql(formatcp!(
            "select t.id from transactions t join accounts a on a.profile_id = $1 and a.id = t.account_id
            where t.profile_id = $1 and t.id <> all($4) and t.source = $5
                and (t.account_id = any($2) or t.account_id = any($6) and exists (
                    select from {ALL_ENTRIES} where e.profile_id = $1 and e.change_id > $7
                        and e.table_name = 'transactions' and e.op = '{CREATED}' and e.is_derived and e.ids @> t.id))
                and ({IS_OF_CARD} or exists (select {SAID}))"
        ));
        let kept: Vec<IdRow> = query
            .arg(accounts)
            .arg(AccountKind::Credit.as_str())
            .arg(own.collect::<Vec<_>>())
            .arg(Source::OpeningBalance.as_str())
            .arg(made_again)
            .arg(id.0)
            .fetch(self.connection)?;
        Ok(kept.into_iter().map(|row| row.id).collect())
    }
}
