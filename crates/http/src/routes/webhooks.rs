//! `/api/webhooks`: addresses that receive events, and the deliveries to them.

use actix_web::http::StatusCode;
use actix_web::http::header::LOCATION;
use actix_web::web::{Json, Path};
use actix_web::{HttpResponse, delete, get, post};
use finance_domain::use_cases::webhooks;
use finance_domain::webhooks::{Delivery, DeliveryState, EventType, Failure, Webhook, WebhookInput};
use finance_domain::{DeliveryId, FieldErrors, Repo, WebhookId};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::extract::authenticated::Authenticated;
use crate::extract::body::Body;
use crate::extract::idempotency::{Idempotent, answered};
use crate::extract::json::Field;
use crate::problem::Reply;
use crate::secrets::SecretKind;
use crate::service::Shared;
use crate::views::{InstantView, no_content};
use crate::words::WordView;

pub(crate) type EventTypeView = WordView<EventType>;
pub(crate) type DeliveryStateView = WordView<DeliveryState>;
pub(crate) type FailureView = WordView<Failure>;

/// A webhook to make.
#[derive(Deserialize, ToSchema)]
pub(crate) struct WebhookBody {
    /// An `http` or `https` address on the internet, without a user or a fragment.
    #[schema(value_type = String, max_length = 2000, example = "https://hooks.example/finance")]
    url: Field<String>,
    /// At least one.
    #[schema(value_type = Vec<EventTypeView>, min_items = 1)]
    events: Field<Vec<Field<EventType>>>,
}

impl WebhookBody {
    fn into_input(self) -> WebhookInput {
        let mut errors = FieldErrors::default();
        let url = self.url.take("url", &mut errors);
        let events = self.events.take("events", &mut errors).map(|events| {
            let each = events.into_iter().enumerate();
            each.map(|(at, event)| {
                let field = format!("events[{at}]");
                let event = event.take(&field, &mut errors);
                errors.require(&field, event)
            })
            .collect()
        });
        WebhookInput { url, events, errors }
    }
}

/// A webhook, without its secret.
#[derive(Serialize, ToSchema)]
#[schema(as = Webhook)]
pub(crate) struct WebhookView {
    id: i64,
    #[schema(example = "https://hooks.example/finance")]
    url: String,
    events: Vec<EventTypeView>,
    /// The `member_id` of the member who made it. It is removed with this member.
    created_by: i64,
    created_at: InstantView,
}

impl From<Webhook> for WebhookView {
    fn from(webhook: Webhook) -> Self {
        WebhookView {
            id: webhook.id.0,
            url: webhook.url,
            events: webhook.events.into_iter().map(EventTypeView::from).collect(),
            created_by: webhook.created_by.0,
            created_at: InstantView(webhook.created_at),
        }
    }
}

/// A new webhook, with its secret.
#[derive(Serialize, ToSchema)]
#[schema(as = NewWebhook)]
pub(crate) struct NewWebhookView {
    #[serde(flatten)]
    webhook: WebhookView,
    /// The key of the signatures. It is shown only once.
    #[schema(example = "whs_q3dF0n0yM1mJ8Jb0JmXo3s1rVQw7eXk2x0kJk2m3a4Y")]
    secret: String,
}

/// An event that was sent to a webhook, or is to be sent.
#[derive(Serialize, ToSchema)]
#[schema(as = WebhookDelivery)]
pub(crate) struct DeliveryView {
    id: i64,
    /// The `id` in the sent body: the same for every webhook and every attempt.
    #[schema(example = "0b6f3c1e-4f0a-4b1e-9d3a-8a2f7c5d6e01")]
    event_id: String,
    #[serde(rename = "type")]
    event_type: EventTypeView,
    created_at: InstantView,
    state: DeliveryStateView,
    /// How many times it was sent.
    attempts: u32,
    /// When it is sent next; null if it is not pending.
    next_attempt_at: Option<InstantView>,
    /// The status of the last answer; null if there was none.
    response_status: Option<u16>,
    /// Why the last attempt failed; null if it did not.
    error: Option<FailureView>,
}

impl From<Delivery> for DeliveryView {
    fn from(delivery: Delivery) -> Self {
        DeliveryView {
            id: delivery.id.0,
            event_id: delivery.event_id,
            event_type: delivery.event_type.into(),
            created_at: InstantView(delivery.created_at),
            state: delivery.state.into(),
            attempts: delivery.attempts,
            next_attempt_at: delivery.next_attempt_at.map(InstantView),
            response_status: delivery.response_status,
            error: delivery.failure.map(FailureView::from),
        }
    }
}

/// The webhooks, in the order in which they were made.
#[utoipa::path(tag = "webhooks", responses((status = 200, body = [WebhookView])))]
#[get("/api/webhooks")]
pub(crate) async fn list(service: Shared, user: Authenticated) -> Reply<Json<Vec<WebhookView>>> {
    let listed = service.read(user.caller, webhooks::list).await?;
    Ok(Json(listed.into_iter().map(WebhookView::from).collect()))
}

/// Makes a webhook. Each event is sent to it as a POST of `{id, type, created_at, data}`, signed with the secret, until it
/// answers with a success status: at least once, for up to a day. A profile has at most 10 webhooks. A webhook is removed with the
/// member who made it, and nothing is sent to it while that member is disabled or a viewer.
#[utoipa::path(tag = "webhooks", request_body = WebhookBody,
    responses((status = 201, body = NewWebhookView), (status = 409, description = "`ErrLimitReached`")))]
#[post("/api/webhooks")]
pub(crate) async fn create(service: Shared, user: Authenticated, body: Body<WebhookBody>) -> Reply {
    let (input, allows_private) = (body.value.into_input(), service.webhooks_private);
    let (secret, _) = SecretKind::Webhook.draw()?;
    let key = secret.clone();
    let create = move |repo: &mut dyn Repo| webhooks::create(repo, input, allows_private, &key);
    let webhook = WebhookView::from(service.write(user.caller, create).await?);
    let location = format!("/api/webhooks/{}", webhook.id);
    Ok(HttpResponse::Created().insert_header((LOCATION, location)).json(NewWebhookView { webhook, secret }))
}

/// Removes a webhook. Its pending deliveries are not sent.
#[utoipa::path(tag = "webhooks", responses((status = 204)))]
#[delete("/api/webhooks/{id}")]
pub(crate) async fn delete(service: Shared, user: Authenticated, id: Path<i64>) -> Reply {
    let id = WebhookId(*id);
    service.write(user.caller, move |repo| webhooks::delete(repo, id)).await?;
    Ok(no_content())
}

/// The newest 200 deliveries of a webhook, the newest first. They are kept for a month.
#[utoipa::path(tag = "webhooks", responses((status = 200, body = [DeliveryView])))]
#[get("/api/webhooks/{id}/deliveries")]
pub(crate) async fn deliveries(service: Shared, user: Authenticated, id: Path<i64>) -> Reply<Json<Vec<DeliveryView>>> {
    let id = WebhookId(*id);
    let listed = service.read(user.caller, move |repo| webhooks::deliveries(repo, id)).await?;
    Ok(Json(listed.into_iter().map(DeliveryView::from).collect()))
}

/// Sends a delivery again as soon as possible, whether or not it was accepted. The answer is the delivery, which is pending.
#[utoipa::path(tag = "webhooks", responses((status = 200, body = DeliveryView)))]
#[post("/api/webhooks/{id}/deliveries/{delivery_id}/send")]
pub(crate) async fn send_again(service: Shared, Idempotent { post, .. }: Idempotent, ids: Path<(i64, i64)>) -> Reply {
    let (webhook, delivery) = (WebhookId(ids.0), DeliveryId(ids.1));
    let again = move |repo: &mut dyn Repo| webhooks::send_again(repo, webhook, delivery);
    post.write(&service, again, |delivery| answered(StatusCode::OK, DeliveryView::from(delivery))).await
}
