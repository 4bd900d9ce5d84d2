//! What the records of a file show about the formats of its cells, and how the cells are read by that.

use std::borrow::Cow;

use super::dates::{self, Dates, OrderEvidence};
use super::decimals::DecimalEvidence;
use super::directions::DirectionEvidence;
use super::header::{Amount, Plan, next_section};
use super::headless::is_hundredths;
use super::sign::SignEvidence;
use super::source::Source;
use super::split::{Record, Records};
use super::titles::{Title, begins_in_future, is_total};
use crate::amount::Decimal;
use crate::date::Epoch;
use crate::words::{WORDS, is_balance};
use crate::{CardSign, Options};

/// How the cells of a file are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Evidence<'o> {
    pub(super) dates: Dates<'o>,
    pub(super) decimal: Decimal,
    /// Whether columns that may distinguish income from expenses are believed.
    pub(super) maybe_directions: bool,
    /// Whether they were until 2026-12, when they had to be certain of every row.
    pub(super) former_directions: bool,
    /// The sign of purchases on a card.
    pub(super) sign: Option<CardSign>,
    /// Whether a negative amount in the column of expenses is a refund, because others are positive.
    pub(super) debits_are_positive: bool,
    /// Whether a negative amount in the column of income is taken back, because others are positive.
    pub(super) credits_are_positive: bool,
}

/// The clues in records about the formats of their cells.
#[derive(Debug)]
pub(super) struct Clues {
    order: OrderEvidence,
    decimals: DecimalEvidence,
    directions: DirectionEvidence,
    /// That of the rows that were looked at until 2026-12: those with a year.
    former_directions: DirectionEvidence,
    /// The epoch of plain numbers in the column of dates.
    epoch: Option<Epoch>,
    /// The signs of amounts, if they tell that of purchases.
    signs: Option<Signs>,
    /// Whether the column of expenses has a positive amount.
    has_positive_debit: bool,
    /// Whether the column of income has one.
    has_positive_credit: bool,
}

/// The signs of the amounts of a card's file.
#[derive(Debug)]
struct Signs {
    counted: SignEvidence,
    /// Those of rows that moved no money, or not yet. They count where there is no other.
    left_out: SignEvidence,
    /// Whether the following rows are future transactions.
    in_future: bool,
}

impl Clues {
    pub(super) fn new(source: &Source<'_>, plan: &Plan, options: &Options) -> Self {
        let (order, decimals) = (OrderEvidence::default(), DecimalEvidence::default());
        let signs = (options.on_card && !plan.is_card_layout).then(|| Signs {
            counted: SignEvidence::default(),
            left_out: SignEvidence::default(),
            in_future: begins_in_future(source.text, plan),
        });
        let (directions, former_directions) = (DirectionEvidence::default(), DirectionEvidence::default());
        let (has_positive_debit, has_positive_credit) = (false, false);
        let epoch = source.epoch;
        Clues { order, decimals, directions, former_directions, epoch, signs, has_positive_debit, has_positive_credit }
    }

    /// The clues of the first records.
    pub(super) fn of(source: &Source<'_>, plan: &Plan, options: &Options, records_max: usize) -> Self {
        let mut records = Records::watched(source, plan.separator, plan.start);
        let (mut record, mut clues) = (Record::default(), Clues::new(source, plan, options));
        let mut plan = Cow::Borrowed(plan);
        for _ in 0..records_max {
            if !records.next_into(&mut record) {
                break;
            }
            rejoin(&mut record, &plan, Decimal::ByValue);
            if let Some(next) = next_section(&record, &plan, options) {
                plan = Cow::Owned(next);
            } else {
                clues.observe(&record, &plan, options);
            }
        }
        clues
    }

    pub(super) fn observe(&mut self, record: &Record<'_>, plan: &Plan, options: &Options) {
        let written = record.cell(plan.columns.date);
        self.order.observe(written);
        let epoch = self.epoch;
        let is_transaction = || dates::may_be_read(written, options, epoch);
        match plan.columns.amount {
            Amount::One(at) => {
                let amount = record.cell(at);
                self.decimals.observe(amount);
                if let Some(signs) = self.signs.as_mut() {
                    match is_transaction() {
                        true => signs.observe(record, plan, options, amount),
                        false => signs.in_future = Title::of(record, true).map_or(signs.in_future, Title::is_future),
                    }
                }
                if let Some(direction) = plan.columns.direction {
                    let cell = record.cell(direction.at);
                    let is_sum = || is_sum(record, plan, options.on_card);
                    if is_transaction() {
                        self.directions.observe(direction, cell, amount, options.on_card, is_sum);
                    }
                    if dates::is_date(written) {
                        self.former_directions.observe(direction, cell, amount, options.on_card, is_sum);
                    }
                }
            }
            Amount::Split { credit, debit } => {
                for at in [credit, debit].into_iter().flatten() {
                    self.decimals.observe(record.cell(at));
                }
                let on_card = options.on_card || plan.is_card_layout;
                let is_positive = |at: usize| {
                    crate::amount::cents(record.cell(at), Decimal::ByValue).is_ok_and(|cents| cents > 0)
                        && is_transaction()
                        && !is_sum(record, plan, on_card)
                };
                self.has_positive_debit = self.has_positive_debit || debit.is_some_and(is_positive);
                self.has_positive_credit = self.has_positive_credit || credit.is_some_and(is_positive);
            }
        }
    }

    pub(super) fn conclude<'o>(&self, source: &Source<'_>, plan: &Plan, options: &'o Options) -> Evidence<'o> {
        let format = options.date_format.as_ref();
        let month_first = format.is_none() && self.order.month_first();
        let latest = dates::latest_in(plan.preamble(source.text)).or(options.latest);
        let maybe_directions = self.directions.are_told(options);
        let has_direction = self.directions.are_certain() || maybe_directions;
        let signs = self.signs.as_ref().map_or(&SignEvidence::NONE, Signs::that_count);
        Evidence {
            dates: Dates { format, month_first, epoch: source.epoch, latest },
            decimal: match options.decimal_separator {
                Some(',') => Decimal::Comma,
                Some(_) => Decimal::Dot,
                None => self.decimals.decide(plan.separator),
            },
            maybe_directions,
            former_directions: self.former_directions.are_told_by_all(),
            sign: signs.decide(plan, options, has_direction),
            debits_are_positive: self.has_positive_debit,
            credits_are_positive: self.has_positive_credit,
        }
    }
}

impl Signs {
    /// Looks at the sign of a row, unless the row is no transaction.
    fn observe(&mut self, record: &Record<'_>, plan: &Plan, options: &Options, amount: &str) {
        if is_sum(record, plan, true) {
            return;
        }
        let is_payment = || {
            let texts = plan.columns.texts.iter().map(|at| record.cell(*at));
            options.is_payment.as_ref().is_some_and(|test| texts.into_iter().any(|text| test.of(text)))
        };
        let is_settled = !plan.columns.status.is_some_and(|at| WORDS.is_not_settled(record.cell(at)));
        let signs = if is_settled && !self.in_future { &mut self.counted } else { &mut self.left_out };
        signs.observe(amount, is_payment);
    }

    fn that_count(&self) -> &SignEvidence {
        if self.counted == SignEvidence::NONE { &self.left_out } else { &self.counted }
    }
}

/// Whether a row is a balance or a total, by its text. Its amount has no sign that says something of those of transactions.
fn is_sum(record: &Record<'_>, plan: &Plan, on_card: bool) -> bool {
    let text = first_text(record, plan);
    is_balance(text, on_card) || is_total(text)
}

/// The first text of a row that is not blank.
pub(super) fn first_text<'r>(record: &'r Record<'_>, plan: &Plan) -> &'r str {
    plan.columns.texts.iter().map(|at| record.cell(*at)).find(|text| !text.is_empty()).unwrap_or_default()
}

/// Joins the fields of amounts that the separator split: `-12,34` without quotation marks makes a row longer than the headers.
pub(super) fn rejoin(record: &mut Record<'_>, plan: &Plan, decimal: Decimal) {
    let Some(width) = plan.width.filter(|_| plan.separator == b',' && decimal != Decimal::Dot) else { return };
    let is_longer = |record: &Record<'_>| (width..record.len()).any(|beyond| !record.cell(beyond).is_empty());
    if !is_longer(record) {
        return;
    }
    let columns = &plan.columns;
    let mut of_money: Vec<usize> = columns.amount.columns().chain(columns.balance).chain(columns.fee).collect();
    of_money.sort_unstable();
    for at in of_money {
        let cell = record.cell(at);
        let is_whole = cell.ends_with(|last: char| last.is_ascii_digit()) && !cell.contains(',');
        if is_longer(record) && is_whole && is_hundredths(record.cell(at + 1)) {
            record.join(at);
        }
    }
}
