//! Answers that are stored under their idempotency keys.

use const_format::formatcp;
use diesel::QueryableByName;
use diesel::sql_types::{BigInt, Binary, Nullable, SmallInt, Text};
use finance_domain::idempotency::{ANSWER_BYTES, ANSWERS_BYTES_MAX, Answer, IdempotencyRepo, KeptAnswer, Key, Request};
use finance_domain::{ChangeId, Error, Result};

use crate::repo::PgRepo;
use crate::row::row;
use crate::sql::{Arguments, Cache};

row! { struct KeptRow {
    fingerprint: Vec<u8> [Binary],
    status: i16 [SmallInt],
    location: Option<String> [Nullable<Text>],
    body: Vec<u8> [Binary],
    change_id: Option<i64> [Nullable<BigInt>],
} }

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
        let query = self.sql(
            "with expired as (
                delete from idempotency_keys where profile_id = $1 and created_at < now() - make_interval(hours => $3)
            )
            select fingerprint, status, location, body, change_id
            from idempotency_keys
            where profile_id = $1 and key = $2 and created_at >= now() - make_interval(hours => $3)",
        );
        let found: Option<KeptRow> = query.arg(key.as_str()).arg(kept_hours).row_if_any(self.connection)?;
        found.map(KeptAnswer::try_from).transpose()
    }

    fn answer_keep(&mut self, request: &Request, answer: &Answer) -> Result<()> {
        let status = i16::try_from(answer.code).map_err(|error| Error::Internal(Box::new(error)))?;
        // Writers of one profile run one after another, so the greatest sum is that of the newest answer.
        self.sql(formatcp!(
            "with newest as (
                select coalesce(max(bytes_until), 0) as bytes_until from idempotency_keys where profile_id = $1
            ), kept as (
                insert into idempotency_keys
                    (profile_id, key, fingerprint, status, location, body, change_id, bytes_until)
                select $1, $2, $3, $4, $5, $6, $7, newest.bytes_until + octet_length($6) + {ANSWER_BYTES} from newest
                returning bytes_until
            )
            delete from idempotency_keys known using kept
            where known.profile_id = $1 and known.bytes_until <= kept.bytes_until - {ANSWERS_BYTES_MAX}"
        ))
        .arg(request.key.as_str())
        .arg(request.fingerprint.as_slice())
        .arg(status)
        .arg(answer.location.as_deref())
        .arg(answer.body.as_slice())
        .arg(answer.change_id.map(|id| id.0))
        .run(self.connection)
    }
}
