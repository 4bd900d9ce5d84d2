//! The inbox: files that wait to be imported.

use time::{Date, OffsetDateTime};

use crate::error::{Refusal, Result};
use crate::ids::{AccountId, ImportId, InboxItemId, PendingBillId};
use crate::words::words;

/// The most items of a profile.
pub const ITEMS_MAX: usize = 20;
/// The most bytes of all items of a profile together.
pub const BYTES_MAX: u64 = 20 * 1024 * 1024;
/// How long an item is kept, in days.
pub const DAYS_KEPT: i64 = 30;
/// The most characters of a file's name.
pub const FILE_NAME_CHARS_MAX: usize = 255;

words! {
    /// What became of a file.
    pub enum InboxState {
        /// It waits.
        New = "new",
        /// It was imported.
        Imported = "imported",
        /// A person does not want it imported.
        Dismissed = "dismissed",
    }
}

/// A file that waits, without its bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InboxItem {
    /// Its id.
    pub id: InboxItemId,
    /// Its name, if it came with one.
    pub file_name: Option<String>,
    /// Its size in bytes.
    pub size: u64,
    /// The SHA-256 of its bytes, in hexadecimal digits.
    pub sha256: String,
    /// When it came first.
    pub received_at: OffsetDateTime,
    /// The last day on which it is kept.
    pub expires_on: Date,
    /// What became of it.
    pub state: InboxState,
    /// The account that learned the reference of its one statement.
    pub account_id: Option<AccountId>,
}

/// A file to keep.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewInboxItem {
    /// Its name.
    pub file_name: Option<String>,
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// When it came.
    pub received_at: OffsetDateTime,
    /// The last day on which it is kept.
    pub expires_on: Date,
    /// The reference of the account of its one statement.
    pub reference: Option<String>,
}

/// What a confirm of a file did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InboxOutcome {
    /// It inserted rows.
    Imported(ImportId),
    /// It holds a statement.
    Held(PendingBillId),
    /// Nothing was left to insert.
    Nothing,
}

/// The name under which a file is kept: the last part of a path, without control characters, at most [`FILE_NAME_CHARS_MAX`] characters.
///
/// ```
/// use finance_domain::inbox::file_name;
///
/// assert_eq!(file_name("C:\\Users\\ana\\extrato.ofx").as_deref(), Some("extrato.ofx"));
/// assert_eq!(file_name("/sdcard/Download/fatura.csv").as_deref(), Some("fatura.csv"));
/// assert_eq!(file_name(" / "), None);
/// ```
pub fn file_name(path: &str) -> Option<String> {
    let last = path.rsplit(['/', '\\']).next().unwrap_or_default();
    let name: String = last.chars().filter(|letter| !letter.is_control()).collect();
    let name: String = name.trim().chars().take(FILE_NAME_CHARS_MAX).collect();
    let name = name.trim_end();
    (!name.is_empty()).then(|| name.to_string())
}

/// The items that have to go so that a file of `size` bytes finds room: the oldest of those that are not new. `items` are in the order
/// in which they came.
///
/// ```
/// use finance_domain::InboxItemId;
/// use finance_domain::inbox::{InboxState, room};
///
/// let item = |id, state| (InboxItemId(id), 1_000, state);
/// let mut items: Vec<_> = (1..=20).map(|id| item(id, InboxState::New)).collect();
/// assert!(room(&items, 1_000).is_err(), "what is new never makes room");
/// items[4].2 = InboxState::Dismissed;
/// items[7].2 = InboxState::Imported;
/// assert_eq!(room(&items, 1_000)?, [InboxItemId(5)]);
/// # Ok::<(), finance_domain::Error>(())
/// ```
///
/// # Errors
///
/// [`Refusal::LimitReached`] if that is not enough.
pub fn room(items: &[(InboxItemId, u64, InboxState)], size: u64) -> Result<Vec<InboxItemId>> {
    let (mut count, mut bytes) = (items.len(), items.iter().map(|(_, size, _)| size).sum::<u64>());
    let mut gone = Vec::new();
    let mut settled = items.iter().filter(|(_, _, state)| *state != InboxState::New);
    while count >= ITEMS_MAX || bytes + size > BYTES_MAX {
        let Some((id, size, _)) = settled.next() else {
            return Err(Refusal::LimitReached { what: "files in the inbox", max: ITEMS_MAX }.into());
        };
        gone.push(*id);
        count -= 1;
        bytes -= size;
    }
    Ok(gone)
}

/// The port of the inbox. Items that expired before `today` are not there. Every method may fail as
/// [`Store::transact`](crate::Store::transact) does.
pub trait InboxRepo {
    /// The items, in the order in which they came.
    fn inbox_list(&mut self, today: Date) -> Result<Vec<InboxItem>>;
    /// An item.
    fn inbox_get(&mut self, id: InboxItemId, today: Date) -> Result<Option<InboxItem>>;
    /// The name and the bytes of an item.
    fn inbox_file(&mut self, id: InboxItemId, today: Date) -> Result<Option<(Option<String>, Vec<u8>)>>;
    /// The item with these bytes.
    fn inbox_find(&mut self, bytes: &[u8], today: Date) -> Result<Option<InboxItem>>;
    /// Keeps a file.
    fn inbox_insert(&mut self, new: &NewInboxItem) -> Result<InboxItemId>;
    /// Sets whether an item is dismissed.
    fn inbox_dismiss(&mut self, id: InboxItemId, is_dismissed: bool) -> Result<()>;
    /// Notes what a confirm of the file did. It is not dismissed any more.
    fn inbox_note(&mut self, id: InboxItemId, outcome: InboxOutcome) -> Result<()>;
    /// Notes which import a held statement became.
    fn inbox_follow(&mut self, held: PendingBillId, import_id: ImportId) -> Result<()>;
    /// Deletes items.
    fn inbox_delete(&mut self, ids: &[InboxItemId]) -> Result<()>;
    /// Deletes the items that expired before that day.
    fn inbox_expire(&mut self, today: Date) -> Result<()>;
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: u64 = 1024 * 1024;

    #[test]
    fn the_oldest_that_are_not_new_make_room_until_it_is_enough() {
        let of = |items: &[(u64, InboxState)]| -> Vec<(InboxItemId, u64, InboxState)> {
            items.iter().zip(1..).map(|((size, state), id)| (InboxItemId(id), *size, *state)).collect()
        };
        let gone = |items, size| room(&of(items), size).map(|ids| ids.iter().map(|id| id.0).collect::<Vec<_>>()).ok();
        assert_eq!(gone(&[], BYTES_MAX), Some(vec![]));
        assert_eq!(gone(&[], BYTES_MAX + 1), None);
        let items = [
            (9 * MIB, InboxState::New),
            (MIB, InboxState::Imported),
            (9 * MIB, InboxState::Dismissed),
            (MIB, InboxState::Imported),
        ];
        assert_eq!(gone(&items, 1), Some(vec![2]));
        assert_eq!(gone(&items, MIB + 1), Some(vec![2, 3]));
        assert_eq!(gone(&items, 11 * MIB), Some(vec![2, 3, 4]));
        assert_eq!(gone(&items, 11 * MIB + 1), None);
    }

    #[test]
    fn a_long_name_is_cut_and_has_no_control_characters() {
        assert_eq!(file_name(&"ã".repeat(300)).map(|name| name.chars().count()), Some(255));
        assert_eq!(file_name("a\0b\n.ofx").as_deref(), Some("ab.ofx"));
        assert_eq!(file_name(""), None);
        assert_eq!(file_name("pasta/"), None);
    }
}
