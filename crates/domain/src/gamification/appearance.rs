//! The appearance that a person chooses for the figure: skin, hair style and body.

use crate::error::{FieldErrors, Result};
use crate::violations::Violation;

/// The appearance of a profile's figure: ids of the catalog.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Appearance {
    /// The tone of the skin.
    pub skin: String,
    /// The style of the hair. Its colour is a cosmetic.
    pub hair_style: String,
    /// The body.
    pub body: String,
}

/// The choices: ids, in the order of the catalog.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AppearanceChoices {
    /// The tones of the skin, from light to dark.
    pub skin: Vec<String>,
    /// The styles of the hair.
    pub hair_style: Vec<String>,
    /// The bodies.
    pub body: Vec<String>,
}

/// An appearance as a client sends it, not yet checked.
#[derive(Debug, Clone, Default)]
pub struct AppearanceInput {
    /// Required, one of the choices.
    pub skin: Option<String>,
    /// Required, one of the choices.
    pub hair_style: Option<String>,
    /// Required, one of the choices.
    pub body: Option<String>,
    /// Fields that could not be read. They are reported together with those that break a rule.
    pub errors: FieldErrors,
}

impl AppearanceInput {
    /// Applies the rules.
    ///
    /// ```
    /// use finance_domain::gamification::{AppearanceChoices, AppearanceInput};
    ///
    /// let choices = AppearanceChoices {
    ///     skin: vec!["light".into(), "dark".into()], hair_style: vec!["coily".into()], body: vec!["slim".into()],
    /// };
    /// let input = |skin: &str| AppearanceInput {
    ///     skin: Some(skin.into()), hair_style: Some("coily".into()), body: Some("slim".into()), ..Default::default()
    /// };
    /// assert_eq!(input("dark").check(&choices)?.skin, "dark");
    /// assert_eq!(input("green").check(&choices).unwrap_err().to_string(), "skin: must be light or dark");
    /// # Ok::<(), finance_domain::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`](crate::Error::Invalid) with every broken rule.
    pub fn check(self, choices: &AppearanceChoices) -> Result<Appearance> {
        let mut errors = self.errors;
        let mut one_of = |field: &str, value: Option<String>, known: &[String]| {
            let value = errors.require(field, value).unwrap_or_default();
            if !known.contains(&value) {
                errors.push(field, Violation::not_one_of(known));
            }
            value
        };
        let appearance = Appearance {
            skin: one_of("skin", self.skin, &choices.skin),
            hair_style: one_of("hair_style", self.hair_style, &choices.hair_style),
            body: one_of("body", self.body, &choices.body),
        };
        errors.into_result()?;
        Ok(appearance)
    }
}
