//! Why a line contains no usable transaction, and why an option does not fit: codes with parameters, and the texts in
//! Portuguese that are made from them.

/// A parameter of a code: a value that its text contains.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Param {
    /// A whole number.
    Number(usize),
    /// A text from the file.
    Text(String),
}

impl From<usize> for Param {
    fn from(number: usize) -> Self {
        Param::Number(number)
    }
}

impl From<String> for Param {
    fn from(text: String) -> Self {
        Param::Text(text)
    }
}

/// Declares an enumeration whose values have a code, parameters, and a text that is made from them.
macro_rules! coded {
    (
        $(#[$attribute:meta])*
        pub enum $name:ident {
            $(
                $(#[$variant_attribute:meta])*
                $variant:ident $({ $($(#[$param_attribute:meta])* $param:ident: $type:ty,)+ })? => $code:literal, $text:literal;
            )+
        }
    ) => {
        $(#[$attribute])*
        #[non_exhaustive]
        #[derive(Debug, Clone, PartialEq, Eq)]
        pub enum $name {
            $($(#[$variant_attribute])* $variant $({ $($(#[$param_attribute])* $param: $type,)+ })?,)+
        }

        impl $name {
            /// Every code, in the order of the declaration.
            pub const CODES: &'static [&'static str] = &[$($code,)+];

            /// The stable code, in `snake_case`.
            pub fn code(&self) -> &'static str {
                match self {
                    $($name::$variant { .. } => $code,)+
                }
            }

            /// The parameters of the code, by name.
            pub fn params(&self) -> Vec<(&'static str, Param)> {
                match self {
                    $($name::$variant $({ $($param,)+ })? => {
                        vec![$($((stringify!($param), Param::from($param.clone())),)+)?]
                    })+
                }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                match self {
                    $($name::$variant $({ $($param,)+ })? => write!(f, $text),)+
                }
            }
        }
    };
}

coded! {
    /// Why a line contains no usable transaction. Displays in Portuguese, for the person who imports the file.
    ///
    /// ```
    /// use finance_statements::{Options, read};
    ///
    /// let file = b"Data;Descricao;Valor\n31/01/2026;PADARIA;-12,34\nontem;FEIRA;-5,00\n";
    /// let reason = &read(file, &Options::default())?.rejected[0].reason;
    /// assert_eq!(reason.code(), "invalid_date");
    /// assert_eq!(reason.to_string(), "data inválida: ontem");
    /// # Ok::<(), finance_statements::Error>(())
    /// ```
    pub enum Reason {
        /// The amount is zero.
        ZeroAmount => "zero_amount", "valor zero";
        /// The amount is written with a minus, and the options leave such rows out.
        NegativeSkipped => "negative_skipped", "valor negativo ignorado";
        /// The transaction has not happened yet.
        FutureTransaction => "future_transaction", "lançamento futuro";
        /// The file says that the transaction moved no money.
        NotSettled {
            /// What it says, cut at 40 characters.
            status: String,
        } => "not_settled", "não efetivado: {status}";
        /// The amount is in another currency than the real.
        OtherCurrency {
            /// The currency.
            currency: String,
        } => "other_currency", "valor em {currency}, e não em reais";
        /// The transaction has not been booked yet.
        PendingTransaction => "pending_transaction", "lançamento pendente";
        /// A repetition of the headers.
        RepeatedHeader => "repeated_header", "cabeçalho repetido";
        /// A balance.
        BalanceLine => "balance_line", "linha de saldo";
        /// A debt of the bill before, or the equal credit: the bill before has it.
        CarriedBalance => "carried_balance", "saldo da fatura anterior";
        /// A total.
        TotalLine => "total_line", "linha de total";
        /// A line of a table without a date.
        LineWithoutDate => "line_without_date", "linha sem data";
        /// A line of a table without an amount.
        LineWithoutAmount => "line_without_amount", "linha sem valor";
        /// A transaction without a date.
        MissingDate => "missing_date", "data ausente";
        /// A transaction without an amount.
        MissingAmount => "missing_amount", "valor ausente";
        /// The file ends inside the transaction.
        TruncatedFile => "truncated_file", "arquivo truncado";
        /// A text that is not a date.
        InvalidDate {
            /// The text, cut at 40 characters.
            text: String,
        } => "invalid_date", "data inválida: {text}";
        /// A text that is not an amount.
        IllegibleAmount {
            /// The text, cut at 40 characters.
            text: String,
        } => "illegible_amount", "valor ilegível: {text}";
        /// An amount that is too large.
        AmountTooLarge {
            /// The text, cut at 40 characters.
            text: String,
        } => "amount_too_large", "valor acima do limite: {text}";
    }
}

coded! {
    /// Why an option is not valid, or does not fit the file. Displays as a sentence in Portuguese.
    pub enum OptionFault {
        /// The date format is invalid.
        InvalidDateFormat => "invalid_date_format",
            "O formato de data deve ter dia e mês, e pode ter o ano: dd/mm/yyyy, dd/mm ou yyyymmdd.";
        /// The decimal separator is invalid.
        InvalidDecimalSeparator => "invalid_decimal_separator", "O separador decimal deve ser vírgula ou ponto.";
        /// The separator is invalid.
        InvalidSeparator => "invalid_separator", "O separador deve ser um sinal, como ; ou , ou tabulação.";
        /// Column 0.
        ColumnZero => "column_zero", "As colunas são numeradas a partir de 1.";
        /// A blank name of a column.
        BlankColumn => "blank_column", "O nome da coluna está em branco.";
        /// The file has no column with this name.
        NoSuchHeader {
            /// The name, cut at 40 characters.
            header: String,
        } => "no_such_header", "O arquivo não tem a coluna \"{header}\".";
        /// The file has one column only, and another was named.
        OnlyOneColumn {
            /// The number of the column.
            column: usize,
        } => "only_one_column", "A coluna {column} não existe: o arquivo tem 1 coluna.";
        /// The file has fewer columns than the number given.
        NoSuchColumn {
            /// The number of the column.
            column: usize,
            /// How many columns the file has.
            columns: usize,
        } => "no_such_column", "A coluna {column} não existe: o arquivo tem {columns} colunas.";
        /// This column of dates does not fit: the file can be read without the option.
        UnfitDateColumn => "unfit_date_column", "A coluna informada para a data não serve para este arquivo.";
        /// This column of descriptions does not fit: the file can be read without the option.
        UnfitDescriptionColumn => "unfit_description_column",
            "A coluna informada para a descrição não serve para este arquivo.";
        /// This column of amounts does not fit: the file can be read without the option.
        UnfitAmountColumn => "unfit_amount_column", "A coluna informada para o valor não serve para este arquivo.";
        /// No date of the file has this format.
        UnfitDateFormat => "unfit_date_format", "Nenhuma data do arquivo está no formato informado.";
        /// The separator does not separate the columns.
        UnfitSeparator => "unfit_separator", "O separador informado não separa as colunas deste arquivo.";
        /// No amount of the file has this decimal separator.
        UnfitDecimalSeparator => "unfit_decimal_separator",
            "Nenhum valor do arquivo usa o separador decimal informado.";
        /// The column contains no date.
        NoDateInColumn => "no_date_in_column", "A coluna informada para a data não tem nenhuma data.";
        /// The column contains no amount.
        NoAmountInColumn => "no_amount_in_column", "A coluna informada para o valor não tem nenhum valor.";
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn codes_are_unique_and_in_snake_case() {
        for codes in [Reason::CODES, OptionFault::CODES] {
            assert_eq!(codes.iter().collect::<HashSet<_>>().len(), codes.len());
            let is_plain = |code: &str| code.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
            assert!(codes.iter().all(|code| is_plain(code)), "{codes:?}");
        }
    }
}
