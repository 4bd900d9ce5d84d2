use proptest::prelude::*;
use time::macros::date;

use super::*;

fn content(day: u8, cents: i128, description: &str) -> Content {
    let date = date!(2026 - 01 - 01).replace_day(day).unwrap();
    let amount = Money::from_cents(cents);
    Content { date, kind: Kind::of(amount), amount: amount.abs(), description: description.into() }
}

fn row(id: &str, content: Content) -> Candidate {
    Candidate { content, external_id: (!id.is_empty()).then(|| id.to_string()), former: None }
}

/// Stores what an import of `rows` would insert, as confirm does.
fn import(stored: &mut Vec<Stored>, rows: &[Candidate]) -> usize {
    let judgements = judge(rows, stored);
    let before = stored.len();
    for (row, judgement) in rows.iter().zip(judgements).filter(|(_, judgement)| !judgement.duplicate) {
        let taken =
            judgement.external_id.is_some() && stored.iter().any(|stored| stored.external_id == judgement.external_id);
        assert!(!taken, "an id would be stored twice: {judgement:?}");
        let id = TransactionId(i64::try_from(stored.len()).unwrap());
        stored.push(Stored {
            id: Some(id),
            content: row.content.clone(),
            external_id: judgement.external_id,
            is_entered: false,
        });
    }
    stored.len() - before
}

fn multiset(stored: &[Stored]) -> Vec<Content> {
    let mut contents: Vec<_> = stored.iter().map(|stored| stored.content.clone()).collect();
    contents.sort();
    contents
}

#[test]
fn equal_rows_of_one_file_all_survive() {
    let rows = vec![row("", content(6, -27604, "tit pag titulo")); 3];
    let mut stored = Vec::new();
    assert_eq!(import(&mut stored, &rows), 3);
    assert_eq!(import(&mut stored, &rows), 0);
}

#[test]
fn zero_and_blank_ids_are_no_ids() {
    let mut stored = Vec::new();
    let rows = [
        row("0", content(2, 6, "rem basica")),
        row("000", content(3, 6, "rem basica")),
        row(" ", content(3, 233, "cred juros")),
    ];
    assert_eq!(import(&mut stored, &rows), 3);
    assert!(stored.iter().all(|stored| stored.external_id.is_none()));
}

#[test]
fn a_new_text_under_a_known_id_is_the_same_row() {
    let mut stored = Vec::new();
    import(&mut stored, &[row("F1", content(5, -1000, "compra em processamento"))]);
    assert_eq!(import(&mut stored, &[row("F1", content(5, -1000, "padaria sao joao"))]), 0);
}

#[test]
fn instalments_under_one_id_are_rows_of_their_own() {
    let mut stored = Vec::new();
    assert_eq!(import(&mut stored, &[row("F1", content(5, -1000, "loja parcela 3/10"))]), 1);
    let next = [row("F1", content(5, -1000, "loja parcela 4/10"))];
    assert_eq!(import(&mut stored, &next), 1);
    assert_eq!(import(&mut stored, &next), 0);
    assert_eq!(stored[0].external_id.as_deref(), Some("F1"));
    assert_eq!(base_id(stored[1].external_id.as_deref().unwrap()), "F1");
}

#[test]
fn an_income_and_an_expense_under_one_id_are_two_rows() {
    let mut stored = Vec::new();
    import(&mut stored, &[row("F1", content(5, -1000, "compra"))]);
    assert_eq!(import(&mut stored, &[row("F1", content(5, 1000, "estorno"))]), 1);
}

#[test]
fn an_id_that_changed_with_the_export_is_found_by_content() {
    let mut stored = Vec::new();
    import(&mut stored, &[row("00032709", content(5, -1000, "tarifa"))]);
    assert_eq!(import(&mut stored, &[row("00030410", content(5, -1000, "tarifa"))]), 0);
}

#[test]
fn what_was_matched_by_id_is_not_matched_again_by_content() {
    let mut stored = Vec::new();
    import(&mut stored, &[row("A", content(5, -1000, "sem parar"))]);
    let rows = [row("B", content(5, -1000, "sem parar")), row("A", content(5, -1000, "sem parar"))];
    assert_eq!(import(&mut stored, &rows), 1, "A is stored, B is a second toll");
}

#[test]
fn a_pending_row_makes_a_duplicate_of_no_transaction() {
    let held =
        Stored { id: None, content: content(5, -1000, "mercado"), external_id: Some("A".into()), is_entered: false };
    let judgements = judge(&[row("A", content(5, -1000, "mercado"))], &[held]);
    assert!(judgements[0].duplicate);
    assert_eq!(judgements[0].duplicate_of, None);
}

#[test]
fn a_long_id_is_stored_within_its_limit_and_found_again() {
    let id = "x".repeat(400);
    let rows = [row(&id, content(5, -1000, "pix")), row(&format!("{id}y"), content(5, -1000, "pix"))];
    let mut stored = Vec::new();
    assert_eq!(import(&mut stored, &rows), 2);
    assert_eq!(import(&mut stored, &rows), 0);
    assert!(stored.iter().all(|stored| stored.external_id.as_ref().unwrap().len() <= EXTERNAL_ID_CHARS_MAX));
}

#[test]
fn the_nearest_transaction_of_another_text_is_hinted_at() {
    let stored = [(1, 1, "a"), (2, 4, "b"), (3, 6, "mercado"), (4, 9, "c")].map(|(id, day, text)| Stored {
        id: Some(TransactionId(id)),
        content: content(day, -1000, text),
        external_id: None,
        is_entered: false,
    });
    let hint = |day, text: &str| judge(&[row("", content(day, -1000, text))], &stored)[0].similar_to;
    assert_eq!(hint(5, "mercado"), Some(TransactionId(2)));
    assert_eq!(hint(12, "mercado"), Some(TransactionId(4)));
    assert_eq!(hint(13, "mercado"), None);
    let duplicate = &judge(&[row("", content(6, -1000, "mercado"))], &stored)[0];
    assert_eq!((duplicate.duplicate_of, duplicate.similar_to), (Some(TransactionId(3)), None));
}

/// Postings of a bank that gives each one an id, sometimes shared, sometimes none. The text for an id, date and amount does not
/// change between exports.
fn postings() -> impl Strategy<Value = Vec<Candidate>> {
    let posting = (
        1u8..6,
        prop_oneof![Just(-1000), Just(-250), Just(1000)],
        "[ab]( [12]/9)?",
        prop_oneof![Just(""), Just("0"), Just("F1"), Just("F2"), Just("F3")],
    );
    prop::collection::vec(posting.prop_map(|(day, cents, text, id)| row(id, content(day, cents, &text))), 0..14)
}

proptest! {
    #[test]
    fn importing_any_file_twice_adds_nothing(rows in postings(), again in any::<prop::sample::Index>()) {
        let mut stored = Vec::new();
        prop_assert_eq!(import(&mut stored, &rows), rows.len(), "equal rows of one file all survive");
        let mut rotated = rows.clone();
        if !rows.is_empty() {
            rotated.rotate_left(again.index(rows.len()));
        }
        prop_assert_eq!(import(&mut stored, &rotated), 0);
    }

    #[test]
    fn derived_ids_do_not_depend_on_the_order_of_rows(rows in postings()) {
        let ids = |rows: &[Candidate]| {
            let mut ids: Vec<_> = rows.iter().zip(judge(rows, &[])).map(|(row, judgement)| (row.content.clone(), judgement.external_id)).collect();
            ids.sort();
            ids
        };
        let reversed: Vec<_> = rows.iter().rev().cloned().collect();
        prop_assert_eq!(ids(&rows), ids(&reversed));
    }

    #[test]
    fn overlapping_files_end_in_one_multiset_in_any_order(rows in postings(), cut in 0usize..14, overlap in 0usize..6) {
        // Two exports of one account: days up to a cut, and days from a little before it.
        let mut rows = rows;
        rows.sort_by_key(|row| row.content.date);
        let last_day = u8::try_from(cut % 6).unwrap();
        let first_day = last_day.saturating_sub(u8::try_from(overlap).unwrap()) + 1;
        let one: Vec<_> = rows.iter().filter(|row| row.content.date.day() <= last_day).cloned().collect();
        let two: Vec<_> = rows.iter().filter(|row| row.content.date.day() >= first_day).cloned().collect();
        let run = |files: &[&[Candidate]]| {
            let mut stored = Vec::new();
            for file in files {
                import(&mut stored, file);
            }
            multiset(&stored)
        };
        let mut all: Vec<_> = rows.iter().map(|row| row.content.clone()).collect();
        all.sort();
        prop_assert_eq!(run(&[&one, &two]), all.clone());
        prop_assert_eq!(run(&[&two, &one]), all.clone());
        prop_assert_eq!(run(&[&one, &two, &one, &two]), all);
    }
}
