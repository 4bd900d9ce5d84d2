//! Webhooks and their deliveries. The statements that commit a transaction store the events that it collected.

use const_format::concatcp;
use diesel::QueryableByName;
use diesel::prelude::*;
use diesel::sql_types::{Array, BigInt, Bool, Integer, Nullable, Text, Timestamptz};
use finance_domain::credit_bills::CreditBill;
use finance_domain::webhooks::{
    Attempt, CLOSED_DAYS_AGO_MAX, DAYS_KEPT, DELIVERIES_KEPT_MAX, DELIVERIES_PENDING_MAX, DUE_DAYS_AHEAD, Delivery,
    DeliveryState, Event, EventType, Failure, NewWebhook, Outgoing, SWEEP_MINUTES, Turn, Webhook, WebhookRepo,
};
use finance_domain::{DeliveryId, MemberId, ProfileId, Result, WebhookId};
use time::{Date, Duration, OffsetDateTime};
use uuid::Uuid;

use crate::constraints::error;
use crate::credit_bills::{BillRow, bills_where};
use crate::numeric::bigint;
use crate::repo::{PgRepo, across_profiles, bind};
use crate::row::row;
use crate::sql::{Arguments, Cache, Fetch, IdRow, with_args};
use crate::words::StoredWord;

row! { struct WebhookRow {
    id: i64 [BigInt],
    url: String [Text],
    events: Vec<StoredWord<EventType>> [Array<Text>],
    created_by: i64 [BigInt],
    created_at: OffsetDateTime [Timestamptz],
} }

impl From<WebhookRow> for Webhook {
    fn from(row: WebhookRow) -> Self {
        let events = row.events.into_iter().map(|event| event.0).collect();
        let created_by = MemberId(row.created_by);
        Webhook { id: WebhookId(row.id), url: row.url, events, created_by, created_at: row.created_at }
    }
}

row! { struct DeliveryRow {
    id: i64 [BigInt],
    event_id: String [Text],
    kind: StoredWord<EventType> [Text],
    created_at: OffsetDateTime [Timestamptz],
    state: StoredWord<DeliveryState> [Text],
    attempts: i32 [Integer],
    next_attempt_at: OffsetDateTime [Timestamptz],
    response_status: Option<i32> [Nullable<Integer>],
    failure: Option<StoredWord<Failure>> [Nullable<Text>],
} }

impl From<DeliveryRow> for Delivery {
    fn from(row: DeliveryRow) -> Self {
        Delivery {
            id: DeliveryId(row.id),
            event_id: row.event_id,
            event_type: row.kind.0,
            created_at: row.created_at,
            state: row.state.0,
            attempts: u32::try_from(row.attempts).unwrap_or_default(),
            next_attempt_at: (row.state.0 == DeliveryState::Pending).then_some(row.next_attempt_at),
            response_status: row.response_status.and_then(|status| u16::try_from(status).ok()),
            failure: row.failure.map(|failure| failure.0),
        }
    }
}

row! { struct OutgoingRow {
    id: i64 [BigInt],
    url: String [Text],
    secret: String [Text],
    created_by: i64 [BigInt],
    event_id: String [Text],
    kind: StoredWord<EventType> [Text],
    created_at: OffsetDateTime [Timestamptz],
    data: String [Text],
    attempts: i32 [Integer],
    expires_at: OffsetDateTime [Timestamptz],
} }

impl From<OutgoingRow> for Outgoing {
    fn from(row: OutgoingRow) -> Self {
        Outgoing {
            id: DeliveryId(row.id),
            url: row.url,
            secret: row.secret,
            created_by: MemberId(row.created_by),
            event_id: row.event_id,
            event_type: row.kind.0,
            created_at: row.created_at,
            data: row.data,
            attempt: u32::try_from(row.attempts).unwrap_or_default(),
            expires_at: row.expires_at,
        }
    }
}

/// The state of a delivery that must still be sent.
const PENDING: &str = concatcp!("'", DeliveryState::Pending.as_str(), "'");
const LISTED: &str = "id, url, events, created_by, created_at";
/// Earlier versions stored another word for names with an address of a private network.
const DELIVERY: &str = concatcp!(
    "id, event_id::text as event_id, kind, created_at, state, attempts, next_attempt_at, response_status,
    case failure when 'private_address' then '",
    Failure::Unresolved.as_str(),
    "' else failure end as failure"
);

impl WebhookRepo for PgRepo<'_> {
    fn webhook_list(&mut self) -> Result<Vec<Webhook>> {
        self.sql(format!("select {LISTED} from webhooks where profile_id = $1 order by id"))
            .rows_as(self.connection, |row: WebhookRow| row.into())
    }

    fn webhook_insert(&mut self, new: &NewWebhook, secret: &str) -> Result<Webhook> {
        let events: Vec<&str> = new.events.iter().map(|event| event.as_str()).collect();
        self.has_no_webhook = false;
        let query = self.sql(format!(
            "with looked_at as (update profiles set webhooks_due_at = now() where id = $1)
            insert into webhooks (profile_id, url, events, secret, created_by)
            values ($1, $2, $3, $4, current_member_id()) returning {LISTED}"
        ));
        let row: WebhookRow = query.arg(&new.url).arg(events).arg(secret).fetch_one(self.connection)?;
        Ok(row.into())
    }

    fn webhook_delete(&mut self, id: WebhookId) -> Result<bool> {
        let query = self.sql("delete from webhooks where profile_id = $1 and id = $2");
        let gone = query.arg(id.0).exec_count(self.connection)?;
        Ok(gone > 0)
    }

    fn delivery_list(&mut self, id: WebhookId, limit: usize) -> Result<Vec<Delivery>> {
        let limit = bigint(limit)?;
        let query = self.sql(format!(
            "select {DELIVERY} from webhook_deliveries where profile_id = $1 and webhook_id = $2 order by id desc limit $3"
        ));
        query.arg(id.0).arg(limit).fetch_as(self.connection, |row: DeliveryRow| row.into())
    }

    fn delivery_send_again(&mut self, webhook_id: WebhookId, id: DeliveryId) -> Result<Option<Delivery>> {
        let query = self.sql(format!(
            "with looked_at as (update profiles set webhooks_due_at = now() where id = $1)
            update webhook_deliveries
            set state = {PENDING}, next_attempt_at = now(), expires_at = now() + interval '24 hours'
            where profile_id = $1 and webhook_id = $2 and id = $3
            returning {DELIVERY}"
        ));
        let row: Option<DeliveryRow> = query.arg(webhook_id.0).arg(id.0).fetch_if_any(self.connection)?;
        Ok(row.map(Delivery::from))
    }

    fn webhook_event(&mut self, event: Event) {
        self.events.push(event);
    }

    fn is_told(&mut self, event_type: EventType) -> Result<bool> {
        row! { struct ToldRow {
            has_webhook: bool [Bool],
            is_told: bool [Bool],
        } }
        if self.has_no_webhook {
            return Ok(false);
        }
        let query = self.sql(
            "select exists (select 1 from webhooks where profile_id = $1) as has_webhook,
                exists (select 1 from webhooks where profile_id = $1 and $2 = any (events)) as is_told",
        );
        let row: ToldRow = query.arg(event_type.as_str()).row(self.connection)?;
        self.has_no_webhook = !row.has_webhook;
        Ok(row.is_told)
    }

    fn bills_to_tell(&mut self, today: Date) -> Result<Vec<CreditBill>> {
        // A bill closes on the day after its period.
        let condition = "(b.period_end between $2 and $3 or b.due_date between $4 and $5) order by b.id";
        self.sql(bills_where(condition))
            .arg(today - Duration::days(CLOSED_DAYS_AGO_MAX + 1))
            .arg(today)
            .arg(today)
            .arg(today + Duration::days(DUE_DAYS_AHEAD))
            .fetch_as(self.connection, |row: BillRow| row.into())
    }

    fn delivery_take(&mut self, now: OffsetDateTime, until: OffsetDateTime) -> Result<Option<Outgoing>> {
        let query = format!(
            "update webhook_deliveries d
            set attempts = d.attempts + 1, next_attempt_at = $3
            from webhooks w
            where d.profile_id = $1 and w.profile_id = $1 and w.id = d.webhook_id and d.id = (
                select id from webhook_deliveries
                where profile_id = $1 and state = {PENDING} and next_attempt_at <= $2
                order by next_attempt_at, id limit 1 for update skip locked)
            returning d.id, w.url, w.secret, w.created_by, d.event_id::text as event_id, d.kind, d.created_at, d.data,
                d.attempts, d.expires_at"
        );
        let query = self.sql(query);
        let row: Option<OutgoingRow> = query.arg(now).arg(until).fetch_if_any(self.connection)?;
        Ok(row.map(Outgoing::from))
    }

    fn delivery_settle(&mut self, sent: &Outgoing, attempt: Attempt, retry_at: Option<OffsetDateTime>) -> Result<()> {
        let state = match (attempt.failure, retry_at) {
            (None, _) => DeliveryState::Delivered,
            (Some(_), Some(_)) => DeliveryState::Pending,
            (Some(_), None) => DeliveryState::Failed,
        };
        self.sql(
            "update webhook_deliveries
            set state = $4, next_attempt_at = coalesce($5, next_attempt_at), response_status = $6, failure = $7
            where profile_id = $1 and id = $2 and attempts = $3",
        )
        .arg(sent.id.0)
        .arg(i32::try_from(sent.attempt).unwrap_or(i32::MAX))
        .arg(state.as_str())
        .arg(retry_at)
        .arg(attempt.status.map(i32::from))
        .arg(attempt.failure.map(|failure| failure.as_str()))
        .exec(self.connection)
    }

    fn deliveries_forget(&mut self, now: OffsetDateTime) -> Result<()> {
        // The newest delivery that is not kept is looked up once for each webhook, not once for each delivery.
        let query = self.sql(format!(
            "with kept as materialized (
                select w.id as webhook_id, (
                    select d.id from webhook_deliveries d
                    where d.profile_id = $1 and d.webhook_id = w.id
                    order by d.id desc offset {DELIVERIES_KEPT_MAX} limit 1) as last_gone
                from webhooks w where w.profile_id = $1
            )
            delete from webhook_deliveries d
            using kept
            where d.profile_id = $1 and d.webhook_id = kept.webhook_id and d.state <> {PENDING}
                and (d.created_at < $2 or d.id <= kept.last_gone)"
        ));
        query.arg(now - Duration::days(DAYS_KEPT)).exec(self.connection)?;
        // Only the pending ones are read, by their index.
        self.sql(format!(
            "delete from webhook_deliveries d
            using (
                select id, row_number() over (partition by webhook_id order by id desc) as place
                from webhook_deliveries where profile_id = $1 and state = {PENDING}
            ) queued
            where d.profile_id = $1 and d.id = queued.id and queued.place > {DELIVERIES_PENDING_MAX}"
        ))
        .exec(self.connection)
    }
}

/// The statement that stores the collected events, for the webhooks that subscribe to them, and makes the profile due. None if there are
/// no events, or the profile is known to have no webhook, as an insert knows it: planning the statement takes 0.3 ms.
///
/// It contains only integers, dates, amounts and words of the domain, so it needs no parameters and is sent in one round trip
/// with the commit.
pub(crate) fn store_events(repo: &PgRepo<'_>) -> Option<String> {
    let PgRepo { profile_id, ref events, has_no_webhook, .. } = *repo;
    if events.is_empty() || has_no_webhook {
        return None;
    }
    let (mut kinds, mut subjects, mut data) = (Vec::new(), Vec::new(), Vec::new());
    for event in events {
        kinds.push(format!("'{}'", event.event_type().as_str()));
        subjects.push(event.subject().map_or_else(|| "null".to_string(), |subject| format!("'{subject}'")));
        data.push(format!("'{}'", event.data()));
    }
    let arrays = [(kinds, "text"), (subjects, "text"), (data, "text")];
    let arrays = arrays.map(|(values, kind)| format!("array[{}]::{kind}[]", values.join(",")));
    Some(format!(
        "WITH events AS MATERIALIZED (
            SELECT gen_random_uuid() AS event_id, noted.* FROM unnest({arrays}) AS noted (kind, subject, data)
        ), stored AS (
            INSERT INTO webhook_deliveries (profile_id, webhook_id, event_id, kind, subject, data)
            SELECT {profile_id}::bigint, w.id, e.event_id, e.kind, e.subject, e.data
            FROM events e JOIN webhooks w ON w.profile_id = {profile_id} AND e.kind = ANY (w.events)
            ON CONFLICT DO NOTHING
            RETURNING 1
        )
        UPDATE profiles SET webhooks_due_at = least(webhooks_due_at, now())
        WHERE id = {profile_id} AND EXISTS (SELECT 1 FROM stored)",
        arrays = arrays.join(", ")
    ))
}

pub(crate) fn profiles_due(
    connection: &mut PgConnection,
    now: OffsetDateTime,
    today: Date,
    limit: usize,
) -> Result<Vec<ProfileId>> {
    let query = with_args(
        "select due.id from (
            (select id, webhooks_due_at as due_at from profiles
            where webhooks_due_at <= $1 and (webhooks_leased_until is null or webhooks_leased_until <= $1)
            order by webhooks_due_at limit $3)
            union all
            (select id, $1 as due_at from profiles
            where (notices_on < $2 or notices_on > $2)
                and (webhooks_leased_until is null or webhooks_leased_until <= $1)
            limit $3)
        ) as due
        group by due.id order by min(due_at) limit $3",
    )
    .arg(now)
    .arg(today)
    .arg(bigint(limit)?);
    let rows: Vec<IdRow> = across_profiles(connection, |connection| query.cached().load(connection)).map_err(error)?;
    Ok(rows.into_iter().map(|row| ProfileId(row.id)).collect())
}

/// Takes the turn at a profile, and binds the transaction to it. Returns false if another deliverer has the turn. A profile that
/// is being written to is left for later.
pub(crate) fn take_turn(connection: &mut PgConnection, turn: &Turn, now: OffsetDateTime) -> Result<bool> {
    bind(connection, turn.profile_id.0)?;
    let taken = with_args(
        // The first `id = $1` tells Citus which shard the row is on.
        "update profiles set webhooks_leased_until = $3, write_id = $4::uuid where id = $1 and id = (
            select id from profiles
            where id = $1 and (webhooks_due_at <= $2 or notices_on <> $5)
                and (webhooks_leased_until is null or webhooks_leased_until <= $2)
            for no key update skip locked)
        returning true",
    )
    .arg(turn.profile_id.0)
    .arg(now)
    .arg(turn.until)
    .arg(Uuid::new_v4().to_string())
    .arg(turn.today)
    .cached()
    .execute_returning(connection)
    .map_err(error)?;
    Ok(taken > 0)
}

/// Binds the transaction to the profile of a turn, as its writer. What a turn writes makes no notice, so unlike
/// [`bind_writer`](crate::repo::bind_writer) it does not make the profile due.
pub(crate) fn come_back(connection: &mut PgConnection, turn: &Turn) -> Result<()> {
    bind(connection, turn.profile_id.0)?;
    // In a separate statement, so that the following ones see what the last writer stored.
    let query = with_args("update profiles set write_id = $2::uuid where id = $1");
    query.arg(turn.profile_id.0).arg(Uuid::new_v4().to_string()).run(connection)
}

/// Gives the turn back, unless it has expired and belongs to another deliverer. The profile is due when its next delivery is,
/// when its bills must be checked, or when a delivery is old enough to be deleted.
pub(crate) fn give_back(connection: &mut PgConnection, turn: &Turn, now: OffsetDateTime) -> Result<()> {
    let (closed, due) = (EventType::BillClosed.as_str(), EventType::BillDue.as_str());
    let query = with_args(format!(
        "update profiles set webhooks_leased_until = null, webhooks_due_at = (
            select greatest(min(at), $2) from (
                select min(next_attempt_at) from webhook_deliveries where profile_id = $1 and state = {PENDING}
                union all select min(next_attempt_at) from notice_deliveries where profile_id = $1 and state = {PENDING}
                union all select $2 + interval '{SWEEP_MINUTES} minutes'
                    where exists (select 1 from webhooks where profile_id = $1 and events && array['{closed}', '{due}'])
                union all select $2 + interval '1 day'
                    where exists (select 1 from webhook_deliveries where profile_id = $1)
            ) as next (at) where at is not null)
        where id = $1 and webhooks_leased_until = $3"
    ));
    query.arg(turn.profile_id.0).arg(now).arg(turn.until).exec(connection)
}
