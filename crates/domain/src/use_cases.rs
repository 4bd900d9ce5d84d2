//! The use cases: one module for each noun, one free function for each use case, named by its verb.
//!
//! A use case takes the repository of one profile in one transaction, and a
//! [`Context`](crate::Context) where the date or the catalog matters. It looks up what the rules need,
//! applies them, stores the result and stores the awards. A use case with several transactions
//! returns its next [`Step`](crate::Step).
//!
//! A function whose documentation names no errors fails only as [`Store::transact`](crate::Store::transact) does.

pub mod account_keys;
pub mod accounts;
mod allowances;
pub mod anchors;
pub mod bill_refresh;
pub mod budgets;
pub mod calendar;
pub mod categories;
pub mod changes;
pub mod credit_bills;
pub mod dashboard;
pub mod entries;
pub mod forecast;
pub mod gamification;
mod held_rows;
pub mod idempotency;
pub mod imports;
pub mod inbox;
pub mod installments;
pub mod irpf;
mod ledger;
pub mod login;
pub mod members;
pub mod net_worth;
pub mod notice_channels;
pub mod notices;
mod openings;
pub mod payees;
mod payers;
pub mod pending_bills;
mod pix_on_credit;
mod recognition;
pub mod recurring;
mod references;
pub mod reports;
pub mod rules;
pub mod second_factor;
pub mod sessions;
pub mod settings;
mod stored_rows;
mod suggestions;
pub mod tags;
pub mod tokens;
pub mod transactions;
pub mod transfer_detection;
pub mod transfer_links;
mod transfer_pairs;
pub mod transfer_suggestions;
pub mod transfers;
pub mod turns;
mod unpaired;
pub mod upkeep;
pub mod webhooks;
pub mod yields;
