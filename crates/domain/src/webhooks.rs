//! Webhooks: addresses to which a profile's events are sent.
//!
//! A use case records its events while it runs, and they are stored in its transaction. A deliverer sends them afterwards, at
//! least once. It retries for a day, until the receiver accepts them.

mod addresses;

use std::collections::HashSet;

use time::{Date, Duration, OffsetDateTime};

use crate::credentials::Need;
use crate::credit_bills::CreditBill;
use crate::error::{FieldErrors, Result};
use crate::ids::{AccountId, BillId, CategoryId, DeliveryId, ImportId, MemberId, ProfileId, TransactionId, WebhookId};
use crate::members::Member;
use crate::money::Money;
use crate::month::Month;
use crate::transactions::Kind;
use crate::violations::Violation;
use crate::words::words;

pub use addresses::{URL_CHARS_MAX, check_url, is_public};

/// The most webhooks of one profile.
pub const WEBHOOKS_MAX: usize = 10;
/// The maximum number of deliveries of one webhook in a list, newest first.
pub const DELIVERIES_LISTED_MAX: usize = 200;
/// How many finished deliveries of one webhook are kept.
pub const DELIVERIES_KEPT_MAX: usize = 1_000;
/// How many deliveries of one webhook may wait to be sent. Beyond these the oldest ones are dropped.
pub const DELIVERIES_PENDING_MAX: usize = 100_000;
/// In one of so many turns that send a delivery, what need not be kept is deleted too. Otherwise in the turns without one.
pub const TURNS_BETWEEN_FORGETTING: i64 = 100;
/// How many days a delivery is kept: as long as a month, so that an event that is sent once a month is known until the month
/// ends.
pub const DAYS_KEPT: i64 = 31;
/// How many days before its due date [`EventType::BillDue`] is sent for a bill.
pub const DUE_DAYS_AHEAD: i64 = 3;
/// The most days after a bill's closing date on which [`EventType::BillClosed`] is still sent, if the bill was not checked
/// before.
pub const CLOSED_DAYS_AGO_MAX: i64 = 7;
/// The interval at which a profile's bills are checked.
pub const SWEEP_MINUTES: i64 = 60;
/// How long one node's turn at a profile may last before another node may take over.
pub const LEASE_SECONDS: i64 = 60;
/// The wait after the first failure. Each later wait is four times as long as the one before.
const BACKOFF_SECONDS: i64 = 30;
/// The longest wait.
const BACKOFF_SECONDS_MAX: i64 = 4 * 3_600;

words! {
    /// The types of events that a webhook can receive.
    pub enum EventType {
        /// Rows of a statement were stored: an import or a pending bill was confirmed.
        ImportConfirmed = "import.confirmed",
        /// A bill has closed.
        BillClosed = "bill.closed",
        /// A bill is due within three days and is not paid.
        BillDue = "bill.due",
        /// The month's spending in a category exceeds its budget.
        BudgetExceeded = "budget.exceeded",
        /// A client created a transaction.
        TransactionCreated = "transaction.created",
    }
}

words! {
    /// The state of a delivery.
    pub enum DeliveryState {
        /// It will be sent, for the first time or again.
        Pending = "pending",
        /// The receiver accepted it.
        Delivered = "delivered",
        /// The deliverer gave up after a day.
        Failed = "failed",
    }
}

words! {
    /// Why an attempt failed.
    pub enum Failure {
        /// The host name does not resolve, or it resolves to an address of a private network. The word is the same, so that a
        /// webhook does not tell which names the service's own network has.
        Unresolved = "unresolved",
        /// No response arrived in time.
        Timeout = "timeout",
        /// The connection failed or is not trusted.
        Connection = "connection",
        /// The response is a redirect. Redirects are not followed.
        Redirect = "redirect",
        /// The status of the response is not a success.
        Status = "status",
        /// It was not sent: the member who made the webhook is disabled, or may not make one any more.
        Stopped = "stopped",
    }
}

/// A webhook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Webhook {
    /// Its id.
    pub id: WebhookId,
    /// Where events are sent.
    pub url: String,
    /// The types of the events that it receives.
    pub events: Vec<EventType>,
    /// The member who made it.
    pub created_by: MemberId,
    /// The instant at which it was created.
    pub created_at: OffsetDateTime,
}

/// Whether the webhooks of a member are sent events: while the member may make one. They go when the member is removed.
pub fn is_served(maker: MemberId, members: &[Member]) -> bool {
    members.iter().any(|member| member.id == maker && member.may(Need::Webhooks))
}

/// A webhook to store, checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewWebhook {
    /// Where events are sent.
    pub url: String,
    /// The types of the events that it receives, each once.
    pub events: Vec<EventType>,
}

/// A webhook as a client sends it, not yet checked.
#[derive(Debug, Clone, Default)]
pub struct WebhookInput {
    /// Required, see [`check_url`].
    pub url: Option<String>,
    /// Required, at least one. An event is None if it could not be read; `errors` says so already.
    pub events: Option<Vec<Option<EventType>>>,
    /// Fields that could not be read. They are reported together with those that break a rule.
    pub errors: FieldErrors,
}

impl WebhookInput {
    /// Applies the rules.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`](crate::Error::Invalid) with every broken rule.
    pub fn check(self, allows_private: bool) -> Result<NewWebhook> {
        let mut errors = self.errors;
        let url = errors.require("url", self.url).and_then(|url| errors.check("url", check_url(&url, allows_private)));
        let events = errors.require("events", self.events).unwrap_or_default();
        if events.is_empty() {
            errors.push("events", Violation::Empty);
        }
        let (url,) = errors.all((url,))?;
        let mut seen = HashSet::new();
        let events = events.into_iter().flatten().filter(|event| seen.insert(*event)).collect();
        Ok(NewWebhook { url, events })
    }
}

/// An event to send. It holds ids, dates and amounts, and no text that a user wrote, because what is sent passes through third
/// parties.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    /// Rows of a statement were stored.
    ImportConfirmed {
        /// The import.
        import_id: ImportId,
        /// The account of the statement.
        account_id: Option<AccountId>,
        /// How many rows were stored.
        inserted: usize,
        /// How many rows were skipped.
        skipped: usize,
    },
    /// A bill has closed.
    BillClosed(BillEvent),
    /// A bill is due soon.
    BillDue(BillEvent),
    /// More was spent in a category than its budget and what is carried into the month.
    BudgetExceeded {
        /// The category.
        category_id: CategoryId,
        /// The month.
        month: Month,
        /// The budget with what is carried into the month.
        budget: Money,
        /// What was spent, less refunds.
        spent: Money,
    },
    /// A client created a transaction.
    TransactionCreated {
        /// The transaction.
        id: TransactionId,
        /// Whether it is an income or an expense.
        kind: Kind,
        /// Its date.
        date: Date,
        /// Its amount.
        amount: Money,
        /// Its account.
        account_id: Option<AccountId>,
        /// Its category.
        category_id: Option<CategoryId>,
    },
}

/// The data of an event about a bill.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BillEvent {
    /// The bill.
    pub id: BillId,
    /// Its card.
    pub account_id: AccountId,
    /// The day on which it closed.
    pub closing_date: Date,
    /// The day on which it is due.
    pub due_date: Date,
    /// Its total.
    pub total: Money,
    /// The part of it that is not paid.
    pub amount_due: Money,
}

impl From<&CreditBill> for BillEvent {
    fn from(bill: &CreditBill) -> Self {
        BillEvent {
            id: bill.id,
            account_id: bill.account_id,
            closing_date: bill.closing_date(),
            due_date: bill.due_date,
            total: bill.total(),
            amount_due: bill.amount_due(),
        }
    }
}

impl Event {
    /// The type of the event.
    pub fn event_type(&self) -> EventType {
        match self {
            Event::ImportConfirmed { .. } => EventType::ImportConfirmed,
            Event::BillClosed(_) => EventType::BillClosed,
            Event::BillDue(_) => EventType::BillDue,
            Event::BudgetExceeded { .. } => EventType::BudgetExceeded,
            Event::TransactionCreated { .. } => EventType::TransactionCreated,
        }
    }

    /// The event is sent once for each subject. None if every occurrence is sent.
    pub fn subject(&self) -> Option<String> {
        match self {
            Event::BillClosed(bill) | Event::BillDue(bill) => Some(bill.id.to_string()),
            Event::BudgetExceeded { category_id, month, .. } => Some(format!("{category_id}:{month}")),
            Event::ImportConfirmed { .. } | Event::TransactionCreated { .. } => None,
        }
    }

    /// The `data` of its delivery, a JSON object.
    pub fn data(&self) -> String {
        let or_null = |id: Option<i64>| id.map_or_else(|| "null".to_string(), |id| id.to_string());
        match self {
            Event::ImportConfirmed { import_id, account_id, inserted, skipped } => {
                let account_id = or_null(account_id.map(|id| id.0));
                format!(
                    r#"{{"import_id":{import_id},"account_id":{account_id},"inserted":{inserted},"skipped":{skipped}}}"#
                )
            }
            Event::BillClosed(bill) | Event::BillDue(bill) => {
                let BillEvent { id, account_id, closing_date, due_date, total, amount_due } = bill;
                format!(
                    r#"{{"credit_bill_id":{id},"account_id":{account_id},"closing_date":"{closing_date}","due_date":"{due_date}","total":"{total}","amount_due":"{amount_due}"}}"#
                )
            }
            Event::BudgetExceeded { category_id, month, budget, spent } => {
                format!(r#"{{"category_id":{category_id},"month":"{month}","budget":"{budget}","spent":"{spent}"}}"#)
            }
            Event::TransactionCreated { id, kind, date, amount, account_id, category_id } => {
                let (account_id, category_id) =
                    (or_null(account_id.map(|id| id.0)), or_null(category_id.map(|id| id.0)));
                let kind = kind.as_str();
                format!(
                    r#"{{"transaction_id":{id},"type":"{kind}","date":"{date}","amount":"{amount}","account_id":{account_id},"category_id":{category_id}}}"#
                )
            }
        }
    }
}

/// The events of a bill on a day: it closed within the last week, and it is due within three days and not paid.
pub fn bill_events(bill: &CreditBill, today: Date) -> Vec<Event> {
    let (mut events, event) = (Vec::new(), BillEvent::from(bill));
    let closed_days_ago = (today - event.closing_date).whole_days();
    if (0..=CLOSED_DAYS_AGO_MAX).contains(&closed_days_ago) {
        events.push(Event::BillClosed(event));
    }
    let days_left = (event.due_date - today).whole_days();
    if (0..=DUE_DAYS_AHEAD).contains(&days_left) && closed_days_ago >= 0 && event.amount_due > Money::ZERO {
        events.push(Event::BillDue(event));
    }
    events
}

/// The wait after a number of failed attempts.
///
/// ```
/// use finance_domain::webhooks::backoff;
///
/// let minutes: Vec<i64> = (1..7).map(|attempts| backoff(attempts).whole_minutes()).collect();
/// assert_eq!(minutes, [0, 2, 8, 32, 128, 240]);
/// ```
pub fn backoff(attempts: u32) -> Duration {
    let times = 4_i64.saturating_pow(attempts.saturating_sub(1));
    Duration::seconds(BACKOFF_SECONDS.saturating_mul(times).min(BACKOFF_SECONDS_MAX))
}

/// A delivery, as it is listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delivery {
    /// Its id.
    pub id: DeliveryId,
    /// The id of the event. It is the same for every webhook.
    pub event_id: String,
    /// The type of the event.
    pub event_type: EventType,
    /// The instant of the event.
    pub created_at: OffsetDateTime,
    /// Its state.
    pub state: DeliveryState,
    /// How often it was sent.
    pub attempts: u32,
    /// When it is sent next, if it is pending.
    pub next_attempt_at: Option<OffsetDateTime>,
    /// The HTTP status of the last response, if there was one.
    pub response_status: Option<u16>,
    /// Why the last attempt failed, if it did.
    pub failure: Option<Failure>,
}

/// A delivery that a deliverer has taken in order to send it.
#[derive(Clone, PartialEq, Eq)]
pub struct Outgoing {
    /// Its id.
    pub id: DeliveryId,
    /// Where to send it.
    pub url: String,
    /// The secret with which it is signed.
    pub secret: String,
    /// The member who made the webhook.
    pub created_by: MemberId,
    /// The id of the event.
    pub event_id: String,
    /// The type of the event.
    pub event_type: EventType,
    /// The instant of the event.
    pub created_at: OffsetDateTime,
    /// The data of the event, a JSON object.
    pub data: String,
    /// The number of the attempt, from 1. If the stored number is higher, another deliverer has taken the delivery.
    pub attempt: u32,
    /// The instant after which it is no longer retried.
    pub expires_at: OffsetDateTime,
}

/// The result of an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Attempt {
    /// The HTTP status of the response, if there was one.
    pub status: Option<u16>,
    /// Why it failed, if it did.
    pub failure: Option<Failure>,
}

/// Sends deliveries.
pub trait WebhookSender: Send + Sync {
    /// Sends a delivery. The signature includes `now`. Takes less time than [`LEASE_SECONDS`].
    fn send(&self, outgoing: &Outgoing, now: OffsetDateTime) -> Attempt;
}

/// The port of webhooks. Every method may fail as [`Store::transact`](crate::Store::transact) does.
pub trait WebhookRepo {
    /// All webhooks, in the order in which they were created.
    fn webhook_list(&mut self) -> Result<Vec<Webhook>>;
    /// Stores a webhook with its secret. Its maker is the member for whom the transaction runs.
    fn webhook_insert(&mut self, new: &NewWebhook, secret: &str) -> Result<Webhook>;
    /// Removes a webhook and its deliveries. Returns whether it existed.
    fn webhook_delete(&mut self, id: WebhookId) -> Result<bool>;
    /// The newest deliveries of a webhook, newest first.
    fn delivery_list(&mut self, id: WebhookId, limit: usize) -> Result<Vec<Delivery>>;
    /// Makes a delivery pending again: it is sent at once, and retried for another day. None if the webhook has no delivery of
    /// that id.
    fn delivery_send_again(&mut self, webhook_id: WebhookId, id: DeliveryId) -> Result<Option<Delivery>>;
    /// Records an event for the webhooks that receive its type. It is stored when the transaction commits, in the same round
    /// trip, so it costs nothing for a profile without webhooks.
    fn webhook_event(&mut self, event: Event);
    /// Whether a webhook receives events of this type. Costs nothing if the profile is known to have no webhook.
    fn is_told(&mut self, event_type: EventType) -> Result<bool>;
    /// The bills for which [`bill_events`] may return events.
    fn bills_to_tell(&mut self, today: Date) -> Result<Vec<CreditBill>>;
    /// Takes the delivery that is due first. No other deliverer takes it before `until`.
    fn delivery_take(&mut self, now: OffsetDateTime, until: OffsetDateTime) -> Result<Option<Outgoing>>;
    /// Stores the result of an attempt, unless another deliverer has taken the delivery since. A failed delivery stays pending if
    /// `retry_at` says when it is sent again.
    fn delivery_settle(&mut self, sent: &Outgoing, attempt: Attempt, retry_at: Option<OffsetDateTime>) -> Result<()>;
    /// Deletes finished deliveries that are older than [`DAYS_KEPT`] days or beyond the newest [`DELIVERIES_KEPT_MAX`], and pending ones
    /// beyond the newest [`DELIVERIES_PENDING_MAX`].
    fn deliveries_forget(&mut self, now: OffsetDateTime) -> Result<()>;
}

/// A turn to deliver the webhooks and notices of one profile. One node has it at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Turn {
    /// The profile.
    pub profile_id: ProfileId,
    /// The day.
    pub today: Date,
    /// When it expires, even if it was not ended.
    pub until: OffsetDateTime,
}
