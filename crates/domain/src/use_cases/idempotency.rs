//! Requests that may be sent again.

use crate::error::{Error, Refusal, Result};
use crate::idempotency::{Answer, KEPT_HOURS, Outcome, Request};
use crate::store::Repo;

/// Does the work of a request unless it was done before under its key, and keeps the answer.
/// Work that fails keeps nothing: it did nothing, and may be tried again under the same key.
///
/// # Errors
///
/// [`Refusal::IdempotencyKeyReused`] where the key stands for another request, and what `work` returns.
pub fn once(
    repo: &mut dyn Repo,
    request: &Request,
    work: impl FnOnce(&mut dyn Repo) -> Result<Answer>,
) -> Result<Outcome> {
    match repo.answer_find(&request.key, KEPT_HOURS)? {
        Some(kept) if kept.fingerprint == request.fingerprint => Ok(Outcome::Replayed(kept.answer)),
        Some(_) => Err(Error::from(Refusal::IdempotencyKeyReused)),
        None => {
            let answer = work(repo)?;
            repo.answer_keep(request, &answer)?;
            Ok(Outcome::Done(answer))
        }
    }
}
