//! Profiles, their credentials, and failed logins.

use diesel::deserialize::{self, FromSql, FromSqlRow};
use diesel::pg::{Pg, PgValue};
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Bool, Text, Timestamptz, Uuid};
use diesel::{OptionalExtension, QueryableByName, define_sql_function, sql_query};
use finance_domain::profiles::{Credential, NewProfile, Profile, ProfileRepo};
use finance_domain::store::LoginAttempt;
use finance_domain::text::{NAME_CHARS_MAX, name_key};
use finance_domain::{CredentialId, Error, ProfileId, Result};
use time::OffsetDateTime;

use crate::constraints::error;
use crate::repo::PgRepo;
use crate::schema::{categories, profiles};
use crate::statement::Cache;

/// The window in which failed logins are counted together.
const LOGIN_WINDOW: &str = "15 minutes";

define_sql_function! {
    /// 122 random bits in a UUID.
    fn gen_random_uuid() -> Uuid;
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

#[derive(Queryable, Selectable)]
#[diesel(table_name = profiles)]
struct ProfileRow {
    id: i64,
    name: String,
    password_hash: String,
    credential_id: StoredCredentialId,
    created_at: OffsetDateTime,
    is_disabled: bool,
}

impl From<ProfileRow> for Credential {
    fn from(row: ProfileRow) -> Self {
        Credential {
            profile: Profile {
                id: ProfileId(row.id),
                name: row.name,
                created_at: row.created_at,
                is_disabled: row.is_disabled,
            },
            password_hash: row.password_hash,
            id: row.credential_id.0,
        }
    }
}

impl ProfileRepo for PgRepo<'_> {
    fn profile_id(&self) -> ProfileId {
        self.profile_id
    }

    fn credential(&mut self) -> Result<Credential> {
        let query = profiles::table.find(self.profile_id.0).select(ProfileRow::as_select());
        query.get_result(self.connection).map(Credential::from).map_err(error)
    }

    fn credential_replace(&mut self, password_hash: &str) -> Result<Credential> {
        replace_password(self.connection, self.profile_id.0, password_hash)
    }
}

/// Sets a new password, which revokes every token. The transaction must see the profile.
fn replace_password(connection: &mut PgConnection, id: i64, password_hash: &str) -> Result<Credential> {
    diesel::update(profiles::table.find(id))
        .set((profiles::password_hash.eq(password_hash), profiles::credential_id.eq(gen_random_uuid())))
        .returning(ProfileRow::as_returning())
        .get_result(connection)
        .map(Credential::from)
        .map_err(error)
}

/// Lets a transaction that is not bound to a profile see the profile of that name.
fn name_login(connection: &mut PgConnection, key: &str) -> Result<()> {
    sql_query("select set_config('finance.login_name', $1, true)")
        .bind::<Text, _>(key)
        .cached()
        .execute(connection)
        .map_err(error)?;
    Ok(())
}

pub(crate) fn credential_by_name(connection: &mut PgConnection, name: &str) -> Result<Option<Credential>> {
    let named = profile_by_name(connection, name)?;
    Ok(named.filter(|row| !row.is_disabled).map(Credential::from))
}

/// The profile of that name, disabled or not. The transaction sees it from then on.
fn profile_by_name(connection: &mut PgConnection, name: &str) -> Result<Option<ProfileRow>> {
    let key = name_key(name);
    // PostgreSQL accepts no NUL in a text, and no name has one.
    if key.contains('\0') {
        return Ok(None);
    }
    name_login(connection, &key)?;
    let query = profiles::table.filter(profiles::name_key.eq(&key)).select(ProfileRow::as_select());
    query.get_result(connection).optional().map_err(error)
}

#[derive(QueryableByName)]
struct ListedRow {
    #[diesel(sql_type = BigInt)]
    id: i64,
    #[diesel(sql_type = Text)]
    name: String,
    #[diesel(sql_type = Timestamptz)]
    created_at: OffsetDateTime,
    #[diesel(sql_type = Bool)]
    is_disabled: bool,
}

pub(crate) fn list(connection: &mut PgConnection) -> Result<Vec<Profile>> {
    // The only exception to the policy that a transaction sees one profile.
    let rows: Vec<ListedRow> =
        sql_query("select id, name, created_at, is_disabled from list_profiles()").load(connection).map_err(error)?;
    let profile = |row: ListedRow| Profile {
        id: ProfileId(row.id),
        name: row.name,
        created_at: row.created_at,
        is_disabled: row.is_disabled,
    };
    Ok(rows.into_iter().map(profile).collect())
}

pub(crate) fn set_password(connection: &mut PgConnection, name: &str, password_hash: &str) -> Result<Profile> {
    let named = profile_by_name(connection, name)?.ok_or(Error::NotFound("user"))?;
    replace_password(connection, named.id, password_hash).map(|credential| credential.profile)
}

pub(crate) fn set_disabled(connection: &mut PgConnection, name: &str, is_disabled: bool) -> Result<Profile> {
    let named = profile_by_name(connection, name)?.ok_or(Error::NotFound("user"))?;
    diesel::update(profiles::table.find(named.id).filter(profiles::is_disabled.ne(is_disabled)))
        .set((profiles::is_disabled.eq(is_disabled), profiles::credential_id.eq(gen_random_uuid())))
        .execute(connection)
        .map_err(error)?;
    Ok(Profile { is_disabled, ..Credential::from(named).profile })
}

pub(crate) fn upsert(connection: &mut PgConnection, new: &NewProfile) -> Result<Profile> {
    let key = name_key(&new.name);
    name_login(connection, &key)?;
    let created: Option<ProfileRow> = diesel::insert_into(profiles::table)
        .values((
            profiles::name.eq(&new.name),
            profiles::name_key.eq(&key),
            profiles::password_hash.eq(&new.password_hash),
        ))
        .on_conflict(profiles::name_key)
        .do_nothing()
        .returning(ProfileRow::as_returning())
        .get_result(connection)
        .optional()
        .map_err(error)?;
    let Some(row) = created else { return set_password(connection, &new.name, &new.password_hash) };
    bind(connection, row.id)?;
    let standard: Vec<_> = new
        .standard_categories
        .iter()
        .map(|category| {
            (
                categories::profile_id.eq(row.id),
                categories::name.eq(&category.name),
                categories::name_key.eq(name_key(&category.name)),
                categories::is_tax.eq(category.is_tax),
                categories::is_standard.eq(true),
            )
        })
        .collect();
    diesel::insert_into(categories::table).values(standard).execute(connection).map_err(error)?;
    Ok(Credential::from(row).profile)
}

pub(crate) fn delete(connection: &mut PgConnection, id: ProfileId) -> Result<bool> {
    bind(connection, id.0)?;
    // Waits for its writers. Foreign keys cascade to everything it owns.
    let gone: Option<String> = diesel::delete(profiles::table.find(id.0))
        .returning(profiles::name_key)
        .get_result(connection)
        .optional()
        .map_err(error)?;
    let Some(name_key) = gone else { return Ok(false) };
    sql_query("delete from login_failures where name_key = $1")
        .bind::<Text, _>(failures_key(&name_key))
        .execute(connection)
        .map_err(error)?;
    Ok(true)
}

/// Lets the transaction see everything that the profile owns.
fn bind(connection: &mut PgConnection, id: i64) -> Result<()> {
    sql_query("select set_config('finance.profile_id', $1, true)")
        .bind::<Text, _>(id.to_string())
        .cached()
        .execute(connection)
        .map_err(error)?;
    Ok(())
}

/// The name under which failed logins are counted. Names too long for a profile are cut.
fn failures_key(name: &str) -> String {
    name_key(name).chars().filter(|letter| *letter != '\0').take(NAME_CHARS_MAX).collect()
}

pub(crate) fn login_attempt(
    connection: &mut PgConnection,
    name: &str,
    address: &str,
    failures_max: u32,
) -> Result<LoginAttempt> {
    sql_query(format!("delete from login_failures where window_started_at <= now() - interval '{LOGIN_WINDOW}'"))
        .cached()
        .execute(connection)
        .map_err(error)?;
    // One statement, so that concurrent attempts count each other.
    let counted = sql_query(
        "insert into login_failures as known (name_key, address, failures, window_started_at) values ($1, $2, 1, now())
        on conflict (name_key, address) do update set failures = known.failures + 1 where known.failures < $3",
    )
    .bind::<Text, _>(failures_key(name))
    .bind::<Text, _>(address)
    .bind::<BigInt, _>(i64::from(failures_max))
    .cached()
    .execute(connection)
    .map_err(error)?;
    if counted > 0 {
        return Ok(LoginAttempt::Counted);
    }
    #[derive(QueryableByName)]
    struct Window {
        #[diesel(sql_type = BigInt)]
        seconds: i64,
    }
    let window: Option<Window> = sql_query(format!(
        "select ceil(extract(epoch from window_started_at + interval '{LOGIN_WINDOW}' - now()))::bigint as seconds
        from login_failures where name_key = $1 and address = $2"
    ))
    .bind::<Text, _>(failures_key(name))
    .bind::<Text, _>(address)
    .cached()
    .get_result(connection)
    .optional()
    .map_err(error)?;
    let seconds = window.and_then(|window| u64::try_from(window.seconds).ok());
    Ok(LoginAttempt::Refused { retry_after_seconds: seconds.unwrap_or(1).max(1) })
}

pub(crate) fn login_attempt_forgive(connection: &mut PgConnection, name: &str, address: &str) -> Result<()> {
    sql_query(
        "with gone as (delete from login_failures where name_key = $1 and address = $2 and failures <= 1)
        update login_failures set failures = failures - 1 where name_key = $1 and address = $2 and failures > 1",
    )
    .bind::<Text, _>(failures_key(name))
    .bind::<Text, _>(address)
    .cached()
    .execute(connection)
    .map_err(error)?;
    Ok(())
}
