//! The second factor of a login.

use diesel::prelude::*;
use finance_domain::Result;
use finance_domain::credentials::SecretHash;
use finance_domain::members::{Credential, Member, MemberRepo};
use finance_domain::second_factor::{Evidence, FactorSecret, SecondFactorRepo};

use crate::constraints::error;
use crate::members;
use crate::repo::{PgRepo, bind};
use crate::sql::{Arguments, Cache, Fetch, with_args};

impl SecondFactorRepo for PgRepo<'_> {
    fn factor_begin(&mut self, secret: &FactorSecret) -> Result<bool> {
        let query = self.sql(
            "update members set factor_secret = $2, factor_step = 0
            where profile_id = $1 and id = current_member_id() and factor_since is null",
        );
        let kept = query.arg(secret.0.as_slice()).exec_count(self.connection)?;
        Ok(kept > 0)
    }

    fn factor_confirm(&mut self, secret: &FactorSecret, step: i64, recovery: &[SecretHash]) -> Result<bool> {
        let hashes: Vec<&[u8]> = recovery.iter().map(|hash| hash.0.as_slice()).collect();
        let query = self.sql(
            "with confirmed as (
                update members set factor_since = now(), factor_step = $3
                where profile_id = $1 and id = current_member_id() and factor_secret = $2 and factor_since is null
                returning id)
            insert into recovery_codes (profile_id, member_id, hash)
            select $1, confirmed.id, hash from confirmed, unnest($4) as hash",
        );
        let stored = query.arg(secret.0.as_slice()).arg(step).arg(hashes).exec_count(self.connection)?;
        Ok(stored > 0)
    }

    fn factor_remove(&mut self) -> Result<bool> {
        let member = self.credential()?.member;
        remove(self.connection, &member)
    }
}

/// Marks a code as used. A single statement decides, so if two requests send the same code, on any nodes, only one succeeds.
/// Returns whether the code was valid.
pub(crate) fn use_up(connection: &mut PgConnection, credential: &Credential, evidence: &Evidence) -> Result<bool> {
    let Member { profile_id, id, .. } = credential.member;
    bind(connection, profile_id.0)?;
    let secret = credential.factor.as_ref().map(|factor| factor.secret.0.as_slice());
    let used = match evidence {
        Evidence::Step(step) => with_args(
            "update members set factor_step = $3
            where profile_id = $1 and id = $2 and factor_since is not null and factor_secret = $4 and factor_step < $3
            returning true",
        )
        .arg(profile_id.0)
        .arg(id.0)
        .arg(step)
        .arg(secret)
        .cached()
        .execute_returning(connection),
        Evidence::Recovery(hash) => {
            let query = with_args("delete from recovery_codes where profile_id = $1 and member_id = $2 and hash = $3");
            query.arg(profile_id.0).arg(id.0).arg(hash.0.as_slice()).execute(connection)
        }
    };
    Ok(used.map_err(error)? > 0)
}

/// Removes the second factor of the member with that name, and revokes the member's logins. None if no member has the name,
/// otherwise the member and whether there was one.
pub(crate) fn remove_by_name(connection: &mut PgConnection, name: &str) -> Result<Option<(Member, bool)>> {
    let Some(member) = members::by_name(connection, name)? else { return Ok(None) };
    bind(connection, member.profile_id.0)?;
    let was_there = remove(connection, &member)?;
    if was_there {
        members::renew(connection, &member)?;
    }
    Ok(Some((member, was_there)))
}

fn remove(connection: &mut PgConnection, member: &Member) -> Result<bool> {
    let query = with_args("delete from recovery_codes where profile_id = $1 and member_id = $2");
    query.arg(member.profile_id.0).arg(member.id.0).exec(connection)?;
    let query = with_args(
        "update members set factor_secret = null, factor_since = null, factor_step = 0
        where profile_id = $1 and id = $2 and factor_secret is not null",
    );
    let gone = query.arg(member.profile_id.0).arg(member.id.0).exec_count(connection)?;
    Ok(gone > 0)
}
