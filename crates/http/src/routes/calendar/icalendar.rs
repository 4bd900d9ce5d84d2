//! The iCalendar format (RFC 5545).

use finance_domain::calendar::{Entry, Subject};
use finance_domain::month::day_after;
use finance_domain::recurring::NoteKey;
use finance_domain::transactions::Kind;
use finance_domain::{Money, ProfileId};
use time::Date;

/// The maximum length of a line in bytes, without its line end.
const LINE_BYTES_MAX: usize = 75;

/// A calendar with an event for each entry. Amounts are in the summaries only, if at all.
pub(super) fn write(profile_id: ProfileId, today: Date, entries: &[Entry], with_amounts: bool) -> String {
    let mut calendar = String::new();
    for text in ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//Finance//Finance//PT", "CALSCALE:GREGORIAN"] {
        line(&mut calendar, text);
    }
    line(&mut calendar, "X-WR-CALNAME:Finanças");
    for entry in entries {
        line(&mut calendar, "BEGIN:VEVENT");
        line(&mut calendar, &format!("UID:{}.profile-{profile_id}@finance", identity(entry.subject)));
        line(&mut calendar, &format!("DTSTAMP:{}T000000Z", day(today)));
        line(&mut calendar, &format!("DTSTART;VALUE=DATE:{}", day(entry.date)));
        line(&mut calendar, &format!("DTEND;VALUE=DATE:{}", day(day_after(entry.date))));
        line(&mut calendar, &format!("SUMMARY:{}", escaped(&summary(entry, with_amounts))));
        line(&mut calendar, "TRANSP:TRANSPARENT");
        line(&mut calendar, "END:VEVENT");
    }
    line(&mut calendar, "END:VCALENDAR");
    calendar
}

/// Identifies an event within the profile. It stays the same when other data of the event changes.
fn identity(subject: Subject) -> String {
    match subject {
        Subject::Bill(id) => format!("bill-{id}"),
        Subject::PendingBill(id) => format!("pending-bill-{id}"),
        Subject::Recurring(id, NoteKey::Month(month), _) => format!("recurring-{id}-{month}"),
        Subject::Recurring(id, NoteKey::Due(due), _) => format!("recurring-{id}-{due}"),
    }
}

/// The text that users read.
fn summary(entry: &Entry, with_amounts: bool) -> String {
    let name = entry.name.as_deref();
    let text = match entry.subject {
        Subject::Bill(_) => format!("Fatura: {}", name.unwrap_or("cartão")),
        Subject::PendingBill(_) => format!("Fatura a confirmar: {}", name.unwrap_or("cartão")),
        Subject::Recurring(_, _, Kind::Expense) => format!("A pagar: {}", name.unwrap_or_default()),
        Subject::Recurring(_, _, Kind::Income) => format!("A receber: {}", name.unwrap_or_default()),
    };
    if with_amounts { format!("{text}, {}", reais(entry.amount)) } else { text }
}

/// `R$ 1.234,50`.
fn reais(amount: Money) -> String {
    let text = amount.to_string();
    let (sign, digits) = text.strip_prefix('-').map_or(("", text.as_str()), |digits| ("-", digits));
    let (whole, cents) = digits.split_once('.').unwrap_or((digits, "00"));
    let mut grouped = String::new();
    for (at, digit) in whole.chars().enumerate() {
        if at > 0 && (whole.len() - at) % 3 == 0 {
            grouped.push('.');
        }
        grouped.push(digit);
    }
    format!("{sign}R$ {grouped},{cents}")
}

fn day(date: Date) -> String {
    format!("{:04}{:02}{:02}", date.year(), u8::from(date.month()), date.day())
}

/// Escapes a text as a value. A value cannot contain control characters.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '\\' | ';' | ',' => escaped.extend(['\\', letter]),
            '\n' => escaped.push_str("\\n"),
            letter if letter.is_control() => escaped.push(' '),
            letter => escaped.push(letter),
        }
    }
    escaped
}

/// Writes a line, folded before it is too long and never inside a character.
fn line(out: &mut String, text: &str) {
    let mut bytes = 0;
    for letter in text.chars() {
        if bytes + letter.len_utf8() > LINE_BYTES_MAX {
            // The leading blank counts.
            out.push_str("\r\n ");
            bytes = 1;
        }
        out.push(letter);
        bytes += letter.len_utf8();
    }
    out.push_str("\r\n");
}

#[cfg(test)]
mod tests {
    use finance_domain::{BillId, Month, RecurringId};
    use time::macros::date;

    use super::*;

    fn entry(subject: Subject, name: &str, cents: i128) -> Entry {
        Entry { subject, date: date!(2026 - 03 - 31), name: Some(name.to_string()), amount: Money::from_cents(cents) }
    }

    #[test]
    fn an_event_lasts_the_day_and_tells_no_amount_unless_asked() {
        let bill = entry(Subject::Bill(BillId(7)), "Cartão", 123_450);
        let quiet = write(ProfileId(3), date!(2026 - 03 - 15), std::slice::from_ref(&bill), false);
        assert!(
            quiet.contains("BEGIN:VEVENT\r\nUID:bill-7.profile-3@finance\r\nDTSTAMP:20260315T000000Z\r\n"),
            "{quiet}"
        );
        assert!(quiet.contains("DTSTART;VALUE=DATE:20260331\r\nDTEND;VALUE=DATE:20260401\r\n"), "{quiet}");
        assert!(quiet.contains("SUMMARY:Fatura: Cartão\r\n") && !quiet.contains("R$"), "{quiet}");
        let with_amounts = write(ProfileId(3), date!(2026 - 03 - 15), &[bill], true);
        assert!(with_amounts.contains("SUMMARY:Fatura: Cartão\\, R$ 1.234\\,50\r\n"), "{with_amounts}");
    }

    #[test]
    fn a_recurring_item_is_another_event_each_month() {
        let month: Month = "2026-03".parse().unwrap();
        let of = |month| Subject::Recurring(RecurringId(2), NoteKey::Month(month), Kind::Income);
        assert_eq!(identity(of(month)), "recurring-2-2026-03");
        let friday = Subject::Recurring(RecurringId(2), NoteKey::Due(date!(2026 - 03 - 06)), Kind::Income);
        assert_eq!(identity(friday), "recurring-2-2026-03-06");
        assert_ne!(identity(of(month)), identity(of(month.plus(1))));
        assert_eq!(summary(&entry(of(month), "Salário", 5), false), "A receber: Salário");
    }

    #[test]
    fn texts_are_escaped_and_hold_no_line_of_their_own() {
        assert_eq!(escaped("a;b,c\\d\ne\r\0"), "a\\;b\\,c\\\\d\\ne  ");
    }

    #[test]
    fn amounts_are_grouped_by_thousands() {
        for (cents, text) in [
            (5, "R$ 0,05"),
            (99_999, "R$ 999,99"),
            (100_000, "R$ 1.000,00"),
            (123_456_789, "R$ 1.234.567,89"),
            (-100_000, "-R$ 1.000,00"),
        ] {
            assert_eq!(reais(Money::from_cents(cents)), text);
        }
    }

    #[test]
    fn lines_are_folded_at_75_bytes_between_characters() {
        for text in ["x".repeat(75), "x".repeat(76), "ç".repeat(200), format!("{}😀{}", "x".repeat(73), "ã".repeat(90))]
        {
            let mut written = String::new();
            line(&mut written, &text);
            let lines: Vec<&str> = written.strip_suffix("\r\n").unwrap().split("\r\n").collect();
            assert!(lines.iter().all(|line| line.len() <= LINE_BYTES_MAX), "{lines:?}");
            assert!(lines[1..].iter().all(|line| line.starts_with(' ')), "{lines:?}");
            assert_eq!(written.replace("\r\n ", "").trim_end(), text, "unfolded");
        }
    }
}
