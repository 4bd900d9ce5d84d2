//! The errors of input fields: the only list of their codes, parameters and texts.
//!
//! A code is stable: clients switch on it, and use its parameters to show a text in their own language. The text is made from
//! the code and its parameters, so it cannot contradict them.

use std::fmt;

/// A parameter of a code: a value that the text names, such as a limit. A list displays as `a, b or c`.
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
        /// The field is absent or null.
        Required => "required", "is required";
        /// The field is absent or null, and the account is a card.
        RequiredOnCard => "required_on_card", "is required on an account of kind credit";
        /// The field is present, and the account is not a card.
        OnlyOnCard => "only_on_card", "is allowed only on an account of kind credit";
        /// The text is empty or blank.
        Blank {
            /// The maximum number of characters.
            max: i64,
        } => "blank", "must have 1 to {max} characters";
        /// The text has too many characters.
        TooLong {
            /// The maximum number of characters.
            max: i64,
        } => "too_long", "must have at most {max} characters";
        /// The text has too few characters.
        TooShort {
            /// The minimum number of characters.
            min: i64,
        } => "too_short", "must have at least {min} characters";
        /// The text has too many bytes.
        TooManyBytes {
            /// The maximum number of bytes.
            max: i64,
        } => "too_many_bytes", "must have at most {max} bytes";
        /// The text holds a NUL character.
        NulCharacter => "nul_character", "must not contain a NUL character";
        /// The name holds a control character or one that is not seen.
        HiddenCharacter {
            /// The character, such as `U+202E`.
            character: String,
        } => "hidden_character", "must not contain {character}, a control or invisible character";
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
        /// The reference of an account is not one that a preview returned.
        NotAReference => "not_a_reference", "must be the reference that a preview returned";
        /// A file with several statements has no single account or payment date.
        SeveralAccounts => "several_accounts", "must be absent: the file has statements of several accounts";
        /// No statement has this index.
        NoSuchStatement => "no_such_statement", "must be the index of one of the statements";
        /// Another statement has this index.
        RepeatedStatement => "repeated_statement", "must be the index of one statement only";
        /// Not one of the allowed words.
        NotOneOf {
            /// The allowed words.
            choices: Param,
        } => "not_one_of", "must be {choices}";
        /// A number with more than two decimals, trailing zeros not counted.
        TooManyDecimals => "too_many_decimals", "must have at most two decimals";
        /// A number with more digits than any amount has.
        NumberOutOfRange => "number_out_of_range", "is out of range";
        /// An amount of zero or less.
        NotPositive => "not_positive", "must be greater than zero";
        /// An amount below its bound.
        TooSmall {
            /// The smallest allowed value.
            min: Param,
        } => "too_small", "must be at least {min}";
        /// A number above its bound.
        TooLarge {
            /// The largest allowed value.
            max: Param,
        } => "too_large", "must be at most {max}";
        /// A signed number that is too far from zero.
        TooFarFromZero {
            /// The largest allowed absolute value.
            max: Param,
        } => "too_far_from_zero", "must be from -{max} to {max}";
        /// A number outside its bounds. Both bounds are allowed values.
        OutOfRange {
            /// The smallest allowed value.
            min: Param,
            /// The largest allowed value.
            max: Param,
        } => "out_of_range", "must be {min} to {max}";
        /// A number outside its bounds. Only the upper bound is an allowed value.
        OutOfOpenRange {
            /// The lower bound, which is not allowed itself.
            above: Param,
            /// The largest allowed value.
            max: Param,
        } => "out_of_open_range", "must be above {above} and at most {max}";
        /// Not a calendar date.
        InvalidDate => "invalid_date", "must be a date as YYYY-MM-DD";
        /// Not a month.
        InvalidMonth => "invalid_month", "must be a month as YYYY-MM";
        /// A date in a year that the service does not accept.
        YearOutOfRange {
            /// The first accepted year.
            min: i64,
            /// The last accepted year.
            max: i64,
        } => "year_out_of_range", "must be in the years {min} to {max}";
        /// A date in the future.
        AfterToday => "after_today", "must not be after today";
        /// A date range that ends before it begins.
        BeforeFrom => "before_from", "must not be before from";
        /// A range with too many months.
        TooManyMonths {
            /// The maximum number of months.
            max: i64,
        } => "too_many_months", "must end a range of at most {max} months";
        /// A filter by payee without the period to search in.
        WithoutPeriod => "without_period", "needs month, or from and to";
        /// Reports by tag cannot be filtered by tag.
        WithByTag => "with_by_tag", "must be absent if by is tag";
        /// A date before the last day whose yield was already paid.
        BeforeLastYield => "before_last_yield", "must not be before the last day already paid";
        /// A date that is neither in the month of a due nor near its day.
        OutsideMonth {
            /// The month.
            month: String,
            /// The first accepted day.
            first: String,
            /// The last accepted day.
            last: String,
        } => "outside_month", "must be in the month {month} or near the due, from {first} to {last}";
        /// The caller has no such category.
        NoSuchCategory => "no_such_category", "no such category";
        /// The caller has no such account.
        NoSuchAccount => "no_such_account", "no such account";
        /// The caller has no such transaction.
        NoSuchTransaction => "no_such_transaction", "no such transaction";
        /// The caller has no such file in the inbox.
        NoSuchInboxItem => "no_such_inbox_item", "no such file in the inbox";
        /// The caller has no such bill.
        NoSuchBill => "no_such_bill", "no such bill";
        /// The other side of a transfer does not exist, is already paired, or does not fit the row.
        NotACandidate => "not_a_candidate", "is no longer a candidate";
        /// A transfer is between accounts, but the import names no account.
        TransferWithoutAccount => "transfer_without_account", "must be absent if the import names no account";
        /// A transfer is between accounts, but the transaction has no account.
        WithoutAccount => "without_account", "must have an account";
        /// A transfer needs an account.
        RequiredForTransfer => "required_for_transfer", "is required for a transfer";
        /// A yield or an opening balance is never a transfer.
        NeverATransfer => "never_a_transfer", "cannot be a transfer: it is a yield or an opening balance";
        /// The side that the money leaves is not an expense.
        NotAnExpense => "not_an_expense", "must be an expense";
        /// The side that the money reaches is not an income.
        NotAnIncome => "not_an_income", "must be an income";
        /// Both sides of a transfer have the same type.
        SameType => "same_type", "must have the opposite type of from_id";
        /// Both sides of a transfer are on the same account.
        SameAccountAsFrom => "same_account_as_from", "must be on another account than from_id";
        /// The sides of a transfer have different amounts.
        OtherAmount => "other_amount", "must have the amount of from_id";
        /// The payment is larger than the amount due on the bill.
        MoreThanDue => "more_than_due", "must have at least the amount of from_id left to pay";
        /// Two other sides are given, and a link has only one.
        NotBoth => "not_both", "must be absent if to_id is given";
        /// Both the amount of one instalment and the total are given.
        NotBothAmounts => "not_both_amounts", "must be absent if total_amount is given";
        /// Too many names.
        TooManyNames {
            /// The maximum number of names.
            max: i64,
        } => "too_many_names", "must be at most {max} names";
        /// An object that must name one thing names two.
        NotOneReference => "not_one_reference", "must have a transaction_id or a bill_id, not both";
        /// Neither an object nor null.
        NotAnObjectOrNull => "not_an_object_or_null", "must be an object or null";
        /// The value is fixed when the row is created.
        Fixed => "fixed", "cannot change after creation";
        /// Yields and opening balances stay on their account.
        FixedAccount => "fixed_account", "cannot change on a yield or an opening balance";
        /// Only an investment may have this kind of yield or tax.
        OnlyOnInvestment => "only_on_investment", "must be none, because the account is not an investment";
        /// Only a savings account may yield as poupança.
        OnlyOnSavings => "only_on_savings", "must be poupanca on an account of kind savings only";
        /// A transfer from an account to itself.
        SameAccount => "same_account", "must be another account than from_account_id";
        /// A card that pays its own bill.
        CardItself => "card_itself", "must be another account than the card itself";
        /// The amount due is larger than the maximum of one transfer.
        MoreThanOneTransfer => "more_than_one_transfer",
            "the amount due exceeds the maximum of a transfer; pay without an account";
        /// A card statement for an account that is not a card.
        NotACard => "not_a_card", "must be a credit account for a card statement";
        /// Not the current password.
        WrongPassword => "wrong_password", "is not the current password";
        /// Not a code of the second factor, a code of another time, or a code that was already used.
        WrongCode => "wrong_code", "is not a valid code at this time";
        /// Not an allowed address of a webhook.
        NotAWebAddress => "not_a_web_address", "must be an http or https address of at most 2000 characters, without a user or a fragment";
        /// An address of this machine or of a private network.
        PrivateAddress => "private_address", "must be a public internet address, not one of a private network";
        /// An update that changes nothing.
        NothingToChange => "nothing_to_change", "is required if account_id is absent";
        /// Too few or too many lines of a transaction.
        LineCount {
            /// The minimum number of lines.
            min: i64,
            /// The maximum number of lines.
            max: i64,
        } => "line_count", "must be null or have {min} to {max} lines";
        /// The lines of a transaction do not sum to its amount.
        LinesSum {
            /// Their sum.
            sum: String,
        } => "lines_sum", "must sum to the amount, but sum to {sum}";
        /// A category is given together with lines, which have their own categories.
        WithLines => "with_lines", "must be null if there are lines";
        /// Lines are given for a transfer.
        LinesOfTransfer => "lines_of_transfer", "must be null on a transfer";
        /// The transaction is split into lines, each of which has a category of its own.
        IsSplit => "is_split", "is split into lines";
        /// An array with too many elements.
        TooMany {
            /// The maximum number of elements.
            max: i64,
        } => "too_many", "must be at most {max} rows";
        /// The balance of today is given together with an opening balance.
        WithOpeningBalance => "with_opening_balance", "must be absent if opening_balance is given";
        /// The balance of a day agrees with the rows.
        NothingToAdjust => "nothing_to_adjust", "has no difference to adjust";
        /// A list with too many elements.
        TooManyElements {
            /// The maximum number of elements.
            max: i64,
        } => "too_many_elements", "must have at most {max} elements";
        /// Too few or too many elements of an array.
        ElementCount {
            /// The minimum number of elements.
            min: i64,
            /// The maximum number of elements.
            max: i64,
        } => "element_count", "must have {min} to {max} elements";
        /// Not a time of day.
        InvalidTime => "invalid_time", "must be a time of day as HH:MM";
        /// Not two values in ascending order.
        NotAPair => "not_a_pair", "must be two values, the first not above the second";
        /// The item has no such due.
        NoSuchDue => "no_such_due", "is not a day on which the item is due";
        /// Neither a code of a bill nor of a Pix, or a check digit is wrong.
        NotACode => "not_a_code", "must be the code of a boleto, of a collection or of a Pix";
        /// A last day is given together with a number of dues.
        WithUntil => "with_until", "must be null if until is given";
        /// Money is set aside for expenses that are due every several months or years.
        OnlyOnRareExpense => "only_on_rare_expense", "must be false unless it is an expense that is due every several months or years";
        /// Transfers and opening balances cover no item.
        CoversNothing => "covers_nothing", "is a transfer or an opening balance";
        /// Expenses cover expenses, and incomes cover incomes.
        OtherType => "other_type", "must have the type of the item";
        /// The transaction is linked to another due or confirms one.
        CoversAnother => "covers_another", "belongs to another due";
        /// The profile has no such rule.
        NoSuchRule => "no_such_rule", "no such rule";
        /// An empty array. At least one element is required.
        Empty => "empty", "must not be empty";
        /// Not a cursor that this list returned.
        InvalidCursor => "invalid_cursor", "is not a cursor of this list";
        /// A query string that cannot be parsed.
        UnreadableQuery {
            /// What is wrong with it.
            detail: String,
        } => "unreadable_query", "cannot be read: {detail}";
        /// The host of an endpoint is of no push service, or the scheme is not https.
        NotAPushService => "not_a_push_service", "must be an https address of a known push service";
        /// Not a point of the curve P-256, uncompressed.
        NotAPublicKey => "not_a_public_key", "must be a public key of the curve P-256, in Base64 for URLs";
        /// Bytes of another number.
        ByteCount {
            /// The number of bytes.
            bytes: i64,
        } => "byte_count", "must be {bytes} bytes, in Base64 for URLs";
        /// Not an e-mail address.
        NotAnEmailAddress => "not_an_email_address", "must be an e-mail address";
        /// A value that may occur only once, such as a header or a tag, occurs more than once.
        GivenTwice => "given_twice", "must be given once";
        /// Not an idempotency key.
        InvalidKey => "invalid_key", "must be 1 to 255 visible ASCII characters";
        /// Not a colour.
        InvalidColor => "invalid_color", "must be a colour as #rrggbb";
        /// Not a column separator.
        InvalidSeparator => "invalid_separator", "must be one character";
        /// Not a decimal mark.
        InvalidDecimalSeparator => "invalid_decimal_separator", "must be a comma or a dot";
        /// Not a date format.
        InvalidDateFormat => "invalid_date_format", "must consist of dd, mm and yyyy or yy, such as dd/mm/yyyy";
        /// An export document that cannot be restored.
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
