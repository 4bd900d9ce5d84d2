//! The effect of one profile on another: `cargo run --release --package finance-load --bin noisy_neighbour`.
//!
//! One profile sends the most expensive requests. At the same time another profile reads its settings, one request after the
//! other. Its latency is compared with the latency on an idle service in the same run.
#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a measurement that cannot go on stops")]

use std::io::Write;
use std::net::TcpStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use finance_tests::{Client, Form, Method, Program, ofx};
use serde_json::json;

/// The number of concurrent imports of one profile.
const WRITERS: usize = 64;
/// The number of rows of each import.
const ROWS: usize = 1_000;
/// The duration of each part.
const MEASURED: Duration = Duration::from_secs(10);
/// The number of bytes of a body of tiny rows.
const BODY_BYTES: usize = 16 * 1024 * 1024 - 64;
/// The number of requests whose answers are never read.
const UNREAD: usize = 40;
/// The number of concurrent logins with unknown names.
const LOGINS: usize = 300;

fn main() {
    let data_dir = std::env::temp_dir().join(format!("finance-noisy-neighbour-{}", std::process::id()));
    std::fs::create_dir_all(&data_dir).expect("a directory");
    for name in ["ana", "bia"] {
        let created = Program::run(&data_dir, &["create-user", "--name", name, "--password", "correct horse"]);
        assert!(created.status.success(), "{}", String::from_utf8_lossy(&created.stderr));
    }
    let mut command = Program::command(&data_dir);
    command.env("RUST_LOG", "error").env("FINANCE_TRUSTED_PROXIES", "127.0.0.1");
    let program = Program::start(&mut command);
    let (ana, bia) = (program.login("ana", "correct horse"), program.login("bia", "correct horse"));
    println!("part                            p50 ms   p99 ms   max ms  not 200  + memory MiB");
    tell("quiet", &program, read_for(&bia, MEASURED, &AtomicBool::new(false)));
    part(&program, &bia, "64 imports at once", |stop| imports(&ana, stop));
    part(&program, &bia, "a 16 MiB body of tiny rows", |stop| tiny_rows(&ana, 1, stop));
    part(&program, &bia, "four of them at once", |stop| tiny_rows(&ana, 4, stop));
    let large = Form::new().file("statement.ofx", &statement(0, 30_000));
    let preview = ana.post_form("/api/import/preview", large).ok();
    let rows = json!({ "file_name": "statement.ofx", "rows": preview["rows"] });
    ana.post("/api/import/confirm", rows).created();
    part(&program, &bia, "40 answers never read", |stop| unread(&program, &ana, stop));
    part(&program, &bia, "300 logins of nobody", |stop| logins(&program, stop));
    drop(program);
    std::fs::remove_dir_all(&data_dir).expect("the directory is deleted");
}

/// The latencies, the number of answers other than 200, and the growth of memory.
struct Measured {
    times: Vec<Duration>,
    failures: usize,
    added_kib: u64,
}

fn part(program: &Program, bia: &Client, name: &str, noise: impl Fn(&AtomicBool) + Sync) {
    // Resets the peak of memory, so that it is measured separately for each part.
    let _ = std::fs::write(format!("/proc/{}/clear_refs", program.pid()), "5");
    let before = memory_kib(program, "VmRSS:");
    let stop = AtomicBool::new(false);
    let mut measured = std::thread::scope(|scope| {
        let noisy = scope.spawn(|| noise(&stop));
        let measured = read_for(bia, MEASURED, &AtomicBool::new(false));
        stop.store(true, Ordering::Relaxed);
        noisy.join().expect("the noise");
        measured
    });
    measured.added_kib = memory_kib(program, "VmHWM:").saturating_sub(before);
    tell(name, program, measured);
}

fn tell(name: &str, _: &Program, mut measured: Measured) {
    measured.times.sort_unstable();
    let at = |part: f64| measured.times[((measured.times.len() - 1) as f64 * part) as usize].as_secs_f64() * 1e3;
    println!(
        "{name:<30} {:>8.2} {:>8.2} {:>8.2} {:>8} {:>13.1}",
        at(0.5),
        at(0.99),
        at(1.0),
        measured.failures,
        measured.added_kib as f64 / 1024.0
    );
}

fn read_for(bia: &Client, duration: Duration, stop: &AtomicBool) -> Measured {
    let begun = Instant::now();
    let mut measured = Measured { times: Vec::new(), failures: 0, added_kib: 0 };
    while begun.elapsed() < duration && !stop.load(Ordering::Relaxed) {
        let sent_at = Instant::now();
        let reply = bia.get("/api/settings");
        measured.times.push(sent_at.elapsed());
        measured.failures += usize::from(reply.status != 200);
        std::thread::sleep(Duration::from_millis(2));
    }
    measured
}

fn memory_kib(program: &Program, name: &str) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", program.pid())).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap_or("0");
    line.split_whitespace().next().and_then(|number| number.parse().ok()).unwrap_or(0)
}

fn statement(from: usize, count: usize) -> Vec<u8> {
    let rows: Vec<_> = (from..from + count)
        .map(|at| {
            let date = format!("2026{:02}{:02}", 1 + at % 12, 1 + at % 28);
            (date, format!("-{}.{:02}", 1 + at % 900, at % 100), format!("F{at}"), format!("COMPRA {at}"))
        })
        .collect();
    let rows: Vec<_> = rows.iter().map(|(date, amount, id, memo)| (&**date, &**amount, &**id, &**memo)).collect();
    ofx(&rows)
}

/// Repeats imports with [`WRITERS`] concurrent clients.
fn imports(ana: &Client, stop: &AtomicBool) {
    std::thread::scope(|scope| {
        for writer in 0..WRITERS {
            scope.spawn(move || {
                let mut round = 0;
                while !stop.load(Ordering::Relaxed) {
                    let rows: Vec<_> = (0..ROWS)
                        .map(|at| {
                            let description = format!("Compra {writer} {round} {at}");
                            json!({ "date": "2026-03-10", "description": description, "amount": "1.00", "type": "expense" })
                        })
                        .collect();
                    ana.post("/api/import/confirm?transactions=false", json!({ "rows": rows }));
                    round += 1;
                }
            });
        }
    });
}

fn tiny_rows(ana: &Client, at_once: usize, stop: &AtomicBool) {
    let body = format!("{{\"rows\":[{}0]}}", "0,".repeat(BODY_BYTES / 2)).into_bytes();
    std::thread::scope(|scope| {
        for _ in 0..at_once {
            let body = &body;
            scope.spawn(move || {
                while !stop.load(Ordering::Relaxed) {
                    ana.send(Method::POST, "/api/import/confirm", Some("application/json"), body.clone());
                }
            });
        }
    });
}

fn unread(program: &Program, ana: &Client, stop: &AtomicBool) {
    let preview = Form::new().file("statement.ofx", &statement(0, 50_000));
    let (content_type, body) = preview.build();
    let held: Vec<TcpStream> = (0..UNREAD)
        .filter_map(|_| {
            let mut stream = TcpStream::connect(program.address()).ok()?;
            let head = format!(
                "POST /api/import/preview HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {}\r\nContent-Type: {content_type}\r\nContent-Length: {}\r\n\r\n",
                ana.token(),
                body.len()
            );
            stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(&body)).ok()?;
            Some(stream)
        })
        .collect();
    while !stop.load(Ordering::Relaxed) {
        std::thread::sleep(Duration::from_millis(20));
    }
    drop(held);
}

/// Floods the service with logins from one address while another address logs in. Prints the slowest login of the latter.
fn logins(program: &Program, stop: &AtomicBool) {
    let login = |address: &str, name: &str, password: &str| {
        let body = json!({ "name": name, "password": password }).to_string().into_bytes();
        let headers = [("X-Forwarded-For", address)];
        program.client().send_with(Method::POST, "/api/auth/login", Some("application/json"), body, &headers)
    };
    std::thread::scope(|scope| {
        for number in 0..LOGINS {
            let login = &login;
            scope.spawn(move || {
                while !stop.load(Ordering::Relaxed) {
                    login("198.51.100.7", &format!("nobody {number}"), "a guess");
                }
            });
        }
        let mut slowest = Duration::ZERO;
        while !stop.load(Ordering::Relaxed) {
            let sent_at = Instant::now();
            let reply = login("203.0.113.9", "bia", "correct horse");
            assert_eq!(reply.status, 200, "{reply:?}");
            slowest = slowest.max(sent_at.elapsed());
        }
        println!("  the slowest login from another address meanwhile: {:.1} ms", slowest.as_secs_f64() * 1e3);
    });
}
