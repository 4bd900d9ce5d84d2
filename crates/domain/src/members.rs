//! Members: the people who log in to a profile. A household is one profile with several members.
//!
//! Two policies of the database show rows of other profiles: `profiles_listing` and `members_listing` list profiles and users
//! to an operator. They allow only reading those tables, and `list_profiles()` and `list_members()` enable and disable them
//! around one query that returns no hash. A member, a token and an invitation are also visible to a transaction that gives
//! their name or hash, because they are looked up before their profile is known.

use time::{Duration, OffsetDateTime};

use crate::credentials::{Need, Role, SecretHash};
use crate::error::{FieldErrors, Refusal, Result};
use crate::ids::{CredentialId, InvitationId, MemberId, ProfileId};
use crate::second_factor::SecondFactor;
use crate::violations::Violation;

/// The most members of one profile.
pub const MEMBERS_MAX: usize = 50;
/// The most open invitations of one profile.
pub const INVITATIONS_MAX: usize = 50;
/// How long an invitation is open.
pub const INVITATION_HOURS: i64 = 48;

/// A person who logs in to a profile.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    /// The member's id.
    pub id: MemberId,
    /// The profile of the member, which is the `sub` of its logins.
    pub profile_id: ProfileId,
    /// The name to log in with, unique across all profiles ignoring case.
    pub name: String,
    /// What the member may do.
    pub role: Role,
    /// Whether an operator has disabled the member. A disabled member cannot log in, and its logins and tokens are refused.
    pub is_disabled: bool,
    /// The instant at which it became a member.
    pub created_at: OffsetDateTime,
}

impl Member {
    /// Whether the member may now do what the need stands for, with a login. What a member has made lasts no longer than this.
    pub fn may(&self, need: Need) -> bool {
        !self.is_disabled && need.is_met_by_role(self.role)
    }
}

/// The stored login of a member.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Credential {
    /// The member.
    pub member: Member,
    /// The bcrypt hash of the password.
    pub password_hash: String,
    /// The id of the credential in the token of a login.
    pub id: CredentialId,
    /// The second factor, confirmed or not.
    pub factor: Option<SecondFactor>,
}

impl Credential {
    /// The second factor, if it is confirmed. A login then requires a code.
    pub fn factor_in_effect(&self) -> Option<&SecondFactor> {
        self.factor.as_ref().filter(|factor| factor.is_confirmed)
    }
}

/// A member to add.
#[derive(Debug, Clone)]
pub struct NewMember {
    /// The name, as [`text::name`](crate::text::name) allows it.
    pub name: String,
    /// The bcrypt hash of the password.
    pub password_hash: String,
    /// What the member may do.
    pub role: Role,
}

/// A role as a client sends it, not yet checked.
#[derive(Debug, Clone, Default)]
pub struct RoleInput {
    /// Required.
    pub role: Option<Role>,
    /// Fields that could not be read. They are reported together with those that break a rule.
    pub errors: FieldErrors,
}

impl RoleInput {
    /// The role of a member.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`](crate::Error::Invalid) if it is absent.
    pub fn check(self) -> Result<Role> {
        self.check_among(&[Role::Owner, Role::Editor, Role::Viewer])
    }

    /// The role of an invitation: nobody is invited as an owner.
    ///
    /// ```
    /// use finance_domain::credentials::Role;
    /// use finance_domain::members::RoleInput;
    ///
    /// let input = |role| RoleInput { role: Some(role), ..Default::default() };
    /// assert!(input(Role::Editor).check_invited().is_ok());
    /// assert!(input(Role::Owner).check_invited().is_err());
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`](crate::Error::Invalid) if it is absent or `owner`.
    pub fn check_invited(self) -> Result<Role> {
        self.check_among(&[Role::Editor, Role::Viewer])
    }

    fn check_among(self, allowed: &[Role]) -> Result<Role> {
        let mut errors = self.errors;
        let role = errors.require("role", self.role);
        if role.is_some_and(|role| !allowed.contains(&role)) {
            let words: Vec<&str> = allowed.iter().map(|role| role.as_str()).collect();
            errors.push("role", Violation::not_one_of(&words));
        }
        errors.into_result()?;
        Ok(role.unwrap_or(Role::Viewer))
    }
}

/// An open invitation. It belongs to the member who made it, and is valid while that member may invite.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Invitation {
    /// Its id.
    pub id: InvitationId,
    /// What the new member will be allowed to do.
    pub role: Role,
    /// The member who made it.
    pub created_by: MemberId,
    /// The instant at which it was made.
    pub created_at: OffsetDateTime,
    /// The instant from which it is refused.
    pub expires_at: OffsetDateTime,
}

impl Invitation {
    /// Whether one of the members made it and may still invite.
    pub fn is_valid(&self, members: &[Member]) -> bool {
        members.iter().any(|member| member.id == self.created_by && member.may(Need::Members))
    }
}

/// An invitation to store. Whoever has its secret may accept it once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NewInvitation {
    /// What the new member will be allowed to do.
    pub role: Role,
    /// The hash of its secret.
    pub hash: SecretHash,
    /// The instant at which it is made.
    pub created_at: OffsetDateTime,
    /// When it expires.
    pub expires_at: OffsetDateTime,
}

impl NewInvitation {
    /// An invitation that is created now.
    pub fn new(role: Role, hash: SecretHash, now: OffsetDateTime) -> Self {
        // Whole seconds, like all instants that are sent.
        let created_at = now.replace_nanosecond(0).unwrap_or(now);
        NewInvitation { role, hash, created_at, expires_at: created_at + Duration::hours(INVITATION_HOURS) }
    }
}

/// Ensures that a profile keeps an owner. Refuses to remove `member` (`role` is None) or to give it another `role` if it is the
/// only owner.
///
/// # Errors
///
/// [`Refusal::LastOwner`].
pub fn keep_an_owner(members: &[Member], member: MemberId, role: Option<Role>) -> Result<(), Refusal> {
    let stays = role == Some(Role::Owner);
    let is_left = |known: &Member| known.role == Role::Owner && known.id != member;
    let was_owner = members.iter().any(|known| known.id == member && known.role == Role::Owner);
    if was_owner && !stays && !members.iter().any(is_left) { Err(Refusal::LastOwner) } else { Ok(()) }
}

/// The port of members and invitations. Every method may fail as [`Store::transact`](crate::Store::transact) does.
#[allow(clippy::missing_errors_doc)]
pub trait MemberRepo {
    /// The login of the member for whom the transaction runs: the member who logged in, or the creator of the token.
    fn credential(&mut self) -> Result<Credential>;
    /// Sets the password of that member and gives it a new credential, which revokes all older logins. Also removes the tokens and
    /// invitations that the member made, and a second factor that is not confirmed.
    fn credential_replace(&mut self, password_hash: &str) -> Result<Credential>;
    /// Gives that member a new credential, which revokes all older logins. Also removes the invitations that the member made, and a
    /// second factor that is not confirmed. Tokens that the member created stay valid.
    fn credential_renew(&mut self) -> Result<Credential>;
    /// All members, in the order in which they joined.
    fn member_list(&mut self) -> Result<Vec<Member>>;
    /// Adds a member; [`Refusal::NameTaken`] if a member of any profile has the name.
    fn member_insert(&mut self, new: &NewMember) -> Result<Credential>;
    /// Changes the role of a member. None if there is no such member.
    fn member_update(&mut self, id: MemberId, role: Role) -> Result<Option<Member>>;
    /// Removes a member, and its tokens, invitations and webhooks. Returns whether it existed.
    fn member_delete(&mut self, id: MemberId) -> Result<bool>;
    /// The invitations that are open at `now`, in the order in which they were made.
    fn invitation_list(&mut self, now: OffsetDateTime) -> Result<Vec<Invitation>>;
    /// Stores an invitation of that member, and removes those that are expired when it is made.
    fn invitation_insert(&mut self, new: &NewInvitation) -> Result<()>;
    /// Removes an invitation. Returns whether it existed.
    fn invitation_delete(&mut self, id: InvitationId) -> Result<bool>;
    /// Removes the invitations that a member made.
    fn invitations_delete_by(&mut self, member: MemberId) -> Result<()>;
    /// Removes an invitation and returns it. None if there is no such invitation.
    fn invitation_take(&mut self, hash: SecretHash) -> Result<Option<Invitation>>;
}

#[cfg(test)]
mod tests {
    use time::macros::datetime;

    use super::*;

    fn member(id: i64, role: Role) -> Member {
        let created_at = datetime!(2026-03-15 12:00 UTC);
        Member {
            id: MemberId(id),
            profile_id: ProfileId(1),
            name: id.to_string(),
            role,
            is_disabled: false,
            created_at,
        }
    }

    #[test]
    fn the_last_owner_stays() {
        let one = [member(1, Role::Owner), member(2, Role::Editor)];
        let two = [member(1, Role::Owner), member(2, Role::Owner)];
        for (members, id, role, allowed) in [
            (&one, 1, None, false),
            (&one, 1, Some(Role::Editor), false),
            (&one, 1, Some(Role::Owner), true),
            (&one, 2, None, true),
            (&one, 2, Some(Role::Owner), true),
            (&one, 3, None, true),
            (&two, 1, None, true),
            (&two, 2, Some(Role::Viewer), true),
        ] {
            let kept = keep_an_owner(members, MemberId(id), role);
            assert_eq!(kept.is_ok(), allowed, "{id} {role:?} of {members:?}");
        }
    }

    #[test]
    fn an_invitation_is_open_for_two_days() {
        let invitation = NewInvitation::new(Role::Viewer, SecretHash([0; 32]), datetime!(2026-03-15 12:00:00.5 UTC));
        assert_eq!(invitation.created_at, datetime!(2026-03-15 12:00 UTC));
        assert_eq!(invitation.expires_at, datetime!(2026-03-17 12:00 UTC));
    }

    #[test]
    fn an_invitation_is_valid_while_its_maker_may_invite() {
        let created_at = datetime!(2026-03-15 12:00 UTC);
        let (id, role, expires_at) = (InvitationId(7), Role::Editor, created_at);
        let invitation = Invitation { id, role, created_by: MemberId(1), created_at, expires_at };
        let disabled = Member { is_disabled: true, ..member(1, Role::Owner) };
        for (members, is_valid) in [
            (vec![member(1, Role::Owner)], true),
            (vec![member(2, Role::Viewer), member(1, Role::Owner)], true),
            (vec![member(1, Role::Editor), member(2, Role::Owner)], false),
            (vec![disabled, member(2, Role::Owner)], false),
            (vec![member(2, Role::Owner)], false),
            (vec![], false),
        ] {
            assert_eq!(invitation.is_valid(&members), is_valid, "{members:?}");
        }
    }
}
