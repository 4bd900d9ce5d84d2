//! The series of rates, and what was published of several.

use std::collections::BTreeMap;

use time::Date;
use time::macros::date;

use super::rates::{PublishedRates, Rate};

/// Days before the last day done from which rates are asked, so that the rate before the first day
/// to pay is known: the longest gap in the whole series of the CDI rate is five days.
pub const LOOK_BACK_DAYS: i64 = 30;

/// The first CDI rate in today's currency. Nothing is asked before it, and days before it earn nothing.
pub const SERIES_START: Date = date!(1994 - 07 - 04);

/// A series of rates that the central bank publishes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Series {
    /// Selic, in percent of a business day.
    Selic,
    /// CDI, in percent of a business day.
    Cdi,
    /// Poupança, in percent of the month that begins on the date.
    Savings,
    /// The price index IPCA, in percent of the month whose first day is the date. May be below zero.
    Ipca,
}

impl Series {
    /// Every series.
    pub const ALL: [Series; 4] = [Series::Selic, Series::Cdi, Series::Savings, Series::Ipca];

    /// The number by which the central bank knows it.
    pub fn code(self) -> u16 {
        match self {
            Series::Selic => 11,
            Series::Cdi => 12,
            Series::Savings => 195,
            Series::Ipca => 433,
        }
    }

    /// The first date for which it is asked. What is earlier earns nothing of it.
    pub fn start(self) -> Date {
        match self {
            Series::Selic | Series::Cdi => SERIES_START,
            Series::Savings => date!(2012 - 05 - 04),
            Series::Ipca => date!(1994 - 07 - 01),
        }
    }

    /// Days of a window that is sure to have a rate. The provider answers with an error where there is none.
    pub fn look_back_days(self) -> i64 {
        match self {
            Series::Selic | Series::Cdi | Series::Savings => LOOK_BACK_DAYS,
            // A month is published in the middle of the next.
            Series::Ipca => 100,
        }
    }

    /// Reads a value of the series.
    ///
    /// # Errors
    ///
    /// A message that says what the text should be.
    pub fn rate(self, text: &str) -> Result<Rate, &'static str> {
        match self {
            Series::Selic | Series::Cdi | Series::Savings => text.parse(),
            Series::Ipca => Rate::signed(text),
        }
    }
}

/// The dates of a series whose rates are needed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RateWindow {
    /// The series.
    pub series: Series,
    /// The first date.
    pub first: Date,
    /// The last date.
    pub last: Date,
}

/// What was published of several series. One that could not be had is not in it.
///
/// ```
/// use finance_domain::yields::{PublishedRates, Rates, Series};
/// use time::macros::date;
///
/// let cdi = PublishedRates::new(date!(2025-01-01), date!(2025-01-31));
/// let rates = Rates::from((Series::Cdi, cdi));
/// assert!(rates.of(Series::Cdi).is_some());
/// assert!(rates.of(Series::Savings).is_none());
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rates(BTreeMap<Series, PublishedRates>);

impl Rates {
    /// What was published of a series.
    pub fn of(&self, series: Series) -> Option<&PublishedRates> {
        self.0.get(&series)
    }
}

impl From<(Series, PublishedRates)> for Rates {
    fn from(known: (Series, PublishedRates)) -> Self {
        Rates::from_iter([known])
    }
}

impl FromIterator<(Series, PublishedRates)> for Rates {
    fn from_iter<T: IntoIterator<Item = (Series, PublishedRates)>>(known: T) -> Self {
        Rates(known.into_iter().collect())
    }
}
