//! The opening balances that the service keeps: nobody wrote them, so a change that touches one did not touch a row of a person.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use const_format::formatcp;
use diesel::QueryableByName;
use diesel::sql_types::{Array, BigInt, Bool};
use finance_domain::Result;
use finance_domain::accounts::AccountKind;
use finance_domain::changes::RECORDED;
use finance_domain::export::Row;
use finance_domain::transactions::Source;

use crate::recorder::{Before, place};
use crate::repo::PgRepo;
use crate::row::row;
use crate::sql::{Arguments, Fetch};

/// Of the accounts those whose opening balance the service keeps: it follows what a person said of a day, or the account is a card
/// of which nobody said one.
#[derive(Default)]
pub(super) struct Kept {
    before: HashSet<i64>,
    after: HashSet<i64>,
    gone: HashSet<i64>,
    by_people: HashSet<i64>,
}

impl Kept {
    /// Whether the service kept a row and keeps it. What a person takes over is written by a person, as is what the service takes
    /// over.
    fn keeps(&self, account: i64) -> bool {
        self.before.contains(&account) && (self.after.contains(&account) || self.gone.contains(&account))
    }

    /// Whether a row of `transactions` that was there before, or is new, is an opening balance that the service keeps.
    pub(super) fn is_derived(&self, row: &Row, is_new: bool) -> bool {
        let id = row.first().and_then(|id| id.as_deref()?.parse().ok());
        // An undo writes as the undone change did.
        let account = opening_of(row).filter(|_| !id.is_some_and(|id| self.by_people.contains(&id)));
        account.is_some_and(|account| if is_new { self.is_new_derived(account) } else { self.keeps(account) })
    }

    /// Whether a new opening balance of the account is one that the service keeps.
    pub(super) fn is_new_derived(&self, account: i64) -> bool {
        self.after.contains(&account)
    }
}

/// The account of a row of `transactions` that is an opening balance.
pub(super) fn opening_of(row: &Row) -> Option<i64> {
    let recorded = &RECORDED[place("transactions").ok()?];
    let value = |column: &str| row.get(recorded.position(column)?)?.as_deref();
    if value("source") != Some(Source::OpeningBalance.as_str()) {
        return None;
    }
    value("account_id")?.parse().ok()
}

/// Condition: the account `a` is a card of which nobody said an opening balance. `$3`: the kind of cards.
pub(super) const IS_OF_CARD: &str = "(a.kind = $3 and a.opening_is_said is false)";
/// The anchors that a person said of the account `a`.
pub(super) const SAID: &str =
    "from anchors said where said.profile_id = $1 and said.account_id = a.id and said.import_id is null";

row! { struct KeptRow {
    account_id: i64 [BigInt],
    is_of_card: bool [Bool],
    said: Vec<i64> [Array<BigInt>],
} }

impl PgRepo<'_> {
    /// Whose opening balance the service keeps, of these accounts. `new` has the keys of the rows that this transaction created.
    pub(super) fn kept_openings(
        &mut self,
        account_ids: &BTreeSet<i64>,
        before: &BTreeMap<usize, Before>,
        new: &HashSet<(usize, Vec<String>)>,
    ) -> Result<Kept> {
        let mut kept = Kept { by_people: std::mem::take(&mut self.recorder.by_people), ..Kept::default() };
        if account_ids.is_empty() {
            return Ok(kept);
        }
        let query = self.sql(formatcp!(
            "select a.id as account_id, {IS_OF_CARD} as is_of_card, array(select said.id {SAID}) as said
            from accounts a where a.profile_id = $1 and a.id = any($2)"
        ));
        let rows: Vec<KeptRow> = query
            .arg(account_ids.iter().copied().collect::<Vec<_>>())
            .arg(AccountKind::Credit.as_str())
            .fetch(self.connection)?;
        let (anchors, accounts) = (place("anchors")?, place("accounts")?);
        let touched = |at: usize| before.get(&at).into_iter().flat_map(HashMap::values).flatten();
        let value = |at: usize, row: &Row, column: &str| -> Option<String> {
            RECORDED[at].position(column).and_then(|position| row.get(position)?.clone())
        };
        let said_before: HashSet<i64> = touched(anchors)
            .filter(|row| value(anchors, row, "import_id").is_none())
            .filter_map(|row| RECORDED[anchors].owner_of(row))
            .collect();
        let of_cards_before: HashMap<i64, bool> = touched(accounts)
            .filter_map(|row| {
                let is_card = value(accounts, row, "kind").as_deref() == Some(AccountKind::Credit.as_str());
                let is_unsaid = value(accounts, row, "opening_is_said").as_deref() == Some("false");
                Some((RECORDED[accounts].owner_of(row)?, is_card && is_unsaid))
            })
            .collect();
        let known: BTreeSet<i64> = rows.iter().map(|row| row.account_id).collect();
        for row in &rows {
            let is_old = |id: &i64| !new.contains(&(anchors, vec![id.to_string()]));
            let was_of_card = of_cards_before.get(&row.account_id).copied().unwrap_or(row.is_of_card);
            if was_of_card || said_before.contains(&row.account_id) || row.said.iter().any(is_old) {
                kept.before.insert(row.account_id);
            }
            if row.is_of_card || !row.said.is_empty() {
                kept.after.insert(row.account_id);
            }
        }
        for account in account_ids.difference(&known).copied() {
            kept.gone.insert(account);
            if of_cards_before.get(&account).copied().unwrap_or_default() || said_before.contains(&account) {
                kept.before.insert(account);
            }
        }
        Ok(kept)
    }
}
