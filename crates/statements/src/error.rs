//! Why a file cannot be read.

use std::fmt;

use crate::OptionFault;

/// Why a file cannot be read. A single bad line is a [`Rejected`](crate::Rejected) instead.
///
/// It displays as a sentence in Portuguese, for the person who imports the file.
///
/// ```
/// use finance_statements::{Error, Options, read};
///
/// let error = read(b"%PDF-1.7 ...", &Options::default()).unwrap_err();
/// assert!(matches!(error, Error::Unsupported(_)));
/// assert_eq!(error.to_string(), "O arquivo é um PDF; exporte o extrato em OFX, CSV ou planilha e envie esse arquivo.");
/// ```
#[non_exhaustive]
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Error {
    /// The bytes are another kind of file. The text names it: `um PDF`, `uma imagem PNG`.
    Unsupported(&'static str),
    /// The file contains no readable statement. The text is the reason, as a complete sentence.
    Unreadable(String),
    /// An option is invalid or does not fit the file.
    Option {
        /// The name of the option's field in [`Options`](crate::Options).
        name: &'static str,
        /// What is wrong with it.
        fault: OptionFault,
    },
    /// A spreadsheet exceeds a limit of the reader. The text names the limit, without a period.
    TooLarge(String),
    /// The file has more transactions, or more rejected lines, than the caller allows.
    TooManyRows {
        /// The limit, [`Options::rows_max`](crate::Options::rows_max).
        rows_max: usize,
    },
    /// The caller stopped the reader.
    Stopped,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Unsupported(what) => {
                write!(f, "O arquivo é {what}; exporte o extrato em OFX, CSV ou planilha e envie esse arquivo.")
            }
            Error::Unreadable(reason) => f.write_str(reason),
            Error::TooLarge(limit) => write!(f, "{limit}; exporte períodos menores e importe um de cada vez."),
            Error::Option { fault, .. } => fault.fmt(f),
            Error::TooManyRows { rows_max } => {
                write!(
                    f,
                    "O arquivo tem mais de {rows_max} lançamentos; exporte períodos menores e importe um de cada vez."
                )
            }
            Error::Stopped => f.write_str("A leitura do arquivo foi interrompida; tente de novo."),
        }
    }
}

impl std::error::Error for Error {}
