//! Profiles, with the member each comes with, and failed logins.

use diesel::prelude::*;
use diesel::sql_types::{BigInt, Text};
use diesel::{OptionalExtension, QueryableByName, sql_query};
use finance_domain::credentials::Role;
use finance_domain::members::{Member, NewMember};
use finance_domain::profiles::NewProfile;
use finance_domain::store::LoginAttempt;
use finance_domain::text::{NAME_CHARS_MAX, name_key};
use finance_domain::{ProfileId, Result};

use crate::constraints::error;
use crate::members;
use crate::schema::{categories, profiles};
use crate::statement::Cache;

/// The window in which failed logins are counted together.
const LOGIN_WINDOW: &str = "15 minutes";

pub(crate) fn upsert(connection: &mut PgConnection, new: &NewProfile) -> Result<Member> {
    if let Some(known) = members::set_password(connection, &new.name, &new.password_hash)? {
        return Ok(known);
    }
    let id = create(connection)?;
    let owner = NewMember { name: new.name.clone(), password_hash: new.password_hash.clone(), role: Role::Owner };
    let Some(owner) = members::insert_new(connection, id, &owner)? else {
        // Another node has created the user meanwhile.
        diesel::delete(profiles::table.find(id.0)).execute(connection).map_err(error)?;
        let known = members::set_password(connection, &new.name, &new.password_hash)?;
        return known.ok_or(finance_domain::Error::NotFound("user"));
    };
    let standard: Vec<_> = new
        .standard_categories
        .iter()
        .map(|category| {
            (
                categories::profile_id.eq(id.0),
                categories::name.eq(&category.name),
                categories::name_key.eq(name_key(&category.name)),
                categories::is_tax.eq(category.is_tax),
                categories::is_standard.eq(true),
            )
        })
        .collect();
    diesel::insert_into(categories::table).values(standard).execute(connection).map_err(error)?;
    Ok(owner.member)
}

/// Stores a profile that nobody opens yet, and binds the transaction to it.
fn create(connection: &mut PgConnection) -> Result<ProfileId> {
    #[derive(QueryableByName)]
    struct IdRow {
        #[diesel(sql_type = BigInt)]
        id: i64,
    }
    // A row can be stored for the profile only to which the transaction is bound.
    let IdRow { id } = sql_query("select nextval(pg_get_serial_sequence('profiles', 'id')::regclass) as id")
        .get_result(connection)
        .map_err(error)?;
    bind(connection, id)?;
    sql_query("insert into profiles (id) overriding system value values ($1)")
        .bind::<BigInt, _>(id)
        .execute(connection)
        .map_err(error)?;
    Ok(ProfileId(id))
}

pub(crate) fn delete(connection: &mut PgConnection, id: ProfileId) -> Result<bool> {
    bind(connection, id.0)?;
    let names = members::name_keys(connection, id)?;
    // Waits for its writers. Foreign keys cascade to everything it owns.
    let gone = diesel::delete(profiles::table.find(id.0)).execute(connection).map_err(error)?;
    for name_key in names {
        forget_failures(connection, &name_key)?;
    }
    Ok(gone > 0)
}

/// Forgets the failed logins of a name that is free again.
pub(crate) fn forget_failures(connection: &mut PgConnection, name: &str) -> Result<()> {
    sql_query("delete from login_failures where name_key = $1")
        .bind::<Text, _>(failures_key(name))
        .execute(connection)
        .map_err(error)?;
    Ok(())
}

/// Lets the transaction see everything that the profile owns.
pub(crate) fn bind(connection: &mut PgConnection, id: i64) -> Result<()> {
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
