use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use time::macros::{date, datetime};

use finance_domain::yields::SERIES_START;

use super::*;

/// A clock that changes only when a test sets it. It counts how often it is asked for the instant: each caller asks once under
/// the lock of its series, before it makes a request or begins to wait for one.
struct FakeClock(Mutex<(Date, OffsetDateTime)>, AtomicUsize);

impl FakeClock {
    fn pass(&self, minutes: i64) {
        self.0.lock().unwrap().1 += time::Duration::minutes(minutes);
    }

    fn wake_on(&self, today: Date) {
        self.0.lock().unwrap().0 = today;
    }

    /// Waits until the number of callers has arrived. All but the one whose request is in flight wait, or hold the lock until
    /// they do.
    fn wait_for_callers(&self, count: usize) {
        while self.1.load(Ordering::SeqCst) < count {
            thread::yield_now();
        }
    }
}

impl Clock for FakeClock {
    fn today(&self) -> Date {
        self.0.lock().unwrap().0
    }

    fn now(&self) -> OffsetDateTime {
        self.1.fetch_add(1, Ordering::SeqCst);
        self.0.lock().unwrap().1
    }
}

/// Publishes 0.05 % for every day. Fails for the CDI if `failing` is set. Records its requests, and panics if two are
/// concurrent.
#[derive(Default)]
struct FakeSource {
    requests: Mutex<Vec<(Date, Date)>>,
    failing: Mutex<bool>,
    untrusted: Option<Date>,
    /// Runs during each request, which is in flight until it returns.
    meanwhile: Option<Box<dyn Fn() + Send + Sync>>,
    present: AtomicUsize,
}

impl RateSource for FakeSource {
    fn published(&self, series: Series, first: Date, last: Date) -> Result<PublishedRates> {
        assert_eq!(self.present.fetch_add(1, Ordering::SeqCst), 0, "two requests at once");
        self.requests.lock().unwrap().push((first, last));
        if let Some(meanwhile) = &self.meanwhile {
            meanwhile();
        }
        self.present.fetch_sub(1, Ordering::SeqCst);
        if *self.failing.lock().unwrap() && series == Series::Cdi {
            return Err(unavailable("the fake fails"));
        }
        let mut rates = PublishedRates::new(first, last);
        let mut day = first;
        while day <= last {
            rates.publish(day, "0.05".parse().unwrap());
            day = day.next_day().unwrap();
        }
        if let Some(untrusted) = self.untrusted {
            rates.distrust(untrusted);
        }
        Ok(rates)
    }
}

const TODAY: Date = date!(2025 - 03 - 10);
const YESTERDAY: Date = date!(2025 - 03 - 09);

fn cached(source: FakeSource) -> (Arc<FakeClock>, CachedRates<FakeSource>) {
    let clock = fake_clock();
    (clock.clone(), CachedRates::new(source, clock))
}

fn fake_clock() -> Arc<FakeClock> {
    Arc::new(FakeClock(Mutex::new((TODAY, datetime!(2025-03-10 12:00 UTC))), AtomicUsize::new(0)))
}

/// A cache whose source answers its first request when the given number of callers has arrived. They wait for as long as that
/// takes.
fn cached_for_callers(count: usize) -> (Arc<FakeClock>, CachedRates<FakeSource>) {
    let clock = fake_clock();
    let watched = clock.clone();
    let meanwhile = move || watched.wait_for_callers(count);
    let source = FakeSource { meanwhile: Some(Box::new(meanwhile)), ..FakeSource::default() };
    let mut rates = CachedRates::new(source, clock.clone());
    (rates.wait_max, rates.ask_within) = (HANG_MAX, HANG_MAX);
    (clock, rates)
}

/// A time limit that only turns a hang into a failure.
const HANG_MAX: Duration = Duration::from_secs(120);

/// Keeps requests in flight until a test opens it.
#[derive(Clone, Default)]
struct Gate(Arc<(Mutex<bool>, Condvar)>);

impl Gate {
    fn open(&self) {
        *self.0.0.lock().unwrap() = true;
        self.0.1.notify_all();
    }

    /// A source whose requests are in flight until the gate is open.
    fn source(&self) -> FakeSource {
        let gate = self.clone();
        let meanwhile = move || {
            let (is_open, opened) = &*gate.0;
            drop(opened.wait_while(is_open.lock().unwrap(), |is_open| !*is_open).unwrap());
        };
        FakeSource { meanwhile: Some(Box::new(meanwhile)), ..FakeSource::default() }
    }
}

/// Opens the gate at the end, also if the test fails, so that no thread waits.
struct Opened<'a>(&'a Gate);

impl Drop for Opened<'_> {
    fn drop(&mut self) {
        self.0.open();
    }
}

impl CachedRates<FakeSource> {
    fn requests(&self) -> Vec<(Date, Date)> {
        self.source.requests.lock().unwrap().clone()
    }

    fn fail(&self, failing: bool) {
        *self.source.failing.lock().unwrap() = failing;
    }
}

#[track_caller]
fn assert_unavailable(answer: Result<PublishedRates>) {
    assert!(matches!(answer, Err(Error::Unavailable(_))), "{answer:?}");
}

#[test]
fn dates_inside_a_fetched_window_are_not_asked_again() {
    let (_, rates) = cached(FakeSource::default());
    let first = date!(2025 - 01 - 01);
    let answer = rates.published(Series::Cdi, first, YESTERDAY).unwrap();
    assert_eq!((answer.first(), answer.last(), answer.len()), (first, YESTERDAY, 68));
    let inside = rates.published(Series::Cdi, date!(2025 - 02 - 01), date!(2025 - 02 - 10)).unwrap();
    assert_eq!((inside.first(), inside.last(), inside.len()), (date!(2025 - 02 - 01), date!(2025 - 02 - 10), 10));
    assert_eq!(rates.published(Series::Cdi, first, YESTERDAY).unwrap(), answer);
    assert_eq!(rates.requests(), [(first, YESTERDAY)]);
}

#[test]
fn each_series_is_cached_and_blocked_by_itself() {
    let (_, rates) = cached(FakeSource::default());
    let first = date!(2025 - 01 - 01);
    rates.fail(true);
    assert_unavailable(rates.published(Series::Cdi, first, YESTERDAY));
    for _ in 0..2 {
        assert_eq!(rates.published(Series::Savings, first, YESTERDAY).unwrap().len(), 68);
        assert_unavailable(rates.published(Series::Cdi, first, YESTERDAY));
    }
    let figures = rates.figures();
    assert_eq!((figures.calls, figures.failures, figures.is_blocked), (2, 1, true));
    assert_eq!(rates.requests(), [(first, YESTERDAY), (first, YESTERDAY)]);
}

#[test]
fn only_missing_dates_are_asked_for_and_enough_of_them_to_hold_a_rate() {
    let (_, rates) = cached(FakeSource::default());
    let first = date!(2025 - 02 - 01);
    rates.published(Series::Cdi, first, YESTERDAY).unwrap();
    let earlier = rates.published(Series::Cdi, date!(2025 - 01 - 31), YESTERDAY).unwrap();
    assert_eq!((earlier.first(), earlier.len()), (date!(2025 - 01 - 31), 38));
    let far = rates.published(Series::Cdi, date!(2023 - 06 - 15), date!(2023 - 06 - 20)).unwrap();
    assert_eq!((far.first(), far.last(), far.len()), (date!(2023 - 06 - 15), date!(2023 - 06 - 20), 6));
    let expected = [
        (first, YESTERDAY),
        (date!(2025 - 01 - 01), date!(2025 - 01 - 31)),
        (date!(2023 - 06 - 15), date!(2024 - 12 - 31)),
    ];
    assert_eq!(rates.requests(), expected);
}

#[test]
fn a_window_that_ends_early_is_asked_up_to_yesterday() {
    let (_, rates) = cached(FakeSource::default());
    rates.published(Series::Cdi, date!(2025 - 01 - 01), date!(2025 - 01 - 05)).unwrap();
    rates.published(Series::Cdi, date!(2025 - 01 - 01), YESTERDAY).unwrap();
    assert_eq!(rates.requests(), [(date!(2025 - 01 - 01), YESTERDAY)]);
}

#[test]
fn nothing_is_asked_before_the_series_that_nobody_wants() {
    let (clock, rates) = cached(FakeSource::default());
    clock.wake_on(date!(1994 - 07 - 10));
    rates.published(Series::Cdi, date!(1994 - 07 - 06), date!(1994 - 07 - 09)).unwrap();
    assert_eq!(rates.requests(), [(SERIES_START, date!(1994 - 07 - 09))]);
}

#[test]
fn today_and_later_are_never_asked_for() {
    let (_, rates) = cached(FakeSource::default());
    let answer = rates.published(Series::Cdi, date!(2025 - 01 - 01), date!(2025 - 12 - 31)).unwrap();
    assert_eq!((answer.first(), answer.last()), (date!(2025 - 01 - 01), YESTERDAY));
    assert!(rates.published(Series::Cdi, TODAY, TODAY).unwrap().is_empty());
    assert_eq!(rates.requests(), [(date!(2025 - 01 - 01), YESTERDAY)]);
}

#[test]
fn everything_is_asked_again_when_the_day_has_ended() {
    let (clock, rates) = cached(FakeSource::default());
    let first = date!(2025 - 01 - 01);
    rates.published(Series::Cdi, first, YESTERDAY).unwrap();
    clock.pass(24 * 60 * 400);
    rates.published(Series::Cdi, first, YESTERDAY).unwrap();
    assert_eq!(rates.requests().len(), 1, "a frozen day does not end");
    clock.wake_on(date!(2025 - 03 - 11));
    rates.published(Series::Cdi, first, TODAY).unwrap();
    assert_eq!(rates.requests(), [(first, YESTERDAY), (first, TODAY)]);
}

#[test]
fn a_failure_blocks_retries_for_fifteen_minutes() {
    let (clock, rates) = cached(FakeSource::default());
    rates.fail(true);
    let first = date!(2025 - 01 - 01);
    assert_unavailable(rates.published(Series::Cdi, first, YESTERDAY));
    for _ in 0..3 {
        assert_unavailable(rates.published(Series::Cdi, first, YESTERDAY));
        clock.pass(5);
        assert_eq!(rates.requests().len(), 1);
    }
    assert_unavailable(rates.published(Series::Cdi, first, YESTERDAY));
    assert_eq!(rates.requests().len(), 2, "the block is over, and begins anew");
    rates.fail(false);
    assert_unavailable(rates.published(Series::Cdi, first, YESTERDAY));
    clock.pass(15);
    assert!(rates.published(Series::Cdi, first, YESTERDAY).is_ok());
    assert_eq!(rates.requests().len(), 3);
}

#[test]
fn a_new_day_does_not_lift_a_block() {
    let (clock, rates) = cached(FakeSource::default());
    rates.fail(true);
    assert_unavailable(rates.published(Series::Cdi, date!(2025 - 01 - 01), YESTERDAY));
    clock.wake_on(date!(2025 - 03 - 11));
    clock.pass(14);
    assert_unavailable(rates.published(Series::Cdi, date!(2025 - 01 - 01), TODAY));
    assert_eq!(rates.requests().len(), 1);
}

#[test]
fn what_is_known_is_told_during_a_block() {
    let (_, rates) = cached(FakeSource::default());
    let known = rates.published(Series::Cdi, date!(2025 - 02 - 01), YESTERDAY).unwrap();
    rates.fail(true);
    assert_unavailable(rates.published(Series::Cdi, date!(2025 - 01 - 01), YESTERDAY));
    assert_eq!(rates.published(Series::Cdi, date!(2025 - 02 - 01), YESTERDAY).unwrap(), known);
    assert_eq!(rates.requests().len(), 2);
}

#[test]
fn a_value_that_cannot_be_believed_stays_so_for_those_who_ask_for_it() {
    let (_, rates) = cached(FakeSource { untrusted: Some(date!(2025 - 01 - 15)), ..FakeSource::default() });
    let untrusted_from = |first| rates.published(Series::Cdi, first, YESTERDAY).unwrap().untrusted_from();
    assert_eq!(untrusted_from(date!(2025 - 01 - 01)), Some(date!(2025 - 01 - 15)));
    assert_eq!(untrusted_from(date!(2025 - 01 - 15)), Some(date!(2025 - 01 - 15)));
    assert_eq!(untrusted_from(date!(2025 - 01 - 16)), None);
    assert_eq!(rates.requests().len(), 1);
}

#[test]
fn a_hundred_callers_at_once_make_one_request() {
    let (_, rates) = cached_for_callers(100);
    thread::scope(|scope| {
        for _ in 0..100 {
            scope.spawn(|| {
                assert_eq!(rates.published(Series::Cdi, date!(2025 - 01 - 01), YESTERDAY).unwrap().len(), 68);
            });
        }
    });
    assert_eq!(rates.requests().len(), 1);
}

#[test]
fn a_hundred_callers_at_once_hear_of_one_failure() {
    let (_, rates) = cached_for_callers(100);
    rates.fail(true);
    thread::scope(|scope| {
        for _ in 0..100 {
            scope.spawn(|| {
                assert_unavailable(rates.published(Series::Cdi, date!(2025 - 01 - 01), YESTERDAY));
            });
        }
    });
    assert_eq!(rates.requests().len(), 1);
}

#[test]
fn a_hundred_callers_with_windows_of_their_own_make_few_requests_one_at_a_time() {
    let (_, rates) = cached_for_callers(100);
    let rates = &rates;
    thread::scope(|scope| {
        for years in 0..100 {
            scope.spawn(move || {
                let first = date!(2024 - 12 - 31).replace_year(2024 - years % 20).unwrap();
                assert_eq!(rates.published(Series::Cdi, first, YESTERDAY).unwrap().first(), first);
            });
        }
    });
    // All callers that waited for the first request share the second.
    assert!(rates.requests().len() <= 2, "{:?}", rates.requests());
}

#[test]
fn who_waits_too_long_is_told_unavailable_and_asks_nobody() {
    let gate = Gate::default();
    let (_, mut rates) = cached(gate.source());
    (rates.wait_max, rates.ask_within) = (Duration::from_millis(100), HANG_MAX);
    let rates = &rates;
    thread::scope(|scope| {
        let opened = Opened(&gate);
        let first = scope.spawn(|| rates.published(Series::Cdi, date!(2025 - 01 - 01), YESTERDAY));
        while rates.requests().is_empty() {
            thread::yield_now();
        }
        assert_unavailable(rates.published(Series::Cdi, date!(2025 - 01 - 01), YESTERDAY));
        assert!(!first.is_finished());
        drop(opened);
        assert!(first.join().unwrap().is_ok());
    });
    assert!(rates.published(Series::Cdi, date!(2025 - 01 - 01), YESTERDAY).is_ok());
    assert_eq!(rates.requests().len(), 1);
}

#[test]
fn who_has_waited_for_another_request_in_vain_does_not_begin_a_second_wait() {
    let gate = Gate::default();
    let (clock, mut rates) = cached(gate.source());
    (rates.wait_max, rates.ask_within) = (HANG_MAX, Duration::from_millis(300));
    let rates = &rates;
    thread::scope(|scope| {
        let opened = Opened(&gate);
        let first = scope.spawn(|| rates.published(Series::Cdi, date!(2025 - 01 - 01), YESTERDAY));
        while rates.requests().is_empty() {
            thread::yield_now();
        }
        let second = scope.spawn(|| rates.published(Series::Cdi, date!(2020 - 01 - 01), YESTERDAY));
        clock.wait_for_callers(2);
        let arrived = Instant::now();
        while arrived.elapsed() <= rates.ask_within {
            thread::yield_now();
        }
        drop(opened);
        assert!(first.join().unwrap().is_ok());
        assert_unavailable(second.join().unwrap());
    });
    assert_eq!(rates.requests().len(), 1);
    assert!(
        rates.published(Series::Cdi, date!(2020 - 01 - 01), YESTERDAY).is_ok(),
        "nothing failed, nothing is blocked"
    );
}

#[test]
fn no_caller_waits_for_five_seconds_by_default() {
    let (_, rates) = cached(FakeSource::default());
    let call_max = Duration::from_millis(crate::client::CALL_MILLIS_MAX);
    // A caller waits for another one's request, or asks itself after a short wait at most.
    assert!(rates.wait_max.max(rates.ask_within + call_max) < Duration::from_secs(5));
    assert!(rates.wait_max > call_max, "who waits learns of a failure");
}

#[test]
fn who_knows_enough_does_not_wait_for_a_request_in_flight() {
    let gate = Gate::default();
    let (_, mut rates) = cached(FakeSource::default());
    rates.published(Series::Cdi, date!(2025 - 01 - 01), YESTERDAY).unwrap();
    rates.source.meanwhile = gate.source().meanwhile;
    let rates = &rates;
    thread::scope(|scope| {
        let opened = Opened(&gate);
        let slow = scope.spawn(|| rates.published(Series::Cdi, date!(2020 - 01 - 01), YESTERDAY));
        while rates.requests().len() < 2 {
            thread::yield_now();
        }
        assert!(rates.published(Series::Cdi, date!(2025 - 01 - 01), YESTERDAY).is_ok());
        assert!(!slow.is_finished());
        drop(opened);
        assert!(slow.join().unwrap().is_ok());
    });
}

#[test]
fn a_day_that_ends_during_a_request_still_gets_its_answer() {
    let gate = Gate::default();
    let (clock, rates) = cached(gate.source());
    let rates = &rates;
    thread::scope(|scope| {
        let opened = Opened(&gate);
        let slow = scope.spawn(|| rates.published(Series::Cdi, date!(2025 - 01 - 01), YESTERDAY));
        while rates.requests().is_empty() {
            thread::yield_now();
        }
        clock.wake_on(date!(2025 - 03 - 11));
        drop(opened);
        assert_eq!(slow.join().unwrap().unwrap().last(), YESTERDAY);
    });
    assert_eq!(rates.published(Series::Cdi, date!(2025 - 01 - 01), TODAY).unwrap().last(), TODAY);
    assert_eq!(rates.requests().len(), 2);
}

#[test]
fn a_source_that_panics_does_not_keep_others_waiting() {
    struct Panicking;
    impl RateSource for Panicking {
        fn published(&self, _: Series, _: Date, _: Date) -> Result<PublishedRates> {
            panic!("on purpose");
        }
    }
    let rates = CachedRates::new(Panicking, fake_clock());
    for _ in 0..2 {
        let call = || rates.published(Series::Cdi, date!(2025 - 01 - 01), YESTERDAY);
        assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(call)).is_err());
        assert!(!rates.slot(Series::Cdi).unwrap().lock().in_flight);
    }
}
