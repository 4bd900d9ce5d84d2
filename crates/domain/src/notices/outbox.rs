//! The outbox of notices: what is to be sent to which device or address, when, and what is sent.

use time::{Date, Duration, OffsetDateTime, UtcOffset};

use super::address::EmailAddress;
use super::delivery::{Action, Destination, Message, NewPushDevice, Outcome, PushDevice, tag, tag_of_delivery};
use super::preferences::Preferences;
use super::texts::Texts;
use super::values::{Notice, NoticeKind};
use super::when::when_sent;
use crate::error::Result;
use crate::ids::{MemberId, NoticeDeliveryId, NoticeId, ProfileId, PushDeviceId};
use crate::webhooks::{Failure, backoff};

/// The most deliveries that one turn judges.
pub const JUDGED_A_TURN_MAX: usize = 200;
/// The most deliveries that one turn sends, one after another.
pub const SENT_A_TURN_MAX: usize = 4;
/// How long a delivery is tried again after its first attempt.
pub const TRIED_HOURS: i64 = 24;

/// A delivery that is pending.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pending {
    /// Its id.
    pub id: NoticeDeliveryId,
    /// The member.
    pub member_id: MemberId,
    /// What it tells.
    pub cargo: Cargo,
    /// The device. None: the member's address.
    pub device_id: Option<PushDeviceId>,
    /// Where it goes. None if the address is no longer there, or not confirmed.
    pub destination: Option<Destination>,
    /// How often it was sent.
    pub attempts: u32,
    /// The instant after which it is no longer retried, once it was sent.
    pub expires_at: Option<OffsetDateTime>,
    /// The day on which a notice that was put off is sent again.
    pub again_on: Option<Date>,
}

/// What a delivery tells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cargo {
    /// A notice.
    Notice(Box<Notice>),
    /// A test of the device.
    Test,
    /// A code that confirms the address.
    Code(String),
}

impl Cargo {
    fn notice(&self) -> Option<&Notice> {
        match self {
            Cargo::Notice(notice) => Some(notice),
            Cargo::Test | Cargo::Code(_) => None,
        }
    }
}

/// What becomes of a pending delivery.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Judgement {
    /// It is sent now.
    Send,
    /// It is sent then, or judged again.
    Wait(OffsetDateTime),
    /// Its notice is settled. It is pending again if the notice is.
    Settled,
    /// It is not sent: the member does not want the kind on the channel any more, or was sent as much as on one day is sent.
    LeftOut,
}

/// Judges a pending delivery by the preferences of now. `has_room` says whether the member may be sent the notice today.
pub fn judge(
    pending: &Pending,
    preferences: &Preferences,
    has_room: bool,
    today: Date,
    now: OffsetDateTime,
    offset: UtcOffset,
) -> Judgement {
    let Some(destination) = &pending.destination else { return Judgement::LeftOut };
    let Some(notice) = pending.cargo.notice() else { return Judgement::Send };
    if notice.settled_at.is_some() {
        return Judgement::Settled;
    }
    if !preferences.kind(notice.kind).channels.contains(&destination.channel()) {
        return Judgement::LeftOut;
    }
    let at = when_sent(notice.kind, notice.snoozed_until, today, now, offset, preferences);
    match at > now {
        true => Judgement::Wait(at),
        false if has_room => Judgement::Send,
        false => Judgement::LeftOut,
    }
}

/// What is sent. It is the same for every attempt, unless the notice or the preferences have changed; its tag and its id never change.
pub fn message(
    profile_id: ProfileId,
    pending: &Pending,
    preferences: &Preferences,
    texts: &Texts,
    now: OffsetDateTime,
) -> Message {
    let language = preferences.language;
    let (text, tag, url, actions) = match &pending.cargo {
        Cargo::Notice(notice) => (
            texts.say(language, notice.kind, &notice.params, preferences.amounts),
            tag(profile_id, notice.id),
            notice.url(),
            actions(notice, preferences, texts),
        ),
        Cargo::Test => (texts.test(language), tag_of_delivery(profile_id, pending.id), "/", Vec::new()),
        Cargo::Code(code) => (texts.code(language, code), tag_of_delivery(profile_id, pending.id), "/", Vec::new()),
    };
    let message_id = match pending.again_on {
        Some(day) => format!("{tag}.{day}"),
        None => tag.clone(),
    };
    Message {
        title: text.title,
        body: text.body,
        tag,
        message_id,
        url: url.to_string(),
        actions,
        language,
        expires_at: pending.expires_at.unwrap_or(now + Duration::hours(TRIED_HOURS)),
    }
}

fn actions(notice: &Notice, preferences: &Preferences, texts: &Texts) -> Vec<Action> {
    let (paid, tomorrow) = texts.actions(preferences.language);
    let is_payable = matches!(notice.kind, NoticeKind::BillDue | NoticeKind::RecurringDue | NoticeKind::RecurringLate);
    let action = |word: &str, title: String| Action { action: format!("{word}:{}", notice.id), title };
    let mut actions = Vec::new();
    if is_payable {
        actions.push(action("paid", paid));
    }
    actions.push(action("tomorrow", tomorrow));
    actions
}

/// What becomes of a delivery after an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Settled {
    /// It was accepted.
    Delivered,
    /// Its device is gone.
    Gone,
    /// It is sent again then.
    Again(OffsetDateTime, Failure),
    /// It was tried for a day.
    GivenUp(Failure),
}

/// What becomes of a delivery after its attempt of that number.
///
/// ```
/// use finance_domain::notices::{Outcome, Settled, settled};
/// use finance_domain::webhooks::Failure;
/// use time::{Duration, macros::datetime};
///
/// let (now, end) = (datetime!(2026-03-10 12:00 UTC), datetime!(2026-03-11 12:00 UTC));
/// let wait = Outcome::RetryAfter(Duration::minutes(7));
/// assert_eq!(settled(wait, 1, now, end), Settled::Again(now + Duration::minutes(7), Failure::Status));
/// let failed = Outcome::Failed(Failure::Timeout);
/// assert_eq!(settled(failed, 2, now, end), Settled::Again(now + Duration::minutes(2), Failure::Timeout));
/// assert_eq!(settled(failed, 9, now, now), Settled::GivenUp(Failure::Timeout));
/// ```
pub fn settled(outcome: Outcome, attempt: u32, now: OffsetDateTime, expires_at: OffsetDateTime) -> Settled {
    let (wait, failure) = match outcome {
        Outcome::Done => return Settled::Delivered,
        Outcome::Gone => return Settled::Gone,
        Outcome::RetryAfter(wait) => (wait.max(Duration::SECOND), Failure::Status),
        Outcome::Failed(failure) => (backoff(attempt), failure),
    };
    match now.checked_add(wait).filter(|next| *next <= expires_at) {
        Some(next) => Settled::Again(next, failure),
        None => Settled::GivenUp(failure),
    }
}

/// The port of devices, addresses and the outbox of notices. Every method may fail as
/// [`Store::transact`](crate::Store::transact) does.
pub trait NoticeOutboxRepo {
    /// The devices of a member, in the order in which they signed up.
    fn push_device_list(&mut self, member: MemberId) -> Result<Vec<PushDevice>>;
    /// Stores a device, or the new keys of the one with that endpoint. A device of another member of the profile with that endpoint is
    /// removed: it is the same browser.
    fn push_device_put(&mut self, member: MemberId, new: &NewPushDevice) -> Result<PushDevice>;
    /// Removes a device with its deliveries. Returns whether the member had it.
    fn push_device_delete(&mut self, member: MemberId, id: PushDeviceId) -> Result<bool>;
    /// Stores a test of a device, in the place of one that is pending.
    fn push_device_test(&mut self, member: MemberId, id: PushDeviceId) -> Result<()>;
    /// The e-mail address of a member. The default if it never had one.
    fn email_address(&mut self, member: MemberId) -> Result<EmailAddress>;
    /// Stores the e-mail address of a member.
    fn email_address_put(&mut self, member: MemberId, address: &EmailAddress) -> Result<()>;
    /// Stores that a code is sent to the member's address, in the place of one that is pending. Without a code, only that one goes.
    fn email_code_send(&mut self, member: MemberId, code: Option<&str>) -> Result<()>;
    /// Notes that the profile has a device or a confirmed address: from then on its writes make it due.
    fn notices_begin(&mut self) -> Result<()>;
    /// Whether what is due has to be looked at: nobody has since the last write or on that day. None if nobody has a device or address.
    fn notices_are_stale(&mut self, today: Date) -> Result<Option<bool>>;
    /// Notes that what is due was looked at on a day; without a day, that nobody has a device or address any more.
    fn notices_looked_at(&mut self, today: Option<Date>, now: OffsetDateTime) -> Result<()>;
    /// The members with a device or a confirmed address.
    fn notice_recipients(&mut self) -> Result<Vec<MemberId>>;
    /// The deliveries that are due, the longest due first.
    fn notice_pending(&mut self, now: OffsetDateTime, limit: usize) -> Result<Vec<Pending>>;
    /// The notices that were first sent to a member on a day.
    fn notices_sent_on(&mut self, member: MemberId, today: Date) -> Result<Vec<NoticeId>>;
    /// Stores the judgements of deliveries, but [`Judgement::Send`].
    fn notice_judged(&mut self, judged: &[(NoticeDeliveryId, Judgement)]) -> Result<()>;
    /// Takes a delivery in order to send it. Nobody else takes it before `until`.
    fn notice_take(
        &mut self,
        id: NoticeDeliveryId,
        today: Date,
        until: OffsetDateTime,
        expires_at: OffsetDateTime,
    ) -> Result<()>;
    /// Gives back a delivery that was taken and not sent.
    fn notice_give_back(&mut self, pending: &Pending, now: OffsetDateTime) -> Result<()>;
    /// Stores what became of a delivery, unless somebody else has taken it since. `attempts` is the number of the attempt.
    fn notice_delivery_settle(&mut self, pending: &Pending, attempt: u32, settled: Settled) -> Result<()>;
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use time::macros::{date, datetime, offset};

    use super::*;
    use crate::notices::{KindPreferences, NoticeParams, PushTarget};

    const TODAY: Date = date!(2026 - 03 - 10);
    const NOON: OffsetDateTime = datetime!(2026-03-10 12:00 -3);

    fn pending(kind: NoticeKind) -> Pending {
        let notice = Notice {
            id: NoticeId(7),
            kind,
            subject: "7".into(),
            params: NoticeParams::default(),
            created_at: NOON,
            read_at: None,
            snoozed_until: None,
            settled_at: None,
        };
        let target = PushTarget { endpoint: "https://push.example/x".into(), p256dh: Vec::new(), auth: Vec::new() };
        Pending {
            id: NoticeDeliveryId(1),
            member_id: MemberId(1),
            cargo: Cargo::Notice(Box::new(notice)),
            device_id: Some(PushDeviceId(1)),
            destination: Some(Destination::Push(target)),
            attempts: 0,
            expires_at: None,
            again_on: None,
        }
    }

    fn changed(kind: NoticeKind, change: impl FnOnce(&mut Notice)) -> Pending {
        let mut pending = pending(kind);
        if let Cargo::Notice(notice) = &mut pending.cargo {
            change(notice);
        }
        pending
    }

    fn judged(pending: &Pending, preferences: &Preferences, now: OffsetDateTime) -> Judgement {
        judge(pending, preferences, true, TODAY, now, offset!(-3))
    }

    #[test]
    fn a_delivery_is_judged_by_the_preferences_of_then() {
        let default = Preferences::default();
        let due = pending(NoticeKind::BillDue);
        assert_eq!(judged(&due, &default, NOON), Judgement::Send);
        assert_eq!(
            judged(&due, &default, datetime!(2026-03-10 08:59 -3)),
            Judgement::Wait(datetime!(2026-03-10 09:00 -3))
        );
        assert_eq!(
            judged(&due, &default, datetime!(2026-03-10 21:00 -3)),
            Judgement::Wait(datetime!(2026-03-11 08:00 -3))
        );
        assert_eq!(judge(&due, &default, false, TODAY, NOON, offset!(-3)), Judgement::LeftOut, "30 were sent today");
        let budget = pending(NoticeKind::Budget);
        assert_eq!(judged(&budget, &default, NOON), Judgement::LeftOut, "it is told on the page only");
        let mut pushed = default.clone();
        pushed.put(
            NoticeKind::Budget,
            KindPreferences { channels: vec![crate::notices::Channel::Push], limits: vec![80] },
        );
        assert_eq!(judged(&budget, &pushed, datetime!(2026-03-10 08:30 -3)), Judgement::Send, "it does not wait");
        let settled = changed(NoticeKind::BillDue, |notice| notice.settled_at = Some(NOON));
        assert_eq!(judged(&settled, &default, NOON), Judgement::Settled);
        let gone = Pending { destination: None, ..pending(NoticeKind::BillDue) };
        assert_eq!(judged(&gone, &default, NOON), Judgement::LeftOut);
        let test = Pending { cargo: Cargo::Test, ..pending(NoticeKind::BillDue) };
        assert_eq!(judged(&test, &default, datetime!(2026-03-10 23:00 -3)), Judgement::Send, "somebody waits for it");
    }

    #[test]
    fn what_is_put_off_is_sent_on_its_day_at_the_hour() {
        let default = Preferences::default();
        let until = |day: Date| changed(NoticeKind::RepeatedCharge, |notice| notice.snoozed_until = Some(day));
        let later = until(date!(2026 - 03 - 12));
        assert_eq!(judged(&later, &default, NOON), Judgement::Wait(datetime!(2026-03-12 09:00 -3)));
        // On that day at the hour, though the kind is prompt.
        let early = datetime!(2026-03-10 08:30 -3);
        assert_eq!(judged(&until(TODAY), &default, early), Judgement::Wait(datetime!(2026-03-10 09:00 -3)));
        assert_eq!(judged(&until(TODAY), &default, NOON), Judgement::Send);
    }

    #[test]
    fn a_message_keeps_its_tag_and_its_id() {
        let texts = Texts::new(HashMap::new()).unwrap_or_default();
        let of = |pending: &Pending, now| message(ProfileId(3), pending, &Preferences::default(), &texts, now);
        let first = of(&pending(NoticeKind::BillDue), NOON);
        let again = of(&Pending { attempts: 3, ..pending(NoticeKind::BillDue) }, NOON + Duration::HOUR);
        assert_eq!((&first.tag, &first.message_id), (&again.tag, &again.message_id));
        assert_eq!(first.tag.len(), 32);
        let put_off = of(&Pending { again_on: Some(TODAY), ..pending(NoticeKind::BillDue) }, NOON);
        assert_eq!((&put_off.tag, put_off.message_id), (&first.tag, format!("{}.2026-03-10", first.tag)));
        let words = |message: &Message| message.actions.iter().map(|one| one.action.clone()).collect::<Vec<_>>();
        assert_eq!(words(&first), ["paid:7", "tomorrow:7"]);
        assert_eq!(words(&of(&pending(NoticeKind::Budget), NOON)), ["tomorrow:7"]);
    }

    #[test]
    fn a_wait_beyond_the_day_gives_up() {
        let long = Outcome::RetryAfter(Duration::days(2));
        assert_eq!(settled(long, 1, NOON, NOON + Duration::DAY), Settled::GivenUp(Failure::Status));
        let never = Outcome::RetryAfter(Duration::MAX);
        assert_eq!(settled(never, 1, NOON, NOON + Duration::DAY), Settled::GivenUp(Failure::Status));
        assert_eq!(settled(Outcome::Gone, 1, NOON, NOON), Settled::Gone);
        let at_once = Outcome::RetryAfter(Duration::ZERO);
        assert_eq!(
            settled(at_once, 1, NOON, NOON + Duration::DAY),
            Settled::Again(NOON + Duration::SECOND, Failure::Status)
        );
    }
}
