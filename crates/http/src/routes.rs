//! The routes, a file for each noun of the domain: handlers, bodies and views.

pub(crate) mod accounts;
pub(crate) mod appearance;
pub(crate) mod auth;
pub(crate) mod calendar;
pub(crate) mod categories;
pub(crate) mod credit_bills;
pub(crate) mod dashboard;
pub mod export;
pub(crate) mod forecast;
pub(crate) mod gamification;
pub(crate) mod health;
pub(crate) mod imports;
pub(crate) mod installments;
pub(crate) mod mcp;
pub(crate) mod members;
pub(crate) mod net_worth;
pub(crate) mod pending_bills;
pub(crate) mod recurring;
pub(crate) mod reports;
pub(crate) mod rules;
pub(crate) mod second_factor;
pub(crate) mod settings;
pub(crate) mod tags;
pub(crate) mod tokens;
pub(crate) mod transactions;
pub(crate) mod transfers;
