//! Items that households often have, to begin with.

use time::Date;

use crate::business_days::Holidays;
use crate::error::ConfigError;
use crate::ids::{AccountId, CategoryId};
use crate::money::Money;
use crate::month::Month;
use crate::transactions::Kind;

use super::values::Schedule;

/// An item to be, of which some fields are not known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Draft {
    /// Income or expense.
    pub kind: Kind,
    /// Its description.
    pub description: Option<String>,
    /// The expected amount.
    pub amount: Option<Money>,
    /// Its category.
    pub category_id: Option<CategoryId>,
    /// Its account.
    pub account_id: Option<AccountId>,
    /// The day of the month.
    pub day: Option<u8>,
    /// When it is due.
    pub schedule: Schedule,
}

impl Draft {
    /// A draft of which only the type is known.
    pub fn new(kind: Kind) -> Self {
        Draft {
            kind,
            description: None,
            amount: None,
            category_id: None,
            account_id: None,
            day: None,
            schedule: Schedule::default(),
        }
    }
}

/// An item of a template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TemplateItem {
    /// Income or expense.
    pub kind: Kind,
    /// Its description.
    pub description: String,
    /// The month in which its rhythm begins, from 1.
    pub month: u8,
    /// The day of the month.
    pub day: u8,
    /// Its rhythm, without the first day.
    pub schedule: Schedule,
}

/// What households often have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template {
    /// Names it, in `snake_case`.
    pub key: String,
    /// Its name for users.
    pub name: String,
    /// Its items.
    pub items: Vec<TemplateItem>,
}

impl Template {
    /// The items, which begin on the next such day.
    pub fn drafts(&self, today: Date) -> Vec<Draft> {
        self.items.iter().map(|item| item.draft(today)).collect()
    }
}

impl TemplateItem {
    fn draft(&self, today: Date) -> Draft {
        let of_month = Month::of(today).plus(i32::from(self.month) - i32::from(u8::from(today.month())));
        let this_year = of_month.day_clamped(self.day);
        let start = if this_year < today { of_month.plus(12).day_clamped(self.day) } else { this_year };
        Draft {
            description: Some(self.description.clone()),
            day: Some(self.day),
            schedule: Schedule { start_on: Some(start), ..self.schedule.clone() },
            ..Draft::new(self.kind)
        }
    }
}

/// What a program knows about schedules: the holidays, and the templates. The default knows nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Catalog {
    /// The holidays.
    pub holidays: Holidays,
    /// The templates.
    pub templates: Vec<Template>,
}

impl Catalog {
    /// Checks the templates.
    ///
    /// # Errors
    ///
    /// If a template has no item, a key is used twice, or an item has a day that no month has.
    pub fn new(holidays: Holidays, templates: Vec<Template>) -> Result<Self, ConfigError> {
        for (at, template) in templates.iter().enumerate() {
            let error = |message| ConfigError::new(format!("template {:?}", template.key), message);
            if template.items.is_empty() {
                return Err(error("has no item"));
            }
            if templates[..at].iter().any(|other| other.key == template.key) {
                return Err(error("is there twice"));
            }
            let is_day = |item: &TemplateItem| (1..=12).contains(&item.month) && (1..=31).contains(&item.day);
            if !template.items.iter().all(is_day) {
                return Err(error("has an item without a day of the year"));
            }
        }
        Ok(Catalog { holidays, templates })
    }
}

#[cfg(test)]
mod tests {
    use time::macros::date;

    use super::*;

    #[test]
    fn a_template_begins_on_the_next_such_day() {
        let item = |month, day| TemplateItem {
            kind: Kind::Expense,
            description: "IPVA".into(),
            month,
            day,
            schedule: Schedule::default(),
        };
        let template = Template {
            key: "ipva".into(),
            name: "IPVA".into(),
            items: vec![item(3, 10), item(3, 9), item(12, 31), item(2, 31)],
        };
        let begins: Vec<_> =
            template.drafts(date!(2026 - 03 - 10)).iter().map(|draft| draft.schedule.start_on.unwrap()).collect();
        assert_eq!(
            begins,
            [date!(2026 - 03 - 10), date!(2027 - 03 - 09), date!(2026 - 12 - 31), date!(2027 - 02 - 28)]
        );
        let refused =
            |items| Catalog::new(Holidays::default(), vec![Template { items, ..template.clone() }]).unwrap_err();
        assert_eq!(refused(vec![]).to_string(), "template \"ipva\": has no item");
        assert_eq!(refused(vec![item(13, 1)]).message, "has an item without a day of the year");
        let twice = Catalog::new(Holidays::default(), vec![template.clone(), template.clone()]).unwrap_err();
        assert_eq!(twice.message, "is there twice");
    }
}
