//! Use cases of members and invitations.

use time::OffsetDateTime;

use crate::credentials::{Need, SecretHash};
use crate::error::{Error, Refusal, Result};
use crate::ids::{InvitationId, MemberId};
use crate::members::{
    Credential, Invitation, MEMBERS_MAX, Member, NewInvitation, NewLink, NewMember, RoleInput, keep_an_owner,
    keep_room, may_link,
};
use crate::second_factor::Judge;
use crate::sessions::{LoggedIn, NewSession};
use crate::step::Step;
use crate::store::Repo;
use crate::use_cases::login::prove_factor;

/// The login of the member for whom the caller acts.
pub fn credential(repo: &mut dyn Repo) -> Result<Credential> {
    repo.credential()
}

/// The member for whom the caller acts.
pub fn me(repo: &mut dyn Repo) -> Result<Member> {
    Ok(repo.credential()?.member)
}

/// The members of the caller's profile, in the order in which they joined.
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
pub fn invite(
    repo: &mut dyn Repo,
    now: OffsetDateTime,
    input: RoleInput,
    hash: SecretHash,
) -> Result<(InvitationId, NewInvitation)> {
    let invitation = NewInvitation::new(input.check_invited()?, hash, now);
    keep_room(&repo.invitation_list(now)?, None)?;
    Ok((repo.invitation_insert(&invitation)?, invitation))
}

/// Makes the link with which a member sets its password, by the hash of its secret. Until it is used, nothing changes for the member.
/// It replaces an older link of the member.
///
/// # Errors
///
/// [`Error::NotAllowed`] for the caller's own member, [`Error::NotFound`] or [`Refusal::LimitReached`].
pub fn link(repo: &mut dyn Repo, now: OffsetDateTime, member: MemberId, hash: SecretHash) -> Result<NewLink> {
    let maker = repo.credential()?.member.id;
    may_link(&repo.member_list()?, maker, member)?;
    let link = NewLink::new(hash, now);
    store_link(repo, member, &link, Some(maker))?;
    Ok(link)
}

/// Stores a link that an operator makes.
///
/// # Errors
///
/// [`Refusal::LimitReached`].
pub fn link_by_operator(repo: &mut dyn Repo, member: MemberId, link: &NewLink) -> Result<()> {
    store_link(repo, member, link, None)
}

fn store_link(repo: &mut dyn Repo, member: MemberId, link: &NewLink, maker: Option<MemberId>) -> Result<()> {
    keep_room(&repo.invitation_list(link.created_at)?, Some(member))?;
    repo.link_insert(member, link, maker)
}

/// The open invitations, in the order in which they were made.
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

/// What someone who accepts an invitation sends.
pub struct Acceptance<H> {
    /// The hash of the invitation's secret.
    pub hash: SecretHash,
    /// The name of the new member, or the errors of all fields of an invitation to become one.
    pub name: Result<String>,
    /// Nothing, or the errors of the fields of a link for a password, which takes no name.
    pub link: Result<()>,
    /// Judges the code of the second factor, if there is one.
    pub code: Option<Judge>,
    /// The address under which wrong codes are counted.
    pub address: String,
    /// The session that begins.
    pub session: NewSession,
    /// Hashes the password. It takes long and runs outside any transaction.
    pub hash_password: H,
}

/// Accepts an invitation: uses it up, adds the member to the profile, and logs the member in. A link for a password instead sets the
/// password of its member, which revokes the member's logins, devices and tokens. It takes a code if the member has a second factor.
/// A refusal leaves the invitation open.
///
/// # Errors
///
/// [`Error::InvitationInvalid`], the errors of the fields, [`Refusal::NameTaken`] or [`Refusal::LimitReached`]; of a link also
/// [`Error::SecondFactorRequired`], [`Error::InvalidCredentials`] for a wrong code, or [`Error::TooManyAttempts`].
pub fn accept<H>(repo: &mut dyn Repo, accepted: Acceptance<H>) -> Result<Step<LoggedIn>>
where
    H: FnOnce() -> Result<String> + Send + 'static,
{
    let Acceptance { hash, name, link, code, address, session, hash_password } = accepted;
    let invitation = repo.invitation(hash)?.ok_or(Error::InvitationInvalid)?;
    check_valid(repo, &invitation)?;
    let Some(member_id) = invitation.member_id else {
        let name = name?;
        return Ok(Step::Password(Box::new(move |_| {
            let password_hash = Some(hash_password()?);
            Ok(Step::write(move |repo| {
                let role = take(repo, hash)?.role;
                let credential = add(repo, &NewMember { name, password_hash, role })?;
                begin(repo, credential, &session)
            }))
        })));
    };
    link?;
    let judged = repo.credential_of(member_id)?.ok_or(Error::InvitationInvalid)?;
    Ok(Step::Password(Box::new(move |store| {
        prove_factor(store, &judged, &address, code)?;
        let password_hash = hash_password()?;
        Ok(Step::write(move |repo| {
            take(repo, hash)?;
            let present = repo.credential_of(member_id)?.ok_or(Error::InvitationInvalid)?;
            if present.factor_in_effect() != judged.factor_in_effect() {
                // It was turned on or replaced meanwhile.
                return Err(Error::SecondFactorRequired);
            }
            let credential = repo.credential_replace_of(&present.member, &password_hash)?;
            begin(repo, credential, &session)
        }))
    })))
}

/// Uses up an invitation.
fn take(repo: &mut dyn Repo, hash: SecretHash) -> Result<Invitation> {
    let invitation = repo.invitation_take(hash)?.ok_or(Error::InvitationInvalid)?;
    check_valid(repo, &invitation)?;
    Ok(invitation)
}

fn check_valid(repo: &mut dyn Repo, invitation: &Invitation) -> Result<()> {
    if invitation.is_valid(&repo.member_list()?) { Ok(()) } else { Err(Error::InvitationInvalid) }
}

fn begin(repo: &mut dyn Repo, credential: Credential, session: &NewSession) -> Result<LoggedIn> {
    let session = repo.session_insert(&credential, session)?;
    Ok(LoggedIn { credential, session })
}
