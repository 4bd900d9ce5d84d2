//! Use cases of members and invitations.

use time::OffsetDateTime;

use crate::credentials::{Need, SecretHash};
use crate::error::{Error, Refusal, Result};
use crate::ids::{InvitationId, MemberId};
use crate::members::{
    Credential, INVITATIONS_MAX, Invitation, MEMBERS_MAX, Member, NewInvitation, NewMember, RoleInput, keep_an_owner,
};
use crate::sessions::{LoggedIn, NewSession};
use crate::step::Step;
use crate::store::Repo;

/// The login of the member for whom the caller acts.
///
/// # Errors
///
/// As [`Store::transact`](crate::Store::transact).
pub fn credential(repo: &mut dyn Repo) -> Result<Credential> {
    repo.credential()
}

/// The member for whom the caller acts.
///
/// # Errors
///
/// As [`Store::transact`](crate::Store::transact).
pub fn me(repo: &mut dyn Repo) -> Result<Member> {
    Ok(repo.credential()?.member)
}

/// The members of the caller's profile, in the order in which they joined.
///
/// # Errors
///
/// As [`Store::transact`](crate::Store::transact).
pub fn list(repo: &mut dyn Repo) -> Result<Vec<Member>> {
    repo.member_list()
}

/// Adds a member.
///
/// # Errors
///
/// [`Refusal::LimitReached`] or [`Refusal::NameTaken`].
pub fn add(repo: &mut dyn Repo, new: &NewMember) -> Result<Credential> {
    // Writers of one profile wait for each other, so the count holds until the insert.
    if repo.member_list()?.len() >= MEMBERS_MAX {
        return Err(Refusal::LimitReached { what: "members", max: MEMBERS_MAX }.into());
    }
    repo.member_insert(new)
}

/// Gives a member another role. It takes effect at once, and removes the member's invitations if the new role may not invite.
///
/// # Errors
///
/// [`Error::NotFound`], [`Error::Invalid`] or [`Refusal::LastOwner`].
pub fn update(repo: &mut dyn Repo, id: MemberId, input: RoleInput) -> Result<Member> {
    let members = repo.member_list()?;
    if !members.iter().any(|member| member.id == id) {
        return Err(Error::NotFound("member"));
    }
    let role = input.check()?;
    keep_an_owner(&members, id, Some(role))?;
    let member = repo.member_update(id, role)?.ok_or(Error::NotFound("member"))?;
    if !member.may(Need::Members) {
        repo.invitations_delete_by(id)?;
    }
    Ok(member)
}

/// Removes a member. Its logins and tokens are refused from then on, and its invitations and webhooks are removed; the data that it
/// entered stays.
///
/// # Errors
///
/// [`Error::NotFound`] or [`Refusal::LastOwner`].
pub fn delete(repo: &mut dyn Repo, id: MemberId) -> Result<()> {
    keep_an_owner(&repo.member_list()?, id, None)?;
    if repo.member_delete(id)? { Ok(()) } else { Err(Error::NotFound("member")) }
}

/// Invites someone, by the hash of the invitation's secret.
///
/// # Errors
///
/// [`Error::Invalid`] or [`Refusal::LimitReached`].
pub fn invite(repo: &mut dyn Repo, now: OffsetDateTime, input: RoleInput, hash: SecretHash) -> Result<NewInvitation> {
    let invitation = NewInvitation::new(input.check_invited()?, hash, now);
    if repo.invitation_list(now)?.len() >= INVITATIONS_MAX {
        return Err(Refusal::LimitReached { what: "open invitations", max: INVITATIONS_MAX }.into());
    }
    repo.invitation_insert(&invitation)?;
    Ok(invitation)
}

/// The open invitations, in the order in which they were made.
///
/// # Errors
///
/// As [`Store::transact`](crate::Store::transact).
pub fn invitations(repo: &mut dyn Repo, now: OffsetDateTime) -> Result<Vec<Invitation>> {
    repo.invitation_list(now)
}

/// Withdraws an invitation. It is refused from then on.
///
/// # Errors
///
/// [`Error::NotFound`].
pub fn withdraw(repo: &mut dyn Repo, id: InvitationId) -> Result<()> {
    if repo.invitation_delete(id)? { Ok(()) } else { Err(Error::NotFound("invitation")) }
}

/// Accepts an invitation: uses it up, adds the member to the profile, and logs the member in. `hash_password` takes long and runs
/// outside the invitation's transaction.
///
/// # Errors
///
/// [`Error::InvitationInvalid`], [`Refusal::NameTaken`], which leaves the invitation open, or [`Refusal::LimitReached`].
pub fn accept(
    name: String,
    hash: SecretHash,
    session: NewSession,
    hash_password: impl FnOnce() -> Result<String> + Send + 'static,
) -> Result<Step<LoggedIn>> {
    Ok(Step::Password(Box::new(move |_| {
        let password_hash = hash_password()?;
        Ok(Step::write(move |repo| {
            let invitation = repo.invitation_take(hash)?.ok_or(Error::InvitationInvalid)?;
            if !invitation.is_valid(&repo.member_list()?) {
                return Err(Error::InvitationInvalid);
            }
            let credential = add(repo, &NewMember { name, password_hash, role: invitation.role })?;
            let session = repo.session_insert(&credential, &session)?;
            Ok(LoggedIn { credential, session })
        }))
    })))
}
