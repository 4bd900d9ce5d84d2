use super::*;
use crate::categories::{Category, Planning, TaxKind};
use crate::ids::ProfileId;
use crate::suggestions::{MerchantGroup, Merchants, PayeeLists};

const FOOD: CategoryId = CategoryId(1);
const FUEL: CategoryId = CategoryId(2);
const PETS: CategoryId = CategoryId(3);

fn payees() -> Payees {
    let list = |texts: &[&str]| texts.iter().map(|text| text.to_string()).collect();
    Payees::new(PayeeLists {
        phrases: list(&["pix"]),
        acquirers: list(&["pag"]),
        shops: list(&["uber"]),
        company_words: list(&["ltda"]),
        stop_words: list(&["de", "da"]),
        ..PayeeLists::default()
    })
    .unwrap()
}

fn row(description: &str, category_id: CategoryId) -> LearnedRow {
    LearnedRow { description: description.into(), kind: Kind::Expense, category_id }
}

/// The suggestion for an expense, given the filed rows, newest first.
fn suggested(rows: &[LearnedRow], description: &str) -> Option<(CategoryId, SuggestionSource)> {
    let words = vec!["posto".into()];
    let merchants =
        Merchants::new(vec![MerchantGroup { category: "Transporte".into(), kind: Kind::Expense, words }]).unwrap();
    let fuel = Category {
        id: FUEL,
        profile_id: ProfileId(1),
        name: "transporte".into(),
        is_tax: false,
        tax_kind: TaxKind::None,
        is_standard: true,
        monthly_budget: None,
        planning: Planning::default(),
    };
    let payees = payees();
    let key = payees.key(description);
    History::learn(&payees, rows).suggest(&payees, &merchants.of(&[fuel]), Kind::Expense, &key)
}

#[test]
fn the_sources_have_an_order_and_each_is_told() {
    use SuggestionSource::{Dictionary, Payee, Similar};
    let filed = [
        row("Pag*Casa Verde 12", FOOD),
        row("Casa Verde Ltda", FOOD),
        row("Mercado Azul", PETS),
        row("Armazem Novo Bairro", PETS),
    ];
    for (description, expected) in [
        ("CASA VERDE", Some((FOOD, Payee))),
        ("CASA VERDE SUL", Some((FOOD, Payee))),
        ("CASA V", Some((FOOD, Payee))),
        ("CASA", Some((FOOD, Similar))),
        ("SUPER VERDE", Some((FOOD, Similar))),
        ("MERCADO", Some((PETS, Payee))),
        ("BAIRRO", Some((PETS, Similar))),
        ("POSTO", Some((FUEL, Dictionary))),
        ("POSTO ALTO", Some((FUEL, Dictionary))),
        // Two words seen twice weigh less than the word of the dictionary; one of them weighs even less.
        ("POSTO AZUL", Some((FUEL, Similar))),
        ("OUTRO NOME", None),
        ("DE DA", None),
        ("Pix 123", None),
        ("", None),
    ] {
        assert_eq!(suggested(&filed, description), expected, "{description}");
    }
}

#[test]
fn incomes_and_expenses_are_learned_apart() {
    let income = LearnedRow { kind: Kind::Income, ..row("Casa Verde", FOOD) };
    assert_eq!(suggested(&[income], "Casa Verde"), None);
}

#[test]
fn a_payee_has_the_most_frequent_of_its_last_fifty_and_of_several_the_latest() {
    let filed = |runs: &[(CategoryId, usize)]| {
        let rows = runs.iter().flat_map(|(category_id, count)| vec![row("Casa Verde", *category_id); *count]);
        suggested(&rows.collect::<Vec<_>>(), "Casa Verde").map(|(category_id, _)| category_id)
    };
    assert_eq!(filed(&[(FOOD, 1), (PETS, 2)]), Some(PETS));
    assert_eq!(filed(&[(FOOD, 2), (PETS, 2)]), Some(FOOD), "the latest");
    assert_eq!(filed(&[(PETS, 1), (FOOD, 2), (PETS, 1)]), Some(PETS), "the latest");
    assert_eq!(filed(&[(FOOD, 26), (PETS, 24), (PETS, 1000)]), Some(FOOD), "older rows do not count");
}

#[test]
fn keys_that_begin_alike_share_six_letters_and_the_nearest_counts() {
    let filed = [row("abcdefgh x", FOOD), row("abcdef", PETS), row("abcde", FUEL)];
    for (description, expected) in
        [("abcdefgh", Some(FOOD)), ("abcdefg", Some(FOOD)), ("abcdefz", Some(PETS)), ("abcdez", None), ("abcd", None)]
    {
        assert_eq!(suggested(&filed, description).map(|(category_id, _)| category_id), expected, "{description}");
    }
}

#[test]
fn a_vote_needs_half_of_what_is_given() {
    let filed = [row("sol azul", FOOD), row("mar azul", PETS), row("lua azul", FUEL)];
    assert_eq!(suggested(&filed, "xy azul"), None, "each has a third");
    let filed = [row("sol azul", FOOD), row("mar azul", PETS)];
    assert_eq!(suggested(&filed, "xy azul"), Some((FOOD, SuggestionSource::Similar)), "half will do");
}

#[test]
fn the_weight_of_a_word_is_its_share_squared_times_a_logarithm() {
    // (1/2)² ln 3, (2/3)² ln 4 and (1/3)² ln 4.
    assert_eq!([weight(1, 1), weight(2, 2), weight(1, 2)], [274_653, 616_131, 154_033]);
}

#[test]
fn the_longest_beginning_is_found_among_keys_that_lie_between() {
    let filed = [row("abcdef", FOOD), row("abcdefg hx", PETS), row("abcdefg ia", PETS), row("abcdefg", FUEL)];
    for (description, expected) in
        [("abcdefg iz", Some(FUEL)), ("abcdef zz", Some(FOOD)), ("abcdefé", Some(FOOD)), ("abcdeé", None), ("zz", None)]
    {
        assert_eq!(suggested(&filed, description).map(|(category_id, _)| category_id), expected, "{description}");
    }
}
