//! Tests the adapter with a local provider that answers correctly, wrongly or not at all.
#![allow(clippy::unwrap_used)]

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use finance_adapters_bcb::{BODY_BYTES_MAX, BcbRates, CALL_MILLIS_MAX, CachedRates};
use finance_domain::yields::{PublishedRates, RateSource, Series};
use finance_domain::{Clock, Error};
use time::macros::{date, datetime};
use time::{Date, OffsetDateTime};

#[path = "../../../tests/support/skipped.rs"]
#[allow(dead_code, unreachable_pub, reason = "these tests are skipped in CI, too")]
mod skipped;

use skipped::notice;

const FIRST: Date = date!(2024 - 12 - 02);
const LAST: Date = date!(2025 - 01 - 31);
/// How long a hanging provider waits for its caller to hang up. It only turns a hang into a failure: a caller that does not give
/// up gets another error.
const HANGS_MAX: Duration = Duration::from_secs(120);
/// The time limit of a call to a provider that answers. It only turns a hang into a failure.
const PATIENT: Duration = Duration::from_secs(120);
/// The time limit of a call to a provider that does not answer.
const IMPATIENT: Duration = Duration::from_millis(600);
const GOOD: &str = r#"[{"data":"29/01/2025","valor":"0.045513"},{"data":"30/01/2025","valor":"0.049037"},{"data":"31/01/2025","valor":"0.049037"}]"#;

/// An HTTP server that records the requests and answers them with a function.
struct Provider {
    url: String,
    requests: Arc<Mutex<Vec<String>>>,
}

impl Provider {
    fn start(answer: impl Fn(&str, &mut TcpStream) + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let (requests, answer) = (Arc::new(Mutex::new(Vec::new())), Arc::new(answer));
        let noted = requests.clone();
        thread::spawn(move || {
            for mut stream in listener.incoming().flatten() {
                let (noted, answer) = (noted.clone(), answer.clone());
                thread::spawn(move || {
                    let lines = BufReader::new(stream.try_clone().unwrap()).lines().map_while(Result::ok);
                    let request: Vec<String> = lines.take_while(|line| !line.is_empty()).collect();
                    let request = request.join("\n");
                    noted.lock().unwrap().push(request.clone());
                    answer(&request, &mut stream);
                });
            }
        });
        Provider { url, requests }
    }

    /// A provider that always gives the same answer.
    fn answering(status: u16, body: &str) -> Self {
        let body = body.to_string();
        Provider::start(move |_, stream| respond(stream, status, "", body.as_bytes()))
    }

    fn rates(&self) -> BcbRates {
        BcbRates::new(&self.url).unwrap().with_call_max(PATIENT)
    }

    fn impatient_rates(&self) -> BcbRates {
        BcbRates::new(&self.url).unwrap().with_call_max(IMPATIENT)
    }

    fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }
}

/// Sends an answer. Ignores errors, because the caller may have closed the connection already.
fn respond(stream: &mut TcpStream, status: u16, headers: &str, body: &[u8]) {
    let head =
        format!("HTTP/1.1 {status} Told\r\nconnection: close\r\n{headers}content-length: {}\r\n\r\n", body.len());
    let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body));
}

/// Waits until the caller hangs up, but no longer than `max`. Returns whether it hung up.
fn hangs(stream: &mut TcpStream, max: Duration) -> bool {
    stream.set_read_timeout(Some(max)).unwrap();
    // The caller sends nothing after its request, so reading ends with the connection or with the time.
    !matches!(stream.read(&mut [0]), Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut))
}

/// A provider that never answers.
fn hanging() -> Provider {
    Provider::start(|_, stream| {
        hangs(stream, HANGS_MAX);
    })
}

#[track_caller]
fn assert_unavailable(answer: finance_domain::Result<PublishedRates>) -> String {
    match answer {
        Err(Error::Unavailable(source)) => source.to_string(),
        answer => panic!("{answer:?}"),
    }
}

#[test]
fn asks_series_twelve_for_the_window_and_reads_the_rates() {
    let provider = Provider::answering(200, GOOD);
    let rates = provider.rates().published(Series::Cdi, FIRST, LAST).unwrap();
    assert_eq!((rates.first(), rates.last(), rates.len()), (FIRST, LAST, 3));
    assert_eq!(rates.on(date!(2025 - 01 - 30)), Some(&"0.049037".parse().unwrap()));
    let requests = provider.requests();
    assert_eq!(requests.len(), 1);
    let line = requests[0].lines().next().unwrap();
    assert_eq!(
        line,
        "GET /dados/serie/bcdata.sgs.12/dados?formato=json&dataInicial=02/12/2024&dataFinal=31/01/2025 HTTP/1.1"
    );
    let agent = format!("user-agent: finance/{}", env!("CARGO_PKG_VERSION"));
    assert!(requests[0].lines().any(|line| line.eq_ignore_ascii_case(&agent)), "{requests:?}");
}

#[test]
fn the_recorded_answer_is_read_whole() {
    let Some(body) = recorded("series12_2024-12_2025-01.json") else { return };
    let rates = Provider::answering(200, &body).rates().published(Series::Cdi, FIRST, LAST).unwrap();
    assert_eq!((rates.len(), rates.untrusted_from()), (43, None));
    assert_eq!(rates.payable_until(FIRST, LAST), Some(LAST));
}

#[test]
fn the_recorded_failures_are_unavailable() {
    for (status, name) in [
        (200, "error_200_html_requisicao_invalida.html"),
        (400, "error_400_ultimos_gt_20.json"),
        (404, "error_404_value_not_found.json"),
        (200, "error_404_value_not_found.json"),
        (406, "error_406_window_10y.json"),
        (502, "error_502_html.html"),
        (200, "error_xml_soap_fault.xml"),
    ] {
        let Some(body) = recorded(name) else { return };
        assert_unavailable(Provider::answering(status, &body).rates().published(Series::Cdi, FIRST, LAST));
    }
}

/// A recorded body. None, with a notice, if the corpus is not beside the repository.
fn recorded(name: &str) -> Option<String> {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus");
    if !corpus.exists() {
        notice(&format!("../shared/corpus is not here; {name} is not tested"));
        return None;
    }
    Some(std::fs::read_to_string(corpus.join("bcb").join(name)).unwrap())
}

#[test]
fn anything_but_an_array_of_rates_is_unavailable() {
    for (status, body, reason) in [
        (
            404,
            r#"{"erro":{"statusCode":404,"detail":"Value(s) not found"}}"#,
            "status 404, the answer is an error object: Value(s)",
        ),
        (200, r#"{"erro":{"statusCode":404,"detail":"Value(s) not found"}}"#, "an error object: Value(s) not found"),
        (406, r#"{"error":"O sistema aceita uma janela de 10 anos"}"#, "status 406"),
        (200, "<!DOCTYPE html><html><h1>Requisição inválida!</h1></html>", "a page"),
        (200, r#"<?xml version="1.0"?><soapenv:Fault/>"#, "a page or an XML document"),
        (200, "[]", "no usable rate"),
        (200, "", "empty"),
        (500, GOOD, "status 500"),
        (204, "", "status 204"),
        (200, &GOOD[..GOOD.len() - 9], "not JSON"),
    ] {
        let failure = assert_unavailable(Provider::answering(status, body).rates().published(Series::Cdi, FIRST, LAST));
        assert!(failure.contains(reason), "{status} {body}: {failure}");
    }
}

#[test]
fn an_address_where_nobody_answers_is_unavailable() {
    // No program has the first port, which the system does not give to others either.
    let failure = assert_unavailable(BcbRates::new("http://127.0.0.1:1").unwrap().published(Series::Cdi, FIRST, LAST));
    assert!(!failure.contains("127.0.0.1"), "{failure}");
}

#[test]
fn a_provider_that_hangs_or_drips_is_given_up_in_time() {
    let dripping = Provider::start(|_, stream| {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 10000000\r\n\r\n[");
        while stream.write_all(b" ").is_ok() && !hangs(stream, Duration::from_millis(20)) {}
    });
    for provider in [hanging(), dripping] {
        // The providers do not end by themselves, so this is the caller's time limit.
        let failure = assert_unavailable(provider.impatient_rates().published(Series::Cdi, FIRST, LAST));
        assert!(failure.contains("in time"), "{failure}");
    }
}

#[test]
fn all_windows_of_a_call_share_one_time_limit() {
    let provider = Provider::start(|request, stream| {
        hangs(stream, IMPATIENT * 2 / 3);
        respond(stream, 200, "", one_rate(request).as_bytes());
    });
    // Each window is within the limit, two of them are not.
    let failure = assert_unavailable(provider.impatient_rates().published(Series::Cdi, date!(1995 - 01 - 01), LAST));
    assert!(failure.contains("in time"), "{failure}");
    assert!(provider.requests().len() <= 2, "four would have been needed");
}

/// The first and last date of a request, in the provider's format.
fn window(request: &str) -> (String, String) {
    let line = request.lines().next().unwrap();
    let value = |name: &str| line.split(['?', '&', ' ']).find_map(|part| part.strip_prefix(name)).unwrap().to_string();
    (value("dataInicial="), value("dataFinal="))
}

/// An answer with one rate, for the first date of the request.
fn one_rate(request: &str) -> String {
    format!(r#"[{{"data":"{}","valor":"0.05"}}]"#, window(request).0)
}

#[test]
fn a_span_of_thirty_years_is_asked_in_windows_of_at_most_ten() {
    let provider = Provider::start(|request, stream| respond(stream, 200, "", one_rate(request).as_bytes()));
    let rates = provider.rates().published(Series::Cdi, date!(1995 - 01 - 01), date!(2025 - 01 - 31)).unwrap();
    assert_eq!((rates.first(), rates.last(), rates.len()), (date!(1995 - 01 - 01), date!(2025 - 01 - 31), 4));
    let windows: Vec<(String, String)> = provider.requests().iter().map(|request| window(request)).collect();
    let owned =
        |windows: &[(&str, &str)]| windows.iter().map(|(a, b)| (a.to_string(), b.to_string())).collect::<Vec<_>>();
    let expected = [
        ("01/01/1995", "09/07/2002"),
        ("10/07/2002", "15/01/2010"),
        ("16/01/2010", "24/07/2017"),
        ("25/07/2017", "31/01/2025"),
    ];
    assert_eq!(windows, owned(&expected));
}

#[test]
fn one_window_that_fails_fails_the_call() {
    let provider = Provider::start(|request, stream| match window(request).1.as_str() {
        "31/01/2025" => respond(stream, 502, "", b"<html>"),
        _ => respond(stream, 200, "", one_rate(request).as_bytes()),
    });
    assert_unavailable(provider.rates().published(Series::Cdi, date!(1995 - 01 - 01), date!(2025 - 01 - 31)));
}

#[test]
fn an_answer_that_is_too_long_is_unavailable() {
    let long = format!("{}{}", " ".repeat(3 * 1024 * 1024), GOOD);
    let failure = assert_unavailable(Provider::answering(200, &long).rates().published(Series::Cdi, FIRST, LAST));
    assert!(failure.contains("longer than"), "{failure}");
    let fits = format!("{}{}", " ".repeat(BODY_BYTES_MAX as usize - GOOD.len()), GOOD);
    assert!(Provider::answering(200, &fits).rates().published(Series::Cdi, FIRST, LAST).is_ok());
    let over = format!(" {fits}");
    assert_unavailable(Provider::answering(200, &over).rates().published(Series::Cdi, FIRST, LAST));
}

#[test]
fn an_answer_in_chunks_is_read_and_one_cut_short_is_unavailable() {
    let provider = Provider::start(|_, stream| {
        let _ = write!(stream, "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n");
        for piece in GOOD.as_bytes().chunks(50) {
            let _ = write!(stream, "{:x}\r\n", piece.len()).and_then(|()| stream.write_all(piece));
            let _ = write!(stream, "\r\n");
        }
        let _ = write!(stream, "0\r\n\r\n");
    });
    assert_eq!(provider.rates().published(Series::Cdi, FIRST, LAST).unwrap().len(), 3);
    let cut = Provider::start(|_, stream| {
        let _ = write!(stream, "HTTP/1.1 200 OK\r\ncontent-length: 9999\r\n\r\n{GOOD}");
    });
    assert_unavailable(cut.rates().published(Series::Cdi, FIRST, LAST));
}

#[test]
fn a_redirect_is_followed_a_few_times() {
    let provider = Provider::start(|request, stream| match request.starts_with("GET /moved") {
        true => respond(stream, 200, "", GOOD.as_bytes()),
        false => respond(stream, 302, "location: /moved\r\n", b""),
    });
    assert_eq!(provider.rates().published(Series::Cdi, FIRST, LAST).unwrap().len(), 3);
    let circle = Provider::start(|_, stream| respond(stream, 302, "location: /moved\r\n", b""));
    assert_unavailable(circle.rates().published(Series::Cdi, FIRST, LAST));
    assert!(circle.requests().len() <= 4);
}

#[test]
fn a_value_that_is_no_rate_leaves_what_was_before_it() {
    let body = GOOD.replace(r#""30/01/2025","valor":"0.049037""#, r#""30/01/2025","valor":"-0.049037""#);
    let rates = Provider::answering(200, &body).rates().published(Series::Cdi, FIRST, LAST).unwrap();
    assert_eq!(rates.untrusted_from(), Some(date!(2025 - 01 - 30)));
    assert_eq!(rates.payable_until(FIRST, LAST), Some(date!(2025 - 01 - 29)));
    let body = GOOD.replace(r#""29/01/2025","valor":"0.045513""#, r#""29/01/2025","valor":"oops""#);
    let failure = assert_unavailable(Provider::answering(200, &body).rates().published(Series::Cdi, FIRST, LAST));
    assert!(failure.contains("no rate before"), "{failure}");
}

struct NoonOfFebruaryFirst;

impl Clock for NoonOfFebruaryFirst {
    fn today(&self) -> Date {
        date!(2025 - 02 - 01)
    }

    fn now(&self) -> OffsetDateTime {
        datetime!(2025-02-01 12:00 UTC)
    }
}

#[test]
fn a_hanging_provider_costs_one_caller_a_little_and_the_next_nothing() {
    let provider = hanging();
    let rates = CachedRates::new(provider.impatient_rates(), Arc::new(NoonOfFebruaryFirst));
    let first = assert_unavailable(rates.published(Series::Cdi, FIRST, LAST));
    assert!(first.contains("in time"), "{first}");
    let next = assert_unavailable(rates.published(Series::Cdi, FIRST, LAST));
    assert!(next.contains("is not asked yet"), "{next}");
    assert_eq!(provider.requests().len(), 1);
}

#[test]
fn a_hanging_provider_costs_no_more_than_five_seconds_by_default() {
    // The cache's own limits are checked beside them.
    const { assert!(CALL_MILLIS_MAX < 5_000) };
    let provider = hanging();
    let rates = CachedRates::new(BcbRates::new(&provider.url).unwrap(), Arc::new(NoonOfFebruaryFirst));
    let failures: Vec<String> = thread::scope(|scope| {
        let callers: Vec<_> =
            (0..10).map(|_| scope.spawn(|| assert_unavailable(rates.published(Series::Cdi, FIRST, LAST)))).collect();
        callers.into_iter().map(|caller| caller.join().unwrap()).collect()
    });
    // The provider does not end by itself, so one caller was given up by the client, and the others by the cache.
    let by_client = failures.iter().filter(|failure| failure.contains("no answer in time")).count();
    assert_eq!(by_client, 1, "{failures:?}");
    assert_eq!(provider.requests().len(), 1);
}

#[test]
fn a_hundred_callers_at_once_make_one_request() {
    let arrived = Arc::new(AtomicUsize::new(0));
    let others = arrived.clone();
    let provider = Provider::start(move |_, stream| {
        while others.load(Ordering::SeqCst) < 100 {
            thread::yield_now();
        }
        respond(stream, 200, "", GOOD.as_bytes());
    });
    let rates = CachedRates::new(provider.rates(), Arc::new(NoonOfFebruaryFirst));
    let answered = AtomicUsize::new(0);
    thread::scope(|scope| {
        for _ in 0..100 {
            scope.spawn(|| {
                arrived.fetch_add(1, Ordering::SeqCst);
                answered.fetch_add(rates.published(Series::Cdi, FIRST, LAST).unwrap().len(), Ordering::SeqCst);
            });
        }
    });
    assert_eq!(answered.into_inner(), 300);
    assert_eq!(provider.requests().len(), 1);
}
