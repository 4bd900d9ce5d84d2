//! Sends one message to the mail server that is configured.

use std::error::Error;
use std::fmt;
use std::io::ErrorKind;
use std::net::{SocketAddr, ToSocketAddrs};
use std::time::{Duration, Instant, SystemTime};

use finance_domain::notices::{Message, Outcome};
use finance_domain::webhooks::{Failure, is_public};
use lettre::address::Envelope;
use lettre::message::header::{ContentType, HeaderName, HeaderValue};
use lettre::message::{Mailbox, MessageBuilder};
use lettre::transport::smtp::authentication::{Credentials, DEFAULT_MECHANISMS};
use lettre::transport::smtp::client::{SmtpConnection, TlsParameters};
use lettre::transport::smtp::extension::ClientId;
use percent_encoding::percent_decode_str;
use time::OffsetDateTime;
use url::Url;

/// How long a message may take, with the connection: an attempt that begins in the first half of a turn ends within it. A server may wait
/// before it greets.
const ATTEMPT_MAX: Duration = Duration::from_secs(25);
/// Said of a server without encryption on the internet.
const PUBLIC: &str = "has a public address, to which mail is sent with TLS only: smtps:, or ?tls=required";
/// The longest wait for one answer.
const ANSWER_MAX: Duration = Duration::from_secs(15);

/// How the connection to the server is encrypted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Encryption {
    /// From the first byte.
    Whole,
    /// After `STARTTLS`, without which nothing is sent.
    Upgraded,
    /// Not at all. The server has to have a private address.
    None,
}

/// A mail server.
#[derive(Clone)]
pub struct MailServer {
    host: String,
    port: u16,
    encryption: Encryption,
    credentials: Option<Credentials>,
}

/// Shows neither the user nor the password.
impl fmt::Debug for MailServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "MailServer({}:{}, {:?})", self.host, self.port, self.encryption)
    }
}

impl MailServer {
    /// Reads the URL of a server: `smtps:`, `smtp:` with `?tls=required`, or `smtp:` alone, which is only for private addresses.
    ///
    /// ```
    /// use finance_adapters_delivery::MailServer;
    ///
    /// for good in ["smtps://ana:pw@smtp.example", "smtp://smtp.example:587?tls=required", "smtp://127.0.0.1:25", "smtp://mail"] {
    ///     assert!(MailServer::parse(good).is_ok(), "{good}");
    /// }
    /// for wrong in ["smtp.example", "https://smtp.example", "smtp://smtp.example?tls=maybe", "smtp://93.184.215.14", "smtps://ana@a.example"] {
    ///     assert!(MailServer::parse(wrong).is_err(), "{wrong}");
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// What is wrong with it, without the text, which may contain a password.
    pub fn parse(text: &str) -> Result<Self, &'static str> {
        const FORM: &str =
            "must be smtps://USER:PASSWORD@HOST, smtp://…?tls=required, or smtp://HOST of a private network";
        let url = Url::parse(text).map_err(|_| FORM)?;
        let host = url.host_str().filter(|host| !host.is_empty()).ok_or(FORM)?;
        if !matches!(url.path(), "" | "/") || url.fragment().is_some() {
            return Err(FORM);
        }
        let query: Vec<(String, String)> = url.query_pairs().into_owned().collect();
        let is_required = match &query[..] {
            [] => false,
            [(key, value)] if key == "tls" && value == "required" => true,
            _ => return Err("can have no parameter but tls=required"),
        };
        let (encryption, port) = match (url.scheme(), is_required) {
            ("smtps", _) => (Encryption::Whole, 465),
            ("smtp", true) => (Encryption::Upgraded, 587),
            ("smtp", false) => (Encryption::None, 25),
            _ => return Err(FORM),
        };
        let port = match url.port() {
            Some(0) => return Err("must have a port other than 0"),
            other => other.unwrap_or(port),
        };
        let decoded = |text: &str| percent_decode_str(text).decode_utf8().map(|text| text.into_owned());
        let credentials = match (url.username(), url.password()) {
            ("", None) => None,
            (user, Some(password)) if !user.is_empty() => {
                let unreadable = "has a user or password that is not percent-encoded UTF-8";
                let user = decoded(user).map_err(|_| unreadable)?;
                Some(Credentials::new(user, decoded(password).map_err(|_| unreadable)?))
            }
            _ => return Err("has a user without a password, or a password without a user"),
        };
        let host = host.trim_start_matches('[').trim_end_matches(']').to_string();
        let server = MailServer { host, port, encryption, credentials };
        let address = server.host.parse();
        if encryption == Encryption::None && address.is_ok_and(is_public) {
            return Err(PUBLIC);
        }
        Ok(server)
    }

    /// Checks what can be known before anything is sent: the name of a server without encryption must not resolve to a public
    /// address. A name that does not resolve is looked up again for each message.
    ///
    /// # Errors
    ///
    /// [`MailError::Public`].
    pub fn check(&self) -> Result<(), MailError> {
        match self.addresses() {
            Err(error @ MailError::Public) => Err(error),
            _ => Ok(()),
        }
    }

    /// The host of the server.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// The addresses to connect to. The connection goes to them: there is no second resolution that could give another answer.
    fn addresses(&self) -> Result<Vec<SocketAddr>, MailError> {
        let found = (self.host.as_str(), self.port).to_socket_addrs().map_err(|_| MailError::Unresolved)?;
        let found: Vec<SocketAddr> = found.collect();
        if self.encryption == Encryption::None && found.iter().any(|address| is_public(address.ip())) {
            return Err(MailError::Public);
        }
        Ok(found)
    }
}

/// Who the mail is from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sender(Mailbox);

impl Sender {
    /// Reads `finance@example.com`, or a name and that in angle brackets. None for anything else.
    ///
    /// ```
    /// use finance_adapters_delivery::Sender;
    ///
    /// assert_eq!(Sender::parse("Finance <finance@example.com>").unwrap().address(), "finance@example.com");
    /// assert!(Sender::parse("finance").is_none());
    /// ```
    pub fn parse(text: &str) -> Option<Self> {
        text.parse().ok().map(Sender)
    }

    /// The address alone.
    pub fn address(&self) -> &str {
        self.0.email.as_ref()
    }
}

/// Why a message was not sent.
#[derive(Debug)]
pub enum MailError {
    /// The address or the content cannot be written as a message.
    Unwritable,
    /// The name of the server does not resolve.
    Unresolved,
    /// The server has a public address, and the connection would not be encrypted.
    Public,
    /// It took too long.
    Timeout,
    /// What the server said, or why it could not be reached.
    Smtp(lettre::transport::smtp::Error),
}

impl fmt::Display for MailError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            MailError::Unwritable => "the message cannot be written",
            MailError::Unresolved => "the name of the mail server does not resolve",
            MailError::Public => return write!(f, "the mail server {PUBLIC}"),
            MailError::Timeout => "the mail server did not answer in time",
            MailError::Smtp(_) => "the mail server",
        })
    }
}

impl Error for MailError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            MailError::Smtp(error) => Some(error),
            _ => None,
        }
    }
}

impl From<lettre::transport::smtp::Error> for MailError {
    fn from(error: lettre::transport::smtp::Error) -> Self {
        if is_timeout(&error) { MailError::Timeout } else { MailError::Smtp(error) }
    }
}

impl MailError {
    /// The word that is stored.
    fn failure(&self) -> Failure {
        match self {
            MailError::Unresolved | MailError::Public => Failure::Unresolved,
            MailError::Timeout => Failure::Timeout,
            MailError::Unwritable => Failure::Status,
            MailError::Smtp(error) if error.status().is_some() => Failure::Status,
            MailError::Smtp(_) => Failure::Connection,
        }
    }
}

/// Whether the system gave up a wait. A timeout of a socket is one of two errors, which depends on the system.
fn is_timeout(error: &(dyn Error + 'static)) -> bool {
    let mut source = Some(error);
    while let Some(error) = source {
        let kind = error.downcast_ref::<std::io::Error>().map(std::io::Error::kind);
        if matches!(kind, Some(ErrorKind::TimedOut | ErrorKind::WouldBlock)) {
            return true;
        }
        source = error.source();
    }
    false
}

/// Sends messages by one mail server.
#[derive(Debug)]
pub struct Mail {
    server: MailServer,
    from: Sender,
    page: Option<String>,
}

impl Mail {
    /// A sender by a server. `page` is the origin of the pages, which messages link to.
    pub fn new(server: MailServer, from: Sender, page: Option<String>) -> Self {
        Mail { server, from, page }
    }

    /// The host of the server.
    pub fn host(&self) -> &str {
        self.server.host()
    }

    /// Sends a message, and says why it was not sent.
    ///
    /// # Errors
    ///
    /// Why it was not sent.
    pub fn deliver(&self, to: &str, message: &Message, now: OffsetDateTime) -> Result<(), MailError> {
        let mail = self.written(to, message, now).ok_or(MailError::Unwritable)?;
        let until = Instant::now() + ATTEMPT_MAX;
        let left = || match until.saturating_duration_since(Instant::now()).min(ANSWER_MAX) {
            Duration::ZERO => Err(MailError::Timeout),
            left => Ok(left),
        };
        let addresses = self.server.addresses()?;
        let tls = TlsParameters::new(self.server.host.clone())?;
        let whole = (self.server.encryption == Encryption::Whole).then_some(&tls);
        let hello = self.hello();
        let mut connection = SmtpConnection::connect(&addresses[..], Some(left()?), &hello, whole, None)?;
        let limited = |connection: &mut SmtpConnection| match connection.set_timeout(Some(left()?)) {
            Ok(()) => Ok(()),
            Err(_) => Err(MailError::Timeout),
        };
        if self.server.encryption == Encryption::Upgraded {
            limited(&mut connection)?;
            connection.starttls(&tls, &hello)?;
        }
        if let Some(credentials) = &self.server.credentials {
            limited(&mut connection)?;
            connection.auth(DEFAULT_MECHANISMS, credentials)?;
        }
        limited(&mut connection)?;
        connection.send(mail.envelope(), &mail.formatted())?;
        // The message is accepted, whatever the server answers to the farewell.
        let _ = connection.quit();
        Ok(())
    }

    /// Sends a message.
    pub(crate) fn send(&self, to: &str, message: &Message, now: OffsetDateTime) -> Outcome {
        match self.deliver(to, message, now) {
            Ok(()) => Outcome::Done,
            Err(error) => Outcome::Failed(error.failure()),
        }
    }

    /// The message. None if the address cannot be written.
    fn written(&self, to: &str, message: &Message, now: OffsetDateTime) -> Option<lettre::Message> {
        let to = Mailbox::new(None, to.parse().ok()?);
        let envelope = Envelope::new(Some(self.from.0.email.clone()), vec![to.email.clone()]).ok()?;
        let text = match &self.page {
            Some(page) => format!("{}\n\n{page}{}\n", message.body, message.url),
            None => format!("{}\n", message.body),
        };
        let domain = self.from.0.email.domain();
        let plain =
            |name, value: &str| HeaderName::new_from_ascii(name).ok().map(|name| HeaderValue::new(name, value.into()));
        MessageBuilder::new()
            .envelope(envelope)
            .from(self.from.0.clone())
            .to(to)
            .subject(one_line(&message.title))
            .date(SystemTime::from(now))
            .message_id(Some(format!("<{}@{domain}>", message.message_id)))
            // No program answers it that it is away.
            .raw_header(plain("Auto-Submitted".into(), "auto-generated")?)
            .raw_header(plain("Content-Language".into(), message.language.as_str())?)
            .header(ContentType::TEXT_PLAIN)
            .body(text)
            .ok()
    }

    /// What the server is greeted with: the domain of the sender.
    fn hello(&self) -> ClientId {
        ClientId::Domain(self.from.0.email.domain().to_string())
    }
}

/// A text without line breaks.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
