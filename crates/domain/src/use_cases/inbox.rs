//! Use cases of the inbox: files that wait to be imported.

use time::{Duration, OffsetDateTime};

use crate::account_keys::FileAccount;
use crate::context::Context;
use crate::error::{Error, Result};
use crate::ids::InboxItemId;
use crate::inbox::{DAYS_KEPT, InboxItem, InboxState, NewInboxItem, file_name, room};
use crate::store::Repo;

/// A file that came, as it was received.
#[derive(Debug, Clone, Default)]
pub struct ReceivedFile {
    /// Its name, or a path.
    pub file_name: Option<String>,
    /// Its bytes, of a kind that can be imported.
    pub bytes: Vec<u8>,
    /// The account of its one statement. None if it has several, names no account, or cannot be read without options.
    pub account: Option<FileAccount>,
}

/// The items, the newest first.
pub fn list(repo: &mut dyn Repo, context: &Context) -> Result<Vec<InboxItem>> {
    let mut items = repo.inbox_list(context.today)?;
    items.reverse();
    Ok(items)
}

/// One item.
///
/// # Errors
///
/// [`Error::NotFound`] if the caller has no such item.
pub fn get(repo: &mut dyn Repo, context: &Context, id: InboxItemId) -> Result<InboxItem> {
    repo.inbox_get(id, context.today)?.ok_or(Error::NotFound("inbox item"))
}

/// The name and the bytes of an item.
///
/// # Errors
///
/// [`Error::NotFound`] if the caller has no such item.
pub fn file(repo: &mut dyn Repo, context: &Context, id: InboxItemId) -> Result<(Option<String>, Vec<u8>)> {
    repo.inbox_file(id, context.today)?.ok_or(Error::NotFound("inbox item"))
}

/// Keeps a file. The same bytes are the same item, and one that was dismissed is new again. Returns also whether the item is new here.
///
/// Writers of one profile run one after another ([`Access::Write`](crate::Access::Write)), so of concurrent requests with the same
/// bytes one keeps them.
///
/// # Errors
///
/// [`Refusal::LimitReached`](crate::Refusal::LimitReached) if there is no room.
pub fn receive(
    repo: &mut dyn Repo,
    context: &Context,
    now: OffsetDateTime,
    received: ReceivedFile,
) -> Result<(InboxItem, bool)> {
    repo.inbox_expire(context.today)?;
    if let Some(known) = repo.inbox_find(&received.bytes, context.today)? {
        if known.state == InboxState::Dismissed {
            repo.inbox_dismiss(known.id, false)?;
        }
        return Ok((get(repo, context, known.id)?, false));
    }
    let items: Vec<_> =
        repo.inbox_list(context.today)?.into_iter().map(|item| (item.id, item.size, item.state)).collect();
    let gone = room(&items, received.bytes.len() as u64)?;
    repo.inbox_delete(&gone)?;
    let reference = match received.account {
        Some(account) => Some(repo.account_key_secret()?.key(&account).reference),
        None => None,
    };
    let new = NewInboxItem {
        file_name: received.file_name.as_deref().and_then(file_name),
        bytes: received.bytes,
        received_at: now,
        expires_on: context.today.saturating_add(Duration::days(DAYS_KEPT)),
        reference,
    };
    let id = repo.inbox_insert(&new)?;
    Ok((get(repo, context, id)?, true))
}

/// Dismisses an item, or takes that back. What was imported stays imported.
///
/// # Errors
///
/// [`Error::NotFound`] if the caller has no such item.
pub fn dismiss(repo: &mut dyn Repo, context: &Context, id: InboxItemId, is_dismissed: bool) -> Result<InboxItem> {
    if get(repo, context, id)?.state != InboxState::Imported {
        repo.inbox_dismiss(id, is_dismissed)?;
    }
    get(repo, context, id)
}

/// Deletes an item.
///
/// # Errors
///
/// [`Error::NotFound`] if the caller has no such item.
pub fn delete(repo: &mut dyn Repo, context: &Context, id: InboxItemId) -> Result<()> {
    get(repo, context, id)?;
    repo.inbox_delete(&[id])
}
