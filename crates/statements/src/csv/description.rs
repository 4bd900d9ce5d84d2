//! The description of a row: its texts, joined, and the number of its instalment.

use std::borrow::Cow;

use super::header::Columns;
use super::split::Record;
use crate::text::{DESCRIPTION_CHARS_MAX, clean, clean_to, fold_into};

/// Makes the descriptions of rows. It reuses its buffers for every row.
#[derive(Debug, Default)]
pub(super) struct Describer {
    joined: String,
    /// The folded form of `joined`.
    folded: String,
    /// The folded form of the part that is added.
    part: String,
}

impl Describer {
    /// The description of a row, made of these columns and the text of its instalment.
    pub(super) fn describe(&mut self, record: &Record<'_>, texts: &[usize], instalment: Option<&str>) -> String {
        let mut description = match texts {
            [] => String::new(),
            [only] => clean(record.cell(*only)),
            parts => clean(self.join(parts.iter().map(|at| record.cell(*at)))),
        };
        if let Some(instalment) = instalment.filter(|instalment| !tells_already(&description, instalment)) {
            // The description is cut, not the instalment: the instalment may be the only difference between two months.
            let room = DESCRIPTION_CHARS_MAX.saturating_sub(instalment.chars().count() + 1);
            description = clean(&format!("{} {instalment}", clean_to(&description, room)));
        }
        if description.trim().is_empty() {
            return "(sem descrição)".to_string();
        }
        description
    }

    /// The parts joined by spaces. A part that another one contains is left out.
    ///
    /// `Pix enviado para Ana` and `Pix enviado` become `Pix enviado para Ana`.
    fn join<'r>(&mut self, parts: impl Iterator<Item = &'r str>) -> &str {
        let Describer { joined, folded, part: part_folded } = self;
        joined.clear();
        folded.clear();
        for part in parts.filter(|part| !part.is_empty()) {
            fold_into(part, part_folded);
            if folded.contains(part_folded.as_str()) {
                continue;
            }
            if part_folded.contains(folded.as_str()) {
                joined.clear();
                folded.clear();
            } else {
                joined.push(' ');
                folded.push(' ');
            }
            joined.push_str(part);
            folded.push_str(part_folded);
        }
        joined
    }
}

/// The instalment of a row: the text of its column, `2/3` of a number in it and another one beside it, or `Parcela 2` of a number alone.
pub(super) fn instalment_of<'r>(record: &'r Record<'_>, columns: &Columns) -> Option<Cow<'r, str>> {
    let cell = record.cell(columns.instalment?);
    if is_instalment(cell) {
        return Some(Cow::Borrowed(cell));
    }
    let number = |text: &str| text.parse::<u32>().ok().filter(|number| (1..=INSTALMENTS_MAX).contains(number));
    match (number(cell)?, columns.instalment_count.map(|count| number(record.cell(count)))) {
        (one, Some(Some(all))) if all > 1 && one <= all => Some(Cow::Owned(format!("{one}/{all}"))),
        (one, None) if one > 1 => Some(Cow::Owned(format!("Parcela {one}"))),
        _ => None,
    }
}

/// The most instalments of a purchase.
const INSTALMENTS_MAX: u32 = 99;

/// Whether the text names one of several instalments: `2/7`, `3 de 10`, `Parcela 1/2`; not `1/1` or `Única`.
pub(super) fn is_instalment(text: &str) -> bool {
    instalment(text).is_some()
}

fn instalment(text: &str) -> Option<(u32, u32)> {
    let start = text.find(|digit: char| digit.is_ascii_digit())?;
    let rest = text.get(start..)?;
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let (number, rest) = rest.split_at_checked(digits)?;
    let rest = rest.trim_start_matches(['ª', 'º']).trim_start();
    let rest =
        rest.strip_prefix('/').or_else(|| rest.strip_prefix("de ")).or_else(|| rest.strip_prefix("DE "))?.trim_start();
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let (count, rest) = rest.split_at_checked(digits)?;
    let (number, count) = (number.parse().ok()?, count.parse().ok()?);
    let is_one = text.len() <= 40 && !rest.contains(['/', '.', '-']) && number >= 1 && count >= 2 && number <= count;
    is_one.then_some((number, count))
}

/// Whether the description already ends with the same instalment.
fn tells_already(description: &str, instalment_text: &str) -> bool {
    let Some((number, count)) = instalment(instalment_text) else { return false };
    let Some((before, last)) = description.rsplit_once('/') else { return false };
    let digits = before.bytes().rev().take_while(u8::is_ascii_digit).count();
    let first = before.get(before.len() - digits..).and_then(|digits| digits.parse().ok());
    first == Some(number) && last.trim_end().parse() == Ok(count)
}
