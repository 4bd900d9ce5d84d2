//! Why a file could not be read at all.

use std::fmt;

/// Why a file could not be read at all; a single bad line is a [`Rejected`](crate::Rejected) instead.
///
/// Displays as a sentence in Portuguese for the person who imports the file.
///
/// ```
/// use finance_statements::{Error, Options, read};
///
/// let error = read(b"%PDF-1.7 ...", &Options::default()).unwrap_err();
/// assert!(matches!(error, Error::Unsupported(_)));
/// assert_eq!(error.to_string(), "O arquivo é um PDF; exporte o extrato em OFX ou CSV e envie esse arquivo.");
/// ```
#[non_exhaustive]
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Error {
    /// The bytes are of another kind of file; holds what they are: `um PDF`, `uma imagem PNG`.
    Unsupported(&'static str),
    /// An OFX or CSV, but nothing in it can be read as a statement; holds why, as a whole sentence.
    Unreadable(String),
    /// An option that does not fit the file, or is no valid option.
    Option {
        /// The option, by the name of its field in [`Options`](crate::Options).
        name: &'static str,
        /// What is wrong with it, as a whole sentence.
        message: String,
    },
    /// More transactions than the caller allows.
    TooManyRows {
        /// How many it allows.
        rows_max: usize,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Unsupported(what) => {
                write!(f, "O arquivo é {what}; exporte o extrato em OFX ou CSV e envie esse arquivo.")
            }
            Error::Unreadable(reason) => f.write_str(reason),
            Error::Option { message, .. } => f.write_str(message),
            Error::TooManyRows { rows_max } => {
                write!(
                    f,
                    "O arquivo tem mais de {rows_max} lançamentos; exporte períodos menores e importe um de cada vez."
                )
            }
        }
    }
}

impl std::error::Error for Error {}
