//! Turns at the outboxes of profiles: one node at a time looks at what is due in a profile, and sends it.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use time::{Duration, OffsetDateTime, UtcOffset};

use crate::context::Context;
use crate::error::Result;
use crate::ids::{MemberId, NoticeDeliveryId, NoticeId, ProfileId};
use crate::notices::{
    Cargo, Destination, JUDGED_A_TURN_MAX, Judgement, Message, NoticeSender, Outcome, Pending, Preferences,
    SENT_A_DAY_MAX, SENT_A_TURN_MAX, TRIED_HOURS, Texts, judge, message, settled,
};
use crate::store::{Outbox, Repo};
use crate::use_cases::notices;
use crate::use_cases::webhooks::tell_of_bills;
use crate::webhooks::{
    Attempt, Failure, LEASE_SECONDS, Outgoing, TURNS_BETWEEN_FORGETTING, Turn, WebhookSender, backoff, is_served,
};

/// No attempt at a notice begins later in a turn, so that the last one ends while the turn lasts.
const BEGUN_SECONDS_MAX: i64 = LEASE_SECONDS / 2;

/// By what a turn sends.
#[derive(Clone)]
pub struct Senders {
    /// Sends the deliveries of webhooks.
    pub webhooks: Arc<dyn WebhookSender>,
    /// Sends notices.
    pub notices: Arc<dyn NoticeSender>,
    /// The texts of notices.
    pub texts: Arc<Texts>,
    /// The offset of the time of day by which notices wait.
    pub offset: UtcOffset,
}

/// What was taken in order to send it.
#[derive(Default)]
struct Taken {
    webhook: Option<(Outgoing, bool)>,
    notices: Vec<Leased>,
}

/// A notice that was taken in order to send it.
struct Leased {
    pending: Pending,
    destination: Destination,
    message: Message,
    attempt: u32,
}

/// Takes a profile's turn: checks its bills for webhooks and looks at what its members are to be told, and sends what is due first. Returns
/// whether something was sent. The profile's next turn is stored either way. No transaction is open during the sending. A delivery
/// to a webhook whose maker may not make one any more fails and is not sent.
///
/// A process that is killed meanwhile loses the turn: the deliveries are sent again when their lease has expired, as the same message.
/// A turn that fails is not tried again earlier than that either.
pub fn take_turn(
    outbox: &dyn Outbox,
    senders: &Senders,
    profile_id: ProfileId,
    context: &Context,
    clock: &dyn Fn() -> OffsetDateTime,
) -> Result<bool> {
    let now = clock();
    let turn = Turn { profile_id, today: context.today, until: now + Duration::seconds(LEASE_SECONDS) };
    let mut taken = Taken::default();
    let begun = outbox.turn_begin(&turn, now, &mut |repo| {
        tell_of_bills(repo, context.today)?;
        let members = repo.member_list()?;
        match repo.delivery_take(now, turn.until)? {
            None => repo.deliveries_forget(now)?,
            Some(outgoing) => {
                // A receiver that is slower than the events come leaves no turn without a delivery.
                if outgoing.id.0 % TURNS_BETWEEN_FORGETTING == 0 {
                    repo.deliveries_forget(now)?;
                }
                let is_served = is_served(outgoing.created_by, &members);
                taken.webhook = Some((outgoing, is_served));
            }
        }
        let active: HashSet<MemberId> =
            members.iter().filter(|member| !member.is_disabled).map(|member| member.id).collect();
        store_due(repo, context, &active, now)?;
        taken.notices = lease(repo, senders, &turn, &active, now)?;
        Ok(())
    });
    if begun.is_err() {
        // The failure took back that the turn was taken. The profile would be due at once, before all others. If this fails too, it is
        // the first failure that counts.
        let _ = outbox.turn_begin(&turn, now, &mut |_| Ok(()));
    }
    if !begun? {
        return Ok(false);
    }
    let sent_webhook = taken.webhook.map(|(outgoing, is_served)| {
        let attempt = match is_served {
            true => senders.webhooks.send(&outgoing, clock()),
            false => Attempt { status: None, failure: Some(Failure::Stopped) },
        };
        (outgoing, attempt)
    });
    let sent_notices: Vec<(Leased, Option<Outcome>)> = taken
        .notices
        .into_iter()
        .map(|leased| {
            let begun = clock();
            let is_in_time = begun - now <= Duration::seconds(BEGUN_SECONDS_MAX);
            let outcome = is_in_time.then(|| senders.notices.send(&leased.destination, &leased.message, begun));
            (leased, outcome)
        })
        .collect();
    let now = clock();
    outbox.turn_end(&turn, now, &mut |repo| {
        if let Some((outgoing, attempt)) = &sent_webhook {
            let next = now + backoff(outgoing.attempt);
            let is_retried = attempt.failure.is_some_and(|failure| failure != Failure::Stopped);
            let retry_at = (is_retried && next <= outgoing.expires_at).then_some(next);
            repo.delivery_settle(outgoing, *attempt, retry_at)?;
        }
        for (Leased { pending, message, attempt, .. }, outcome) in &sent_notices {
            match outcome {
                Some(outcome) => {
                    let settled = settled(*outcome, *attempt, now, message.expires_at);
                    repo.notice_delivery_settle(pending, *attempt, settled)?;
                }
                None => repo.notice_give_back(pending, now)?,
            }
        }
        Ok(())
    })?;
    Ok(sent_webhook.is_some() || !sent_notices.is_empty())
}

/// Stores what has become due for the members with a device or address, if something may have since somebody looked.
fn store_due(repo: &mut dyn Repo, context: &Context, active: &HashSet<MemberId>, now: OffsetDateTime) -> Result<()> {
    let Some(is_stale) = repo.notices_are_stale(context.today)? else { return Ok(()) };
    if !is_stale {
        return Ok(());
    }
    let mut recipients = repo.notice_recipients()?;
    if recipients.is_empty() {
        return repo.notices_looked_at(None, now);
    }
    recipients.retain(|member| active.contains(member));
    for member in recipients {
        notices::catch_up(repo, context, member)?;
    }
    repo.notices_looked_at(Some(context.today), now)
}

/// Judges what is due, and takes what is sent.
fn lease(
    repo: &mut dyn Repo,
    senders: &Senders,
    turn: &Turn,
    active: &HashSet<MemberId>,
    now: OffsetDateTime,
) -> Result<Vec<Leased>> {
    let mut members: HashMap<MemberId, (Preferences, HashSet<NoticeId>)> = HashMap::new();
    let (mut leased, mut judged): (Vec<Leased>, Vec<(NoticeDeliveryId, Judgement)>) = (Vec::new(), Vec::new());
    for pending in repo.notice_pending(now, JUDGED_A_TURN_MAX)? {
        let member = pending.member_id;
        let (preferences, sent) = match members.entry(member) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(place) => {
                let sent = repo.notices_sent_on(member, turn.today)?.into_iter().collect();
                place.insert((repo.notice_preferences(member)?, sent))
            }
        };
        let notice_id = match &pending.cargo {
            Cargo::Notice(notice) => Some(notice.id),
            Cargo::Test | Cargo::Code(_) => None,
        };
        let has_room = notice_id.is_none_or(|id| sent.contains(&id) || sent.len() < SENT_A_DAY_MAX);
        let judgement = match active.contains(&member) {
            true => judge(&pending, preferences, has_room, turn.today, now, senders.offset),
            false => Judgement::LeftOut,
        };
        match (judgement, pending.destination.clone()) {
            // The next turn takes it.
            (Judgement::Send, Some(_)) if leased.len() >= SENT_A_TURN_MAX => {}
            (Judgement::Send, Some(destination)) => {
                sent.extend(notice_id);
                let expires_at = pending.expires_at.unwrap_or(now + Duration::hours(TRIED_HOURS));
                let pending = Pending { expires_at: Some(expires_at), ..pending };
                repo.notice_take(pending.id, turn.today, turn.until, expires_at)?;
                let message = message(turn.profile_id, &pending, preferences, &senders.texts, now);
                leased.push(Leased { attempt: pending.attempts + 1, pending, destination, message });
            }
            (judgement, _) => judged.push((pending.id, judgement)),
        }
    }
    if !judged.is_empty() {
        repo.notice_judged(&judged)?;
    }
    Ok(leased)
}
