//! The rules of a personal finance service, and the ports that let others store and serve them.
//!
//! Four concepts, and only four:
//!
//! - a **rule** is a pure function: [`money`], [`dashboard::savings_pct`], [`imports::judge`];
//! - a **port** is a trait an adapter implements: [`Store`], [`Repo`], [`Clock`];
//! - a **use case** is a free function named by its verb: [`use_cases::categories::create`];
//! - an **adapter** lives in another crate.
//!
//! No repository can be had without a profile: [`Store::transact`] hands one out that is bound to
//! its caller, and every use case takes it. This crate does no I/O and knows neither SQL nor JSON.
//!
//! ```
//! use finance_domain::Money;
//!
//! let lunch: Money = "32.50".parse()?;
//! assert_eq!((lunch + lunch).to_string(), "65.00");
//! assert!("32.505".parse::<Money>().is_err(), "money has two decimals, never more");
//! # Ok::<(), finance_domain::money::ParseError>(())
//! ```
#![deny(clippy::float_arithmetic)]

pub mod accounts;
pub mod categories;
pub mod clock;
pub mod context;
pub mod credit_bills;
pub mod dashboard;
pub mod error;
pub mod export;
pub mod gamification;
pub mod idempotency;
pub mod ids;
pub mod imports;
pub mod money;
pub mod month;
pub mod pending_bills;
pub mod profiles;
pub mod recurring;
pub mod settings;
pub mod step;
pub mod store;
pub mod text;
pub mod transactions;
pub mod transfers;
pub mod use_cases;
pub mod words;
pub mod yields;

pub use clock::Clock;
pub use context::Context;
pub use error::{Error, FieldError, FieldErrors, Refusal, Result};
pub use ids::{
    AccountId, AchievementId, BillId, CategoryId, CosmeticId, CredentialId, ImportId, InvalidCredentialId,
    PendingBillId, ProfileId, QuestId, RecurringId, TransactionId, TransferId, XpEventId,
};
pub use money::{Money, Percentage};
pub use month::Month;
pub use step::Step;
pub use store::{Access, Caller, Cancellation, Repo, Store, TimeLimit, TransactionOptions};
pub use words::Word;
