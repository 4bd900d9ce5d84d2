//! Suggested categories: what each source knows, in which order the sources are asked, and how often they are right on real
//! bills.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use finance_tests::{Client, TestApp, corpus, id, ofx};
use serde_json::{Value, json};

/// The id of a category of the profile.
#[track_caller]
fn category(client: &Client, name: &str) -> i64 {
    let categories = client.get("/api/categories").ok();
    let found = categories.as_array().unwrap().iter().find(|category| category["name"] == name);
    id(found.unwrap_or_else(|| panic!("{name} is in {categories}")))
}

/// Enters a transaction by hand.
#[track_caller]
fn file(client: &Client, date: &str, description: &str, category_id: i64, kind: &str) -> i64 {
    let body = json!({ "type": kind, "date": date, "description": description, "amount": "10.00", "category_id": category_id });
    client.create("/api/transactions", body)
}

/// The suggestion for a row of a statement of an account.
#[track_caller]
fn suggestion(client: &Client, account_id: i64, amount: &str, description: &str) -> Value {
    let file = ofx(&[("20260310", amount, "", description)]);
    let row = client.preview_with(&file, &[("account_id", &account_id.to_string())]).ok()["rows"][0].clone();
    assert_eq!(row["category_id"], row["suggestion"]["category_id"], "{row}");
    row["suggestion"].clone()
}

fn by(category_id: i64, source: &str) -> Value {
    json!({ "category_id": category_id, "source": source, "rule_id": null })
}

#[test]
fn each_source_is_asked_in_its_order_and_told() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let account = ana.open_account("Conta", "current");
    let [food, pets, fun, fuel] = ["Mercado", "Saúde", "Lazer", "Transporte"].map(|name| category(&ana, name));
    file(&ana, "2026-01-01", "PAG*CASA VERDE 10", food, "expense");
    file(&ana, "2026-01-02", "Casa Verde Ltda", food, "expense");
    file(&ana, "2026-01-03", "CASA VERDE 12", pets, "expense");
    file(&ana, "2026-01-04", "Armazem Novo Bairro", fun, "expense");
    for (description, expected) in [
        // The last transaction with the same text decides, not the most frequent category.
        ("casa  verde 12", by(pets, "history")),
        ("Casa Verde 99", by(food, "payee")),
        ("Compra no debito - PAG*Casa Verde", by(food, "payee")),
        ("CASA VERDE SUL", by(food, "payee")),
        ("CASA VE", by(food, "payee")),
        ("Loja do Bairro", by(fun, "similar")),
        ("POSTO ALVORADA", by(fuel, "dictionary")),
        ("Fulano", Value::Null),
        ("Pix enviado", Value::Null),
    ] {
        assert_eq!(suggestion(&ana, account, "-5.00", description), expected, "{description}");
    }
    assert_eq!(suggestion(&ana, account, "5.00", "Casa Verde 12"), Value::Null, "an income learns from incomes");
    file(&ana, "2026-01-05", "CASA VERDE 12", fun, "income");
    assert_eq!(suggestion(&ana, account, "5.00", "Casa Verde 12"), by(fun, "history"));
    assert_eq!(suggestion(&ana, account, "5.00", "Casa Verde"), by(fun, "payee"));
    assert_eq!(suggestion(&ana, account, "-5.00", "Casa Verde 12"), by(pets, "history"));
}

#[test]
fn the_dictionary_is_used_only_while_the_profile_has_the_category() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let account = ana.open_account("Conta", "current");
    let fuel = category(&ana, "Transporte");
    assert_eq!(suggestion(&ana, account, "-5.00", "POSTO ALVORADA"), by(fuel, "dictionary"));
    ana.put(&format!("/api/categories/{fuel}"), json!({ "name": "Carro" })).ok();
    assert_eq!(suggestion(&ana, account, "-5.00", "POSTO ALVORADA"), Value::Null);
}

#[test]
fn an_instalment_has_the_category_of_the_earlier_one_of_its_plan() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let (card, bank) = (ana.open_card("Cartão", 25, 5), ana.open_account("Banco", "current"));
    let [fun, food] = ["Lazer", "Mercado"].map(|name| category(&ana, name));
    let bought = |date: &str, text: &str, amount: &str, category_id: i64| {
        let body = json!({ "type": "expense", "account_id": card, "date": date, "description": text, "amount": amount,
            "category_id": category_id });
        ana.create("/api/transactions", body);
    };
    bought("2026-01-05", "Loja - Parcela 1/3", "33.34", fun);
    bought("2026-01-06", "Loja - Parcela 1/3", "80.00", food);
    assert_eq!(suggestion(&ana, card, "-33.33", "LOJA 2/3"), by(fun, "installment"));
    assert_eq!(suggestion(&ana, card, "-80.00", "LOJA 2/3"), by(food, "installment"));
    assert_eq!(suggestion(&ana, card, "-33.33", "Loja - Parcela 1/3"), by(food, "history"));
    assert_eq!(suggestion(&ana, card, "-50.00", "LOJA 2/3"), Value::Null, "of another amount; and no name is left");
    assert_eq!(suggestion(&ana, bank, "-33.33", "LOJA 2/3"), Value::Null, "on no card");
}

#[test]
fn transfers_neither_learn_nor_are_suggested_for() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let card = ana.open_card("Cartão", 25, 5);
    let food = category(&ana, "Mercado");
    let made = ana.import(Some(card), &ofx(&[("20260301", "20.00", "", "Pagamento recebido")])).created();
    let payment = made["transactions"][0].clone();
    assert_eq!(payment["is_transfer"], true);
    let mut body = payment.clone();
    body["category_id"] = json!(food);
    ana.put(&format!("/api/transactions/{}", id(&payment)), body).ok();
    assert_eq!(suggestion(&ana, card, "30.00", "Pagamento recebido"), Value::Null, "nothing was learned");
    file(&ana, "2026-03-01", "Pagamento recebido", food, "income");
    assert_eq!(suggestion(&ana, card, "30.00", "Pagamento recebido"), Value::Null, "it is one");
    let account = ana.open_account("Conta", "current");
    assert_eq!(suggestion(&ana, account, "30.00", "Pagamento recebido"), by(food, "history"), "it is none here");
}

#[test]
fn what_was_renamed_is_known_by_the_text_of_its_statement() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let account = ana.open_account("Conta", "current");
    let food = category(&ana, "Mercado");
    let row = ana.import(Some(account), &ofx(&[("20260301", "-20.00", "", "XPTO BOA 0034")])).created();
    let mut body = row["transactions"][0].clone();
    body["description"] = json!("Feira");
    body["category_id"] = json!(food);
    let renamed = ana.put(&format!("/api/transactions/{}", id(&body)), body.clone()).ok();
    assert_eq!(renamed["statement_description"], "XPTO BOA 0034");
    assert_eq!(suggestion(&ana, account, "-5.00", "XPTO BOA 0034"), by(food, "history"));
    assert_eq!(suggestion(&ana, account, "-5.00", "XPTO BOA 0035"), by(food, "payee"));
    assert_eq!(suggestion(&ana, account, "-5.00", "Feira"), Value::Null);
    let found = ana.get("/api/transactions?q=xpto").ok();
    assert_eq!(found.as_array().unwrap().len(), 1, "a search finds the text of the statement");
}

#[test]
fn a_duplicate_has_no_suggestion_and_rows_without_an_account_have() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let food = category(&ana, "Mercado");
    file(&ana, "2026-03-10", "Feira livre", food, "expense");
    let known = ofx(&[("20260310", "-10.00", "", "FEIRA LIVRE"), ("20260310", "-11.00", "", "FEIRA LIVRE")]);
    let rows = ana.preview(&known).ok()["rows"].clone();
    assert_eq!(
        (&rows[0]["duplicate"], &rows[0]["suggestion"], &rows[0]["category_id"]),
        (&json!(true), &Value::Null, &Value::Null)
    );
    assert_eq!(rows[1]["suggestion"], by(food, "history"));
}

/// The categories of a bank, each with the standard category that means the same.
const STANDARD: [(&str, &str); 6] = [
    ("restaurante", "Restaurantes"),
    ("supermercado", "Mercado"),
    ("transporte", "Transporte"),
    ("saúde", "Saúde"),
    ("educação", "Educação"),
    ("lazer", "Lazer"),
];
/// The number of first bills that are only learned from and not scored.
const UNSCORED: usize = 6;

/// How often suggestions were right.
#[derive(Default)]
struct Score {
    rows: usize,
    /// By source: the number of right suggestions, and of all.
    by_source: BTreeMap<String, (usize, usize)>,
}

impl Score {
    fn count(&mut self, suggestion: &Value, label: i64) {
        self.rows += 1;
        if let Some(source) = suggestion["source"].as_str() {
            let (right, all) = self.by_source.entry(source.to_string()).or_default();
            *right += usize::from(suggestion["category_id"] == label);
            *all += 1;
        }
    }

    /// Accuracy and precision, in tenths of a percent.
    fn tenths(&self) -> (usize, usize) {
        let right: usize = self.by_source.values().map(|(right, _)| right).sum();
        let all: usize = self.by_source.values().map(|(_, all)| all).sum();
        (1_000 * right / self.rows.max(1), 1_000 * right / all.max(1))
    }

    fn print(&self, of: &Path) {
        let (accuracy, precision) = self.tenths();
        let percent = |tenths: usize| format!("{}.{} %", tenths / 10, tenths % 10);
        println!("suggestions on {}: {} rows", of.display(), self.rows);
        println!("  accuracy {}, precision {}", percent(accuracy), percent(precision));
        for (source, (right, all)) in &self.by_source {
            println!("  {source:<12} {right:>5} of {all:>5} right, {}", percent(1_000 * right / all));
        }
    }
}

/// The bills of a folder, in the order of their names: CSV files with the columns date, category, title and amount.
fn bills(folder: &Path) -> Vec<PathBuf> {
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut bills: Vec<PathBuf> = files.filter(|path| path.extension().is_some_and(|end| end == "csv")).collect();
    bills.sort_unstable();
    bills
}

/// Imports the bills one after another. The suggestions for a bill are learned from the bills before it, whose rows have
/// the bank's categories. Rows without a label and payments are not scored.
fn measured(ana: &Client, folder: &Path, unscored: usize) -> Score {
    let card = ana.open_card("Cartão", 17, 25);
    let mut labels: BTreeMap<String, i64> = BTreeMap::new();
    let mut score = Score::default();
    for (at, bill) in bills(folder).iter().enumerate() {
        let bytes = fs::read(bill).unwrap();
        let text = String::from_utf8(bytes.clone()).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        let mut preview = ana.preview_with(&bytes, &[("account_id", &card.to_string())]).ok();
        for row in preview["rows"].as_array_mut().unwrap() {
            let line = lines[row["line"].as_u64().unwrap() as usize - 1];
            let bank = line.split(',').nth(1).unwrap();
            if bank.is_empty() {
                row["category_id"] = Value::Null;
                continue;
            }
            let label = *labels.entry(bank.to_string()).or_insert_with(|| {
                match STANDARD.iter().find(|(known, _)| *known == bank) {
                    Some((_, standard)) => category(ana, standard),
                    None => ana.create("/api/categories", json!({ "name": format!("Banco: {bank}") })),
                }
            });
            if at >= unscored {
                assert_eq!(row["category_id"], row["suggestion"]["category_id"], "{row}");
                score.count(&row["suggestion"], label);
            }
            row["category_id"] = json!(label);
        }
        let body =
            json!({ "account_id": card, "file_name": "fatura", "format": preview["format"], "rows": preview["rows"] });
        ana.post("/api/import/confirm", body).created();
    }
    score
}

#[test]
fn on_real_bills_most_rows_are_suggested_and_few_are_wrong() {
    let app = TestApp::start();
    if let Some(folder) = std::env::var_os("FINANCE_TESTS_BILLS") {
        let folder = PathBuf::from(folder);
        measured(&app.user("bia"), &folder, bills(&folder).len() / 8).print(&folder);
    }
    let Some(corpus) = corpus() else { return };
    let score = measured(&app.user("ana"), &corpus.join("cards"), UNSCORED);
    score.print(Path::new("shared/corpus/cards"));
    let (accuracy, precision) = score.tenths();
    assert!(accuracy >= 760, "accuracy {accuracy} of 1000");
    assert!(precision >= 900, "precision {precision} of 1000");
}
