//! Parses the provider's answer: an array of dates and rates.

use finance_domain::yields::{PublishedRates, Rate, Series};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;
use time::Date;
use time::macros::format_description;

/// The most characters of the provider's text in a log line.
const DETAIL_CHARS_MAX: usize = 200;

/// One item of the array: `{"data":"31/01/2025","valor":"0.049037"}`.
#[derive(Deserialize)]
struct Item {
    data: String,
    /// The raw JSON text, so that the digits of a number are exact.
    valor: Option<Box<RawValue>>,
}

/// Parses the answer to a request for the dates from `first` to `last`. Other dates are ignored.
///
/// A date with an invalid rate or with two different rates is marked as not trusted. If an item has no valid date, the whole
/// answer is rejected, because the item could belong to any date.
///
/// # Errors
///
/// A message for the log, if the answer is not an array of dated items or if none of them has a usable rate.
pub(crate) fn read(body: &[u8], series: Series, first: Date, last: Date) -> Result<PublishedRates, String> {
    let items: Vec<Item> =
        serde_json::from_slice(body).map_err(|_| format!("the answer is {}, not an array of rates", describe(body)))?;
    let mut rates = PublishedRates::new(first, last);
    for item in items {
        let date = date(&item.data).ok_or_else(|| format!("the answer has an unreadable date: {}", cut(&item.data)))?;
        match item.valor.as_deref().and_then(|value| rate(series, value)) {
            Some(rate) => rates.publish(date, rate),
            None => rates.distrust(date),
        }
    }
    if rates.is_empty() {
        return Err("the answer has no usable rate".into());
    }
    Ok(rates)
}

/// Describes an answer that is not an array of rates, with the provider's own error message if there is one.
pub(crate) fn describe(body: &[u8]) -> String {
    match serde_json::from_slice::<Value>(body) {
        Ok(Value::Object(object)) => {
            let error = object.get("erro").or_else(|| object.get("error")).unwrap_or(&Value::Null);
            match error.get("detail").unwrap_or(error).as_str() {
                Some(detail) => format!("an error object: {}", cut(detail)),
                None => "an object".into(),
            }
        }
        Ok(Value::Array(items)) => format!("an array of {} items, some of another shape", items.len()),
        Ok(_) => "a single value".into(),
        Err(_) => match body.trim_ascii_start().first() {
            Some(b'<') => "a page or an XML document".into(),
            Some(_) => "not JSON".into(),
            None => "empty".into(),
        },
    }
}

/// The beginning of the provider's text, on one line.
fn cut(text: &str) -> String {
    text.chars().take(DETAIL_CHARS_MAX).flat_map(char::escape_debug).collect()
}

/// Parses `dd/mm/yyyy`.
fn date(text: &str) -> Option<Date> {
    let shape = text.len() == 10 && text.bytes().all(|byte| byte == b'/' || byte.is_ascii_digit());
    let format = format_description!("[day]/[month]/[year]");
    if shape { Date::parse(text, format).ok() } else { None }
}

/// Parses a rate from a JSON string or number. No binary float is used.
fn rate(series: Series, value: &RawValue) -> Option<Rate> {
    let text = value.get();
    match text.as_bytes().first()? {
        b'"' => series.rate(&serde_json::from_str::<String>(text).ok()?).ok(),
        b'0'..=b'9' | b'-' => series.rate(text).ok(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use time::macros::date;

    use super::*;

    const FIRST: Date = date!(2025 - 01 - 01);
    const LAST: Date = date!(2025 - 01 - 31);

    fn read_text(body: &str) -> Result<PublishedRates, String> {
        read(body.as_bytes(), Series::Cdi, FIRST, LAST)
    }

    fn texts(rates: &PublishedRates) -> Vec<String> {
        rates.iter().map(|(date, rate)| format!("{date} {}", rate.percent())).collect()
    }

    #[test]
    fn strings_and_numbers_are_read_exactly_in_any_order() {
        let body = r#" [{"data":"03/01/2025","valor":0.0455130000000001},
            {"valor":"0.045513","data":"02/01/2025","extra":[1]}, {"data":"06/01/2025","valor":5e-2}] "#;
        let expected = ["2025-01-02 0.045513", "2025-01-03 0.0455130000000001", "2025-01-06 0.05"];
        assert_eq!(texts(&read_text(body).unwrap()), expected);
    }

    #[test]
    fn a_price_index_may_fall_and_other_keys_are_ignored() {
        let body = br#"[{"data":"01/01/2025","valor":"-0.68","datafim":"01/02/2025"}]"#;
        assert_eq!(texts(&read(body, Series::Ipca, FIRST, LAST).unwrap()), ["2025-01-01 -0.68"]);
        assert!(read(body, Series::Savings, FIRST, LAST).is_err(), "poupança does not");
    }

    #[test]
    fn dates_outside_the_window_are_ignored_whatever_they_say() {
        let body = r#"[{"data":"31/12/2024","valor":"oops"},{"data":"02/01/2025","valor":"0.04"},
            {"data":"01/02/2025","valor":"0.05"}]"#;
        let rates = read_text(body).unwrap();
        assert_eq!((texts(&rates), rates.untrusted_from()), (vec!["2025-01-02 0.04".to_string()], None));
        assert!(read_text(r#"[{"data":"01/02/2025","valor":"0.05"}]"#).is_err(), "nothing of what was asked");
    }

    #[test]
    fn a_value_that_is_no_rate_makes_its_date_untrusted() {
        for value in [
            "\"-0.01\"",
            "-0.01",
            "\"100.01\"",
            "\"0,045513\"",
            "\"\"",
            "\" 0.04\"",
            "\"NaN\"",
            "null",
            "true",
            "[]",
            "{}",
            "1e400",
            "1e-400",
            "\"1e999999999\"",
        ] {
            let body = format!(
                r#"[{{"data":"02/01/2025","valor":"0.04"}},{{"data":"03/01/2025","valor":{value}}},
                {{"data":"06/01/2025","valor":"0.04"}}]"#
            );
            let rates = read_text(&body).unwrap();
            assert_eq!(rates.untrusted_from(), Some(date!(2025 - 01 - 03)), "{value}");
            assert_eq!(rates.payable_until(FIRST, LAST), Some(date!(2025 - 01 - 02)), "{value}");
        }
        let missing = r#"[{"data":"02/01/2025","valor":"0.04"},{"data":"03/01/2025"}]"#;
        assert_eq!(read_text(missing).unwrap().untrusted_from(), Some(date!(2025 - 01 - 03)));
    }

    #[test]
    fn two_values_for_one_date_are_trusted_only_where_they_are_equal() {
        let twice = |second: &str| {
            let first = r#"{"data":"02/01/2025","valor":"0.04"},{"data":"03/01/2025","valor":"0.045513"}"#;
            read_text(&format!(r#"[{first},{{"data":"03/01/2025","valor":{second}}}]"#)).unwrap().untrusted_from()
        };
        assert_eq!(twice("\"0.045513\""), None);
        assert_eq!(twice("0.0455130"), None);
        assert_eq!(twice("\"0.045514\""), Some(date!(2025 - 01 - 03)));
        assert_eq!(twice("\"oops\""), Some(date!(2025 - 01 - 03)));
    }

    #[test]
    fn an_unreadable_date_spoils_the_whole_answer() {
        for date in [
            "2025-01-03",
            "31/02/2025",
            "3/1/2025",
            "03/01/25",
            "03/01/2025 ",
            "",
            "0x/01/2025",
            "//////////",
            "é3/01/202",
        ] {
            let body = format!(r#"[{{"data":"02/01/2025","valor":"0.04"}},{{"data":"{date}","valor":"0.04"}}]"#);
            assert!(read_text(&body).unwrap_err().contains("unreadable date"), "{date}");
        }
    }

    #[test]
    fn anything_but_an_array_of_dated_items_is_refused_and_described() {
        for (body, reason) in [
            ("", "empty"),
            ("[]", "no usable rate"),
            (r#"[{"data":"02/01/2025","valor":null}]"#, "no usable rate"),
            ("null", "a single value"),
            ("[1]", "some of another shape"),
            (r#"[{"valor":"0.04"}]"#, "some of another shape"),
            (r#"[{"data":"02/01/2025","valor":"0.04"}"#, "not JSON"),
            (r#"{"erro":{"statusCode":404,"detail":"Value(s) not found"}}"#, "an error object: Value(s) not found"),
            (r#"{"error":"O sistema aceita\r\n uma janela","message":"x"}"#, r"O sistema aceita\r\n uma janela"),
            (r#"{"erro":[]}"#, "an object"),
            ("<!DOCTYPE html>\n<html></html>", "a page or an XML document"),
            (r#"<?xml version="1.0"?>"#, "a page or an XML document"),
        ] {
            let failure = read_text(body).unwrap_err();
            assert!(failure.contains(reason), "{body}: {failure}");
        }
        let long = format!(r#"{{"error":"{}"}}"#, "x".repeat(10_000));
        assert!(read_text(&long).unwrap_err().len() < 300);
    }

    #[test]
    fn no_piece_of_an_answer_makes_reading_panic() {
        let body = r#"[{"data":"02/01/2025","valor":"0.04é"},{"data":"03/01/2025","valor":-1.5e-3}]"#.as_bytes();
        for at in 0..body.len() {
            let _ = read(&body[..at], Series::Cdi, FIRST, LAST);
            for byte in [0, b'"', b'[', b'9', b'-', b'e', 0xff] {
                let mut broken = body.to_vec();
                broken[at] = byte;
                let _ = read(&broken, Series::Cdi, FIRST, LAST);
            }
        }
        assert!(read("[".repeat(1_000_000).as_bytes(), Series::Cdi, FIRST, LAST).is_err());
    }
}
