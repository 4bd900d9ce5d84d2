//! Requests that may be repeated.

use crate::error::{Error, Refusal, Result};
use crate::idempotency::{Answer, KEPT_HOURS, Outcome, Request};
use crate::store::Repo;

/// Runs the work of a request and stores the response, or returns the response stored under its key. If the work fails, nothing
/// is stored, and the request may be sent again with the same key.
///
/// # Errors
///
/// [`Refusal::IdempotencyKeyReused`] if the key was used for another request, and the errors of `work`.
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
            let answer = Answer { change_id: repo.change_close()?, ..answer };
            repo.answer_keep(request, &answer)?;
            Ok(Outcome::Done(answer))
        }
    }
}
