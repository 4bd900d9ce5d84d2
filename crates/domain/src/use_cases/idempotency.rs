//! Requests that may be sent again.

use crate::error::{Error, Refusal, Result};
use crate::idempotency::{Answer, KEPT_HOURS, Outcome, Request};
use crate::store::Repo;

/// Runs the work of a request and keeps the answer, or returns the answer that is kept under its key.
/// Where the work fails nothing is kept, and the request may be sent again under the same key.
///
/// # Errors
///
/// [`Refusal::IdempotencyKeyReused`] where the key was used for another request, and what `work` returns.
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
