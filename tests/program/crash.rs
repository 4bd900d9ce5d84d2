//! After a crash during an import, all of its rows are stored or none.

use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use finance_tests::{Client, Method, Program, ScratchDir, cents, is_restarted, kill, money, postmaster, signed_sum};
use serde_json::{Value, json};

const ROWS: i128 = 8_000;
/// The times of the kill, as fractions of the time of a complete confirm. At the last one the confirm may already be
/// answered.
const MOMENTS: [f64; 4] = [0.3, 0.7, 0.95, 1.1];
/// The time limit until the service answers again after PostgreSQL was killed.
const RECOVERY_MAX: Duration = Duration::from_secs(5);
const PASSWORD: &str = "correct horse";

/// A confirm of many rows into an account, serialized before the test starts the clock.
fn confirm(account_id: i64) -> Vec<u8> {
    let rows: Vec<Value> = (0..ROWS)
        .map(|at| {
            let date = format!("2026-{:02}-{:02}", at % 12 + 1, at % 28 + 1);
            let kind = if at % 10 == 0 { "income" } else { "expense" };
            json!({ "date": date, "description": format!("Compra {at}"), "amount": money(at + 1), "type": kind,
                "external_id": format!("{account_id}-{at}") })
        })
        .collect();
    json!({ "account_id": account_id, "file_name": "extrato", "rows": rows }).to_string().into_bytes()
}

/// The sum of the rows of a complete confirm.
fn whole() -> i128 {
    (0..ROWS).map(|at| if at % 10 == 0 { at + 1 } else { -(at + 1) }).sum()
}

fn create_user(data_dir: &Path) {
    let output = Program::run(data_dir, &["create-user", "--name", "ana", "--password", PASSWORD]);
    assert!(output.status.success(), "{output:?}");
}

/// Sends a confirm in another thread. Returns the status, or none if the connection broke.
fn send(client: &Client, body: Vec<u8>) -> thread::JoinHandle<Option<u16>> {
    let client = client.clone();
    thread::spawn(move || {
        let sent = client.try_send(Method::POST, "/api/import/confirm", Some("application/json"), body, &[]);
        sent.ok().map(|reply| reply.status)
    })
}

/// The time of a confirm without a crash.
fn undisturbed(client: &Client) -> Duration {
    let body = confirm(client.open_account("inteiro", "current"));
    let started = Instant::now();
    assert_eq!(send(client, body).join().unwrap(), Some(201));
    started.elapsed()
}

/// Whether an account has a complete import. Fails if it has a part of one.
fn is_imported(client: &Client, account_id: i64) -> bool {
    let listed = client.get(&format!("/api/accounts/{account_id}")).ok();
    let balance = cents(&listed["balance"]);
    assert!(balance == 0 || balance == whole(), "half an import: {balance} of {}", whole());
    let log = client.all("/api/imports");
    let logged: Vec<&Value> = log.iter().filter(|import| import["account_id"] == account_id).collect();
    assert_eq!(logged.len(), usize::from(balance != 0), "the log tells the same");
    assert!(logged.iter().all(|import| import["inserted"] == json!(ROWS as i64)));
    balance != 0
}

/// Checks that every balance is the sum of its rows, and that each account has all rows of an import or none.
fn assert_sums(client: &Client, accounts: &[(i64, bool)]) {
    for (account_id, imported) in accounts {
        let first = client.get(&format!("/api/transactions?account_id={account_id}&limit=1000")).ok();
        assert_eq!(first.as_array().unwrap().len(), if *imported { 1000 } else { 0 });
    }
    // One account is summed row by row.
    if let Some((account_id, _)) = accounts.iter().find(|(_, imported)| *imported) {
        let rows = client.all(&format!("/api/transactions?account_id={account_id}&limit=1000"));
        assert_eq!((rows.len(), signed_sum(&rows)), (usize::try_from(ROWS).unwrap(), client.balance(*account_id)));
    }
    let held: i128 = accounts.iter().map(|(account_id, _)| client.balance(*account_id)).sum();
    let imports = accounts.iter().filter(|(_, imported)| *imported).count();
    assert_eq!(held, whole() * i128::try_from(imports).unwrap());
    // The undisturbed import is complete too.
    assert_eq!(cents(&client.get("/api/dashboard").ok()["net_worth"]), held + whole());
}

#[test]
fn killing_the_service_in_the_middle_of_a_confirm_leaves_all_of_it_or_nothing() {
    let scratch = ScratchDir::new();
    create_user(scratch.path());
    let mut service = Program::serve(scratch.path());
    let whole_confirm = undisturbed(&service.login("ana", PASSWORD));
    let mut accounts = Vec::new();
    for moment in MOMENTS {
        let client = service.login("ana", PASSWORD);
        let account = client.open_account(&format!("morto a {moment}"), "current");
        let sent = send(&client, confirm(account));
        thread::sleep(whole_confirm.mul_f64(moment));
        service.signal("KILL");
        service.wait();
        let answered = sent.join().unwrap();
        // The new service adopts the running cluster.
        service = Program::serve(scratch.path());
        let client = service.login("ana", PASSWORD);
        let imported = is_imported(&client, account);
        assert!(imported || answered != Some(201), "what was answered for is there");
        println!("service killed at {moment} of a confirm: {}", if imported { "all" } else { "nothing" });
        accounts.push((account, imported));
    }
    assert_sums(&service.login("ana", PASSWORD), &accounts);
}

/// Sends a confirm with the account's key. Returns whether the answer was replayed, or none without an answer.
fn send_under_key(client: &Client, account_id: i64, body: &[u8]) -> Option<bool> {
    let key = format!("extrato-{account_id}");
    let (kind, headers) = (Some("application/json"), [("Idempotency-Key", key.as_str())]);
    let reply = client.try_send(Method::POST, "/api/import/confirm", kind, body.to_vec(), &headers).ok()?;
    let replayed = reply.header("Idempotency-Replayed").is_some();
    assert_eq!(reply.created()["inserted"], json!(ROWS as i64));
    Some(replayed)
}

#[test]
fn a_confirm_whose_answer_was_lost_in_a_crash_is_sent_again_under_its_key_and_nothing_is_doubled() {
    let scratch = ScratchDir::new();
    create_user(scratch.path());
    let mut service = Program::serve(scratch.path());
    let whole_confirm = undisturbed(&service.login("ana", PASSWORD));
    let mut accounts = Vec::new();
    for stored in [false, true] {
        let client = service.login("ana", PASSWORD);
        let account = client.open_account(&format!("perdido {stored}"), "current");
        let body = confirm(account);
        let answered = thread::scope(|scope| {
            let sent = scope.spawn(|| send_under_key(&client, account, &body));
            if stored {
                // The kill comes at the moment when the confirm is stored, before or after its answer is sent.
                while !client.all("/api/imports").iter().any(|import| import["account_id"] == account) {
                    thread::yield_now();
                }
            } else {
                thread::sleep(whole_confirm.mul_f64(0.5));
            }
            service.signal("KILL");
            sent.join().unwrap().is_some()
        });
        service.wait();
        service = Program::serve(scratch.path());
        let client = service.login("ana", PASSWORD);
        let replayed = send_under_key(&client, account, &body).expect("an answer");
        println!("killed with the confirm stored: {stored}, answered: {answered}; then replayed: {replayed}");
        assert!(replayed || !(stored || answered), "it was done before the crash");
        assert!(is_imported(&client, account), "all of it, once");
        assert_eq!(send_under_key(&client, account, &body), Some(true));
        accounts.push((account, true));
    }
    assert_sums(&service.login("ana", PASSWORD), &accounts);
}

/// Waits until the service answers from a PostgreSQL that was started after the process `before`. Until then an answer is
/// either correct, from a process that the killed server left, or 503.
fn recovered(client: &Client, data_dir: &Path, before: &str) -> Duration {
    let started = Instant::now();
    loop {
        let restarted = is_restarted(data_dir, before);
        let reply = client.get("/api/accounts");
        if reply.status == 200 && restarted {
            return started.elapsed();
        }
        if reply.status != 200 {
            assert!(reply.header("Retry-After").is_some(), "{reply:?}");
            reply.problem(503, "ErrUnavailable");
        }
        assert!(started.elapsed() < RECOVERY_MAX, "no answer within {RECOVERY_MAX:?}");
        thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn killing_postgresql_in_the_middle_of_a_confirm_leaves_all_of_it_or_nothing_and_it_comes_back_by_itself() {
    let scratch = ScratchDir::new();
    create_user(scratch.path());
    let service = Program::serve(scratch.path());
    let client = service.login("ana", PASSWORD);
    let whole_confirm = undisturbed(&client);
    let mut accounts = Vec::new();
    for moment in MOMENTS {
        let account = client.open_account(&format!("morto a {moment}"), "current");
        let sent = send(&client, confirm(account));
        thread::sleep(whole_confirm.mul_f64(moment));
        let before = postmaster(scratch.path()).expect("a running cluster");
        kill(&before);
        let answered = sent.join().unwrap();
        assert!(matches!(answered, Some(201 | 503)), "{answered:?}");
        let recovery = recovered(&client, scratch.path(), &before);
        let imported = is_imported(&client, account);
        assert!(imported || answered != Some(201), "what was answered for is there");
        println!(
            "PostgreSQL killed at {moment} of a confirm: {}, answering again after {} ms",
            if imported { "all" } else { "nothing" },
            recovery.as_millis()
        );
        accounts.push((account, imported));
    }
    assert_sums(&client, &accounts);
}
