//! The texts of notices: `config/notices.toml`.

use std::collections::HashMap;

use anyhow::{Context, Result, anyhow};
use finance_domain::notices::{KindTexts, Language, LanguageTexts, NoticeKind, Said, Texts};
use serde::Deserialize;

const FILE: &str = "config/notices.toml";
const SHIPPED: &str = include_str!("../../../../config/notices.toml");

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LanguageFile {
    today: String,
    tomorrow: String,
    in_days: String,
    date: String,
    months: Vec<String>,
    money: String,
    thousands: String,
    decimal: String,
    paid: String,
    put_off: String,
    test: SaidFile,
    code: SaidFile,
    kinds: HashMap<String, KindFile>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SaidFile {
    title: String,
    body: String,
}

impl From<SaidFile> for Said {
    fn from(SaidFile { title, body }: SaidFile) -> Self {
        Said { title, body }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct KindFile {
    title: String,
    body: String,
    discreet: String,
}

/// The texts of notices in every language.
///
/// # Errors
///
/// If `config/notices.toml` is invalid. The message names the language, the kind and the text.
pub fn notice_texts() -> Result<Texts> {
    read(SHIPPED)
}

fn read(text: &str) -> Result<Texts> {
    let file: HashMap<String, LanguageFile> = toml::from_str(text).context(FILE)?;
    let mut languages = HashMap::new();
    for (word, of) in file {
        let language: Language = word.parse().map_err(|violation| anyhow!("{word:?} {violation}")).context(FILE)?;
        let mut kinds = HashMap::new();
        for (kind, KindFile { title, body, discreet }) in of.kinds {
            let named: NoticeKind = kind.parse().map_err(|violation| anyhow!("{kind:?} {violation}")).context(FILE)?;
            kinds.insert(named, KindTexts { title, body, discreet });
        }
        let LanguageFile { today, tomorrow, in_days, date, months, money, thousands, decimal, .. } = of;
        let LanguageFile { paid, put_off, test, code, .. } = of;
        let texts = LanguageTexts {
            today,
            tomorrow,
            in_days,
            date,
            months,
            money,
            thousands,
            decimal,
            paid,
            put_off,
            test: test.into(),
            code: code.into(),
            kinds,
        };
        languages.insert(language, texts);
    }
    Texts::new(languages).context(FILE)
}

#[cfg(test)]
mod tests {
    use finance_domain::Money;
    use finance_domain::notices::NoticeParams;
    use time::macros::date;

    use super::*;

    fn message(language: Language, kind: NoticeKind, name: &str, days: i16) -> (String, String, String) {
        let params = NoticeParams {
            name: Some(name.into()),
            date: Some(date!(2026 - 03 - 05)),
            amount: Some(Money::from_cents(123_456)),
            before: Some(Money::from_cents(3_990)),
            percent: Some(80),
            days: Some(days),
            rows: Some(12),
            due: Some(2),
            ..NoticeParams::default()
        };
        let texts = notice_texts().unwrap();
        let (open, discreet) = (texts.say(language, kind, &params, true), texts.say(language, kind, &params, false));
        assert_eq!(open.title, discreet.title);
        (open.title, open.body, discreet.body)
    }

    #[test]
    fn the_shipped_texts_say_what_people_say() {
        let title = |kind, name, days| message(Language::Portuguese, kind, name, days).0;
        assert_eq!(title(NoticeKind::BillDue, "Nubank", 3), "Fatura Nubank vence em 3 dias");
        assert_eq!(title(NoticeKind::BillDue, "Nubank", 1), "Fatura Nubank vence amanhã");
        assert_eq!(title(NoticeKind::BillDue, "Nubank", 0), "Fatura Nubank vence hoje");
        assert_eq!(title(NoticeKind::Budget, "Mercado", 0), "Mercado passou de 80% do orçamento");
        for kind in [NoticeKind::RecurringLate, NoticeKind::Balance, NoticeKind::StatementMissing] {
            assert!(title(kind, "Conta", 0).contains("05/03"), "{kind:?}");
        }
        let (title, body, discreet) = message(Language::English, NoticeKind::PriceChanged, "Netflix", 0);
        assert_eq!((title.as_str(), body.as_str()), ("Netflix has changed its price", "From R$ 39.90 to R$ 1,234.56."));
        assert!(!discreet.contains("R$"), "{discreet}");
        assert_eq!(message(Language::English, NoticeKind::BillDue, "Nubank", 1).1, "R$ 1,234.56 to pay by 05 Mar.");
    }

    #[test]
    fn nothing_discreet_has_an_amount() {
        for language in [Language::Portuguese, Language::English] {
            for kind in <NoticeKind as finance_domain::Word>::ALL {
                let (title, _, discreet) = message(language, *kind, "x", 2);
                assert!(!format!("{title} {discreet}").contains("R$"), "{kind:?}");
                assert!(!format!("{title} {discreet}").contains('{'), "{kind:?}");
            }
        }
    }

    #[test]
    fn what_is_wrong_is_named_by_file_kind_and_text() {
        for (from, to, part) in [
            ("[en]", "[fr]", "today"),
            ("kinds.budget]", "kinds.moon]", "moon"),
            ("title = \"Resumo da semana\"", "title = \"{amount}\"", "pt-BR.digest.title"),
            ("tomorrow = ", "later = ", "later"),
            ("O código é {code}", "O código é seu", "pt-BR.code.body"),
            ("paid = \"Paguei\"", "paid = \"\"", "pt-BR.paid"),
        ] {
            let error = format!("{:#}", read(&SHIPPED.replacen(from, to, 1)).unwrap_err());
            assert!(error.contains(FILE) && error.contains(part), "{error}");
        }
    }
}
