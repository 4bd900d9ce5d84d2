//! Reads one line as an entry: `mercado 54,90 ontem no nubank #casa`.
//!
//! What is understood is taken out of the line, and the rest is the description. Nothing is guessed: where two readings fit, the
//! field is missing, and its candidates are told. The rules apply in this order, and what one takes no later one sees: codes, tags,
//! bills, the type, transfers, instalments, dates, accounts, amounts, the description. Texts are compared without accents and in
//! lower case.

mod accounts;
mod amounts;
mod bills;
mod dates;
mod description;
mod installments;
mod line;
mod values;
mod words;

use time::Date;

use crate::ids::AccountId;
use crate::installments::{Installment, describe};
use crate::money::Money;
use crate::tags::{TAG_CHARS_MAX, TAGS_MAX};
use crate::text::{DESCRIPTION_CHARS_MAX, normalized};
use crate::transactions::Kind;

use accounts::{Search, Which};
use line::Line;

pub use accounts::Names;
pub use bills::{BillEntry, DueBill, Payment};
pub use values::{Candidate, Field, Missing, Part, Span};
pub use words::{Grammar, GrammarLists};

/// The most characters of a line. A Pix code is long.
pub const LINE_CHARS_MAX: usize = 1_000;
/// The most days that may be between the day on which a line was written and today.
pub const WRITTEN_DAYS_MAX: i64 = 366;

/// An entry as it is read. What is None is not known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Entry {
    /// A boleto or a Pix code, which is no entry.
    Code,
    /// A transaction.
    Transaction {
        /// An expense, unless the line says otherwise.
        kind: Option<Kind>,
        /// The amount.
        amount: Option<Money>,
        /// The date.
        date: Option<Date>,
        /// The description.
        description: Option<String>,
        /// The account, if one is named.
        account_id: Option<AccountId>,
        /// The tags.
        tags: Vec<String>,
    },
    /// A purchase by instalments.
    Installments {
        /// The number of instalments.
        count: Option<i128>,
        /// The total.
        total_amount: Option<Money>,
        /// The amount of each, instead of the total.
        amount: Option<Money>,
        /// The date.
        date: Option<Date>,
        /// The description.
        description: Option<String>,
        /// The card.
        account_id: Option<AccountId>,
        /// The tags.
        tags: Vec<String>,
    },
    /// A transfer between own accounts.
    Transfer {
        /// The amount.
        amount: Option<Money>,
        /// The date.
        date: Option<Date>,
        /// The description.
        description: Option<String>,
        /// Where it comes from.
        from_account_id: Option<AccountId>,
        /// Where it goes to.
        to_account_id: Option<AccountId>,
    },
    /// The payment of a bill, or a part of it.
    Bill(BillEntry),
}

/// What a line says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reading {
    /// The entry.
    pub entry: Entry,
    /// What was understood: apart, and in the order of the line.
    pub understood: Vec<Span>,
    /// The fields that are missing. Those of a [bill](BillEntry) depend on what is due.
    pub missing: Vec<Missing>,
}

/// Reads a line that was written `on` a day. Every text is read as something.
///
/// ```
/// use finance_domain::entries::{Entry, Grammar, Names, read};
/// use time::macros::date;
///
/// // Without words only what consists of digits is understood.
/// let reading = read("mercado 54,90", date!(2026-03-10), &Names::default(), &Grammar::default());
/// let Entry::Transaction { amount, description, .. } = reading.entry else { panic!("no transaction") };
/// assert_eq!(amount.map(|amount| amount.to_string()), Some("54.90".to_string()));
/// assert_eq!(description, Some("Mercado".to_string()));
/// ```
pub fn read(text: &str, on: Date, names: &Names, grammar: &Grammar) -> Reading {
    let mut line = Line::new(text);
    if take_code(&mut line) {
        return Reading { entry: Entry::Code, understood: line.understood(), missing: Vec::new() };
    }
    let tags = take_tags(&mut line, names);
    if let Some(bill) = bills::read(&mut line, grammar, names, on) {
        return Reading { entry: Entry::Bill(bill), understood: line.understood(), missing: Vec::new() };
    }
    let mut missing = Vec::new();
    let kind = take_kind(&mut line, grammar, &mut missing);
    let entry = if (0..line.len()).any(|at| line.is_in(at, &grammar.transfer.verbs)) {
        missing.clear();
        transfer(&mut line, grammar, names, on, &mut missing)
    } else {
        purchase(&mut line, grammar, names, on, (kind, tags), &mut missing)
    };
    missing.sort_by_key(|missing| missing.field.place());
    Reading { entry, understood: line.understood(), missing }
}

/// Takes a boleto or a Pix code.
fn take_code(line: &mut Line<'_>) -> bool {
    let digits = |word: &str| {
        let is_code = !word.is_empty() && word.chars().all(|letter| letter.is_ascii_digit() || ".-".contains(letter));
        is_code.then(|| word.chars().filter(char::is_ascii_digit).count())
    };
    for at in 0..line.len() {
        if line.words[at].folded.starts_with(PIX_BEGIN) {
            // The name of a shop may have blanks. The checksum is the last field.
            let is_end = |word: &str| {
                word.len() >= 8 && word.is_char_boundary(word.len() - 8) && word[word.len() - 8..].starts_with("6304")
            };
            let last = (at..line.len()).rev().find(|at| is_end(&line.words[*at].folded)).unwrap_or(at);
            line.take(at, last + 1, Part::Code);
            return true;
        }
        let mut sum = 0;
        let mut found = None;
        for (behind, word) in line.words[at..].iter().enumerate() {
            match digits(&word.folded) {
                Some(count) if sum + count <= BOLETO_DIGITS_MAX => sum += count,
                _ => break,
            }
            if BOLETO_DIGITS.contains(&sum) {
                found = Some(at + behind + 1);
            }
        }
        if let Some(to) = found {
            line.take(at, to, Part::Code);
            return true;
        }
    }
    false
}

/// How a Pix code begins.
const PIX_BEGIN: &str = "000201";
/// The digits of a boleto: its barcode, its typed line, and the typed line of a utility.
const BOLETO_DIGITS: [usize; 3] = [44, 47, 48];
const BOLETO_DIGITS_MAX: usize = 48;

/// Takes the tags, each once, as the household writes them.
fn take_tags(line: &mut Line<'_>, names: &Names) -> Vec<String> {
    let mut tags: Vec<String> = Vec::new();
    for at in 0..line.len() {
        let raw = line.words[at].raw.trim_matches(line::AT_ENDS);
        let Some(tag) = raw.strip_prefix('#') else { continue };
        let is_tag = !tag.is_empty() && tag.chars().all(|letter| letter.is_alphanumeric() || "-_".contains(letter));
        if !is_tag || tag.chars().nth(TAG_CHARS_MAX).is_some() {
            continue;
        }
        let key = normalized(tag);
        let in_use = names.tags.iter().find(|known| crate::tags::key(known) == crate::tags::key(tag));
        let in_use = in_use.or_else(|| names.tags.iter().find(|known| normalized(known) == key));
        let tag = in_use.map_or(tag, String::as_str);
        if tags.iter().any(|known| normalized(known) == key) {
            line.take(at, at + 1, Part::Tag);
        } else if tags.len() < TAGS_MAX {
            tags.push(tag.to_string());
            line.take(at, at + 1, Part::Tag);
        }
    }
    tags
}

/// Takes the words that say whether it is an income or an expense.
fn take_kind(line: &mut Line<'_>, grammar: &Grammar, missing: &mut Vec<Missing>) -> Option<Kind> {
    let words = &grammar.kind;
    let (mut is_expense, mut is_income, mut is_kept) = (false, false, false);
    for at in 0..line.len() {
        let (expense, income) = (line.is_in(at, &words.expense), line.is_in(at, &words.income));
        is_expense |= expense;
        is_income |= income;
        is_kept |= line.is_in(at, &words.income_kept);
        if expense || income {
            let from = line.before_in(at, &words.subjects).unwrap_or(at);
            line.take(from, at + 1, Part::Kind);
        }
    }
    match (is_expense, is_income || is_kept) {
        (true, _) if is_income => {
            missing.push(Missing { field: Field::Kind, candidates: Vec::new() });
            None
        }
        (false, true) => Some(Kind::Income),
        _ => Some(Kind::Expense),
    }
}

fn transfer(line: &mut Line<'_>, grammar: &Grammar, names: &Names, on: Date, missing: &mut Vec<Missing>) -> Entry {
    let words = &grammar.transfer;
    for at in 0..line.len() {
        if line.is_in(at, &words.verbs) {
            line.take(at, at + 1, Part::Kind);
        }
    }
    let date = dates::read(line, grammar, on, missing);
    let search = Search { grammar, names, which: Which::All, minds_categories: false };
    let (mut from, mut to) = (Vec::new(), Vec::new());
    let mut at = 0;
    while at < line.len() {
        let (is_from, is_to) = (line.is_in(at, &words.from), line.is_in(at, &words.to));
        let fit = if is_from || is_to { search.behind(line, at + 1) } else { None };
        match fit {
            Some(fit) => {
                line.take(at, fit.to, Part::Account);
                if is_from { &mut from } else { &mut to }.extend(fit.ids);
                at = fit.to;
            }
            None => at += 1,
        }
    }
    let mut side = |ids: Vec<AccountId>, field: Field| match names.in_order(&ids)[..] {
        [id] => Some(id),
        ref several => {
            missing.push(Missing { field, candidates: accounts::candidates(several) });
            None
        }
    };
    let from_account_id = side(from, Field::FromAccountId);
    let mut to_account_id = side(to, Field::ToAccountId);
    if to_account_id.is_some() && to_account_id == from_account_id {
        to_account_id = None;
        missing.push(Missing { field: Field::ToAccountId, candidates: Vec::new() });
    }
    let amount = amounts::only(line, grammar, Field::Amount, missing);
    let description = description::read(line, grammar, DESCRIPTION_CHARS_MAX);
    Entry::Transfer { amount, date, description, from_account_id, to_account_id }
}

fn purchase(
    line: &mut Line<'_>,
    grammar: &Grammar,
    names: &Names,
    on: Date,
    (kind, tags): (Option<Kind>, Vec<String>),
    missing: &mut Vec<Missing>,
) -> Entry {
    let counted = installments::count(line, grammar);
    let several = counted.as_ref().filter(|counted| !counted.is_one());
    // What was received is no purchase.
    let (plan, received) = if kind == Some(Kind::Income) { (None, several) } else { (several, None) };
    if plan.is_some() {
        // It is an expense on a card.
        missing.clear();
    }
    let date = dates::read(line, grammar, on, missing);
    let search = Search { grammar, names, which: Which::All, minds_categories: true };
    let named = accounts::named(line, &search, plan.is_some().then_some(Which::Cards), &[]);
    let account_id = match plan {
        None => accounts::one(&named, Field::AccountId, missing),
        Some(_) => card(names, &named, missing),
    };
    let described = |line: &Line<'_>, missing: &mut Vec<Missing>, chars_max: usize| {
        let description = description::read(line, grammar, chars_max);
        if description.is_none() {
            missing.push(Missing { field: Field::Description, candidates: Vec::new() });
        }
        description
    };
    match (plan, received, &counted) {
        (Some(plan), ..) => {
            let installments::Amounts { count, total_amount, amount } = plan.amounts(line, grammar, missing);
            let of = u8::try_from(count.unwrap_or(0)).unwrap_or(0).max(1);
            let added = describe("", Installment { number: of, count: of }).chars().count();
            let description = described(line, missing, DESCRIPTION_CHARS_MAX - added);
            Entry::Installments { count, total_amount, amount, date, description, account_id, tags }
        }
        (None, Some(received), _) => {
            missing.push(Missing { field: Field::Kind, candidates: Vec::new() });
            received.ask(line, grammar, missing);
            let description = described(line, missing, DESCRIPTION_CHARS_MAX);
            Entry::Transaction { kind: None, amount: None, date, description, account_id, tags }
        }
        (None, None, counted) => {
            let amount = match counted {
                Some(counted) => counted.at_once(line, grammar, missing),
                None => amounts::only(line, grammar, Field::Amount, missing),
            };
            let description = described(line, missing, DESCRIPTION_CHARS_MAX);
            Entry::Transaction { kind, amount, date, description, account_id, tags }
        }
    }
}

/// The card of a purchase by instalments: the one that is named, or the only one.
fn card(names: &Names, named: &accounts::Named, missing: &mut Vec<Missing>) -> Option<AccountId> {
    let cards = names.cards();
    let is_none = !named.is_any;
    let is_other = named.ids.iter().any(|id| !names.is_card(*id)) || (named.ids.is_empty() && !named.is_unknown);
    let candidates = match (is_none, is_other) {
        (true, _) if cards.len() == 1 => return Some(cards[0]),
        (true, _) | (_, true) => cards,
        _ => return accounts::one(named, Field::AccountId, missing),
    };
    missing.push(Missing { field: Field::AccountId, candidates: accounts::candidates(&candidates) });
    None
}
