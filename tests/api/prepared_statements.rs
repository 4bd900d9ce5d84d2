//! Which statements a connection of the service plans once, and which for each execution.

use finance_tests::TestApp;
use serde_json::json;

/// Notes at each change which statements the service's session has prepared. A session sees only its own.
fn note_prepared(app: &TestApp) {
    app.sql(
        "create table prepared (statement text);
        create function note_prepared() returns trigger language plpgsql security definer as $$ begin
            insert into prepared select statement from pg_prepared_statements;
            return null;
        end $$;
        create trigger note_prepared after insert on changes for each row execute function note_prepared()",
    );
}

fn was_prepared(app: &TestApp, part: &str) -> bool {
    !app.rows(&format!("select 1 from prepared where strpos(statement, '{part}') > 0 limit 1")).is_empty()
}

#[test]
fn a_statement_whose_rows_are_not_read_is_prepared() {
    let app = TestApp::start_alone();
    note_prepared(&app);
    let ana = app.user("ana");
    // Some statements run after the change is stored, so a later write on the same connection shows them.
    for name in ["Visa", "Master", "Elo"] {
        ana.create("/api/accounts", json!({ "name": name, "kind": "credit", "closing_day": 25, "due_day": 5 }));
    }
    for part in ["set opening_is_said = $3", "insert into credit_bills"] {
        assert!(was_prepared(&app, part), "{part}");
    }
}

#[test]
fn a_statement_about_many_rows_is_planned_for_each_execution() {
    const READ: &str = "select * from transactions where profile_id = $1 and id = any($2)";
    let app = TestApp::start_alone();
    note_prepared(&app);
    let ana = app.user("ana");
    let account_id = ana.create("/api/accounts", json!({ "name": "Conta", "kind": "current" }));
    let import_and_undo = |rows: usize| {
        let lines: String = (0..rows).map(|row| format!("01/03/2026,LOJA {row},-{row}.50\n")).collect();
        let imported = ana.import(Some(account_id), format!("data,lançamento,valor\n{lines}").as_bytes());
        let id = imported.header("Finance-Change").unwrap();
        ana.post_nothing(&format!("/api/changes/{id}/undo")).ok();
    };
    for _ in 0..2 {
        import_and_undo(100);
    }
    assert!(!was_prepared(&app, READ));
    for _ in 0..2 {
        import_and_undo(3);
    }
    assert!(was_prepared(&app, READ));
}
