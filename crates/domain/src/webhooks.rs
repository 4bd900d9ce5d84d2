//! Webhooks: addresses that are told of a profile's events.
//!
//! What is to be told is noted while a use case runs, and stored in its transaction. A deliverer sends it afterwards, at least
//! once: for a day, until the receiver takes it.

mod addresses;

use std::collections::HashSet;

use time::{Date, Duration, OffsetDateTime};

use crate::credit_bills::CreditBill;
use crate::error::{FieldErrors, Result};
use crate::ids::{AccountId, BillId, CategoryId, DeliveryId, ImportId, ProfileId, TransactionId, WebhookId};
use crate::money::Money;
use crate::month::Month;
use crate::transactions::Kind;
use crate::violations::Violation;
use crate::words::words;

pub use addresses::{URL_CHARS_MAX, check_url, is_public};

/// The most webhooks of one profile.
pub const WEBHOOKS_MAX: usize = 10;
/// The most deliveries of one webhook in a list, the newest first.
pub const DELIVERIES_LISTED_MAX: usize = 200;
/// How many deliveries of one webhook are kept after they ended.
pub const DELIVERIES_KEPT_MAX: usize = 1_000;
/// How many days a delivery is kept. As many as a month has, so that what is told once a month is known until it ends.
pub const DAYS_KEPT: i64 = 31;
/// How many days before its due date a bill is told of.
pub const DUE_DAYS_AHEAD: i64 = 3;
/// How many days ago a bill may have closed to be told of, where nobody looked before.
pub const CLOSED_DAYS_AGO_MAX: i64 = 7;
/// How often a profile's bills are looked at.
pub const SWEEP_MINUTES: i64 = 60;
/// How long one visit to a profile may take before another node takes over.
pub const LEASE_SECONDS: i64 = 60;
/// The wait after the first failure. Each wait is four times the one before.
const BACKOFF_SECONDS: i64 = 30;
/// The longest wait.
const BACKOFF_SECONDS_MAX: i64 = 4 * 3_600;

words! {
    /// What a webhook may be told of.
    pub enum EventType {
        /// Rows of a statement were stored, by a confirm or of a pending bill.
        ImportConfirmed = "import.confirmed",
        /// A bill has closed.
        BillClosed = "bill.closed",
        /// A bill is due within three days and not paid.
        BillDue = "bill.due",
        /// More was spent in a category this month than its budget.
        BudgetExceeded = "budget.exceeded",
        /// A transaction was entered.
        TransactionCreated = "transaction.created",
    }
}

words! {
    /// Where a delivery is.
    pub enum DeliveryState {
        /// It is to be sent, for the first time or again.
        Pending = "pending",
        /// The receiver took it.
        Delivered = "delivered",
        /// It was given up after a day.
        Failed = "failed",
    }
}

words! {
    /// Why an attempt failed.
    pub enum Failure {
        /// The name has no address.
        Unresolved = "unresolved",
        /// The name has an address of a private network.
        PrivateAddress = "private_address",
        /// There was no answer in time.
        Timeout = "timeout",
        /// No connection, or none that can be trusted.
        Connection = "connection",
        /// The answer points elsewhere, which is not followed.
        Redirect = "redirect",
        /// The status of the answer is none of success.
        Status = "status",
    }
}

/// A webhook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Webhook {
    /// Its id.
    pub id: WebhookId,
    /// Where events are sent.
    pub url: String,
    /// What it is told of.
    pub events: Vec<EventType>,
    /// The instant at which it was made.
    pub created_at: OffsetDateTime,
}

/// A webhook to store, checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewWebhook {
    /// Where events are sent.
    pub url: String,
    /// What it is told of, each once.
    pub events: Vec<EventType>,
}

/// A webhook as a client asks for it, not yet checked.
#[derive(Debug, Clone, Default)]
pub struct WebhookInput {
    /// Required, see [`check_url`].
    pub url: Option<String>,
    /// Required, at least one. An event is none where `errors` says that it is no event at all.
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
        errors.into_result()?;
        let mut seen = HashSet::new();
        let events = events.into_iter().flatten().filter(|event| seen.insert(*event)).collect();
        Ok(NewWebhook { url: url.unwrap_or_default(), events })
    }
}

/// Something to tell of. It holds ids, dates and amounts, and no text that somebody wrote: what is sent goes through other
/// hands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Notice {
    /// Rows of a statement were stored.
    ImportConfirmed {
        /// The import.
        import_id: ImportId,
        /// The account of the statement.
        account_id: Option<AccountId>,
        /// How many rows were stored.
        inserted: usize,
        /// How many were left out.
        skipped: usize,
    },
    /// A bill has closed.
    BillClosed(BillNotice),
    /// A bill is due soon.
    BillDue(BillNotice),
    /// Expenses of a category have changed. It is told if they exceed its budget when the transaction ends.
    Spent {
        /// The category.
        category_id: CategoryId,
        /// The month.
        month: Month,
    },
    /// A transaction was entered.
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

/// What is told of a bill.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BillNotice {
    /// The bill.
    pub id: BillId,
    /// Its card.
    pub account_id: AccountId,
    /// The day on which it closed.
    pub closing_date: Date,
    /// The day to pay.
    pub due_date: Date,
    /// Its total.
    pub total: Money,
    /// What is not paid of it.
    pub amount_due: Money,
}

impl From<&CreditBill> for BillNotice {
    fn from(bill: &CreditBill) -> Self {
        BillNotice {
            id: bill.id,
            account_id: bill.account_id,
            closing_date: bill.closing_date(),
            due_date: bill.due_date,
            total: bill.total,
            amount_due: bill.amount_due(),
        }
    }
}

impl Notice {
    /// What it is.
    pub fn event_type(&self) -> EventType {
        match self {
            Notice::ImportConfirmed { .. } => EventType::ImportConfirmed,
            Notice::BillClosed(_) => EventType::BillClosed,
            Notice::BillDue(_) => EventType::BillDue,
            Notice::Spent { .. } => EventType::BudgetExceeded,
            Notice::TransactionCreated { .. } => EventType::TransactionCreated,
        }
    }

    /// What it is told of once. None where each happens once by itself.
    pub fn subject(&self) -> Option<String> {
        match self {
            Notice::BillClosed(bill) | Notice::BillDue(bill) => Some(bill.id.to_string()),
            Notice::Spent { category_id, month } => Some(format!("{category_id}:{month}")),
            Notice::ImportConfirmed { .. } | Notice::TransactionCreated { .. } => None,
        }
    }

    /// The `data` of its delivery, a JSON object. None where it takes sums that the store knows.
    pub fn data(&self) -> Option<String> {
        let or_null = |id: Option<i64>| id.map_or_else(|| "null".to_string(), |id| id.to_string());
        Some(match self {
            Notice::ImportConfirmed { import_id, account_id, inserted, skipped } => {
                let account_id = or_null(account_id.map(|id| id.0));
                format!(
                    r#"{{"import_id":{import_id},"account_id":{account_id},"inserted":{inserted},"skipped":{skipped}}}"#
                )
            }
            Notice::BillClosed(bill) | Notice::BillDue(bill) => {
                let BillNotice { id, account_id, closing_date, due_date, total, amount_due } = bill;
                format!(
                    r#"{{"credit_bill_id":{id},"account_id":{account_id},"closing_date":"{closing_date}","due_date":"{due_date}","total":"{total}","amount_due":"{amount_due}"}}"#
                )
            }
            Notice::Spent { .. } => return None,
            Notice::TransactionCreated { id, kind, date, amount, account_id, category_id } => {
                let (account_id, category_id) =
                    (or_null(account_id.map(|id| id.0)), or_null(category_id.map(|id| id.0)));
                let kind = kind.as_str();
                format!(
                    r#"{{"transaction_id":{id},"type":"{kind}","date":"{date}","amount":"{amount}","account_id":{account_id},"category_id":{category_id}}}"#
                )
            }
        })
    }
}

/// What there is to tell of a bill on a day: that it has closed within a week, and that it is due within three days and not
/// paid.
pub fn bill_notices(bill: &CreditBill, today: Date) -> Vec<Notice> {
    let (mut notices, told) = (Vec::new(), BillNotice::from(bill));
    let closed_days_ago = (today - told.closing_date).whole_days();
    if (0..=CLOSED_DAYS_AGO_MAX).contains(&closed_days_ago) {
        notices.push(Notice::BillClosed(told));
    }
    let days_left = (told.due_date - today).whole_days();
    if (0..=DUE_DAYS_AHEAD).contains(&days_left) && closed_days_ago >= 0 && told.amount_due > Money::ZERO {
        notices.push(Notice::BillDue(told));
    }
    notices
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
    /// The id of the event, which every webhook gets.
    pub event_id: String,
    /// What it tells of.
    pub event_type: EventType,
    /// When that happened.
    pub created_at: OffsetDateTime,
    /// Where it is.
    pub state: DeliveryState,
    /// How often it was sent.
    pub attempts: u32,
    /// When it is sent next, where it is pending.
    pub next_attempt_at: Option<OffsetDateTime>,
    /// The status of the last answer, if there was one.
    pub response_status: Option<u16>,
    /// Why the last attempt failed, if it did.
    pub failure: Option<Failure>,
}

/// A delivery that a deliverer has taken, to send it.
#[derive(Clone, PartialEq, Eq)]
pub struct Outgoing {
    /// Its id.
    pub id: DeliveryId,
    /// Where to send it.
    pub url: String,
    /// What signs it.
    pub secret: String,
    /// The id of the event.
    pub event_id: String,
    /// What it tells of.
    pub event_type: EventType,
    /// When that happened.
    pub created_at: OffsetDateTime,
    /// What is told, a JSON object.
    pub data: String,
    /// Which attempt it is, from 1. A later one is another deliverer's.
    pub attempt: u32,
    /// When it is given up.
    pub expires_at: OffsetDateTime,
}

/// What became of an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Attempt {
    /// The status of the answer, if there was one.
    pub status: Option<u16>,
    /// Why it failed, if it did.
    pub failure: Option<Failure>,
}

/// Sends deliveries.
pub trait WebhookSender: Send + Sync {
    /// Sends one, signed with the instant. Takes less time than [`LEASE_SECONDS`].
    fn send(&self, outgoing: &Outgoing, now: OffsetDateTime) -> Attempt;
}

/// The port of webhooks. Every method may fail as [`Store::transact`](crate::Store::transact) does.
#[allow(clippy::missing_errors_doc)]
pub trait WebhookRepo {
    /// All webhooks, in the order in which they were made.
    fn webhook_list(&mut self) -> Result<Vec<Webhook>>;
    /// Stores a webhook with its secret.
    fn webhook_insert(&mut self, new: &NewWebhook, secret: &str) -> Result<Webhook>;
    /// Removes a webhook with its deliveries. Returns whether there was one.
    fn webhook_delete(&mut self, id: WebhookId) -> Result<bool>;
    /// The newest deliveries of a webhook, the newest first.
    fn delivery_list(&mut self, id: WebhookId, limit: usize) -> Result<Vec<Delivery>>;
    /// Makes a delivery pending, to be sent at once and for another day. None where the webhook has none of that id.
    fn delivery_send_again(&mut self, webhook_id: WebhookId, id: DeliveryId) -> Result<Option<Delivery>>;
    /// Notes what is to be told to the webhooks that want it. It is stored when the transaction commits, in the round trip
    /// that commits: a profile without webhooks pays nothing for it.
    fn notice(&mut self, notice: Notice);
    /// The bills that [`bill_notices`] may have something to tell of.
    fn bills_to_tell(&mut self, today: Date) -> Result<Vec<CreditBill>>;
    /// Takes the delivery that is due first. Until `until` nobody else takes it.
    fn delivery_take(&mut self, now: OffsetDateTime, until: OffsetDateTime) -> Result<Option<Outgoing>>;
    /// Stores what became of an attempt, unless somebody has taken the delivery since. It is pending where `retry_at` says when
    /// it is sent again.
    fn delivery_settle(&mut self, sent: &Outgoing, attempt: Attempt, retry_at: Option<OffsetDateTime>) -> Result<()>;
    /// Forgets deliveries that ended, and are older than [`DAYS_KEPT`] or beyond the newest [`DELIVERIES_KEPT_MAX`].
    fn deliveries_forget(&mut self, now: OffsetDateTime) -> Result<()>;
}

/// A turn at the webhooks of one profile. One node has it at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Turn {
    /// The profile.
    pub profile_id: ProfileId,
    /// When it is over, whether it was ended or not.
    pub until: OffsetDateTime,
}
