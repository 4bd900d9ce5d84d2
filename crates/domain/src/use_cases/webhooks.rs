//! Use cases of webhooks: managing them, and recording their events.

use time::Date;

use crate::error::{Error, Refusal, Result};
use crate::ids::{DeliveryId, WebhookId};
use crate::store::Repo;
use crate::use_cases::upkeep;
use crate::webhooks::{DELIVERIES_LISTED_MAX, Delivery, EventType, WEBHOOKS_MAX, Webhook, WebhookInput, bill_events};

/// The webhooks, in the order of creation.
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

/// Records the events of bills, if a webhook wants them. The store ensures that each is recorded once.
pub(crate) fn tell_of_bills(repo: &mut dyn Repo, today: Date) -> Result<()> {
    let wants = |webhook: &Webhook| {
        webhook.events.contains(&EventType::BillClosed) || webhook.events.contains(&EventType::BillDue)
    };
    if !repo.webhook_list()?.iter().any(wants) {
        return Ok(());
    }
    upkeep::run(repo, today)?;
    for bill in repo.bills_to_tell(today)? {
        for event in bill_events(&bill, today) {
            repo.webhook_event(event);
        }
    }
    Ok(())
}
