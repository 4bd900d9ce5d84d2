//! Devices, e-mail addresses, and what is to be sent to them.

use std::collections::HashMap;

use diesel::PgConnection;
use diesel::QueryableByName;
use diesel::sql_types::{BigInt, Binary, Bool, Date as SqlDate, Integer, Nullable, SmallInt, Text, Timestamptz};
use finance_domain::notices::{
    Cargo, Code, Destination, EmailAddress, Judgement, NewPushDevice, Notice, NoticeOutboxRepo, Pending, PushDevice,
    PushTarget, Settled,
};
use finance_domain::webhooks::Failure;
use finance_domain::{MemberId, NoticeDeliveryId, NoticeId, ProfileId, PushDeviceId, Result, SessionId};
use time::{Date, OffsetDateTime};

use crate::notices::{ADDRESS, MAKE_DUE, PENDING, notices_of};
use crate::numeric::bigint;
use crate::repo::PgRepo;
use crate::row::row;
use crate::sql::{Arguments, Cache, Fetch, IdRow, unnest, with_args};
use crate::words::StoredWord;

/// The columns of a [`DeviceRow`].
const DEVICE: &str = "id, endpoint, client, created_at, failure";

row! { struct DeviceRow {
    id: i64 [BigInt],
    endpoint: String [Text],
    client: Option<String> [Nullable<Text>],
    created_at: OffsetDateTime [Timestamptz],
    failure: Option<StoredWord<Failure>> [Nullable<Text>],
} }

impl From<DeviceRow> for PushDevice {
    fn from(DeviceRow { id, endpoint, client, created_at, failure }: DeviceRow) -> Self {
        PushDevice { id: PushDeviceId(id), endpoint, client, created_at, failure: failure.map(|failure| failure.0) }
    }
}

row! { struct AddressRow {
    address: Option<String> [Nullable<Text>],
    is_confirmed: bool [Bool],
    code_hash: Option<String> [Nullable<Text>],
    code_expires_at: Option<OffsetDateTime> [Nullable<Timestamptz>],
    code_guesses: i16 [SmallInt],
    codes_on: Option<Date> [Nullable<SqlDate>],
    codes: i16 [SmallInt],
} }

row! { struct PendingRow {
    id: i64 [BigInt],
    member_id: i64 [BigInt],
    notice_id: Option<i64> [Nullable<BigInt>],
    device_id: i64 [BigInt],
    code: Option<String> [Nullable<Text>],
    attempts: i32 [Integer],
    expires_at: Option<OffsetDateTime> [Nullable<Timestamptz>],
    again_on: Option<Date> [Nullable<SqlDate>],
    endpoint: Option<String> [Nullable<Text>],
    p256dh: Option<Vec<u8>> [Nullable<Binary>],
    auth: Option<Vec<u8>> [Nullable<Binary>],
    address: Option<String> [Nullable<Text>],
    is_confirmed: bool [Bool],
} }

impl PendingRow {
    fn pending(self, notices: &mut HashMap<i64, Notice>) -> Option<Pending> {
        let cargo = match (self.notice_id, self.code) {
            // The notice goes with its deliveries, so it is there.
            (Some(id), _) => Cargo::Notice(Box::new(notices.get(&id)?.clone())),
            (None, Some(code)) => Cargo::Code(code),
            (None, None) => Cargo::Test,
        };
        let is_reached = self.is_confirmed || matches!(cargo, Cargo::Code(_));
        let destination = match (self.endpoint, self.p256dh, self.auth) {
            (Some(endpoint), Some(p256dh), Some(auth)) => {
                Some(Destination::Push(PushTarget { endpoint, p256dh, auth }))
            }
            _ => self.address.filter(|_| is_reached && self.device_id == ADDRESS).map(Destination::Email),
        };
        Some(Pending {
            id: NoticeDeliveryId(self.id),
            member_id: MemberId(self.member_id),
            cargo,
            device_id: (self.device_id != ADDRESS).then_some(PushDeviceId(self.device_id)),
            destination,
            attempts: u32::try_from(self.attempts).unwrap_or_default(),
            expires_at: self.expires_at,
            again_on: self.again_on,
        })
    }
}

fn small(count: u16) -> i16 {
    i16::try_from(count).unwrap_or(i16::MAX)
}

impl NoticeOutboxRepo for PgRepo<'_> {
    fn push_device_list(&mut self, member: MemberId) -> Result<Vec<PushDevice>> {
        let query =
            self.sql(format!("select {DEVICE} from push_devices where profile_id = $1 and member_id = $2 order by id"));
        query.arg(member.0).rows_as(self.connection, |row: DeviceRow| row.into())
    }

    fn push_device_put(&mut self, member: MemberId, new: &NewPushDevice) -> Result<PushDevice> {
        let query = self.sql("select id from push_devices where profile_id = $1 and endpoint = $2 and member_id <> $3");
        let others: Vec<IdRow> = query.arg(&new.target.endpoint).arg(member.0).fetch(self.connection)?;
        for other in others {
            delete_device(self, PushDeviceId(other.id))?;
        }
        let query = self.sql(format!(
            "insert into push_devices (profile_id, member_id, session_id, endpoint, p256dh, auth, client)
            values ($1, $2, $3, $4, $5, $6, $7)
            on conflict (profile_id, endpoint) do update set session_id = excluded.session_id,
                p256dh = excluded.p256dh, auth = excluded.auth, client = excluded.client, failure = null
            returning {DEVICE}"
        ));
        let row: DeviceRow = query
            .arg(member.0)
            .arg(new.session_id.map(|id| id.0))
            .arg(&new.target.endpoint)
            .arg(&new.target.p256dh)
            .arg(&new.target.auth)
            .arg(new.client.as_deref())
            .fetch_one(self.connection)?;
        Ok(row.into())
    }

    fn push_device_delete(&mut self, member: MemberId, id: PushDeviceId) -> Result<bool> {
        let own = self.push_device_list(member)?.iter().any(|device| device.id == id);
        if own {
            delete_device(self, id)?;
        }
        Ok(own)
    }

    fn push_device_test(&mut self, member: MemberId, id: PushDeviceId) -> Result<()> {
        let query =
            self.sql("delete from notice_deliveries where profile_id = $1 and device_id = $2 and notice_id is null");
        query.arg(id.0).exec(self.connection)?;
        send_at_once(self, member, id.0, None)
    }

    fn email_address(&mut self, member: MemberId) -> Result<EmailAddress> {
        let query = self.sql(
            "select address, is_confirmed, code_hash, code_expires_at, code_guesses, codes_on, codes
            from notice_addresses where profile_id = $1 and member_id = $2",
        );
        let row: Option<AddressRow> = query.arg(member.0).row_if_any(self.connection)?;
        let Some(row) = row else { return Ok(EmailAddress::default()) };
        let guesses = u16::try_from(row.code_guesses).unwrap_or(u16::MAX);
        Ok(EmailAddress {
            address: row.address,
            is_confirmed: row.is_confirmed,
            code: row.code_hash.zip(row.code_expires_at).map(|(hash, expires_at)| Code { hash, expires_at, guesses }),
            codes_on: row.codes_on,
            codes: u16::try_from(row.codes).unwrap_or(u16::MAX),
        })
    }

    fn email_address_put(&mut self, member: MemberId, address: &EmailAddress) -> Result<()> {
        let code = address.code.as_ref();
        self.sql(
            "insert into notice_addresses
                (profile_id, member_id, address, is_confirmed, code_hash, code_expires_at, code_guesses, codes_on, codes)
            values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
            on conflict (profile_id, member_id) do update set address = excluded.address,
                is_confirmed = excluded.is_confirmed, code_hash = excluded.code_hash,
                code_expires_at = excluded.code_expires_at, code_guesses = excluded.code_guesses,
                codes_on = excluded.codes_on, codes = excluded.codes",
        )
        .arg(member.0)
        .arg(address.address.as_deref())
        .arg(address.is_confirmed)
        .arg(code.map(|code| code.hash.as_str()))
        .arg(code.map(|code| code.expires_at))
        .arg(code.map_or(0, |code| small(code.guesses)))
        .arg(address.codes_on)
        .arg(small(address.codes))
        .exec(self.connection)
    }

    fn email_code_send(&mut self, member: MemberId, code: Option<&str>) -> Result<()> {
        let query = self.sql(
            "delete from notice_deliveries
            where profile_id = $1 and member_id = $2 and device_id = $3 and notice_id is null",
        );
        query.arg(member.0).arg(ADDRESS).exec(self.connection)?;
        match code {
            Some(code) => send_at_once(self, member, ADDRESS, Some(code)),
            None => Ok(()),
        }
    }

    fn notices_begin(&mut self) -> Result<()> {
        self.sql("update profiles set notices_on = '-infinity' where id = $1").exec(self.connection)
    }

    fn notices_are_stale(&mut self, today: Date) -> Result<Option<bool>> {
        row! { struct StaleRow { is_stale: Option<bool> [Nullable<Bool>] } }
        let query = self.sql("select notices_on <> $2 as is_stale from profiles where id = $1");
        let row: StaleRow = query.arg(today).row(self.connection)?;
        Ok(row.is_stale)
    }

    fn notices_looked_at(&mut self, today: Option<Date>, now: OffsetDateTime) -> Result<()> {
        self.sql("update profiles set notices_on = $2 where id = $1").arg(today).run(self.connection)?;
        // What was put off until the day of the service is due, whatever the clock said when it was put off.
        let Some(today) = today else { return Ok(()) };
        let query = self.sql(format!(
            "update notice_deliveries set next_attempt_at = $3
            where profile_id = $1 and state = {PENDING} and attempts = 0 and again_on <= $2 and next_attempt_at > $3"
        ));
        query.arg(today).arg(now).run(self.connection)
    }

    fn notice_recipients(&mut self) -> Result<Vec<MemberId>> {
        self.sql(
            "select member_id as id from push_devices where profile_id = $1
            union
            select member_id from notice_addresses where profile_id = $1 and is_confirmed
            order by id",
        )
        .rows_as(self.connection, |row: IdRow| MemberId(row.id))
    }

    fn notice_pending(&mut self, now: OffsetDateTime, limit: usize) -> Result<Vec<Pending>> {
        let limit = bigint(limit)?;
        let query = self.sql(format!(
            "select d.id, d.member_id, d.notice_id, d.device_id, d.code, d.attempts, d.expires_at, d.again_on,
                p.endpoint, p.p256dh, p.auth, a.address, coalesce(a.is_confirmed, false) as is_confirmed
            from (
                select * from notice_deliveries
                where profile_id = $1 and state = {PENDING} and next_attempt_at <= $2
                order by next_attempt_at, id limit $3
            ) as d
            left join push_devices p on p.profile_id = $1 and p.id = d.device_id
            left join notice_addresses a on a.profile_id = $1 and a.member_id = d.member_id
            order by d.next_attempt_at, d.id"
        ));
        let rows: Vec<PendingRow> = query.arg(now).arg(limit).rows(self.connection)?;
        let ids: Vec<i64> = rows.iter().filter_map(|row| row.notice_id).collect();
        let mut notices: HashMap<i64, Notice> = match ids.is_empty() {
            true => HashMap::new(),
            false => notices_of(self, ids)?.into_iter().map(|notice| (notice.id.0, notice)).collect(),
        };
        Ok(rows.into_iter().filter_map(|row| row.pending(&mut notices)).collect())
    }

    fn notices_sent_on(&mut self, member: MemberId, today: Date) -> Result<Vec<NoticeId>> {
        let query = self.sql(
            "select distinct notice_id as id from notice_deliveries
            where profile_id = $1 and member_id = $2 and sent_on = $3 and notice_id is not null",
        );
        query.arg(member.0).arg(today).fetch_as(self.connection, |row: IdRow| NoticeId(row.id))
    }

    fn notice_judged(&mut self, judged: &[(NoticeDeliveryId, Judgement)]) -> Result<()> {
        let ids: Vec<i64> = judged.iter().map(|(id, _)| id.0).collect();
        let states: Vec<&str> = judged
            .iter()
            .map(|(_, judgement)| match judgement {
                Judgement::Send | Judgement::Wait(_) => "pending",
                Judgement::Settled => "settled",
                Judgement::LeftOut => "left_out",
            })
            .collect();
        let waits: Vec<Option<OffsetDateTime>> = judged
            .iter()
            .map(|(_, judgement)| match judgement {
                Judgement::Wait(at) => Some(*at),
                _ => None,
            })
            .collect();
        let query = self.sql(format!(
            "update notice_deliveries d
            set state = j.state, next_attempt_at = coalesce(j.at, d.next_attempt_at)
            from {judged} as j (id, state, at)
            where d.profile_id = $1 and d.id = j.id",
            judged = unnest(2, &["bigint", "text", "timestamptz"]),
        ));
        query.arg(ids).arg(states).arg(waits).run(self.connection)?;
        // A test or a code that cannot be sent any more is of no use.
        self.sql("delete from notice_deliveries where profile_id = $1 and notice_id is null and state = 'left_out'")
            .run(self.connection)
    }

    fn notice_take(
        &mut self,
        id: NoticeDeliveryId,
        today: Date,
        until: OffsetDateTime,
        expires_at: OffsetDateTime,
    ) -> Result<()> {
        let query = self.sql(
            "update notice_deliveries
            set attempts = attempts + 1, next_attempt_at = $3, expires_at = $4, sent_on = coalesce(sent_on, $5)
            where profile_id = $1 and id = $2",
        );
        query.arg(id.0).arg(until).arg(expires_at).arg(today).run(self.connection)
    }

    fn notice_give_back(&mut self, pending: &Pending, now: OffsetDateTime) -> Result<()> {
        let query = self.sql(
            "update notice_deliveries set attempts = attempts - 1, next_attempt_at = $4
            where profile_id = $1 and id = $2 and attempts = $3",
        );
        query.arg(pending.id.0).arg(attempt_number(pending.attempts + 1)).arg(now).run(self.connection)
    }

    fn notice_delivery_settle(&mut self, pending: &Pending, attempt: u32, settled: Settled) -> Result<()> {
        let (state, next, failure) = match settled {
            Settled::Gone => {
                return match pending.device_id {
                    Some(device) => delete_device(self, device),
                    // No mail server says that an address is gone.
                    None => Ok(()),
                };
            }
            Settled::Delivered => ("delivered", None, None),
            Settled::Again(at, failure) => ("pending", Some(at), Some(failure)),
            Settled::GivenUp(failure) => ("failed", None, Some(failure)),
        };
        self.sql(
            "update notice_deliveries
            set state = $4, next_attempt_at = coalesce($5, next_attempt_at), failure = $6,
                delivered_at = case when $4 = 'delivered' then now() else delivered_at end
            where profile_id = $1 and id = $2 and attempts = $3",
        )
        .arg(pending.id.0)
        .arg(attempt_number(attempt))
        .arg(state)
        .arg(next)
        .arg(failure.map(|failure| failure.as_str()))
        .run(self.connection)?;
        if !matches!(pending.cargo, Cargo::Notice(_)) {
            let query = self
                .sql(format!("delete from notice_deliveries where profile_id = $1 and id = $2 and state <> {PENDING}"));
            query.arg(pending.id.0).run(self.connection)?;
        }
        if let Some(device) = pending.device_id {
            let query = self.sql("update push_devices set failure = $3 where profile_id = $1 and id = $2");
            query.arg(device.0).arg(failure.map(|failure| failure.as_str())).run(self.connection)?;
        }
        Ok(())
    }
}

fn attempt_number(attempt: u32) -> i32 {
    i32::try_from(attempt).unwrap_or(i32::MAX)
}

/// Stores what is no notice, and makes the profile due.
fn send_at_once(repo: &mut PgRepo<'_>, member: MemberId, device: i64, code: Option<&str>) -> Result<()> {
    let query = repo.sql(format!(
        "with made_due as ({MAKE_DUE})
        insert into notice_deliveries (profile_id, member_id, device_id, code) values ($1, $2, $3, $4)"
    ));
    query.arg(member.0).arg(device).arg(code).exec(repo.connection)
}

fn delete_device(repo: &mut PgRepo<'_>, id: PushDeviceId) -> Result<()> {
    for statement in [
        "delete from notice_deliveries where profile_id = $1 and device_id = $2",
        "delete from push_devices where profile_id = $1 and id = $2",
    ] {
        repo.sql(statement).arg(id.0).exec(repo.connection)?;
    }
    Ok(())
}

/// Removes the devices of a login that ended, or of all logins of a member. The transaction must be bound to the profile.
fn forget_devices_where(connection: &mut PgConnection, profile_id: ProfileId, column: &str, id: i64) -> Result<()> {
    let query = with_args(format!(
        "with gone as (delete from push_devices where profile_id = $1 and {column} = $2 returning id)
        delete from notice_deliveries where profile_id = $1 and device_id in (select id from gone)"
    ));
    query.arg(profile_id.0).arg(id).exec(connection)
}

/// Removes the devices of a login that ended. The transaction must be bound to the profile.
pub(crate) fn forget_session(connection: &mut PgConnection, profile_id: ProfileId, id: SessionId) -> Result<()> {
    forget_devices_where(connection, profile_id, "session_id", id.0)
}

/// Removes the devices of a member whose logins ended. The transaction must be bound to the profile.
pub(crate) fn forget_devices(connection: &mut PgConnection, profile_id: ProfileId, member: MemberId) -> Result<()> {
    forget_devices_where(connection, profile_id, "member_id", member.0)
}
