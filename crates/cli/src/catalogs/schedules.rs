//! Holidays and templates of recurring items: `config/holidays.toml` and `config/recurring.toml`.

use anyhow::{Context, Result, anyhow};
use finance_domain::business_days::{FixedHoliday, Holidays};
use finance_domain::recurring::{COUNT_MAX, Catalog, Every, Schedule, Template, TemplateItem, Unit};
use serde::Deserialize;

const HOLIDAYS: &str = "config/holidays.toml";
const SHIPPED_HOLIDAYS: &str = include_str!("../../../../config/holidays.toml");
const TEMPLATES: &str = "config/recurring.toml";
const SHIPPED_TEMPLATES: &str = include_str!("../../../../config/recurring.toml");

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct HolidaysFile {
    fixed: Vec<FixedEntry>,
    easter: EasterEntry,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FixedEntry {
    month: u8,
    day: u8,
    since: Option<i32>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct EasterEntry {
    days: Vec<i16>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TemplatesFile {
    template: Vec<TemplateEntry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TemplateEntry {
    key: String,
    name: String,
    items: Vec<ItemEntry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ItemEntry {
    r#type: String,
    description: String,
    month: u8,
    day: u8,
    every: Option<String>,
    count: Option<u16>,
    weekend: Option<String>,
    #[serde(default)]
    reserve: bool,
}

/// The holidays, and the templates of recurring items.
///
/// # Errors
///
/// If a file is invalid. The message names it, and the template or the holiday.
pub fn schedules() -> Result<Catalog> {
    read(SHIPPED_HOLIDAYS, SHIPPED_TEMPLATES)
}

fn read(holidays: &str, templates: &str) -> Result<Catalog> {
    let HolidaysFile { fixed, easter } = toml::from_str(holidays).context(HOLIDAYS)?;
    let fixed = fixed.into_iter().map(|FixedEntry { month, day, since }| FixedHoliday { month, day, since });
    let holidays = Holidays::new(fixed.collect(), easter.days).context(HOLIDAYS)?;
    let TemplatesFile { template } = toml::from_str(templates).context(TEMPLATES)?;
    let made = template.into_iter().map(|TemplateEntry { key, name, items }| {
        let items = items.into_iter().map(|entry| item(entry, &key)).collect::<Result<_>>()?;
        Ok(Template { key, name, items })
    });
    Catalog::new(holidays, made.collect::<Result<_>>()?).context(TEMPLATES)
}

fn item(entry: ItemEntry, key: &str) -> Result<TemplateItem> {
    let ItemEntry { r#type, description, month, day, every, count, weekend, reserve } = entry;
    let word = |field: &str, text: &str| format!("{TEMPLATES}: template {key:?}, {field} {text:?}");
    let wrong = |field: &str, text: &str, why: &dyn std::fmt::Display| anyhow!("{} {why}", word(field, text));
    let unit = match &every {
        Some(text) => text.parse().map_err(|violation| wrong("every", text, &violation))?,
        None => Unit::Year,
    };
    let weekend = match &weekend {
        Some(text) => text.parse().map_err(|violation| wrong("weekend", text, &violation))?,
        None => Default::default(),
    };
    if count.is_some_and(|count| !(1..=COUNT_MAX).contains(&count)) {
        return Err(wrong("count", &format!("{count:?}"), &"is out of range"));
    }
    Ok(TemplateItem {
        kind: r#type.parse().map_err(|violation| wrong("type", &r#type, &violation))?,
        description: finance_domain::text::description(&description)
            .map_err(|violation| wrong("description", &description, &violation))?,
        month,
        day,
        schedule: Schedule { every: Every { n: 1, unit }, count, weekend, reserve, ..Schedule::default() },
    })
}

#[cfg(test)]
mod tests {
    use time::Date;
    use time::macros::date;

    use super::*;

    #[test]
    fn the_shipped_holidays_are_those_of_banks() {
        let holidays = schedules().unwrap().holidays;
        for day in [
            date!(2026 - 02 - 16),
            date!(2026 - 02 - 17),
            date!(2026 - 04 - 03),
            date!(2026 - 04 - 21),
            date!(2026 - 06 - 04),
            date!(2024 - 11 - 20),
            date!(2026 - 12 - 25),
        ] {
            assert!(holidays.is_holiday(day), "{day}");
        }
        for day in [date!(2026 - 02 - 18), date!(2023 - 11 - 20), date!(2026 - 07 - 09), date!(2026 - 12 - 24)] {
            assert!(!holidays.is_holiday(day), "{day}");
        }
    }

    /// All days of a century, against the calendar of another crate.
    #[test]
    fn business_days_are_those_of_the_crate_bdays() {
        use bdays::HolidayCalendar as _;
        use bdays::calendars::brazil::BRSettlement;
        use chrono::NaiveDate;

        let holidays = schedules().unwrap().holidays;
        let theirs =
            |day: Date| NaiveDate::from_ymd_opt(day.year(), u32::from(u8::from(day.month())), u32::from(day.day()));
        let mut day = date!(1980 - 01 - 01);
        while day < date!(2080 - 01 - 01) {
            let other = theirs(day).unwrap();
            assert_eq!(holidays.is_holiday(day), BRSettlement.is_holiday(other), "{day}");
            assert_eq!(holidays.is_business(day), BRSettlement.is_bday(other), "{day}");
            assert_eq!(theirs(holidays.business_after(day)), Some(BRSettlement.to_bday(other, true)), "{day}");
            assert_eq!(theirs(holidays.business_before(day)), Some(BRSettlement.to_bday(other, false)), "{day}");
            day = day.next_day().unwrap();
        }
    }

    #[test]
    fn the_shipped_templates_are_those_of_the_documents() {
        let templates = schedules().unwrap().templates;
        let keys: Vec<&str> = templates.iter().map(|template| template.key.as_str()).collect();
        let known = ["ipva", "insurance", "iptu_single", "iptu_10", "enrolment", "thirteenth", "vacation"];
        assert_eq!(keys, known);
        let drafts = templates[5].drafts(date!(2026 - 03 - 10));
        let begins: Vec<_> = drafts.iter().filter_map(|draft| draft.schedule.start_on).collect();
        assert_eq!(begins, [date!(2026 - 11 - 30), date!(2026 - 12 - 20)]);
        assert_eq!(templates[3].drafts(date!(2026 - 03 - 10))[0].schedule.count, Some(10));
    }

    #[test]
    fn what_is_wrong_is_named_by_file() {
        for (from, to, part) in [
            ("\"expense\"", "\"spending\"", "type \"spending\""),
            ("every = \"month\"", "every = \"moon\"", "every \"moon\""),
            ("count = 10", "count = 1000", "count"),
            ("month = 1, day = 20", "month = 13, day = 20", "ipva"),
            ("key = \"vacation\"", "key = \"ipva\"", "twice"),
        ] {
            let error = format!("{:#}", read(SHIPPED_HOLIDAYS, &SHIPPED_TEMPLATES.replacen(from, to, 1)).unwrap_err());
            assert!(error.contains(TEMPLATES) && error.contains(part), "{error}");
        }
        let error = format!("{:#}", read(&SHIPPED_HOLIDAYS.replacen("day = 21", "day = 31", 1), "").unwrap_err());
        assert!(error.contains(HOLIDAYS) && error.contains("04-31"), "{error}");
    }
}
