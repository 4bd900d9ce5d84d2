//! After a crash during an import, all of its rows are stored or none.

use std::path::Path;
use std::thread;

use diesel::PgConnection;
use diesel::connection::SimpleConnection;
use finance_tests::{
    Client, Method, PASSWORD, Program, ScratchDir, cents, eventually, is_restarted, kill, money, postmaster, rows,
    signed_sum,
};
use serde_json::{Value, json};

use crate::superuser;

const ROWS: i128 = 8_000;

/// When the kill comes.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Moment {
    /// The confirm waits for its profile, and has written nothing.
    Waiting,
    /// Somewhere in its work: its transaction has begun to write.
    Writing,
    /// It has written its rows, and waits to add them to the sums of the months.
    Summing,
    /// It is committed. The kill comes before or after the answer is sent.
    Stored,
}

impl Moment {
    const ALL: [Moment; 4] = [Moment::Waiting, Moment::Writing, Moment::Summing, Moment::Stored];

    /// Whether the import is stored after a kill of the service. None if both are possible.
    fn is_stored(self) -> Option<bool> {
        match self {
            Moment::Waiting | Moment::Summing => Some(false),
            Moment::Writing => None,
            Moment::Stored => Some(true),
        }
    }

    /// Takes the lock that stops a later confirm at this moment, if it needs one. Another import of the same months is stored.
    fn prepare(self, data_dir: &Path) -> PgConnection {
        let mut holder = superuser::connect(data_dir);
        let lock = match self {
            Moment::Waiting => "begin; select 1 from profiles for update",
            Moment::Summing => "begin; select 1 from month_totals for update",
            Moment::Writing | Moment::Stored => "select 1",
        };
        holder.batch_execute(lock).expect("the lock is taken");
        holder
    }

    /// Waits for the moment, while a confirm into the account is in progress.
    fn wait(self, data_dir: &Path, client: &Client, account_id: i64) {
        let mut observer = superuser::connect(data_dir);
        let mut is_seen = |condition: &str| {
            let seen = format!("select 1 from pg_stat_activity where usename = 'finance' and {condition}");
            !rows(&mut observer, &seen).is_empty()
        };
        eventually(&format!("the moment {self:?}"), || {
            let has_come = match self {
                Moment::Waiting | Moment::Summing => is_seen("wait_event_type = 'Lock'"),
                Moment::Writing => is_seen("backend_xid is not null"),
                Moment::Stored => client.all("/api/imports").iter().any(|import| import["account_id"] == account_id),
            };
            has_come.then_some(())
        });
    }
}

/// A confirm of many rows into an account.
fn confirm(account_id: i64) -> Vec<u8> {
    let rows: Vec<Value> = (0..ROWS)
        .map(|at| {
            let date = format!("2025-{:02}-{:02}", at % 12 + 1, at % 28 + 1);
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

/// Sends a confirm in another thread. Returns the status, or none if the connection broke.
fn send(client: &Client, body: Vec<u8>) -> thread::JoinHandle<Option<u16>> {
    let client = client.clone();
    thread::spawn(move || {
        let sent = client.try_send(Method::POST, "/api/import/confirm", Some("application/json"), body, &[]);
        sent.ok().map(|reply| reply.status)
    })
}

/// Confirms an import without a crash.
fn undisturbed(client: &Client) {
    let body = confirm(client.open_account("inteiro", "current"));
    assert_eq!(send(client, body).join().unwrap(), Some(201));
}

/// Kills a service. Returns when PostgreSQL has ended its sessions, so that nothing of it is committed later.
fn kill_service(service: &mut Program, data_dir: &Path, holder: PgConnection) {
    service.signal("KILL");
    service.wait();
    drop(holder);
    superuser::wait_until_unused(data_dir);
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
    let scratch = ScratchDir::with_user();
    let mut service = Program::serve(scratch.path());
    undisturbed(&service.login("ana", PASSWORD));
    let mut accounts = Vec::new();
    for moment in Moment::ALL {
        let client = service.login("ana", PASSWORD);
        let account = client.open_account(&format!("morto: {moment:?}"), "current");
        let holder = moment.prepare(scratch.path());
        let sent = send(&client, confirm(account));
        moment.wait(scratch.path(), &client, account);
        kill_service(&mut service, scratch.path(), holder);
        let answered = sent.join().unwrap();
        // The new service adopts the running cluster.
        service = Program::serve(scratch.path());
        let client = service.login("ana", PASSWORD);
        let imported = is_imported(&client, account);
        assert!(imported || answered != Some(201), "what was answered for is there");
        assert_eq!(moment.is_stored().unwrap_or(imported), imported, "{moment:?}");
        println!("service killed at {moment:?}: {}", if imported { "all" } else { "nothing" });
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
    let scratch = ScratchDir::with_user();
    let mut service = Program::serve(scratch.path());
    undisturbed(&service.login("ana", PASSWORD));
    let mut accounts = Vec::new();
    for moment in [Moment::Writing, Moment::Summing, Moment::Stored] {
        let client = service.login("ana", PASSWORD);
        let account = client.open_account(&format!("perdido: {moment:?}"), "current");
        let body = confirm(account);
        let holder = moment.prepare(scratch.path());
        let answered = thread::scope(|scope| {
            let sent = scope.spawn(|| send_under_key(&client, account, &body));
            moment.wait(scratch.path(), &client, account);
            kill_service(&mut service, scratch.path(), holder);
            sent.join().unwrap().is_some()
        });
        service = Program::serve(scratch.path());
        let client = service.login("ana", PASSWORD);
        let replayed = send_under_key(&client, account, &body).expect("an answer");
        println!("killed at {moment:?}, answered: {answered}; then replayed: {replayed}");
        assert!(replayed || !answered, "it was done before the crash");
        assert_eq!(moment.is_stored().unwrap_or(replayed), replayed, "{moment:?}");
        assert!(is_imported(&client, account), "all of it, once");
        assert_eq!(send_under_key(&client, account, &body), Some(true));
        accounts.push((account, true));
    }
    assert_sums(&service.login("ana", PASSWORD), &accounts);
}

/// Waits until the service answers from a PostgreSQL that was started after the process `before`. Until then an answer is
/// either correct, from a process that the killed server left, or 503.
fn wait_for_recovery(client: &Client, data_dir: &Path, before: &str) {
    eventually("an answer from another server", || {
        let restarted = is_restarted(data_dir, before);
        let reply = client.get("/api/accounts");
        if reply.status == 200 {
            return restarted.then_some(());
        }
        assert!(reply.header("Retry-After").is_some(), "{reply:?}");
        reply.problem(503, "ErrUnavailable");
        None
    });
}

#[test]
fn killing_postgresql_in_the_middle_of_a_confirm_leaves_all_of_it_or_nothing_and_it_comes_back_by_itself() {
    let scratch = ScratchDir::with_user();
    let service = Program::serve(scratch.path());
    let client = service.login("ana", PASSWORD);
    undisturbed(&client);
    let mut accounts = Vec::new();
    for moment in Moment::ALL {
        let account = client.open_account(&format!("morto: {moment:?}"), "current");
        let holder = moment.prepare(scratch.path());
        let sent = send(&client, confirm(account));
        moment.wait(scratch.path(), &client, account);
        let before = postmaster(scratch.path()).expect("a running cluster");
        kill(&before);
        let answered = sent.join().unwrap();
        drop(holder);
        assert!(matches!(answered, Some(201 | 503)), "{answered:?}");
        wait_for_recovery(&client, scratch.path(), &before);
        let imported = is_imported(&client, account);
        assert!(imported || answered != Some(201), "what was answered for is there");
        // The locks are released by the kill, so another moment may end in either way.
        assert!(imported || moment != Moment::Stored, "what was committed is there");
        println!("PostgreSQL killed at {moment:?}: {}", if imported { "all" } else { "nothing" });
        accounts.push((account, imported));
    }
    assert_sums(&client, &accounts);
    // One start for each kill, beside the first: no start failed or had to be repeated.
    let starts = service.log().matches("started PostgreSQL").count();
    assert_eq!(starts, Moment::ALL.len() + 1, "{}", service.log());
}
