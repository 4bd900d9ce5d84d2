//! The channels of notices: their key, and a mail that tries out the server.

use std::os::unix::fs::PermissionsExt;

use finance_tests::{Mailbox, PASSWORD, Program, ScratchDir, finance_binary};
use serde_json::Value;

use crate::outcome::{printed, refused};

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
    let told = String::from_utf8(output.stderr).unwrap();
    let last = told.lines().last().unwrap();
    assert!(!output.status.success() && last.starts_with("finance: "), "{told}");
    assert!(last.contains("push_key") && last.contains("readable by others"), "{told}");
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
