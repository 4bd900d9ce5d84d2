//! Tokens, and the profile that a secret belongs to.

use diesel::QueryableByName;
use diesel::prelude::*;
use diesel::sql_types::{Array, BigInt, Date as SqlDate, Nullable, Text, Timestamptz};
use finance_domain::credentials::{Scope, SecretHash};
use finance_domain::tokens::{NewToken, Token, TokenRepo};
use finance_domain::{MemberId, ProfileId, Result, TokenId};
use time::{Date, OffsetDateTime};

use crate::repo::{PgRepo, bind, counted};
use crate::row::row;
use crate::schema::tokens;
use crate::sql::{Arguments, Cache, Fetch, with_args};
use crate::words::StoredWord;

row! { struct TokenRow {
    id: i64 [BigInt],
    member_id: i64 [BigInt],
    name: String [Text],
    scopes: Vec<StoredWord<Scope>> [Array<Text>],
    expires_on: Date [SqlDate],
    last_used_on: Option<Date> [Nullable<SqlDate>],
    created_at: OffsetDateTime [Timestamptz],
} }

impl From<TokenRow> for Token {
    fn from(row: TokenRow) -> Self {
        Token {
            id: TokenId(row.id),
            member_id: MemberId(row.member_id),
            name: row.name,
            scopes: row.scopes.into_iter().map(|scope| scope.0).collect(),
            expires_on: row.expires_on,
            last_used_on: row.last_used_on,
            created_at: row.created_at,
        }
    }
}

const LISTED: &str = "id, member_id, name, scopes, expires_on, last_used_on, created_at";

impl TokenRepo for PgRepo<'_> {
    fn token_list(&mut self, of: Option<MemberId>) -> Result<Vec<Token>> {
        let query = self.sql(format!(
            "select {LISTED} from tokens where profile_id = $1 and ($2 is null or member_id = $2) order by id"
        ));
        query.arg(of.map(|id| id.0)).fetch_as(self.connection, |row: TokenRow| row.into())
    }

    fn token_count(&mut self) -> Result<usize> {
        let own = tokens::table.filter(tokens::profile_id.eq(self.profile_id.0));
        own.count().fetch_one(self.connection).and_then(counted)
    }

    fn token_insert(&mut self, member: MemberId, new: &NewToken, hash: SecretHash) -> Result<Token> {
        let scopes: Vec<&str> = new.scopes.iter().map(|scope| scope.as_str()).collect();
        let query = self.sql(format!(
            "insert into tokens (profile_id, member_id, name, scopes, hash, expires_on) values ($1, $2, $3, $4, $5, $6)
            returning {LISTED}"
        ));
        let row: TokenRow = query
            .arg(member.0)
            .arg(&new.name)
            .arg(scopes)
            .arg(hash.0.as_slice())
            .arg(new.expires_on)
            .fetch_one(self.connection)?;
        Ok(row.into())
    }

    fn token_delete(&mut self, id: TokenId, of: Option<MemberId>) -> Result<bool> {
        let query = self.sql("delete from tokens where profile_id = $1 and id = $2 and ($3 is null or member_id = $3)");
        let gone = query.arg(id.0).arg(of.map(|id| id.0)).exec_count(self.connection)?;
        Ok(gone > 0)
    }
}

/// Lets the transaction, which is not bound to a profile, see the token, invitation and session with that hash, or no longer.
pub(crate) fn show(connection: &mut PgConnection, hash: Option<SecretHash>) -> Result<()> {
    let hash = hash.map_or_else(String::new, |hash| hash.to_string());
    with_args("select set_config('finance.secret_hash', $1, true)").arg(hash).run(connection)
}

/// The profile of the token or invitation with that hash.
pub(crate) fn profile_by_secret(connection: &mut PgConnection, hash: SecretHash) -> Result<Option<ProfileId>> {
    row! { struct ProfileRow { profile_id: i64 [BigInt] } }
    show(connection, Some(hash))?;
    let query = with_args(
        "select profile_id from tokens where hash = $1 union all select profile_id from invitations where hash = $1",
    );
    let row: Option<ProfileRow> = query.arg(hash.0.as_slice()).row_if_any(connection)?;
    Ok(row.map(|row| ProfileId(row.profile_id)))
}

pub(crate) fn note_use(
    connection: &mut PgConnection,
    profile_id: ProfileId,
    hash: SecretHash,
    today: Date,
) -> Result<()> {
    bind(connection, profile_id.0)?;
    let query = with_args(
        "update tokens set last_used_on = $3 where profile_id = $1 and hash = $2 and last_used_on is distinct from $3",
    );
    query.arg(profile_id.0).arg(hash.0.as_slice()).arg(today).run(connection)
}
