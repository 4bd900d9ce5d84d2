//! Categories of income and expenses, some with a monthly budget ([`budgets`](crate::budgets)).

use crate::error::{FieldErrors, Result};
use crate::ids::{CategoryId, ProfileId};
use crate::money::Money;
use crate::month::Month;
use crate::text;
use crate::transactions::Referring;
use crate::violations::Violation;
use crate::words::words;

words! {
    /// How the expenses of a category count in the yearly income tax return (IRPF).
    #[derive(Default)]
    pub enum TaxKind {
        /// Nothing.
        #[default]
        None = "none",
        /// Health.
        Health = "health",
        /// Education.
        Education = "education",
        /// Private pension.
        Pension = "pension",
        /// Donations.
        Donation = "donation",
    }
}

words! {
    /// What is left of a month's budget in the next month.
    #[derive(Default)]
    pub enum Carry {
        /// Nothing.
        #[default]
        None = "none",
        /// What was not spent.
        Surplus = "surplus",
        /// What was not spent, and what was spent too much.
        Both = "both",
    }
}

/// The last place among the categories, and the default.
pub const POSITION_MAX: u16 = 9_999;
/// The most characters of a group.
pub const GROUP_CHARS_MAX: usize = 40;
/// How many months ago a category may begin to carry.
pub const CARRY_MONTHS_BACK_MAX: i32 = 120;
/// How many months ahead a category may begin to carry.
pub const CARRY_MONTHS_AHEAD_MAX: i32 = 24;

/// How a category is shown, and how its budget goes on from month to month.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Planning {
    /// The group that it belongs to. Groups are equal regardless of case.
    pub group: Option<String>,
    /// Its place among the categories, 0 to [`POSITION_MAX`]. Equal places are ordered by name.
    pub position: u16,
    /// One of the [allowed](Allowed) icons.
    pub icon: Option<String>,
    /// One of the [allowed](Allowed) colors. None for a color that the page chooses.
    pub color: Option<String>,
    /// Whether it is no longer offered or suggested.
    pub is_hidden: bool,
    /// Whether its incomes are refunds of its expenses.
    pub nets_refunds: bool,
    /// What is left of a month's budget in the next month.
    pub carry: Carry,
    /// The first month from which something is carried. None if nothing is.
    pub carry_since: Option<Month>,
}

impl Default for Planning {
    fn default() -> Self {
        Planning {
            group: None,
            position: POSITION_MAX,
            icon: None,
            color: None,
            is_hidden: false,
            nets_refunds: true,
            carry: Carry::None,
            carry_since: None,
        }
    }
}

/// The form in which groups are compared.
pub fn group_key(group: &str) -> String {
    text::name_key(group)
}

/// A group as it is stored: trimmed, 1 to [`GROUP_CHARS_MAX`] characters.
///
/// # Errors
///
/// [`Violation::Blank`], [`Violation::TooLong`], [`Violation::NulCharacter`] or [`Violation::HiddenCharacter`].
pub fn group(text: &str) -> Result<String, Violation> {
    text::bounded(text, GROUP_CHARS_MAX).and_then(text::visible)
}

/// The names that the icon of a category may have, or its color, in order.
///
/// ```
/// use finance_domain::categories::Allowed;
///
/// let colors = Allowed::new(["blue".to_string(), "amber".to_string()]);
/// assert_eq!(colors.check("amber").unwrap(), "amber");
/// assert_eq!(colors.check("mud").unwrap_err().to_string(), "must be blue or amber");
/// assert_eq!(colors.free(["blue"]), Some("amber"));
/// assert_eq!(colors.free(["blue", "amber", "blue"]), Some("amber"), "if all are taken, the rarest");
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Allowed(Vec<String>);

impl Allowed {
    /// These names.
    pub fn new(names: impl IntoIterator<Item = String>) -> Self {
        Allowed(names.into_iter().collect())
    }

    /// The name, if it is one of them.
    ///
    /// # Errors
    ///
    /// [`Violation::NotOneOf`].
    pub fn check(&self, name: &str) -> Result<String, Violation> {
        let known = self.0.iter().find(|known| *known == name).cloned();
        known.ok_or_else(|| Violation::not_one_of(&self.0.iter().collect::<Vec<_>>()))
    }

    /// The first one that the fewest categories have. None if there are none.
    pub fn free<'c>(&self, taken: impl IntoIterator<Item = &'c str>) -> Option<&str> {
        let taken: Vec<&str> = taken.into_iter().collect();
        let uses = |name: &&String| taken.iter().filter(|taken| *taken == name).count();
        self.0.iter().min_by_key(uses).map(String::as_str)
    }

    /// All of them.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }
}

/// Whether the incomes of a category that an earlier release stored are refunds. They are not in a category for salaries or
/// investments, and not where more came in than went out.
///
/// ```
/// use finance_domain::Money;
/// use finance_domain::categories::nets_refunds_at_first;
///
/// let reais = |units: i128| Money::from_cents(units * 100);
/// assert!(nets_refunds_at_first("Mercado", reais(50), reais(700)));
/// assert!(!nets_refunds_at_first("Aluguel", reais(900), reais(0)));
/// assert!(!nets_refunds_at_first("SALÁRIO", reais(0), reais(0)));
/// ```
pub fn nets_refunds_at_first(name: &str, income: Money, expenses: Money) -> bool {
    const OF_INCOME: [&str; 2] = ["salário", "investimentos"];
    !OF_INCOME.contains(&text::name_key(name).as_str()) && income <= expenses
}

/// Sorts categories by place, then name, with those of a group together: a group stands where its first category does.
///
/// ```
/// use finance_domain::categories::in_order;
///
/// let categories = [(2, "b", Some("G")), (1, "a", None), (0, "c", Some("g")), (3, "d", None)];
/// let order = in_order(&categories, |(position, name, group)| (*position, name.to_string(), group.map(str::to_string)));
/// let names: Vec<&str> = order.iter().map(|at| categories[*at].1).collect();
/// assert_eq!(names, ["c", "b", "a", "d"]);
/// ```
///
/// Returns the positions of the categories. `by` gives the place, the name and the group of each.
pub fn in_order<C>(categories: &[C], by: impl Fn(&C) -> (u16, String, Option<String>)) -> Vec<usize> {
    let values: Vec<_> = categories
        .iter()
        .map(|category| {
            let (position, name, group) = by(category);
            (position, text::name_key(&name), group.as_deref().map(group_key))
        })
        .collect();
    let mut order: Vec<usize> = (0..categories.len()).collect();
    order.sort_by_key(|at| (values[*at].0, values[*at].1.clone()));
    let mut groups: Vec<&Option<String>> = Vec::new();
    for at in &order {
        if !groups.contains(&&values[*at].2) {
            groups.push(&values[*at].2);
        }
    }
    // Stable: categories of a group keep their order.
    order.sort_by_key(|at| groups.iter().position(|group| **group == values[*at].2));
    order
}

/// A category of a profile.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Category {
    /// Its id.
    pub id: CategoryId,
    /// The profile that owns it.
    pub profile_id: ProfileId,
    /// Its name, unique in the profile, ignoring case.
    pub name: String,
    /// Whether its expenses count as taxes.
    pub is_tax: bool,
    /// Whether the profile was created with it. Such a category cannot be deleted.
    pub is_standard: bool,
    /// The default budget of a month, 0 or more. None if it has no budget.
    pub monthly_budget: Option<Money>,
    /// How its expenses count in the yearly income tax return.
    pub tax_kind: TaxKind,
    /// How it is shown, and how its budget goes on.
    pub planning: Planning,
}

/// The fields of a category that a client sets, checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewCategory {
    /// Its name.
    pub name: String,
    /// Whether its expenses count as taxes.
    pub is_tax: bool,
    /// The monthly budget. None for no budget.
    pub monthly_budget: Option<Money>,
    /// How its expenses count in the yearly income tax return.
    pub tax_kind: TaxKind,
    /// How it is shown, and how its budget goes on.
    pub planning: Planning,
}

/// A category as a client sends it, not yet checked.
#[derive(Debug, Clone, Default)]
pub struct CategoryInput {
    /// Required, 1 to 100 characters.
    pub name: Option<String>,
    /// False if absent.
    pub is_tax: Option<bool>,
    /// 0 to 9999999999.99. No budget if absent.
    pub monthly_budget: Option<Money>,
    /// `none` if absent.
    pub tax_kind: Option<TaxKind>,
    /// 1 to 40 characters. This and the fields below keep their value if absent.
    pub group: Option<Referring<String>>,
    /// 0 to 9999.
    pub position: Option<i64>,
    /// One of the [allowed](Allowed) icons.
    pub icon: Option<Referring<String>>,
    /// One of the [allowed](Allowed) colors. A new category gets one that is free.
    pub color: Option<Referring<String>>,
    /// Whether it is no longer offered or suggested.
    pub is_hidden: Option<bool>,
    /// Whether its incomes are refunds.
    pub nets_refunds: Option<bool>,
    /// What is left of a month's budget in the next month.
    pub carry: Option<Carry>,
    /// At most 120 months back and 24 ahead; this month by default. Ignored if nothing is carried.
    pub carry_since: Option<Referring<Month>>,
    /// Fields that could not be read. They are reported together with those that break a rule.
    pub errors: FieldErrors,
}

impl CategoryInput {
    /// Applies the rules. Absent fields keep the values of `before`, or get those of a new category.
    ///
    /// ```
    /// use finance_domain::categories::{Allowed, CategoryInput, Planning};
    ///
    /// let (icons, colors, this_month) = (Allowed::default(), Allowed::default(), "2026-03".parse().unwrap());
    /// let input = CategoryInput { name: Some(" Casa ".into()), ..Default::default() };
    /// assert_eq!(input.check(&Planning::default(), &icons, &colors, this_month).unwrap().name, "Casa");
    /// assert!(CategoryInput::default().check(&Planning::default(), &icons, &colors, this_month).is_err());
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`](crate::Error::Invalid) with every broken rule.
    pub fn check(self, before: &Planning, icons: &Allowed, colors: &Allowed, this_month: Month) -> Result<NewCategory> {
        let mut errors = self.errors;
        let name = errors.require("name", self.name).and_then(|name| errors.check("name", text::name(&name)));
        if self.monthly_budget.is_some_and(|budget| budget < Money::ZERO || budget > Money::TRANSACTION_MAX) {
            errors.push("monthly_budget", Violation::out_of_range(0, Money::TRANSACTION_MAX));
        }
        let mut planning = before.clone();
        match self.group {
            Some(Referring::To(text)) => planning.group = errors.check("group", group(&text)),
            Some(Referring::Nothing) => planning.group = None,
            None => {}
        }
        match self.icon {
            // An icon of an earlier release stays.
            Some(Referring::To(name)) if before.icon.as_deref() == Some(&name) => {}
            Some(Referring::To(name)) => planning.icon = errors.check("icon", icons.check(&name)),
            Some(Referring::Nothing) => planning.icon = None,
            None => {}
        }
        match self.color {
            // A color of an earlier release stays.
            Some(Referring::To(name)) if before.color.as_deref() == Some(&name) => {}
            Some(Referring::To(name)) => planning.color = errors.check("color", colors.check(&name)),
            Some(Referring::Nothing) => planning.color = None,
            None => {}
        }
        if let Some(position) = self.position {
            match u16::try_from(position).ok().filter(|position| *position <= POSITION_MAX) {
                Some(position) => planning.position = position,
                None => errors.push("position", Violation::out_of_range(0, i64::from(POSITION_MAX))),
            }
        }
        planning.is_hidden = self.is_hidden.unwrap_or(before.is_hidden);
        planning.nets_refunds = self.nets_refunds.unwrap_or(before.nets_refunds);
        planning.carry = self.carry.unwrap_or(before.carry);
        let since = match self.carry_since {
            Some(since) => since.id(),
            None => before.carry_since,
        };
        planning.carry_since = match planning.carry {
            Carry::None => None,
            Carry::Surplus | Carry::Both => Some(since.unwrap_or(this_month)),
        };
        let (first, last) = (this_month.minus(CARRY_MONTHS_BACK_MAX), this_month.plus(CARRY_MONTHS_AHEAD_MAX));
        let is_within = |since: Month| (first..=last).contains(&since) || before.carry_since == Some(since);
        if planning.carry_since.is_some_and(|since| !is_within(since)) {
            errors.push("carry_since", Violation::out_of_range(first.to_string(), last.to_string()));
        }
        let (name,) = errors.all((name,))?;
        Ok(NewCategory {
            name,
            is_tax: self.is_tax.unwrap_or(false),
            monthly_budget: self.monthly_budget,
            tax_kind: self.tax_kind.unwrap_or_default(),
            planning,
        })
    }
}

/// The most categories of one profile, the standard ones included.
pub const CATEGORIES_MAX: usize = 500;

/// The port of categories. Every method may fail as [`Store::transact`](crate::Store::transact) does.
pub trait CategoryRepo {
    /// All categories, by name.
    fn category_list(&mut self) -> Result<Vec<Category>>;
    /// How many categories there are.
    fn category_count(&mut self) -> Result<usize>;
    /// The category of that id, if the profile has one.
    fn category_get(&mut self, id: CategoryId) -> Result<Option<Category>>;
    /// Stores a new category; [`Refusal::CategoryNameTaken`](crate::Refusal::CategoryNameTaken) if the name is taken.
    fn category_insert(&mut self, new: &NewCategory) -> Result<Category>;
    /// Replaces the fields of a category. None if there is no such category.
    fn category_update(&mut self, id: CategoryId, new: &NewCategory) -> Result<Option<Category>>;
    /// Moves everything in a category to another one: transactions, rows of pending statements, recurring items
    /// and rules.
    fn category_empty(&mut self, id: CategoryId, into: CategoryId) -> Result<()>;
    /// Deletes a category; [`Refusal::CategoryInUse`](crate::Refusal::CategoryInUse) if something refers to it.
    fn category_delete(&mut self, id: CategoryId) -> Result<()>;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn planned(input: CategoryInput, before: &Planning) -> Result<Planning, Vec<String>> {
        let input = CategoryInput { name: Some("Casa".into()), ..input };
        let (icons, colors) = (Allowed::new(["home".to_string()]), Allowed::new(["blue".to_string()]));
        let checked = input.check(before, &icons, &colors, "2026-03".parse().unwrap()).map(|new| new.planning);
        checked.map_err(|error| match error {
            crate::Error::Invalid(errors) => errors.iter().map(|error| error.field.clone()).collect(),
            other => vec![other.to_string()],
        })
    }

    #[test]
    fn absent_fields_keep_their_values_and_null_clears_them() {
        let before = Planning {
            group: Some("Casa".into()),
            position: 3,
            icon: Some("boat".into()),
            color: Some("mud".into()),
            is_hidden: true,
            nets_refunds: false,
            carry: Carry::Both,
            carry_since: Some("2001-01".parse().unwrap()),
        };
        assert_eq!(planned(CategoryInput::default(), &before), Ok(before.clone()));
        let again = CategoryInput {
            group: before.group.clone().map(Referring::To),
            icon: before.icon.clone().map(Referring::To),
            color: before.color.clone().map(Referring::To),
            carry_since: before.carry_since.map(Referring::To),
            ..CategoryInput::default()
        };
        assert_eq!(planned(again, &before), Ok(before.clone()), "what was read can be sent back");
        let cleared = CategoryInput {
            group: Some(Referring::Nothing),
            icon: Some(Referring::Nothing),
            carry: Some(Carry::None),
            ..CategoryInput::default()
        };
        let expected = Planning { group: None, icon: None, carry: Carry::None, carry_since: None, ..before };
        assert_eq!(planned(cleared, &Planning { group: Some("x".into()), ..expected.clone() }), Ok(expected));
    }

    #[test]
    fn carrying_begins_this_month_and_within_bounds() {
        let carrying = |since: Option<&str>| CategoryInput {
            carry: Some(Carry::Surplus),
            carry_since: since.map(|since| Referring::To(since.parse().unwrap())),
            ..CategoryInput::default()
        };
        let since = |since| planned(carrying(since), &Planning::default()).map(|planning| planning.carry_since);
        assert_eq!(since(None), Ok("2026-03".parse().ok()));
        assert_eq!(since(Some("2016-03")), Ok("2016-03".parse().ok()));
        assert_eq!(since(Some("2016-02")), Err(vec!["carry_since".to_string()]));
        assert_eq!(since(Some("2028-04")), Err(vec!["carry_since".to_string()]));
    }
}
