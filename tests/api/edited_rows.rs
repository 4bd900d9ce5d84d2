//! A row of a statement is recognised by the statement's own values, whatever was edited since.

use finance_domain::transactions::{NewTransaction, TransactionFilter};
use finance_domain::{Access, Money, Store};
use finance_tests::{Client, OfxRow, TestApp, id, ofx};
use serde_json::{Value, json};

const CSV: &[u8] =
    b"Data;Descri\xc3\xa7\xc3\xa3o;Valor\n31/01/2026;PADARIA PAO QUENTE 0034;-12,34\n02/02/2026;SALARIO;1500,00\n";

const OFX: [OfxRow<'_>; 2] =
    [("20260131", "-12.34", "A1", "PADARIA PAO QUENTE 0034"), ("20260202", "1500.00", "", "SALARIO")];

/// Imports a file, and checks the numbers of inserted and skipped rows. Returns the inserted transactions.
#[track_caller]
fn import(client: &Client, account_id: Option<i64>, file: &[u8], inserted: usize, skipped: usize) -> Vec<Value> {
    let answer = client.import(account_id, file).created();
    assert_eq!(
        (&answer["inserted"], answer["skipped"].as_array().unwrap().len()),
        (&json!(inserted), skipped),
        "{answer}"
    );
    answer["transactions"].as_array().unwrap().clone()
}

/// Changes fields of a transaction, like a client that sends back what it read. Returns what is stored then.
#[track_caller]
pub(crate) fn edit(client: &Client, transaction: &Value, changes: Value) -> Value {
    let mut body = transaction.clone();
    body.as_object_mut().unwrap().extend(changes.as_object().unwrap().clone());
    client.put(&format!("/api/transactions/{}", id(transaction)), body).ok()
}

/// The first row of an import whose description begins with `PADARIA`.
fn bakery(rows: &[Value]) -> &Value {
    rows.iter().find(|row| row["description"].as_str().unwrap().starts_with("PADARIA")).expect("a bakery")
}

#[test]
fn any_field_may_be_edited_and_the_file_adds_nothing() {
    let app = TestApp::start();
    for (format, file) in [("csv", CSV.to_vec()), ("ofx", ofx(&OFX))] {
        for (field, value) in [
            ("description", json!("Pão")),
            ("date", json!("2026-02-03")),
            ("date", json!("2025-11-30")),
            ("amount", json!("12.43")),
            ("type", json!("income")),
            ("category_id", Value::Null),
        ] {
            let client = app.user(&format!("{format} {field} {value}"));
            let account = client.open_account("Conta", "current");
            let rows = import(&client, Some(account), &file, 2, 0);
            for row in &rows {
                let edited = edit(&client, row, json!({ field: value }));
                assert_eq!(edited[field], value, "{format}");
            }
            import(&client, Some(account), &file, 0, 2);
            import(&client, None, &file, 0, 2);
        }
    }
}

#[test]
fn all_fields_at_once_and_again_and_the_file_adds_nothing() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let [account, other] = ["Conta", "Outra"].map(|name| ana.open_account(name, "current"));
    for file in [CSV.to_vec(), ofx(&OFX)] {
        let rows = import(&ana, Some(account), &file, 2, 0);
        for row in &rows {
            let first = json!({ "description": "Um", "date": "2026-03-01", "amount": "1.00", "type": "income", "account_id": other });
            let second = json!({ "description": "Dois", "date": "2026-03-02", "amount": "2.00", "type": "expense" });
            let edited = edit(&ana, &edit(&ana, row, first), second);
            assert_eq!(edited["statement_description"], row["description"], "the first text, not the last but one");
        }
        import(&ana, Some(account), &file, 0, 2);
        for row in &rows {
            ana.delete(&format!("/api/transactions/{}", id(row))).gone();
        }
        import(&ana, Some(account), &file, 2, 0);
        ana.delete("/api/transactions?month=2026-01").ok();
        ana.delete("/api/transactions?month=2026-02").ok();
    }
}

#[test]
fn the_statements_description_is_told_until_the_edit_is_taken_back() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let rows = import(&ana, None, CSV, 2, 0);
    let row = bakery(&rows);
    assert_eq!(row["statement_description"], Value::Null);
    let renamed = edit(&ana, row, json!({ "description": "Pão", "statement_description": "a client cannot set it" }));
    assert_eq!(renamed["statement_description"], "PADARIA PAO QUENTE 0034");
    assert_eq!(ana.get(&format!("/api/transactions/{}", id(row))).ok(), renamed);
    let dated = edit(&ana, &renamed, json!({ "date": "2026-02-01" }));
    assert_eq!(dated["statement_description"], "PADARIA PAO QUENTE 0034", "kept by an edit of something else");
    let back = edit(&ana, &dated, json!({ "description": "PADARIA PAO QUENTE 0034", "date": "2026-01-31" }));
    assert_eq!(&back, row);
    let kept = app.rows(
        "select * from transactions where num_nonnulls(statement_description, statement_description_normalized,
            statement_date, statement_amount, statement_kind, statement_account_id) > 0",
    );
    assert_eq!(kept, [Value::Null; 0]);
    import(&ana, None, CSV, 0, 2);
}

#[test]
fn of_equal_rows_one_may_be_renamed() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let coffee = ("20260110", "-5.00", "", "CAFE");
    let rows = import(&ana, None, &ofx(&[coffee; 2]), 2, 0);
    edit(&ana, &rows[0], json!({ "description": "Café com Bia" }));
    import(&ana, None, &ofx(&[coffee; 2]), 0, 2);
    import(&ana, None, &ofx(&[coffee; 3]), 1, 2);
    import(&ana, None, &ofx(&[coffee; 3]), 0, 3);
}

#[test]
fn what_a_row_was_renamed_to_is_no_statements_row() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let rows = import(&ana, None, &ofx(&[("20260110", "-5.00", "", "CAFE")]), 1, 0);
    edit(&ana, &rows[0], json!({ "description": "Padaria" }));
    import(&ana, None, &ofx(&[("20260110", "-5.00", "", "PADARIA")]), 1, 0);
}

#[test]
fn rows_moved_to_another_account_are_known_in_both() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let [wrong, right, third] = ["Errada", "Certa", "Terceira"].map(|name| ana.open_account(name, "current"));
    for file in [CSV.to_vec(), ofx(&OFX)] {
        let rows = import(&ana, Some(wrong), &file, 2, 0);
        for row in &rows {
            edit(&ana, row, json!({ "account_id": right }));
        }
        import(&ana, Some(wrong), &file, 0, 2);
        import(&ana, Some(right), &file, 0, 2);
        import(&ana, None, &file, 0, 2);
        for row in import(&ana, Some(third), &file, 2, 0).iter().chain(&rows) {
            ana.delete(&format!("/api/transactions/{}", id(row))).gone();
        }
        // The rows are imported without an account, and then moved to one.
        let rows = import(&ana, None, &file, 2, 0);
        for row in &rows {
            edit(&ana, row, json!({ "account_id": right }));
        }
        import(&ana, Some(right), &file, 0, 2);
        import(&ana, None, &file, 0, 2);
        for row in import(&ana, Some(third), &file, 2, 0).iter().chain(&rows) {
            ana.delete(&format!("/api/transactions/{}", id(row))).gone();
        }
        // The rows are imported into an account, and then have none. They are still rows of that account's statement, and
        // of no other account's.
        let rows = import(&ana, Some(wrong), &file, 2, 0);
        for row in &rows {
            edit(&ana, row, json!({ "account_id": null }));
        }
        import(&ana, Some(wrong), &file, 0, 2);
        for row in import(&ana, Some(third), &file, 2, 0).iter().chain(&rows) {
            ana.delete(&format!("/api/transactions/{}", id(row))).gone();
        }
    }
}

#[test]
fn the_account_of_a_statement_can_be_deleted_once_its_rows_are_elsewhere() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let [old, new, third] = ["Velha", "Nova", "Terceira"].map(|name| ana.open_account(name, "current"));
    for row in import(&ana, Some(old), &ofx(&OFX), 2, 0) {
        edit(&ana, &row, json!({ "account_id": new, "description": "Outro" }));
    }
    ana.delete(&format!("/api/accounts/{old}")).gone();
    import(&ana, Some(new), &ofx(&OFX), 0, 2);
    import(&ana, Some(third), &ofx(&OFX), 2, 0);
}

#[test]
fn an_id_that_moved_away_leaves_its_place_to_the_next_of_its_account() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let [one, other] = ["Uma", "Outra"].map(|name| ana.open_account(name, "current"));
    let third = [("20260106", "-49.90", "UUID-1", "LOJA Parcela 3/10")];
    let fourth = [("20260106", "-49.90", "UUID-1", "LOJA Parcela 4/10")];
    let rows = import(&ana, Some(one), &ofx(&third), 1, 0);
    edit(&ana, &rows[0], json!({ "account_id": other, "description": "Sofá" }));
    for account in [one, other] {
        import(&ana, Some(account), &ofx(&fourth), 1, 0);
        for file in [third, fourth] {
            import(&ana, Some(account), &ofx(&file), 0, 1);
        }
    }
}

#[test]
fn a_card_statement_is_known_by_its_purchase_dates_after_any_edit() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let card = ana.open_card("Cartão", 3, 10);
    let file = ofx(&[("20260215", "-49.90", "C1", "LIVRARIA"), ("20260220", "-5.00", "", "CAFE")]);
    let imported = ana.import_card(card, "2026-03-10", &file).created();
    for row in imported["transactions"].as_array().unwrap() {
        let changes = json!({ "description": "Outro", "amount": "7.00", "date": "2026-03-12" });
        let edited = edit(&ana, row, changes);
        assert_eq!((&edited["date"], &edited["original_date"]), (&json!("2026-03-12"), &row["original_date"]));
        assert_eq!(edited["statement_description"], row["description"]);
    }
    for payment_date in ["2026-03-10", "2026-03-12"] {
        assert_eq!(ana.import_card(card, payment_date, &file).created()["inserted"], 0);
    }
    // The same file as the statement of an account has the same rows.
    import(&ana, Some(card), &file, 0, 2);
}

#[test]
fn an_undone_import_can_be_done_again() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let rows = import(&ana, None, CSV, 2, 0);
    edit(&ana, bakery(&rows), json!({ "description": "Pão", "date": "2026-02-05" }));
    assert_eq!(ana.delete(&format!("/api/imports/{}", rows[0]["import_id"])).ok(), json!({ "deleted": 2 }));
    import(&ana, None, CSV, 2, 0);
}

#[test]
fn what_was_entered_by_hand_goes_by_what_it_says_now() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let body =
        json!({ "type": "expense", "date": "2026-01-31", "description": "Padaria Pão Quente 0034", "amount": "12.34" });
    let by_hand = ana.post("/api/transactions", body).created();
    let renamed = edit(&ana, &by_hand, json!({ "description": "Pão" }));
    assert_eq!(renamed["statement_description"], Value::Null);
    import(&ana, None, CSV, 2, 0);
}

#[test]
fn a_hint_goes_by_what_the_statement_said() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let rows = import(&ana, None, &ofx(&[("20260110", "-80.00", "", "REST ESQUINA")]), 1, 0);
    let similar = |date: &str, amount: &str| {
        ana.preview(&ofx(&[(date, amount, "", "RESTAURANTE DA ESQUINA")])).ok()["rows"][0]["similar_to"].clone()
    };
    edit(&ana, &rows[0], json!({ "description": "Restaurante da Esquina", "date": "2026-02-20", "amount": "90.00" }));
    assert_eq!(similar("20260111", "-80.00"), rows[0]["id"]);
    assert_eq!(similar("20260220", "-90.00"), Value::Null);
}

#[test]
fn a_category_is_suggested_by_what_the_statement_said() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let category = id(&ana.post("/api/categories", json!({ "name": "Pães" })).created());
    let rows = import(&ana, None, CSV, 2, 0);
    edit(&ana, bakery(&rows), json!({ "description": "Algo", "category_id": category }));
    let suggested =
        |memo: &str| ana.preview(&ofx(&[("20260301", "-9.00", "", memo)])).ok()["rows"][0]["category_id"].clone();
    assert_eq!(suggested("Padaria pao quente 0034"), category);
    assert_eq!(suggested("ALGO"), Value::Null, "no statement ever said so");
}

#[test]
fn a_search_finds_a_row_by_both_texts() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let rows = import(&ana, None, CSV, 2, 0);
    edit(&ana, bakery(&rows), json!({ "description": "Café da manhã" }));
    let found = |q: &str| ana.all(&format!("/api/transactions?q={q}")).len();
    assert_eq!([found("cafe"), found("padaria"), found("0034"), found("a"), found("mercado")], [1, 1, 1, 2, 0]);
    assert_eq!(found("%25"), 0, "no pattern");
}

#[test]
fn a_statement_that_was_held_is_known_after_its_rows_were_renamed() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let card = ana.open_card("Cartão", 3, 10);
    let file = ofx(&[("20260315", "-49.90", "", "LIVRARIA")]);
    let held = ana.import_card(card, "2026-04-10", &file).expect(202)["pending_bill"]["id"].clone();
    let confirmed = ana.post_nothing(&format!("/api/pending-bills/{held}/confirm")).created();
    edit(&ana, &confirmed["transactions"][0], json!({ "description": "Livro" }));
    assert_eq!(ana.import_card(card, "2026-04-10", &file).created()["inserted"], 0);
}

#[test]
fn many_edits_are_stored_by_one_statement_each_with_what_its_statement_said() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let account = ana.open_account("Conta", "current");
    import(&ana, Some(account), &ofx(&OFX), 2, 0);
    let by_hand = json!({ "type": "expense", "date": "2026-01-31", "description": "Feira", "amount": "12.34" });
    ana.post("/api/transactions", by_hand).created();
    let store: &dyn Store = app.store.as_ref();
    let (before, after) = store
        .run(&ana.caller(), Access::Write, |repo| {
            let before = repo.transaction_list(&TransactionFilter::default(), None, 10)?;
            let edits: Vec<_> = before
                .iter()
                .enumerate()
                .map(|(at, row)| {
                    let amount = Money::from_cents(100 + at as i128);
                    let date = row.date.next_day().unwrap();
                    let new = NewTransaction::new(row.kind, date, format!("Linha {at}"), amount);
                    row.edited(NewTransaction { account_id: row.account_id, ..new })
                })
                .collect();
            Ok((before, repo.transaction_update(&edits)?))
        })
        .unwrap();
    assert_eq!((before.len(), after.len()), (3, 3));
    for (at, (before, after)) in before.iter().zip(&after).enumerate() {
        assert_eq!((after.id, after.description.as_str()), (before.id, format!("Linha {at}").as_str()));
        let stated = before.import_id.map(|_| (before.description.as_str(), before.date, before.amount));
        let statement = &after.statement;
        assert_eq!(statement.description.as_deref(), stated.map(|(description, ..)| description));
        assert_eq!((statement.date, statement.amount), (stated.map(|read| read.1), stated.map(|read| read.2)));
        assert_eq!((statement.kind, statement.account_id), (None, None));
    }
    import(&ana, Some(account), &ofx(&OFX), 0, 2);
}
