//! The texts of notices. They are data: each language has a title and bodies for each kind, with the names of values in braces.

use std::collections::HashMap;

use time::Date;

use super::values::{Language, NoticeKind, NoticeParams};
use crate::error::ConfigError;
use crate::money::Money;
use crate::words::Word;

/// The values that a text may name.
const VALUES: [&str; 9] = ["name", "when", "date", "amount", "before", "percent", "rows", "due", "days"];
/// The values that are amounts of money.
const AMOUNTS: [&str; 2] = ["amount", "before"];

/// The texts of one kind.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KindTexts {
    /// The title. It names no amount.
    pub title: String,
    /// The body.
    pub body: String,
    /// The body without amounts.
    pub discreet: String,
}

/// The texts of one language.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LanguageTexts {
    /// The day is today.
    pub today: String,
    /// The day is tomorrow.
    pub tomorrow: String,
    /// The day comes in `{days}` days.
    pub in_days: String,
    /// A date, of `{day}`, `{month}` in two digits each, and the `{name}` of the month.
    pub date: String,
    /// The names of the twelve months.
    pub months: Vec<String>,
    /// An amount, of `{sign}` and `{value}`.
    pub money: String,
    /// Between thousands.
    pub thousands: String,
    /// Before the cents.
    pub decimal: String,
    /// The button that says that a due was paid.
    pub paid: String,
    /// The button that puts a notice off until the next day.
    pub put_off: String,
    /// The test of a device.
    pub test: Said,
    /// What brings a `{code}`.
    pub code: Said,
    /// The texts of each kind.
    pub kinds: HashMap<NoticeKind, KindTexts>,
}

/// What a notice says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Said {
    /// The title.
    pub title: String,
    /// The body.
    pub body: String,
}

/// The texts of notices in every language.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Texts(HashMap<Language, LanguageTexts>);

impl Texts {
    /// Checks the texts.
    ///
    /// # Errors
    ///
    /// If a language or a kind has no texts, a text names an unknown value, or a title or a discreet body names an amount.
    pub fn new(languages: HashMap<Language, LanguageTexts>) -> Result<Self, ConfigError> {
        for language in Language::ALL {
            let wrong = |place: String, message| ConfigError::new(format!("{}.{place}", language.as_str()), message);
            let Some(texts) = languages.get(language) else {
                return Err(wrong("kinds".into(), "has no texts"));
            };
            if texts.months.len() != 12 {
                return Err(wrong("months".into(), "must have twelve names"));
            }
            for (place, text, has_code) in [
                ("paid", &texts.paid, false),
                ("put_off", &texts.put_off, false),
                ("test.title", &texts.test.title, false),
                ("test.body", &texts.test.body, false),
                ("code.title", &texts.code.title, false),
                ("code.body", &texts.code.body, true),
            ] {
                if text.is_empty() {
                    return Err(wrong(place.into(), "is empty"));
                }
                if has_code && named(text) != Some(vec!["code"]) {
                    return Err(wrong(place.into(), "must name the code once"));
                }
            }
            for kind in NoticeKind::ALL {
                let place = |field: &str| format!("{}.{field}", kind.as_str());
                let Some(KindTexts { title, body, discreet }) = texts.kinds.get(kind) else {
                    return Err(wrong(place("title"), "is missing"));
                };
                for (field, text, is_discreet) in
                    [("title", title, true), ("body", body, false), ("discreet", discreet, true)]
                {
                    if text.is_empty() {
                        return Err(wrong(place(field), "is empty"));
                    }
                    let Some(named) = named(text) else { return Err(wrong(place(field), "has an open brace")) };
                    if !named.iter().all(|name| VALUES.contains(name)) {
                        return Err(wrong(place(field), "names an unknown value"));
                    }
                    if is_discreet && named.iter().any(|name| AMOUNTS.contains(name)) {
                        return Err(wrong(place(field), "must name no amount"));
                    }
                }
            }
        }
        Ok(Texts(languages))
    }

    /// What a notice says in a language. Without `amounts` it says none.
    pub fn say(&self, language: Language, kind: NoticeKind, params: &NoticeParams, amounts: bool) -> Said {
        let Some(texts) = self.0.get(&language) else { return Said::default() };
        let Some(of_kind) = texts.kinds.get(&kind) else { return Said::default() };
        let body = if amounts { &of_kind.body } else { &of_kind.discreet };
        Said { title: texts.filled(&of_kind.title, params), body: texts.filled(body, params) }
    }
}

impl Texts {
    /// The buttons of a notice: that a due was paid, and that puts it off until the next day.
    pub fn actions(&self, language: Language) -> (String, String) {
        self.0.get(&language).map(|texts| (texts.paid.clone(), texts.put_off.clone())).unwrap_or_default()
    }

    /// The test of a device.
    pub fn test(&self, language: Language) -> Said {
        self.0.get(&language).map(|texts| texts.test.clone()).unwrap_or_default()
    }

    /// What brings a code.
    pub fn code(&self, language: Language, code: &str) -> Said {
        let Some(texts) = self.0.get(&language) else { return Said::default() };
        let body = replaced(&texts.code.body, |name| (name == "code").then(|| code.to_string()));
        Said { title: texts.code.title.clone(), body }
    }
}

impl LanguageTexts {
    fn filled(&self, text: &str, params: &NoticeParams) -> String {
        replaced(text, |name| match name {
            "name" => params.name.clone(),
            "when" => params.days.map(|days| self.when(days)),
            "date" => params.date.map(|date| self.day(date)),
            "amount" => params.amount.map(|amount| self.money(amount)),
            "before" => params.before.map(|amount| self.money(amount)),
            "percent" => params.percent.map(|percent| percent.to_string()),
            "rows" => params.rows.map(|rows| rows.to_string()),
            "due" => params.due.map(|due| due.to_string()),
            "days" => params.days.map(|days| days.to_string()),
            _ => None,
        })
    }

    fn when(&self, days: i16) -> String {
        match days {
            0 => self.today.clone(),
            1 => self.tomorrow.clone(),
            days => replaced(&self.in_days, |_| Some(days.to_string())),
        }
    }

    fn day(&self, date: Date) -> String {
        let month = u8::from(date.month());
        replaced(&self.date, |name| match name {
            "day" => Some(format!("{:02}", date.day())),
            "month" => Some(format!("{month:02}")),
            _ => self.months.get(usize::from(month) - 1).cloned(),
        })
    }

    fn money(&self, amount: Money) -> String {
        let cents = amount.cents();
        let (units, rest) = (cents.unsigned_abs() / 100, cents.unsigned_abs() % 100);
        let digits = units.to_string();
        let mut value = String::with_capacity(digits.len() * 2);
        for (at, digit) in digits.chars().enumerate() {
            if at > 0 && (digits.len() - at) % 3 == 0 {
                value.push_str(&self.thousands);
            }
            value.push(digit);
        }
        value.push_str(&format!("{}{rest:02}", self.decimal));
        replaced(&self.money, |name| match name {
            "sign" => Some(if cents < 0 { "-".to_string() } else { String::new() }),
            _ => Some(value.clone()),
        })
    }
}

/// The names in braces. None if a brace is not closed.
fn named(text: &str) -> Option<Vec<&str>> {
    let mut names = Vec::new();
    let mut rest = text;
    while let Some((_, behind)) = rest.split_once('{') {
        let (name, after) = behind.split_once('}')?;
        names.push(name);
        rest = after;
    }
    Some(names)
}

/// The text with a value in the place of each name in braces. A value is not looked into, whatever braces it has.
fn replaced(text: &str, value: impl Fn(&str) -> Option<String>) -> String {
    let mut made = String::with_capacity(text.len() * 2);
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once('{') {
        let Some((name, after)) = behind.split_once('}') else { break };
        made.push_str(before);
        made.push_str(&value(name).unwrap_or_default());
        rest = after;
    }
    made.push_str(rest);
    made
}

#[cfg(test)]
mod tests {
    use time::macros::date;

    use super::*;

    fn portuguese() -> LanguageTexts {
        let text = |text: &str| text.to_string();
        LanguageTexts {
            today: text("hoje"),
            tomorrow: text("amanhã"),
            in_days: text("em {days} dias"),
            date: text("{day}/{month}"),
            months: vec![text("x"); 12],
            money: text("{sign}R$ {value}"),
            thousands: text("."),
            decimal: text(","),
            paid: text("Paguei"),
            put_off: text("Amanhã"),
            test: Said { title: text("a"), body: text("b") },
            code: Said { title: text("a"), body: text("{code}") },
            kinds: HashMap::new(),
        }
    }

    #[test]
    fn days_dates_and_amounts_are_written_as_people_write_them() {
        let texts = portuguese();
        assert_eq!([0, 1, 2].map(|days| texts.when(days)), ["hoje", "amanhã", "em 2 dias"]);
        assert_eq!(texts.day(date!(2026 - 03 - 05)), "05/03");
        for (cents, text) in
            [(5, "R$ 0,05"), (99_999, "R$ 999,99"), (100_000, "R$ 1.000,00"), (-123_456_789, "-R$ 1.234.567,89")]
        {
            assert_eq!(texts.money(Money::from_cents(cents)), text);
        }
    }

    #[test]
    fn a_name_with_braces_is_said_as_it_is() {
        let params = NoticeParams { name: Some("{amount} {".into()), amount: Some(Money::ZERO), ..Default::default() };
        assert_eq!(portuguese().filled("a {name} b {name}", &params), "a {amount} { b {amount} {");
        assert_eq!(portuguese().filled("{date}!", &params), "!", "what a notice does not have is left out");
    }

    #[test]
    fn texts_that_cannot_be_meant_are_refused() {
        let all = |title: &str, discreet: &str| {
            let kind = KindTexts { title: title.into(), body: "{amount}".into(), discreet: discreet.into() };
            let kinds = NoticeKind::ALL.iter().map(|of| (*of, kind.clone())).collect();
            let texts = LanguageTexts { kinds, ..portuguese() };
            Texts::new(Language::ALL.iter().map(|language| (*language, texts.clone())).collect())
        };
        assert!(all("{name}", "x").is_ok());
        for (title, discreet, message) in [
            ("", "x", "is empty"),
            ("{name", "x", "has an open brace"),
            ("{nome}", "x", "names an unknown value"),
            ("{amount}", "x", "must name no amount"),
            ("x", "{before}", "must name no amount"),
        ] {
            assert_eq!(all(title, discreet).unwrap_err().message, message, "{title} {discreet}");
        }
        assert_eq!(Texts::new(HashMap::new()).unwrap_err().message, "has no texts");
    }
}
