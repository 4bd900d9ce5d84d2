//! The number of the account that the lines above a list name.

use super::dates::month_named;
use crate::text::fold;

/// The words before the number of an account or of a card.
const WORDS: [&str; 2] = ["conta", "cartao"];
/// The number of last digits that are kept.
const DIGITS: usize = 4;
/// The fewest digits of a branch. A day or a month has fewer.
const BRANCH_DIGITS_MIN: usize = 3;

/// The last four digits of the number after "Conta" or "Cartão". None if no line names one.
pub(super) fn of_preamble(text: &str) -> Option<String> {
    text.lines().find_map(|line| of_line(&fold(line)))
}

fn of_line(line: &str) -> Option<String> {
    let is_letter = |at: Option<char>| at.is_some_and(char::is_alphanumeric);
    let mut starts: Vec<usize> = WORDS
        .iter()
        .flat_map(|word| line.match_indices(word).map(|(at, found)| (at, at + found.len())))
        .filter(|(at, end)| !is_letter(line[..*at].chars().next_back()) && !is_letter(line[*end..].chars().next()))
        .map(|(_, end)| end)
        .collect();
    starts.sort_unstable();
    starts.iter().enumerate().find_map(|(at, start)| {
        let end = starts.get(at + 1).copied().unwrap_or(line.len());
        let rest = &line[*start..end];
        let (label, number) = rest.split_at(rest.find(|first: char| first.is_ascii_digit() || is_mask(first))?);
        // The number of a branch may stand between the word and the account's, and another number behind the word.
        let is_branch = label.contains("ag.") || label.contains("agencia");
        let is_other = is_branch || label.contains('$') || is_amount(number) || is_period(label, number);
        if is_other { None } else { last_digits(behind_branch(number)) }
    })
}

/// Whether the number at the start of a text has two decimals: `1.234,56`. A date may follow a number and a comma.
fn is_amount(text: &str) -> bool {
    let end = text.find(|part: char| !part.is_ascii_digit() && part != '.').unwrap_or(text.len());
    let decimals = text[end..].strip_prefix(',').unwrap_or_default();
    let digits = decimals.bytes().take_while(u8::is_ascii_digit).count();
    digits == 2 && !decimals[digits..].starts_with(['/', '-'])
}

/// Whether the number at the start of a text is a year or a date: `Fatura do cartão - Janeiro/2026`, `Extrato da conta 2026-01-01`.
fn is_period(label: &str, text: &str) -> bool {
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let (year, rest) = text.split_at(digits(text));
    let is_year = year.len() == 4 && year.parse().is_ok_and(|year: u32| (1990..2100).contains(&year));
    let is_after_month = || {
        let mut words = label.rsplit(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
        words.next().is_some_and(|word| month_named(word).is_some())
    };
    let is_before_month = || {
        let month = rest.strip_prefix('-').map(|rest| &rest[..digits(rest)]);
        month.is_some_and(|month| month.len() == 2 && month.parse().is_ok_and(|month: u32| (1..=12).contains(&month)))
    };
    is_year && (is_after_month() || is_before_month())
}

/// The part behind the branch and other parts in front of the number: `1234/56789-0`, `1234 / 001 / 00012345-6`. A date has none.
fn behind_branch(text: &str) -> &str {
    let mut number = text;
    loop {
        let end = number.find(|part: char| !part.is_ascii_digit()).unwrap_or(number.len());
        match number[end..].trim_start().strip_prefix('/') {
            Some(rest) if end >= BRANCH_DIGITS_MIN => number = rest.trim_start(),
            _ => return number,
        }
    }
}

/// Whether the character stands for a digit that is not shown.
fn is_mask(part: char) -> bool {
    matches!(part, '*' | '•')
}

/// The last digits of the number at the start of a text: its groups are digits, `*`, `•` and `x`. A blank joins groups of four only.
fn last_digits(text: &str) -> Option<String> {
    let is_part = |part: char| part.is_ascii_digit() || is_mask(part) || part == 'x';
    let is_group = |four: &[char]| four.len() == 4 && four.iter().copied().all(is_part);
    let mut groups = text.split(' ').map(|group| group.chars().collect::<Vec<char>>());
    let mut number = groups.next()?;
    for group in groups {
        if !(number.last_chunk::<4>().is_some_and(|last| is_group(last)) && is_group(&group[..group.len().min(4)])) {
            break;
        }
        number.extend(group);
    }
    let number = number.into_iter().take_while(|part| is_part(*part) || matches!(part, '.' | '-'));
    let digits: Vec<char> = number.filter(char::is_ascii_digit).collect();
    let last = digits.get(digits.len().checked_sub(DIGITS)?..)?;
    Some(last.iter().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_four_digits_of_the_number_after_its_word_are_found() {
        for (text, digits) in [
            ("Conta: 12345-6\n", "3456"),
            ("Extrato\nAgência;0001;Conta;98765-4;Período;01/01/2026\n", "7654"),
            ("CONTA CORRENTE 11.111-1 01/01/2026 a 31/01/2026", "1111"),
            ("Cartão: 5555 **** **** 1234 ANA", "1234"),
            ("Cartão: 5162 •••• •••• 1234", "1234"),
            ("Cartão: •••• 9876 ANA", "9876"),
            ("Conta: 1234–56 (Ag. 1)", "1234"),
            ("Cartão final 9876;Vencimento 10/03/2026", "9876"),
            ("Conta Corrente: Agência 1234 Conta 56789-0", "7890"),
            ("Agência/Conta: 1234/11111-1", "1111"),
            ("Ag/Conta: 0001 / 22222-3", "2223"),
            ("Conta: 1234 / 001 / 00012345-6", "3456"),
            ("Fatura do cartão - Janeiro/2026\nCartão final 9876", "9876"),
            ("Cartão Marco final 2026", "2026"),
            ("Conta: 2010-1234", "1234"),
            ("Saldo em conta: R$ 1.234,56\nConta: 98765-4", "7654"),
            ("Saldo da conta;1.234,56;Conta;98765-4", "7654"),
            ("Agência,0001,Conta,987654,01/01/2026", "7654"),
        ] {
            assert_eq!(of_preamble(text).as_deref(), Some(digits), "{text}");
        }
        for text in [
            "",
            "Contas a pagar 12345",
            "Conta: 123",
            "Conta corrente",
            "Período 01/01/2026",
            "Conta: ****",
            "Cartão: 12•• ANA",
            "Conta de 01/01/2026",
            "Fatura do cartão - Janeiro/2026",
            "Extrato da conta corrente (fev 2026)",
            "Extrato da conta 2026-01-01 a 2026-01-31",
            "Saldo em conta: R$ 1.234,56",
            "Saldo da conta;\"1.234,56\"",
            "Saldo em conta 1234,56",
        ] {
            assert_eq!(of_preamble(text), None, "{text}");
        }
    }
}
