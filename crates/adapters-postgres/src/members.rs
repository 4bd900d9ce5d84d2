//! Members, their logins, and invitations.

use diesel::deserialize::{self, FromSql, FromSqlRow};
use diesel::pg::{Pg, PgValue};
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Binary, Bool, Nullable, Text, Timestamptz, Uuid};
use diesel::{OptionalExtension, QueryableByName, define_sql_function, sql_query};
use finance_domain::credentials::{Role, SecretHash};
use finance_domain::members::{
    Credential, Invitation, Member, MemberRepo, NewInvitation, NewLink, NewMember, keep_room,
};
use finance_domain::second_factor::{FactorSecret, SecondFactor};
use finance_domain::text::name_key;
use finance_domain::{Access, CredentialId, Error, InvitationId, MemberId, ProfileId, Refusal, Result};
use time::OffsetDateTime;

use crate::constraints::error;
use crate::login_failures::forget;
use crate::repo::{PgRepo, across_profiles, bind, bind_writer};
use crate::row::row;
use crate::schema::{invitations, members, tokens};
use crate::sql::{Arguments, Cache, Fetch, with_args};
use crate::words::StoredWord;
use crate::{notice_outbox, notices};

define_sql_function! {
    /// 122 random bits in a UUID.
    fn gen_random_uuid() -> Uuid;
}

define_sql_function! {
    /// The member for whom the transaction runs.
    fn current_member_id() -> diesel::sql_types::Nullable<BigInt>;
}

/// A credential's id as it is stored.
#[derive(Debug, FromSqlRow)]
struct StoredCredentialId(CredentialId);

impl FromSql<Uuid, Pg> for StoredCredentialId {
    fn from_sql(value: PgValue<'_>) -> deserialize::Result<Self> {
        let bytes = value.as_bytes().try_into()?;
        Ok(StoredCredentialId(CredentialId(u128::from_be_bytes(bytes))))
    }
}

/// The secret of a second factor as it is stored.
#[derive(Debug, FromSqlRow)]
struct StoredFactorSecret(FactorSecret);

impl FromSql<Binary, Pg> for StoredFactorSecret {
    fn from_sql(value: PgValue<'_>) -> deserialize::Result<Self> {
        Ok(StoredFactorSecret(FactorSecret(value.as_bytes().try_into()?)))
    }
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = members)]
struct LoginRow {
    #[diesel(embed)]
    member: MemberRow,
    password_hash: Option<String>,
    credential_id: StoredCredentialId,
    factor_secret: Option<StoredFactorSecret>,
    factor_since: Option<OffsetDateTime>,
}

impl From<LoginRow> for Credential {
    fn from(row: LoginRow) -> Self {
        let is_confirmed = row.factor_since.is_some();
        Credential {
            member: row.member.into(),
            password_hash: row.password_hash,
            id: row.credential_id.0,
            factor: row.factor_secret.map(|secret| SecondFactor { secret: secret.0, is_confirmed }),
        }
    }
}

/// A member without its login.
#[derive(Queryable, Selectable)]
#[diesel(table_name = members)]
struct MemberRow {
    profile_id: i64,
    id: i64,
    name: String,
    role: StoredWord<Role>,
    is_disabled: bool,
    created_at: OffsetDateTime,
}

impl From<MemberRow> for Member {
    fn from(MemberRow { profile_id, id, name, role, is_disabled, created_at }: MemberRow) -> Self {
        Member { id: MemberId(id), profile_id: ProfileId(profile_id), name, role: role.0, is_disabled, created_at }
    }
}

row! { struct InvitationRow {
    id: i64 [BigInt],
    role: StoredWord<Role> [Text],
    member_id: Option<i64> [Nullable<BigInt>],
    created_by: Option<i64> [Nullable<BigInt>],
    created_at: OffsetDateTime [Timestamptz],
    expires_at: OffsetDateTime [Timestamptz],
} }

/// The columns of an [`InvitationRow`]. A link has the role of its member.
const INVITATION: &str = "i.id, i.member_id, i.created_by, i.created_at, i.expires_at, coalesce(i.role,
    (select m.role from members m where m.profile_id = i.profile_id and m.id = i.member_id)) as role";

impl From<InvitationRow> for Invitation {
    fn from(row: InvitationRow) -> Self {
        let InvitationRow { id, role, member_id, created_by, created_at, expires_at } = row;
        Invitation {
            id: InvitationId(id),
            role: role.0,
            member_id: member_id.map(MemberId),
            created_by: created_by.map(MemberId),
            created_at,
            expires_at,
        }
    }
}

impl MemberRepo for PgRepo<'_> {
    fn credential(&mut self) -> Result<Credential> {
        let query = members::table
            .filter(members::profile_id.eq(self.profile_id.0))
            .filter(members::id.nullable().eq(current_member_id()))
            .select(LoginRow::as_select());
        query.get_result(self.connection).map(Credential::from).map_err(error)
    }

    fn credential_replace(&mut self, password_hash: &str) -> Result<Credential> {
        let member = self.credential()?.member;
        replace_password(self.connection, &member, password_hash)
    }

    fn credential_of(&mut self, id: MemberId) -> Result<Option<Credential>> {
        let query = members::table.find((self.profile_id.0, id.0)).select(LoginRow::as_select());
        let row: Option<LoginRow> = query.fetch_if_any(self.connection)?;
        Ok(row.map(Credential::from))
    }

    fn credential_replace_of(&mut self, member: &Member, password_hash: &str) -> Result<Credential> {
        replace_password(self.connection, member, password_hash)
    }

    fn credential_renew(&mut self) -> Result<Credential> {
        let member = self.credential()?.member;
        renew(self.connection, &member)
    }

    fn member_list(&mut self) -> Result<Vec<Member>> {
        let own = members::table.filter(members::profile_id.eq(self.profile_id.0)).order(members::id);
        let rows: Vec<MemberRow> = own.select(MemberRow::as_select()).fetch(self.connection)?;
        Ok(rows.into_iter().map(Member::from).collect())
    }

    fn member_insert(&mut self, new: &NewMember) -> Result<Credential> {
        insert_new(self.connection, self.profile_id, new)?.ok_or_else(|| Refusal::NameTaken.into())
    }

    fn member_update(&mut self, id: MemberId, role: Role) -> Result<Option<Member>> {
        let row: Option<MemberRow> = diesel::update(members::table.find((self.profile_id.0, id.0)))
            .set(members::role.eq(role.as_str()))
            .returning(MemberRow::as_returning())
            .fetch_if_any(self.connection)?;
        Ok(row.map(Member::from))
    }

    fn member_delete(&mut self, id: MemberId) -> Result<bool> {
        let gone: Option<String> = diesel::delete(members::table.find((self.profile_id.0, id.0)))
            .returning(members::name_key)
            .fetch_if_any(self.connection)?;
        let Some(name_key) = gone else { return Ok(false) };
        // No foreign key removes them.
        self.sql("delete from webhooks where profile_id = $1 and created_by = $2").arg(id.0).exec(self.connection)?;
        notices::forget_member(self, id)?;
        forget(self.connection, &name_key)?;
        Ok(true)
    }

    fn invitation_list(&mut self, now: OffsetDateTime) -> Result<Vec<Invitation>> {
        open_invitations(self.connection, self.profile_id, now)
    }

    fn invitation_insert(&mut self, new: &NewInvitation) -> Result<InvitationId> {
        let maker = self.credential()?.member.id;
        remove_expired(self.connection, self.profile_id, new.created_at)?;
        diesel::insert_into(invitations::table)
            .values((
                invitations::profile_id.eq(self.profile_id.0),
                invitations::role.eq(new.role.as_str()),
                invitations::hash.eq(new.hash.0.as_slice()),
                invitations::created_by.eq(maker.0),
                invitations::created_at.eq(new.created_at),
                invitations::expires_at.eq(new.expires_at),
            ))
            .returning(invitations::id)
            .get_result(self.connection)
            .map(InvitationId)
            .map_err(error)
    }

    fn link_insert(&mut self, member: MemberId, new: &NewLink, maker: Option<MemberId>) -> Result<()> {
        insert_link(self.connection, self.profile_id, member, new, maker)
    }

    fn invitation(&mut self, hash: SecretHash) -> Result<Option<Invitation>> {
        let query = self.sql(format!("select {INVITATION} from invitations i where i.profile_id = $1 and i.hash = $2"));
        let row: Option<InvitationRow> = query.arg(hash.0.as_slice()).fetch_if_any(self.connection)?;
        Ok(row.map(Invitation::from))
    }

    fn invitation_delete(&mut self, id: InvitationId) -> Result<bool> {
        let gone = diesel::delete(invitations::table.find((self.profile_id.0, id.0))).exec_count(self.connection)?;
        Ok(gone > 0)
    }

    fn invitations_delete_by(&mut self, member: MemberId) -> Result<()> {
        withdraw_invitations(self.connection, self.profile_id, member)
    }

    fn invitation_take(&mut self, hash: SecretHash) -> Result<Option<Invitation>> {
        let query = self
            .sql(format!("delete from invitations i where i.profile_id = $1 and i.hash = $2 returning {INVITATION}"));
        let row: Option<InvitationRow> = query.arg(hash.0.as_slice()).fetch_if_any(self.connection)?;
        Ok(row.map(Invitation::from))
    }
}

/// Binds the transaction to the profile of an invitation.
///
/// # Errors
///
/// [`Error::Unauthenticated`] where the profile has no such invitation, or it has expired.
pub(crate) fn bind_invitation(
    connection: &mut PgConnection,
    profile_id: ProfileId,
    hash: SecretHash,
    now: OffsetDateTime,
    access: Access,
) -> Result<()> {
    match access {
        Access::Read => bind(connection, profile_id.0)?,
        Access::Write => bind_writer(connection, profile_id.0).map_err(error)?,
    }
    let own = invitations::table.filter(invitations::profile_id.eq(profile_id.0));
    let open = own.filter(invitations::hash.eq(hash.0.as_slice())).filter(invitations::expires_at.gt(now));
    let found: Option<i64> = open.select(invitations::id).fetch_if_any(connection)?;
    found.map(|_| ()).ok_or(Error::Unauthenticated)
}

fn open_invitations(
    connection: &mut PgConnection,
    profile_id: ProfileId,
    now: OffsetDateTime,
) -> Result<Vec<Invitation>> {
    let query = with_args(format!(
        "select {INVITATION} from invitations i where i.profile_id = $1 and i.expires_at > $2 order by i.id"
    ));
    query.arg(profile_id.0).arg(now).fetch_as(connection, |row: InvitationRow| row.into())
}

/// Waits for the profile's writers, and locks them out until the transaction ends.
fn lock_profile(connection: &mut PgConnection, profile_id: ProfileId) -> Result<()> {
    with_args("select 1 from profiles where id = $1 for no key update").arg(profile_id.0).exec(connection)
}

/// Removes the invitations that are expired at that instant. The transaction must be bound to the profile.
fn remove_expired(connection: &mut PgConnection, profile_id: ProfileId, at: OffsetDateTime) -> Result<()> {
    let own = invitations::table.filter(invitations::profile_id.eq(profile_id.0));
    diesel::delete(own.filter(invitations::expires_at.le(at))).exec(connection)
}

/// Stores the link of a member in place of its older one. The transaction must be bound to the profile.
pub(crate) fn insert_link(
    connection: &mut PgConnection,
    profile_id: ProfileId,
    member: MemberId,
    new: &NewLink,
    maker: Option<MemberId>,
) -> Result<()> {
    remove_expired(connection, profile_id, new.created_at)?;
    let values = (
        invitations::profile_id.eq(profile_id.0),
        invitations::member_id.eq(member.0),
        invitations::hash.eq(new.hash.0.as_slice()),
        invitations::created_by.eq(maker.map(|maker| maker.0)),
        invitations::created_at.eq(new.created_at),
        invitations::expires_at.eq(new.expires_at),
    );
    remove_link(connection, profile_id, member)?;
    diesel::insert_into(invitations::table).values(values).exec(connection)
}

/// Removes the link with which a member may set its password. The transaction must be bound to the profile.
fn remove_link(connection: &mut PgConnection, profile_id: ProfileId, member: MemberId) -> Result<()> {
    let own = invitations::table.filter(invitations::profile_id.eq(profile_id.0));
    diesel::delete(own.filter(invitations::member_id.eq(member.0))).exec(connection)
}

/// Sets a new password, which revokes every login of the member, a link to set one, and the tokens and invitations that the member
/// made. The transaction must be bound to the profile.
fn replace_password(connection: &mut PgConnection, member: &Member, password_hash: &str) -> Result<Credential> {
    let (profile_id, id) = (member.profile_id.0, member.id.0);
    let made = tokens::table.filter(tokens::profile_id.eq(profile_id)).filter(tokens::member_id.eq(id));
    diesel::delete(made).exec(connection)?;
    remove_link(connection, member.profile_id, member.id)?;
    end_access(connection, member)?;
    diesel::update(members::table.find((profile_id, id)))
        .set((members::password_hash.eq(password_hash), members::credential_id.eq(gen_random_uuid())))
        .returning(LoginRow::as_returning())
        .get_result(connection)
        .map(Credential::from)
        .map_err(error)
}

/// Revokes every login of the member, and removes the invitations that the member made. The transaction must be bound to the
/// profile.
pub(crate) fn renew(connection: &mut PgConnection, member: &Member) -> Result<Credential> {
    end_access(connection, member)?;
    diesel::update(members::table.find((member.profile_id.0, member.id.0)))
        .set(members::credential_id.eq(gen_random_uuid()))
        .returning(LoginRow::as_returning())
        .get_result(connection)
        .map(Credential::from)
        .map_err(error)
}

/// As [`renew`], for the member with that id.
pub(crate) fn renew_by_id(connection: &mut PgConnection, profile_id: ProfileId, id: MemberId) -> Result<Credential> {
    let row: MemberRow =
        members::table.find((profile_id.0, id.0)).select(MemberRow::as_select()).fetch_one(connection)?;
    renew(connection, &row.into())
}

/// The login of a member, if it exists and is not disabled. Locks it until the transaction ends, which must be bound to the profile.
pub(crate) fn lock_by_id(
    connection: &mut PgConnection,
    profile_id: ProfileId,
    id: MemberId,
) -> Result<Option<Credential>> {
    let query = members::table.find((profile_id.0, id.0)).select(LoginRow::as_select()).for_no_key_update();
    let row: Option<LoginRow> = query.fetch_if_any(connection)?;
    Ok(row.map(Credential::from).filter(|credential| !credential.member.is_disabled))
}

/// Removes what a login of the member could have begun, because its logins are no longer accepted: its sessions with their devices, those
/// that notices are pushed to, its invitations, and a second factor that is not confirmed. The transaction must be bound to the profile.
fn end_access(connection: &mut PgConnection, member: &Member) -> Result<()> {
    for statement in [
        // Locks the member before its sessions, as a login and a renewal do.
        "select 1 from members where profile_id = $1 and id = $2 for no key update",
        "delete from sessions where profile_id = $1 and member_id = $2",
        "update members set factor_secret = null where profile_id = $1 and id = $2 and factor_since is null",
    ] {
        with_args(statement).arg(member.profile_id.0).arg(member.id.0).exec(connection)?;
    }
    notice_outbox::forget_devices(connection, member.profile_id, member.id)?;
    withdraw_invitations(connection, member.profile_id, member.id)
}

/// Removes the invitations that a member made. The transaction must be bound to the profile.
fn withdraw_invitations(connection: &mut PgConnection, profile_id: ProfileId, member: MemberId) -> Result<()> {
    let own = invitations::table.filter(invitations::profile_id.eq(profile_id.0));
    diesel::delete(own.filter(invitations::created_by.eq(member.0))).exec(connection)
}

/// Adds a member to the profile that the transaction is bound to. None if the name is taken.
pub(crate) fn insert_new(
    connection: &mut PgConnection,
    profile_id: ProfileId,
    new: &NewMember,
) -> Result<Option<Credential>> {
    diesel::insert_into(members::table)
        .values((
            members::profile_id.eq(profile_id.0),
            members::name.eq(&new.name),
            members::name_key.eq(name_key(&new.name)),
            members::role.eq(new.role.as_str()),
            members::password_hash.eq(&new.password_hash),
        ))
        .on_conflict(members::name_key)
        .do_nothing()
        .returning(LoginRow::as_returning())
        .get_result(connection)
        .optional()
        .map(|row| row.map(Credential::from))
        .map_err(error)
}

/// The names of a profile's members, in the form used for comparison. The transaction must be bound to the profile.
pub(crate) fn name_keys(connection: &mut PgConnection, profile_id: ProfileId) -> Result<Vec<String>> {
    let own = members::table.filter(members::profile_id.eq(profile_id.0));
    own.select(members::name_key).fetch(connection)
}

pub(crate) fn credential_by_name(connection: &mut PgConnection, name: &str) -> Result<Option<Credential>> {
    let named = login_by_name(connection, name)?.map(Credential::from);
    Ok(named.filter(|credential| !credential.member.is_disabled))
}

/// The member with that name, disabled or not. The transaction can read this member from then on.
pub(crate) fn by_name(connection: &mut PgConnection, name: &str) -> Result<Option<Member>> {
    Ok(login_by_name(connection, name)?.map(|row| Credential::from(row).member))
}

/// The login with that name, if it exists and is not disabled. Locks it until the transaction ends.
pub(crate) fn lock_by_name(connection: &mut PgConnection, name: &str) -> Result<Option<Credential>> {
    let Some(key) = show(connection, name)? else { return Ok(None) };
    let query = members::table.filter(members::name_key.eq(&key)).select(LoginRow::as_select()).for_no_key_update();
    let named: Option<LoginRow> = query.fetch_if_any(connection)?;
    Ok(named.map(Credential::from).filter(|credential| !credential.member.is_disabled))
}

/// The login with that name, disabled or not. The transaction can read its member from then on.
fn login_by_name(connection: &mut PgConnection, name: &str) -> Result<Option<LoginRow>> {
    let Some(key) = show(connection, name)? else { return Ok(None) };
    let query = members::table.filter(members::name_key.eq(&key)).select(LoginRow::as_select());
    query.fetch_if_any(connection)
}

/// Lets the transaction read the member with that name. Returns the name in the form used for comparison, or none if no member
/// can have it.
fn show(connection: &mut PgConnection, name: &str) -> Result<Option<String>> {
    let key = name_key(name);
    // PostgreSQL accepts no NUL in a text, and no name contains one.
    if key.contains('\0') {
        return Ok(None);
    }
    with_args("select set_config('finance.login_name', $1, true)").arg(&key).run(connection)?;
    Ok(Some(key))
}

/// Whether there is a member in any profile.
pub(crate) fn are_there(connection: &mut PgConnection) -> Result<bool> {
    row! { struct Found { found: bool [Bool] } }
    let found: Found = across_profiles(connection, |connection| {
        sql_query("select exists (select 1 from members) as found").get_result(connection)
    })
    .map_err(error)?;
    Ok(found.found)
}

pub(crate) fn list(connection: &mut PgConnection) -> Result<Vec<Member>> {
    // The only exception to the policy that a transaction sees one profile, beside the profiles themselves.
    let rows: Vec<MemberRow> = across_profiles(connection, |connection| {
        members::table.order((members::profile_id, members::id)).select(MemberRow::as_select()).load(connection)
    })
    .map_err(error)?;
    Ok(rows.into_iter().map(Member::from).collect())
}

/// Gives the member with that name a new password. None if no member has the name.
pub(crate) fn set_password(connection: &mut PgConnection, name: &str, password_hash: &str) -> Result<Option<Member>> {
    let Some(named) = login_by_name(connection, name)? else { return Ok(None) };
    let Credential { member, .. } = named.into();
    bind(connection, member.profile_id.0)?;
    replace_password(connection, &member, password_hash).map(|credential| Some(credential.member))
}

/// Stores an operator's link for the member with that name. None if no member has the name.
pub(crate) fn link(connection: &mut PgConnection, name: &str, new: &NewLink) -> Result<Option<Member>> {
    let Some(named) = login_by_name(connection, name)? else { return Ok(None) };
    let Credential { member, .. } = named.into();
    bind(connection, member.profile_id.0)?;
    lock_profile(connection, member.profile_id)?;
    keep_room(&open_invitations(connection, member.profile_id, new.created_at)?, Some(member.id))?;
    insert_link(connection, member.profile_id, member.id, new, None)?;
    Ok(Some(member))
}

/// Disables or enables the member with that name. A change revokes its logins. Disabling removes its invitations.
pub(crate) fn set_disabled(connection: &mut PgConnection, name: &str, is_disabled: bool) -> Result<Member> {
    let named = login_by_name(connection, name)?.ok_or(Error::NotFound("user"))?;
    let own = members::table.find((named.member.profile_id, named.member.id));
    diesel::update(own.filter(members::is_disabled.ne(is_disabled)))
        .set((members::is_disabled.eq(is_disabled), members::credential_id.eq(gen_random_uuid())))
        .exec(connection)?;
    let member = Member { is_disabled, ..Credential::from(named).member };
    if is_disabled {
        bind(connection, member.profile_id.0)?;
        withdraw_invitations(connection, member.profile_id, member.id)?;
        notice_outbox::forget_devices(connection, member.profile_id, member.id)?;
    }
    Ok(member)
}
