//! Names have no characters that are not seen, wherever one is given.

use finance_tests::{Client, PASSWORD, TestApp};
use serde_json::{Value, json};

/// One of each kind: control characters, marks of the writing direction, characters without width, a separator of lines.
const HIDDEN: [char; 12] = [
    '\u{1}', '\u{1b}', '\u{7f}', '\u{9b}', '\u{61c}', '\u{200b}', '\u{200d}', '\u{200f}', '\u{2028}', '\u{202e}',
    '\u{2066}', '\u{feff}',
];

fn with_tag(tag: &str) -> Value {
    json!({ "type": "expense", "date": "2026-03-10", "description": "Padaria", "amount": "5.00", "tags": [tag] })
}

/// A request with a name in each field that takes one, and the field.
fn requests(name: &str, invitation: &str) -> Vec<(&'static str, Value, &'static str)> {
    let condition = json!([{ "field": "description", "op": "contains", "value": "x" }]);
    let rule = |name: &str, actions: Value| json!({ "name": name, "conditions": condition, "actions": actions });
    vec![
        ("/api/categories", json!({ "name": name }), "name"),
        ("/api/accounts", json!({ "name": name, "kind": "current" }), "name"),
        ("/api/tokens", json!({ "name": name, "scopes": ["read"] }), "name"),
        ("/api/rules", rule(name, json!([{ "action": "skip" }])), "name"),
        ("/api/rules", rule("r", json!([{ "action": "add_tag", "tag": name }])), "actions[0].tag"),
        ("/api/transactions", with_tag(name), "tags[0]"),
        ("/api/auth/accept", json!({ "name": name, "password": PASSWORD, "invitation": invitation }), "name"),
    ]
}

#[track_caller]
fn refused_code(client: &Client, path: &str, body: Value, field: &str) -> String {
    let problem = client.post(path, body).invalid(&[field]);
    problem["errors"][0]["code"].as_str().unwrap().to_string()
}

#[test]
fn names_with_hidden_characters_are_refused_in_every_field_and_those_with_emoji_are_not() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let invitation = ana.post("/api/members/invitations", json!({ "role": "viewer" })).created()["invitation"].clone();
    let invitation = invitation.as_str().unwrap();
    for hidden in HIDDEN {
        let name = format!("Lu{hidden}z");
        for (path, body, field) in requests(&name, invitation) {
            // White space in a tag becomes a space.
            if field.contains("tag") && hidden.is_whitespace() {
                continue;
            }
            assert_eq!(refused_code(&ana, path, body, field), "hidden_character", "{path}: {hidden:?}");
        }
        let settings = json!({ "savings_goal_pct": 40, "own_names": [format!("Ana{hidden} Souza")] });
        ana.put("/api/settings", settings).invalid(&["own_names[0]"]);
    }
    for (path, body, _) in requests("Família 👨\u{200d}👩\u{200d}👧 ❤️", invitation) {
        ana.post(path, body).created();
    }
    // Descriptions are data of banks.
    let mut row = with_tag("x");
    row["description"] = json!("PIX \u{202e}x");
    ana.post("/api/transactions", row).created();
}

#[test]
fn a_name_of_an_earlier_version_keeps_working_and_is_restored_as_it_is() {
    let app = TestApp::start();
    // The name of the user, too, was accepted by an earlier version.
    let ana = app.user("a\u{202e}na");
    let login = json!({ "name": "A\u{202e}NA", "password": PASSWORD });
    app.anyone().post("/api/auth/login", login).ok();
    let account = ana.open_account("Banco", "current");
    for name in ["Pets", "Pe\u{200b}ts"] {
        let id = ana.create("/api/categories", json!({ "name": name.replace('\u{200b}', "x") }));
        app.sql(&format!("update categories set name = '{name}' where id = {id}"));
    }
    app.sql(&format!("update accounts set name = 'Ban\u{7}co' where id = {account}"));
    ana.post("/api/transactions", with_tag("viagem")).created();
    app.sql("update transactions set tags = array['via\u{2060}gem'] where tags is not null");
    // The next change of the row asks for a name without them.
    let odd = json!({ "name": "Ban\u{7}co", "kind": "current" });
    ana.put(&format!("/api/accounts/{account}"), odd).invalid(&["name"]);
    ana.put(&format!("/api/accounts/{account}"), json!({ "name": "Banco do Bairro", "kind": "current" })).ok();
    app.sql(&format!("update accounts set name = 'Ban\u{7}co' where id = {account}"));

    let document = ana.get("/api/export").ok();
    let bia = app.user("bia");
    bia.post("/api/restore", document).ok();
    let names = |client: &Client, path: &str, field: &str| -> Vec<Value> {
        client.get(path).ok().as_array().unwrap().iter().map(|row| row[field].clone()).collect()
    };
    for (path, field) in [("/api/categories", "name"), ("/api/accounts", "name"), ("/api/transactions", "tags")] {
        assert_eq!(names(&bia, path, field), names(&ana, path, field), "{path}");
    }
    let restored = json!(names(&bia, "/api/categories", "name")).to_string()
        + &json!(names(&bia, "/api/accounts", "name")).to_string();
    assert!(restored.contains("Pe\u{200b}ts") && restored.contains("Ban\\u0007co"), "{restored}");
    assert_eq!(names(&bia, "/api/transactions", "tags"), [json!(["via\u{2060}gem"])]);
}
