//! Periods: how long a quest lasts before it starts again.

use time::{Date, Duration};

use crate::month::Month;
use crate::words::words;

words! {
    /// How long a quest lasts before it starts again. The API calls it `quest_type`.
    #[derive(PartialOrd, Ord)]
    pub enum Period {
        /// A calendar day.
        Daily = "daily",
        /// Monday to Sunday.
        Weekly = "weekly",
        /// A calendar month.
        Monthly = "monthly",
        /// It is completed once and does not start again.
        Once = "once",
    }
}

impl Period {
    /// The first day of the period that contains a date. None for [`Period::Once`].
    ///
    /// ```
    /// use finance_domain::gamification::Period;
    /// use time::macros::date;
    ///
    /// // A Saturday.
    /// let date = date!(2026 - 01 - 31);
    /// assert_eq!(Period::Daily.first_day(date), Some(date));
    /// assert_eq!(Period::Weekly.first_day(date), Some(date!(2026 - 01 - 26)));
    /// assert_eq!(Period::Monthly.first_day(date), Some(date!(2026 - 01 - 01)));
    /// assert_eq!(Period::Once.first_day(date), None);
    /// ```
    pub fn first_day(self, date: Date) -> Option<Date> {
        match self {
            Period::Daily => Some(date),
            Period::Weekly => {
                Some(date.saturating_sub(Duration::days(date.weekday().number_days_from_monday().into())))
            }
            Period::Monthly => Some(Month::of(date).first_day()),
            Period::Once => None,
        }
    }

    /// The number of days in the shortest such period. None if it does not end.
    pub(super) fn days_min(self) -> Option<u32> {
        match self {
            Period::Daily => Some(1),
            Period::Weekly => Some(7),
            Period::Monthly => Some(28),
            Period::Once => None,
        }
    }
}
