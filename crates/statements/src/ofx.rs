//! OFX 1.x and 2.x by one lenient parser: closing tags are optional, headers are ignored, and a file may be truncated.

mod accounts;
mod entities;
mod lines;
mod tokens;

use std::borrow::Cow;

use memchr::memchr_iter;

use crate::amount::{Decimal, cents};
use crate::carried::{self, may_be_carried};
use crate::text::{clean, first_line, is_balance, quote};
use crate::watch::Watch;
use crate::{Error, Options, Reading, Reason, Row, accept, date};
pub(crate) use accounts::accounts;
use lines::Lines;
use tokens::{Tag, Token, Tokens};

/// The most characters of an id.
const ID_CHARS_MAX: usize = 1024;
/// The number of bytes at the start that are searched for a sign of OFX.
const START_BYTES_MAX: usize = 64 * 1024;
/// The description of a transaction that has none.
const NO_DESCRIPTION: &str = "(sem descrição)";

/// Whether the text is OFX: by its header, or by a tag that every file with transactions has.
pub(crate) fn is_ofx(text: &str) -> bool {
    let bytes = text.as_bytes();
    let start = &bytes[..bytes.len().min(START_BYTES_MAX)];
    let starts_with =
        |at: usize, mark: &[u8]| start.get(at..at + mark.len()).is_some_and(|bytes| bytes.eq_ignore_ascii_case(mark));
    let blanks = start.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    let tags: [&[u8]; 5] = [b"<OFX>", b"<OFX ", b"<?OFX", b"<BANKTRANLIST>", b"<STMTTRN>"];
    starts_with(blanks, b"OFXHEADER") || memchr_iter(b'<', start).any(|at| tags.iter().any(|tag| starts_with(at, tag)))
}

/// Reads all transactions of all statements in the text.
pub(crate) fn read(text: &str, options: &Options, watch: &Watch<'_>) -> Result<Reading, Error> {
    let mut reader = Reader {
        options,
        reading: Reading::default(),
        has_statement: false,
        transaction: None,
        field: None,
        inside: Tag::Transaction,
    };
    let mut lines = Lines::new(text);
    let mut asked_at = 0;
    for token in Tokens::new(text) {
        match token {
            Token::Text { text, escaped } => reader.text(text, escaped),
            Token::Open { tag, at } => {
                watch.work(at.saturating_sub(asked_at))?;
                asked_at = at;
                reader.open(tag, at, &mut lines)?;
            }
            Token::Close(tag) => reader.close(tag)?,
        }
    }
    let tail = text.rsplit('>').next().unwrap_or_default();
    let ends_inside_a_value = !tail.contains('<') && !tail.ends_with(['\n', '\r']);
    let mut reading = reader.end_of_file(ends_inside_a_value)?;
    reading.due_date = crate::due_date::of_ofx(text);
    Ok(reading)
}

struct Reader<'a, 'o> {
    options: &'o Options,
    reading: Reading,
    has_statement: bool,
    transaction: Option<Transaction<'a>>,
    /// The field that the next text belongs to.
    field: Option<Field>,
    /// The innermost open aggregate of the transaction: itself, [`Tag::Payee`] or [`Tag::Nested`].
    inside: Tag,
}

/// The part of a transaction that was read so far.
#[derive(Default)]
struct Transaction<'a> {
    line: usize,
    values: [Value<'a>; Field::COUNT],
}

/// The fields of a transaction that are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Field {
    Date,
    Amount,
    Id,
    Memo,
    Name,
    PayeeName,
}

impl Field {
    const COUNT: usize = 6;
}

/// A value as the file writes it. It is borrowed if it is one piece.
#[derive(Default)]
struct Value<'a> {
    text: Cow<'a, str>,
    escaped: bool,
    /// Stored because every tag needs it: searching for it each time could take quadratic time.
    has_content: bool,
}

impl<'a> Value<'a> {
    fn push(&mut self, text: &'a str, escaped: bool) {
        self.has_content |= !text.trim_ascii_start().is_empty();
        if self.text.is_empty() {
            (self.text, self.escaped) = (Cow::Borrowed(text), escaped);
            return;
        }
        let before = std::mem::take(&mut self.text);
        let mut joined = if self.escaped { entities::decode(&before).into_owned() } else { before.into_owned() };
        joined.push_str(&if escaped { entities::decode(text) } else { Cow::Borrowed(text) });
        (self.text, self.escaped) = (Cow::Owned(joined), false);
    }

    fn decoded(&self) -> Cow<'_, str> {
        if self.escaped { entities::decode(&self.text) } else { Cow::Borrowed(&self.text) }
    }
}

impl<'a> Reader<'a, '_> {
    fn text(&mut self, text: &'a str, escaped: bool) {
        if let (Some(field), Some(transaction)) = (self.field, &mut self.transaction) {
            transaction.values[field as usize].push(text, escaped);
        }
    }

    fn open(&mut self, tag: Tag, at: usize, lines: &mut Lines<'a>) -> Result<(), Error> {
        self.field = None;
        match tag {
            Tag::Date => self.expect(Field::Date),
            Tag::Amount => self.expect(Field::Amount),
            Tag::Id => self.expect(Field::Id),
            Tag::Memo => self.expect(Field::Memo),
            Tag::Name if self.inside == Tag::Transaction => self.expect(Field::Name),
            Tag::Name if self.inside == Tag::Payee => self.expect(Field::PayeeName),
            Tag::Payee | Tag::Nested => self.inside = tag,
            Tag::Transaction => {
                self.finish()?;
                self.has_statement = true;
                self.transaction = Some(Transaction { line: lines.line_of(at), ..Transaction::default() });
            }
            Tag::Pending => {
                self.finish()?;
                self.has_statement = true;
                self.reading.reject(lines.line_of(at), Reason::PendingTransaction);
            }
            Tag::Statement => {
                self.finish()?;
                self.has_statement = true;
            }
            Tag::Balance | Tag::File => self.finish()?,
            Tag::BankAccount | Tag::CardAccount | Tag::BankId | Tag::AccountId | Tag::Name | Tag::Other => {}
        }
        Ok(())
    }

    fn close(&mut self, tag: Tag) -> Result<(), Error> {
        self.field = None;
        match tag {
            Tag::Payee | Tag::Nested => self.inside = Tag::Transaction,
            Tag::Transaction | Tag::Statement | Tag::File => self.finish()?,
            _ => {}
        }
        Ok(())
    }

    /// Assigns the next text to a field, unless it has a value already.
    fn expect(&mut self, field: Field) {
        if let Some(transaction) = &mut self.transaction {
            let value = &mut transaction.values[field as usize];
            if !value.has_content {
                *value = Value::default();
                self.field = Some(field);
            }
        }
    }

    /// Ends the current transaction.
    fn finish(&mut self) -> Result<(), Error> {
        self.inside = Tag::Transaction;
        match self.transaction.take() {
            Some(transaction) => self.take_in(transaction, false),
            None => Ok(()),
        }
    }

    /// Ends the file. A transaction that was not closed may be incomplete.
    fn end_of_file(mut self, ends_inside_a_value: bool) -> Result<Reading, Error> {
        if let Some(mut transaction) = self.transaction.take() {
            // An incomplete text is still useful; an incomplete amount, date or id is wrong.
            if let Some(cut @ (Field::Date | Field::Amount | Field::Id)) = self.field
                && ends_inside_a_value
            {
                transaction.values[cut as usize] = Value::default();
            }
            self.take_in(transaction, true)?;
        }
        if self.has_statement {
            carried::reject(&mut self.reading);
            Ok(self.reading)
        } else {
            Err(Error::Unreadable(
                "O arquivo OFX não traz nenhum extrato; exporte de novo, escolhendo uma conta e um período com lançamentos."
                    .to_string(),
            ))
        }
    }

    fn take_in(&mut self, transaction: Transaction<'a>, cut: bool) -> Result<(), Error> {
        match transaction.read(cut) {
            Ok(row) => {
                let written_negative = row.cents < 0;
                accept(row, written_negative, self.options, &mut self.reading)
            }
            Err(reason) => {
                self.reading.reject(transaction.line, reason);
                Ok(())
            }
        }
    }
}

impl Transaction<'_> {
    /// The row, or the reason for rejecting it. `cut` means that the file ends inside the transaction.
    fn read(&self, cut: bool) -> Result<Row, Reason> {
        let description = self.description();
        if is_balance(&description) && !may_be_carried(&description) {
            return Err(Reason::BalanceLine);
        }
        let missing = |what| if cut { Reason::TruncatedFile } else { what };
        let date = self.decoded(Field::Date);
        let date_text = first_line(&date);
        if date_text.is_empty() {
            return Err(missing(Reason::MissingDate));
        }
        let Some(date) = date::ofx(date_text) else {
            return Err(Reason::InvalidDate { text: quote(date_text) });
        };
        let amount = self.decoded(Field::Amount);
        let amount_text = first_line(&amount);
        if amount_text.is_empty() {
            return Err(missing(Reason::MissingAmount));
        }
        let cents = cents(amount_text, Decimal::ByValue).map_err(|error| error.reason(amount_text))?;
        Ok(Row { line: self.line, date, description, cents, id: id(&self.decoded(Field::Id)) })
    }

    fn decoded(&self, field: Field) -> Cow<'_, str> {
        self.values[field as usize].decoded()
    }

    fn description(&self) -> String {
        [Field::Memo, Field::Name, Field::PayeeName]
            .into_iter()
            .filter(|field| self.values[*field as usize].has_content)
            .map(|field| clean(&self.decoded(field)))
            .find(|description| !description.is_empty())
            .unwrap_or_else(|| NO_DESCRIPTION.to_string())
    }
}

/// The bank's id. None if it is blank or only zeros.
fn id(text: &str) -> Option<String> {
    let text = first_line(text);
    if text.bytes().all(|byte| byte == b'0') {
        return None;
    }
    if text.len() <= ID_CHARS_MAX && text.bytes().all(|byte| !byte.is_ascii_control()) && text.is_ascii() {
        return Some(text.to_string());
    }
    let id: String = text.chars().filter(|character| !character.is_control()).take(ID_CHARS_MAX).collect();
    let id = id.trim();
    (!id.is_empty()).then(|| id.to_string())
}
