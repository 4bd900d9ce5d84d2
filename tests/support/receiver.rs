//! A receiver of webhooks on this machine.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use serde_json::Value;

use crate::eventually::eventually_or;

/// A received request: its head and its body.
#[derive(Debug, Clone)]
pub struct Received {
    /// The lines of the head.
    pub head: Vec<String>,
    /// The body, if it is a text.
    pub body: String,
    /// The bytes of the body.
    pub bytes: Vec<u8>,
}

impl Received {
    /// The value of a header.
    pub fn header(&self, name: &str) -> Option<&str> {
        let named = self.head.iter().filter_map(|line| line.split_once(':'));
        named.filter(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value.trim()).next()
    }

    /// The body as JSON.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).expect("JSON")
    }
}

/// Returns the answer to a request. None closes the connection without an answer.
type Answer = dyn Fn(&Received) -> Option<String> + Send + Sync;

/// A receiver that answers every request with the answer that was set last. It listens until the process ends.
#[derive(Clone)]
pub struct Receiver {
    address: SocketAddr,
    received: Arc<Mutex<Vec<Received>>>,
    answer: Arc<Mutex<Arc<Answer>>>,
}

impl Receiver {
    /// Listens on a free port and answers with 204.
    pub fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("its address");
        let answer: Arc<Answer> = Arc::new(|_| Some("204 No Content".to_string()));
        let receiver = Receiver { address, received: Arc::default(), answer: Arc::new(Mutex::new(answer)) };
        let own = receiver.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let own = own.clone();
                std::thread::spawn(move || own.serve(stream));
            }
        });
        receiver
    }

    fn serve(&self, mut stream: TcpStream) {
        let mut reader = BufReader::new(stream.try_clone().expect("a handle"));
        let mut head = Vec::new();
        loop {
            let mut line = String::new();
            if reader.read_line(&mut line).unwrap_or(0) == 0 || line.trim().is_empty() {
                break;
            }
            head.push(line.trim().to_string());
        }
        let mut received = Received { head, body: String::new(), bytes: Vec::new() };
        let length = received.header("Content-Length").and_then(|length| length.parse().ok()).unwrap_or(0);
        received.bytes = vec![0; length];
        if received.head.is_empty() || reader.read_exact(&mut received.bytes).is_err() {
            return;
        }
        received.body = String::from_utf8_lossy(&received.bytes).into_owned();
        let answer = Arc::clone(&self.answer.lock().unwrap());
        let answer = answer(&received);
        self.received.lock().unwrap().push(received);
        let Some(answer) = answer else { return };
        let _ = write!(stream, "HTTP/1.1 {answer}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
    }

    /// The URL of a path on the receiver.
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// The port.
    pub fn port(&self) -> u16 {
        self.address.port()
    }

    /// Sets the answer to all later requests: a status line without the version, and optional headers.
    pub fn answers(&self, answer: &str) {
        let answer = answer.to_string();
        self.answers_by(move |_| Some(answer.clone()));
    }

    /// Sets a function that answers all later requests. It returns an answer as for [`answers`](Self::answers), or None to close
    /// the connection without an answer.
    pub fn answers_by(&self, answer: impl Fn(&Received) -> Option<String> + Send + Sync + 'static) {
        *self.answer.lock().unwrap() = Arc::new(answer);
    }

    /// All requests that were received so far.
    pub fn received(&self) -> Vec<Received> {
        self.received.lock().unwrap().clone()
    }

    /// Waits until at least `count` requests were received, and returns all of them.
    #[track_caller]
    pub fn wait_for(&self, count: usize) -> Vec<Received> {
        let failure = || format!("{count} requests: {:?}", self.received());
        eventually_or(failure, || Some(self.received()).filter(|received| received.len() >= count))
    }
}
