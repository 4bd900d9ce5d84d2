//! Use cases that take more than one transaction.

use crate::error::Result;
use crate::store::{Access, Caller, Repo, Store};
use crate::yields::{RateSource, RateWindow, Rates};

/// Work for one transaction that writes.
pub type WriteWork<T> = Box<dyn FnOnce(&mut dyn Repo) -> Result<T> + Send>;

/// Work with a password. It is slow on purpose and runs outside any transaction.
pub type PasswordWork<T> = Box<dyn FnOnce(&dyn Store) -> Result<Step<T>> + Send>;

/// Takes the published rates. Series that are not available now are missing.
pub type RatesWork<T> = Box<dyn FnOnce(Rates) -> Step<T> + Send>;

/// What a use case does after the transaction it began in.
///
/// Such a use case reads in its first transaction and returns its next step. Each kind of step waits
/// for a different resource: the database, the network or the processor. A server can therefore run
/// each kind on its own threads, and no transaction is open while a step waits for the network.
/// [`Step::finish`] runs all steps on the current thread.
pub enum Step<T> {
    /// Nothing: this is the result.
    Done(T),
    /// A second transaction, which writes and returns the next step.
    Write(WriteWork<Step<T>>),
    /// Requests published rates.
    Rates {
        /// The windows to request, each series once. They may be requested concurrently.
        windows: Vec<RateWindow>,
        /// Returns the next step, given the rates.
        next: RatesWork<T>,
    },
    /// Compares or hashes a password, which is slow on purpose, and counts attempts in the store.
    Password(PasswordWork<T>),
    /// The result, and an award to store. The result holds even if the award cannot be stored.
    Award {
        /// The result.
        result: T,
        /// Stores the award.
        award: WriteWork<()>,
    },
}

impl<T> Step<T> {
    /// A second transaction, which writes and returns the result.
    pub fn write(work: impl FnOnce(&mut dyn Repo) -> Result<T> + Send + 'static) -> Self {
        Step::Write(Box::new(move |repo| work(repo).map(Step::Done)))
    }

    /// The same steps, with `make` applied to the result once it is available.
    ///
    /// # Errors
    ///
    /// The error of `make`, if the result is already available.
    pub fn map<V>(self, make: impl FnOnce(T) -> Result<V> + Send + 'static) -> Result<Step<V>>
    where
        T: 'static,
        V: 'static,
    {
        Ok(match self {
            Step::Done(result) => Step::Done(make(result)?),
            Step::Write(work) => Step::Write(Box::new(move |repo| work(repo)?.map(make))),
            Step::Rates { windows, next } => {
                let next = move |rates: Rates| match next(rates).map(make) {
                    Ok(step) => step,
                    Err(error) => Step::write(move |_| Err(error)),
                };
                Step::Rates { windows, next: Box::new(next) }
            }
            Step::Password(work) => Step::Password(Box::new(move |store| work(store)?.map(make))),
            Step::Award { result, award } => Step::Award { result: make(result)?, award },
        })
    }

    /// Runs the remaining steps one after another on this thread.
    ///
    /// # Errors
    ///
    /// The errors of the steps, including a failed award, and those of [`Store::transact`].
    pub fn finish(self, store: &dyn Store, rates: &dyn RateSource, caller: &Caller) -> Result<T> {
        let mut step = self;
        loop {
            step = match step {
                Step::Done(result) => return Ok(result),
                Step::Write(work) => store.run(caller, Access::Write, work)?,
                Step::Rates { windows, next } => {
                    let answers = windows.into_iter().filter_map(|RateWindow { series, first, last }| {
                        Some((series, rates.published(series, first, last).ok()?))
                    });
                    next(answers.collect())
                }
                Step::Password(work) => work(store)?,
                Step::Award { result, award } => return store.run(caller, Access::Write, award).map(|()| result),
            };
        }
    }
}
