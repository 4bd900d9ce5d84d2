//! Purchases by instalments: `10x de 199,90`, `em 12 vezes`, `parcelado em 12`.

use super::amounts::{self, Found};
use super::line::Line;
use super::values::{Candidate, Field, Missing, Part};
use super::words::Grammar;
use crate::installments::COUNT_MAX;
use crate::money::Money;

/// The number of instalments, and where it is said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Counted {
    /// The numbers, each once.
    counts: Vec<i128>,
    /// Where the first one begins: an amount before it is the total.
    at: usize,
    /// Where the amount of each begins, behind a word of `of`.
    each: Option<usize>,
}

/// Takes the number of instalments.
pub(super) fn count(line: &mut Line<'_>, grammar: &Grammar) -> Option<Counted> {
    let words = &grammar.installments;
    let mut counted: Option<Counted> = None;
    let mut at = 0;
    while at < line.len() {
        split_glued(line, at);
        let Some((count, mut to, is_said)) = number(line, grammar, at) else {
            at += 1;
            continue;
        };
        let mut from = at;
        if let Some(before) = line.before_in(from, &words.prepositions) {
            from = before;
        }
        let verb = line.before_in(from, &words.verbs);
        if !is_said && (verb.is_none() || from == at) {
            at += 1;
            continue;
        }
        from = verb.unwrap_or(from);
        to = line.phrase(to, &words.taken).unwrap_or(to);
        line.take(from, to, Part::Installments);
        let each = line.is_in(to, &words.of).then_some(to + 1);
        match &mut counted {
            Some(counted) => {
                if !counted.counts.contains(&count) {
                    counted.counts.push(count);
                }
                counted.each = counted.each.or(each);
            }
            None => counted = Some(Counted { counts: vec![count], at: from, each }),
        }
        at = to;
    }
    counted
}

/// Splits `10x99,90` behind its `x`.
fn split_glued(line: &mut Line<'_>, at: usize) {
    let Some(word) = line.open(at).filter(|_| line.is_ascii(at)) else { return };
    let digits = word.bytes().take_while(u8::is_ascii_digit).count();
    let behind = &word[digits..];
    let is_amount =
        |text: &str| text.strip_prefix("r$").unwrap_or(text).starts_with(|first: char| first.is_ascii_digit());
    if (1..=3).contains(&digits) && behind.strip_prefix('x').is_some_and(is_amount) {
        line.split(at, digits + 1);
    }
}

/// The number at a place, where it ends, and whether it says by itself that it counts instalments.
fn number(line: &Line<'_>, grammar: &Grammar, at: usize) -> Option<(i128, usize, bool)> {
    let word = line.open(at)?;
    let digits = word.strip_suffix('x').unwrap_or(word);
    if !(1..=3).contains(&digits.len()) || !digits.bytes().all(|digit| digit.is_ascii_digit()) {
        return None;
    }
    let count = digits.parse().ok()?;
    if digits.len() < word.len() {
        return Some((count, at + 1, true));
    }
    let is_followed = line.open(at + 1) == Some("x") || line.is_in(at + 1, &grammar.installments.nouns);
    Some((count, at + 1 + usize::from(is_followed), is_followed))
}

/// What a line says of a purchase by instalments.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Amounts {
    pub(super) count: Option<i128>,
    pub(super) total_amount: Option<Money>,
    /// The amount of each.
    pub(super) amount: Option<Money>,
}

impl Counted {
    /// Whether it is paid at once.
    pub(super) fn is_one(&self) -> bool {
        self.counts[..] == [1]
    }

    /// The amount of a purchase that is paid at once.
    pub(super) fn at_once(&self, line: &mut Line<'_>, grammar: &Grammar, missing: &mut Vec<Missing>) -> Option<Money> {
        let found = amounts::find(line, grammar);
        let first = found.first().and_then(|found| found.value);
        let is_same = self.each.is_some() && found.iter().all(|found| found.value == first);
        match (is_same, &found[..]) {
            (true, [one, others @ ..]) if first.is_some() => {
                others.iter().for_each(|found| line.leave_out(found.from, found.to));
                amounts::take(line, grammar, one.from, one.to);
                first
            }
            _ => amounts::settle(line, grammar, &found, Field::Amount, missing),
        }
    }

    /// Asks for the amount of what is no purchase: all of it or one instalment.
    pub(super) fn ask(&self, line: &mut Line<'_>, grammar: &Grammar, missing: &mut Vec<Missing>) {
        let found = amounts::find(line, grammar);
        let mut values = Vec::new();
        for found in &found {
            if let ([count], true) = (&self.counts[..], found.from >= self.at) {
                values.push(found.value.map(|value| Money::from_cents(value.cents() * count)));
            }
            values.push(found.value);
            line.leave_out(found.from, found.to);
            take_behind(line, grammar, found.to);
        }
        missing.push(Missing { field: Field::Amount, candidates: amounts::candidates(values.into_iter()) });
    }

    /// Takes the amounts, after the dates and accounts.
    pub(super) fn amounts(&self, line: &mut Line<'_>, grammar: &Grammar, missing: &mut Vec<Missing>) -> Amounts {
        let found = amounts::find(line, grammar);
        let [count] = self.counts[..] else {
            found.iter().for_each(|found| line.leave_out(found.from, found.to));
            missing.push(Missing { field: Field::Count, candidates: Vec::new() });
            missing.push(Missing { field: Field::TotalAmount, candidates: Vec::new() });
            return Amounts::default();
        };
        let known = (1..=i128::from(COUNT_MAX)).contains(&count).then_some(count);
        if known.is_none() {
            missing.push(Missing { field: Field::Count, candidates: Vec::new() });
        }
        let all = |each: Money| Money::from_cents(each.cents() * count);
        let ask = |line: &mut Line<'_>, missing: &mut Vec<Missing>, candidates: Vec<Candidate>| {
            found.iter().for_each(|found| line.leave_out(found.from, found.to));
            missing.push(Missing { field: Field::TotalAmount, candidates });
            Amounts { count: known, ..Amounts::default() }
        };
        let each = self.each.and_then(|at| found.iter().find(|found| found.from == at));
        if let Some(each) = each {
            let others: Vec<Option<Money>> =
                found.iter().filter(|found| *found != each).map(|found| found.value).collect();
            let Some(value) = each.value else { return ask(line, missing, Vec::new()) };
            if others.iter().any(|other| *other != Some(all(value))) {
                let candidates = amounts::candidates(std::iter::once(Some(all(value))).chain(others));
                return ask(line, missing, candidates);
            }
            found.iter().filter(|found| *found != each).for_each(|found| line.leave_out(found.from, found.to));
            let behind = each.to;
            amounts::take(line, grammar, each.from, each.to);
            take_behind(line, grammar, behind);
            return Amounts { count: known, amount: Some(value), total_amount: None };
        }
        match found[..] {
            // An instalment is at least a cent.
            [Found { from, value: Some(value), .. }] if from < self.at && value.cents() < count => {
                ask(line, missing, Vec::new())
            }
            [Found { from, to, value: Some(value) }] if from < self.at => {
                amounts::take(line, grammar, from, to);
                Amounts { count: known, total_amount: Some(value), amount: None }
            }
            [Found { to, value: Some(value), .. }] => {
                let amounts = ask(line, missing, amounts::candidates([all(value), value].map(Some).into_iter()));
                take_behind(line, grammar, to);
                amounts
            }
            _ => ask(line, missing, amounts::candidates(found.iter().map(|found| found.value))),
        }
    }
}

/// Takes "sem juros" behind the amount.
fn take_behind(line: &mut Line<'_>, grammar: &Grammar, at: usize) {
    if let Some(to) = line.phrase(at, &grammar.installments.taken) {
        line.take(at, to, Part::Installments);
    }
}
