//! Sessions: the logins of members.

use diesel::prelude::*;
use diesel::sql_types::{BigInt, Nullable, Text, Timestamptz};
use diesel::{QueryableByName, sql_query};
use finance_domain::members::{Credential, Member};
use finance_domain::sessions::{LoggedIn, NewSession, SESSIONS_MAX, Session, SessionRepo};
use finance_domain::{ProfileId, Result, SessionId};
use time::OffsetDateTime;

use crate::constraints::error;
use crate::repo::{PgRepo, bind};
use crate::statement::Cache;
use crate::{login_failures, members};

#[derive(QueryableByName)]
struct SessionRow {
    #[diesel(sql_type = BigInt)]
    id: i64,
    #[diesel(sql_type = Timestamptz)]
    created_at: OffsetDateTime,
    #[diesel(sql_type = Timestamptz)]
    expires_at: OffsetDateTime,
    #[diesel(sql_type = Nullable<Text>)]
    client: Option<String>,
}

impl From<SessionRow> for Session {
    fn from(row: SessionRow) -> Self {
        Session { id: SessionId(row.id), created_at: row.created_at, expires_at: row.expires_at, client: row.client }
    }
}

impl SessionRepo for PgRepo<'_> {
    fn session_list(&mut self, now: OffsetDateTime) -> Result<Vec<Session>> {
        let rows: Vec<SessionRow> = sql_query(
            "select s.id, s.created_at, s.expires_at, s.client
            from sessions s
            join members m on m.profile_id = s.profile_id and m.id = s.member_id and m.credential_id = s.credential_id
            where s.profile_id = $1 and s.member_id = current_member_id() and s.expires_at > $2
            order by s.id desc",
        )
        .bind::<BigInt, _>(self.profile_id.0)
        .bind::<Timestamptz, _>(now)
        .load(self.connection)
        .map_err(error)?;
        Ok(rows.into_iter().map(Session::from).collect())
    }

    fn session_insert(&mut self, credential: &Credential, new: &NewSession) -> Result<Session> {
        insert(self.connection, credential, new)
    }
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

/// Stores a session. Removes sessions of the member that are no longer valid or exceed the limit. The transaction must be bound
/// to the profile.
fn insert(connection: &mut PgConnection, credential: &Credential, new: &NewSession) -> Result<Session> {
    let Member { profile_id, id, .. } = credential.member;
    let kept = i64::try_from(SESSIONS_MAX - 1).unwrap_or(i64::MAX);
    let row: SessionRow = sql_query(
        "with stale as (
            delete from sessions
            where profile_id = $1 and member_id = $2 and (expires_at <= $4 or credential_id <> $3::uuid or id in (
                select id from sessions where profile_id = $1 and member_id = $2 order by id desc offset $7)))
        insert into sessions (profile_id, member_id, credential_id, created_at, expires_at, client)
        values ($1, $2, $3::uuid, $4, $5, $6)
        returning id, created_at, expires_at, client",
    )
    .bind::<BigInt, _>(profile_id.0)
    .bind::<BigInt, _>(id.0)
    .bind::<Text, _>(credential.id.to_string())
    .bind::<Timestamptz, _>(new.created_at)
    .bind::<Timestamptz, _>(new.expires_at)
    .bind::<Nullable<Text>, _>(new.client.as_deref())
    .bind::<BigInt, _>(kept)
    .cached()
    .get_result(connection)
    .map_err(error)?;
    Ok(row.into())
}

/// Removes a session. Its login stays valid until it expires.
pub(crate) fn delete(connection: &mut PgConnection, profile_id: ProfileId, id: SessionId) -> Result<()> {
    bind(connection, profile_id.0)?;
    sql_query("delete from sessions where profile_id = $1 and id = $2")
        .bind::<BigInt, _>(profile_id.0)
        .bind::<BigInt, _>(id.0)
        .cached()
        .execute(connection)
        .map_err(error)?;
    Ok(())
}
