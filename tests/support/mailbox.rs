//! A mail server on this machine, without TLS.

use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use crate::eventually::eventually_or;

/// A mail that was accepted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReceivedMail {
    /// The address that it was sent from.
    pub from: String,
    /// The address that it was sent to.
    pub to: String,
    /// Its headers, unfolded.
    pub head: Vec<(String, String)>,
    /// Its text, decoded.
    pub text: String,
}

impl ReceivedMail {
    /// The value of a header, decoded.
    pub fn header(&self, name: &str) -> Option<String> {
        let found = self.head.iter().find(|(key, _)| key.eq_ignore_ascii_case(name))?;
        Some(decoded_words(&found.1))
    }
}

/// Returns the answer to a command, none to close the connection. It gets the command's line, of the content `DATA END`.
type Answer = dyn Fn(&str) -> Option<String> + Send + Sync;

/// A mail server that accepts everything, unless a test sets other answers. It listens until the process ends.
#[derive(Clone)]
pub struct Mailbox {
    address: SocketAddr,
    received: Arc<Mutex<Vec<ReceivedMail>>>,
    answer: Arc<Mutex<Arc<Answer>>>,
}

impl Mailbox {
    /// Listens on a free port and accepts all mail.
    pub fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("its address");
        let answer: Arc<Answer> = Arc::new(|command| Some(Self::accepts(command)));
        let mailbox = Mailbox { address, received: Arc::default(), answer: Arc::new(Mutex::new(answer)) };
        let own = mailbox.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let own = own.clone();
                std::thread::spawn(move || own.serve(stream));
            }
        });
        mailbox
    }

    /// What a server says that accepts a command.
    pub fn accepts(command: &str) -> String {
        let word = command.split([' ', ':']).next().unwrap_or_default().to_ascii_uppercase();
        match word.as_str() {
            "" => "220 mail.example ready",
            "EHLO" => "250-mail.example\r\n250 8BITMIME",
            "DATA" if command == "DATA" => "354 go on",
            "QUIT" => "221 bye",
            _ => "250 fine",
        }
        .to_string()
    }

    /// Sets a function that answers: the greeting to an empty command, then each command, and `DATA END` when the content has arrived.
    /// None closes the connection. A mail is kept if the answer to its content begins with `250`.
    pub fn answers_by(&self, answer: impl Fn(&str) -> Option<String> + Send + Sync + 'static) {
        *self.answer.lock().unwrap() = Arc::new(answer);
    }

    /// Accepts all mail from now on.
    pub fn accepts_all(&self) {
        self.answers_by(|command| Some(Self::accepts(command)));
    }

    /// The URL of the server, as `FINANCE_SMTP_URL` has it.
    pub fn url(&self) -> String {
        format!("smtp://{}", self.address)
    }

    /// The mails that were accepted so far.
    pub fn received(&self) -> Vec<ReceivedMail> {
        self.received.lock().unwrap().clone()
    }

    /// Waits until at least `count` mails were accepted, and returns all of them.
    #[track_caller]
    pub fn wait_for(&self, count: usize) -> Vec<ReceivedMail> {
        let failure = || format!("{count} mails: {:?}", self.received());
        eventually_or(failure, || Some(self.received()).filter(|received| received.len() >= count))
    }

    fn serve(&self, mut stream: TcpStream) {
        let mut lines = BufReader::new(stream.try_clone().expect("a handle")).lines().map_while(Result::ok);
        let (mut from, mut to) = (String::new(), String::new());
        let (mut command, mut content) = (String::new(), None::<Vec<String>>);
        loop {
            let answer = Arc::clone(&self.answer.lock().unwrap());
            let Some(answer) = answer(&command) else { return };
            if let Some(lines) = content.take().filter(|_| answer.starts_with("250")) {
                self.received.lock().unwrap().push(read(&from, &to, &lines));
            }
            if write!(stream, "{answer}\r\n").is_err() || command.starts_with("QUIT") {
                return;
            }
            if command == "DATA" && answer.starts_with("354") {
                content = Some(lines.by_ref().take_while(|line| line != ".").collect::<Vec<_>>());
                command = "DATA END".to_string();
                continue;
            }
            let Some(line) = lines.next() else { return };
            command = line;
            let address = || command.split(['<', '>']).nth(1).unwrap_or_default().to_string();
            match command.get(..4) {
                Some("MAIL") => from = address(),
                Some("RCPT") => to = address(),
                _ => {}
            }
        }
    }
}

/// Reads a mail of one text.
fn read(from: &str, to: &str, lines: &[String]) -> ReceivedMail {
    let lines: Vec<&str> = lines.iter().map(|line| line.strip_prefix('.').unwrap_or(line)).collect();
    let end = lines.iter().position(|line| line.is_empty()).unwrap_or(lines.len());
    let mut head: Vec<(String, String)> = Vec::new();
    for line in &lines[..end] {
        match (line.strip_prefix([' ', '\t']), head.last_mut()) {
            (Some(rest), Some((_, value))) => value.push_str(&format!(" {}", rest.trim())),
            _ => {
                let (name, value) = line.split_once(':').expect("a header");
                head.push((name.to_string(), value.trim().to_string()));
            }
        }
    }
    let body = lines.get(end + 1..).unwrap_or_default();
    let encoding = head.iter().find(|(name, _)| name.eq_ignore_ascii_case("Content-Transfer-Encoding"));
    let text = match encoding.map(|(_, value)| value.as_str()) {
        Some("base64") => utf8(STANDARD.decode(body.concat()).expect("Base64")),
        Some("quoted-printable") => quoted_printable(&body.join("\n")),
        _ => body.join("\n"),
    };
    ReceivedMail { from: from.to_string(), to: to.to_string(), head, text: text.replace("\r\n", "\n") }
}

fn utf8(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).expect("UTF-8")
}

/// Decodes quoted-printable text.
fn quoted_printable(text: &str) -> String {
    let joined = text.replace("=\n", "");
    let mut parts = joined.split('=');
    let mut bytes = parts.next().unwrap_or_default().as_bytes().to_vec();
    for part in parts {
        bytes.push(u8::from_str_radix(&part[..2], 16).expect("two digits"));
        bytes.extend_from_slice(&part.as_bytes()[2..]);
    }
    utf8(bytes)
}

/// Decodes the words of a header that RFC 2047 encodes, in Base64.
fn decoded_words(value: &str) -> String {
    // What is between two encoded words is no part of the text.
    let mut parts = value.replace("?= =?", "?==?");
    while let Some((before, rest)) = parts.split_once("=?utf-8?b?") {
        let (word, after) = rest.split_once("?=").expect("an end");
        let word = utf8(STANDARD.decode(word).expect("Base64"));
        parts = format!("{before}{word}{after}");
    }
    parts
}
