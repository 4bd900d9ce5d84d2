//! Use cases that take more than one transaction.

use crate::error::Result;
use crate::store::{Access, Caller, Repo, Store};
use crate::yields::{RateSource, RateWindow, Rates};

/// Work for one transaction that writes.
pub type WriteWork<T> = Box<dyn FnOnce(&mut dyn Repo) -> Result<T> + Send>;

/// Work with a password, which takes long on purpose and is done outside any transaction.
pub type PasswordWork<T> = Box<dyn FnOnce(&dyn Store) -> Result<Step<T>> + Send>;

/// Takes published rates, but for series that cannot be had now.
pub type RatesWork<T> = Box<dyn FnOnce(Rates) -> Step<T> + Send>;

/// What a use case does after the transaction it began in.
///
/// Such a use case reads in its first transaction and returns its next step. Each kind of step waits
/// for something else: the database, the network or the processor. So a server can run each
/// step on the threads that are for it, and no transaction is open while the network is waited for.
/// [`Step::finish`] runs all of them on the present thread.
pub enum Step<T> {
    /// Nothing: this is the result.
    Done(T),
    /// A second transaction, which writes and has the result.
    Write(WriteWork<T>),
    /// Asks for published rates.
    Rates {
        /// What to ask for, each series once. They may be asked for at the same time.
        windows: Vec<RateWindow>,
        /// Returns the next step, given the rates.
        next: RatesWork<T>,
    },
    /// Compares or hashes a password, which takes long on purpose, and counts attempts in the store.
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
    /// A second transaction, which writes and has the result.
    pub fn write(work: impl FnOnce(&mut dyn Repo) -> Result<T> + Send + 'static) -> Self {
        Step::Write(Box::new(work))
    }

    /// The same steps, with something else made of the result, where the result is.
    ///
    /// # Errors
    ///
    /// What `make` returns, where the result is there already.
    pub fn map<V>(self, make: impl FnOnce(T) -> Result<V> + Send + 'static) -> Result<Step<V>>
    where
        T: 'static,
        V: 'static,
    {
        Ok(match self {
            Step::Done(result) => Step::Done(make(result)?),
            Step::Write(work) => Step::write(move |repo| work(repo).and_then(make)),
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
    /// What the steps return, a failed award included, and as [`Store::transact`].
    pub fn finish(self, store: &dyn Store, rates: &dyn RateSource, caller: &Caller) -> Result<T> {
        let mut step = self;
        loop {
            step = match step {
                Step::Done(result) => return Ok(result),
                Step::Write(work) => return store.run(caller, Access::Write, work),
                Step::Rates { windows, next } => {
                    let asked = windows.into_iter().filter_map(|RateWindow { series, first, last }| {
                        Some((series, rates.published(series, first, last).ok()?))
                    });
                    next(asked.collect())
                }
                Step::Password(work) => work(store)?,
                Step::Award { result, award } => return store.run(caller, Access::Write, award).map(|()| result),
            };
        }
    }
}
