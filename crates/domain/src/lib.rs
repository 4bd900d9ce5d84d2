//! The rules of a personal finance service, and the ports through which other crates store and serve
//! the data.
//!
//! The crate does no I/O. It knows neither SQL nor JSON, reads no clock and writes no log. A program
//! can use it in two ways:
//!
//! - **The rules alone**, as pure functions: whether a statement row is already stored
//!   ([`imports::judge`]), which bill a purchase is on ([`credit_bills::Cycles`]), what an investment
//!   earned ([`yields::accrue`]), whether a recurring item was paid ([`recurring::match_recurring`]).
//! - **The whole service**: the program implements the ports, which are a [`Store`] that provides a
//!   [`Repo`], a [`Clock`] and a [`RateSource`](yields::RateSource). Every function of [`use_cases`]
//!   then works with them.
//!
//! # Where to find things
//!
//! | layer | modules | imports |
//! |---|---|---|
//! | values | [`money`], [`month`], [`text`], [`ids`], [`words`](mod@words), [`error`], [`clock`] | nothing above |
//! | nouns: types, pure rules, the port of the noun | [`accounts`], [`transactions`], [`imports`], … | values and other nouns, without cycles |
//! | store | [`store`], [`context`], [`step`] | values, nouns |
//! | use cases: one function each, named by its verb | [`use_cases`] | everything |
//!
//! A test checks this order. The noun `transactions` has its types and port in [`transactions`] and its
//! use cases in [`use_cases::transactions`].
//!
//! # Money
//!
//! [`Money`] is an integer of cents. It is read from text, compared and summed exactly, and rounded in
//! one function, [`Money::round`].
//!
//! ```
//! use finance_domain::Money;
//!
//! let lunch: Money = "32.50".parse()?;
//! assert_eq!((lunch + lunch).to_string(), "65.00");
//! assert!("32.505".parse::<Money>().is_err(), "money has two decimals, never more");
//! # Ok::<(), finance_domain::Violation>(())
//! ```
//!
//! # A use case
//!
//! A repository always belongs to a profile: [`Store::transact`] provides one that is bound to its
//! caller, and every use case takes it. A [`Context`] holds the values that are fixed while the work
//! runs, such as the date.
//!
//! ```
//! use finance_domain::categories::{Category, CategoryInput};
//! use finance_domain::{Access, Caller, Context, Result, Store, use_cases};
//!
//! fn add(store: &dyn Store, caller: &Caller, context: &Context) -> Result<Category> {
//!     let input = CategoryInput { name: Some("Mercado".into()), ..Default::default() };
//!     store.run(caller, Access::Write, |repo| use_cases::categories::create(repo, context, input))
//! }
//! ```
//!
//! A use case with several transactions returns its next [`Step`]. [`Step::finish`] runs all steps; a
//! server may run each kind of step on its own threads.
//!
//! ```
//! use finance_domain::use_cases::accounts::{self, AccountState};
//! use finance_domain::yields::RateSource;
//! use finance_domain::{Access, Caller, Context, Result, Store};
//!
//! fn list(
//!     store: &dyn Store,
//!     rates: &dyn RateSource,
//!     caller: &Caller,
//!     context: &Context,
//! ) -> Result<Vec<AccountState>> {
//!     let step = store.run(caller, Access::Read, |repo| accounts::list(repo, context))?;
//!     step.finish(store, rates, caller)
//! }
//! ```
//!
//! # Errors
//!
//! Every use case and port fails with [`Error`]. An input with several invalid fields fails once, with
//! the errors of all of them ([`FieldErrors`]).
#![deny(clippy::float_arithmetic)]

/// The examples of the README, run as tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

pub mod account_keys;
pub mod accounts;
pub mod anchors;
pub mod budgets;
pub mod business_days;
pub mod calendar;
pub mod categories;
pub mod changes;
pub mod clock;
pub mod context;
pub mod credentials;
pub mod credit_bills;
pub mod dashboard;
pub mod entries;
pub mod error;
pub mod export;
pub mod forecast;
pub mod gamification;
pub mod idempotency;
pub mod ids;
pub mod imports;
pub mod inbox;
pub mod installments;
pub mod irpf;
pub mod members;
pub mod money;
pub mod month;
pub mod net_worth;
pub mod notices;
pub mod openings;
mod pairing;
pub mod pending_bills;
pub mod profiles;
pub mod recurring;
pub mod references;
pub mod refunds;
pub mod reports;
pub mod rules;
pub mod second_factor;
pub mod sessions;
pub mod settings;
pub mod step;
pub mod store;
pub mod suggestions;
pub mod tables;
pub mod tags;
pub mod text;
pub mod tokens;
pub mod transactions;
pub mod transfers;
pub mod use_cases;
pub mod violations;
pub mod webhooks;
pub mod words;
pub mod yields;

pub use clock::Clock;
pub use context::Context;
pub use error::{CheckedFields, ConfigError, Error, FieldError, FieldErrors, Refusal, Result};
pub use ids::{
    AccountId, AchievementId, AnchorId, BillId, CategoryId, ChangeId, CosmeticId, CredentialId, DeliveryId, ImportId,
    InboxItemId, InvalidCredentialId, InvitationId, MemberId, NoticeDeliveryId, NoticeId, PendingBillId, ProfileId,
    PushDeviceId, QuestId, RecurringId, RuleId, SessionId, TokenId, TransactionId, TransferId, WebhookId, XpEventId,
};
pub use money::{Money, Percentage};
pub use month::Month;
pub use step::Step;
pub use store::{Access, Caller, Cancellation, Proof, Repo, Store, TimeLimit, TransactionOptions};
pub use violations::Violation;
pub use words::Word;
