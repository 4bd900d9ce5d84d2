//! The series of rates, and the published rates of several series.

use std::collections::BTreeMap;

use time::Date;
use time::macros::date;

use super::rates::{PublishedRates, Rate};

/// Days before the last day done from which rates are requested, so that the rate before the first day to pay is known. The
/// longest gap in the whole series of the CDI rate is five days.
pub const LOOK_BACK_DAYS: i64 = 30;

/// The date of the first CDI rate in today's currency. No earlier rate is requested, and earlier days earn nothing.
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

    /// The number by which the central bank identifies it.
    pub fn code(self) -> u16 {
        match self {
            Series::Selic => 11,
            Series::Cdi => 12,
            Series::Savings => 195,
            Series::Ipca => 433,
        }
    }

    /// The first date that is requested. Earlier days earn nothing from it.
    pub fn start(self) -> Date {
        match self {
            Series::Selic | Series::Cdi => SERIES_START,
            Series::Savings => date!(2012 - 05 - 04),
            Series::Ipca => date!(1994 - 07 - 01),
        }
    }

    /// The length in days of a window that certainly has a rate. The provider answers with an error if a window has none.
    pub fn look_back_days(self) -> i64 {
        match self {
            Series::Selic | Series::Cdi | Series::Savings => LOOK_BACK_DAYS,
            // The index of a month is published in the middle of the next.
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

/// The published rates of several series. A series that could not be fetched is missing.
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
    /// The published rates of a series.
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
