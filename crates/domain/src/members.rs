//! Members: the people who log in to a profile. A household is one profile with several members.
//!
//! Two policies of the database show rows of other profiles: `profiles_listing` and `members_listing` list profiles and users
//! to an operator. They allow only reading those tables, and the adapter enables and disables them around one query that returns no
//! hash. A member, a token and an invitation are also visible to a transaction that gives their name or hash, because they are looked up
//! before their profile is known.

use time::{Duration, OffsetDateTime};

use crate::credentials::{Need, Role, SecretHash};
use crate::error::{Error, FieldErrors, Refusal, Result};
use crate::ids::{CredentialId, InvitationId, MemberId, ProfileId};
use crate::second_factor::SecondFactor;
use crate::violations::Violation;

/// The most members of one profile.
pub const MEMBERS_MAX: usize = 50;
/// The most open invitations of one profile, links for passwords included.
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
    /// The bcrypt hash of the password. None until the member has used its link: then no password is right.
    pub password_hash: Option<String>,
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
    /// The bcrypt hash of the password. None if a link will set it.
    pub password_hash: Option<String>,
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
    /// The roles of invitations.
    pub const INVITED: [Role; 2] = [Role::Editor, Role::Viewer];

    /// The role of a member.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] if it is absent.
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
    /// [`Error::Invalid`] if it is absent or `owner`.
    pub fn check_invited(self) -> Result<Role> {
        self.check_among(&Self::INVITED)
    }

    fn check_among(self, allowed: &[Role]) -> Result<Role> {
        let mut errors = self.errors;
        let role = errors.require("role", self.role);
        if role.is_some_and(|role| !allowed.contains(&role)) {
            let words: Vec<&str> = allowed.iter().map(|role| role.as_str()).collect();
            errors.push("role", Violation::not_one_of(&words));
        }
        errors.all((role,)).map(|(role,)| role)
    }
}

/// An open invitation: to become a member, or the link with which a member sets its password. It is valid while the member who made
/// it may invite.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Invitation {
    /// Its id.
    pub id: InvitationId,
    /// What the new member will be allowed to do. Of a link, the role of its member.
    pub role: Role,
    /// The member whose password it sets, and nothing else. None if it makes a member.
    pub member_id: Option<MemberId>,
    /// The member who made it. None for a link that an operator made on the command line.
    pub created_by: Option<MemberId>,
    /// The instant at which it was made.
    pub created_at: OffsetDateTime,
    /// The instant from which it is refused.
    pub expires_at: OffsetDateTime,
}

impl Invitation {
    /// Whether its maker is an operator, or one of the members who may still invite, and the member whose password it sets is not
    /// disabled.
    pub fn is_valid(&self, members: &[Member]) -> bool {
        let of = |id: MemberId| members.iter().find(|member| member.id == id);
        let is_made = self.created_by.is_none_or(|id| of(id).is_some_and(|maker| maker.may(Need::Members)));
        is_made && self.member_id.is_none_or(|id| of(id).is_some_and(|member| !member.is_disabled))
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

/// The link with which a member sets its password, to store. It replaces an older one of that member.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NewLink {
    /// The hash of its secret.
    pub hash: SecretHash,
    /// The instant at which it is made.
    pub created_at: OffsetDateTime,
    /// When it expires.
    pub expires_at: OffsetDateTime,
}

impl NewLink {
    /// A link that is created now. It is open for as long as an invitation.
    pub fn new(hash: SecretHash, now: OffsetDateTime) -> Self {
        let NewInvitation { hash, created_at, expires_at, .. } = NewInvitation::new(Role::Viewer, hash, now);
        NewLink { hash, created_at, expires_at }
    }
}

/// Ensures that one more invitation may be open. The older link of `member`, which a new one replaces, does not count.
///
/// # Errors
///
/// [`Refusal::LimitReached`].
pub fn keep_room(open: &[Invitation], member: Option<MemberId>) -> Result<(), Refusal> {
    let stays = |open: &&Invitation| member.is_none() || open.member_id != member;
    let has_room = open.iter().filter(stays).count() < INVITATIONS_MAX;
    if has_room { Ok(()) } else { Err(Refusal::LimitReached { what: "open invitations", max: INVITATIONS_MAX }) }
}

/// Ensures that `maker` may make a link for a member. Nobody makes one for itself: whoever finds an open session must not be able to
/// set another password without the current one.
///
/// # Errors
///
/// [`Error::NotAllowed`], or [`Error::NotFound`] if there is no such member.
pub fn may_link(members: &[Member], maker: MemberId, member: MemberId) -> Result<()> {
    if maker == member {
        return Err(Error::NotAllowed);
    }
    let is_there = members.iter().any(|known| known.id == member);
    if is_there { Ok(()) } else { Err(Error::NotFound("member")) }
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
pub trait MemberRepo {
    /// The login of the member for whom the transaction runs: the member who logged in, or the creator of the token.
    fn credential(&mut self) -> Result<Credential>;
    /// Sets the password of that member and gives it a new credential, which revokes all older logins. Also removes the tokens and
    /// invitations that the member made, and a second factor that is not confirmed.
    fn credential_replace(&mut self, password_hash: &str) -> Result<Credential>;
    /// The login of a member. None if there is no such member.
    fn credential_of(&mut self, id: MemberId) -> Result<Option<Credential>>;
    /// As [`credential_replace`](MemberRepo::credential_replace), for a member of the profile.
    fn credential_replace_of(&mut self, member: &Member, password_hash: &str) -> Result<Credential>;
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
    fn invitation_insert(&mut self, new: &NewInvitation) -> Result<InvitationId>;
    /// Stores the link of a member in place of its older one, and removes invitations that are expired when it is made. `maker` is
    /// None if an operator makes it.
    fn link_insert(&mut self, member: MemberId, new: &NewLink, maker: Option<MemberId>) -> Result<()>;
    /// The invitation with that hash. None if there is no such invitation.
    fn invitation(&mut self, hash: SecretHash) -> Result<Option<Invitation>>;
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
        let created_by = Some(MemberId(1));
        let invitation = Invitation { id, role, member_id: None, created_by, created_at, expires_at };
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

    #[test]
    fn a_link_is_valid_while_its_member_may_log_in() {
        let created_at = datetime!(2026-03-15 12:00 UTC);
        let (id, role, expires_at) = (InvitationId(7), Role::Editor, created_at);
        let link =
            |created_by| Invitation { id, role, member_id: Some(MemberId(2)), created_by, created_at, expires_at };
        let (ana, bia) = (member(1, Role::Owner), member(2, Role::Editor));
        let disabled = Member { is_disabled: true, ..bia.clone() };
        for (members, by_ana, by_operator) in [
            (vec![ana.clone(), bia.clone()], true, true),
            (vec![member(1, Role::Editor), bia.clone()], false, true),
            (vec![bia.clone()], false, true),
            (vec![ana.clone(), disabled], false, false),
            (vec![ana.clone()], false, false),
        ] {
            assert_eq!(link(Some(MemberId(1))).is_valid(&members), by_ana, "{members:?}");
            assert_eq!(link(None).is_valid(&members), by_operator, "{members:?}");
        }
    }

    #[test]
    fn an_owner_makes_links_for_others() {
        let members = [member(1, Role::Owner), member(2, Role::Viewer)];
        assert!(may_link(&members, MemberId(1), MemberId(2)).is_ok());
        assert!(matches!(may_link(&members, MemberId(1), MemberId(1)), Err(Error::NotAllowed)));
        assert!(matches!(may_link(&members, MemberId(1), MemberId(3)), Err(Error::NotFound("member"))));
    }
}
