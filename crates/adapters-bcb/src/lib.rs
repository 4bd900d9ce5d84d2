//! CDI rates from the central bank: series 12, cached, one request at a time, blocked after a failure.
//!
//! Two adapters of one port, [`RateSource`](finance_domain::yields::RateSource), one around the other:
//!
//! - [`BcbRates`] asks the provider over HTTP, within a few seconds or not at all, and believes
//!   nothing it cannot read exactly;
//! - [`CachedRates`] asks it as seldom as can be: for dates not asked before on the clock's day, one
//!   request at a time however many callers there are, and not for 15 minutes after a failure.
//!
//! What a program wires is the second around the first:
//!
//! ```
//! use std::io::{Read, Write};
//! use std::net::TcpListener;
//! use std::sync::Arc;
//!
//! use finance_adapters_bcb::{BcbRates, CachedRates};
//! use finance_domain::{Clock, yields::RateSource};
//! use time::macros::{date, datetime};
//! use time::{Date, OffsetDateTime};
//!
//! // A provider that answers once, and is never heard of again.
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
//! let published = rates.published(date!(2024-12-10), date!(2025-01-12))?;
//! assert_eq!(published.latest(date!(2025-01-12)).unwrap().to_string(), "0.045513 % per day");
//! assert!(rates.published(date!(2025-01-01), date!(2025-01-12)).is_ok(), "known, nobody is asked");
//! assert!(rates.published(date!(2024-01-01), date!(2025-01-12)).is_err(), "asked for 2024, and away");
//! assert!(rates.published(date!(2025-01-01), date!(2025-01-12)).is_ok(), "what is known stays known");
//! let figures = rates.figures();
//! assert_eq!((figures.calls, figures.failures, figures.is_blocked), (2, 1, true));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod cache;
mod client;
mod payload;

pub use cache::{CachedRates, RETRY_BLOCK_MINUTES, RateFigures};
pub use client::{BODY_BYTES_MAX, BcbRates, CALL_MILLIS_MAX, DEFAULT_URL, WINDOW_DAYS_MAX};
