//! Push services and mail servers of the tests, and what the service sends to them: encrypted, signed, and however they answer.

use std::sync::mpsc;
use std::sync::{Arc, Mutex};

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use finance_adapters_delivery::{Mail, MailServer, Sender};
use finance_domain::notices::{
    Action, Destination, Language, Message, NoticeSender, Outcome, PAYLOAD_BYTES_MAX, PushTarget,
};
use finance_domain::webhooks::Failure;
use finance_tests::{Device, Mailbox, Receiver, channels};
use serde_json::json;
use time::{Duration, OffsetDateTime};

fn target(device: &Device) -> PushTarget {
    let subscription = device.subscription();
    let bytes = |key: &str| URL_SAFE_NO_PAD.decode(subscription["keys"][key].as_str().unwrap()).unwrap();
    PushTarget { endpoint: device.endpoint().to_string(), p256dh: bytes("p256dh"), auth: bytes("auth") }
}

fn message(now: OffsetDateTime) -> Message {
    Message {
        title: "Fatura Nubank vence em 3 dias".into(),
        body: "Até 13/03.\n.Ponto no começo".into(),
        tag: "0123456789abcdef0123456789abcdef".into(),
        message_id: "0123456789abcdef.1".into(),
        url: "/cards".into(),
        actions: vec![Action { action: "paid:7".into(), title: "Paguei".into() }],
        language: Language::Portuguese,
        expires_at: now + Duration::hours(20),
    }
}

fn failed(failure: Failure) -> Outcome {
    Outcome::Failed(failure)
}

#[test]
fn a_push_is_read_by_its_device_and_by_nobody_else() {
    let (service, now) = (Receiver::start(), OffsetDateTime::now_utc());
    let (device, channels) = (Device::new(&service, 1), channels(None));
    for _ in 0..2 {
        assert_eq!(channels.send(&Destination::Push(target(&device)), &message(now), now), Outcome::Done);
    }
    let long = Message { body: "é".repeat(5_000), ..message(now) };
    assert_eq!(channels.send(&Destination::Push(target(&device)), &long, now), Outcome::Done);
    let received = service.wait_for(3);
    let pushed = device.open(&received[0], now);
    assert_eq!(
        pushed.payload,
        json!({
            "title": "Fatura Nubank vence em 3 dias",
            "body": "Até 13/03.\n.Ponto no começo",
            "tag": "0123456789abcdef0123456789abcdef",
            "url": "/cards",
            "actions": [{ "action": "paid:7", "title": "Paguei" }],
        })
    );
    assert_eq!((pushed.topic.as_str(), pushed.ttl), ("0123456789abcdef0123456789abcdef", 20 * 3_600));
    assert_eq!(device.open(&received[1], now), pushed);
    assert_ne!(received[0].bytes, received[1].bytes, "each message has a key of its own");
    let cut = device.open(&received[2], now);
    assert!(cut.bytes <= PAYLOAD_BYTES_MAX && cut.bytes > PAYLOAD_BYTES_MAX - 3, "{}", cut.bytes);
    for sent in &received {
        let head = sent.head.join("\n");
        assert!(!head.contains("Nubank") && !sent.body.contains("Nubank"), "{head}");
    }
}

#[test]
fn what_a_push_service_answers_says_whether_to_try_again() {
    let (service, now) = (Receiver::start(), OffsetDateTime::now_utc());
    let (device, channels) = (Device::new(&service, 2), channels(None));
    let sent = || channels.send(&Destination::Push(target(&device)), &message(now), now);
    let elsewhere = Receiver::start();
    for (answer, outcome) in [
        ("201 Created".to_string(), Outcome::Done),
        ("404 Not Found".to_string(), Outcome::Gone),
        ("410 Gone".to_string(), Outcome::Gone),
        ("429 Too Many Requests\r\nRetry-After: 90".to_string(), Outcome::RetryAfter(Duration::seconds(90))),
        ("429 Too Many Requests".to_string(), failed(Failure::Status)),
        ("500 Oops".to_string(), failed(Failure::Status)),
        (format!("307 Temporary Redirect\r\nLocation: {}", elsewhere.url("/x")), failed(Failure::Redirect)),
    ] {
        service.answers(&answer);
        assert_eq!(sent(), outcome, "{answer}");
    }
    service.answers_by(|_| None);
    assert_eq!(sent(), failed(Failure::Connection));
    assert!(elsewhere.received().is_empty(), "no redirect is followed");
    let unknown = device.clone().at("https://push.invalid/x");
    let outcome = channels.send(&Destination::Push(target(&unknown)), &message(now), now);
    assert_eq!(outcome, failed(Failure::Unresolved));
}

#[test]
fn a_push_service_that_does_not_answer_is_given_up() {
    let (service, now) = (Receiver::start(), OffsetDateTime::now_utc());
    let (release, held) = mpsc::channel::<()>();
    let held = Mutex::new(held);
    service.answers_by(move |_| {
        // Answers when the test lets it, which is after the service has given up.
        let _ = held.lock().unwrap().recv();
        None
    });
    let (device, channels) = (Device::new(&service, 3), channels(None));
    assert_eq!(channels.send(&Destination::Push(target(&device)), &message(now), now), failed(Failure::Timeout));
    drop(release);
}

#[test]
fn a_push_to_a_private_address_needs_a_setting() {
    use finance_adapters_delivery::{Channels, Push, PushKey};
    let (service, now) = (Receiver::start(), OffsetDateTime::now_utc());
    let key = PushKey::parse(finance_tests::PUSH_KEY).unwrap();
    let channels = Channels::new(Some(Push::new(key, None, false)), None);
    let device = Device::new(&service, 4);
    let named = device.clone().at(&device.endpoint().replace("127.0.0.1", "localhost"));
    for device in [device, named] {
        let outcome = channels.send(&Destination::Push(target(&device)), &message(now), now);
        assert_eq!(outcome, failed(Failure::Unresolved));
    }
    assert!(service.received().is_empty());
    let mail = channels.send(&Destination::Email("ana@example.com".into()), &message(now), now);
    assert_eq!(mail, failed(Failure::Stopped), "no mail server is configured");
}

#[test]
fn a_mail_says_the_same_as_a_push_and_links_to_the_page() {
    let (mailbox, now) = (Mailbox::start(), OffsetDateTime::now_utc());
    let channels = channels(Some(&mailbox));
    let sent = |title: &str| {
        let message = Message { title: title.into(), ..message(now) };
        channels.send(&Destination::Email("ana@example.com".into()), &message, now)
    };
    assert_eq!(
        sent("Mercado passou de 80% do orçamento: açaí, pães, maçãs e outras coisas que não cabem"),
        Outcome::Done
    );
    assert_eq!(sent("Bill\r\nBcc: eva@example.com"), Outcome::Done);
    let mails = mailbox.wait_for(2);
    let header = |at: usize, name: &str| mails[at].header(name).unwrap();
    assert_eq!((mails[0].from.as_str(), mails[0].to.as_str()), ("finance@finance.example", "ana@example.com"));
    assert_eq!(
        header(0, "Subject"),
        "Mercado passou de 80% do orçamento: açaí, pães, maçãs e outras coisas que não cabem"
    );
    assert_eq!(header(0, "From"), "Finance <finance@finance.example>");
    assert_eq!(header(0, "To"), "ana@example.com");
    assert_eq!(header(0, "Message-ID"), "<0123456789abcdef.1@finance.example>");
    assert_eq!(header(0, "Auto-Submitted"), "auto-generated");
    assert_eq!(mails[0].text.trim_end(), "Até 13/03.\n.Ponto no começo\n\nhttps://finance.example/cards");
    assert_eq!(header(1, "Subject"), "Bill Bcc: eva@example.com");
    assert_eq!((header(1, "Message-ID"), mails[1].header("Bcc")), (header(0, "Message-ID"), None));
}

#[test]
fn what_a_mail_server_answers_says_whether_it_was_taken() {
    let (mailbox, now) = (Mailbox::start(), OffsetDateTime::now_utc());
    let channels = channels(Some(&mailbox));
    let sent = || channels.send(&Destination::Email("ana@example.com".into()), &message(now), now);
    for (refused, answer) in [
        ("", "554 no service"),
        ("EHLO", "502 what"),
        ("MAIL", "451 later"),
        ("RCPT", "550 nobody"),
        ("DATA", "452 full"),
        ("DATA END", "554 spam"),
    ] {
        mailbox.answers_by(move |command| {
            let is_it = match refused {
                "" | "DATA" => command == refused,
                word => command.starts_with(word),
            };
            Some(if is_it { answer.to_string() } else { Mailbox::accepts(command) })
        });
        assert_eq!(sent(), failed(Failure::Status), "{refused} {answer}");
    }
    for hangs_up_at in ["", "EHLO", "RCPT", "DATA END"] {
        mailbox.answers_by(move |command| {
            let is_it = if hangs_up_at.is_empty() { command.is_empty() } else { command.starts_with(hangs_up_at) };
            (!is_it).then(|| Mailbox::accepts(command))
        });
        assert_eq!(sent(), failed(Failure::Connection), "{hangs_up_at}");
    }
    assert!(mailbox.received().is_empty());
    // The mail is taken, whatever comes after.
    mailbox.answers_by(|command| (!command.starts_with("QUIT")).then(|| Mailbox::accepts(command)));
    assert_eq!(sent(), Outcome::Done);
    mailbox.accepts_all();
    assert_eq!(sent(), Outcome::Done);
    assert_eq!(mailbox.wait_for(2).len(), 2);
}

#[test]
fn a_mail_server_that_does_not_answer_is_given_up() {
    let (mailbox, now) = (Mailbox::start(), OffsetDateTime::now_utc());
    let (release, held) = mpsc::channel::<()>();
    let held = Mutex::new(held);
    mailbox.answers_by(move |command| {
        // Answers when the test lets it, which is after the service has given up.
        if command.starts_with("RCPT") {
            let _ = held.lock().unwrap().recv();
        }
        Some(Mailbox::accepts(command))
    });
    let channels = channels(Some(&mailbox));
    let outcome = channels.send(&Destination::Email("ana@example.com".into()), &message(now), now);
    assert_eq!(outcome, failed(Failure::Timeout));
    drop(release);
    assert!(mailbox.received().is_empty());
}

#[test]
fn nothing_is_said_to_a_server_without_the_tls_that_is_required() {
    let (mailbox, now) = (Mailbox::start(), OffsetDateTime::now_utc());
    let commands = Arc::new(Mutex::new(Vec::new()));
    let own = Arc::clone(&commands);
    mailbox.answers_by(move |command| {
        own.lock().unwrap().push(command.to_string());
        Some(Mailbox::accepts(command))
    });
    let url = mailbox.url().replace("smtp://", "smtp://ana:hunter2@");
    let server = MailServer::parse(&format!("{url}?tls=required")).unwrap();
    let mail = Mail::new(server, Sender::parse("finance@finance.example").unwrap(), None);
    assert!(mail.deliver("ana@example.com", &message(now), now).is_err());
    let commands = commands.lock().unwrap();
    assert!(
        !commands.is_empty() && commands.iter().all(|command| command.is_empty() || command.starts_with("EHLO")),
        "{commands:?}"
    );
    assert!(!format!("{mail:?}").contains("hunter2"));
}
