//! Categories of income and expenses, some with a monthly budget.

use crate::error::{FieldErrors, Result};
use crate::ids::{CategoryId, ProfileId};
use crate::money::Money;
use crate::text;
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
    /// The monthly budget, 0 or more. None if it has no budget.
    pub monthly_budget: Option<Money>,
    /// How its expenses count in the yearly income tax return.
    pub tax_kind: TaxKind,
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
    /// Fields that could not be read. They are reported together with those that break a rule.
    pub errors: FieldErrors,
}

impl CategoryInput {
    /// Applies the rules.
    ///
    /// ```
    /// use finance_domain::categories::CategoryInput;
    ///
    /// let input = CategoryInput { name: Some(" Casa ".into()), ..Default::default() };
    /// assert_eq!(input.check().unwrap().name, "Casa");
    /// assert!(CategoryInput::default().check().is_err());
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`](crate::Error::Invalid) with every broken rule.
    pub fn check(self) -> Result<NewCategory> {
        let mut errors = self.errors;
        let name = errors.require("name", self.name).and_then(|name| errors.check("name", text::name(&name)));
        if self.monthly_budget.is_some_and(|budget| budget < Money::ZERO || budget > Money::TRANSACTION_MAX) {
            errors.push("monthly_budget", Violation::out_of_range(0, Money::TRANSACTION_MAX));
        }
        errors.into_result()?;
        Ok(NewCategory {
            name: name.unwrap_or_default(),
            is_tax: self.is_tax.unwrap_or(false),
            monthly_budget: self.monthly_budget,
            tax_kind: self.tax_kind.unwrap_or_default(),
        })
    }
}

/// The most categories of one profile, the standard ones included.
pub const CATEGORIES_MAX: usize = 500;

/// The port of categories. Every method may fail as [`Store::transact`](crate::Store::transact) does.
#[allow(clippy::missing_errors_doc)]
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
