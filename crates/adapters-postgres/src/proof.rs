//! The proof that each transaction of a request begins with: `bind_profile` and `bind_token` bind it to the caller's profile, and refuse a
//! credential that is no longer valid or does not meet the need of the route.
//!
//! A writer's proof is sent with its `BEGIN`. A reader's is a statement of its own, which a connection prepares once, and which returns the
//! profile's last write: almost every answer has a tag that is made of it. An invitation, which is rare, is checked by other statements
//! (`members.rs`).

use diesel::sql_types::{BigInt, Date as SqlDate, Nullable, Text};
use diesel::{PgConnection, QueryResult, QueryableByName, RunQueryDsl};
use finance_domain::{Caller, Proof, Word};
use time::Date;

use crate::repo::LastWriteRow;
use crate::row::row;
use crate::sql::{Arguments, Cache, with_args};

row! {
    struct Proved {
        /// None on Citus, where a single statement does not see the profile's row on another node.
        write_id: Option<String> [Nullable<Text>],
        member_id: Option<i64> [Nullable<BigInt>],
        upkept_on: Option<Date> [Nullable<SqlDate>],
    }
}

impl Proved {
    fn last_write(self) -> Option<LastWriteRow> {
        let Proved { write_id, member_id, upkept_on } = self;
        Some(LastWriteRow { write_id: write_id?, member_id, upkept_on })
    }
}

/// An array literal of words.
fn array<T: Word>(words: &[T]) -> String {
    let words: Vec<&str> = words.iter().map(|word| word.as_str()).collect();
    format!("'{{{}}}'", words.join(","))
}

/// The statement that binds a writer. It contains only integers, dates and hexadecimal digits of the request, so it needs no parameters,
/// and no round trip for them. None for an invitation.
pub(crate) fn writer(caller: &Caller) -> Option<String> {
    let Caller { profile_id, proof, need } = *caller;
    let roles = array(need.roles());
    match proof {
        Proof::Login { credential_id, session_id } => {
            let session = session_id.map_or_else(|| "null".to_string(), |id| id.to_string());
            Some(format!("SELECT bind_profile({profile_id}, '{credential_id}', {roles}, true, {session})"))
        }
        Proof::Token { hash, today } => {
            let scopes = array(need.scopes());
            Some(format!("SELECT bind_token({profile_id}, '\\x{hash}', {scopes}, {roles}, '{today}', true)"))
        }
        Proof::Invitation { .. } => None,
    }
}

/// Binds a reader, and returns the profile's last write. None if the proof cannot tell it. Outside a transaction it only proves the caller.
pub(crate) fn prove(connection: &mut PgConnection, caller: &Caller) -> QueryResult<Option<LastWriteRow>> {
    let told = "select write_id::text as write_id, member_id, upkept_on from";
    let roles = array(caller.need.roles());
    let proved: Proved = match caller.proof {
        Proof::Login { credential_id, session_id } => {
            with_args(format!("{told} bind_profile($1, $2::uuid, {roles}, false, $3)"))
                .arg(caller.profile_id.0)
                .arg(credential_id.to_string())
                .arg(session_id.map(|id| id.0))
                .cached()
                .get_result(connection)?
        }
        Proof::Token { hash, today } => {
            let scopes = array(caller.need.scopes());
            with_args(format!("{told} bind_token($1, $2, {scopes}, {roles}, $3, false)"))
                .arg(caller.profile_id.0)
                .arg(hash.0.as_slice())
                .arg(today)
                .cached()
                .get_result(connection)?
        }
        Proof::Invitation { .. } => return Ok(None),
    };
    Ok(proved.last_write())
}
