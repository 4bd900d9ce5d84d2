//! The log contains no passwords, tokens, secrets or texts of statements.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::Stdio;

use finance_tests::{Form, Method, Program, ScratchDir, TestApp, ofx, skipped};
use serde_json::{Value, json};

const PASSWORD: &str = "segredo-da-ana-1";
const NEXT_PASSWORD: &str = "segredo-da-ana-2";
const WRONG_PASSWORD: &str = "palpite-de-alguem";
const SECRET: &str = "the-secret-of-this-test-which-signs-tokens";

/// A code to pay.
const BOLETO: &str = "00190.50095 40144.816069 06809.350314 3 37370000000100";

/// A service with the most verbose log.
fn talkative(data_dir: &ScratchDir) -> Program {
    let mut command = Program::command(data_dir.path());
    Program::start(command.env("RUST_LOG", "trace").env("JWT_SECRET", SECRET))
}

fn create_user(data_dir: &ScratchDir) -> String {
    let mut command = Program::command(data_dir.path());
    command.args(["create-user", "--name", "ana"]).env("RUST_LOG", "trace");
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    writeln!(child.stdin.take().unwrap(), "{PASSWORD}").unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stderr).unwrap()
}

/// A call of a tool, as one message.
fn call(id: u32, tool: &str, arguments: &Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": { "name": tool, "arguments": arguments } })
}

/// Calls of tools with words of a statement in their arguments and results, and of tools that do not exist.
fn calls() -> [(&'static str, Value); 5] {
    // No instant of a log contains this amount.
    let coffee = json!({ "type": "expense", "date": "2026-03-14", "description": "Indiscreta", "amount": "9071.17" });
    [
        ("search_transactions", json!({ "q": "Indiscreta" })),
        ("create_transaction", coffee),
        ("create_transaction", json!({ "description": ["Indiscreta"] })),
        ("Indiscreta", json!({ "Indiscreta": "9071.17" })),
        ("", json!({})),
    ]
}

/// Calls the tools by `finance mcp`. Returns its log.
fn call_by_standard_input(data_dir: &ScratchDir, url: &str, token: &str) -> String {
    let mut command = Program::command(data_dir.path());
    command.arg("mcp").env("FINANCE_URL", url).env("FINANCE_TOKEN", token).env("RUST_LOG", "trace");
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    let mut stderr = child.stderr.take().unwrap();
    let log = std::thread::spawn(move || {
        let mut log = String::new();
        stderr.read_to_string(&mut log).map(|_| log)
    });
    let mut input = child.stdin.take().unwrap();
    let mut answers = BufReader::new(child.stdout.take().unwrap()).lines();
    let begin = json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": { "protocolVersion": "2025-06-18",
        "capabilities": {}, "clientInfo": { "name": "Indiscreta", "version": "1" } } });
    writeln!(input, "{begin}").unwrap();
    assert!(answers.next().unwrap().unwrap().contains("protocolVersion"));
    writeln!(input, "{}", json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })).unwrap();
    writeln!(input, "Indiscreta, which is no message").unwrap();
    let mut text = String::new();
    for (id, (tool, arguments)) in (1..).zip(calls()) {
        writeln!(input, "{}", call(id, tool, &arguments)).unwrap();
        let is_answer = |line: &String| serde_json::from_str::<Value>(line).is_ok_and(|answer| answer["id"] == id);
        text += &answers.by_ref().map(Result::unwrap).find(is_answer).expect("an answer");
    }
    assert!(text.contains("Farm\u{e1}cia Indiscreta") && text.contains("9071.17"), "the tools were called: {text}");
    drop(input);
    assert!(child.wait().unwrap().success());
    log.join().unwrap().unwrap()
}

#[test]
fn no_secret_and_no_line_of_a_statement_is_logged() {
    let data_dir = ScratchDir::migrated();
    let mut logged = create_user(&data_dir);
    let mut service = talkative(&data_dir);
    let anyone = service.client();
    anyone
        .post("/api/auth/login", json!({ "name": "ana", "password": WRONG_PASSWORD }))
        .problem(401, "ErrInvalidCredentials");
    // Users may type their password into the field of the name.
    anyone.post("/api/auth/login", json!({ "name": PASSWORD, "password": "x" })).problem(401, "ErrInvalidCredentials");
    let ana = service.login("ana", PASSWORD);
    let statement = ofx(&[("20260306", "-9071.17", "F9", "Farmácia Indiscreta")]);
    assert_eq!(ana.import(None, &statement).created()["inserted"], 1);
    assert_eq!(ana.import(None, &statement).created()["inserted"], 0);
    ana.get("/api/transactions?q=Indiscreta").ok();
    ana.post_form("/api/import/preview", Form::new().file("indiscreta.ofx", b"no statement: Indiscreta"))
        .problem(422, "ErrStatementUnreadable");
    // A code to pay, whether it can be read or not.
    let unreadable = BOLETO.replace("314 3", "314 4");
    ana.post("/api/recurring/parse", json!({ "text": BOLETO })).ok();
    ana.post("/api/recurring/parse", json!({ "text": unreadable })).problem(422, "ErrValidation");
    ana.post("/api/entries/parse", json!({ "text": BOLETO })).ok();
    ana.post("/api/categories", json!({ "name": "Indiscreta" })).created();
    ana.post("/api/categories", json!({ "name": "Indiscreta" })).problem(409, "ErrCategoryNameTaken");
    let token = ana.post("/api/tokens", json!({ "name": "phone", "scopes": ["calendar"] })).created()["token"].clone();
    let token = token.as_str().unwrap();
    assert_eq!(anyone.get(&format!("/calendar.ics?amounts=1&token={token}")).status, 200);
    assert_eq!(anyone.get(&format!("/calendar.ics/?token={token}")).status, 404);
    let invitation = ana.post("/api/members/invitations", json!({ "role": "viewer" })).created()["invitation"].clone();
    let invitation = invitation.as_str().unwrap();
    let accepted = json!({ "invitation": invitation, "name": "bia", "password": NEXT_PASSWORD });
    anyone.post("/api/auth/accept", accepted).created();
    let writes =
        ana.post("/api/tokens", json!({ "name": "assistant", "scopes": ["write"] })).created()["token"].clone();
    let writes = writes.as_str().unwrap();
    let assistant = ana.with_token(writes);
    for (id, (tool, arguments)) in (1..).zip(calls()) {
        assert_eq!(assistant.post("/mcp", call(id, tool, &arguments)).status, 200, "{tool}");
    }
    assistant.send(Method::POST, "/mcp", Some("application/json"), b"{\"Indiscreta\": \"no message\"".to_vec());
    logged.push_str(&call_by_standard_input(&data_dir, &service.url(), writes));
    let change = json!({ "current_password": PASSWORD, "new_password": NEXT_PASSWORD });
    let next = ana.post("/api/auth/change-password", change).ok();
    service.client().with_token(next["token"].as_str().unwrap()).get("/api/auth/me").ok();
    ana.get("/api/auth/me").problem(401, "ErrUnauthenticated");
    logged.push_str(&service.stop());
    let of_postgresql = std::fs::read_to_string(data_dir.path().join("postgres.log")).unwrap();
    // Each log was read, and the service's is as verbose as it can be.
    assert!(of_postgresql.contains("database system is ready"), "{of_postgresql}");
    for expected in ["/api/auth/change-password", " TRACE ", "profile 1 was created, on the command line"] {
        assert!(logged.contains(expected), "{expected}: {logged}");
    }
    logged.push_str(&of_postgresql);
    for secret in [
        PASSWORD,
        NEXT_PASSWORD,
        WRONG_PASSWORD,
        SECRET,
        token,
        writes,
        invitation,
        ana.token(),
        next["token"].as_str().unwrap(),
        "ndiscreta",
        "9071.17",
        "40144.81",
        "4014481",
        "$2b$",
    ] {
        let lines: Vec<&str> = logged.lines().filter(|line| line.contains(secret)).collect();
        assert!(lines.is_empty(), "{secret}: {lines:#?}");
    }
}

#[test]
fn whoever_comes_in_and_whoever_does_not_is_in_the_log() {
    let data_dir = ScratchDir::migrated();
    let created = create_user(&data_dir);
    assert!(created.contains("finance::audit] profile 1 was created, on the command line"), "{created}");
    let again = create_user(&data_dir);
    assert!(again.contains("finance::audit] profile 1 has a new password, on the command line"), "{again}");
    let mut service = Program::serve(data_dir.path());
    let anyone = service.client();
    anyone.post("/api/auth/login", json!({ "name": "ana", "password": WRONG_PASSWORD })).expect(401);
    anyone.post("/api/auth/login", json!({ "name": "nobody", "password": WRONG_PASSWORD })).expect(401);
    let ana = service.login("ana", PASSWORD);
    let wrong = json!({ "current_password": WRONG_PASSWORD, "new_password": NEXT_PASSWORD });
    ana.post("/api/auth/change-password", wrong).expect(422);
    let right = json!({ "current_password": PASSWORD, "new_password": NEXT_PASSWORD });
    ana.post("/api/auth/change-password", right).ok();
    let log = service.stop();
    let entries: Vec<&str> =
        log.lines().filter_map(|line| line.split_once("finance::audit] ").map(|(_, entry)| entry)).collect();
    assert_eq!(
        entries,
        [
            "failed login of profile 1 from 127.0.0.1",
            "failed login of profile - from 127.0.0.1",
            "login of profile 1 from 127.0.0.1",
            "failed login of profile 1 from 127.0.0.1",
            "password change of profile 1 from 127.0.0.1",
        ],
        "{log}"
    );
}

#[test]
fn an_unusable_database_is_told_without_its_password() {
    let data_dir = ScratchDir::new();
    let address = TestApp::start().address();
    let away = "finance: the database cannot be reached";
    let unusable = "finance: DATABASE_URL must be a URL such as";
    // An unused port, a port of another service, and addresses that libpq cannot read.
    for (url, message) in [
        (format!("postgresql://finance:{PASSWORD}@127.0.0.1:1/finance"), away),
        (format!("postgresql://finance:{PASSWORD}@{address}/finance"), away),
        (format!("host=127.0.0.1 port=1 password='{PASSWORD}'"), away),
        (format!("postgresql://finance:{PASSWORD}@/%zz"), unusable),
        (format!("postgresql://finance:{PASSWORD} x@127.0.0.1:1/finance"), unusable),
        (format!("host=127.0.0.1 port=1 password={PASSWORD} x"), unusable),
    ] {
        let output = Program::command(data_dir.path())
            .args(["migrate"])
            .envs([("DATABASE_URL", url.as_str()), ("JWT_SECRET", SECRET), ("RUST_LOG", "trace")])
            .env("FINANCE_DATABASE_WAIT_SECONDS", "1")
            .output()
            .expect("the program runs");
        assert!(!output.status.success(), "{output:?}");
        let text = String::from_utf8_lossy(&output.stderr);
        let last = text.lines().last().unwrap_or_default();
        assert!(last.starts_with(message), "{text}");
        assert!([PASSWORD, SECRET].iter().all(|secret| !text.contains(secret)), "{text}");
    }
}

#[test]
fn the_service_leaves_no_core_dump() {
    let data_dir = ScratchDir::migrated();
    // The shell raises the limit, and writes it to a file. The program itself sets it to zero.
    let raised = data_dir.path().join("raised");
    let raise = "ulimit -c unlimited 2> /dev/null || ulimit -S -c $(ulimit -H -c); ulimit -S -c > \"$RAISED\"";
    let service = Program::start(Program::command_after(raise, data_dir.path()).env("RAISED", &raised));
    if std::fs::read_to_string(raised).unwrap().trim() == "0" {
        return skipped("no process may leave a core dump here: it is not seen whether the service does");
    }
    let limits = std::fs::read_to_string(format!("/proc/{}/limits", service.pid()));
    let Ok(limits) = limits else { return skipped("no /proc is here: the limit of core dumps is not seen") };
    let core = limits.lines().find(|line| line.starts_with("Max core file size")).expect("the limit");
    assert_eq!(core.split_whitespace().nth(4), Some("0"), "{core}");
}
