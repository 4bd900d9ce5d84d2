//! The taxes on yield: `config/taxes.toml`.

use anyhow::{Context, Result, anyhow};
use finance_domain::Percentage;
use finance_domain::month::parse_date;
use finance_domain::yields::{Bracket, IncomeTaxTable, IofTable, TaxTables};
use serde::Deserialize;
use time::Date;

const FILE: &str = "config/taxes.toml";
const SHIPPED: &str = include_str!("../../../../config/taxes.toml");

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TaxesFile {
    iof: Vec<IofEntry>,
    income_tax: Vec<IncomeTaxEntry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct IofEntry {
    valid_from: String,
    percent_by_day: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct IncomeTaxEntry {
    valid_from: String,
    brackets: Vec<BracketEntry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct BracketEntry {
    days_max: Option<u32>,
    percent: String,
}

/// The tables of the taxes on yield.
///
/// # Errors
///
/// If `config/taxes.toml` is invalid. The message names the table.
pub fn taxes() -> Result<TaxTables> {
    read(SHIPPED)
}

fn read(text: &str) -> Result<TaxTables> {
    let TaxesFile { iof, income_tax } = toml::from_str(text).context(FILE)?;
    let iof = iof.into_iter().map(|entry| {
        let percent_by_day = entry.percent_by_day.iter().map(|text| percentage(text)).collect::<Result<_>>()?;
        Ok(IofTable { valid_from: date(&entry.valid_from)?, percent_by_day })
    });
    let income_tax = income_tax.into_iter().map(|entry| {
        let bracket =
            |entry: &BracketEntry| Ok(Bracket { days_max: entry.days_max, percent: percentage(&entry.percent)? });
        let brackets = entry.brackets.iter().map(bracket).collect::<Result<_>>()?;
        Ok(IncomeTaxTable { valid_from: date(&entry.valid_from)?, brackets })
    });
    TaxTables::new(iof.collect::<Result<_>>()?, income_tax.collect::<Result<_>>()?).context(FILE)
}

fn percentage(text: &str) -> Result<Percentage> {
    text.parse().map_err(|violation| anyhow!("{FILE}: percent {text:?} {violation}"))
}

fn date(text: &str) -> Result<Date> {
    parse_date(text).map_err(|violation| anyhow!("{FILE}: valid_from {text:?} {violation}"))
}

#[cfg(test)]
mod tests {
    use time::macros::date;

    use super::*;

    #[test]
    fn the_shipped_tables_are_the_official_ones() {
        let tables = taxes().unwrap();
        let today = date!(2026 - 03 - 15);
        for (day, percent) in [(1, "96"), (2, "93"), (10, "66"), (20, "33"), (29, "3"), (30, "0"), (400, "0")] {
            assert_eq!(tables.iof_percent(today, day).to_string(), percent, "day {day}");
        }
        for (days, percent) in [
            (1, "22.5"),
            (180, "22.5"),
            (181, "20"),
            (360, "20"),
            (361, "17.5"),
            (720, "17.5"),
            (721, "15"),
            (9999, "15"),
        ] {
            assert_eq!(tables.income_tax_percent(today, days).to_string(), percent, "{days} days");
        }
        assert_eq!(tables.income_tax_percent(date!(2004 - 12 - 31), 10).to_string(), "0", "not in force yet");
    }

    #[test]
    fn what_is_wrong_is_named_by_file_and_table() {
        for (from, to, part) in [
            ("valid_from = \"2005-01-01\"", "valid_from = \"2005-13-01\"", "2005-13-01"),
            ("percent = \"22.5\"", "percent = \"22,5\"", "22,5"),
            ("percent = \"22.5\"", "percent = \"122.5\"", "income_tax 2005-01-01"),
            ("days_max = 360", "days_max = 160", "days_max"),
            ("percent_by_day", "percents", "percents"),
        ] {
            let error = format!("{:#}", read(&SHIPPED.replacen(from, to, 1)).unwrap_err());
            assert!(error.contains(FILE) && error.contains(part), "{error}");
        }
    }
}
