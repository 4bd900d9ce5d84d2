//! OFX 1.x and 2.x by one lenient parser: closing tags are optional, headers are ignored, and a file may be truncated.

mod entities;
mod lines;
mod tokens;

use std::borrow::Cow;
use std::sync::Arc;

use memchr::memchr_iter;
use time::Date;

use crate::amount::{Decimal, cents};
use crate::balances::{self, Found, Origin};
use crate::carried::{self, may_be_carried};
use crate::currency::{self, Rate};
use crate::text::{clean, clean_to, first_line, fold, quote};
use crate::watch::Watch;
use crate::words::{WORDS, is_balance};
use crate::{
    Account, AccountKind, AccountStatement, CardSign, Error, Former, Options, Reading, Reason, Rejected, Row,
    STATEMENTS_MAX, accept, date,
};
use lines::Lines;
use tokens::{Tag, Token, Tokens};

/// The most characters of an id.
const ID_CHARS_MAX: usize = 1024;
/// The number of bytes at the start that are searched for a sign of OFX.
const START_BYTES_MAX: usize = 64 * 1024;
/// The most characters of the numbers of a bank, a branch and an account.
const NUMBER_CHARS_MAX: usize = 64;
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
        statement: None,
        account: None,
        is_card: false,
        currency: None,
        ledger: None,
        balances: Vec::new(),
        types: Vec::new(),
        signs: Vec::new(),
        part: None,
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
    /// The innermost open aggregate of the transaction: itself, [`Tag::Payee`], [`Tag::Currency`] or [`Tag::Nested`].
    inside: Tag,
    /// The position of the current statement. None until its account is known.
    statement: Option<usize>,
    /// The account of the current statement, until its position is known.
    account: Option<Account>,
    /// Whether the current statement is a card's, whatever its account says.
    is_card: bool,
    /// The currency of the current statement. None if it is the real.
    currency: Option<Arc<str>>,
    /// The amount and the date of the `LEDGERBAL` that is read.
    ledger: Option<(Option<i64>, Option<Date>)>,
    balances: Vec<Found>,
    /// For each row whether its type takes money.
    types: Vec<Option<bool>>,
    /// What the transactions of each statement show.
    signs: Vec<Signs>,
    /// What the next text is, if it is no field of a transaction.
    part: Option<Part>,
}

/// What tells the signs of the amounts of a statement.
#[derive(Debug, Clone, Copy, Default)]
struct Signs {
    is_negative: bool,
    takes: bool,
    gives: bool,
    /// Of rows of the type `DEBIT`, that of a purchase on a card. `PAYMENT` is that of a bill's payment at one bank, and of every purchase at
    /// another.
    debits: Count,
    /// Of rows whose text is that of a payment of the bill.
    payments: Count,
    /// Of the other rows.
    others: Count,
}

/// How many amounts are positive, and how many negative.
#[derive(Debug, Clone, Copy, Default)]
struct Count {
    positive: usize,
    negative: usize,
}

impl Count {
    fn add(&mut self, is_negative: bool) {
        *if is_negative { &mut self.negative } else { &mut self.positive } += 1;
    }
}

impl Signs {
    /// Whether a card's purchases are positive: the caller says so; or every debit is positive, and payments of the bill are negative.
    /// Types alone are not believed where the signs may be right, and in a statement of debits alone one may be a refund.
    fn are_of_purchases(self, options: &Options) -> bool {
        let Signs { debits, payments, others, .. } = self;
        let are_all_debits = debits.positive > 1 && payments.negative + others.positive + others.negative == 0;
        match options.card_sign {
            Some(sign) => sign == CardSign::PurchasesPositive,
            None if debits.negative + payments.positive > 0 || debits.positive == 0 => false,
            None => payments.negative > 0 || are_all_debits,
        }
    }
}

/// A value of a statement, beside its transactions.
#[derive(Debug, Clone, Copy)]
enum Part {
    Bank,
    Branch,
    Number,
    Kind,
    Currency,
    Balance,
    BalanceDate,
}

/// The part of a transaction that was read so far.
#[derive(Default)]
struct Transaction<'a> {
    line: usize,
    is_pending: bool,
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
    Type,
    Currency,
    Rate,
}

impl Field {
    const COUNT: usize = 9;
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
        if let Some(part) = self.part {
            self.take_part(part, text, escaped);
        } else if let (Some(field), Some(transaction)) = (self.field, &mut self.transaction) {
            transaction.values[field as usize].push(text, escaped);
        }
    }

    fn open(&mut self, tag: Tag, at: usize, lines: &mut Lines<'a>) -> Result<(), Error> {
        (self.field, self.part) = (None, None);
        match tag {
            Tag::Type => self.expect(Field::Type),
            Tag::Date => self.expect(Field::Date),
            Tag::PendingDate if self.transaction.as_ref().is_some_and(|transaction| transaction.is_pending) => {
                self.expect(Field::Date);
            }
            Tag::Amount => self.expect(Field::Amount),
            Tag::Id => self.expect(Field::Id),
            Tag::Memo => self.expect(Field::Memo),
            Tag::Name if self.inside == Tag::Transaction => self.expect(Field::Name),
            Tag::Name if self.inside == Tag::Payee => self.expect(Field::PayeeName),
            Tag::CurrencySymbol if self.inside == Tag::Currency => self.expect(Field::Currency),
            Tag::CurrencyRate if self.inside == Tag::Currency => self.expect(Field::Rate),
            Tag::Payee | Tag::Currency | Tag::Nested => self.inside = tag,
            Tag::Transaction | Tag::Pending => {
                self.finish()?;
                self.has_statement = true;
                self.position()?;
                let is_pending = tag == Tag::Pending;
                self.transaction = Some(Transaction { line: lines.line_of(at), is_pending, ..Transaction::default() });
            }
            Tag::Statement | Tag::CardStatement => {
                self.finish()?;
                self.has_statement = true;
                (self.statement, self.account, self.currency) = (None, None, None);
                self.is_card = tag == Tag::CardStatement;
            }
            Tag::List => {
                self.finish()?;
                self.has_statement = true;
                self.position()?;
            }
            Tag::DefaultCurrency => self.part = Some(Part::Currency),
            Tag::BankAccount | Tag::CardAccount => {
                let kind = (tag == Tag::CardAccount || self.is_card).then_some(AccountKind::Card);
                (self.statement, self.account) = (None, Some(Account { kind, ..Account::default() }));
            }
            Tag::BankId => self.part = Some(Part::Bank),
            Tag::BranchId => self.part = Some(Part::Branch),
            Tag::AccountId => self.part = Some(Part::Number),
            Tag::AccountType => self.part = Some(Part::Kind),
            Tag::LedgerBalance => {
                self.finish()?;
                self.ledger = Some((None, None));
            }
            Tag::BalanceAmount => self.part = Some(Part::Balance),
            Tag::BalanceDate => self.part = Some(Part::BalanceDate),
            Tag::Balance | Tag::File => {
                self.finish()?;
                self.end_ledger()?;
            }
            Tag::PendingDate | Tag::CurrencySymbol | Tag::CurrencyRate | Tag::Name | Tag::Other => {}
        }
        Ok(())
    }

    /// The position of the current statement among those of the file. An account has one statement.
    ///
    /// # Errors
    ///
    /// [`Error::Unreadable`] if the file has too many accounts.
    fn position(&mut self) -> Result<usize, Error> {
        if let Some(position) = self.statement {
            return Ok(position);
        }
        let of_card = || Account { kind: self.is_card.then_some(AccountKind::Card), ..Account::default() };
        let account = self.account.take().unwrap_or_else(of_card);
        let statements = &mut self.reading.accounts;
        let position = statements.iter().position(|known| known.account.is(&account)).unwrap_or(statements.len());
        if position == STATEMENTS_MAX {
            return Err(Error::Unreadable(format!(
                "O arquivo traz mais de {STATEMENTS_MAX} contas; exporte-as em partes."
            )));
        }
        if position == statements.len() {
            statements.push(AccountStatement { account, currency: self.currency.clone(), balances: Vec::new() });
            self.signs.push(Signs::default());
        }
        self.statement = Some(position);
        Ok(position)
    }

    /// Takes a value of the statement in. Its first text counts.
    fn take_part(&mut self, part: Part, text: &str, escaped: bool) {
        let text = if escaped { entities::decode(text) } else { text.into() };
        let text = first_line(&text);
        if text.is_empty() {
            return;
        }
        self.part = None;
        if let (Part::Bank | Part::Branch | Part::Number | Part::Kind, Some(account)) = (part, &mut self.account) {
            let number = || Some(clean_to(text, NUMBER_CHARS_MAX));
            match part {
                Part::Bank if account.bank.is_none() => account.bank = number(),
                Part::Branch if account.branch.is_none() => account.branch = number(),
                Part::Number if account.number.is_none() => account.number = number(),
                Part::Kind if account.kind.is_none() => account.kind = kind(text),
                _ => {}
            }
        }
        match (part, &mut self.ledger) {
            (Part::Currency, _) => self.currency = currency::code(text),
            (Part::Balance, Some((amount, _))) => *amount = cents(text, Decimal::ByValue).ok(),
            (Part::BalanceDate, Some((_, date))) => *date = date::ofx(text),
            _ => {}
        }
    }

    /// Keeps the balance that was read, if it is whole.
    fn end_ledger(&mut self) -> Result<(), Error> {
        if let Some((Some(cents), Some(date))) = self.ledger.take()
            && self.currency.is_none()
        {
            let statement = self.position()?;
            self.balances.push(Found { statement, origin: Origin::Ledger, date, cents });
        }
        Ok(())
    }

    fn close(&mut self, tag: Tag) -> Result<(), Error> {
        (self.field, self.part) = (None, None);
        match tag {
            Tag::Payee | Tag::Currency | Tag::Nested => self.inside = Tag::Transaction,
            Tag::Transaction | Tag::Pending | Tag::List => self.finish()?,
            Tag::LedgerBalance => self.end_ledger()?,
            Tag::Statement | Tag::CardStatement | Tag::File => {
                self.finish()?;
                self.end_ledger()?;
                if self.account.is_some() {
                    self.position()?;
                }
            }
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
        self.end_ledger()?;
        if self.has_statement {
            self.position()?;
            self.give_signs();
            carried::reject(&mut self.reading);
            balances::assign(&mut self.reading, self.balances);
            Ok(self.reading)
        } else {
            Err(Error::Unreadable(
                "O arquivo OFX não traz nenhum extrato; exporte de novo, escolhendo uma conta e um período com lançamentos."
                    .to_string(),
            ))
        }
    }

    fn take_in(&mut self, transaction: Transaction<'a>, cut: bool) -> Result<(), Error> {
        let statement = self.position()?;
        if transaction.is_pending {
            let rejected = Rejected { statement, ..transaction.rejected(Reason::PendingTransaction) };
            self.reading.rejected.push(rejected);
            return Ok(());
        }
        let on_card = self.options.on_card || self.reading.accounts[statement].account.is_card();
        // The account may have another statement, in another currency.
        match transaction.read(cut, on_card, self.currency.clone()) {
            Ok((row, former)) => {
                let written_negative = former.cents < 0;
                let row = Row { statement, ..row };
                let named = transaction.decoded(Field::Type);
                let named = first_line(&named);
                let takes = WORDS.takes(named);
                // What the options leave out says something of the signs too.
                if former.cents != 0 {
                    let is_payment =
                        on_card && self.options.is_payment.as_ref().is_some_and(|test| test.of(&row.description));
                    let signs = &mut self.signs[statement];
                    signs.is_negative |= written_negative;
                    signs.takes |= takes == Some(true);
                    signs.gives |= takes == Some(false);
                    let count = if is_payment {
                        &mut signs.payments
                    } else if named.eq_ignore_ascii_case("DEBIT") {
                        &mut signs.debits
                    } else {
                        &mut signs.others
                    };
                    count.add(written_negative);
                }
                if accept(row, former, written_negative, self.options, &mut self.reading)? {
                    self.types.push(takes);
                }
            }
            Err(reason) => {
                let rejected = Rejected { statement, ..transaction.rejected(reason) };
                self.reading.rejected.push(rejected);
            }
        }
        Ok(())
    }

    /// In a statement without a negative amount, types that take money are the sign, if there are also types that give some. On a card
    /// whose purchases are positive all signs are the other ones.
    fn give_signs(&mut self) {
        if self.options.all_expenses {
            return;
        }
        for (row, takes) in self.reading.rows.iter_mut().zip(&self.types) {
            let signs = self.signs[row.statement];
            let on_card = self.options.on_card || self.reading.accounts[row.statement].account.is_card();
            let is_unsigned = !signs.is_negative && signs.takes && signs.gives;
            let is_other = match on_card && signs.are_of_purchases(self.options) {
                true => true,
                false => is_unsigned && *takes == Some(true) && row.cents > 0,
            };
            if is_other {
                let (description, cents) = (row.description.clone(), row.cents);
                row.former.get_or_insert_with(|| Box::new(Former { date: None, description, cents }));
                row.cents = -row.cents;
            }
        }
    }
}

impl Transaction<'_> {
    /// The row, and what it was formerly read as; or the reason for rejecting it. `cut` means that the file ends inside the
    /// transaction. `currency` is that of the statement.
    fn read(&self, cut: bool, on_card: bool, currency: Option<Arc<str>>) -> Result<(Row, Former), Reason> {
        let description = self.description();
        if is_balance(&description, on_card) && !may_be_carried(&description) {
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
        let written = cents(amount_text, Decimal::ByValue).map_err(|error| error.reason(amount_text))?;
        let (cents, currency) = self.converted(written, currency);
        let cents = cents.ok_or_else(|| Reason::AmountTooLarge { text: quote(amount_text) })?;
        let former = Former { date: None, description: description.clone(), cents: written };
        let id = id(&self.decoded(Field::Id));
        // Without its id, the whole row of a later file would be another one.
        if cut && id.is_none() {
            return Err(Reason::TruncatedFile);
        }
        Ok((Row { id, currency, ..Row::new(self.line, date, description, cents) }, former))
    }

    /// The amount in the currency of the statement, and its currency. An amount with a rate is converted into reais, if the
    /// statement is in reais. None if the result is too large. `ORIGCURRENCY` only tells what was converted by the bank.
    fn converted(&self, cents: i64, currency: Option<Arc<str>>) -> (Option<i64>, Option<Arc<str>>) {
        let symbol = self.decoded(Field::Currency);
        let symbol = first_line(&symbol);
        if symbol.is_empty() {
            return (Some(cents), currency);
        }
        let Some(code) = currency::code(symbol) else { return (Some(cents), None) };
        match Rate::parse(first_line(&self.decoded(Field::Rate))) {
            Some(rate) if currency.is_none() => (rate.of(cents), None),
            _ => (Some(cents), Some(code)),
        }
    }

    /// The rejected transaction, with what can be read of it.
    fn rejected(&self, reason: Reason) -> Rejected {
        Rejected {
            date: date::ofx(first_line(&self.decoded(Field::Date))),
            cents: cents(first_line(&self.decoded(Field::Amount)), Decimal::ByValue).ok(),
            description: Some(self.description()).filter(|description| description != NO_DESCRIPTION),
            ..Rejected::new(self.line, reason)
        }
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

/// The kind of an account by `ACCTTYPE`. Some banks write it in Portuguese, or write a card in the list of accounts.
fn kind(text: &str) -> Option<AccountKind> {
    let letters: String = fold(text).chars().filter(char::is_ascii_lowercase).collect();
    match letters.as_str() {
        "checking" | "corrente" | "contacorrente" => Some(AccountKind::Checking),
        "savings" | "poupanca" | "contapoupanca" => Some(AccountKind::Savings),
        "moneymrkt" | "cd" => Some(AccountKind::Investment),
        "creditline" | "creditcard" | "cartao" | "cartaodecredito" => Some(AccountKind::Card),
        _ => None,
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
