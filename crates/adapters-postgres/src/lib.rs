//! The only crate that knows the tables: the store, its repositories and the migrations.
//!
//! [`PgStore`] implements [`finance_domain::Store`]. Each noun of the domain has a file of the same
//! name here with its queries, all of them methods of one repository that belongs to one profile
//! inside one transaction. The database holds the same line a second time: composite foreign keys
//! that start with `profile_id`, and row-level security on every owned table.

mod accounts;
mod categories;
mod connect;
mod constraints;
mod credit_bills;
mod dashboard;
mod export;
mod gamification;
mod idempotency;
mod imports;
mod migrations;
mod numeric;
mod pending_bills;
mod profiles;
mod readiness;
mod recurring;
mod repo;
pub mod restored;
mod schema;
mod session;
mod settings;
mod statement;
mod store;
mod sums;
mod transactions;
mod transfers;
mod watchdog;
mod words;
mod yields;

pub use connect::{OpenError, wait_until_reachable};
pub use export::derived_columns;
pub use store::{PgStore, StoreOptions, TimeLimits};
