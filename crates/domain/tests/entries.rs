//! Lines as people write them, and what is read of them with the shipped words.
#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on stops")]

#[path = "entries/households.rs"]
mod households;

use finance_domain::accounts::AccountKind;
use finance_domain::entries::{Candidate, Entry, Field, Missing, Names, Part, read};
use finance_domain::{AccountId, Money};
use households::{Home, describe, grammar};
use proptest::prelude::*;

/// Lines of a home, and what is read of them: see [`describe`].
const LINES: &str = include_str!("entries/lines.tsv");

#[test]
fn lines_are_read_as_their_table_says() {
    check(LINES.lines().filter(|line| !line.is_empty() && !line.starts_with('#')));
}

/// The sentences of the specification, if it is beside the checkout.
#[test]
fn the_sentences_of_the_specification_are_read_as_it_says() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/features/quick-entry.tsv");
    let Ok(text) = std::fs::read_to_string(path) else {
        eprintln!("skipped: {path} is not there");
        return;
    };
    let rows: Vec<String> =
        text.lines().filter(|line| !line.starts_with('#')).skip(1).map(households::line_of_specification).collect();
    assert_eq!(rows.len(), 60);
    check(rows.iter().map(String::as_str));
}

/// Each line is a home, the text, and what is read.
fn check<'l>(lines: impl Iterator<Item = &'l str>) {
    let grammar = grammar();
    let mut wrong = Vec::new();
    for line in lines {
        let parts: Vec<&str> = line.split('\t').collect();
        let [home, text, expected] = parts[..] else { panic!("{line:?} has not three parts") };
        let home = Home::named(home);
        let found = describe(&home, &read(text, households::ON, &home.names, &grammar));
        if found != expected.trim() {
            wrong.push(format!("{text}\n    is      {found}\n    must be {expected}"));
        }
    }
    assert!(wrong.is_empty(), "{} lines are read otherwise:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn a_kind_of_account_behind_an_at_is_one_whatever_the_categories_are() {
    let names = Names::new([(AccountId(1), "Conta Itaú", AccountKind::Current)], ["Pix"]);
    let account = |text: &str| match read(text, households::ON, &names, &grammar()).entry {
        Entry::Transaction { account_id, .. } => account_id,
        other => panic!("{text:?} is read as {other:?}"),
    };
    assert_eq!([account("pizza 50 no pix"), account("pizza 50 @pix")], [None, Some(AccountId(1))]);
}

#[test]
fn accounts_whose_names_differ_in_accents_only_are_asked_about() {
    let accounts = [(AccountId(1), "Itaú", AccountKind::Current), (AccountId(2), "Itau", AccountKind::Credit)];
    let reading = read("pizza 50 no itaú", households::ON, &Names::new(accounts, []), &grammar());
    let candidates = [1, 2].map(|id| Candidate::Account(AccountId(id))).to_vec();
    assert_eq!(reading.missing, [Missing { field: Field::AccountId, candidates }]);
}

#[test]
fn what_was_understood_is_told_in_characters() {
    let home = Home::named("A");
    let spans = |text: &str| {
        let reading = read(text, households::ON, &home.names, &grammar());
        let spans = reading.understood.into_iter();
        spans.map(|span| (span.part.as_str(), span.start, span.end, span.text)).collect::<Vec<_>>()
    };
    let span = |part, start, end, text: &str| (part, start, end, text.to_string());
    assert_eq!(
        spans("pão, 54,90. ontem no Itaú Visa! #Ação"),
        [
            span("amount", 5, 10, "54,90"),
            span("date", 12, 17, "ontem"),
            span("account", 18, 30, "no Itaú Visa"),
            span("tag", 32, 37, "#Ação"),
        ]
    );
    assert_eq!(
        spans("tv 10x99,90 no nubank"),
        [span("installments", 3, 6, "10x"), span("account", 12, 21, "no nubank")]
    );
    assert_eq!(
        spans("eu paguei a fatura do nubank com a conta itaú"),
        [
            span("type", 3, 9, "paguei"),
            span("bill", 12, 28, "fatura do nubank"),
            span("account", 29, 45, "com a conta itaú")
        ]
    );
    let code = "00020126580014br.gov.bcb.pix5913Fulano de Tal6008BRASILIA62070503***63041D3D";
    assert_eq!(spans(&format!("pix {code}")), [span("code", 4, 4 + code.len(), code)]);
}

/// Words of which lines are made.
const WORDS: [&str; 64] = [
    "mercado",
    "pago",
    "no",
    "na",
    "o",
    "nubank",
    "itaú",
    "conta",
    "cartão",
    "@visa",
    "@",
    "#casa",
    "#",
    "54,90",
    "1.850",
    "R$",
    "r$5",
    "12+",
    "+",
    "8,50",
    "mil",
    "2mil",
    "e",
    "500",
    "reais",
    "real",
    "50",
    "centavos",
    "dois",
    "vinte",
    "10x",
    "10",
    "x",
    "vezes",
    "em",
    "parcelado",
    "de",
    "sem",
    "juros",
    "10x99,90",
    "dia",
    "5",
    "31",
    "março",
    "31/2",
    "12/3/25",
    "segunda",
    "-feira",
    "feira",
    "passada",
    "que",
    "vem",
    "semana",
    "transferi",
    "para",
    "poupança",
    "paguei",
    "fatura",
    "recebi",
    "salário",
    "%",
    "-50",
    "dólares",
    "000201",
];

proptest! {
    #[test]
    fn no_text_is_too_strange(text in "\\PC{0,80}") {
        let home = Home::named("A");
        holds(&text, &home);
    }

    #[test]
    fn no_line_of_these_words_is_too_strange(
        words in proptest::collection::vec(proptest::sample::select(&WORDS[..]), 0..14),
        home in proptest::sample::select(&["A", "B", "C", "none"][..]),
    ) {
        holds(&words.join(" "), &Home::named(home));
    }
}

/// Spans are apart, in order and in the text, and an amount of the entry is written in the text.
fn holds(text: &str, home: &Home) {
    let reading = read(text, households::ON, &home.names, &grammar());
    let letters: Vec<char> = text.chars().collect();
    let mut last = 0;
    for span in &reading.understood {
        assert!(last <= span.start && span.start < span.end && span.end <= letters.len(), "{text:?}: {span:?}");
        assert_eq!(letters[span.start..span.end].iter().collect::<String>(), span.text, "{text:?}");
        last = span.end;
    }
    let amount = match reading.entry {
        Entry::Transaction { amount, .. } | Entry::Transfer { amount, .. } => amount,
        Entry::Installments { total_amount, amount, .. } => total_amount.or(amount),
        Entry::Code | Entry::Bill(_) => None,
    };
    let Some(amount) = amount else { return };
    assert!(amount > Money::ZERO && amount <= Money::TRANSACTION_MAX, "{text:?}: {amount}");
    assert!(reading.understood.iter().any(|span| span.part == Part::Amount), "{text:?}");
    let has_digits = text.contains(|letter: char| letter.is_ascii_digit()) || text.to_lowercase().contains("mil");
    assert!(has_digits, "{text:?}: {amount}");
}
