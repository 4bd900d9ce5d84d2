//! The HTTP client of the provider.

use std::io::Read;
use std::net::IpAddr;
use std::time::{Duration, Instant};

use finance_domain::yields::{PublishedRates, RateSource, Series};
use finance_domain::{Error, Result};
use time::Date;
use ureq::Agent;
use ureq::http::Uri;

use crate::payload;

/// The address of the central bank.
pub const DEFAULT_URL: &str = "https://api.bcb.gov.br";
/// Milliseconds that one call may take, for all its windows together.
pub const CALL_MILLIS_MAX: u64 = 4_000;
/// Milliseconds that connecting may take.
const CONNECT_MILLIS_MAX: u64 = 2_000;
/// The most bytes of a decompressed answer. Ten years are 2,520 rates of 45 bytes, a ninth of this limit.
pub const BODY_BYTES_MAX: u64 = 1024 * 1024;
/// The most days of a window. The provider accepts ten years.
pub const WINDOW_DAYS_MAX: i64 = 3_650;
/// The most redirects that are followed.
const REDIRECTS_MAX: u32 = 3;

/// The central bank's series of rates.
///
/// One call asks for as many windows as it needs, one after the other, and takes at most [`CALL_MILLIS_MAX`]
/// milliseconds. It caches nothing; [`CachedRates`](crate::CachedRates) does.
#[derive(Debug)]
pub struct BcbRates {
    base_url: String,
    agent: Agent,
    call_max: Duration,
}

impl BcbRates {
    /// A client of the provider at an address such as [`DEFAULT_URL`]. Makes no request.
    ///
    /// The HTTP proxy of the environment variables is used, except for a provider on this machine.
    ///
    /// ```
    /// use finance_adapters_bcb::{BcbRates, DEFAULT_URL};
    ///
    /// assert!(BcbRates::new(DEFAULT_URL).is_ok());
    /// assert!(BcbRates::new("http://127.0.0.1:8090/bcb/").is_ok());
    /// assert!(BcbRates::new("api.bcb.gov.br").is_err());
    /// assert!(BcbRates::new("ftp://api.bcb.gov.br").is_err());
    /// ```
    ///
    /// # Errors
    ///
    /// A message that says what the address must be.
    pub fn new(base_url: &str) -> Result<Self, &'static str> {
        const EXPECTED: &str = "must be an address such as https://api.bcb.gov.br";
        let uri: Uri = base_url.parse().map_err(|_| EXPECTED)?;
        let host = uri.host().filter(|host| !host.is_empty()).ok_or(EXPECTED)?;
        let scheme = uri.scheme_str().filter(|scheme| matches!(*scheme, "http" | "https")).ok_or(EXPECTED)?;
        if base_url.contains(['?', '#']) {
            return Err(EXPECTED);
        }
        let mut config = Agent::config_builder()
            .http_status_as_error(false)
            .https_only(scheme == "https")
            .max_redirects(REDIRECTS_MAX)
            .user_agent(concat!("finance/", env!("CARGO_PKG_VERSION")))
            .accept("application/json")
            // Requests are hours apart, so the server would close an idle connection before the next request.
            .max_idle_connections(0);
        if is_this_machine(host) {
            config = config.proxy(None);
        }
        Ok(BcbRates {
            base_url: base_url.trim_end_matches('/').to_string(),
            agent: config.build().new_agent(),
            call_max: Duration::from_millis(CALL_MILLIS_MAX),
        })
    }

    /// Sets another time limit for one call.
    #[must_use]
    pub fn with_call_max(self, call_max: Duration) -> Self {
        BcbRates { call_max, ..self }
    }

    fn series_url(&self, series: Series) -> String {
        format!("{}/dados/serie/bcdata.sgs.{}/dados", self.base_url, series.code())
    }

    /// Asks for one window, until the deadline.
    fn ask(&self, series: Series, first: Date, last: Date, deadline: Instant) -> Result<PublishedRates, String> {
        let time_left = deadline.saturating_duration_since(Instant::now());
        if time_left.is_zero() {
            return Err("no answer in time".into());
        }
        let (first_day, last_day) = (day_month_year(first), day_month_year(last));
        let url = self.series_url(series);
        let response = self
            .agent
            .get(format!("{url}?formato=json&dataInicial={first_day}&dataFinal={last_day}"))
            .config()
            .timeout_connect(Some(time_left.min(Duration::from_millis(CONNECT_MILLIS_MAX))))
            .timeout_global(Some(time_left))
            .build()
            .call();
        let mut response = response.map_err(|error| describe(&error))?;
        let mut body = Vec::new();
        let mut reader = response.body_mut().as_reader().take(BODY_BYTES_MAX + 1);
        let read = reader.read_to_end(&mut body).map_err(ureq::Error::from);
        if body.len() as u64 > BODY_BYTES_MAX {
            return Err(format!("the answer is longer than {BODY_BYTES_MAX} bytes"));
        }
        let status = response.status().as_u16();
        if status != 200 {
            return Err(format!("status {status}, the answer is {}", payload::describe(&body)));
        }
        read.map_err(|error| describe(&error))?;
        payload::read(&body, series, first, last)
    }

    fn ask_all(&self, series: Series, first: Date, last: Date) -> Result<PublishedRates, String> {
        let deadline = Instant::now() + self.call_max;
        let mut all: Option<PublishedRates> = None;
        for (first, last) in windows(first, last) {
            let rates = self.ask(series, first, last, deadline)?;
            match &mut all {
                Some(all) => all.join(rates),
                None => all = Some(rates),
            }
        }
        let all = all.unwrap_or_else(|| PublishedRates::new(first, last));
        if let Some(date) = all.untrusted_from() {
            log::warn!(
                "the rate provider's value of series {} for {date} is not a rate; rates from that date on are ignored",
                series.code()
            );
            all.payable_until(first, last).ok_or("no rate before a value that is none")?;
        }
        Ok(all)
    }
}

impl RateSource for BcbRates {
    fn published(&self, series: Series, first: Date, last: Date) -> Result<PublishedRates> {
        self.ask_all(series, first, last).map_err(|failure| Error::Unavailable(failure.into()))
    }
}

/// Splits a range of dates into windows of at most [`WINDOW_DAYS_MAX`] days. Their lengths differ by at most one day, because
/// a short last window could be a weekend, for which the provider answers with an error.
fn windows(first: Date, last: Date) -> Vec<(Date, Date)> {
    let days = i64::from(last.to_julian_day()) - i64::from(first.to_julian_day()) + 1;
    if days < 1 {
        return Vec::new();
    }
    let count = (days + WINDOW_DAYS_MAX - 1) / WINDOW_DAYS_MAX;
    let nth_first = |nth: i64| first.saturating_add(time::Duration::days(days * nth / count));
    (0..count)
        .map(|nth| (nth_first(nth), if nth + 1 == count { last } else { nth_first(nth + 1) - time::Duration::DAY }))
        .collect()
}

/// Whether a host is this machine. Requests to this machine do not use a proxy.
fn is_this_machine(host: &str) -> bool {
    let address = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
    host.eq_ignore_ascii_case("localhost") || address.is_ok_and(|address| address.is_loopback())
}

/// A date as the provider expects it: `31/01/2025`.
fn day_month_year(date: Date) -> String {
    format!("{:02}/{:02}/{:04}", date.day(), u8::from(date.month()), date.year())
}

/// The error without the address, which may contain a password.
fn describe(error: &ureq::Error) -> String {
    match error {
        ureq::Error::BadUri(_) => "the address cannot be used".into(),
        ureq::Error::Timeout(_) => "no answer in time".into(),
        error => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use finance_domain::month::day_after;
    use time::macros::date;

    use super::*;

    #[test]
    fn a_span_is_cut_into_windows_that_touch_and_none_is_longer_than_ten_years_or_short() {
        let first = date!(1994 - 07 - 04);
        for days in (0..12_000).step_by(7).chain([3_648, 3_649, 3_650, 7_299, 7_300]) {
            let last = first.saturating_add(time::Duration::days(days));
            let windows = windows(first, last);
            assert_eq!((windows[0].0, windows[windows.len() - 1].1), (first, last));
            assert!(windows.windows(2).all(|pair| day_after(pair[0].1) == pair[1].0), "{windows:?}");
            for (first, last) in &windows {
                let ten_years = first.replace_year(first.year() + 10).unwrap();
                assert!(first <= last && *last < ten_years, "{first} to {last}");
                assert!(windows.len() == 1 || (*last - *first).whole_days() > 1_800, "{first} to {last}");
            }
        }
        assert_eq!(windows(first, first), [(first, first)]);
        assert_eq!(windows(day_after(first), first), []);
    }

    #[test]
    fn only_addresses_that_can_be_asked_are_taken() {
        for url in ["https://api.bcb.gov.br", "http://localhost:80/", "http://[::1]:8080/bcb", "http://u:p@10.0.0.1"] {
            assert!(BcbRates::new(url).is_ok(), "{url}");
        }
        for url in [
            "",
            " ",
            "/",
            "localhost:80",
            "http://",
            "https:///x",
            "file:///etc/passwd",
            "http://x/?a=b",
            "http://x/#y",
        ] {
            assert!(BcbRates::new(url).is_err(), "{url}");
        }
        let rates = BcbRates::new("http://127.0.0.1:1/bcb//").unwrap();
        assert_eq!(rates.series_url(Series::Cdi), "http://127.0.0.1:1/bcb/dados/serie/bcdata.sgs.12/dados");
        assert_eq!(rates.series_url(Series::Savings), "http://127.0.0.1:1/bcb/dados/serie/bcdata.sgs.195/dados");
    }

    #[test]
    fn no_proxy_leads_to_this_machine() {
        for host in ["localhost", "LOCALHOST", "127.0.0.1", "127.1.2.3", "[::1]"] {
            assert!(is_this_machine(host), "{host}");
        }
        for host in ["api.bcb.gov.br", "10.0.0.1", "localhost.example", "[::2]"] {
            assert!(!is_this_machine(host), "{host}");
        }
    }
}
