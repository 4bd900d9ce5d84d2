//! Statements on the command line: several accounts at once. Each file is imported completely or not at all.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::Output;

use finance_tests::{Client, Program, ScratchDir, TestApp, id, ofx};
use serde_json::{Value, json};

use crate::outcome::{printed, refused};

const CSV: &str =
    "Data;Descrição;Valor\n31/01/2026;PADARIA;-12,34\n01/02/2026;SALDO DO DIA;100,00\n02/02/2026;SALARIO;1500,00\n";

/// A service in this process, the program on its database, and files.
struct House {
    app: TestApp,
    scratch: ScratchDir,
}

impl House {
    /// Creates the files of a month: an account's as OFX and as CSV, a card's as CSV and as OFX, and one that is not a
    /// statement.
    fn new() -> Self {
        let scratch = ScratchDir::new();
        std::fs::create_dir_all(scratch.path()).unwrap();
        let house = House { app: TestApp::start(), scratch };
        house.file("conta.ofx", &ofx(&[("20260105", "-10.00", "A1", "FEIRA"), ("20260106", "-10.00", "A2", "FEIRA")]));
        house.file("conta.csv", CSV.as_bytes());
        house.file("fatura.csv", b"date,title,amount\n2026-02-15,Livraria,49.90\n2026-02-20,Estorno,-5.00\n");
        house.file("carta.pdf", b"%PDF-1.7 ...");
        let of_card = ofx(&[("20260215", "-49.90", "C1", "LIVRARIA")]);
        let of_card = String::from_utf8(of_card)
            .unwrap()
            .replace("<BANKTRANLIST>", "<CCACCTFROM><ACCTID>5162</CCACCTFROM><BANKTRANLIST>");
        house.file("fatura.ofx", of_card.as_bytes());
        house
    }

    fn file(&self, name: &str, content: &[u8]) {
        std::fs::write(self.scratch.path().join(name), content).unwrap();
    }

    /// `finance import --name ana`, in the folder of the files.
    fn import(&self, arguments: &[&str]) -> Output {
        let mut command = Program::command(self.scratch.path());
        command.env("DATABASE_URL", self.app.database_url()).env("FINANCE_TODAY", "2026-03-15").env("RUST_LOG", "warn");
        command.current_dir(self.scratch.path()).args(["import", "--name", "ana"]).args(arguments);
        command.stdin(std::process::Stdio::null()).output().expect("the program runs")
    }
}

/// Runs the program in the folder of the files, like a script that has only a token.
fn by_token(house: &House, secret: (&str, &str), arguments: &[&str]) -> Output {
    let mut command = Program::command(house.scratch.path());
    command.env(secret.0, secret.1).env("FINANCE_URL", format!("http://{}/", house.app.address()));
    command.env("RUST_LOG", "warn").current_dir(house.scratch.path()).arg("import").args(arguments);
    command.stdin(std::process::Stdio::null()).output().expect("the program runs")
}

/// A token with a scope.
fn token(of: &Client, scope: &str) -> String {
    let made = of.post("/api/tokens", json!({ "name": scope, "scopes": [scope] })).created();
    made["token"].as_str().unwrap().to_string()
}

/// The printed text without the ids, which differ between profiles.
fn without_ids(text: &str) -> String {
    ["as import ", "pending bill ", "pays bill ", "transaction "].iter().fold(text.to_string(), |text, before| {
        let mut parts = text.split(before);
        let first = parts.next().unwrap_or_default().to_string();
        parts.fold(first, |text, part| {
            format!("{text}{before}N{}", part.trim_start_matches(|letter: char| letter.is_ascii_digit()))
        })
    })
}

#[test]
fn a_card_s_file_that_links_payments_from_before_is_told_as_stored() {
    let house = House::new();
    house.app.clock.set_today(time::macros::date!(2026 - 03 - 15));
    let ana = house.app.user("ana");
    let bank = ana.open_account("Banco", "current");
    ana.import(Some(bank), &ofx(&[("20260305", "-1000.00", "A1", "PAGAMENTO FATURA CARTAO")])).created();
    ana.open_card("Visa", 25, 5);
    house.file("visa.ofx", &ofx(&[("20260210", "-400.00", "C1", "LOJA"), ("20260220", "-600.00", "C2", "MERCADO")]));
    house.file("mar.ofx", &ofx(&[("20260310", "-7.00", "A2", "PADARIA")]));
    let secret = token(&ana, "import");
    let output = printed(&by_token(&house, ("FINANCE_TOKEN", &secret), &["Visa=visa.ofx", "Banco=mar.ofx"]));
    assert!(output.contains("2 inserted as import") && output.contains("1 inserted as import"), "{output}");
    assert_eq!(stored(&ana).iter().filter(|row| row["is_transfer"] == true).count(), 2, "the payment and its leg");
}

#[test]
fn what_an_account_yields_by_itself_is_told_as_left_out() {
    let house = House::new();
    let ana = house.app.user("ana");
    let account = json!({ "name": "CDB", "kind": "investment", "yield_type": "cdi", "yield_day_count": "business" });
    ana.create("/api/accounts", account);
    house.file("cdb.ofx", &ofx(&[("20260301", "100.00", "A1", "APLICACAO"), ("20260302", "1.00", "A2", "RENDIMENTO")]));
    let secret = token(&ana, "import");
    for output in [
        by_token(&house, ("FINANCE_TOKEN", &secret), &["--dry-run", "CDB=cdb.ofx"]),
        house.import(&["--dry-run", "CDB=cdb.ofx"]),
        house.import(&["CDB=cdb.ofx"]),
    ] {
        let output = printed(&output);
        assert!(output.contains("rows 2, new 1, duplicates 0"), "{output}");
        assert!(output.contains("1 left out: the account yields by itself"), "{output}");
        assert!(output.contains("1 inserted as import") || output.contains("1 would be inserted"), "{output}");
    }
}

#[test]
fn rows_that_the_file_rejects_are_kept_with_the_import() {
    let house = House::new();
    let ana = house.app.user("ana");
    let file = "Data;Descrição;Valor;Status\n02/03/2026;PADARIA;-1,00;Efetivado\n03/03/2026;LOJA;-54,90;Cancelado\n\
        04/03/2026;SALDO DO DIA;10,00;\n";
    house.file("status.csv", file.as_bytes());
    let secret = token(&ana, "import");
    for (name, is_by_token) in [("Conta", true), ("Outra", false)] {
        let account = ana.open_account(name, "current");
        let argument = format!("{name}=status.csv");
        let output = match is_by_token {
            true => by_token(&house, ("FINANCE_TOKEN", &secret), &[&argument]),
            false => house.import(&[&argument]),
        };
        assert!(printed(&output).contains("1 inserted as import"), "{output:?}");
        let kept =
            format!("select date, kind, amount::text, description from left_out_rows where account_id = {account}");
        let expected = json!([{ "date": "2026-03-03", "kind": "expense", "amount": "54.90", "description": "LOJA" }]);
        assert_eq!(json!(house.app.rows(&kept)), expected, "{name}");
    }
}

#[test]
fn dates_without_a_year_come_before_the_payment_date_of_their_own_file() {
    let house = House::new();
    let ana = house.app.user("ana");
    ana.open_account("Conta", "current");
    ana.open_card("Visa", 25, 5);
    house.file("visa.csv", "Data,Descrição,Valor\n28/12,Loja,100.00\n05/01,Mercado,50.00\n".as_bytes());
    house.file("conta.csv", "Data,Descrição,Valor\n10/03,Feira,-7.00\n".as_bytes());
    printed(&house.import(&["--payment-date", "2026-02-10", "Visa@2025-02-10=visa.csv", "Conta=conta.csv"]));
    let date = |text: &str| {
        let rows = stored(&ana);
        let row = rows.iter().find(|row| row["description"] == text).unwrap().clone();
        if row["original_date"].is_null() { row["date"].clone() } else { row["original_date"].clone() }
    };
    assert_eq!(["Loja", "Mercado", "Feira"].map(date), ["2024-12-28", "2025-01-05", "2026-03-10"]);
}

#[test]
fn a_token_with_the_scope_import_does_what_the_operator_does() {
    let house = House::new();
    house.app.clock.set_today(time::macros::date!(2026 - 03 - 15));
    let owners = ["ana", "bia"].map(|name| {
        let owner = house.app.user(name);
        owner.open_account("Conta corrente", "current");
        owner.open_account("Ação", "savings");
        owner.open_card("Cartão", 25, 5);
        owner
    });
    house.file(
        "pix.ofx",
        &ofx(&[("20260301", "-50.00", "P1", "PIX ENVIADO"), ("20260305", "-44.90", "P2", "PAGAMENTO FATURA CARTAO")]),
    );
    house.file("recebido.ofx", &ofx(&[("20260301", "50.00", "R1", "PIX RECEBIDO")]));
    let secret = token(&owners[1], "import");
    let files = ["conta corrente=conta.ofx", "AÇÃO=conta.csv", "cartão@2026-03-10=fatura.csv"];
    let later = ["--account", "Conta corrente", "pix.ofx", "Ação=recebido.ofx", "Cartão@2026-04-05=fatura.ofx"];
    for arguments in
        [&[&["--dry-run"][..], &files].concat(), &files.to_vec(), &files.to_vec(), &later.to_vec(), &later.to_vec()]
    {
        let expected = without_ids(&printed(&house.import(arguments)));
        let output = without_ids(&printed(&by_token(&house, ("FINANCE_TOKEN", &secret), arguments)));
        assert_eq!(output, expected, "{arguments:?}");
    }
    let [ana, bia] = owners.map(|owner| {
        let rows = stored(&owner).into_iter().map(|row| {
            json!([
                row["date"],
                row["description"],
                row["amount"],
                row["type"],
                row["source"],
                row["original_date"],
                row["is_transfer"]
            ])
        });
        (rows.collect::<Vec<_>>(), owner.get("/api/imports").ok().as_array().unwrap().len())
    });
    assert_eq!(ana, bia);
    // Nine rows of the files, and the card's side of the payment of its bill, which the service created.
    assert_eq!(ana.0.len(), 10);
}

#[test]
fn a_token_comes_from_the_environment_or_a_file_that_others_cannot_read() {
    use std::os::unix::fs::PermissionsExt;
    let house = House::new();
    let ana = house.app.user("ana");
    ana.open_account("Conta", "current");
    let files = ["Conta=conta.ofx"];
    house.file("token", format!("{}\n", token(&ana, "import")).as_bytes());
    let path = house.scratch.path().join("token");
    let allow = |mode: u32| std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
    let secret = ("FINANCE_TOKEN_FILE", path.to_str().unwrap());
    allow(0o644);
    assert!(refused(&by_token(&house, secret, &files)).contains("is readable by others (mode 644); chmod 600"));
    allow(0o600);
    assert!(printed(&by_token(&house, secret, &files)).contains("2 inserted as import"));
    for (key, value, part) in [
        ("FINANCE_TOKEN_FILE", "/nowhere/token", "/nowhere/token"),
        ("FINANCE_TOKEN", "fin_unknown", "401 ErrUnauthenticated"),
        ("FINANCE_TOKEN", "fin bad", "is not one"),
        ("FINANCE_TOKEN", "", "Give --name on the machine of the service, or a token in FINANCE_TOKEN"),
        ("FINANCE_TOKEN", token(&ana, "read").as_str(), "403 ErrInsufficientScope"),
    ] {
        let line = match part.starts_with("403") {
            // This token may read the accounts, so only the first file is refused.
            true => {
                let output = by_token(&house, (key, value), &files);
                assert_eq!(output.status.code(), Some(1), "{output:?}");
                String::from_utf8(output.stderr).unwrap()
            }
            false => refused(&by_token(&house, (key, value), &files)),
        };
        assert!(line.contains(part), "{key}: {line}");
        assert!(
            value.is_empty() || key == "FINANCE_TOKEN_FILE" || !line.contains(value),
            "the token is not told: {line}"
        );
    }
    let unknown = refused(&by_token(&house, secret, &["Banco=conta.ofx"]));
    assert!(unknown.contains("there is no account \"Banco\"; ana has \"Conta\""), "{unknown}");
    let mut command = Program::command(house.scratch.path());
    command.env("FINANCE_TOKEN", "fin_x").env("FINANCE_URL", "http://127.0.0.1:1").env("RUST_LOG", "warn");
    command.current_dir(house.scratch.path()).args(["import", "Conta=conta.ofx"]);
    assert!(refused(&command.output().unwrap()).contains("http://127.0.0.1:1/api/auth/me"));
    assert_eq!(stored(&ana).len(), 2);
}

fn stored(client: &Client) -> Vec<Value> {
    client.all("/api/transactions?limit=1000")
}

/// Expects a failure with one line on standard error, after lines on standard output. Returns both texts.
#[track_caller]
fn failed_later(output: &Output) -> (String, String) {
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let [text, error] = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8(bytes.clone()).unwrap());
    assert!(error.starts_with("finance: ") && error.lines().count() == 1, "{error}");
    (text, error)
}

#[test]
fn files_of_several_accounts_are_imported_at_once_and_once() {
    let house = House::new();
    let ana = house.app.user("ana");
    let account = ana.open_account("Conta corrente", "current");
    let other = ana.open_account("Ação", "savings");
    let card = ana.open_card("Cartão", 25, 5);
    let category = id(&ana.post("/api/categories", json!({ "name": "Pães" })).created());
    let known = json!({ "type": "expense", "date": "2025-12-01", "description": "padaria", "amount": "1", "category_id": category });
    ana.post("/api/transactions", known).created();
    let (by_id, by_name) = (format!("{account}=conta.ofx"), "AÇÃO=conta.csv");
    let arguments = [by_id.as_str(), by_name, "cartão@2026-03-10=fatura.csv"];

    let mut with_dry_run = arguments.to_vec();
    with_dry_run.push("--dry-run");
    let output = printed(&house.import(&with_dry_run));
    assert_eq!(
        output.lines().collect::<Vec<_>>(),
        [
            "conta.ofx: ofx of \"Conta corrente\": rows 2, new 2, duplicates 0, rejected 0, income 0.00, expenses 20.00",
            "  2 would be inserted",
            "conta.csv: csv of \"Ação\": rows 2, new 2, duplicates 0, rejected 1, income 1500.00, expenses 12.34",
            "  line 3 rejected: linha de saldo",
            "  2 would be inserted",
            "fatura.csv: csv of \"Cartão\": rows 2, new 2, duplicates 0, rejected 0, income 5.00, expenses 49.90",
            "  2 would be inserted, paid on 2026-03-10",
            "nothing was saved",
        ]
    );
    assert_eq!(stored(&ana).len(), 1);
    assert_eq!(ana.get("/api/imports").ok(), json!([]));

    let output = printed(&house.import(&arguments));
    let log = ana.get("/api/imports").ok();
    for (import, name) in log.as_array().unwrap().iter().rev().zip(["conta.ofx", "conta.csv", "fatura.csv"]) {
        assert_eq!((&import["file_name"], &import["inserted"]), (&json!(name), &json!(2)));
        assert!(output.contains(&format!("2 inserted as import {}", import["id"])), "{output}");
    }
    assert_eq!((ana.balance(account), ana.balance(other), ana.balance(card)), (-2000, 148_766, -4490));
    let rows = stored(&ana);
    let bakery = rows.iter().find(|row| row["description"] == "PADARIA").unwrap();
    assert_eq!((&bakery["category_id"], &bakery["source"]), (&json!(category), &json!("csv")), "as suggested");
    let book = rows.iter().find(|row| row["description"] == "Livraria").unwrap();
    assert_eq!((&book["date"], &book["original_date"]), (&json!("2026-03-10"), &json!("2026-02-15")));

    let output = printed(&house.import(&arguments));
    assert_eq!(output.matches("nothing to insert").count(), 3, "{output}");
    assert_eq!(output.matches("rows 2, new 0, duplicates 2").count(), 3, "{output}");
    assert_eq!(stored(&ana), rows);
}

#[test]
fn one_account_and_payment_date_for_all_files() {
    let house = House::new();
    let ana = house.app.user("ana");
    ana.open_account("Conta", "current");
    ana.open_card("Cartão", 25, 5);
    house.file("a=b.ofx", &ofx(&[("20260107", "-3.00", "A3", "CAFE")]));
    let output = printed(&house.import(&["--account", "conta", "conta.ofx", "conta.csv", "=a=b.ofx"]));
    assert_eq!(output.matches(" inserted as import ").count(), 3, "{output}");
    assert_eq!(stored(&ana).len(), 5);
    // A file overlaps the previous file of the same command. A dry run prints the same.
    house.file("fevereiro.ofx", &ofx(&[("20260107", "-3.00", "A3", "CAFE"), ("20260207", "-4.00", "A4", "CAFE")]));
    house.file("inteiro.ofx", &ofx(&[("20260207", "-4.00", "A4", "CAFE"), ("20260307", "-5.00", "A5", "CAFE")]));
    for arguments in [&["--dry-run"][..], &[]] {
        let arguments: Vec<&str> =
            ["Conta=fevereiro.ofx", "Conta=inteiro.ofx"].into_iter().chain(arguments.iter().copied()).collect();
        let output = printed(&house.import(&arguments));
        assert_eq!(output.matches("rows 2, new 1, duplicates 1").count(), 2, "{output}");
    }
    // A card's statement with a later payment date is held. The date is used for the card only.
    let output = printed(&house.import(&["--payment-date", "2026-04-05", "Cartão=fatura.csv", "Conta=conta.ofx"]));
    let held = ana.get("/api/pending-bills").ok()[0].clone();
    assert_eq!((&held["payment_date"], &held["row_count"]), (&json!("2026-04-05"), &json!(2)));
    assert!(output.contains(&format!("2 held as pending bill {} until 2026-04-05", held["id"])), "{output}");
    let output = printed(&house.import(&["--dry-run", "Cartão=fatura.ofx"]));
    assert!(output.contains("the file is for card 5162\n"), "{output}");
    let output = printed(&house.import(&["--dry-run", "Cartão@2026-04-05=fatura.csv"]));
    assert!(output.contains("new 0, duplicates 2"), "{output}");
}

#[test]
fn what_is_missing_or_wrong_is_named_for_all_files_and_nothing_is_stored() {
    let house = House::new();
    let ana = house.app.user("ana");
    let account = ana.open_account("Conta", "current");
    let card = ana.open_card("Cartão", 25, 5);
    let known = format!("ana has \"Cartão\" ({card}, credit), \"Conta\" ({account}, current)");
    house.file("vazio.csv", b"");
    house.file("longo.ofx", &ofx(&vec![("20260107", "-3.00", "", "CAFE"); 50_001]));
    for (arguments, words) in [
        (&[][..], &["no file is named"][..]),
        (
            &["conta.ofx"],
            &["conta.ofx: which account does it belong to? Write ACCOUNT=conta.ofx or give --account", &known],
        ),
        (&["Banco=conta.ofx"], &["conta.ofx: there is no account \"Banco\"", &known]),
        (&["--account", "99", "conta.ofx"], &["there is no account \"99\""]),
        (&["Conta@2026-03-10=conta.ofx"], &["conta.ofx: \"Conta\" is not a card"]),
        (&["--payment-date", "2026-03-10", "Conta=conta.ofx"], &["--payment-date: none of the files is for a card"]),
        (&["Conta=fatura.ofx"], &["fatura.ofx: is the statement of a card (card 5162), but \"Conta\" is not a card"]),
        (&["Conta=carta.pdf"], &["carta.pdf: O arquivo é um PDF"]),
        (&["Conta=vazio.csv"], &["vazio.csv: the file is empty"]),
        (&["Conta=longo.ofx"], &["longo.ofx: O arquivo tem mais de 50000 lançamentos"]),
        (&["Conta=nenhum.ofx"], &["nenhum.ofx: No such file"]),
        (&["Conta=."], &[".: "]),
        // Several errors at once, with one correct file.
        (
            &["Conta=conta.ofx", "conta.csv", "Poupança=fatura.csv"],
            &["conta.csv: which account", "fatura.csv: there is no", "nothing was stored"],
        ),
        (
            &["Conta=conta.ofx", "Conta=carta.pdf", "Conta=nenhum.ofx"],
            &["carta.pdf: ", "nenhum.ofx: ", "nothing was stored"],
        ),
    ] {
        for dry_run in [&[][..], &["--dry-run"]] {
            let line = refused(&house.import(&[arguments, dry_run].concat()));
            assert!(words.iter().all(|word| line.contains(word)), "{words:?}: {line}");
        }
    }
    let line = refused(&house.import(&["--payment-date", "2026-02-30", "Conta=conta.ofx"]));
    assert!(line.contains("payment-date"), "{line}");
    let mut command = Program::command(house.scratch.path());
    command
        .env("DATABASE_URL", house.app.database_url())
        .env("FINANCE_UPLOAD_BYTES_MAX", "20000")
        .env("RUST_LOG", "warn");
    command.current_dir(house.scratch.path()).args(["import", "--name", "ana", "Conta=longo.ofx"]);
    assert!(refused(&command.output().unwrap()).contains("longo.ofx: is larger than 20000 bytes"));
    let mut command = Program::command(house.scratch.path());
    command.env("DATABASE_URL", house.app.database_url()).env("RUST_LOG", "warn");
    command.current_dir(house.scratch.path()).args(["import", "--name", "bia", "Conta=conta.ofx"]);
    assert!(refused(&command.output().unwrap()).contains("no user bia"));
    assert_eq!((stored(&ana), ana.get("/api/imports").ok()), (Vec::new(), json!([])));
}

#[test]
fn a_file_that_fails_leaves_those_before_it_stored_and_says_so() {
    let house = House::new();
    let ana = house.app.user("ana");
    ana.open_account("Conta", "current");
    ana.open_card("Cartão", 25, 5);
    // The profile has the maximum number of held statements.
    house.app.sql(&format!(
        "insert into pending_bills (profile_id, payment_date, format, total, row_count)
        select {}, date '2027-01-01', 'csv', 1, 1 from generate_series(1, 200)",
        ana.caller().profile_id
    ));
    let arguments = ["Conta=conta.ofx", "Cartão@2026-04-05=fatura.csv", "Conta=conta.csv"];
    let dry_run = [&["--dry-run"][..], &arguments].concat();
    assert!(refused(&house.import(&dry_run)).contains("fatura.csv: a profile holds at most 200 pending bills"));
    assert_eq!(stored(&ana).len(), 0);
    let (output, error) = failed_later(&house.import(&arguments));
    assert!(output.contains("2 inserted as import") && !output.contains("fatura.csv"), "{output}");
    assert!(error.contains("fatura.csv; stored: conta.ofx; not stored: fatura.csv, conta.csv: "), "{error}");
    assert_eq!(stored(&ana).len(), 2);
    assert_eq!(ana.get("/api/imports").ok().as_array().unwrap().len(), 1);
}

#[test]
fn it_works_beside_a_running_service_and_without_one() {
    let scratch = ScratchDir::new();
    std::fs::create_dir_all(scratch.path()).unwrap();
    let file = |name: &str, rows: &[finance_tests::OfxRow<'_>]| {
        let path = scratch.path().join(name);
        std::fs::write(&path, ofx(rows)).unwrap();
        format!("Conta={}", path.display())
    };
    let first = file("primeiro.ofx", &[("20260105", "-10.00", "A1", "FEIRA")]);
    let second = file("segundo.ofx", &[("20260106", "-10.00", "A2", "FEIRA")]);
    let data = scratch.path().join("data");
    finance_tests::with_user(&data);
    let run = |data: &Path, arguments: &[&str]| Program::run(data, arguments);
    let mut service = Program::serve(&data);
    let ana = service.login("ana", finance_tests::PASSWORD);
    ana.open_account("Conta", "current");
    let output = run(&data, &["-v", "import", "--name", "ana", &first]);
    assert!(String::from_utf8_lossy(&output.stderr).contains("imported a statement on the command line: 1 rows"));
    printed(&output);
    assert_eq!(stored(&ana).len(), 1);
    service.stop();
    printed(&run(&data, &["import", "--name", "ana", &second]));
    let service = Program::serve(&data);
    assert_eq!(stored(&service.login("ana", finance_tests::PASSWORD)).len(), 2);
}

#[test]
fn payments_of_a_card_are_linked_and_printed() {
    let house = House::new();
    house.app.clock.set_today(time::macros::date!(2026 - 03 - 15));
    let ana = house.app.user("ana");
    let account = ana.open_account("Conta", "current");
    let card = ana.open_card("Cartão", 25, 5);
    ana.open_account("Poupança", "savings");
    house.file(
        "fatura.ofx",
        &ofx(&[
            ("20260210", "-300.00", "C1", "MERCADO A"),
            ("20260220", "-700.00", "C2", "LOJA B"),
            ("20260305", "1000.00", "C3", "Pagamento recebido"),
            ("20260306", "30.00", "C4", "Pagamento recebido"),
        ]),
    );
    house.file(
        "conta.ofx",
        &ofx(&[
            ("20260301", "4000.00", "A1", "SALARIO"),
            ("20260305", "-1000.00", "A2", "PAGAMENTO FATURA CARTAO"),
            ("20260307", "-50.00", "A3", "PIX ENVIADO"),
        ]),
    );
    house.file("poupanca.ofx", &ofx(&[("20260307", "50.00", "P1", "PIX RECEBIDO")]));
    let arguments = ["Cartão=fatura.ofx", "Conta=conta.ofx", "Poupança=poupanca.ofx"];
    let dry_run = printed(&house.import(&[&["--dry-run"][..], &arguments].concat()));
    let output = printed(&house.import(&arguments));
    let rows = stored(&ana);
    let received = rows.iter().find(|row| row["external_id"] == "C3").unwrap();
    let lines = |text: &str| -> Vec<String> {
        let lines = text.lines().filter(|line| line.contains(" 2026-") || line.contains("may be"));
        lines.map(str::to_string).collect()
    };
    let single = |id: &str| format!("  2026-03-{id} is a transfer whose other side is not kept here");
    let likely = "  1 of the rows may be transfers and are not linked: GET /api/transfers/suggestions lists them";
    assert_eq!(
        lines(&output),
        [
            single("05 \"Pagamento recebido\" 1000.00"),
            single("06 \"Pagamento recebido\" 30.00"),
            format!(
                "  2026-03-05 \"PAGAMENTO FATURA CARTAO\" 1000.00 is one transfer with transaction {}",
                received["id"]
            ),
            likely.to_string(),
        ]
    );
    let expected =
        lines(&output).join("\n").replace(&format!("transaction {}", received["id"]), "a row of another account");
    assert_eq!(lines(&dry_run).join("\n"), expected, "a dry run links the rows of its files as well");
    let march = ana.get("/api/dashboard?month=2026-03").ok();
    assert_eq!((&march["income"], &march["expenses"]), (&json!("4050.00"), &json!("50.00")));
    assert_eq!((ana.balance(account), ana.balance(card)), (295_000, 3_000));
}

#[test]
fn a_file_name_that_is_not_utf_8_is_refused() {
    let scratch = ScratchDir::new();
    std::fs::create_dir_all(scratch.path()).unwrap();
    let mut command = Program::command(scratch.path());
    command.args(["import", "--name", "ana"]).arg(OsStr::from_bytes(b"caf\xe9.ofx"));
    let output = command.stdin(std::process::Stdio::null()).output().expect("the program runs");
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "finance: \"caf\\xE9.ofx\" is not UTF-8\n");
}
