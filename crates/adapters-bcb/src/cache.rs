//! A cache of a rate source: each date is asked for once a day, for any number of callers.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use finance_domain::month::day_before;
use finance_domain::yields::{PublishedRates, RateSource, Series};
use finance_domain::{Clock, Error, Result};
use time::{Date, OffsetDateTime};

/// The number of minutes after a failure during which the source is not asked.
pub const RETRY_BLOCK_MINUTES: i64 = 15;
/// The most milliseconds that a caller waits for another caller's request. It is a little longer than a request may take, so
/// that the waiting caller also learns of a failure.
const WAIT_MILLIS_MAX: u64 = 4_500;
/// A caller that has waited longer than this for another caller's request, in milliseconds, makes no request itself: the wait
/// and the request together would take too long.
const ASK_WITHIN_MILLIS: u64 = 500;

/// Caches rates by date until the clock's day ends.
///
/// Each series is cached, asked for and blocked independently. The cached dates of a series are a contiguous range that ends
/// with the clock's yesterday. So only earlier dates can be missing, and one request asks for them. At most one request for a
/// series is in flight: other callers are answered from the cache or wait for that request. After a failure the source is not
/// asked for the series for [`RETRY_BLOCK_MINUTES`] of [`Clock::now`]; cached rates are still returned.
///
/// The day ends when [`Clock::today`] changes. Rates for today or later are never returned: a window that includes such dates
/// is answered up to yesterday.
pub struct CachedRates<S> {
    source: S,
    clock: Arc<dyn Clock>,
    slots: [Slot; Series::ALL.len()],
    wait_max: Duration,
    ask_within: Duration,
}

/// The cache of one series.
struct Slot {
    series: Series,
    state: Mutex<State>,
    landed: Condvar,
}

impl Slot {
    fn new(series: Series) -> Self {
        Slot { series, state: Mutex::default(), landed: Condvar::new() }
    }

    /// Locks the state. A poisoned lock is accepted, because the state is valid between any two changes.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[derive(Default)]
struct State {
    /// The clock's day that `known` belongs to. It does not change while a request is in flight.
    day: Option<Date>,
    /// The rates received on that day. They end with the day before it.
    known: Option<PublishedRates>,
    /// Whether a request is in flight.
    in_flight: bool,
    /// The first date that any waiting caller needs. The next request starts there, so that it serves all of them.
    wanted_from: Option<Date>,
    /// The instant of the last failure. None once a request succeeds.
    failed_at: Option<OffsetDateTime>,
    calls: u64,
    failures: u64,
}

/// Counts of the requests to the rate provider since the start of the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RateFigures {
    /// Requests made.
    pub calls: u64,
    /// Requests that failed or got an invalid answer.
    pub failures: u64,
    /// Whether at least one series is blocked now because of a recent failure.
    pub is_blocked: bool,
}

impl<S: RateSource> CachedRates<S> {
    /// An empty cache.
    pub fn new(source: S, clock: Arc<dyn Clock>) -> Self {
        CachedRates {
            source,
            clock,
            slots: Series::ALL.map(Slot::new),
            wait_max: Duration::from_millis(WAIT_MILLIS_MAX),
            ask_within: Duration::from_millis(ASK_WITHIN_MILLIS),
        }
    }

    /// The counts over all series. Makes no request.
    pub fn figures(&self) -> RateFigures {
        let now = self.clock.now();
        let none = RateFigures { calls: 0, failures: 0, is_blocked: false };
        self.slots.iter().fold(none, |sum, slot| {
            let state = slot.lock();
            RateFigures {
                calls: sum.calls + state.calls,
                failures: sum.failures + state.failures,
                is_blocked: sum.is_blocked || state.is_blocked(now),
            }
        })
    }

    fn slot(&self, series: Series) -> Option<&Slot> {
        self.slots.iter().find(|slot| slot.series == series)
    }

    /// Asks the source for a range of dates. The lock is not held during the request.
    fn ask(&self, slot: &Slot, first: Date, last: Date) -> Result<()> {
        // Marks the request as ended even if the source panics. Otherwise every caller would wait for it.
        let _flight = Flight(slot);
        let answer = self.source.published(slot.series, first, last).and_then(|rates| {
            if rates.first() == first && rates.last() == last {
                Ok(rates)
            } else {
                Err(Error::Unavailable("the rate source answered for other dates than it was asked for".into()))
            }
        });
        let mut state = slot.lock();
        state.calls += 1;
        match answer {
            Ok(rates) => {
                state.failed_at = None;
                match &mut state.known {
                    Some(known) => known.join(rates),
                    None => state.known = Some(rates),
                }
                Ok(())
            }
            Err(error) => {
                state.failures += 1;
                state.failed_at = Some(self.clock.now());
                let code = slot.series.code();
                log::warn!(
                    "the rate provider failed for series {code}, next attempt in {RETRY_BLOCK_MINUTES} minutes: {error}"
                );
                Err(error)
            }
        }
    }
}

impl<S: RateSource> RateSource for CachedRates<S> {
    fn published(&self, series: Series, first: Date, last: Date) -> Result<PublishedRates> {
        let arrived = Instant::now();
        let slot = self.slot(series).ok_or_else(|| unavailable("the series is not kept"))?;
        let mut state = slot.lock();
        loop {
            let today = self.clock.today();
            let yesterday = day_before(today);
            if state.day != Some(today) && !state.in_flight {
                (state.day, state.known) = (Some(today), None);
            }
            if first > yesterday {
                return Ok(PublishedRates::new(first, last.min(yesterday)));
            }
            if state.day == Some(today) && state.knows(first) {
                return state.part(first, last.min(yesterday));
            }
            if state.is_blocked(self.clock.now()) {
                return Err(unavailable("the rate provider failed a short while ago and is not asked yet"));
            }
            let waited = arrived.elapsed();
            if state.in_flight {
                let time_left = self.wait_max.saturating_sub(waited);
                if time_left.is_zero() {
                    return Err(unavailable("another request to the rate provider takes too long"));
                }
                state.want(first);
                (state, _) = slot.landed.wait_timeout(state, time_left).unwrap_or_else(PoisonError::into_inner);
                continue;
            }
            if waited > self.ask_within {
                return Err(unavailable("another request to the rate provider took too long"));
            }
            state.want(first);
            let (first_missing, last_missing) = state.missing(series, yesterday);
            state.in_flight = true;
            drop(state);
            self.ask(slot, first_missing, last_missing)?;
            state = slot.lock();
            // This caller gets the answer even if the clock's day has ended during the request.
            if state.knows(first) {
                return state.part(first, last.min(yesterday));
            }
        }
    }
}

impl State {
    fn knows(&self, first: Date) -> bool {
        self.known.as_ref().is_some_and(|known| known.first() <= first)
    }

    fn part(&self, first: Date, last: Date) -> Result<PublishedRates> {
        let known = self.known.as_ref();
        known.map(|known| known.part(first, last)).ok_or_else(|| unavailable("nothing is known yet"))
    }

    fn want(&mut self, first: Date) {
        self.wanted_from = Some(self.wanted_from.map_or(first, |wanted| wanted.min(first)));
    }

    /// The range of dates to ask for next: the missing dates, and enough earlier dates that at least one date has a rate. The
    /// provider fails if no date of a request has a rate.
    fn missing(&mut self, series: Series, yesterday: Date) -> (Date, Date) {
        let last = self.known.as_ref().map_or(yesterday, |known| day_before(known.first()));
        let wanted = self.wanted_from.take().map_or(last, |wanted| wanted.min(last));
        let enough = last.saturating_sub(time::Duration::days(series.look_back_days())).max(series.start());
        (wanted.min(enough), last)
    }

    fn is_blocked(&self, now: OffsetDateTime) -> bool {
        let block = time::Duration::minutes(RETRY_BLOCK_MINUTES);
        // If the clock was set back to before the failure, the source is asked again.
        self.failed_at.is_some_and(|failed_at| (time::Duration::ZERO..block).contains(&(now - failed_at)))
    }
}

/// A request in flight. Dropping it ends it.
struct Flight<'a>(&'a Slot);

impl Drop for Flight<'_> {
    fn drop(&mut self) {
        self.0.lock().in_flight = false;
        self.0.landed.notify_all();
    }
}

fn unavailable(why: &'static str) -> Error {
    Error::Unavailable(why.into())
}

#[cfg(test)]
mod tests;
