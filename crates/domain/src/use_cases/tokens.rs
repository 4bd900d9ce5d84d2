//! Use cases of tokens.

use crate::context::Context;
use crate::credentials::{Role, SecretHash};
use crate::error::{Error, Refusal, Result};
use crate::ids::{MemberId, TokenId};
use crate::members::Member;
use crate::store::Repo;
use crate::tokens::{TOKENS_MAX, Token, TokenInput};

/// The tokens that the caller sees: an owner sees those of the profile, other members those that they created.
pub fn list(repo: &mut dyn Repo) -> Result<Vec<Token>> {
    let member = repo.credential()?.member;
    repo.token_list(seen_by(&member))
}

/// Creates a token of the caller, by the hash of its secret.
///
/// # Errors
///
/// [`Error::Invalid`], [`Error::NotAllowed`] or [`Refusal::LimitReached`].
pub fn create(repo: &mut dyn Repo, context: &Context, input: TokenInput, hash: SecretHash) -> Result<Token> {
    let member = repo.credential()?.member;
    let new = input.check(member.role, context.today)?;
    // Writers of one profile wait for each other, so the count holds until the insert.
    if repo.token_count()? >= TOKENS_MAX {
        return Err(Refusal::LimitReached { what: "tokens", max: TOKENS_MAX }.into());
    }
    repo.token_insert(member.id, &new, hash)
}

/// Revokes a token that the caller sees.
///
/// # Errors
///
/// [`Error::NotFound`] if the caller sees no such token.
pub fn delete(repo: &mut dyn Repo, id: TokenId) -> Result<()> {
    let member = repo.credential()?.member;
    if repo.token_delete(id, seen_by(&member))? { Ok(()) } else { Err(Error::NotFound("token")) }
}

/// The member whose tokens a member sees. None for those of all members.
fn seen_by(member: &Member) -> Option<MemberId> {
    (member.role != Role::Owner).then_some(member.id)
}
