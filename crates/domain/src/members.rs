//! Members: who logs in to a profile. A household is one profile with several members.

use time::{Duration, OffsetDateTime};

use crate::credentials::{Role, SecretHash};
use crate::error::{FieldErrors, Refusal, Result};
use crate::ids::{CredentialId, MemberId, ProfileId};
use crate::second_factor::SecondFactor;
use crate::violations::Violation;

/// The most members of one profile.
pub const MEMBERS_MAX: usize = 50;
/// The most open invitations of one profile.
pub const INVITATIONS_MAX: usize = 50;
/// How long an invitation is open.
pub const INVITATION_HOURS: i64 = 48;

/// Someone who logs in to a profile.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    /// The member's id.
    pub id: MemberId,
    /// The profile that the member opens, the `sub` of its logins.
    pub profile_id: ProfileId,
    /// The name to log in with; unique over all profiles, whatever the case.
    pub name: String,
    /// What the member may do.
    pub role: Role,
    /// Whether an operator has disabled it. It cannot log in, and its logins and tokens are refused.
    pub is_disabled: bool,
    /// The instant at which it became a member.
    pub created_at: OffsetDateTime,
}

/// The login of a member, as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Credential {
    /// Whose it is.
    pub member: Member,
    /// The bcrypt hash of the password.
    pub password_hash: String,
    /// The credential in a login's token.
    pub id: CredentialId,
    /// The second factor, in effect or not yet.
    pub factor: Option<SecondFactor>,
}

impl Credential {
    /// The second factor that a login asks for.
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

/// A role that a client gives, not yet checked.
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
    /// [`Error::Invalid`](crate::Error::Invalid) where it is absent.
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
    /// [`Error::Invalid`](crate::Error::Invalid) where it is absent or `owner`.
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

/// An invitation that was made. Who holds its secret may accept it once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NewInvitation {
    /// What the new member will be allowed to do.
    pub role: Role,
    /// The hash of its secret.
    pub hash: SecretHash,
    /// When it is too late.
    pub expires_at: OffsetDateTime,
}

impl NewInvitation {
    /// An invitation that is made now.
    pub fn new(role: Role, hash: SecretHash, now: OffsetDateTime) -> Self {
        // Whole seconds, as all instants that are sent.
        let now = now.replace_nanosecond(0).unwrap_or(now);
        NewInvitation { role, hash, expires_at: now + Duration::hours(INVITATION_HOURS) }
    }
}

/// A profile keeps an owner: refuses to remove `member`, or to make it another `role`, where it is the only one.
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
    /// The login of the member for whom the transaction runs: of the login itself, or of a token's maker.
    fn credential(&mut self) -> Result<Credential>;
    /// Gives that member another password, and a new credential, which refuses every older login and every token that the
    /// member made.
    fn credential_replace(&mut self, password_hash: &str) -> Result<Credential>;
    /// Gives that member a new credential, which refuses every older login. Tokens that the member made stay.
    fn credential_renew(&mut self) -> Result<()>;
    /// All members, in the order in which they joined.
    fn member_list(&mut self) -> Result<Vec<Member>>;
    /// Adds a member; [`Refusal::NameTaken`] where the name is taken, in whichever profile.
    fn member_insert(&mut self, new: &NewMember) -> Result<Credential>;
    /// Gives a member another role. None where there is no such member.
    fn member_update(&mut self, id: MemberId, role: Role) -> Result<Option<Member>>;
    /// Removes a member with its tokens. Returns whether there was one.
    fn member_delete(&mut self, id: MemberId) -> Result<bool>;
    /// Stores an invitation, and removes those that have expired by `now`.
    fn invitation_insert(&mut self, new: &NewInvitation, now: OffsetDateTime) -> Result<()>;
    /// How many invitations are open.
    fn invitation_count(&mut self, now: OffsetDateTime) -> Result<usize>;
    /// Removes an invitation and returns its role. None where there is none.
    fn invitation_take(&mut self, hash: SecretHash) -> Result<Option<Role>>;
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
        assert_eq!(invitation.expires_at, datetime!(2026-03-17 12:00 UTC));
    }
}
