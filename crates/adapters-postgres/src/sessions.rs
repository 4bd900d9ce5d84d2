//! Sessions: the logins of members.

use diesel::QueryableByName;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Binary, Bool, Nullable, SmallInt, Text, Timestamptz};
use finance_domain::credentials::SecretHash;
use finance_domain::members::{Credential, Member};
use finance_domain::sessions::{
    DEVICES_MAX, Device, DeviceChange, DeviceKey, DeviceLogin, ENDED_MAX, LoggedIn, NewSession, SESSIONS_MAX, Session,
    SessionRepo,
};
use finance_domain::{Error, MemberId, ProfileId, Result, SessionId};
use time::OffsetDateTime;

use crate::repo::{PgRepo, bind};
use crate::row::row;
use crate::sql::{Arguments, Cache, Fetch, with_args};
use crate::{login_failures, members, notice_outbox, tokens};

row! { struct SessionRow {
    id: i64 [BigInt],
    created_at: OffsetDateTime [Timestamptz],
    expires_at: OffsetDateTime [Timestamptz],
    client: Option<String> [Nullable<Text>],
    device_expires_at: Option<OffsetDateTime> [Nullable<Timestamptz>],
    renewed_at: Option<OffsetDateTime> [Nullable<Timestamptz>],
} }

/// The columns of a [`SessionRow`].
const SESSION: &str = "s.id, s.created_at, s.expires_at, s.client, s.device_expires_at, s.renewed_at";

/// What removes a device from its session.
const NO_DEVICE: &str = "device_selector = null, device_key = null, device_current = null, device_previous = null,
    device_count = null, device_expires_at = null";

impl From<SessionRow> for Session {
    fn from(row: SessionRow) -> Self {
        let SessionRow { id, created_at, expires_at, client, device_expires_at, renewed_at } = row;
        Session { id: SessionId(id), created_at, expires_at, client, device_expires_at, renewed_at }
    }
}

impl SessionRepo for PgRepo<'_> {
    fn session_list(&mut self, now: OffsetDateTime) -> Result<Vec<Session>> {
        let query = self.sql(format!(
            "select {SESSION}
            from sessions s
            join members m on m.profile_id = s.profile_id and m.id = s.member_id and m.credential_id = s.credential_id
            where s.profile_id = $1 and s.member_id = current_member_id() and s.ended_at is null
                and (s.expires_at > $2 or s.device_expires_at > $2)
            order by s.id desc"
        ));
        query.arg(now).fetch_as(self.connection, |row: SessionRow| row.into())
    }

    fn session_insert(&mut self, credential: &Credential, new: &NewSession) -> Result<Session> {
        insert(self.connection, credential, new)
    }

    fn session_end(&mut self, id: SessionId, now: OffsetDateTime) -> Result<bool> {
        row! { struct Own { member_id: i64 [BigInt] } }
        let query = self.sql(
            "select member_id from sessions where profile_id = $1 and id = $2 and member_id = current_member_id()
                and ended_at is null",
        );
        let own: Option<Own> = query.arg(id.0).fetch_if_any(self.connection)?;
        let Some(Own { member_id }) = own else { return Ok(false) };
        end(self.connection, self.profile_id, MemberId(member_id), id, now)?;
        Ok(true)
    }

    fn devices_remove(&mut self) -> Result<()> {
        self.sql(format!("update sessions set {NO_DEVICE} where profile_id = $1 and device_selector is not null"))
            .exec(self.connection)
    }
}

/// Ends a session: its tokens and its device are refused until they have expired. If too many of the member were ended lately to keep
/// another, all of them end. The transaction must be bound to the profile.
fn end(
    connection: &mut PgConnection,
    profile_id: ProfileId,
    member: MemberId,
    id: SessionId,
    now: OffsetDateTime,
) -> Result<()> {
    let ended = with_args(format!(
        "update sessions set {NO_DEVICE}, ended_at = $4
        where profile_id = $1 and id = $2 and (
            select count(*) from sessions
            where profile_id = $1 and member_id = $3 and ended_at is not null and expires_at > $4) < $5"
    ))
    .arg(profile_id.0)
    .arg(id.0)
    .arg(member.0)
    .arg(now)
    .arg(i64::try_from(ENDED_MAX).unwrap_or(i64::MAX))
    .exec_count(connection)?;
    if ended == 0 {
        members::renew_by_id(connection, profile_id, member)?;
    }
    notice_outbox::forget_session(connection, profile_id, id)
}

/// A device with its session, as they are stored.
#[derive(QueryableByName)]
struct DeviceRow {
    #[diesel(embed)]
    session: SessionRow,
    #[diesel(sql_type = Timestamptz)]
    coded_at: OffsetDateTime,
    #[diesel(sql_type = Timestamptz)]
    changed_at: OffsetDateTime,
    #[diesel(sql_type = Binary)]
    device_key: Vec<u8>,
    #[diesel(sql_type = Binary)]
    device_current: Vec<u8>,
    #[diesel(sql_type = Nullable<Binary>)]
    device_previous: Option<Vec<u8>>,
    #[diesel(sql_type = BigInt)]
    device_count: i64,
    #[diesel(sql_type = Timestamptz)]
    device_ends_at: OffsetDateTime,
}

impl DeviceRow {
    fn device(&self) -> Result<Device> {
        Ok(Device {
            key: DeviceKey(bytes(&self.device_key)?),
            current: SecretHash(bytes(&self.device_current)?),
            previous: self.device_previous.as_deref().map(bytes).transpose()?.map(SecretHash),
            count: self.device_count,
            changed_at: self.changed_at,
            expires_at: self.device_ends_at,
        })
    }
}

fn bytes(stored: &[u8]) -> Result<[u8; 32]> {
    stored.try_into().map_err(|error| Error::Internal(Box::new(error)))
}

/// Lets `judge` decide what becomes of the device with that selector, while it is locked.
pub(crate) fn judge_device(
    connection: &mut PgConnection,
    selector: SecretHash,
    now: OffsetDateTime,
    judge: &mut dyn FnMut(&DeviceLogin) -> Result<DeviceChange>,
) -> Result<bool> {
    row! { struct Holder {
        profile_id: i64 [BigInt],
        member_id: i64 [BigInt],
    } }
    tokens::show(connection, Some(selector))?;
    let query = with_args("select profile_id, member_id from sessions where device_selector = $1");
    let holder: Option<Holder> = query.arg(selector.0.as_slice()).row_if_any(connection)?;
    tokens::show(connection, None)?;
    let Some(Holder { profile_id: profile, member_id: member }) = holder else { return Ok(false) };
    bind(connection, profile)?;
    let (profile_id, member_id) = (ProfileId(profile), MemberId(member));
    let Some(credential) = members::lock_by_id(connection, profile_id, member_id)? else { return Ok(false) };
    let query = with_args(format!(
        "select {SESSION}, coalesce(s.coded_at, s.created_at) as coded_at,
            coalesce(s.renewed_at, s.created_at) as changed_at, s.device_key, s.device_current, s.device_previous,
            s.device_count, s.device_expires_at as device_ends_at
        from sessions s where s.profile_id = $1 and s.device_selector = $2 and s.credential_id = $3::uuid
        for no key update"
    ));
    let row: Option<DeviceRow> =
        query.arg(profile).arg(selector.0.as_slice()).arg(credential.id.to_string()).row_if_any(connection)?;
    let Some(row) = row else { return Ok(false) };
    let code_days = match credential.factor_in_effect() {
        Some(_) => code_days(connection, profile_id)?,
        None => None,
    };
    let (device, coded_at) = (row.device()?, row.coded_at);
    let known = DeviceLogin { credential, session: row.session.into(), device, coded_at, code_days };
    match judge(&known)? {
        DeviceChange::None => {}
        DeviceChange::Ended => end(connection, profile_id, member_id, known.session.id, now)?,
        DeviceChange::Renewed { device, expires_at, coded_at } => {
            with_args(
                "update sessions set device_current = $3, device_previous = $4, device_count = $5,
                    device_expires_at = $6, renewed_at = $7, expires_at = greatest(expires_at, $8), coded_at = $9
                where profile_id = $1 and id = $2",
            )
            .arg(profile)
            .arg(known.session.id.0)
            .arg(device.current.0.as_slice())
            .arg(device.previous.as_ref().map(|hash| hash.0.as_slice()))
            .arg(device.count)
            .arg(device.expires_at)
            .arg(device.changed_at)
            .arg(expires_at)
            .arg(coded_at)
            .run(connection)?;
        }
    }
    Ok(true)
}

/// After how many days renewals of the profile's logins take a code again.
fn code_days(connection: &mut PgConnection, profile_id: ProfileId) -> Result<Option<i64>> {
    row! { struct Days { second_factor_days: Option<i16> [Nullable<SmallInt>] } }
    let query = with_args("select second_factor_days from settings where profile_id = $1");
    let row: Option<Days> = query.arg(profile_id.0).fetch_if_any(connection)?;
    Ok(row.and_then(|row| row.second_factor_days).map(i64::from))
}

/// Completes a login: no longer counts its attempt as failed, and stores its session. None if the member has another credential
/// by now, is deleted or is disabled.
pub(crate) fn log_in(
    connection: &mut PgConnection,
    judged: &Credential,
    address: &str,
    new: &NewSession,
) -> Result<Option<LoggedIn>> {
    let name = &judged.member.name;
    // Logins of one member wait for each other, so each sees the sessions of the logins before it.
    let now = members::lock_by_name(connection, name)?.filter(|now| now.id == judged.id);
    let logged_in = match now {
        None => None,
        Some(credential) => {
            bind(connection, credential.member.profile_id.0)?;
            let session = insert(connection, &credential, new)?;
            Some(LoggedIn { credential, session })
        }
    };
    // Locks after the member, as the removal of a member does, so that neither waits for the other.
    login_failures::forgive(connection, name, address)?;
    Ok(logged_in)
}

/// Stores a session. Removes sessions of the member that are no longer valid or exceed the limit, and devices beyond theirs. The
/// transaction must be bound to the profile.
fn insert(connection: &mut PgConnection, credential: &Credential, new: &NewSession) -> Result<Session> {
    let Member { profile_id, id, .. } = credential.member;
    let kept = i64::try_from(SESSIONS_MAX - 1).unwrap_or(i64::MAX);
    let device = new.device.as_ref();
    if device.is_some() {
        let query = with_args(format!(
            "update sessions set {NO_DEVICE} where profile_id = $1 and id in (
                select id from sessions where profile_id = $1 and member_id = $2 and device_selector is not null
                order by coalesce(renewed_at, created_at) desc, id desc offset $3)"
        ));
        query.arg(profile_id.0).arg(id.0).arg(i64::try_from(DEVICES_MAX - 1).unwrap_or(i64::MAX)).run(connection)?;
    }
    // A session that was ended has to be kept until its tokens have expired.
    let row: SessionRow = with_args(format!(
        "with stale as (
            delete from sessions
            where profile_id = $1 and member_id = $2 and (
                expires_at <= $4 and coalesce(device_expires_at <= $4, true) or credential_id <> $3::uuid
                or id in (
                    select id from sessions where profile_id = $1 and member_id = $2 and ended_at is null
                    order by device_selector is null, id desc offset $7)))
        insert into sessions as s (profile_id, member_id, credential_id, created_at, expires_at, client,
            device_selector, device_key, device_current, device_count, device_expires_at)
        values ($1, $2, $3::uuid, $4, $5, $6, $8, $9, $10, $11, $12)
        returning {SESSION}"
    ))
    .arg(profile_id.0)
    .arg(id.0)
    .arg(credential.id.to_string())
    .arg(new.created_at)
    .arg(new.expires_at)
    .arg(new.client.as_deref())
    .arg(kept)
    .arg(device.map(|device| device.selector.0.as_slice()))
    .arg(device.map(|device| device.device.key.0.as_slice()))
    .arg(device.map(|device| device.device.current.0.as_slice()))
    .arg(device.map(|device| device.device.count))
    .arg(device.map(|device| device.device.expires_at))
    .row(connection)?;
    Ok(row.into())
}

/// Removes a session that was not ended. Its login stays valid until it expires. Returns whether it had a device.
pub(crate) fn delete(connection: &mut PgConnection, profile_id: ProfileId, id: SessionId) -> Result<bool> {
    row! { struct Gone { had_device: bool [Bool] } }
    bind(connection, profile_id.0)?;
    let query = with_args(
        "delete from sessions where profile_id = $1 and id = $2 and ended_at is null
        returning device_selector is not null as had_device",
    );
    let gone: Option<Gone> = query.arg(profile_id.0).arg(id.0).row_if_any(connection)?;
    notice_outbox::forget_session(connection, profile_id, id)?;
    Ok(gone.is_some_and(|gone| gone.had_device))
}
