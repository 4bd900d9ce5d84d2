//! Answers that are stored under their idempotency keys.

use diesel::prelude::*;
use diesel::sql_types::{BigInt, Binary, Integer, Nullable, SmallInt, Text};
use diesel::{OptionalExtension, QueryableByName, sql_query};
use finance_domain::idempotency::{Answer, IdempotencyRepo, KeptAnswer, Key, Request};
use finance_domain::{ChangeId, Error, Result};

use crate::constraints::error;
use crate::repo::PgRepo;
use crate::schema::idempotency_keys;
use crate::sql::Cache;

#[derive(QueryableByName)]
struct KeptRow {
    #[diesel(sql_type = Binary)]
    fingerprint: Vec<u8>,
    #[diesel(sql_type = SmallInt)]
    status: i16,
    #[diesel(sql_type = Nullable<Text>)]
    location: Option<String>,
    #[diesel(sql_type = Binary)]
    body: Vec<u8>,
    #[diesel(sql_type = Nullable<BigInt>)]
    change_id: Option<i64>,
}

impl TryFrom<KeptRow> for KeptAnswer {
    type Error = Error;

    fn try_from(row: KeptRow) -> Result<Self> {
        let broken = |what: &str| Error::Internal(format!("an answer is kept with an unreadable {what}").into());
        Ok(KeptAnswer {
            fingerprint: row.fingerprint.try_into().map_err(|_| broken("fingerprint"))?,
            answer: Answer {
                code: u16::try_from(row.status).map_err(|_| broken("status"))?,
                location: row.location,
                body: row.body,
                change_id: row.change_id.map(ChangeId),
            },
        })
    }
}

impl IdempotencyRepo for PgRepo<'_> {
    fn answer_find(&mut self, key: &Key, kept_hours: i32) -> Result<Option<KeptAnswer>> {
        // Both parts of the statement see the same snapshot, so the second one checks the age itself.
        let found: Option<KeptRow> = sql_query(
            "with expired as (
                delete from idempotency_keys where profile_id = $1 and created_at < now() - make_interval(hours => $3)
            )
            select fingerprint, status, location, body, change_id
            from idempotency_keys
            where profile_id = $1 and key = $2 and created_at >= now() - make_interval(hours => $3)",
        )
        .bind::<BigInt, _>(self.profile_id.0)
        .bind::<Text, _>(key.as_str())
        .bind::<Integer, _>(kept_hours)
        .cached()
        .get_result(self.connection)
        .optional()
        .map_err(error)?;
        found.map(KeptAnswer::try_from).transpose()
    }

    fn answer_keep(&mut self, request: &Request, answer: &Answer) -> Result<()> {
        let status = i16::try_from(answer.code).map_err(|error| Error::Internal(Box::new(error)))?;
        diesel::insert_into(idempotency_keys::table)
            .values((
                idempotency_keys::profile_id.eq(self.profile_id.0),
                idempotency_keys::key.eq(request.key.as_str()),
                idempotency_keys::fingerprint.eq(request.fingerprint.as_slice()),
                idempotency_keys::status.eq(status),
                idempotency_keys::location.eq(answer.location.as_deref()),
                idempotency_keys::body.eq(answer.body.as_slice()),
                idempotency_keys::change_id.eq(answer.change_id.map(|id| id.0)),
            ))
            .execute(self.connection)
            .map_err(error)?;
        Ok(())
    }
}
