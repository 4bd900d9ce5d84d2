//! The columns of a file by its headers.

use std::borrow::Cow;
use std::sync::Arc;

use super::dates::{is_date, is_value, may_be_date};
use super::direction_words::direction;
use super::guess::Guess;
use super::layouts::{self, Role};
use super::split::{Place, Record, Records};
use super::synonyms;
use crate::amount::is_amount;
use crate::text::fold;
use crate::{Column, FoundBy, Options, currency};

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
    /// Those of them of which a cell counts only if it has a word, whatever the other rows have: a file that has grown must say the
    /// same of its rows.
    pub(super) of_words: Vec<usize>,
    /// What describes a row of which all parts are blank.
    pub(super) spare: Option<usize>,
    /// Whether they are those of no known layout, nor of our own export.
    pub(super) are_guessed: bool,
    /// The parts that made the description until 2026-12.
    pub(super) former_texts: Vec<usize>,
    /// The date until 2026-12, if it was in another column.
    pub(super) former_date: Option<usize>,
    /// The text of the party from which money comes and that of the one to which it goes, of which a row shows the other one's.
    pub(super) parties: Option<(usize, usize)>,
    pub(super) amount: Amount,
    pub(super) direction: Option<Direction>,
    pub(super) id: Option<usize>,
    pub(super) instalment: Option<usize>,
    /// How many instalments there are, if another column tells.
    pub(super) instalment_count: Option<usize>,
    /// The instalment until 2026-12.
    pub(super) former_instalment: Option<usize>,
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
    /// Whether it was owed, if a column tells.
    pub(super) balance_direction: Option<usize>,
    /// What the bank's statement said of the row, if the file is an export of our own.
    pub(super) stated: Option<StatedColumns>,
}

impl Columns {
    /// The parts of the description of a row with this amount: of the two parties of a move, the one that is not the holder; of the
    /// columns that count if they have words, those that do; and, unless the layout is known, what is no date. If nothing would be left,
    /// what the row is (`Tipo`), else all parts.
    pub(super) fn shown_texts(&self, record: &Record<'_>, cents: i64) -> Cow<'_, [usize]> {
        let own = match self.parties {
            Some((from, to)) if cents != 0 && self.texts.contains(&from) && self.texts.contains(&to) => {
                Some(if cents > 0 { to } else { from })
            }
            _ => None,
        };
        let is_shown = |text: &usize| {
            let cell = record.cell(*text);
            Some(*text) != own
                && (!self.of_words.contains(text) || tells_in_words(cell))
                && !(self.are_guessed && cell.starts_with(|first: char| first.is_ascii_digit()) && is_date(cell))
        };
        let is_all = self.texts.iter().all(is_shown);
        let shown = match is_all {
            true => Cow::Borrowed(self.texts.as_slice()),
            false => Cow::Owned(self.texts.iter().copied().filter(is_shown).collect()),
        };
        let says_something = |text: &usize| !record.cell(*text).is_empty();
        if shown.iter().any(says_something) {
            return shown;
        }
        let describes = |text: &usize| tells_in_words(record.cell(*text)) && direction(record.cell(*text)).is_none();
        match self.spare.filter(describes) {
            Some(spare) => Cow::Owned(vec![spare]),
            None => Cow::Borrowed(&self.texts),
        }
    }
}

/// Whether a cell has a word, and not only numbers and codes, or the words of what is not known.
fn tells_in_words(cell: &str) -> bool {
    let is_unknown = cell.len() <= UNKNOWN_BYTES_MAX && UNKNOWN.contains(&fold(cell).as_str());
    !is_unknown
        && cell
            .split(|letter: char| !letter.is_alphabetic())
            .any(|word| word.chars().nth(WORD_LETTERS_MIN - 1).is_some())
}

/// What stands for a party that the bank does not know.
const UNKNOWN: [&str; 6] =
    ["desconhecido", "desconhecida", "unknown", "nao informado", "nao identificado", "nao disponivel"];
/// The most bytes of such a text.
const UNKNOWN_BYTES_MAX: usize = 20;

/// The fewest letters of a word.
const WORD_LETTERS_MIN: usize = 3;

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
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Amount {
    One(usize),
    Split { credit: Option<usize>, debit: Option<usize> },
}

impl Amount {
    /// The columns that the headers name.
    pub(super) fn of(guess: &Guess) -> Option<Self> {
        let split = guess.credit.is_some() && guess.debit.is_some() || guess.amount.is_none();
        match (guess.amount, guess.credit, guess.debit) {
            (_, credit, debit) if split && (credit.is_some() || debit.is_some()) => {
                Some(Amount::Split { credit, debit })
            }
            (amount, ..) => amount.map(Amount::One),
        }
    }

    pub(super) fn columns(self) -> impl Iterator<Item = usize> {
        let (one, other) = match self {
            Amount::One(at) => (Some(at), None),
            Amount::Split { credit, debit } => (credit, debit),
        };
        one.into_iter().chain(other)
    }
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
    /// Whether it was not known until 2026-12, when the amounts counted as written.
    pub(super) is_new: bool,
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
    /// The currency that the header of the amount names. None if it names none, or the real.
    pub(super) currency: Option<Arc<str>>,
    /// Whether purchases are positive, as the layout is known to write them.
    pub(super) is_card: bool,
    /// Whether purchases were read as positive until 2026-12.
    pub(super) was_card: bool,
    /// Whether the layout is that of a card.
    pub(super) is_card_layout: bool,
    pub(super) continues: bool,
    /// Whether the file is a known export. All such plans for one file have the same score, and other plans a lower one.
    pub(super) is_known: bool,
    /// What shows the columns.
    pub(super) found_by: FoundBy,
    /// How certain the plan is, compared with plans of the same finder.
    pub(super) score: usize,
}

impl Plan {
    /// The lines above the first row, if they end with headers.
    pub(super) fn preamble<'t>(&self, text: &'t str) -> &'t str {
        if self.headers.is_empty() { "" } else { self.start.before(text) }
    }

    /// Whether the caller names columns that are not those of the headers.
    fn has_other_columns(&self, options: &Options) -> bool {
        if [&options.date_column, &options.description_column, &options.amount_column].into_iter().all(Option::is_none)
        {
            return false;
        }
        let own = match layouts::known(&self.keys, options.on_card) {
            Some(layout) => Some(of_layout(layout, &self.keys)),
            None => guessed(&self.keys, NamedColumns::default(), options.on_card).map(|(columns, _)| columns),
        };
        own.is_none_or(|own| {
            own.date != self.columns.date
                || own.amount != self.columns.amount
                || own.texts.first() != self.columns.texts.first()
        })
    }

    /// Whether a line has a date and an amount in their columns.
    fn is_row(&self, record: &Record<'_>) -> bool {
        may_be_date(record.cell(self.columns.date))
            && self.columns.amount.columns().any(|at| is_amount(record.cell(at)))
    }

    /// Whether the headers were known until 2026-12. If they were not, the columns were found by the rows.
    pub(super) fn was_known(&self, options: &Options) -> bool {
        let known = |key: &String| if synonyms::is_recent(key) { String::new() } else { key.clone() };
        self.is_known || {
            let guess = Guess::of(&self.keys.iter().map(known).collect::<Vec<_>>());
            let has_date = options.date_column.is_some() || guess.date.is_some();
            has_date && (options.amount_column.is_some() || Amount::of(&guess).is_some())
        }
    }
}

/// The columns that the caller names, as positions in a line of headers.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct NamedColumns {
    pub(super) date: Option<usize>,
    pub(super) text: Option<usize>,
    pub(super) amount: Option<usize>,
    /// How many are named by their headers.
    pub(super) names: usize,
}

impl NamedColumns {
    /// None if the line lacks a column that the caller names.
    pub(super) fn of(options: &Options, record: &Record<'_>) -> Option<Self> {
        let columns = [&options.date_column, &options.description_column, &options.amount_column];
        Some(NamedColumns {
            date: named(columns[0].as_ref(), record)?,
            text: named(columns[1].as_ref(), record)?,
            amount: named(columns[2].as_ref(), record)?,
            names: columns.iter().filter(|column| matches!(column, Some(Column::Name(_)))).count(),
        })
    }
}

/// A line of headers.
#[derive(Debug)]
pub(super) struct Line {
    pub(super) separator: u8,
    /// The position of the next line.
    pub(super) start: Place,
    /// The headers as the file writes them.
    pub(super) headers: Vec<String>,
    /// The normalized headers.
    pub(super) keys: Vec<String>,
}

impl Line {
    pub(super) fn key(&self, at: usize) -> &str {
        self.keys.get(at).map_or("", String::as_str)
    }

    /// The plan of a layout that is not known, with these columns. Those that the caller names take precedence.
    pub(super) fn plan(self, mut columns: Columns, given: NamedColumns, score: usize) -> Plan {
        if let Some(date) = given.date {
            columns.date = date;
        }
        if let Some(text) = given.text {
            (columns.texts, columns.former_texts, columns.spare) = (vec![text], vec![text], None);
            columns.instalment = columns.instalment.filter(|at| *at != text);
            columns.former_instalment = columns.former_instalment.filter(|at| *at != text);
        }
        if let Some(amount) = given.amount {
            columns.amount = Amount::One(amount);
        }
        if let Amount::One(at) = columns.amount {
            columns.currency = columns.currency.filter(|_| !synonyms::is_in_reais(self.key(at)));
            columns.fee = columns.fee.filter(|_| !synonyms::is_net(self.key(at)));
        }
        let headers = columns.amount.columns().filter_map(|at| self.headers.get(at));
        Plan {
            separator: self.separator,
            start: self.start,
            currency: headers.filter_map(|header| currency::of_header(header)).map(Arc::from).next(),
            columns,
            width: self.keys.iter().rposition(|key| !key.is_empty()).map(|last| last + 1),
            is_card: false,
            was_card: false,
            is_card_layout: false,
            continues: false,
            is_known: false,
            found_by: FoundBy::Headers,
            score,
            headers: self.headers,
            keys: self.keys,
        }
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

/// The headers of a line, normalized. Mercado Pago writes the names of fields of its API beside them, `Data da compra (date_created)`,
/// which are taken off.
pub(super) fn keys(record: &Record<'_>) -> Vec<String> {
    let named = |header: &str| header.strip_suffix(')')?.rsplit_once('(').map(|(name, _)| name.len());
    let has_names = record.cells().any(|cell| named(cell).is_some_and(|at| cell[at..].contains('_')));
    let own = |cell| named(cell).filter(|_| has_names).map_or(cell, |at| &cell[..at]);
    record.cells().map(|cell| key(own(cell))).collect()
}

/// The plan with the highest score among the lines of headers, and the first of several with that score. No line scores
/// higher than that of a known export. A line below rows begins another section (see [`next_section`]).
pub(super) fn find(text: &str, separator: u8, options: &Options) -> Option<Plan> {
    let mut records = Records::new(text, separator, Place::START);
    let mut record = Record::default();
    let mut found: Option<Plan> = None;
    // The line above, if it may be the first of two lines of headers.
    let mut above: Option<Headers> = None;
    for _ in 0..RECORDS_MAX {
        if found.as_ref().is_some_and(|best| best.is_known) || !records.next_into(&mut record) {
            break;
        }
        if found.as_ref().is_some_and(|best| best.is_row(&record)) {
            break;
        }
        if record.len() < 2 {
            above = None;
            continue;
        }
        let headers = Headers::of(&record);
        let both = above.as_ref().and_then(|above| above.with(&headers));
        above = (!record.cells().any(is_value)).then(|| headers.clone());
        // Two lines that fit together say more than one of them.
        let plans = [(Some(headers), 0), (both, 1)].into_iter().filter_map(|(headers, more)| {
            let found = plan(&record, headers?, separator, records.place(), options)?;
            Some(Plan { score: found.score + more, ..found })
        });
        for plan in plans {
            if found.as_ref().is_none_or(|best| best.score < plan.score) {
                found = Some(plan);
            }
        }
    }
    found
}

/// The headers of one line, or of two.
#[derive(Debug, Clone)]
struct Headers {
    shown: Vec<String>,
    keys: Vec<String>,
}

impl Headers {
    fn of(record: &Record<'_>) -> Self {
        Headers { shown: record.shown(), keys: keys(record) }
    }

    /// With the line below: `Valor` above `Crédito` is `Valor Crédito`. None unless this line names a date and something else, and each
    /// header below makes a known one.
    fn with(&self, below: &Headers) -> Option<Self> {
        let guess = Guess::of(&self.keys);
        if guess.date.is_none() || guess.count() < 2 {
            return None;
        }
        let mut both = self.clone();
        let width = self.keys.len().max(below.keys.len());
        both.keys.resize(width, String::new());
        both.shown.resize(width, String::new());
        let mut has_second = false;
        for (at, second) in below.keys.iter().enumerate().filter(|(_, second)| !second.is_empty()) {
            let first = &both.keys[at];
            let joined = if first.is_empty() { second.clone() } else { format!("{first} {second}") };
            let is_known = |key: &&String| synonyms::is_known(key);
            both.keys[at] = [&joined, second].into_iter().find(is_known)?.clone();
            if let Some(shown) = below.shown.get(at) {
                both.shown[at] = format!("{} {shown}", both.shown[at]).trim().to_string();
            }
            has_second = true;
        }
        has_second.then_some(both)
    }
}

/// The plan of the rows below this line, if it has other headers than the section above: other cards, or another currency. None if the
/// caller names other columns, which are those of all sections.
pub(super) fn next_section(record: &Record<'_>, plan: &Plan, options: &Options) -> Option<Plan> {
    let has_headers = !plan.headers.is_empty() && record.len() > 1 && !may_be_date(record.cell(plan.columns.date));
    if !has_headers || record.cells().any(is_value) || plan.has_other_columns(options) {
        return None;
    }
    let options = &Options { date_column: None, description_column: None, amount_column: None, ..options.clone() };
    let keys = keys(record);
    let named = |keys: &[String]| keys.iter().rposition(|key| !key.is_empty()).map_or(0, |last| last + 1);
    if keys[..named(&keys)] == plan.keys[..named(&plan.keys)] {
        return None;
    }
    let found = self::plan(record, Headers { shown: record.shown(), keys }, plan.separator, plan.start, options)?;
    (!found.columns.texts.is_empty()).then_some(found)
}

/// The score of a known export, above that of any guess.
const KNOWN_SCORE: usize = 100;

fn plan(record: &Record<'_>, headers: Headers, separator: u8, start: Place, options: &Options) -> Option<Plan> {
    let Headers { shown, keys } = headers;
    let given = NamedColumns::of(options, record)?;
    let known = layouts::known(&keys, options.on_card);
    let (columns, by_name) = match known {
        Some(layout) => (of_layout(layout, &keys), KNOWN_SCORE),
        None => guessed(&keys, given, options.on_card)?,
    };
    if given.names == 0 && by_name < 2 {
        return None;
    }
    let line = Line { separator, start, headers: shown, keys };
    let plan = line.plan(columns, given, by_name + 2 * given.names);
    let Some(layout) = known else { return Some(plan) };
    let is_card = given.amount.is_none() && layout.is_card;
    Some(Plan {
        currency: None,
        is_card,
        was_card: is_card && !layout.needs_card,
        is_card_layout: layout.is_card,
        continues: layout.continues,
        is_known: true,
        ..plan
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
            Role::Direction => columns.direction = Some(Direction { at, maybe: false, is_new: false }),
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
    columns.former_instalment = columns.instalment;
    columns
}

/// The columns guessed from the headers, and how many of date, text and amount were found by a header. None without a
/// date or an amount.
fn guessed(keys: &[String], given: NamedColumns, on_card: bool) -> Option<(Columns, usize)> {
    let guess = Guess::of(keys);
    let by_headers = Amount::of(&guess);
    // Of headers on two lines, prefer those that separate income from expenses.
    let is_split = matches!(by_headers, Some(Amount::Split { credit: Some(_), debit: Some(_) }));
    let found = [guess.date.is_some(), !guess.texts.is_empty(), by_headers.is_some(), is_split];
    let date = given.date.or(guess.date)?;
    let amount = given.amount.map(Amount::One).or(by_headers)?;
    Some((of_guess(guess, keys, date, amount, on_card), found.iter().filter(|found| **found).count()))
}

/// The columns that the headers name, with those of the date and the amount. On a card the date of the purchase is preferred.
pub(super) fn of_guess(mut guess: Guess, keys: &[String], date: usize, amount: Amount, on_card: bool) -> Columns {
    let stated = StatedColumns::of(keys);
    if stated.is_some() {
        // Our own table has a column of notes, too.
        guess.texts.clone_from(&guess.former_texts);
    }
    let posted = date;
    let date = synonyms::purchase_date(keys).filter(|_| on_card && guess.date == Some(posted)).unwrap_or(posted);
    let direction = guess.direction.map(|at| Direction { at, maybe: false, is_new: false });
    let is_party = |at: &usize| keys.get(*at).is_some_and(|key| synonyms::is_party(key));
    let of_words = guess.texts.iter().copied().filter(is_party).collect();
    Columns {
        date,
        former_date: Some(posted).filter(|posted| *posted != date),
        parties: synonyms::parties_of_a_move(keys),
        amount,
        texts: guess.texts,
        of_words,
        spare: guess.maybe_direction,
        are_guessed: stated.is_none(),
        former_texts: guess.former_texts,
        direction: direction.or(guess.maybe_direction.map(|at| Direction { at, maybe: true, is_new: false })),
        id: stated.map_or(guess.id, |stated| Some(stated.id)),
        former_instalment: guess.instalment.filter(|at| keys.get(*at).is_some_and(|key| !synonyms::is_recent(key))),
        instalment: guess.instalment.or(guess.maybe_direction),
        instalment_count: guess.instalment.and_then(|at| synonyms::instalment_count(keys, at)),
        status: guess.status,
        fee: guess.fee,
        currency: guess.currency,
        category: guess.category,
        balance: guess.balance,
        balance_direction: None,
        stated,
    }
}
