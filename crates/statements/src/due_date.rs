//! The date on which a card's bill is due, if its statement names it.

use time::Date;

use crate::date::{self, full_year, ymd};
use crate::text::fold;

/// The tag of the due date in an OFX file.
const OFX_TAG: &str = "<DTPMTDUE>";
/// The word for the due date in the lines above a list.
const WORD: &str = "vencimento";

/// The due date of an OFX file. None if it has several.
pub(crate) fn of_ofx(text: &str) -> Option<Date> {
    only(text.match_indices('<').filter_map(|(at, _)| {
        let (tag, rest) = text[at..].split_at_checked(OFX_TAG.len())?;
        if tag.eq_ignore_ascii_case(OFX_TAG) { date::ofx(rest) } else { None }
    }))
}

/// The due date in the lines above the list of a CSV file or a sheet: the date after the word, on the same line. None if
/// they name several.
pub(crate) fn of_preamble(text: &str) -> Option<Date> {
    only(text.lines().filter_map(|line| {
        let line = fold(line);
        let (_, after) = line.split_once(WORD)?;
        let is_part = |part: char| part.is_ascii_digit() || matches!(part, '/' | '-' | '.');
        after.split(|letter| !is_part(letter)).find_map(|written| read(written.trim_matches(['/', '-', '.'])))
    }))
}

/// A date with the day or the year first, and perhaps a year of two digits.
fn read(written: &str) -> Option<Date> {
    let parts: Vec<&str> = written.split(['/', '-', '.']).collect();
    let [first, month, last] = parts[..] else { return None };
    let number = |digits: &str, lengths: &[usize]| digits.parse().ok().filter(|_| lengths.contains(&digits.len()));
    let (year, day) = if first.len() == 4 { (first, last) } else { (last, first) };
    let year = match year.len() {
        2 => full_year(number(year, &[2])?),
        _ => number(year, &[4])?,
    };
    ymd(year, number(month, &[1, 2])?, number(day, &[1, 2])?)
}

/// The date, if all dates are the same.
fn only(mut dates: impl Iterator<Item = Date>) -> Option<Date> {
    let first = dates.next()?;
    dates.all(|date| date == first).then_some(first)
}

#[cfg(test)]
mod tests {
    use time::macros::date;

    use super::*;

    #[test]
    fn the_due_date_is_the_one_beside_its_word() {
        for preamble in [
            "Fatura de março\nVencimento;05/04/2026\nTotal;R$ 1.234,56\n",
            "Data de Vencimento: 05/04/2026\n",
            "VENCIMENTO EM 2026-04-05, fechamento em 26/03/2026\n",
            "Vencimento\t05/04/2026\nvencimento: 05/04/2026\n",
            "Vencimento: 05/04/26\n",
            "Vencimento 5/4/2026, total 1.234,56\n",
            "Vencimento: R$ 1.234,56 em 05.04.2026.\n",
        ] {
            assert_eq!(of_preamble(preamble), Some(date!(2026 - 04 - 05)), "{preamble}");
        }
        for preamble in [
            "",
            "Fechamento;26/03/2026\n",
            "Vencimento;\n05/04/2026\n",
            "Vencimento 05/04/2026\nPróximo vencimento 05/05/2026\n",
            "Vencimento 20260405123\n",
            "Vencimento 99/99/2026\n",
        ] {
            assert_eq!(of_preamble(preamble), None, "{preamble}");
        }
    }

    #[test]
    fn the_due_date_of_an_ofx_file_is_that_of_its_tag() {
        assert_eq!(of_ofx("<CCCLOSING><dtpmtdue>20260405120000[-3:BRT]</CCCLOSING>"), Some(date!(2026 - 04 - 05)));
        assert_eq!(of_ofx("<DTPMTDUE>20260405</DTPMTDUE><DTPMTDUE>20260505</DTPMTDUE>"), None);
        assert_eq!(of_ofx("<DTPMTDUE>soon</DTPMTDUE>"), None);
        assert_eq!(of_ofx("<é<DTPMTDUE"), None);
    }
}
