//! The names of payees in views.

use std::sync::{Arc, OnceLock};

use finance_domain::suggestions::{Display, Lexicon, Method};
use serde::Serialize;
use utoipa::ToSchema;

use crate::words::{WordSchema, WordView};

/// What is known about payees. It is part of the program, so every service of a process has the same.
static LEXICON: OnceLock<Arc<Lexicon>> = OnceLock::new();

/// Sets what is known about payees. Called when a service is made.
pub(crate) fn show_by(lexicon: &Arc<Lexicon>) {
    LEXICON.get_or_init(|| Arc::clone(lexicon));
}

impl WordSchema for Method {
    const NAME: &'static str = "PaymentMethod";
    const DESCRIPTION: &'static str = "How a transaction was paid, as far as its text says.";
}

/// How a transaction was paid.
pub(crate) type MethodView = WordView<Method>;

/// How a transaction is shown.
#[derive(Serialize, ToSchema)]
#[schema(as = Display)]
pub(crate) struct DisplayView {
    /// The payee's name as a person writes it; the whole description if it names nobody.
    #[schema(example = "Maria Aparecida dos Santos")]
    name: String,
    /// Null if the text does not say it.
    method: Option<MethodView>,
}

/// How a description is shown. `statement` is the text of the statement, if the description was changed.
pub(crate) fn display(description: &str, statement: Option<&str>) -> Display {
    match LEXICON.get() {
        Some(lexicon) => lexicon.payees.display(description, statement),
        None => Display { name: description.to_string(), method: None },
    }
}

impl DisplayView {
    /// As [`display`].
    pub(crate) fn of(description: &str, statement: Option<&str>) -> Self {
        let Display { name, method } = display(description, statement);
        DisplayView { name, method: method.map(MethodView::from) }
    }
}
