//! Rates of the central bank: CDI, Selic, poupança and IPCA, cached, with at most one request for a series in flight.
//!
//! The crate has two adapters of the port [`RateSource`](finance_domain::yields::RateSource):
//!
//! - [`BcbRates`] asks the provider over HTTP, with a time limit of a few seconds. It rejects an answer that it cannot read
//!   exactly.
//! - [`CachedRates`] wraps another source. It asks that source only for dates that it has not received on the clock's current
//!   day, with one request at a time for a series, and not for 15 minutes after a failure.
//!
//! A program wraps the first in the second:
//!
//! ```
//! use std::io::{Read, Write};
//! use std::net::TcpListener;
//! use std::sync::Arc;
//!
//! use finance_adapters_bcb::{BcbRates, CachedRates};
//! use finance_domain::{Clock, yields::{RateSource, Series}};
//! use time::macros::{date, datetime};
//! use time::{Date, OffsetDateTime};
//!
//! // A provider that answers one request.
//! let provider = TcpListener::bind("127.0.0.1:0")?;
//! let url = format!("http://{}", provider.local_addr()?);
//! std::thread::spawn(move || {
//!     let (mut stream, _) = provider.accept().unwrap();
//!     stream.read(&mut [0; 4096]).unwrap();
//!     let body = r#"[{"data":"09/01/2025","valor":"0.045513"},{"data":"10/01/2025","valor":"0.045513"}]"#;
//!     write!(stream, "HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{body}", body.len()).unwrap();
//! });
//!
//! struct Monday;
//! impl Clock for Monday {
//!     fn today(&self) -> Date {
//!         date!(2025-01-13)
//!     }
//!     fn now(&self) -> OffsetDateTime {
//!         datetime!(2025-01-13 12:00 UTC)
//!     }
//! }
//!
//! let rates = CachedRates::new(BcbRates::new(&url)?, Arc::new(Monday));
//! let published = rates.published(Series::Cdi, date!(2024-12-10), date!(2025-01-12))?;
//! assert_eq!(published.latest(date!(2025-01-12)).unwrap().to_string(), "0.045513 %");
//! assert!(rates.published(Series::Cdi, date!(2025-01-01), date!(2025-01-12)).is_ok(), "from the cache");
//! assert!(rates.published(Series::Cdi, date!(2024-01-01), date!(2025-01-12)).is_err(), "2024 is not cached, and the provider is gone");
//! assert!(rates.published(Series::Cdi, date!(2025-01-01), date!(2025-01-12)).is_ok(), "cached rates stay available");
//! let figures = rates.figures();
//! assert_eq!((figures.calls, figures.failures, figures.is_blocked), (2, 1, true));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod cache;
mod client;
mod payload;

pub use cache::{CachedRates, RETRY_BLOCK_MINUTES, RateFigures};
pub use client::{BODY_BYTES_MAX, BcbRates, CALL_MILLIS_MAX, DEFAULT_URL, WINDOW_DAYS_MAX};
