//! The columns of a file by its headers.

use super::layouts::{self, Role};
use super::split::{Place, Record, Records};
use super::synonyms;
use crate::text::fold;
use crate::{Column, Options};

/// The most records that are searched for headers.
pub(super) const RECORDS_MAX: usize = 200;
/// The most bytes of a header.
const HEADER_BYTES_MAX: usize = 64;

/// The positions of the columns, from 0.
#[derive(Debug, Clone, Default)]
pub(super) struct Columns {
    pub(super) date: usize,
    /// The parts of the description, in order.
    pub(super) texts: Vec<usize>,
    /// The parts that made the description until 2026-12.
    pub(super) former_texts: Vec<usize>,
    pub(super) amount: Amount,
    pub(super) direction: Option<Direction>,
    pub(super) id: Option<usize>,
    pub(super) instalment: Option<usize>,
    /// Whether the row moved money.
    pub(super) status: Option<usize>,
    /// A fee beside the amount, which does not include it.
    pub(super) fee: Option<usize>,
    /// The currency of the amount, which need not be the real.
    pub(super) currency: Option<usize>,
    /// The name of a category.
    pub(super) category: Option<usize>,
    /// What the account held after the row.
    pub(super) balance: Option<usize>,
    /// What the bank's statement said of the row, if the file is an export of our own.
    pub(super) stated: Option<StatedColumns>,
}

/// The columns of our own export that tell what the bank's statement said of a row, whatever was edited since. A blank cell means
/// that nothing differs.
#[derive(Debug, Clone, Copy)]
pub(super) struct StatedColumns {
    /// The bank's id.
    pub(super) id: usize,
    /// The purchase date of a row of a card that counts on the payment date.
    pub(super) original_date: usize,
    pub(super) date: usize,
    pub(super) text: usize,
    pub(super) amount: usize,
    pub(super) direction: usize,
}

impl StatedColumns {
    /// The columns by their headers. None if the file is no export of our own.
    fn of(keys: &[String]) -> Option<Self> {
        let at = |name| keys.iter().position(|key| key == name);
        Some(StatedColumns {
            id: at("external id")?,
            original_date: at("original date")?,
            date: at("statement date")?,
            text: at("statement description")?,
            amount: at("statement amount")?,
            direction: at("statement type")?,
        })
    }
}

/// The column or columns of the amount.
#[derive(Debug, Clone, Copy)]
pub(super) enum Amount {
    One(usize),
    Split { credit: Option<usize>, debit: Option<usize> },
}

impl Default for Amount {
    fn default() -> Self {
        Amount::One(0)
    }
}

/// A column that distinguishes income from expenses.
#[derive(Debug, Clone, Copy)]
pub(super) struct Direction {
    pub(super) at: usize,
    /// Whether the column may contain something else, so that its values must be checked.
    pub(super) maybe: bool,
}

/// How to parse a file.
#[derive(Debug, Clone)]
pub(super) struct Plan {
    pub(super) separator: u8,
    /// The position of the first row.
    pub(super) start: Place,
    pub(super) columns: Columns,
    /// The number of columns, if it is known.
    pub(super) width: Option<usize>,
    /// The normalized headers. Empty if the file has none.
    pub(super) keys: Vec<String>,
    /// The first headers as the file writes them. Empty if the file has none.
    pub(super) headers: Vec<String>,
    /// Whether purchases are positive, as the layout is known to write them.
    pub(super) is_card: bool,
    /// Whether purchases were read as positive until 2026-12.
    pub(super) was_card: bool,
    /// Whether the layout is that of a card.
    pub(super) is_card_layout: bool,
    pub(super) continues: bool,
    /// Whether the file is a known export. All such plans for one file have the same score, and other plans a lower one.
    pub(super) is_known: bool,
    /// How certain the plan is, compared with plans of the same finder.
    pub(super) score: usize,
}

impl Plan {
    /// The lines above the first row, if they end with headers.
    pub(super) fn preamble<'t>(&self, text: &'t str) -> &'t str {
        if self.headers.is_empty() { "" } else { self.start.before(text) }
    }
}

/// A header normalized for comparison: lower case, no accents, only letters and digits, words separated by one space.
///
/// `Entrada(R$)`, `ENTRADA (R$)` and `entrada_r` are the same; so are `N° documento` and `Nº Documento`.
pub(super) fn key(header: &str) -> String {
    if header.len() > HEADER_BYTES_MAX {
        return String::new();
    }
    let folded = fold(header);
    let words = folded.split(|letter: char| !letter.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.fold(String::with_capacity(folded.len()), |mut key, word| {
        if !key.is_empty() {
            key.push(' ');
        }
        key.push_str(word);
        key
    })
}

/// The plan with the highest score among the lines of headers, and the first of several with that score. No line scores
/// higher than that of a known export.
pub(super) fn find(text: &str, separator: u8, options: &Options) -> Option<Plan> {
    let mut records = Records::new(text, separator, Place::START);
    let mut record = Record::default();
    let mut found: Option<Plan> = None;
    for _ in 0..RECORDS_MAX {
        if found.as_ref().is_some_and(|best| best.is_known) || !records.next_into(&mut record) {
            break;
        }
        if record.len() < 2 {
            continue;
        }
        let keys: Vec<String> = record.cells().map(key).collect();
        if let Some(plan) = plan(&record, keys, separator, records.place(), options)
            && found.as_ref().is_none_or(|best| best.score < plan.score)
        {
            found = Some(plan);
        }
    }
    found
}

/// The score of a known export, above that of any guess.
const KNOWN_SCORE: usize = 100;

fn plan(record: &Record<'_>, keys: Vec<String>, separator: u8, start: Place, options: &Options) -> Option<Plan> {
    let date = named(options.date_column.as_ref(), record)?;
    let text = named(options.description_column.as_ref(), record)?;
    let amount = named(options.amount_column.as_ref(), record)?;
    let known = layouts::known(&keys, options.on_card);
    let (mut columns, by_name) = match known {
        Some(layout) => (of_layout(layout, &keys), KNOWN_SCORE),
        None => guessed(&keys, date, amount)?,
    };
    let names = [&options.date_column, &options.description_column, &options.amount_column];
    let names = names.iter().filter(|column| matches!(column, Some(Column::Name(_)))).count();
    if names == 0 && by_name < 2 {
        return None;
    }
    if let Some(date) = date {
        columns.date = date;
    }
    if let Some(text) = text {
        (columns.texts, columns.former_texts) = (vec![text], vec![text]);
        columns.instalment = columns.instalment.filter(|at| *at != text);
    }
    if let Some(amount) = amount {
        columns.amount = Amount::One(amount);
    }
    if let Amount::One(at) = columns.amount
        && let Some(key) = keys.get(at)
    {
        columns.currency = columns.currency.filter(|_| !synonyms::is_in_reais(key));
        columns.fee = columns.fee.filter(|_| !synonyms::is_net(key));
    }
    let is_card = amount.is_none() && known.is_some_and(|layout| layout.is_card);
    let width = keys.iter().rposition(|key| !key.is_empty()).map(|last| last + 1);
    Some(Plan {
        separator,
        start,
        columns,
        width,
        is_card,
        was_card: is_card && known.is_some_and(|layout| !layout.needs_card),
        is_card_layout: known.is_some_and(|layout| layout.is_card),
        continues: known.is_some_and(|layout| layout.continues),
        is_known: known.is_some(),
        score: by_name + 2 * names,
        headers: record.shown(),
        keys,
    })
}

/// The position of a column that the caller names: `Some(None)` if the caller names none, `None` if this line lacks it.
fn named(column: Option<&Column>, record: &Record<'_>) -> Option<Option<usize>> {
    match column {
        None => Some(None),
        Some(Column::Number(number)) => Some(number.checked_sub(1)),
        Some(Column::Name(name)) => position(name, record).map(Some),
    }
}

/// The position of a header in a line of headers.
pub(super) fn position(name: &str, record: &Record<'_>) -> Option<usize> {
    let (whole, key_of_name) = (fold(name.trim()), key(name));
    if whole.is_empty() {
        return None;
    }
    let fits = |cell: &str| cell.len() <= HEADER_BYTES_MAX * 2 && fold(cell) == whole;
    record
        .cells()
        .position(fits)
        .or_else(|| record.cells().position(|cell| !key_of_name.is_empty() && key(cell) == key_of_name))
}

fn of_layout(layout: &layouts::Layout, keys: &[String]) -> Columns {
    let mut columns = Columns::default();
    let (mut credit, mut debit) = (None, None);
    for (name, role) in layout.columns {
        let Some(at) = keys.iter().position(|key| key == name) else { continue };
        match role {
            Role::Date => columns.date = at,
            Role::Text => columns.texts.push(at),
            Role::Amount => columns.amount = Amount::One(at),
            Role::Credit => credit = Some(at),
            Role::Debit => debit = Some(at),
            Role::Direction => columns.direction = Some(Direction { at, maybe: false }),
            Role::Id => columns.id = Some(at),
            Role::Instalment => columns.instalment = Some(at),
            Role::Balance => columns.balance = Some(at),
            Role::Nothing => {}
        }
    }
    if credit.is_some() || debit.is_some() {
        columns.amount = Amount::Split { credit, debit };
    }
    columns.former_texts.clone_from(&columns.texts);
    columns
}

/// The columns guessed from the headers, and how many of date, text and amount were found by a header. None without a
/// date or an amount.
fn guessed(keys: &[String], date: Option<usize>, amount: Option<usize>) -> Option<(Columns, usize)> {
    let guess = synonyms::guess(keys);
    let split = guess.credit.is_some() && guess.debit.is_some() || guess.amount.is_none();
    let by_headers = match (guess.amount, guess.credit, guess.debit) {
        (_, credit, debit) if split && (credit.is_some() || debit.is_some()) => Some(Amount::Split { credit, debit }),
        (amount, ..) => amount.map(Amount::One),
    };
    // Of headers on two lines, prefer those that separate income from expenses.
    let stated = StatedColumns::of(keys);
    let is_split = matches!(by_headers, Some(Amount::Split { credit: Some(_), debit: Some(_) }));
    let told = [guess.date.is_some(), !guess.texts.is_empty(), by_headers.is_some(), is_split];
    let direction = guess.direction.map(|at| Direction { at, maybe: false });
    let columns = Columns {
        date: date.or(guess.date)?,
        amount: amount.map(Amount::One).or(by_headers)?,
        texts: guess.texts,
        former_texts: guess.former_texts,
        direction: direction.or(guess.maybe_direction.map(|at| Direction { at, maybe: true })),
        id: stated.map_or(guess.id, |stated| Some(stated.id)),
        instalment: guess.instalment,
        status: guess.status,
        fee: guess.fee,
        currency: guess.currency,
        category: guess.category,
        balance: guess.balance,
        stated,
    };
    Some((columns, told.iter().filter(|told| **told).count()))
}
