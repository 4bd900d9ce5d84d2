//! The form of a preview: its parts, and the import target and reader's options made from them.

use std::str::FromStr;

use actix_multipart::{Multipart, MultipartError};
use actix_web::http::header::CONTENT_DISPOSITION;
use finance_domain::imports::{ImportTarget, ROWS_MAX, STATEMENTS_MAX};
use finance_domain::month::parse_date;
use finance_domain::{AccountId, FieldErrors, Violation};
use finance_statements::{CardSign, Column, DateFormat, Format, Options};
use futures_util::StreamExt;
use serde::Deserialize;
use utoipa::ToSchema;

use crate::extract::body::{broke_off, collect};
use crate::extract::json::{Field, Objects};
use crate::problem::Problem;
use crate::views::DateInput;
use crate::words::{WordSchema, WordView};

/// The maximum size of a text part of a preview, in bytes.
const PART_BYTES_MAX: usize = 4 * 1024;
/// The maximum number of parts of a preview.
const PARTS_MAX: usize = 32;

/// A statement and how to read it.
#[derive(ToSchema)]
#[allow(dead_code, reason = "describes the multipart form; its parts are read one by one")]
pub(crate) struct PreviewForm {
    /// The statement: OFX, CSV, or a spreadsheet (XLSX, XLS, ODS), which is read like CSV.
    #[schema(value_type = String, format = Binary, content_media_type = "application/octet-stream")]
    file: Vec<u8>,
    /// The account it belongs to.
    #[schema(value_type = Option<i64>, minimum = 1, nullable = false)]
    account_id: Option<String>,
    /// `auto` if absent.
    #[schema(value_type = Option<FormatOptionView>, nullable = false)]
    format: Option<String>,
    /// The column separator; detected if absent. A spreadsheet has none.
    #[schema(min_length = 1, max_length = 1, pattern = "^[\t!-/:-@\\[-`{-~]$", example = ";", nullable = false)]
    separator: Option<String>,
    /// `,` or `.`; detected if absent.
    #[schema(min_length = 1, max_length = 1, pattern = "^[,.]$", example = ",", nullable = false)]
    decimal_separator: Option<String>,
    /// Letters `dd mm yy yyyy`; detected if absent. Dates without a year are the latest such days up to the date above the headers,
    /// the payment date or today.
    #[schema(
        pattern = "^(dd[-/.]?mm([-/.]?yy(yy)?)?|mm[-/.]?dd[-/.]?yy(yy)?|yyyy[-/.]?mm[-/.]?dd)$",
        example = "dd/mm/yyyy",
        nullable = false
    )]
    date_format: Option<String>,
    /// A header's name or a column's number from 1.
    #[schema(example = "Data", nullable = false)]
    date_column: Option<String>,
    /// A header's name or a column's number from 1.
    #[schema(example = "Descrição", nullable = false)]
    description_column: Option<String>,
    /// A header's name or a column's number from 1.
    #[schema(example = "Valor", nullable = false)]
    amount_column: Option<String>,
    /// Skips the rows whose amount has a minus sign in the file.
    #[schema(nullable = false)]
    skip_negative: Option<bool>,
    /// Makes every row an expense.
    #[schema(nullable = false)]
    all_expenses: Option<bool>,
    /// Whether it is a card's statement.
    #[schema(nullable = false)]
    is_credit_card: Option<bool>,
    /// When the card's bill is paid.
    #[schema(value_type = Option<DateInput>, nullable = false)]
    payment_date: Option<String>,
    /// The sign of purchases in a card's file; detected if absent.
    #[schema(value_type = Option<CardSignView>, nullable = false)]
    card_sign: Option<String>,
    /// The accounts of the file's statements as JSON, `[{"index": 0, "account_id": 3}]`; those that learned their references if absent.
    #[schema(example = "[{\"index\": 0, \"account_id\": 3}]", nullable = false)]
    statements: Option<String>,
}

finance_domain::words! {
    /// How to parse a file.
    enum FormatOption {
        /// Detected from its bytes.
        Auto = "auto",
        /// As OFX.
        Ofx = "ofx",
        /// As CSV, or as a spreadsheet.
        Csv = "csv",
    }
}

impl WordSchema for FormatOption {
    const NAME: &'static str = "FormatOption";
    const DESCRIPTION: &'static str = "How to parse a file.";
}

type FormatOptionView = WordView<FormatOption>;

impl FormatOption {
    fn format(self) -> Option<Format> {
        match self {
            FormatOption::Auto => None,
            FormatOption::Ofx => Some(Format::Ofx),
            FormatOption::Csv => Some(Format::Csv),
        }
    }
}

finance_domain::words! {
    /// The sign of purchases in a card's CSV file.
    pub(super) enum CardSignWord {
        /// Purchases are positive.
        PurchasesPositive = "purchases_positive",
        /// Purchases are negative.
        PurchasesNegative = "purchases_negative",
    }
}

impl WordSchema for CardSignWord {
    const NAME: &'static str = "CardSign";
    const DESCRIPTION: &'static str = "The sign of purchases in a card's CSV file.";
}

/// The sign of purchases in a card's CSV file.
pub(super) type CardSignView = WordView<CardSignWord>;

impl From<CardSign> for CardSignWord {
    fn from(sign: CardSign) -> Self {
        match sign {
            CardSign::PurchasesPositive => CardSignWord::PurchasesPositive,
            CardSign::PurchasesNegative => CardSignWord::PurchasesNegative,
        }
    }
}

impl From<CardSignWord> for CardSign {
    fn from(sign: CardSignWord) -> Self {
        match sign {
            CardSignWord::PurchasesPositive => CardSign::PurchasesPositive,
            CardSignWord::PurchasesNegative => CardSign::PurchasesNegative,
        }
    }
}

/// The choice of an account for a statement.
#[derive(Deserialize)]
struct ChoiceBody {
    index: Field<i64>,
    account_id: Field<AccountId>,
}

impl ChoiceBody {
    fn read(self, errors: &mut FieldErrors) -> (Option<usize>, Option<AccountId>) {
        let index = self.index.take("index", errors);
        (index.and_then(|index| usize::try_from(index).ok()), self.account_id.take("account_id", errors))
    }
}

/// What a preview's form asks for.
pub(super) struct PreviewRequest {
    pub(super) file: Vec<u8>,
    pub(super) target: ImportTarget,
    pub(super) options: Options,
    /// The chosen accounts, by the indexes of their statements.
    pub(super) chosen: Vec<(Option<usize>, Option<AccountId>)>,
}

/// The parts of a preview's form, as received.
#[derive(Default)]
pub(crate) struct Form {
    file: Option<Vec<u8>>,
    /// The name under which the file came.
    file_name: Option<String>,
    texts: Vec<(String, String)>,
}

impl Form {
    /// Reads the parts.
    pub(crate) async fn read(mut parts: Multipart, upload_bytes_max: usize) -> Result<Self, Problem> {
        let mut form = Form::default();
        let mut count = 0;
        while let Some(part) = parts.next().await {
            let part = part.map_err(malformed_form)?;
            count += 1;
            if count > PARTS_MAX {
                return Err(Problem::malformed(format!("The form has more than {PARTS_MAX} parts.")));
            }
            let name = part.name().unwrap_or_default().to_string();
            let head = part.headers().get(CONTENT_DISPOSITION).and_then(|head| str::from_utf8(head.as_bytes()).ok());
            let file_name = head
                .and_then(quoted_name)
                .or_else(|| part.content_disposition().and_then(|part| part.get_filename()).map(str::to_string));
            let bytes_max = if name == "file" { upload_bytes_max } else { PART_BYTES_MAX };
            let bytes = collect(part.map(|chunk| chunk.map_err(malformed_form)), bytes_max).await?.to_vec();
            if name == "file" {
                (form.file, form.file_name) = (Some(bytes), file_name);
            } else {
                let text =
                    String::from_utf8(bytes).map_err(|_| Problem::malformed("A part of the form is not UTF-8."))?;
                form.texts.push((name, text));
            }
        }
        Ok(form)
    }

    /// The file alone, with its name.
    pub(crate) fn into_file(self) -> Result<(Vec<u8>, Option<String>), Problem> {
        let mut errors = FieldErrors::default();
        let file = errors.require("file", self.file);
        errors.into_result()?;
        Ok((file.unwrap_or_default(), self.file_name))
    }

    /// The last part with that name, if it is not blank.
    fn text(&self, name: &str) -> Option<&str> {
        let found = self.texts.iter().rev().find(|(known, _)| known == name);
        found.map(|(_, text)| text.as_str()).filter(|text| !text.trim().is_empty())
    }

    fn option<T>(
        &self,
        name: &str,
        errors: &mut FieldErrors,
        read: impl Fn(&str) -> Result<T, Violation>,
    ) -> Option<T> {
        self.text(name).and_then(|text| read(text).map_err(|violation| errors.push(name, violation)).ok())
    }

    fn flag(&self, name: &str, errors: &mut FieldErrors) -> bool {
        let read = |text: &str| match text.trim() {
            "true" | "1" | "on" => Ok(true),
            "false" | "0" | "off" => Ok(false),
            _ => Err(Violation::NotABoolean),
        };
        self.option(name, errors, read).unwrap_or(false)
    }

    pub(super) fn into_request(mut self) -> Result<PreviewRequest, Problem> {
        let mut errors = FieldErrors::default();
        let file = self.file.take();
        let file = errors.require("file", file);
        let column = |text: &str| Column::from_str(text.trim()).map_err(|never| match never {});
        let target = ImportTarget {
            account_id: self.option("account_id", &mut errors, |text| {
                text.trim().parse().map(AccountId).map_err(|_| Violation::NotAWholeNumber)
            }),
            is_credit_card: self.flag("is_credit_card", &mut errors),
            payment_date: self.option("payment_date", &mut errors, |text| parse_date(text.trim())),
            held_at: None,
        };
        let options = Options {
            format: self.option("format", &mut errors, |text| text.trim().parse()).and_then(FormatOption::format),
            // A tab is blank but is a valid separator.
            separator: self.texts.iter().rev().find(|(name, text)| name == "separator" && !text.is_empty()).and_then(
                |(_, text)| match text.as_bytes() {
                    [byte] if byte.is_ascii() && !byte.is_ascii_alphanumeric() => Some(char::from(*byte)),
                    b"\\t" => Some('\t'),
                    _ => {
                        errors.push("separator", Violation::InvalidSeparator);
                        None
                    }
                },
            ),
            decimal_separator: self.option("decimal_separator", &mut errors, |text| match text.trim() {
                "," => Ok(','),
                "." => Ok('.'),
                _ => Err(Violation::InvalidDecimalSeparator),
            }),
            date_format: self.option("date_format", &mut errors, |text| {
                DateFormat::from_str(text.trim()).map_err(|_| Violation::InvalidDateFormat)
            }),
            date_column: self.option("date_column", &mut errors, column),
            description_column: self.option("description_column", &mut errors, column),
            amount_column: self.option("amount_column", &mut errors, column),
            skip_negative: self.flag("skip_negative", &mut errors),
            all_expenses: self.flag("all_expenses", &mut errors),
            card_sign: self
                .option("card_sign", &mut errors, |text| text.trim().parse::<CardSignWord>())
                .map(CardSign::from),
            rows_max: Some(ROWS_MAX),
            ..Options::default()
        };
        let chosen = self.chosen(&mut errors);
        errors.into_result()?;
        Ok(PreviewRequest { file: file.unwrap_or_default(), target, options, chosen })
    }

    /// The accounts of the statements.
    fn chosen(&self, errors: &mut FieldErrors) -> Vec<(Option<usize>, Option<AccountId>)> {
        let Some(text) = self.text("statements") else { return Vec::new() };
        let choices: Objects<ChoiceBody, STATEMENTS_MAX> = match serde_json::from_str(text) {
            Ok(choices) => choices,
            Err(_) => {
                errors.push("statements", Violation::NotAnArray);
                return Vec::new();
            }
        };
        choices
            .at_most_max()
            .take_objects("statements", errors, ChoiceBody::read)
            .into_iter()
            .flatten()
            .flatten()
            .collect()
    }
}

/// The name of a file in its part's header. Backslashes are kept, as browsers send them: a name may be a path of Windows.
fn quoted_name(head: &str) -> Option<String> {
    let (_, quoted) = head.split_once("filename=\"")?;
    let mut name = String::new();
    let mut letters = quoted.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' if letters.peek() == Some(&'"') => name.extend(letters.next()),
            '"' => return Some(name),
            letter => name.push(letter),
        }
    }
    None
}

fn malformed_form(error: MultipartError) -> Problem {
    match error {
        MultipartError::Payload(error) => broke_off(&error),
        error => Problem::malformed(format!("The form cannot be read: {error}.")),
    }
}
