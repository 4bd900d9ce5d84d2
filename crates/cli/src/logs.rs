//! The log on standard error, as text or JSON.

use std::io::{self, Write};

use anyhow::{Context, Result};
use env_logger::Logger;
use env_logger::fmt::Formatter;
use log::kv::{self, VisitSource, VisitValue};
use log::{LevelFilter, Log, Metadata, Record};
use serde_json::{Map, Value};
use time::OffsetDateTime;
use time::macros::format_description;

use crate::configuration::{Configuration, LogFormat};
use crate::output::{printable, printable_lines};

/// The most verbose level of libraries, by the beginnings of their targets, whatever the configured filter says. More verbose
/// messages of libraries hold what they read and write: arguments and results of tools, addresses, headers. The first row that
/// matches counts, and the last one is for all other libraries.
const LIBRARY_LEVELS: [(&str, LevelFilter); 2] = [
    // It logs names of tools and whole messages as warnings and errors too. Failures are in the log of requests.
    ("rmcp", LevelFilter::Off),
    ("", LevelFilter::Info),
];
/// The beginning of the targets of this program's own messages, whose content is known.
const OWN: &str = "finance";

/// Starts the configured log.
pub(crate) fn start(configuration: &Configuration) -> Result<()> {
    let mut builder = env_logger::Builder::new();
    builder.parse_filters(&configuration.log_filter);
    if configuration.log_format == LogFormat::Text {
        builder.format(write_text);
    } else {
        builder.format(write_json);
    }
    let logger = builder.build();
    let level = logger.filter();
    log::set_boxed_logger(Box::new(Capped(logger))).context("the log")?;
    log::set_max_level(level);
    log::trace!("messages of all levels are logged");
    if configuration.log_format == LogFormat::Json && log::log_enabled!(log::Level::Error) {
        // The default hook writes several lines of text.
        std::panic::set_hook(Box::new(|panic| log::error!("{panic}")));
    }
    Ok(())
}

/// A log without the messages of libraries beyond [`LIBRARY_LEVELS`].
struct Capped(Logger);

impl Log for Capped {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.level() <= level_max(metadata.target()) && self.0.enabled(metadata)
    }

    fn log(&self, record: &Record<'_>) {
        if record.level() <= level_max(record.target()) {
            self.0.log(record);
        }
    }

    fn flush(&self) {
        self.0.flush();
    }
}

/// The most verbose level of the messages with a target.
fn level_max(target: &str) -> LevelFilter {
    let crate_name = target.split("::").next().unwrap_or_default();
    if crate_name == OWN || crate_name.strip_prefix(OWN).is_some_and(|rest| rest.starts_with('_')) {
        return LevelFilter::Trace;
    }
    let row = LIBRARY_LEVELS.iter().find(|(beginning, _)| target.starts_with(beginning));
    row.map_or(LevelFilter::Off, |(_, level)| *level)
}

fn write_text(out: &mut Formatter, record: &Record<'_>) -> io::Result<()> {
    writeln!(out, "{}", text_line(&timestamp(OffsetDateTime::now_utc())?, record))
}

fn write_json(out: &mut Formatter, record: &Record<'_>) -> io::Result<()> {
    // The escapes of hidden characters are those of JSON, which has them in strings only.
    writeln!(out, "{}", printable(&json_line(&timestamp(OffsetDateTime::now_utc())?, record).to_string()))
}

/// RFC 3339 with milliseconds.
fn timestamp(now: OffsetDateTime) -> io::Result<String> {
    let format = format_description!("[year]-[month]-[day]T[hour]:[minute]:[second].[subsecond digits:3]Z");
    now.format(format).map_err(io::Error::other)
}

/// A record as text. Further lines of its message are indented, so that they do not look like records.
fn text_line(timestamp: &str, record: &Record<'_>) -> String {
    let message = printable_lines(&record.args().to_string()).replace('\n', "\n    ");
    format!("[{timestamp} {:<5} {}] {message}", record.level(), record.target())
}

/// A record as one JSON object: four standard fields, and the fields of the record.
fn json_line(timestamp: &str, record: &Record<'_>) -> Value {
    let mut fields = Map::new();
    fields.insert("timestamp".into(), timestamp.into());
    fields.insert("level".into(), record.level().as_str().into());
    fields.insert("target".into(), record.target().into());
    fields.insert("message".into(), record.args().to_string().into());
    // Collecting into a map cannot fail.
    let _ = record.key_values().visit(&mut Fields(&mut fields));
    Value::Object(fields)
}

struct Fields<'a>(&'a mut Map<String, Value>);

impl<'kvs> VisitSource<'kvs> for Fields<'_> {
    fn visit_pair(&mut self, key: kv::Key<'kvs>, value: kv::Value<'kvs>) -> Result<(), kv::Error> {
        let mut field = Field(Value::Null);
        value.visit(&mut field)?;
        self.0.entry(key.as_str()).or_insert(field.0);
        Ok(())
    }
}

/// A field's value, as a number if it is one.
struct Field(Value);

impl<'v> VisitValue<'v> for Field {
    fn visit_any(&mut self, value: kv::Value<'_>) -> Result<(), kv::Error> {
        self.0 = value.to_string().into();
        Ok(())
    }

    fn visit_null(&mut self) -> Result<(), kv::Error> {
        Ok(())
    }

    fn visit_u64(&mut self, value: u64) -> Result<(), kv::Error> {
        self.0 = value.into();
        Ok(())
    }

    fn visit_i64(&mut self, value: i64) -> Result<(), kv::Error> {
        self.0 = value.into();
        Ok(())
    }

    fn visit_bool(&mut self, value: bool) -> Result<(), kv::Error> {
        self.0 = value.into();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use log::Level;
    use time::macros::datetime;

    use super::*;

    #[test]
    fn a_line_of_text_begins_with_when_and_how_bad_and_where() {
        let record = |message| Record::builder().level(Level::Info).target("finance_cli::serve").args(message).build();
        let timestamp = timestamp(datetime!(2026-01-31 09:05:00.12 UTC)).unwrap();
        assert_eq!(
            text_line(&timestamp, &record(format_args!("listening"))),
            "[2026-01-31T09:05:00.120Z INFO  finance_cli::serve] listening"
        );
        assert_eq!(
            text_line("now", &record(format_args!("one\n[now ERROR two]"))),
            "[now INFO  finance_cli::serve] one\n    [now ERROR two]"
        );
        assert_eq!(
            text_line("now", &record(format_args!("\u{1b}[2Jgone"))),
            "[now INFO  finance_cli::serve] \\u001b[2Jgone",
            "a terminal is not told what to do"
        );
    }

    #[test]
    fn libraries_are_less_verbose_than_the_filter_may_say() {
        for (target, expected) in [
            ("finance_http::requests", LevelFilter::Trace),
            ("finance::audit", LevelFilter::Trace),
            ("finance", LevelFilter::Trace),
            ("financier::bank", LevelFilter::Info),
            ("rmcp", LevelFilter::Off),
            ("rmcp::service", LevelFilter::Off),
            ("ureq_proto::client", LevelFilter::Info),
            ("tracing::span", LevelFilter::Info),
            ("", LevelFilter::Info),
        ] {
            assert_eq!(level_max(target), expected, "{target}");
        }
        let mut builder = env_logger::Builder::new();
        let log = Capped(builder.parse_filters("trace,rmcp::service=trace").build());
        let is_enabled = |target, level| log.enabled(&Metadata::builder().target(target).level(level).build());
        assert!(is_enabled("finance_http", Level::Trace) && is_enabled("actix_server", Level::Info));
        assert!(!is_enabled("rmcp::service", Level::Error) && !is_enabled("actix_http", Level::Debug));
    }

    #[test]
    fn a_line_is_one_object_whatever_the_message_holds() {
        let pairs: &[(&str, kv::Value<'_>)] =
            &[("status", 200_u16.into()), ("route", "/api/\"x\"".into()), ("level", "mine".into())];
        let line = json_line(
            "2026-01-31T12:00:00.000Z",
            &Record::builder()
                .level(Level::Info)
                .target("finance_http::requests")
                .args(format_args!("two\nlines and a \"quote\""))
                .key_values(&pairs)
                .build(),
        )
        .to_string();
        assert_eq!(line.lines().count(), 1);
        let read: Value = serde_json::from_str(&line).unwrap();
        assert_eq!(read["timestamp"], "2026-01-31T12:00:00.000Z");
        assert_eq!(read["level"], "INFO", "a field does not replace a standard one");
        assert_eq!(read["target"], "finance_http::requests");
        assert_eq!(read["message"], "two\nlines and a \"quote\"");
        assert_eq!((&read["status"], &read["route"]), (&Value::from(200), &Value::from("/api/\"x\"")));
    }
}
