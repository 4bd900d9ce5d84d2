//! What is shown of a description, and the lists that names are written by.

use crate::words::words;

words! {
    /// How a row was paid, as far as its text says.
    pub enum Method {
        /// Pix.
        Pix = "pix",
        /// A boleto, or a bill of a utility.
        Boleto = "boleto",
        /// A debit card, or automatic debit.
        Debit = "debit",
        /// A credit card.
        Credit = "credit",
        /// A transfer between banks.
        Transfer = "transfer",
        /// Cash.
        Cash = "cash",
    }
}

/// What is shown of a description.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Display {
    /// The payee. The whole description, if it names nobody.
    pub name: String,
    /// How it was paid. None if the text does not say it.
    pub method: Option<Method>,
}

/// How names are written, as read from the file of the [payees](super::Payees).
#[derive(Debug, Clone, Default)]
pub struct DisplayLists {
    /// Words as they are written with accents, or in another case than that of a name: `São`, `iFood`.
    pub spellings: Vec<String>,
    /// Words that stay in lower case inside a name.
    pub particles: Vec<String>,
    /// Words that are dropped from the end of a name.
    pub endings: Vec<String>,
    /// Payee keys, each with the name that is shown for it.
    pub names: Vec<(String, String)>,
    /// How each method is recognised, in the order in which they are tried.
    pub methods: Vec<MethodWords>,
}

/// The words that tell a method.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MethodWords {
    /// The method.
    pub method: Method,
    /// Words of a phrase before the payee.
    pub in_phrase: Vec<String>,
    /// Words that tell it at the beginning of a text, also without a phrase.
    pub first: Vec<String>,
}
