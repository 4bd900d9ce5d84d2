//! The program with rate providers that answer, hang or fail.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use finance_tests::{Client, PASSWORD, Program, ScratchDir};
use serde_json::{Value, json};
use time::macros::date;
use time::{Date, Weekday};

use crate::metrics::{metric, scrape};

/// The behaviour of a provider.
#[derive(Clone, Copy)]
enum Behaviour {
    /// Accepts connections, and never answers.
    Hangs,
    /// Answers every request with a status, a content type and a body.
    Fails(&'static str, &'static str, &'static str),
    /// Answers like the central bank.
    Works,
    /// Like [`Behaviour::Works`], but never answers for one series.
    WorksBut(&'static str),
}

/// A local rate provider.
struct Provider {
    url: String,
    requests: Arc<AtomicUsize>,
}

impl Provider {
    fn start(behaviour: Behaviour) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let requests = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&requests);
        std::thread::spawn(move || {
            // Connections are kept open, so that a silent provider hangs instead of closing them.
            let open = Mutex::new(Vec::new());
            for stream in listener.incoming().flatten() {
                count.fetch_add(1, Ordering::SeqCst);
                answer(&stream, behaviour);
                open.lock().unwrap().push(stream);
            }
        });
        Provider { url, requests }
    }

    fn requests(&self) -> usize {
        self.requests.load(Ordering::SeqCst)
    }
}

fn answer(stream: &TcpStream, behaviour: Behaviour) {
    let mut lines = BufReader::new(stream).lines().map_while(Result::ok);
    let first_line = lines.next().unwrap_or_default();
    let (status, content_type, body) = match behaviour {
        Behaviour::Hangs => return,
        Behaviour::WorksBut(series) if first_line.contains(&format!("/bcdata.sgs.{series}/")) => return,
        Behaviour::Fails(status, content_type, body) => (status, content_type, body.to_string()),
        Behaviour::Works | Behaviour::WorksBut(_) => ("200 OK", "application/json", rates(&first_line)),
    };
    // The rest of the request is read before the answer is sent.
    lines.find(String::is_empty);
    let length = body.len();
    let mut stream = stream;
    let _ = write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Type: {content_type}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}"
    );
}

/// The answer to `GET /dados/serie/bcdata.sgs.12/dados?formato=json&dataInicial=…&dataFinal=… HTTP/1.1`.
fn rates(request: &str) -> String {
    let target = request.strip_prefix("GET ").and_then(|rest| rest.strip_suffix(" HTTP/1.1")).expect("a GET");
    let (path, query) = target.split_once('?').expect("a query");
    let is_savings = path == "/dados/serie/bcdata.sgs.195/dados";
    assert!(is_savings || path == "/dados/serie/bcdata.sgs.12/dados", "{path}");
    let value = |name: &str| {
        let pair =
            query.split('&').find_map(|pair| pair.strip_prefix(name)).unwrap_or_else(|| panic!("{name} {query}"));
        pair.trim_start_matches('=').replace("%2F", "/")
    };
    assert_eq!(value("formato"), "json");
    let day = |text: String| {
        let parts: Vec<&str> = text.split('/').collect();
        let month = time::Month::try_from(parts[1].parse::<u8>().unwrap()).unwrap();
        Date::from_calendar_date(parts[2].parse().unwrap(), month, parts[0].parse().unwrap()).unwrap()
    };
    let (mut date, last) = (day(value("dataInicial")), day(value("dataFinal")));
    let mut published = Vec::new();
    while date <= last {
        let holiday = [date!(2024 - 12 - 25), date!(2025 - 01 - 01)].contains(&date);
        let text = format!("{:02}/{:02}/{}", date.day(), u8::from(date.month()), date.year());
        if is_savings {
            // A rate for the month that begins on each day. The bank also sends the month's end, in the field `datafim`.
            published.push(json!({ "data": text, "datafim": text, "valor": "0.6700" }));
        } else if !holiday && !matches!(date.weekday(), Weekday::Saturday | Weekday::Sunday) {
            let percent = match date {
                date if date < date!(2024 - 12 - 12) => "0.041957",
                date if date < date!(2025 - 01 - 30) => "0.045513",
                _ => "0.049037",
            };
            published.push(json!({ "data": text, "valor": percent }));
        }
        date = date.next_day().unwrap();
    }
    Value::Array(published).to_string()
}

/// The program on 1 February 2025 with a provider, and a client of a profile with 1000.00 at 100 % of the CDI rate since the
/// beginning of the year.
fn start(data_dir: &Path, provider: &Provider) -> (Program, Client) {
    let program = Program::start(
        Program::command(data_dir)
            .env("FINANCE_BCB_URL", &provider.url)
            .env("FINANCE_TODAY", "2025-02-01")
            .env("FINANCE_METRICS_BIND", "127.0.0.1:0")
            .env("FINANCE_YIELD_DAY_COUNT", "business"),
    );
    let ana = program.login("ana", PASSWORD);
    let body = json!({ "name": "CDB", "kind": "investment", "yield_type": "cdi", "opening_balance": "1000.00",
        "opening_date": "2024-12-31", "last_yield_date": "2024-12-31" });
    ana.post("/api/accounts", body).created();
    (program, ana)
}

fn listed(client: &Client) -> Value {
    client.get("/api/accounts").ok()
}

/// The calls of a provider, how many of them failed, and whether it is not asked for a while.
fn calls(program: &Program) -> (f64, f64, bool) {
    let text = scrape(&program.metrics());
    let of_provider = |name: &str| metric(&text, &format!("finance_rate_provider_{name}"));
    (of_provider("calls_total"), of_provider("failures_total"), of_provider("blocked") == 1.0)
}

#[test]
fn a_provider_that_hangs_costs_one_listing_seconds_and_the_next_nothing() {
    let data_dir = ScratchDir::with_user();
    let provider = Provider::start(Behaviour::Hangs);
    let (program, ana) = start(data_dir.path(), &provider);
    // The provider never answers, so the listing is answered because it gives up.
    let accounts = listed(&ana);
    assert_eq!((&accounts[0]["balance"], &accounts[0]["last_yield_date"]), (&json!("1000.00"), &json!("2024-12-31")));
    // The call has ended and the provider is blocked, so the next listing has nothing to wait for.
    assert_eq!(calls(&program), (1.0, 1.0, true));
    assert_eq!(listed(&ana), accounts);
    assert_eq!(calls(&program), (1.0, 1.0, true));
    assert_eq!(provider.requests(), 1);
}

#[test]
fn listings_that_come_while_the_provider_hangs_wait_no_longer_than_the_first() {
    let data_dir = ScratchDir::with_user();
    let provider = Provider::start(Behaviour::Hangs);
    let (program, ana) = start(data_dir.path(), &provider);
    std::thread::scope(|scope| (0..12).for_each(|_| drop(scope.spawn(|| listed(&ana)))));
    // All twelve have waited for one call: none made one of its own after it.
    assert_eq!(calls(&program), (1.0, 1.0, true));
    assert_eq!(provider.requests(), 1);
}

#[test]
fn a_provider_that_fails_is_no_error_of_the_listing() {
    for (status, content_type, body) in [
        (
            "404 Not Found",
            "application/json",
            r#"{"erro":{"statusCode":404,"detail":"br.gov.bcb.pec.sgs.comum.excecoes.SGSNegocioException: Value(s) not found"}}"#,
        ),
        (
            "200 OK",
            "text/html",
            "<!DOCTYPE html>\n<html><head><title>Banco Central do Brasil</title></head><body><h1>Requisição inválida!</h1></body></html>",
        ),
        (
            "502 Bad Gateway",
            "text/html",
            "<html><head><title>502 Bad Gateway</title></head><body><center><h1>502 Bad Gateway</h1></center></body></html>",
        ),
    ] {
        let data_dir = ScratchDir::with_user();
        let provider = Provider::start(Behaviour::Fails(status, content_type, body));
        let (_program, ana) = start(data_dir.path(), &provider);
        for _ in 0..3 {
            let accounts = listed(&ana);
            assert_eq!(accounts[0]["balance"], "1000.00", "{status}");
            assert_eq!(accounts[0]["last_yield_date"], "2024-12-31", "{status}");
        }
        assert_eq!(provider.requests(), 1, "{status}: not asked again for a while");
    }
}

#[test]
fn january_2025_pays_what_the_market_paid() {
    let data_dir = ScratchDir::with_user();
    let provider = Provider::start(Behaviour::Works);
    let (_program, ana) = start(data_dir.path(), &provider);
    for _ in 0..3 {
        let accounts = listed(&ana);
        assert_eq!(
            (&accounts[0]["balance"], &accounts[0]["last_yield_date"]),
            (&json!("1010.13"), &json!("2025-01-31"))
        );
    }
    let rows = ana.get("/api/transactions?month=2025-01").ok();
    assert_eq!(rows.as_array().unwrap().len(), 1);
    assert_eq!(rows[0]["description"], "Rendimento CDI 01/01/2025 a 31/01/2025");
    assert_eq!((&rows[0]["amount"], &rows[0]["source"]), (&json!("10.13"), &json!("yield")));
    assert_eq!(provider.requests(), 1);
}

/// Opens a poupança account with 1000.00 since 10 December 2024.
fn open_savings(ana: &Client) {
    let body = json!({ "name": "Caderneta", "kind": "savings", "yield_type": "poupanca", "opening_balance": "1000.00",
        "opening_date": "2024-12-10", "last_yield_date": "2024-12-10" });
    ana.post("/api/accounts", body).created();
}

#[test]
fn poupanca_is_paid_by_its_own_series() {
    let data_dir = ScratchDir::with_user();
    let provider = Provider::start(Behaviour::Works);
    let (_program, ana) = start(data_dir.path(), &provider);
    open_savings(&ana);
    for _ in 0..2 {
        let accounts = listed(&ana);
        let balances: Vec<&str> =
            accounts.as_array().unwrap().iter().map(|account| account["balance"].as_str().unwrap()).collect();
        assert_eq!(balances, ["1006.70", "1010.13"]);
    }
    assert_eq!(provider.requests(), 2, "one request for each series");
}

#[test]
fn a_series_that_hangs_keeps_no_other_from_being_paid_and_costs_no_more_time() {
    let data_dir = ScratchDir::with_user();
    let provider = Provider::start(Behaviour::WorksBut("195"));
    let (program, ana) = start(data_dir.path(), &provider);
    open_savings(&ana);
    let (accounts, again) = (listed(&ana), listed(&ana));
    assert_eq!((&accounts[0]["balance"], &accounts[1]["balance"]), (&json!("1000.00"), &json!("1010.13")));
    assert_eq!(again, accounts);
    let (made, failed, _) = calls(&program);
    assert_eq!((made, failed), (2.0, 1.0));
    assert_eq!(provider.requests(), 2, "the series that hangs is not asked again for a while");
}
