//! The columns that tell income from expenses beside the amount, also where no header names them.

use super::dates;
use super::direction_words::{direction, is_card_function, is_reversal, is_side_of_balance};
use super::header::{Amount, Direction, Plan, next_section};
use super::source::Source;
use super::split::{Record, Records};
use super::synonyms;
use crate::Options;
use crate::amount::{Decimal, MINUSES, cents};
use crate::balances::add_up;
use crate::text::fold;

/// The most rows that are examined.
const ROWS_MAX: usize = 50;

/// Sets the column that tells the sign of amounts, and the one beside the balances that tells theirs. An amount with a sign of its own
/// in any row makes such a column mean something else.
pub(super) fn find(source: &Source<'_>, plan: &mut Plan, options: &Options) {
    if plan.headers.is_empty() {
        return;
    }
    // `Tipo` of Inter's card says `Compra à vista`, that of an account with the same headers `Débito`.
    let of_layout = plan.columns.instalment.filter(|_| plan.is_card_layout);
    let rows = rows(source, plan, options);
    let width = rows.iter().map(Record::len).max().unwrap_or_default();
    let tells = |at: usize| {
        let cells = || rows.iter().map(|record| record.cell(at));
        are_directions(cells()) && !(may_be_means(plan, at) && are_means(cells()))
    };
    let are_sides = |at: usize| rows.iter().all(|record| is_side_of_balance(record.cell(at)));
    let of_balances = plan.columns.balance.map(|at| at + 1).filter(|at| tells(*at) && are_sides(*at));
    if let Amount::Split { credit, debit } = plan.columns.amount {
        let is_of_rows = |at: usize| tells_rows(&rows, [credit, debit], at);
        plan.columns.balance_direction = of_balances.filter(|at| !is_of_rows(*at));
        return;
    }
    if plan.is_known && of_layout.is_none() {
        // Beside known headers there may be a column without one.
        let is_unnamed = |at: &usize| plan.keys.get(*at).is_none_or(String::is_empty);
        let unnamed = (0..width).filter(is_unnamed).find(|at| tells(*at));
        let direction = unnamed.map(|at| Direction { at, maybe: true, is_new: true });
        plan.columns.direction = plan.columns.direction.or(direction);
        return;
    }
    if plan.is_known {
        let is_strict = |at: &usize| rows.iter().all(|record| !record.cell(*at).eq_ignore_ascii_case("pagamento"));
        if let Some(at) = of_layout.filter(|at| tells(*at)).filter(is_strict) {
            (plan.is_known, plan.is_card_layout, plan.is_card) = (false, false, false);
            plan.columns.instalment = None;
            plan.columns.direction = Some(Direction { at, maybe: true, is_new: true });
        }
        return;
    }
    // The column after the balance is that of the balance, if another one tells that of the amount. The description does not, whatever
    // words all of its cells begin with.
    let is_description = |at: usize| plan.columns.texts.first() == Some(&at) && !is_type_of(plan, at);
    let has_other = |at: usize| {
        (0..width).any(|other| other != at && is_free(plan, other) && !is_description(other) && tells(other))
    };
    let is_of_balance = |at: usize| Some(at) == of_balances && has_other(at);
    let is_told =
        plan.columns.direction.is_some_and(|Direction { at, maybe, .. }| (!maybe || tells(at)) && !is_of_balance(at));
    if !is_told {
        let is_wordy = |at: usize| {
            plan.columns.texts.contains(&at) && !is_type_of(plan, at)
                || rows.iter().any(|record| record.cell(at).contains(' '))
        };
        let others = (0..width).filter(|at| is_free(plan, *at) && tells(*at));
        let found = others.min_by_key(|at| (is_description(*at), Some(*at) == of_balances, is_wordy(*at)));
        if let Some(at) = found {
            plan.columns.direction = Some(Direction { at, maybe: true, is_new: true });
            // `Pix enviado` describes the row too, and so does what stands below the header of a text: a file that has grown must say
            // the same of its rows.
            let describes = !is_type_of(plan, at) || rows.iter().any(|record| record.cell(at).contains(' '));
            let texts = &mut plan.columns.texts;
            if texts.len() > 1 && !describes {
                texts.retain(|text| *text != at);
            }
        }
    }
    let direction = plan.columns.direction.map(|direction| direction.at);
    plan.columns.balance_direction = of_balances.filter(|at| Some(*at) != direction);
}

/// Whether the letters beside balances are those of the rows, as their columns of amounts are: the balances add up without them only.
fn tells_rows(rows: &[Record<'_>], amounts: [Option<usize>; 2], letters: usize) -> bool {
    let read = |record: &Record<'_>, at: usize| cents(record.cell(at), Decimal::ByValue).ok();
    let [plain, told] = [false, true].map(|is_told| {
        let beside = |record: &Record<'_>| {
            let [credit, debit] = amounts.map(|at| at.and_then(|at| read(record, at)));
            let balance = read(record, letters.checked_sub(1)?)?;
            let side = direction(record.cell(letters)).filter(|_| is_told);
            let cents = credit.or(debit).map(|_| credit.unwrap_or(0) - debit.unwrap_or(0).abs())?;
            Some((cents, side.map_or(balance, |is_credit| if is_credit { balance.abs() } else { -balance.abs() })))
        };
        rows.iter().filter_map(beside).collect::<Vec<_>>()
    });
    add_up(&plain) && !add_up(&told)
}

/// Whether the header of a text may be that of the type of a row.
fn is_type_of(plan: &Plan, at: usize) -> bool {
    plan.keys.get(at).is_some_and(|key| synonyms::is_type(key))
}

/// The first rows with a date, of the first section.
fn rows<'t>(source: &Source<'t>, plan: &Plan, options: &Options) -> Vec<Record<'t>> {
    let mut records = Records::watched(source, plan.separator, plan.start);
    let mut rows = Vec::new();
    for _ in 0..ROWS_MAX {
        let mut record = Record::default();
        if !records.next_into(&mut record) {
            break;
        }
        if dates::may_be_read(record.cell(plan.columns.date), options, source.epoch) {
            rows.push(record);
        } else if next_section(&record, plan, options).is_some() {
            break;
        }
    }
    rows
}

/// Whether a column has no other meaning, but perhaps that of a text.
fn is_free(plan: &Plan, at: usize) -> bool {
    let columns = &plan.columns;
    let others = [
        Some(columns.date),
        columns.id,
        columns.status,
        columns.fee,
        columns.currency,
        columns.category,
        columns.balance,
    ];
    !others.contains(&Some(at)) && !columns.amount.columns().any(|amount| amount == at)
}

/// Whether the header may be that of the means of a payment.
fn may_be_means(plan: &Plan, at: usize) -> bool {
    plan.keys.get(at).is_some_and(|key| synonyms::may_be_means(key))
}

/// Whether cells below the header of the means of a payment are these: a function of a card, or one kind of word, which distinguishes
/// nothing. `Recebido` and `Enviado` tell there too.
fn are_means<'c>(cells: impl Iterator<Item = &'c str>) -> bool {
    let (mut takes, mut gives) = (false, false);
    for cell in cells {
        if is_card_function(cell) {
            return true;
        }
        takes |= direction(cell) == Some(false);
        gives |= direction(cell) == Some(true);
    }
    !(takes && gives)
}

/// What the cells of a column show that may distinguish income from expenses.
#[derive(Debug, Default)]
pub(super) struct DirectionEvidence {
    /// Whether a column that is certain by its header says of an amount that it is taken, that it is given, or something else.
    is_certainly_taken: bool,
    is_certainly_given: bool,
    is_certainly_other: bool,
    takes: usize,
    gives: usize,
    /// The cells that say that something is given back.
    reversals: usize,
    /// The cells that say something else.
    others: usize,
    /// Whether an amount beside such a cell has a sign of its own.
    is_signed: bool,
    /// Whether one beside an empty cell has.
    is_signed_beside: bool,
    /// The cells that may be the function of a card with which a purchase was paid: `Crédito`, and no letter.
    functions: usize,
}

impl DirectionEvidence {
    /// Looks at a row. `is_sum` is whether it is a balance or a total.
    pub(super) fn observe(
        &mut self,
        direction: Direction,
        cell: &str,
        amount: &str,
        on_card: bool,
        is_sum: impl Fn() -> bool,
    ) {
        let is_signed = || amount.contains('(') || amount.contains(MINUSES);
        if cell.is_empty() {
            self.is_signed_beside = self.is_signed_beside || is_signed() && !is_sum();
            return;
        }
        if !direction.maybe {
            *match direction_of(cell, on_card) {
                Some(true) => &mut self.is_certainly_given,
                Some(false) => &mut self.is_certainly_taken,
                None => &mut self.is_certainly_other,
            } = true;
            return;
        }
        match direction_of(cell, on_card) {
            Some(true) => self.gives += 1,
            Some(false) => self.takes += 1,
            None => {
                // `Crédito` beside `Estorno` on a card may be the function of the card.
                *if is_reversal(cell) && !on_card { &mut self.reversals } else { &mut self.others } += 1;
                return;
            }
        }
        self.is_signed |= is_signed();
        self.functions += usize::from(cell.len() > 1 && is_card_function(cell));
    }

    /// Whether a column that is certain by its header tells the signs. Below such a header may stand the kinds of purchases, and `Crédito`.
    pub(super) fn are_certain(&self) -> bool {
        self.is_certainly_taken || self.is_certainly_given && !self.is_certainly_other
    }

    /// Whether every cell tells.
    pub(super) fn are_told_by_all(&self) -> bool {
        self.others + self.reversals == 0 && !self.is_signed && self.takes + self.gives > 0
    }

    /// Whether the column is that of directions. Few other words may stand between both: a transfer. What is given back is none of them.
    ///
    /// A column that only gives is none where other rows of a card have a minus: `Crédito` is how the purchases were paid. So it is if the
    /// caller knows the sign of purchases.
    pub(super) fn are_told(&self, options: &Options) -> bool {
        let is_column = self.takes > 0 && self.gives > 0 && self.takes + self.gives > self.others;
        let is_sign_known = options.card_sign.is_some() && self.functions == self.gives;
        let is_function = options.on_card && self.takes == 0 && (self.is_signed_beside || is_sign_known);
        (self.others == 0 && self.takes + self.gives > 0 || is_column) && !self.is_signed && !is_function
    }
}

/// Whether the text means income (true) or an expense (false). On a card a payment is one of its bill.
pub(super) fn direction_of(cell: &str, on_card: bool) -> Option<bool> {
    let is_of_bill = on_card && fold(cell).starts_with("pagamento");
    direction(cell).filter(|_| !is_of_bill)
}

/// Whether the text may say of a bill whether it was paid.
fn is_state(cell: &str) -> bool {
    ["pago", "paga", "recebido", "recebida"].iter().any(|word| cell.eq_ignore_ascii_case(word))
}

/// Whether all cells of a column that are not empty tell income from expenses. A dash alone stands for nothing. `S` alone may be a
/// yes, and `E` may be anything: letters that are no common abbreviation count if the column has two of them, and so do the words of a
/// [state](is_state).
pub(super) fn are_directions<'c>(cells: impl Iterator<Item = &'c str>) -> bool {
    let (mut has_word, mut takes, mut gives) = (false, false, false);
    for cell in cells.filter(|cell| !cell.is_empty()) {
        let Some(is_income) = direction(cell) else {
            if is_reversal(cell) {
                continue;
            }
            return false;
        };
        takes |= !is_income && cell != "-";
        gives |= is_income;
        has_word |= !matches!(cell, "-" | "E" | "e" | "S" | "s" | "H" | "h") && !is_state(cell);
    }
    has_word || takes && gives
}
