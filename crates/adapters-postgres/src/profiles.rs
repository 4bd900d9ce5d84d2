//! Profiles, each with its first member.

use diesel::prelude::*;
use diesel::sql_query;
use finance_domain::credentials::Role;
use finance_domain::members::{Member, NewMember};
use finance_domain::profiles::{NewAccess, NewProfile};
use finance_domain::text::name_key;
use finance_domain::{Error, ProfileId, Result};

use crate::categories::PlanningValues;
use crate::login_failures::forget;
use crate::members;
use crate::repo::bind;
use crate::schema::{categories, profiles};
use crate::sql::{Arguments, Fetch, IdRow, with_args};

pub(crate) fn upsert(connection: &mut PgConnection, new: &NewProfile) -> Result<Member> {
    if let Some(known) = give_access(connection, new)? {
        return Ok(known);
    }
    let id = create(connection)?;
    let password_hash = match &new.access {
        NewAccess::Password(hash) => Some(hash.clone()),
        NewAccess::Link(_) => None,
    };
    let owner = NewMember { name: new.name.clone(), password_hash, role: Role::Owner };
    let Some(owner) = members::insert_new(connection, id, &owner)? else {
        // Another node has created the user meanwhile.
        diesel::delete(profiles::table.find(id.0)).exec(connection)?;
        let known = give_access(connection, new)?;
        return known.ok_or(Error::NotFound("user"));
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
                PlanningValues::of(&category.planning),
            )
        })
        .collect();
    diesel::insert_into(categories::table).values(standard).exec(connection)?;
    if let NewAccess::Link(link) = &new.access {
        members::insert_link(connection, id, owner.member.id, link, None)?;
    }
    Ok(owner.member)
}

/// Sets the password of the member with that name, or stores a link for it. None if no member has the name.
fn give_access(connection: &mut PgConnection, new: &NewProfile) -> Result<Option<Member>> {
    match &new.access {
        NewAccess::Password(hash) => members::set_password(connection, &new.name, hash),
        NewAccess::Link(link) => members::link(connection, &new.name, link),
    }
}

/// Stores a profile that has no member yet, and binds the transaction to it.
fn create(connection: &mut PgConnection) -> Result<ProfileId> {
    // A row can be stored only for the profile that the transaction is bound to.
    let IdRow { id } =
        sql_query("select nextval(pg_get_serial_sequence('profiles', 'id')::regclass) as id").fetch_one(connection)?;
    bind(connection, id)?;
    with_args("insert into profiles (id) overriding system value values ($1)").arg(id).exec(connection)?;
    make_account_key_secret(connection, ProfileId(id))?;
    Ok(ProfileId(id))
}

/// Draws the secret by which a profile knows accounts in statements, if it has none.
pub(crate) fn make_account_key_secret(connection: &mut PgConnection, id: ProfileId) -> Result<()> {
    let query = with_args(
        "insert into account_key_secrets (profile_id, secret)
        values ($1, replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', '')) on conflict do nothing",
    );
    query.arg(id.0).exec(connection)
}

pub(crate) fn delete(connection: &mut PgConnection, id: ProfileId) -> Result<bool> {
    bind(connection, id.0)?;
    let names = members::name_keys(connection, id)?;
    // Waits for the profile's writers. Foreign keys cascade to everything it owns.
    let gone = diesel::delete(profiles::table.find(id.0)).exec_count(connection)?;
    // If profiles are on other nodes than these tables, no foreign key reaches the rows.
    for statement in ["delete from members where profile_id = $1", "delete from invitations where profile_id = $1"] {
        with_args(statement).arg(id.0).exec(connection)?;
    }
    for name_key in names {
        forget(connection, &name_key)?;
    }
    Ok(gone > 0)
}
