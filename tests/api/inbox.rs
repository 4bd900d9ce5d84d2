//! `/api/inbox`: files that wait to be imported.

use std::thread;

use finance_domain::credentials::Role;
use finance_tests::{Client, Form, Reply, TestApp, ofx};
use serde_json::{Value, json};
use time::Duration;
use time::macros::date;

use crate::household::id;
use crate::needs::token;

const TODAY: time::Date = date!(2026 - 03 - 10);
const MIB: usize = 1024 * 1024;

fn start() -> (TestApp, Client) {
    let app = TestApp::start();
    app.clock.set_today(TODAY);
    let ana = app.user("ana");
    (app, ana)
}

fn send(client: &Client, name: &str, bytes: &[u8]) -> Reply {
    client.post_form("/api/inbox", Form::new().file(name, bytes))
}

fn kept(client: &Client, name: &str, bytes: &[u8]) -> i64 {
    id(&send(client, name, bytes).created()["id"])
}

fn get(client: &Client, item: i64) -> Value {
    client.get(&format!("/api/inbox/{item}")).ok()
}

fn state(client: &Client, item: i64) -> Value {
    get(client, item)["state"].clone()
}

fn put(client: &Client, item: i64, state: &str) -> Reply {
    client.put(&format!("/api/inbox/{item}"), json!({ "state": state }))
}

/// An OFX file of about that size.
fn large(name: &str, size: usize) -> Vec<u8> {
    let mut bytes = ofx(&[("20260305", "-5.00", name, name)]);
    bytes.resize(size, b'\n');
    bytes
}

/// Previews an item's bytes and confirms all rows.
fn import(client: &Client, item: i64, more: Value) -> Reply {
    let bytes = client.get(&format!("/api/inbox/{item}/file")).bytes;
    let preview = client.preview(&bytes).ok();
    let mut body = json!({ "inbox_id": item, "format": preview["format"], "rows": preview["rows"],
        "statements": preview["statements"] });
    for (field, value) in more.as_object().unwrap() {
        body[field] = value.clone();
    }
    client.post("/api/import/confirm", body)
}

#[test]
fn a_file_is_kept_as_it_came_and_the_same_bytes_are_the_same_item() {
    let (_app, ana) = start();
    let bytes = ofx(&[("20260305", "-5.00", "A1", "Padaria")]);
    let answer = send(&ana, "C:\\Users\\ana\\extrato março.ofx", &bytes);
    let location = answer.header("Location").map(str::to_string);
    let item = answer.created();
    let number = id(&item["id"]);
    assert_eq!(location, Some(format!("/api/inbox/{number}")));
    assert_eq!(item["file_name"], "extrato março.ofx");
    assert_eq!(item["size"], json!(bytes.len()));
    assert_eq!(item["sha256"].as_str().unwrap().len(), 64);
    assert_eq!(item["expires_on"], "2026-04-09");
    assert_eq!((&item["state"], &item["account_id"]), (&json!("new"), &Value::Null));
    assert_eq!(item.as_object().unwrap().len(), 8, "{item}");
    assert_eq!(send(&ana, "outro.ofx", &bytes).ok(), item, "the same bytes under another name");
    assert_eq!(ana.get("/api/inbox").ok(), json!([item]));
    let file = ana.get(&format!("/api/inbox/{number}/file"));
    assert_eq!((file.status, &file.bytes), (200, &bytes));
    assert_eq!(file.header("Content-Type"), Some("application/octet-stream"));
    let disposition = file.header("Content-Disposition").unwrap();
    assert!(disposition.starts_with("attachment; filename*=UTF-8''extrato%20mar%C3%A7o.ofx"), "{disposition}");
    assert_eq!(put(&ana, number, "dismissed").ok()["state"], "dismissed");
    assert_eq!(send(&ana, "outro.ofx", &bytes).ok()["state"], "new", "it comes back");
    put(&ana, number, "dismissed").ok();
    assert_eq!(put(&ana, number, "new").ok()["state"], "new");
    for body in [json!({}), json!({ "state": "imported" }), json!({ "state": "gone" }), json!({ "state": 1 })] {
        ana.put(&format!("/api/inbox/{number}"), body).invalid(&["state"]);
    }
    let later = kept(&ana, "b.ofx", &ofx(&[("20260306", "-6.00", "A2", "Café")]));
    let listed = ana.get("/api/inbox").ok();
    assert_eq!((&listed[0]["id"], &listed[1]["id"]), (&json!(later), &json!(number)), "the newest first");
    ana.delete(&format!("/api/inbox/{number}")).gone();
    for path in ["", "/file"] {
        ana.get(&format!("/api/inbox/{number}{path}")).problem(404, "ErrNotFound");
    }
    ana.delete(&format!("/api/inbox/{number}")).problem(404, "ErrNotFound");
    put(&ana, number, "new").problem(404, "ErrNotFound");
}

#[test]
fn one_file_by_three_roads_is_one_item() {
    let (app, ana) = start();
    let bytes = ofx(&[("20260305", "-5.00", "A1", "Padaria")]);
    // The page, with what another app has shared; a shortcut of a phone; and somebody else of the household.
    let shared = send(&ana, "extrato.ofx", &bytes).created();
    let shortcut = token(&ana, &["import"]);
    assert_eq!(send(&shortcut, "/sdcard/Download/extrato (1).ofx", &bytes).ok(), shared);
    let bia = app.member(&ana, "bia", Role::Editor);
    assert_eq!(send(&bia, "de novo.ofx", &bytes).ok(), shared);
    assert_eq!(shortcut.get("/api/inbox").ok(), json!([shared]));
    // What was imported stays imported, however it comes again.
    let item = id(&shared["id"]);
    import(&shortcut, item, json!({ "account_id": ana.open_account("Banco", "current") })).created();
    assert_eq!(send(&bia, "extrato.ofx", &bytes).ok()["state"], "imported");
    assert_eq!(ana.all("/api/transactions").iter().filter(|row| row["source"] == "ofx").count(), 1);
}

#[test]
fn what_no_preview_takes_is_refused_and_a_csv_that_needs_options_is_kept() {
    let (_app, ana) = start();
    let pdf = send(&ana, "fatura.pdf", b"%PDF-1.7\n").problem(415, "ErrUnsupportedMedia");
    assert!(pdf["banks"].is_array(), "{pdf}");
    send(&ana, "foto.png", b"\x89PNG\r\n\x1a\n").problem(415, "ErrUnsupportedMedia");
    let empty = send(&ana, "a.ofx", b"");
    assert_eq!(empty.status, ana.preview(b"").status);
    empty.problem(422, "ErrStatementUnreadable");
    send(&ana, "a.ofx", b"\0\0\0\0").problem(422, "ErrStatementUnreadable");
    send(&ana, "a.ofx", &large("L", 10 * MIB + 1)).problem(413, "ErrTooLarge");
    ana.post_form("/api/inbox", Form::new().text("other", "x")).invalid(&["file"]);
    ana.post("/api/inbox", json!({})).problem(415, "ErrUnsupportedMedia");
    assert_eq!(ana.get("/api/inbox").ok(), json!([]));
    let odd = b"a;b;c\nx;y;z\n";
    assert_eq!(ana.preview(odd).status, 422);
    assert_eq!(send(&ana, "odd.csv", odd).created()["account_id"], Value::Null);
}

#[test]
fn twelve_uploads_of_one_file_at_once_make_one_item() {
    let (_app, ana) = start();
    let bytes = ofx(&[("20260305", "-5.00", "A1", "Padaria")]);
    let uploads: Vec<_> = (0..12)
        .map(|_| {
            let (client, bytes) = (ana.clone(), bytes.clone());
            thread::spawn(move || {
                let reply = send(&client, "a.ofx", &bytes);
                (reply.status, reply.json())
            })
        })
        .collect();
    let answers: Vec<_> = uploads.into_iter().map(|upload| upload.join().unwrap()).collect();
    assert_eq!(answers.iter().filter(|(status, _)| *status == 201).count(), 1, "{answers:?}");
    assert_eq!(answers.iter().filter(|(status, _)| *status == 200).count(), 11, "{answers:?}");
    assert!(answers.iter().all(|(_, item)| *item == answers[0].1), "{answers:?}");
    assert_eq!(ana.get("/api/inbox").ok().as_array().unwrap().len(), 1);
}

#[test]
fn the_oldest_that_is_not_new_makes_room() {
    let (_app, ana) = start();
    let file = |at: usize| ofx(&[("20260305", "-5.00", format!("A{at}").as_str(), "Padaria")]);
    let items: Vec<i64> = (0..20).map(|at| kept(&ana, "a.ofx", &file(at))).collect();
    send(&ana, "a.ofx", &file(20)).problem(409, "ErrLimitReached");
    send(&ana, "a.ofx", &file(3)).ok();
    put(&ana, items[7], "dismissed").ok();
    put(&ana, items[4], "dismissed").ok();
    kept(&ana, "a.ofx", &file(20));
    ana.get(&format!("/api/inbox/{}", items[4])).problem(404, "ErrNotFound");
    assert_eq!(state(&ana, items[7]), "dismissed");
    assert_eq!(ana.get("/api/inbox").ok().as_array().unwrap().len(), 20);
}

#[test]
fn all_files_have_twenty_mebibytes() {
    let (_app, ana) = start();
    let first = kept(&ana, "a.ofx", &large("A", 10 * MIB));
    kept(&ana, "b.ofx", &large("B", 9 * MIB));
    send(&ana, "c.ofx", &large("C", MIB + 1)).problem(409, "ErrLimitReached");
    kept(&ana, "d.ofx", &large("D", MIB));
    put(&ana, first, "dismissed").ok();
    kept(&ana, "c.ofx", &large("C", MIB + 1));
    ana.get(&format!("/api/inbox/{first}")).problem(404, "ErrNotFound");
}

#[test]
fn a_file_is_gone_after_thirty_days() {
    let (app, ana) = start();
    let bytes = ofx(&[("20260305", "-5.00", "A1", "Padaria")]);
    let item = kept(&ana, "a.ofx", &bytes);
    app.clock.set_today(TODAY + Duration::days(30));
    let ana = app.user("ana");
    assert_eq!(state(&ana, item), "new");
    app.clock.set_today(TODAY + Duration::days(31));
    let ana = app.user("ana");
    assert_eq!(ana.get("/api/inbox").ok(), json!([]));
    for path in ["", "/file"] {
        ana.get(&format!("/api/inbox/{item}{path}")).problem(404, "ErrNotFound");
    }
    ana.post("/api/import/confirm", json!({ "inbox_id": item, "rows": [] })).invalid(&["inbox_id"]);
    assert_ne!(kept(&ana, "a.ofx", &bytes), item);
    assert_eq!(app.rows("select id from inbox").len(), 1);
}

#[test]
fn the_state_follows_the_import_through_undo_and_redo() {
    let (_app, ana) = start();
    let account = ana.open_account("Banco", "current");
    let item = kept(&ana, "a.ofx", &ofx(&[("20260305", "-5.00", "A1", "Padaria")]));
    ana.post("/api/import/confirm", json!({ "inbox_id": 9_000_000_000_i64, "rows": [] })).invalid(&["inbox_id"]);
    ana.post("/api/import/confirm", json!({ "inbox_id": "x", "rows": [] })).invalid(&["inbox_id"]);
    put(&ana, item, "dismissed").ok();
    let imported = import(&ana, item, json!({ "account_id": account }));
    let change = id(&json!(imported.header("Finance-Change").unwrap().parse::<i64>().unwrap()));
    let import_id = id(&imported.created()["import_id"]);
    assert_eq!(state(&ana, item), "imported");
    assert_eq!(put(&ana, item, "dismissed").ok()["state"], "imported", "what was imported stays imported");
    let undone = ana.post_nothing(&format!("/api/changes/{change}/undo"));
    let undo = undone.header("Finance-Change").unwrap().to_string();
    assert_eq!(undone.status, 200, "{undone:?}");
    assert_eq!(state(&ana, item), "new");
    assert_eq!(ana.post_nothing(&format!("/api/changes/{undo}/undo")).status, 200);
    assert_eq!(state(&ana, item), "imported");
    ana.delete(&format!("/api/imports/{import_id}")).ok();
    assert_eq!(state(&ana, item), "new");
    let again = id(&import(&ana, item, json!({ "account_id": account })).created()["import_id"]);
    assert_ne!(again, import_id);
    assert_eq!(state(&ana, item), "imported");
    // Another file with the same row has nothing left to insert.
    let twin = kept(&ana, "b.ofx", &ofx(&[("20260305", "-5.00", "A1", "Padaria da rua")]));
    let nothing = import(&ana, twin, json!({ "account_id": account, "rows": [] })).created();
    assert_eq!(nothing["import_id"], Value::Null);
    assert_eq!(state(&ana, twin), "imported");
}

#[test]
fn a_confirm_that_inserts_nothing_leaves_the_import_of_its_file() {
    let (_app, ana) = start();
    let account = ana.open_account("Banco", "current");
    let item = kept(&ana, "a.ofx", &ofx(&[("20260305", "-5.00", "A1", "Padaria")]));
    let import_id = id(&import(&ana, item, json!({ "account_id": account })).created()["import_id"]);
    assert_eq!(import(&ana, item, json!({ "account_id": account })).created()["inserted"], 0);
    assert_eq!(state(&ana, item), "imported");
    ana.delete(&format!("/api/imports/{import_id}")).ok();
    assert_eq!(state(&ana, item), "new", "its rows are gone");
    // Rows that came another way leave nothing to insert either.
    ana.import(Some(account), &ofx(&[("20260305", "-5.00", "A1", "Padaria")])).created();
    assert_eq!(import(&ana, item, json!({ "account_id": account })).created()["inserted"], 0);
    assert_eq!(state(&ana, item), "imported");
}

#[test]
fn the_state_follows_a_held_statement() {
    let (_app, ana) = start();
    let card = ana.open_card("Cartão", 20, 27);
    let item = kept(&ana, "a.ofx", &ofx(&[("20260305", "-5.00", "A1", "Padaria")]));
    let held = || {
        let more = json!({ "account_id": card, "is_credit_card": true, "payment_date": "2026-03-27" });
        id(&import(&ana, item, more).expect(202)["pending_bill"]["id"])
    };
    let first = held();
    assert_eq!(state(&ana, item), "imported");
    // The same again, of which nothing is left to insert, changes nothing about that.
    let again = json!({ "account_id": card, "is_credit_card": true, "payment_date": "2026-03-27" });
    assert_eq!(import(&ana, item, again).created()["inserted"], 0);
    assert_eq!(state(&ana, item), "imported");
    assert_eq!(ana.delete(&format!("/api/pending-bills/{first}")).status, 204);
    assert_eq!(state(&ana, item), "new");
    let second = held();
    let confirmed = ana.post_nothing(&format!("/api/pending-bills/{second}/confirm"));
    let import_id = id(&confirmed.json()["import_id"]);
    assert_eq!(state(&ana, item), "imported");
    ana.delete(&format!("/api/imports/{import_id}")).ok();
    assert_eq!(state(&ana, item), "new");
}

#[test]
fn a_files_account_is_the_one_that_learned_its_number() {
    let (_app, ana) = start();
    let account = ana.open_account("Banco", "current");
    let of = |id: &str| ofx(&[("20260305", "-5.00", id, "Padaria")]);
    let item = kept(&ana, "a.ofx", &of("A1"));
    assert_eq!(get(&ana, item)["account_id"], Value::Null);
    let preview = ana.preview(&of("A1")).ok();
    import(&ana, item, json!({ "account_id": account })).created();
    let learned = if preview["statements"][0]["ref"].is_null() { Value::Null } else { json!(account) };
    assert_eq!(get(&ana, item)["account_id"], learned);
    assert_eq!(send(&ana, "b.ofx", &of("A2")).created()["account_id"], learned);
    // A CSV file is known by its layout and the last digits of the number above its header.
    let csv = |number: &str, day: &str| {
        format!("Conta: {number}\nData;Histórico;Valor\n{day}/03/2026;Mercado;-10,00\n").into_bytes()
    };
    let first = kept(&ana, "c.csv", &csv("0012345", "02"));
    import(&ana, first, json!({ "account_id": account })).created();
    assert_eq!(get(&ana, first)["account_id"], json!(account));
    assert_eq!(send(&ana, "d.csv", &csv("0012345", "03")).created()["account_id"], json!(account));
    assert_eq!(send(&ana, "e.csv", &csv("0012399", "04")).created()["account_id"], Value::Null);
    ana.delete(&format!("/api/accounts/{account}/keys")).gone();
    assert_eq!(get(&ana, first)["account_id"], Value::Null);
}

#[test]
fn the_inbox_is_exported_and_restored_with_its_bytes() {
    let (app, ana) = start();
    let account = ana.open_account("Banco", "current");
    let waiting = ofx(&[("20260305", "-5.00", "A1", "Padaria")]);
    let files =
        [waiting.clone(), ofx(&[("20260306", "-6.00", "A2", "Café")]), ofx(&[("20260307", "-7.00", "A3", "Pão")])];
    let [first, second, third] = [0, 1, 2].map(|at| kept(&ana, "a.ofx", &files[at]));
    import(&ana, second, json!({ "account_id": account })).created();
    let undone = id(&import(&ana, third, json!({ "account_id": account })).created()["import_id"]);
    ana.delete(&format!("/api/imports/{undone}")).ok();
    put(&ana, first, "dismissed").ok();
    let document = ana.get("/api/export").ok();
    let bia = app.user("bia");
    bia.post("/api/restore", document.clone()).ok();
    let restored = bia.get("/api/inbox").ok();
    let without = |items: &Value| -> Vec<Value> {
        let all = items.as_array().unwrap().iter().cloned();
        all.map(|mut item| {
            let item = item.as_object_mut().unwrap();
            item.remove("id");
            item.remove("account_id");
            json!(item)
        })
        .collect()
    };
    assert_eq!(without(&restored), without(&ana.get("/api/inbox").ok()));
    assert_eq!(
        restored.as_array().unwrap().iter().map(|item| item["state"].as_str().unwrap()).collect::<Vec<_>>(),
        ["new", "imported", "dismissed"]
    );
    for (item, bytes) in restored.as_array().unwrap().iter().rev().zip(&files) {
        assert_eq!(&bia.get(&format!("/api/inbox/{}/file", item["id"])).bytes, bytes);
    }
    let refused = |change: &dyn Fn(&mut Value)| {
        let mut wrong = document.clone();
        change(&mut wrong["inbox"]);
        let caio = app.user("caio");
        caio.post("/api/restore", wrong).problem(422, "ErrValidation")
    };
    for change in [
        (|rows: &mut Value| rows[0]["bytes"] = json!("no base64!")) as fn(&mut Value),
        |rows| rows[0]["bytes"] = json!(""),
        |rows| rows[0]["bytes"] = rows[1]["bytes"].clone(),
        |rows| rows[0]["import_id"] = json!(9_000_000_000_i64),
    ] {
        refused(&change);
    }
    let mut older = document.clone();
    older.as_object_mut().unwrap().remove("inbox");
    let dora = app.user("dora");
    dora.post("/api/restore", older).ok();
    assert_eq!(dora.get("/api/inbox").ok(), json!([]));
}

#[test]
fn a_held_file_whose_import_was_undone_is_new_after_a_restore_too() {
    let (app, ana) = start();
    let card = ana.open_card("Cartão", 25, 5);
    let item = kept(&ana, "fatura.ofx", &ofx(&[("20260302", "-10.00", "C1", "Padaria")]));
    let of_card = json!({ "account_id": card, "is_credit_card": true, "payment_date": "2026-04-05" });
    let held = import(&ana, item, of_card).expect(202)["pending_bill"]["id"].clone();
    let confirmed = ana.post_nothing(&format!("/api/pending-bills/{held}/confirm")).created();
    ana.delete(&format!("/api/imports/{}", confirmed["import_id"])).ok();
    assert_eq!(state(&ana, item), "new");
    let bia = app.user("bia");
    bia.post("/api/restore", ana.get("/api/export").ok()).ok();
    assert_eq!(bia.get("/api/inbox").ok()[0]["state"], "new");
}
