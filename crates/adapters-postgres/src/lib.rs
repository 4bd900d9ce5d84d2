//! The PostgreSQL store: repositories and migrations. The only crate that knows the tables.
//!
//! [`PgStore`] implements [`finance_domain::Store`]. Each noun of the domain has a file of the same name here with its
//! queries. They are methods of one repository, which is bound to one profile and one transaction. The database also
//! isolates profiles by itself: by composite foreign keys that start with `profile_id`, and by row-level security on every
//! owned table.

mod account_keys;
mod accounts;
mod anchors;
mod bill_payments;
mod budgets;
mod cards;
mod categories;
mod changes;
mod connect;
mod connection;
mod constraints;
mod counts;
mod credit_bills;
mod dashboard;
mod distributed;
mod export;
mod forecast;
mod gamification;
mod idempotency;
mod imports;
mod inbox;
mod installments;
mod irpf;
mod login_failures;
mod members;
mod migrations;
mod net_worth;
mod notice_outbox;
mod notices;
mod numeric;
mod options;
mod outbox;
mod pending_bills;
mod pool;
mod profiles;
mod proof;
mod readiness;
mod recorder;
mod recurring;
mod references;
mod replica;
mod replica_reads;
mod repo;
mod reports;
pub mod restored;
mod row;
mod rules;
mod schema;
mod second_factor;
mod sessions;
mod settings;
mod shortage;
mod sql;
mod store;
mod suggestions;
mod sums;
mod tags;
mod tokens;
mod transactions;
mod transfers;
mod watchdog;
mod webhooks;
mod words;
mod yields;

pub use connect::{OpenError, wait_until_reachable};
pub use export::derived_columns;
pub use options::{StoreOptions, TimeLimits};
pub use replica::ReplicaFigures;
pub use store::PgStore;
