//! What fills the form of an item: a code and the templates. Nothing is stored.

use crate::context::Context;
use crate::error::{Error, FieldErrors, Result};
use crate::recurring::{Code, Draft, Template, parse_code};
use crate::violations::Violation;

/// What a code says. Nothing is stored.
///
/// # Errors
///
/// [`Error::Invalid`] at `text`.
pub fn parse(context: &Context, text: Option<String>, mut errors: FieldErrors) -> Result<Code> {
    let text = errors.require("text", text);
    if text.as_ref().is_some_and(|text| text.chars().count() > CODE_LETTERS_MAX) {
        errors.push("text", Violation::TooLong { max: i64::try_from(CODE_LETTERS_MAX).unwrap_or(i64::MAX) });
    }
    errors.into_result()?;
    let code = text.and_then(|text| parse_code(&text, context.today));
    code.ok_or_else(|| Error::invalid("text", Violation::NotACode))
}

/// The most letters of a code.
const CODE_LETTERS_MAX: usize = 1_000;

/// A template, and its items as they would begin today.
pub fn templates(context: &Context) -> Vec<(&Template, Vec<Draft>)> {
    context.schedules.templates.iter().map(|template| (template, template.drafts(context.today))).collect()
}
