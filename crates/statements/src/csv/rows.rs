//! Parses records into rows.

use std::rc::Rc;
use std::sync::Arc;

use time::Date;

use super::decimals::cents;
use super::description::{Describer, instalment_of, is_instalment};
use super::detected;
use super::direction_words::direction;
use super::directions::direction_of;
use super::evidence::{Clues, Evidence, first_text, rejoin};
use super::formulas::undefused;
use super::header::{self, Amount, Direction, Plan, StatedColumns, next_section};
use super::source::Source;
use super::split::{Record, Records};
use super::titles::{Title, begins_as_total, begins_in_future, is_conversion, is_remark, is_total};
use crate::amount::{Decimal, has_direction};
use crate::balances::{self, Beside};
use crate::carried::{self, may_be_carried};
use crate::text::{DESCRIPTION_CHARS_MAX, clean, clean_to, quote};
use crate::words::{WORDS, is_balance};
use crate::{CardSign, Error, Former, OptionFault, Options, Reading, Reason, Rejected, Row, accept, currency};

/// The most characters of a bank's id.
const ID_CHARS_MAX: usize = 1024;
/// Further lines are added to a description up to this many bytes, which is more than is stored.
const CONTINUED_BYTES_MAX: usize = 2048;
/// How many records at the start are read first. They usually show the formats of the whole file.
const FIRST_RECORDS: usize = 100;

/// The number of parsed cells. An option with which no cell is parsed does not fit the file.
#[derive(Debug, Clone, Copy, Default)]
struct Tally {
    dates: usize,
    dates_read: usize,
    amounts: usize,
    amounts_read: usize,
}

/// Parses the rows of a file with the formats that its first records show, and again if later records show others. One
/// unambiguous date or amount decides for the ambiguous ones.
pub(super) fn read(source: &Source<'_>, plan: &Plan, options: &Options) -> Result<Reading, Error> {
    let first = Clues::of(source, plan, options, FIRST_RECORDS).conclude(source, plan, options);
    let (reading, clues) = parse(source, plan, options, first);
    let clues = match reading {
        Ok(_) => clues,
        // The end of the file was not reached.
        Err(_) => Clues::of(source, plan, options, usize::MAX),
    };
    let all = clues.conclude(source, plan, options);
    if all == first { reading } else { parse(source, plan, options, all).0 }
}

/// Parses the rows of a file with the given formats, and collects the clues of all records.
fn parse(
    source: &Source<'_>,
    plan: &Plan,
    options: &Options,
    evidence: Evidence<'_>,
) -> (Result<Reading, Error>, Clues) {
    let layout = Some(detected::layout(source, plan, &evidence.dates, evidence.decimal, evidence.sign));
    let mut reader = Reader {
        plan: Rc::new(plan.clone()),
        options,
        on_card: options.on_card || plan.is_card_layout,
        evidence,
        reading: Reading { layout, ..Reading::default() },
        pending: None,
        beside: plan.columns.balance.map(|_| Vec::new()),
        in_future: begins_in_future(source.text, plan),
        converted_on: None,
        tally: Tally::default(),
        describer: Describer::default(),
    };
    let mut clues = Clues::new(source, plan, options);
    let reading = reader.records(source, &mut clues).map(|()| reader.reading);
    (reading, clues)
}

/// A row whose description the next line may continue.
#[derive(Debug)]
struct Pending {
    row: Row,
    former: Former,
    written_negative: bool,
    /// The fee beside the amount, in hundredths.
    fee: i64,
    /// What the account held after the row.
    balance: Option<i64>,
    /// What the lines below it add to its description.
    continued: String,
    /// What they added until 2026-12: remarks too.
    former_continued: String,
}

/// What the bank's statement said of a row. The date and the description are None if they are those of the row now.
#[derive(Debug)]
struct Stated {
    /// The date: of a card, the purchase date.
    date: Option<Date>,
    description: Option<String>,
    /// The amount in hundredths. Negative is an expense.
    cents: i64,
}

#[derive(Debug)]
struct Reader<'o> {
    /// That of the section of the file.
    plan: Rc<Plan>,
    options: &'o Options,
    on_card: bool,
    evidence: Evidence<'o>,
    reading: Reading,
    pending: Option<Pending>,
    /// The rows with a balance beside them. None if one has none.
    beside: Option<Vec<Beside>>,
    /// Whether the following lines are future transactions.
    in_future: bool,
    /// The date of the following rows that have none, because they were converted on that day.
    converted_on: Option<Date>,
    tally: Tally,
    describer: Describer,
}

impl Reader<'_> {
    fn records(&mut self, source: &Source<'_>, clues: &mut Clues) -> Result<(), Error> {
        let mut records = Records::watched(source, self.plan.separator, self.plan.start);
        let mut record = Record::default();
        while records.next_into(&mut record) {
            if record.is_blank() {
                continue;
            }
            rejoin(&mut record, &self.plan, self.evidence.decimal);
            clues.observe(&record, &self.plan, self.options);
            self.record(&record)?;
        }
        self.flush()?;
        if self.plan.columns.stated.is_none() {
            carried::reject(&mut self.reading);
        }
        self.reading.balances = balances::of_column(self.beside.as_deref().unwrap_or_default());
        self.tally.check(self.options)
    }

    fn record(&mut self, record: &Record<'_>) -> Result<(), Error> {
        let plan = Rc::clone(&self.plan);
        let columns = &plan.columns;
        let written = record.cell(columns.date);
        let date = self.evidence.dates.read(written);
        if date.is_none()
            && let Some(next) = next_section(record, &plan, self.options)
        {
            self.flush()?;
            self.reading.reject(record.line, Reason::RepeatedHeader);
            self.plan = Rc::new(next);
            return Ok(());
        }
        if date.is_none() && self.continues(record) {
            return Ok(());
        }
        self.flush()?;
        let line = record.line;
        if date.is_none()
            && let Some(title) = Title::of(record, true)
        {
            self.in_future = title.is_future();
        }
        if self.in_future {
            // A title, and the balance that the bank expects, say nothing of a row.
            match date.is_some() && !is_balance(first_text(record, &plan), self.on_card) {
                true => self.reject(record, date, Reason::FutureTransaction),
                false => self.reading.reject(line, Reason::FutureTransaction),
            }
            return Ok(());
        }
        if date.is_none() && self.is_header(record) {
            self.reading.reject(line, Reason::RepeatedHeader);
            return Ok(());
        }
        let (text, on_card) = (first_text(record, &plan), self.on_card);
        // Every row of our own export is a transaction, whatever a person calls it.
        let is_own = columns.stated.is_some();
        let is_balance_line = !is_own && is_balance(text, on_card) && !may_be_carried(text);
        // A row without a text may say in another column what it is.
        let says_itself = date.is_none() || !is_own && text.is_empty();
        if is_balance_line || says_itself && record.cells().any(|cell| is_balance(cell, on_card)) {
            self.reject(record, date, Reason::BalanceLine);
            return Ok(());
        }
        let is_total_line = || match (text.is_empty(), date) {
            (true, Some(_)) => record.cells().any(is_total),
            _ => is_total(text),
        };
        if !is_own && is_total_line() || date.is_none() && is_total(written) {
            self.reject(record, date, Reason::TotalLine);
            return Ok(());
        }
        if date.is_some() {
            self.converted_on = date.filter(|_| !is_own && is_conversion(text));
            if self.converted_on.is_some() {
                self.reject(record, date, Reason::LineWithoutAmount);
                return Ok(());
            }
        }
        // The text of a tax stands in the column of the date.
        let of_tax = written;
        let is_text = !of_tax.starts_with(|first: char| first.is_ascii_digit()) && !begins_as_total(of_tax);
        let converted_on = self.converted_on.filter(|_| date.is_none() && is_text && self.has_amount(record));
        let (date, written) = if converted_on.is_some() { (converted_on, "") } else { (date, written) };
        self.tally.dates += usize::from(!written.is_empty());
        let status = columns.status.map(|at| record.cell(at)).filter(|status| WORDS.is_not_settled(status));
        let Some(date) = date else {
            // What is pending may have no date yet.
            let status =
                status.filter(|_| written.is_empty()).map(|status| Reason::NotSettled { status: quote(status) });
            // What was converted stands directly below its rate.
            self.converted_on = None;
            self.reject(record, None, status.unwrap_or_else(|| no_date(written)));
            return Ok(());
        };
        self.tally.dates_read += 1;
        let (cents, former_cents) = match self.cents(record) {
            Ok(cents) => cents,
            Err(reason) => {
                self.reject(record, Some(date), reason);
                return Ok(());
            }
        };
        if let Some(status) = status {
            self.reject(record, Some(date), Reason::NotSettled { status: quote(status) });
            return Ok(());
        }
        let fee = match columns.fee.map_or(Ok(0), |at| fee(record.cell(at), self.evidence.decimal)) {
            Ok(fee) => fee,
            Err(reason) => {
                self.reject(record, Some(date), reason);
                return Ok(());
            }
        };
        let texts = columns.shown_texts(record, cents);
        let instalment = instalment_of(record, columns);
        let former_instalment = columns.former_instalment.map(|at| record.cell(at)).filter(|cell| is_instalment(cell));
        let description = match text.is_empty() && !of_tax.is_empty() && converted_on.is_some() {
            true => clean(of_tax),
            false => self.describer.describe(record, &texts, instalment.as_deref()),
        };
        let is_same = columns.former_texts == *texts && former_instalment == instalment.as_deref();
        let former = match is_same {
            true => description.clone(),
            false => self.describer.describe(record, &columns.former_texts, former_instalment),
        };
        let former_date = columns.former_date.and_then(|at| self.evidence.dates.read(record.cell(at)));
        let stated = match &columns.stated {
            Some(stated) => self.stated(record, stated, cents),
            None => Stated { cents, date: None, description: None },
        };
        let cents = stated.cents;
        let description = match (is_own, columns.texts.as_slice()) {
            (true, [text]) => as_stored(record.written(*text)),
            _ => undefused(&description),
        };
        let row = Row {
            statement_description: stated.description.filter(|text| *text != description),
            id: columns.id.and_then(|at| id(record.cell(at))),
            currency: self.currency(record),
            category: columns.category.map(|at| clean(record.cell(at))).filter(|name| !name.is_empty()),
            ..Row::new(line, stated.date.unwrap_or(date), description, self.of_card(record, cents))
        };
        let former = Former {
            date: stated.date.map(|_| date).or(former_date).filter(|date| *date != row.date),
            description: former,
            cents: if self.plan.was_card { -former_cents } else { former_cents },
        };
        let balance = self.balance(record);
        let (continued, former_continued) = (String::new(), String::new());
        let written_negative = cents < 0;
        self.pending = Some(Pending { row, former, written_negative, fee, balance, continued, former_continued });
        Ok(())
    }

    /// What the bank's statement said of a row of our own export. The rows are stored under it, so it recognises them.
    fn stated(&self, record: &Record<'_>, columns: &StatedColumns, cents: i64) -> Stated {
        let date = |at| self.evidence.dates.read(record.cell(at));
        let description = as_stored(record.written(columns.text));
        let amount = self.plain_cents(record.cell(columns.amount)).unwrap_or(cents).abs();
        let is_income = direction(record.cell(columns.direction)).unwrap_or(cents > 0);
        Stated {
            date: date(columns.date).or_else(|| date(columns.original_date)),
            description: (!description.is_empty()).then_some(description),
            cents: if is_income { amount } else { -amount },
        }
    }

    /// The amount with the other sign if purchases on the card are positive, unless a letter or a word beside the amount is its sign.
    fn of_card(&self, record: &Record<'_>, cents: i64) -> i64 {
        let (Some(CardSign::PurchasesPositive), Amount::One(at)) = (self.evidence.sign, self.plan.columns.amount)
        else {
            return cents;
        };
        let amount = record.cell(at);
        let direction = self.plan.columns.direction.filter(|direction| self.is_believed(*direction, amount));
        let is_told = direction.is_some_and(|told| direction_of(record.cell(told.at), self.on_card).is_some());
        if is_told || has_direction(amount) { cents } else { -cents }
    }

    /// Whether a column that tells income from expenses is that of the sign of an amount. The phone of Banco do Brasil writes `Entrada`
    /// beside all amounts, of which some are `1.000,00 D`.
    fn is_believed(&self, direction: Direction, amount: &str) -> bool {
        (!direction.maybe || self.evidence.maybe_directions) && !has_direction(amount)
    }

    /// The currency of a row's amount. None if it is the real.
    fn currency(&self, record: &Record<'_>) -> Option<Arc<str>> {
        let columns = &self.plan.columns;
        let cell = columns.currency.map(|at| record.cell(at)).filter(|cell| currency::is_named(cell));
        let amount = match columns.amount {
            Amount::One(at) => record.cell(at),
            Amount::Split { .. } => "",
        };
        let of_header = || self.plan.currency.clone().filter(|_| cell.is_none() && !amount.contains("R$"));
        cell.and_then(currency::code).or_else(|| currency::of_amount(amount).map(Into::into)).or_else(of_header)
    }

    /// What the account held after the row.
    fn balance(&self, record: &Record<'_>) -> Option<i64> {
        let columns = &self.plan.columns;
        let cents = self.plain_cents(record.cell(columns.balance?))?;
        match columns.balance_direction.and_then(|at| direction(record.cell(at))) {
            Some(is_credit) => Some(if is_credit { cents.abs() } else { -cents.abs() }),
            None => Some(cents),
        }
    }

    /// Whether an amount of the row can be read.
    fn has_amount(&self, record: &Record<'_>) -> bool {
        self.plan.columns.amount.columns().any(|at| self.plain_cents(record.cell(at)).is_some())
    }

    /// An amount that decides nothing about the file. None if it cannot be read.
    fn plain_cents(&self, text: &str) -> Option<i64> {
        cents(text, self.evidence.decimal).ok()
    }

    /// Rejects a line, with what can be read of it. The amount of a balance may stand in the column of balances.
    fn reject(&mut self, record: &Record<'_>, date: Option<Date>, reason: Reason) {
        let plan = Rc::clone(&self.plan);
        let columns = &plan.columns;
        // What is no transaction says nothing about the options.
        let tally = self.tally;
        let mut amount = self.cents(record).ok().map(|(cents, _)| cents);
        self.tally = tally;
        if reason == Reason::BalanceLine {
            // Some banks write an amount of nothing beside it.
            amount = amount.filter(|cents| *cents != 0).or_else(|| self.balance(record)).or(amount);
            // A balance in another currency is none in reais.
            amount = amount.filter(|_| self.currency(record).is_none());
        }
        amount = amount.map(|cents| self.of_card(record, cents));
        let has_text = !first_text(record, &plan).is_empty();
        let instalment = instalment_of(record, columns);
        let description = has_text.then(|| self.describer.describe(record, &columns.texts, instalment.as_deref()));
        self.reading.rejected.push(Rejected { date, cents: amount, description, ..Rejected::new(record.line, reason) });
    }

    /// Adds a line that contains only text to the description of the row before it. The text may be in the date's column, if the
    /// layout is known to write it there.
    fn continues(&mut self, record: &Record<'_>) -> bool {
        let (false, Some(pending), Some(&at)) =
            (self.plan.headers.is_empty(), self.pending.as_mut(), self.plan.columns.texts.first())
        else {
            return false;
        };
        let mut cells = record.cells().enumerate().filter(|(_, cell)| !cell.is_empty());
        let (Some((place, text)), None) = (cells.next(), cells.next()) else { return false };
        // A line without a separator is a remark by the bank.
        // In the first column it may be the title of a section.
        let (is_text, is_known) = (place == at && place > 0 && record.len() > 1, self.plan.continues);
        let is_place = is_text || is_known && (place == at || place == self.plan.columns.date && record.len() > 1);
        if !is_place || is_total(text) || is_balance(text, self.on_card) || Title::of(record, true).is_some() {
            return false;
        }
        let is_remark = is_remark(text);
        let add = |to: &mut String| {
            if to.len() < CONTINUED_BYTES_MAX {
                to.push(' ');
                to.push_str(text);
            }
        };
        if is_known {
            add(&mut pending.former_continued);
        }
        if is_remark {
            self.reading.reject(record.line, Reason::LineWithoutDate);
        } else {
            add(&mut pending.continued);
        }
        true
    }

    fn flush(&mut self) -> Result<(), Error> {
        let Some(pending) = self.pending.take() else { return Ok(()) };
        let Pending { mut row, mut former, written_negative, fee, balance, continued, former_continued } = pending;
        if !former_continued.is_empty() {
            former.description = clean(&format!("{}{former_continued}", row.description));
        }
        if !continued.is_empty() {
            row.description = clean(&format!("{}{continued}", row.description));
        }
        let balance = balance.filter(|_| row.currency.is_none());
        self.beside = match (self.beside.take(), balance) {
            (Some(mut beside), Some(balance)) => {
                beside.push(Beside { date: row.date, cents: row.cents - fee, balance });
                Some(beside)
            }
            _ => None,
        };
        let fee = (fee > 0).then(|| fee_row(&row, fee));
        // A row of zero with a fee is the fee.
        let is_kept =
            row.cents == 0 && fee.is_some() || accept(row, former, written_negative, self.options, &mut self.reading)?;
        if let Some(fee) = fee.filter(|_| is_kept) {
            let former = Former { date: None, description: fee.description.clone(), cents: fee.cents };
            accept(fee, former, false, self.options, &mut self.reading)?;
        }
        Ok(())
    }

    fn is_header(&self, record: &Record<'_>) -> bool {
        let names = &self.plan.keys;
        let is_own = |(key, name): (String, &String)| name.is_empty() || key == *name;
        !names.is_empty() && header::keys(record).into_iter().zip(names).all(is_own)
    }

    /// The amount with the sign of the file, and as it was read until 2026-12.
    fn cents(&mut self, record: &Record<'_>) -> Result<(i64, i64), Reason> {
        let decimal = self.evidence.decimal;
        let at = match self.plan.columns.amount {
            Amount::One(at) => at,
            Amount::Split { credit, debit } => {
                let credit = self.side(record, credit, decimal)?;
                let debit = self.side(record, debit, decimal)?;
                return match (credit, debit) {
                    (None, None) => Err(Reason::LineWithoutAmount),
                    // Either column may have negative or positive amounts. Among positive ones a negative one is taken back.
                    (credit, debit) => {
                        let (credit, debit) = (credit.unwrap_or(0), debit.unwrap_or(0));
                        let Evidence { debits_are_positive, credits_are_positive, .. } = self.evidence;
                        let given = if credits_are_positive { credit } else { credit.abs() };
                        let taken = if debits_are_positive { debit } else { debit.abs() };
                        Ok((given - taken, credit - debit.abs()))
                    }
                };
            }
        };
        let written = self.part(record.cell(at), decimal)?.ok_or(Reason::LineWithoutAmount)?;
        let Some(direction) = self.plan.columns.direction else { return Ok((written, written)) };
        let told = match direction_of(record.cell(direction.at), self.on_card) {
            Some(true) => written.abs(),
            Some(false) => -written.abs(),
            None => written,
        };
        let is_believed = self.is_believed(direction, record.cell(at));
        let was_believed = !direction.is_new && (!direction.maybe || self.evidence.former_directions);
        Ok((if is_believed { told } else { written }, if was_believed { told } else { written }))
    }

    /// The amount in a column of income or of expenses. Banks leave the other column empty, or write a dash or a word.
    fn side(&mut self, record: &Record<'_>, at: Option<usize>, decimal: Decimal) -> Result<Option<i64>, Reason> {
        match at.map_or("", |at| record.cell(at)) {
            text if has_no_digit(text) => Ok(None),
            text => self.part(text, decimal),
        }
    }

    fn part(&mut self, text: &str, decimal: Decimal) -> Result<Option<i64>, Reason> {
        if text.is_empty() {
            return Ok(None);
        }
        self.tally.amounts += 1;
        let cents = cents(text, decimal).map_err(|error| error.reason(text))?;
        self.tally.amounts_read += 1;
        Ok(Some(cents))
    }
}

fn has_no_digit(text: &str) -> bool {
    !text.bytes().any(|byte| byte.is_ascii_digit())
}

/// A fee in hundredths, without its sign. Zero if the cell has none: it is empty or a word (`Grátis`), or a percentage of the amount.
fn fee(text: &str, decimal: Decimal) -> Result<i64, Reason> {
    match text {
        text if has_no_digit(text) || text.ends_with('%') => Ok(0),
        text => cents(text, decimal).map(i64::abs).map_err(|error| error.reason(text)),
    }
}

/// The row of a fee beside the amount of a row.
fn fee_row(row: &Row, fee: i64) -> Row {
    Row {
        description: clean(&format!("Tarifa: {}", row.description)),
        cents: -fee,
        id: row.id.as_ref().map(|id| format!("{id}-fee")),
        category: None,
        ..row.clone()
    }
}

/// A text of our own export as it is stored. One that a person entered may have blanks and marks of no width that those of statements
/// have not.
fn as_stored(text: &str) -> String {
    let stored = undefused(text);
    if stored.chars().nth(DESCRIPTION_CHARS_MAX).is_some() { clean(&stored) } else { stored }
}

/// The reason for rejecting a row without a date.
fn no_date(written: &str) -> Reason {
    if written.is_empty() { Reason::LineWithoutDate } else { Reason::InvalidDate { text: quote(written) } }
}

impl Tally {
    /// Refuses options with which no cell was parsed.
    fn check(&self, options: &Options) -> Result<(), Error> {
        let refuse = |name, fault| Err(Error::Option { name, fault });
        if self.dates > 0 && self.dates_read == 0 {
            if options.date_format.is_some() {
                return refuse("date_format", OptionFault::UnfitDateFormat);
            }
            if options.date_column.is_some() {
                return refuse("date_column", OptionFault::NoDateInColumn);
            }
        }
        if self.amounts > 0 && self.amounts_read == 0 {
            if options.amount_column.is_some() {
                return refuse("amount_column", OptionFault::NoAmountInColumn);
            }
            if options.decimal_separator.is_some() {
                return refuse("decimal_separator", OptionFault::UnfitDecimalSeparator);
            }
        }
        Ok(())
    }
}

/// The bank's id. None if it is blank or only zeros.
fn id(text: &str) -> Option<String> {
    if text.bytes().all(|byte| byte == b'0') {
        None
    } else {
        Some(clean_to(text, ID_CHARS_MAX)).filter(|id| !id.is_empty())
    }
}
