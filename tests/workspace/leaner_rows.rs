//! The tables that migrations 0049 to 0051 wrote anew: every row is kept in both directions, and invalid rows are still refused.

use diesel::Connection;
use diesel::connection::SimpleConnection;
use diesel_migrations::{FileBasedMigrations, MigrationHarness};
use finance_tests::{Client, TestApp, ofx, rows, wrong_sums};
use serde_json::{Value, json};

/// Creates transactions of many kinds: imported (one with an id that occurs twice in its file), edited, both sides of a transfer,
/// with a note and tags, and by instalments.
fn fill(ana: &Client) {
    let bank = ana.open_account("Banco", "current");
    let card = ana.open_card("Cartão", 20, 27);
    let file = ofx(&[
        ("20260301", "-10.00", "A1", "Padaria"),
        ("20260302", "-25.00", "A1", "Mercado"),
        ("20260303", "-30.00", "A2", "Loja - Parcela 1/3"),
    ]);
    ana.import(Some(bank), &file).created();
    let on_card = ana.import(Some(card), &ofx(&[("20260305", "-30.00", "C1", "Loja - Parcela 1/3")])).created();
    let id = &on_card["transactions"][0]["id"];
    let edited = json!({ "type": "expense", "date": "2026-03-05", "description": "Geladeira", "amount": "30.00",
        "account_id": card });
    ana.put(&format!("/api/transactions/{id}"), edited).ok();
    let moved = json!({ "from_account_id": bank, "to_account_id": card, "date": "2026-03-06", "amount": "12.00" });
    ana.create("/api/transfers", moved);
    let noted = json!({ "type": "expense", "date": "2026-03-07", "description": "Feira", "amount": "9.00",
        "account_id": bank, "note": "com a Bia", "tags": ["casa", "Comida"] });
    ana.create("/api/transactions", noted);
}

#[test]
fn an_upgrade_keeps_every_row_and_so_does_the_way_back() {
    let app = TestApp::start();
    let (ana, bia) = (app.user("ana"), app.user("bia"));
    fill(&ana);
    fill(&bia);
    let connection = &mut app.connection();
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../migrations");
    let migrations = FileBasedMigrations::from_path(folder).expect("the migrations");
    let present = [
        "select to_jsonb(t) - 'description_key' - 'purchase_month' - 'amount_cents' - 'external_id_base' as row,
            coalesce(external_id_base, external_id) as base from transactions t order by profile_id, id",
        "select to_jsonb(m) as row from month_totals m order by profile_id, month, category_id",
        "select to_jsonb(n) as row from net_worth_months n order by profile_id, month, kind",
        "select to_jsonb(e) as row from xp_events e order by profile_id, id",
    ];
    let balances =
        "select profile_id, account_id as id, balance from account_balances where balance <> 0 order by 1, 2";
    let before = present.map(|query| rows(connection, query));
    let balances_before = rows(connection, balances);
    assert!(before.iter().all(|rows| rows.len() >= 2) && balances_before.len() == 4, "{before:?}");
    assert!(before[0].iter().any(|row| row["base"] != row["row"]["external_id"]), "an id with a suffix");

    loop {
        let version = connection.revert_last_migration(migrations.clone()).expect("its down.sql works").to_string();
        if version == "0049" {
            break;
        }
    }
    assert_eq!(present.map(|query| rows(connection, query)), before);
    let in_accounts = "select profile_id, id, balance from accounts where balance <> 0 order by 1, 2";
    assert_eq!(rows(connection, in_accounts), balances_before);
    let without = "select id from transactions where (external_id_base is null) <> (external_id is null)";
    assert_eq!(rows(connection, without), Vec::<Value>::new(), "each external id has its base");

    connection.run_pending_migrations(migrations).expect("every up.sql works");
    assert_eq!(present.map(|query| rows(connection, query)), before);
    assert_eq!(rows(connection, balances), balances_before);
    assert_eq!(wrong_sums(connection), Vec::<String>::new());
    let repeated = rows(connection, "select id from transactions where external_id_base = external_id");
    assert_eq!(repeated, Vec::<Value>::new());
    // New ids continue after the existing ones.
    let next = "select nextval(pg_get_serial_sequence('transactions', 'id')) > max(id) as is_later from transactions";
    assert_eq!(rows(connection, next), [json!({ "is_later": true })]);
}

#[test]
fn a_row_that_breaks_a_rule_of_its_table_or_of_a_type_is_refused() {
    let app = TestApp::start();
    let ana = app.user("ana");
    fill(&ana);
    let manual = "description = 'Feira'";
    let plain = "description = 'Padaria'";
    for (row, change, rule) in [
        (manual, "amount = 0", "transaction_amount_positive"),
        (manual, "amount = -1", "transaction_amount_positive"),
        (manual, "kind = 'gift'", "transaction_kind_known"),
        (manual, "source = 'fax'", "transaction_source_known"),
        (manual, "description = ''", "transaction_text_length"),
        (manual, "description = repeat('x', 256)", "transaction_text_length"),
        (plain, "external_id = ''", "transaction_text_length"),
        (plain, "external_id = repeat('x', 256)", "transaction_text_length"),
        (plain, "statement_amount = 0", "transaction_amount_positive"),
        (plain, "statement_kind = 'gift'", "transaction_kind_known"),
        (plain, "statement_description = '', statement_description_normalized = ''", "transaction_text_length"),
        (plain, "statement_description = 'x'", "transactions_statement_descriptions_normalized"),
        (plain, "statement_description_normalized = 'x'", "transactions_statement_descriptions_normalized"),
        (manual, "note = ''", "transaction_note_length"),
        (manual, "note = repeat('x', 1001)", "transaction_note_length"),
        (manual, "tags = '{}', tag_keys = '{}'", "transaction_tags_count"),
        (manual, "tags = array[null], tag_keys = array[null]", "transaction_tags_count"),
        (
            manual,
            "tags = array_fill('a'::text, '{11}'), tag_keys = array_fill('a'::text, '{11}')",
            "transaction_tags_count",
        ),
        (manual, "tags = array[repeat('x', 301)], tag_keys = array['x']", "transaction_tags_length"),
        (manual, "tags = '{a}'", "transactions_tags_compared"),
        (manual, "tags = null", "transactions_tags_compared"),
        (manual, "is_split = true, category_id = (select min(id) from categories)", "transactions_split_plain"),
        (manual, "is_split = true, is_transfer = true", "transactions_split_plain"),
        (manual, "is_transfer = true, account_id = null", "transactions_transfer_sides"),
        (manual, "transfer_id = (select min(id) from transfers)", "transactions_transfer_sides"),
        (manual, "source = 'yield'", "transactions_source_fits"),
        (manual, "yield_from = '2026-03-01'", "transactions_source_fits"),
        (manual, "source = 'yield', yield_from = '2026-03-01', account_id = null", "transactions_source_fits"),
        (manual, "source = 'yield', yield_from = '2026-03-01', is_transfer = true", "transactions_source_fits"),
        (manual, "source = 'opening_balance', account_id = null", "transactions_source_fits"),
        (manual, "source = 'opening_balance', is_transfer = true", "transactions_source_fits"),
        (manual, "source = 'transfer'", "transactions_source_fits"),
        (manual, "installment_number = 1", "transactions_installment_whole"),
        (manual, "installment_shop = 'x'", "transactions_installment_whole"),
        (
            manual,
            "installment_number = 4, installment_count = 3, installment_shop = 'x'",
            "transactions_installment_range",
        ),
        (manual, "installment_number = 0, installment_count = 3, installment_shop = 'x'", "installment_number_range"),
        (manual, "installment_number = 1, installment_count = 1, installment_shop = 'x'", "installment_count_range"),
        (manual, "installment_number = 1, installment_count = 100, installment_shop = 'x'", "installment_count_range"),
        (manual, "account_id = 4711", "transactions_account_fkey"),
        (manual, "category_id = 4711", "transactions_category_fkey"),
        (manual, "import_id = 4711", "transactions_import_fkey"),
        (manual, "statement_account_id = 4711", "transactions_statement_account_fkey"),
        (manual, "transfer_id = 4711, is_transfer = true", "transactions_transfer_fkey"),
        (
            manual,
            "external_id = 'C1', account_id = (select min(account_id) from transactions where external_id = 'C1')",
            "transactions_external_id_key",
        ),
    ] {
        let error = tried(&app, &format!("update transactions set {change} where {row}"));
        assert!(error.contains(rule), "{change}: {error}");
    }
    for (change, rule) in [
        ("update month_totals set month = '2026-03-02'", "month_start_first"),
        ("update net_worth_months set month = '2026-03-02'", "month_start_first"),
        ("update net_worth_months set kind = 'gift'", "kind_of_account_known"),
        ("update xp_events set subject = ''", "xp_subject_length"),
        ("update xp_events set subject = repeat('x', 201)", "xp_subject_length"),
        ("update xp_events set xp = 0", "xp_amount_positive"),
        (
            "update account_balances set account_id = 4711 where account_id = (select min(account_id) from account_balances)",
            "account_balances_account_fkey",
        ),
        ("update account_balances set balance = null", "balance"),
        (
            "update accounts set bills_complete_until = '2026-03-01' where kind <> 'credit'",
            "accounts_complete_bills_on_cards",
        ),
        ("update accounts set payments_stale = true where kind <> 'credit'", "accounts_stale_payments_on_cards"),
    ] {
        let error = tried(&app, change);
        assert!(error.contains(rule), "{change}: {error}");
    }
}

/// Runs a statement that must be refused, and returns its error.
fn tried(app: &TestApp, statement: &str) -> String {
    let mut connection = app.connection();
    let refused = connection.transaction(|connection| connection.batch_execute(statement));
    let error = refused.expect_err(statement);
    match error {
        diesel::result::Error::DatabaseError(_, details) => {
            format!("{} {}", details.constraint_name().unwrap_or_default(), details.message())
        }
        error => error.to_string(),
    }
}
