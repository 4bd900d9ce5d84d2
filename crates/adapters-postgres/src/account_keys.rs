//! The keys by which accounts are known again in statements.

use std::collections::HashMap;

use diesel::QueryableByName;
use diesel::sql_types::{BigInt, Text};
use finance_domain::account_keys::{AccountKey, AccountKeyRepo, KEYS_MAX, KeySecret};
use finance_domain::{AccountId, Result};

use crate::repo::PgRepo;
use crate::row::row;
use crate::sql::{Arguments, Fetch};

row! { struct SecretRow { secret: String [Text] } }

row! { struct KeyRow {
    reference: String [Text],
    hint: String [Text],
    account_id: i64 [BigInt],
} }

impl AccountKeyRepo for PgRepo<'_> {
    fn account_key_secret(&mut self) -> Result<KeySecret> {
        let query = self.sql("select secret from account_key_secrets where profile_id = $1");
        let row: SecretRow = query.fetch_one(self.connection)?;
        Ok(KeySecret(row.secret))
    }

    fn account_keys_find(&mut self, references: &[&str]) -> Result<HashMap<String, AccountId>> {
        let query = self
            .sql("select reference, hint, account_id from account_keys where profile_id = $1 and reference = any($2)");
        query.arg(references).fetch_as(self.connection, |row: KeyRow| (row.reference, AccountId(row.account_id)))
    }

    fn account_keys(&mut self, id: AccountId) -> Result<Vec<AccountKey>> {
        let query = self.sql(
            "select reference, hint, account_id from account_keys where profile_id = $1 and account_id = $2
            order by learned_at desc, reference",
        );
        query.arg(id.0).fetch_as(self.connection, |row: KeyRow| AccountKey { reference: row.reference, hint: row.hint })
    }

    fn account_keys_learn(&mut self, learned: &[(AccountKey, AccountId)]) -> Result<()> {
        // A file may name an account twice; the later statement counts.
        let latest: HashMap<&str, (&str, i64)> =
            learned.iter().map(|(key, id)| (key.reference.as_str(), (key.hint.as_str(), id.0))).collect();
        let (references, others): (Vec<&str>, Vec<(&str, i64)>) = latest.into_iter().unzip();
        let (hints, accounts): (Vec<&str>, Vec<i64>) = others.into_iter().unzip();
        self.watch("account_keys", "true", &[])?;
        let query = self.sql(
            "insert into account_keys as known (profile_id, reference, hint, account_id)
            select $1, reference, hint, account_id from unnest($2, $3, $4) as given (reference, hint, account_id)
            on conflict (profile_id, reference) do update
                set hint = excluded.hint, account_id = excluded.account_id, learned_at = clock_timestamp()",
        );
        query.arg(references).arg(hints).arg(&accounts).exec(self.connection)?;
        let query = self.sql(
            "delete from account_keys where profile_id = $1 and reference in (
                select reference from (
                    select reference, row_number() over (partition by account_id order by learned_at desc, reference) as place
                    from account_keys where profile_id = $1 and account_id = any($2)
                ) placed
                where place > $3
            )",
        );
        query.arg(&accounts).arg(KEYS_MAX as i64).exec(self.connection)
    }

    fn account_keys_forget(&mut self, id: AccountId) -> Result<()> {
        self.touch("account_keys", "account_id = any($2)", &[id.0])?;
        self.sql("delete from account_keys where profile_id = $1 and account_id = $2").arg(id.0).exec(self.connection)
    }
}
