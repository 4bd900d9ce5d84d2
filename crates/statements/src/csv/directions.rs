//! The columns that tell income from expenses, by their cells, where no header names them.

use super::dates;
use super::header::{Amount, Direction, Plan};
use super::source::Source;
use super::split::{Record, Records};
use super::synonyms;

/// The most rows that are examined.
const ROWS_MAX: usize = 50;

/// Sets the column that tells the sign of amounts, and the one beside the balances that tells theirs. An amount with a sign of its own
/// in any row makes such a column mean something else.
pub(super) fn find(source: &Source<'_>, plan: &mut Plan) {
    if plan.is_known || plan.headers.is_empty() || !matches!(plan.columns.amount, Amount::One(_)) {
        return;
    }
    let rows = rows(source, plan);
    let tells = |at: usize| synonyms::are_directions(rows.iter().map(|record| record.cell(at)));
    let width = rows.iter().map(Record::len).max().unwrap_or_default();
    let of_balances = plan.columns.balance.map(|at| at + 1).filter(|at| tells(*at));
    let is_told = plan.columns.direction.is_some_and(|Direction { at, maybe, .. }| !maybe || tells(at));
    if !is_told {
        let others = (0..width).filter(|at| is_free(plan, *at) && tells(*at));
        let found = others.clone().find(|at| Some(*at) != of_balances).or(others.clone().next());
        if let Some(at) = found {
            plan.columns.direction = Some(Direction { at, maybe: true, is_new: true });
            // `Pix enviado` describes the row too.
            let describes = rows.iter().any(|record| record.cell(at).contains(' '));
            let texts = &mut plan.columns.texts;
            if texts.len() > 1 && !describes {
                texts.retain(|text| *text != at);
            }
        }
    }
    let direction = plan.columns.direction.map(|direction| direction.at);
    plan.columns.balance_direction = of_balances.filter(|at| Some(*at) != direction);
}

/// The first rows with a date.
fn rows<'t>(source: &Source<'t>, plan: &Plan) -> Vec<Record<'t>> {
    let mut records = Records::watched(source, plan.separator, plan.start);
    let mut rows = Vec::new();
    for _ in 0..ROWS_MAX {
        let mut record = Record::default();
        if !records.next_into(&mut record) {
            break;
        }
        if dates::may_be_date(record.cell(plan.columns.date)) {
            rows.push(record);
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
        columns.instalment,
        columns.status,
        columns.fee,
        columns.currency,
        columns.category,
        columns.balance,
    ];
    !others.contains(&Some(at)) && !columns.amount.columns().any(|amount| amount == at)
}
