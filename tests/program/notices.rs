//! The channels of notices: their key, and a mail that tries out the server.

use std::collections::HashSet;
use std::os::unix::fs::PermissionsExt;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use diesel::connection::SimpleConnection;
use finance_tests::{
    Device, Mailbox, PASSWORD, Program, Received, Receiver, ScratchDir, eventually, eventually_or, finance_binary,
};
use serde_json::{Value, json};

use crate::metrics::{metric, scrape};
use crate::outcome::{printed, refused};
use crate::superuser;

/// How often the process is killed while notices are due. `FINANCE_KILLS` sets another number, up to 25.
const KILLS: usize = 4;
/// The most notices of a day.
const NOTICES: usize = 30;
/// Makes an hour pass for the deliveries: the turn of a killed process is over.
const AN_HOUR_LATER: &str = "
    update profiles set webhooks_leased_until = webhooks_leased_until - interval '1 hour',
        webhooks_due_at = webhooks_due_at - interval '1 hour';
    update notice_deliveries set next_attempt_at = next_attempt_at - interval '1 hour'";

/// Whom a push service can ask about this service, as the signature of a request says.
fn subject(request: &Received) -> Value {
    let token = request.header("Authorization").and_then(|value| value.strip_prefix("vapid t=")).expect("a token");
    let claims = token.split('.').nth(1).expect("claims");
    let claims: Value = serde_json::from_slice(&URL_SAFE_NO_PAD.decode(claims).expect("Base64")).expect("JSON");
    claims["sub"].clone()
}

fn public_key(service: &Program) -> Value {
    let ana = service.login("ana", PASSWORD);
    ana.get("/api/notices/preferences").ok()["push_key"].clone()
}

#[test]
fn the_private_database_has_a_push_key_that_is_made_once() {
    let scratch = ScratchDir::with_user();
    let mut service = Program::serve(scratch.path());
    let first = public_key(&service);
    assert_eq!(first.as_str().map(str::len), Some(87), "{first}");
    let file = scratch.path().join("push_key");
    assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    service.stop();
    let mut service = Program::serve(scratch.path());
    assert_eq!(public_key(&service), first);
    service.stop();
    // A key of the configuration takes its place.
    let other = printed(&Program::run(scratch.path(), &["push-key"]));
    let mut service = Program::start(Program::command(scratch.path()).env("FINANCE_PUSH_KEY", other.trim()));
    assert_ne!(public_key(&service), first);
    service.stop();
    let shown = printed(
        &Program::command(scratch.path()).arg("config").env("FINANCE_PUSH_KEY", other.trim()).output().unwrap(),
    );
    assert!(shown.contains("FINANCE_PUSH_KEY = \"(set)\"") && !shown.contains(other.trim()), "{shown}");
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o644)).unwrap();
    let output = Program::command(scratch.path()).output().unwrap();
    let text = String::from_utf8(output.stderr).unwrap();
    let last = text.lines().last().unwrap();
    assert!(!output.status.success() && last.starts_with("finance: "), "{text}");
    assert!(last.contains("push_key") && last.contains("readable by others"), "{text}");
}

#[test]
fn a_key_is_printed_without_settings() {
    let output = std::process::Command::new(finance_binary())
        .arg("push-key")
        .env("FINANCE_PUSH_KEY", "damaged")
        .output()
        .unwrap();
    assert_eq!(printed(&output).trim().len(), 184);
}

#[test]
fn a_test_mail_says_what_the_server_answers() {
    let (scratch, mailbox) = (ScratchDir::new(), Mailbox::start());
    let send = |to: &str| {
        let mut command = Program::command(scratch.path());
        command.args(["test-mail", "--to", to]).env("FINANCE_SMTP_URL", mailbox.url());
        command.env("FINANCE_MAIL_FROM", "Finance <finance@finance.example>").output().unwrap()
    };
    assert_eq!(printed(&send("ana@example.com")).trim(), "127.0.0.1 has accepted the mail to ana@example.com");
    let [mail] = &mailbox.wait_for(1)[..] else { panic!("one mail") };
    assert_eq!((mail.to.as_str(), mail.from.as_str()), ("ana@example.com", "finance@finance.example"));
    assert_eq!(mail.header("Subject").as_deref(), Some("Finance can send mail"));
    let line = refused(&send("ana"));
    assert!(line.contains("--to"), "{line}");
    mailbox.answers_by(|command| match command.starts_with("RCPT") {
        true => Some("550 5.1.1 no such user".to_string()),
        false => Some(Mailbox::accepts(command)),
    });
    let line = refused(&send("eva@example.com"));
    assert!(line.contains("550") && line.contains("no such user"), "{line}");
    let line = refused(&Program::run(scratch.path(), &["test-mail", "--to", "ana@example.com"]));
    assert!(line.contains("FINANCE_SMTP_URL"), "{line}");
}

#[test]
fn attempts_are_counted_by_channel_and_outcome_and_no_address_is_logged() {
    let (scratch, push, mailbox) = (ScratchDir::with_user(), Receiver::start(), Mailbox::start());
    let device = Device::new(&push, 1);
    let mut command = Program::command(scratch.path());
    command.env("FINANCE_WEBHOOKS_PRIVATE", "yes").env("FINANCE_PUSH_HOSTS", "127.0.0.1").env("RUST_LOG", "debug");
    command.env("FINANCE_SMTP_URL", mailbox.url()).env("FINANCE_MAIL_FROM", "finance@finance.example");
    let mut service = Program::start(command.env("FINANCE_METRICS_BIND", "127.0.0.1:0"));
    let scraper = service.metrics();
    let count = |channel: &str, outcome: &str| {
        let name = format!("finance_notice_attempts_total{{channel=\"{channel}\",outcome=\"{outcome}\"}}");
        metric(&scrape(&scraper), &name)
    };
    let ana = service.login("ana", PASSWORD);
    let id = ana.post("/api/notices/devices", device.subscription()).created()["id"].clone();
    type Answer = fn(&Received) -> Option<String>;
    let answers: [(&str, Answer); 5] = [
        ("sent", |_| Some("201 Created".to_string())),
        ("delayed", |_| Some("429 Too Many Requests\r\nRetry-After: 3600".to_string())),
        ("refused", |_| Some("500 Oops".to_string())),
        ("unreachable", |_| None),
        ("gone", |_| Some("410 Gone".to_string())),
    ];
    for (outcome, answer) in answers {
        assert_eq!(count("push", outcome), 0.0, "{outcome}");
        push.answers_by(answer);
        ana.post_nothing(&format!("/api/notices/devices/{id}/test")).expect(202);
        eventually(outcome, || (count("push", outcome) > 0.0).then_some(()));
    }
    // The pages are not served over https, so the sender of the mail is named.
    assert_eq!(subject(&push.received()[0]), "mailto:finance@finance.example");
    eventually("the device is gone", || (ana.get("/api/notices/devices").ok() == json!([])).then_some(()));
    ana.post("/api/notices/email", json!({ "address": "ana@caixa.example" })).expect(202);
    mailbox.wait_for(1);
    eventually("the mail is counted", || (count("email", "sent") > 0.0).then_some(()));
    mailbox.answers_by(|command| match command.starts_with("RCPT") {
        true => Some("550 5.1.1 no ana@caixa.example here".to_string()),
        false => Some(Mailbox::accepts(command)),
    });
    ana.post("/api/notices/email", json!({ "address": "ana@caixa.example" })).expect(202);
    eventually("the refusal is counted", || (count("email", "refused") > 0.0).then_some(()));
    let metrics = scrape(&scraper);
    let log = service.stop();
    assert!(log.contains("/api/notices/devices"), "{log}");
    let keys = &device.subscription()["keys"];
    for secret in ["/push/1", "caixa.example", keys["p256dh"].as_str().unwrap(), keys["auth"].as_str().unwrap()] {
        assert!(!log.contains(secret) && !metrics.contains(secret), "{secret}: {log}");
    }
}

#[test]
fn a_service_that_is_killed_again_and_again_tells_each_notice_as_one() {
    let (scratch, push) = (ScratchDir::with_user(), Receiver::start());
    let device = Device::new(&push, 1);
    let serve = || {
        let mut command = Program::command(scratch.path());
        command.env("FINANCE_PUBLIC_URL", "https://casa.example");
        Program::start(command.env("FINANCE_WEBHOOKS_PRIVATE", "yes").env("FINANCE_PUSH_HOSTS", "127.0.0.1"))
    };
    let kills = std::env::var("FINANCE_KILLS").map_or(KILLS, |kills| kills.parse().expect("a number"));
    // Nothing arrives before all is known.
    push.answers_by(|_| None);
    let mut service = serve();
    let ana = service.login("ana", PASSWORD);
    let always = json!({ "hour": "00:00", "quiet_from": "00:00", "quiet_to": "00:00" });
    ana.put("/api/notices/preferences", always).ok();
    ana.post("/api/notices/devices", device.subscription()).created();
    // A balance below zero would be told, too.
    let rich = json!({ "name": "Conta", "kind": "current", "opening_balance": "1000.00" });
    let account = ana.post("/api/accounts", rich).created()["id"].clone();
    let today = ana.get("/api/auth/me").ok()["today"].clone();
    for cents in 0..NOTICES {
        let row = json!({ "type": "expense", "account_id": account, "date": today, "description": "Padaria",
            "amount": format!("7.{cents:02}") });
        ana.post("/api/transactions", row.clone()).created();
        ana.post("/api/transactions", row).created();
    }
    let tags = |at: usize| -> HashSet<String> {
        push.received()[at..].iter().map(|one| one.header("Topic").expect("a topic").to_string()).collect()
    };
    for _ in 0..kills {
        let before = push.received().len();
        push.answers("201 Created");
        push.wait_for(before + 1);
        service.signal("KILL");
        service.wait();
        superuser::wait_until_unused(scratch.path());
        superuser::connect(scratch.path()).batch_execute(AN_HOUR_LATER).unwrap();
        service = serve();
    }
    let ana = service.login("ana", PASSWORD);
    let count = || tags(0).len();
    eventually_or(|| format!("{} of {NOTICES}", count()), || (count() == NOTICES).then_some(()));
    assert_eq!(ana.get("/api/notices?limit=100").ok().as_array().unwrap().len(), NOTICES);
    // Once all are delivered nothing follows.
    let waiting = "select 1 as waits from notice_deliveries where state = 'pending'";
    let mut database = superuser::connect(scratch.path());
    let pending = || finance_tests::rows(&mut superuser::connect(scratch.path()), waiting).len();
    eventually_or(|| pending().to_string(), || (pending() == 0).then_some(()));
    let delivered = "select 1 as told from notice_deliveries where state = 'delivered'";
    assert_eq!(finance_tests::rows(&mut database, delivered).len(), NOTICES);
    assert_eq!(count(), NOTICES, "one topic each");
    assert!(push.received().iter().all(|request| subject(request) == "https://casa.example"));
}
