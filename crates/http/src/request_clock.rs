//! The clock of requests: the date stays the same for a whole request, so that its answer, what a new day brings to the profile and
//! the tag of the answer are of one date, also when midnight passes meanwhile.

use std::cell::OnceCell;
use std::sync::Arc;

use finance_domain::Clock;
use time::{Date, OffsetDateTime};

tokio::task_local! {
    static TODAY: OnceCell<Date>;
}

/// Runs the task of a request, whose date is fixed when it is first asked for.
pub(crate) async fn scope<F: Future>(task: F) -> F::Output {
    TODAY.scope(OnceCell::new(), task).await
}

/// The service's clock, as requests read it. Outside a request it is the clock as it is.
pub(crate) struct RequestClock(pub(crate) Arc<dyn Clock>);

impl Clock for RequestClock {
    fn today(&self) -> Date {
        let today = TODAY.try_with(|today| *today.get_or_init(|| self.0.today()));
        today.unwrap_or_else(|_| self.0.today())
    }

    fn now(&self) -> OffsetDateTime {
        self.0.now()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicI32, Ordering};

    use super::*;

    /// Each look at the date finds the next one.
    struct Hurrying(AtomicI32);

    impl Clock for Hurrying {
        fn today(&self) -> Date {
            Date::from_julian_day(self.0.fetch_add(1, Ordering::Relaxed)).unwrap()
        }

        fn now(&self) -> OffsetDateTime {
            OffsetDateTime::UNIX_EPOCH
        }
    }

    #[tokio::test]
    async fn the_date_stays_the_same_in_a_request_and_is_new_in_the_next_one() {
        let clock = RequestClock(Arc::new(Hurrying(AtomicI32::new(2_461_000))));
        let days = scope(async { (clock.today(), clock.today()) }).await;
        assert_eq!(days.0, days.1);
        let next = scope(async { clock.today() }).await;
        assert_eq!(Some(next), days.0.next_day());
        assert!(clock.today() < clock.today(), "outside a request");
    }
}
