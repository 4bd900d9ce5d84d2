//! What a transaction changed so far: the touched rows as they were, and the ids of new ones.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use finance_domain::changes::{ChangeKind, RECORDED, Recording};
use finance_domain::export::{Key, Row};
use finance_domain::{ChangeId, Error, Result};

/// The position of a table in [`RECORDED`].
pub(crate) fn place(table: &str) -> Result<usize> {
    let found = RECORDED.iter().position(|recorded| recorded.table == table);
    found.ok_or_else(|| Error::Internal(format!("{table} is not recorded").into()))
}

/// The rows of a table before the transaction, by their keys. None: there was none.
pub(crate) type Before = HashMap<Vec<String>, Option<Row>>;

/// A change that was stored by the statement that inserted its row.
#[derive(Clone, Copy)]
pub(crate) struct RowChange {
    pub(crate) id: ChangeId,
    pub(crate) row: i64,
}

/// What a transaction changed so far.
#[derive(Default)]
pub(crate) struct Recorder {
    pub(crate) recording: Option<Recording>,
    pub(crate) before: BTreeMap<usize, Before>,
    /// Rows that are read again when the work is done, because new ones may be among them: the ids for the condition of a table.
    pub(crate) scopes: BTreeMap<(usize, String), BTreeSet<i64>>,
    pub(crate) created: BTreeMap<usize, HashSet<i64>>,
    /// Of the created rows those that the service derived from others.
    pub(crate) derived: BTreeMap<usize, HashSet<i64>>,
    /// The accounts of the new opening balances, by the ids of these.
    pub(crate) openings: HashMap<i64, i64>,
    /// The transactions that the undone change wrote, and the service did not derive.
    pub(crate) by_people: HashSet<i64>,
    pub(crate) undoes: Option<ChangeId>,
    /// The description of the one transaction that was inserted last, and is no opening balance.
    pub(crate) name: Option<String>,
    /// The change that the first inserted transaction was stored with. If more follows, another one takes its place.
    pub(crate) row_change: Option<RowChange>,
    /// What the closing returned.
    pub(crate) closed: Option<Option<ChangeId>>,
}

impl Recorder {
    pub(crate) fn new(recording: Option<Recording>) -> Self {
        Recorder { recording, ..Recorder::default() }
    }

    pub(crate) fn is_on(&self) -> bool {
        self.recording.is_some() && self.closed.is_none()
    }

    /// What is recorded, if a transaction that is about to be inserted may be all that is changed.
    pub(crate) fn of_one_row(&self) -> Option<Recording> {
        let may_be_all =
            |recording: &&Recording| recording.kind == ChangeKind::TransactionsCreate && self.created.is_empty();
        self.recording.as_ref().filter(may_be_all).filter(|_| self.is_on()).cloned()
    }

    pub(crate) fn note_undo(&mut self, id: ChangeId) {
        self.undoes = Some(id);
    }

    pub(crate) fn is_created(&self, at: usize, row: &Row) -> bool {
        let id = row.first().and_then(Option::as_deref).and_then(|id| id.parse().ok());
        RECORDED[at].exported().key == Key::Id
            && id.is_some_and(|id| self.created.get(&at).is_some_and(|ids| ids.contains(&id)))
    }
}
