//! What can be wrong with a field of an input: the one list of codes, of their parameters and of their texts.
//!
//! A code is stable: clients switch on it, and say it in their own language by its parameters. The text is made from both,
//! so that it cannot say something else.

use std::fmt;

/// A parameter of a code: what the text names beside the rule itself. A list displays as `a, b or c`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Param {
    /// A whole number.
    Number(i64),
    /// A text, a date, or an amount as decimal text.
    Text(String),
    /// The values to choose from.
    Choices(Vec<String>),
}

impl From<i64> for Param {
    fn from(number: i64) -> Self {
        Param::Number(number)
    }
}

impl From<String> for Param {
    fn from(text: String) -> Self {
        Param::Text(text)
    }
}

impl fmt::Display for Param {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Param::Number(number) => number.fmt(f),
            Param::Text(text) => f.write_str(text),
            Param::Choices(choices) => {
                for (at, choice) in choices.iter().enumerate() {
                    let separator = match at {
                        0 => "",
                        _ if at + 1 == choices.len() => " or ",
                        _ => ", ",
                    };
                    write!(f, "{separator}{choice}")?;
                }
                Ok(())
            }
        }
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
        #[derive(Debug, Clone, PartialEq, Eq)]
        pub enum $name {
            $($(#[$variant_attribute])* $variant $({ $($(#[$param_attribute])* $param: $type,)+ })?,)+
        }

        impl $name {
            /// Every code, in the order of the declaration.
            pub const CODES: &'static [&'static str] = &[$($code,)+];

            /// The stable code.
            pub fn code(&self) -> &'static str {
                match self {
                    $($name::$variant { .. } => $code,)+
                }
            }

            /// The parameters of the code, by name.
            pub fn params(&self) -> Vec<(&'static str, $crate::violations::Param)> {
                match self {
                    $($name::$variant $({ $($param,)+ })? => {
                        vec![$($((stringify!($param), $crate::violations::Param::from($param.clone())),)+)?]
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

pub(crate) use coded;

coded! {
    /// What is wrong with a field. Displays as the text for a developer to read, in English.
    ///
    /// ```
    /// use finance_domain::Violation;
    /// use finance_domain::violations::Param;
    ///
    /// let violation = Violation::TooLong { max: 100 };
    /// assert_eq!(violation.code(), "too_long");
    /// assert_eq!(violation.params(), [("max", Param::Number(100))]);
    /// assert_eq!(violation.to_string(), "must have at most 100 characters");
    /// ```
    pub enum Violation {
        /// It is absent or null.
        Required => "required", "is required";
        /// It is absent or null, and the account is a card.
        RequiredOnCard => "required_on_card", "is required on an account of kind credit";
        /// It is there, and the account is no card.
        OnlyOnCard => "only_on_card", "only on an account of kind credit";
        /// The text is empty or blank.
        Blank {
            /// The most characters that it may have.
            max: i64,
        } => "blank", "must have 1 to {max} characters";
        /// The text has too many characters.
        TooLong {
            /// The most characters that it may have.
            max: i64,
        } => "too_long", "must have at most {max} characters";
        /// The text has too few characters.
        TooShort {
            /// The fewest characters that it may have.
            min: i64,
        } => "too_short", "must have at least {min} characters";
        /// The text has too many bytes.
        TooManyBytes {
            /// The most bytes that it may have.
            max: i64,
        } => "too_many_bytes", "must have at most {max} bytes";
        /// The text holds a NUL character.
        NulCharacter => "nul_character", "must not contain a NUL character";
        /// Not a JSON string.
        NotAString => "not_a_string", "must be a string";
        /// Not a boolean.
        NotABoolean => "not_a_boolean", "must be true or false";
        /// Not a whole number of 64 bits.
        NotAWholeNumber => "not_a_whole_number", "must be a whole number";
        /// Not a decimal number.
        NotANumber => "not_a_number", "must be a decimal number";
        /// Not a JSON object.
        NotAnObject => "not_an_object", "must be a JSON object";
        /// Not a JSON array.
        NotAnArray => "not_an_array", "must be an array";
        /// Not one of the known words.
        NotOneOf {
            /// The known words.
            choices: Param,
        } => "not_one_of", "must be {choices}";
        /// A number with more than two decimals that are not zero.
        TooManyDecimals => "too_many_decimals", "must have at most two decimals";
        /// A number of more digits than any amount has.
        NumberOutOfRange => "number_out_of_range", "is out of range";
        /// An amount of zero or less.
        NotPositive => "not_positive", "must be greater than zero";
        /// An amount below its bound.
        TooSmall {
            /// The smallest that it may be.
            min: Param,
        } => "too_small", "must be at least {min}";
        /// A number above its bound.
        TooLarge {
            /// The largest that it may be.
            max: Param,
        } => "too_large", "must be at most {max}";
        /// A signed number that is too far from zero.
        TooFarFromZero {
            /// The largest absolute value that it may have.
            max: Param,
        } => "too_far_from_zero", "must be from -{max} to {max}";
        /// A number outside its bounds, both of which are allowed.
        OutOfRange {
            /// The smallest that it may be.
            min: Param,
            /// The largest that it may be.
            max: Param,
        } => "out_of_range", "must be {min} to {max}";
        /// A number outside its bounds, of which only the upper is allowed.
        OutOfOpenRange {
            /// What it must be above.
            above: Param,
            /// The largest that it may be.
            max: Param,
        } => "out_of_open_range", "must be above {above} and at most {max}";
        /// Not a calendar date.
        InvalidDate => "invalid_date", "must be a date as YYYY-MM-DD";
        /// Not a month.
        InvalidMonth => "invalid_month", "must be a month as YYYY-MM";
        /// A date of a year that is not served.
        YearOutOfRange {
            /// The first year.
            min: i64,
            /// The last year.
            max: i64,
        } => "year_out_of_range", "must be in the years {min} to {max}";
        /// A date that is yet to come.
        AfterToday => "after_today", "must not be after today";
        /// A range of dates that ends before it begins.
        BeforeFrom => "before_from", "must not be before from";
        /// A range of too many months.
        TooManyMonths {
            /// The most months.
            max: i64,
        } => "too_many_months", "must be at most {max} months from the first";
        /// A date for which yield was already paid.
        BeforeLastYield => "before_last_yield", "must not be before the last day already paid";
        /// A date that is not in the month asked for.
        OutsideMonth {
            /// The month.
            month: String,
        } => "outside_month", "must be in the month {month}";
        /// The caller has no such category.
        NoSuchCategory => "no_such_category", "no such category";
        /// The caller has no such account.
        NoSuchAccount => "no_such_account", "no such account";
        /// The caller has no such transaction.
        NoSuchTransaction => "no_such_transaction", "no such transaction";
        /// The caller has no such bill.
        NoSuchBill => "no_such_bill", "no such bill";
        /// The other side of a transfer is not there, is paired, or does not fit the row.
        NotACandidate => "not_a_candidate", "is no longer a candidate";
        /// A transfer is between accounts, and the statement is of none.
        TransferWithoutAccount => "transfer_without_account", "must be absent if the import names no account";
        /// A transfer is between accounts, and the transaction has none.
        WithoutAccount => "without_account", "must have an account";
        /// A transfer needs an account.
        RequiredForTransfer => "required_for_transfer", "is required for a transfer";
        /// A yield or an opening balance is never a transfer.
        NeverATransfer => "never_a_transfer", "cannot be a transfer: it is a yield or an opening balance";
        /// Money does not leave by an income.
        NotAnExpense => "not_an_expense", "must be an expense";
        /// Money does not arrive by an expense.
        NotAnIncome => "not_an_income", "must be an income";
        /// Both sides of a transfer are of one type.
        SameType => "same_type", "must have another type than from_id";
        /// Both sides of a transfer are on one account.
        SameAccountAsFrom => "same_account_as_from", "must be on another account than from_id";
        /// The sides of a transfer differ in their amounts.
        OtherAmount => "other_amount", "must have the amount of from_id";
        /// Less is due on the bill than is paid.
        MoreThanDue => "more_than_due", "must have at least the amount of from_id due";
        /// A link has one other side.
        NotBoth => "not_both", "must be absent if to_id is given";
        /// The amount of one instalment, beside that of all.
        NotBothAmounts => "not_both_amounts", "must be absent if total_amount is given";
        /// Too many names.
        TooManyNames {
            /// The most names.
            max: i64,
        } => "too_many_names", "must be at most {max} names";
        /// An object that must name one thing names two.
        NotOneReference => "not_one_reference", "must have a transaction_id or a bill_id, not both";
        /// Neither an object nor null.
        NotAnObjectOrNull => "not_an_object_or_null", "must be an object or null";
        /// It is fixed when the row is created.
        Fixed => "fixed", "cannot change after creation";
        /// Yields and opening balances stay on their account.
        FixedAccount => "fixed_account", "cannot change on a yield or an opening balance";
        /// Only an investment yields so.
        OnlyOnInvestment => "only_on_investment", "must be none on an account that is not an investment";
        /// Only savings are poupança.
        OnlyOnSavings => "only_on_savings", "must be poupanca on an account of kind savings only";
        /// A transfer from an account to itself.
        SameAccount => "same_account", "must be another account than from_account_id";
        /// A card that pays its own bill.
        CardItself => "card_itself", "must be another account than the card itself";
        /// The bill is beyond what one transfer can hold.
        MoreThanOneTransfer => "more_than_one_transfer",
            "the amount due exceeds the maximum of a transfer; pay without an account";
        /// The statement of a card on an account that is none.
        NotACard => "not_a_card", "must be a credit account for a card statement";
        /// Not the present password.
        WrongPassword => "wrong_password", "is not the current password";
        /// Not a code of the second factor, not one of this time, or one that was used.
        WrongCode => "wrong_code", "is not a valid code at this time";
        /// Not an address that a webhook may have.
        NotAWebAddress => "not_a_web_address", "must be an http or https address of at most 2000 characters, without a user or a fragment";
        /// An address of this machine or of a private network.
        PrivateAddress => "private_address", "must be a public internet address, not one of a private network";
        /// A change that names nothing to change.
        NothingToChange => "nothing_to_change", "is required if account_id is absent";
        /// Too few or too many lines of a transaction.
        LineCount {
            /// The fewest.
            min: i64,
            /// The most.
            max: i64,
        } => "line_count", "must be null or have {min} to {max} lines";
        /// The lines of a transaction do not come to its amount.
        LinesSum {
            /// What they come to.
            sum: String,
        } => "lines_sum", "must sum to the amount, but sum to {sum}";
        /// A category beside lines, which have their own.
        WithLines => "with_lines", "must be null if there are lines";
        /// Lines of a transfer.
        LinesOfTransfer => "lines_of_transfer", "must be null on a transfer";
        /// The transaction is split into lines, each of which has a category of its own.
        IsSplit => "is_split", "is split into lines";
        /// An array of too many elements.
        TooMany {
            /// The most elements that it may have.
            max: i64,
        } => "too_many", "must be at most {max} rows";
        /// A list of too many elements.
        TooManyElements {
            /// The most elements that it may have.
            max: i64,
        } => "too_many_elements", "must have at most {max} elements";
        /// Not two values in ascending order.
        NotAPair => "not_a_pair", "must be two values, the first not above the second";
        /// A rule that the profile does not have.
        NoSuchRule => "no_such_rule", "no such rule";
        /// An empty array, where at least one element is needed.
        Empty => "empty", "must not be empty";
        /// Not a cursor that this list gave out.
        InvalidCursor => "invalid_cursor", "is not a cursor of this list";
        /// A query that cannot be taken apart.
        UnreadableQuery {
            /// What is wrong with it.
            detail: String,
        } => "unreadable_query", "cannot be read: {detail}";
        /// A header that came more than once.
        GivenTwice => "given_twice", "must be given once";
        /// Not an idempotency key.
        InvalidKey => "invalid_key", "must be 1 to 255 visible ASCII characters";
        /// Not a colour.
        InvalidColor => "invalid_color", "must be a colour as #rrggbb";
        /// Not a separator of columns.
        InvalidSeparator => "invalid_separator", "must be one character";
        /// Not a decimal mark.
        InvalidDecimalSeparator => "invalid_decimal_separator", "must be a comma or a dot";
        /// Not a date format.
        InvalidDateFormat => "invalid_date_format", "must consist of dd, mm and yyyy or yy, such as dd/mm/yyyy";
        /// A document of an export that cannot be restored.
        InvalidDocument {
            /// What is wrong with it.
            detail: String,
        } => "invalid_document", "{detail}";
    }
}

impl Violation {
    /// A [`Violation::OutOfRange`].
    pub fn out_of_range(min: impl Into<Param>, max: impl Into<Param>) -> Self {
        Violation::OutOfRange { min: min.into(), max: max.into() }
    }

    /// A [`Violation::NotOneOf`].
    pub fn not_one_of<S: AsRef<str>>(choices: &[S]) -> Self {
        let choices = choices.iter().map(|choice| choice.as_ref().to_string()).collect();
        Violation::NotOneOf { choices: Param::Choices(choices) }
    }

    /// A [`Violation::InvalidDocument`].
    pub fn document(detail: impl Into<String>) -> Self {
        Violation::InvalidDocument { detail: detail.into() }
    }
}

impl std::error::Error for Violation {}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn codes_are_unique_and_in_snake_case() {
        let unique: HashSet<&str> = Violation::CODES.iter().copied().collect();
        assert_eq!(unique.len(), Violation::CODES.len());
        for code in Violation::CODES {
            assert!(code.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_'), "{code}");
        }
    }

    #[test]
    fn choices_are_listed_with_or_before_the_last() {
        for (choices, text) in [(&["a"][..], "a"), (&["a", "b"], "a or b"), (&["a", "b", "c"], "a, b or c")] {
            assert_eq!(Violation::not_one_of(choices).to_string(), format!("must be {text}"));
        }
    }
}
