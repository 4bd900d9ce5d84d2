//! Use cases of webhooks: managing them, recording their events, and delivering.

use time::{Date, Duration, OffsetDateTime};

use crate::error::{Error, Refusal, Result};
use crate::ids::{DeliveryId, ProfileId, WebhookId};
use crate::store::{Outbox, Repo};
use crate::use_cases::bill_refresh;
use crate::webhooks::{
    Attempt, DELIVERIES_LISTED_MAX, Delivery, EventType, Failure, LEASE_SECONDS, Outgoing, Turn, WEBHOOKS_MAX, Webhook,
    WebhookInput, WebhookSender, backoff, bill_events, is_served,
};

/// The webhooks, in the order of creation.
///
/// # Errors
///
/// As [`Store::transact`](crate::Store::transact).
pub fn list(repo: &mut dyn Repo) -> Result<Vec<Webhook>> {
    repo.webhook_list()
}

/// Creates a webhook with its secret.
///
/// # Errors
///
/// [`Error::Invalid`] or [`Refusal::LimitReached`].
pub fn create(repo: &mut dyn Repo, input: WebhookInput, allows_private: bool, secret: &str) -> Result<Webhook> {
    let new = input.check(allows_private)?;
    // Writers of one profile wait for each other, so the count holds until the insert.
    if repo.webhook_list()?.len() >= WEBHOOKS_MAX {
        return Err(Refusal::LimitReached { what: "webhooks", max: WEBHOOKS_MAX }.into());
    }
    repo.webhook_insert(&new, secret)
}

/// Removes a webhook. Deliveries that were not sent yet are not sent.
///
/// # Errors
///
/// [`Error::NotFound`].
pub fn delete(repo: &mut dyn Repo, id: WebhookId) -> Result<()> {
    if repo.webhook_delete(id)? { Ok(()) } else { Err(Error::NotFound("webhook")) }
}

/// The newest deliveries of a webhook, newest first.
///
/// # Errors
///
/// [`Error::NotFound`].
pub fn deliveries(repo: &mut dyn Repo, id: WebhookId) -> Result<Vec<Delivery>> {
    find(repo, id)?;
    repo.delivery_list(id, DELIVERIES_LISTED_MAX)
}

/// Sends a delivery again as soon as a worker reaches it. If it fails, it is retried for another day.
///
/// # Errors
///
/// [`Error::NotFound`].
pub fn send_again(repo: &mut dyn Repo, webhook_id: WebhookId, id: DeliveryId) -> Result<Delivery> {
    find(repo, webhook_id)?;
    repo.delivery_send_again(webhook_id, id)?.ok_or(Error::NotFound("delivery"))
}

fn find(repo: &mut dyn Repo, id: WebhookId) -> Result<Webhook> {
    repo.webhook_list()?.into_iter().find(|webhook| webhook.id == id).ok_or(Error::NotFound("webhook"))
}

/// Takes a profile's turn: checks its bills, and sends the delivery that is due first. Returns whether something was sent. The
/// profile's next turn is stored either way. No transaction is open during the sending. A delivery to a webhook whose maker may not
/// make one any more fails and is not sent.
///
/// A process that is killed meanwhile loses the turn: the delivery is sent again when its lease has expired.
///
/// # Errors
///
/// As [`Store::transact`](crate::Store::transact).
pub fn take_turn(
    outbox: &dyn Outbox,
    sender: &dyn WebhookSender,
    profile_id: ProfileId,
    today: Date,
    clock: &dyn Fn() -> OffsetDateTime,
) -> Result<bool> {
    let now = clock();
    let turn = Turn { profile_id, until: now + Duration::seconds(LEASE_SECONDS) };
    let mut taken: Option<(Outgoing, bool)> = None;
    let is_ours = outbox.turn_begin(&turn, now, &mut |repo| {
        tell_of_bills(repo, today)?;
        let Some(outgoing) = repo.delivery_take(now, turn.until)? else { return repo.deliveries_forget(now) };
        let is_served = is_served(outgoing.created_by, &repo.member_list()?);
        taken = Some((outgoing, is_served));
        Ok(())
    })?;
    if !is_ours {
        return Ok(false);
    }
    let sent = taken.map(|(outgoing, is_served)| {
        let attempt = match is_served {
            true => sender.send(&outgoing, clock()),
            false => Attempt { status: None, failure: Some(Failure::Stopped) },
        };
        (outgoing, attempt)
    });
    let now = clock();
    outbox.turn_end(&turn, now, &mut |repo| match &sent {
        None => Ok(()),
        Some((outgoing, attempt)) => {
            let next = now + backoff(outgoing.attempt);
            let is_retried = attempt.failure.is_some_and(|failure| failure != Failure::Stopped);
            let retry_at = (is_retried && next <= outgoing.expires_at).then_some(next);
            repo.delivery_settle(outgoing, *attempt, retry_at)
        }
    })?;
    Ok(sent.is_some())
}

/// Records the events of bills, if a webhook wants them. The store ensures that each is recorded once.
fn tell_of_bills(repo: &mut dyn Repo, today: Date) -> Result<()> {
    let wants = |webhook: &Webhook| {
        webhook.events.contains(&EventType::BillClosed) || webhook.events.contains(&EventType::BillDue)
    };
    if !repo.webhook_list()?.iter().any(wants) {
        return Ok(());
    }
    // No client waits for this, so the bills are refreshed here; only if needed, because that writes.
    if !bill_refresh::is_settled(repo, today)? {
        bill_refresh::refresh(repo, today)?;
    }
    for bill in repo.bills_to_tell(today)? {
        for event in bill_events(&bill, today) {
            repo.webhook_event(event);
        }
    }
    Ok(())
}
