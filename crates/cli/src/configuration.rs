//! Settings: the environment overrides the file, which overrides the defaults.

mod file;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

use anyhow::{Context, Result, anyhow, bail};
pub(crate) use file::Search;
use finance_adapters_delivery::{MailServer, PushKey, Sender};
use finance_domain::changes::{HISTORY_DAYS_DEFAULT, HISTORY_DAYS_MAX};
use finance_domain::month::parse_date;
use finance_domain::notices::is_push_host;
use finance_domain::yields::DayCount;
use finance_http::TrustedProxies;
use time::{Date, UtcOffset};

use crate::database_url;

/// All keys.
const KEYS: &[&str] = &[
    "DATABASE_URL",
    "DATABASE_REPLICA_URL",
    "JWT_SECRET",
    "FINANCE_BIND",
    "FINANCE_PUBLIC_URL",
    "FINANCE_TRUSTED_PROXIES",
    "FINANCE_CORS_ORIGINS",
    "FINANCE_WEB",
    "FINANCE_DATA_DIR",
    "FINANCE_BACKUP_DIR",
    "FINANCE_BACKUP_WAIT_SECONDS",
    "FINANCE_POSTGRES_BIN_DIRS",
    "FINANCE_BCB_URL",
    "FINANCE_UTC_OFFSET",
    "FINANCE_TODAY",
    "FINANCE_YIELD_DAY_COUNT",
    "FINANCE_UPLOAD_BYTES_MAX",
    "FINANCE_TRANSACTIONS_MAX",
    "FINANCE_METRICS_BIND",
    "FINANCE_WEBHOOKS_PRIVATE",
    "FINANCE_PUSH_KEY",
    "FINANCE_PUSH_HOSTS",
    "FINANCE_SMTP_URL",
    "FINANCE_MAIL_FROM",
    "FINANCE_HISTORY_DAYS",
    "FINANCE_DATABASE_WAIT_SECONDS",
    "FINANCE_MIGRATE_AT_START",
    "FINANCE_SHUTDOWN_SECONDS",
    "FINANCE_LOG_FORMAT",
    "FINANCE_URL",
    "FINANCE_TOKEN",
    "FINANCE_TOKEN_FILE",
    "RUST_LOG",
];
/// The keys of paths. In the file they are absolute, because the working directory of a command may be anybody's.
const PATHS: &[&str] = &["FINANCE_DATA_DIR", "FINANCE_BACKUP_DIR", "FINANCE_TOKEN_FILE"];
/// The highest limit of an upload. A larger statement could not be confirmed.
const UPLOAD_BYTES_CEILING: usize = 64 * 1024 * 1024;
/// The highest limit of transactions: a document of a profile can have no more rows.
const TRANSACTIONS_CEILING: usize = finance_export::ROWS_MAX;
/// The longest wait for a database or for the end of a request: an hour.
const WAIT_SECONDS_CEILING: u64 = 3_600;

/// The format of the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LogFormat {
    /// Text.
    Text,
    /// One JSON object for each line.
    Json,
}

/// The source of a setting's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Origin {
    Environment,
    File,
    Default,
}

/// A setting in effect. The value is none if the setting is optional and not set.
#[derive(Debug, Clone)]
pub(crate) struct Setting {
    pub(crate) key: &'static str,
    pub(crate) value: Option<String>,
    pub(crate) origin: Origin,
}

/// The settings. They contain secrets, so the type implements neither `Debug` nor `Display`.
#[derive(Clone)]
pub(crate) struct Configuration {
    pub(crate) database_url: Option<String>,
    pub(crate) database_replica_url: Option<String>,
    pub(crate) jwt_secret: Option<String>,
    pub(crate) bind: SocketAddr,
    /// The origin at which people open the pages. None if it is not set and the port is not known before the start.
    pub(crate) public_url: Option<String>,
    pub(crate) trusted_proxies: TrustedProxies,
    pub(crate) cors_origins: Vec<String>,
    pub(crate) web: bool,
    pub(crate) data_dir: PathBuf,
    pub(crate) backup_dir: Option<PathBuf>,
    pub(crate) backup_wait: Duration,
    pub(crate) postgres_bin_dirs: Vec<PathBuf>,
    pub(crate) bcb_url: String,
    pub(crate) day_count: DayCount,
    pub(crate) utc_offset: UtcOffset,
    pub(crate) today: Option<Date>,
    pub(crate) upload_bytes_max: usize,
    pub(crate) transactions_max: usize,
    pub(crate) metrics_bind: Option<SocketAddr>,
    pub(crate) webhooks_private: bool,
    /// The key of push messages, checked. With the private database, one is made if it is not set.
    pub(crate) push_key: Option<String>,
    /// Push services beside those of `config/push.toml`.
    pub(crate) push_hosts: Vec<String>,
    pub(crate) mail_server: Option<MailServer>,
    pub(crate) mail_from: Option<Sender>,
    pub(crate) history_days: u16,
    pub(crate) database_wait: Duration,
    pub(crate) migrate_at_start: bool,
    pub(crate) shutdown_timeout: Duration,
    pub(crate) log_format: LogFormat,
    pub(crate) log_filter: String,
    /// The service that the commands with a token connect to. If none, the one on `bind`.
    pub(crate) url: Option<String>,
    pub(crate) token: Option<String>,
    pub(crate) token_file: Option<PathBuf>,
    /// All settings as text, for [`config`](crate::config).
    pub(crate) settings: Vec<Setting>,
    /// Where the file was looked for.
    pub(crate) search: Search,
}

impl Configuration {
    /// Reads the file, if there is one, and the environment.
    pub(crate) fn load() -> Result<Self> {
        let (search, text) = file::read()?;
        let shown = search.found.as_deref().unwrap_or(Path::new("")).display().to_string();
        let mut values = parse_file(&text).context(shown)?;
        let mut from_environment = Vec::new();
        for key in KEYS.iter().copied() {
            match std::env::var(key) {
                Ok(value) => {
                    values.insert(key.to_string(), value);
                    from_environment.push(key);
                }
                Err(std::env::VarError::NotPresent) => {}
                Err(std::env::VarError::NotUnicode(_)) => bail!("{key} is not UTF-8"),
            }
        }
        let mut configuration = Self::from_values(&values)?;
        for setting in &mut configuration.settings {
            if setting.origin == Origin::File && from_environment.contains(&setting.key) {
                setting.origin = Origin::Environment;
            }
        }
        configuration.search = search;
        Ok(configuration)
    }

    /// Logs by this filter, unless the user configured one.
    pub(crate) fn log_by_default(&mut self, filter: &str) {
        if self.settings.iter().any(|setting| setting.key == "RUST_LOG" && setting.origin == Origin::Default) {
            self.log_filter = filter.to_string();
        }
    }

    fn from_values(values: &BTreeMap<String, String>) -> Result<Self> {
        // An empty variable counts as not set, as in shells and unit files.
        let text = |key: &str| values.get(key).map(|value| value.trim()).filter(|value| !value.is_empty());
        let defaults = RefCell::new(BTreeMap::new());
        let or = |key: &'static str, default: &str| {
            text(key).map(str::to_string).unwrap_or_else(|| {
                defaults.borrow_mut().insert(key, default.to_string());
                default.to_string()
            })
        };
        let seconds = |key: &'static str, default: &str| match parsed(key, &or(key, default))? {
            seconds @ 0..=WAIT_SECONDS_CEILING => Ok(Duration::from_secs(seconds)),
            beyond => Err(anyhow!("{key} must be 0 to {WAIT_SECONDS_CEILING}, not {beyond}")),
        };
        let upload_bytes_max: usize = parsed("FINANCE_UPLOAD_BYTES_MAX", &or("FINANCE_UPLOAD_BYTES_MAX", "10485760"))?;
        if !(1..=UPLOAD_BYTES_CEILING).contains(&upload_bytes_max) {
            bail!("FINANCE_UPLOAD_BYTES_MAX must be 1 to {UPLOAD_BYTES_CEILING}");
        }
        let transactions_max: usize = parsed("FINANCE_TRANSACTIONS_MAX", &or("FINANCE_TRANSACTIONS_MAX", "1000000"))?;
        if !(1..=TRANSACTIONS_CEILING).contains(&transactions_max) {
            bail!("FINANCE_TRANSACTIONS_MAX must be 1 to {TRANSACTIONS_CEILING}");
        }
        let history_days: u16 =
            parsed("FINANCE_HISTORY_DAYS", &or("FINANCE_HISTORY_DAYS", &HISTORY_DAYS_DEFAULT.to_string()))?;
        if !(1..=HISTORY_DAYS_MAX).contains(&history_days) {
            bail!("FINANCE_HISTORY_DAYS must be 1 to {HISTORY_DAYS_MAX}");
        }
        let mail_server = text("FINANCE_SMTP_URL")
            .map(|url| MailServer::parse(url).map_err(|message| anyhow!("FINANCE_SMTP_URL {message}")))
            .transpose()?;
        let mail_from = text("FINANCE_MAIL_FROM").map(mail_from).transpose()?;
        if mail_server.is_some() && mail_from.is_none() {
            bail!("FINANCE_MAIL_FROM is required with FINANCE_SMTP_URL: the address that mail is from");
        }
        let log_format = match or("FINANCE_LOG_FORMAT", "text").as_str() {
            "text" => LogFormat::Text,
            "json" => LogFormat::Json,
            other => bail!("FINANCE_LOG_FORMAT must be text or json, not {other:?}"),
        };
        let database_url = text("DATABASE_URL").map(|url| database_url::checked("DATABASE_URL", url)).transpose()?;
        let database_replica_url =
            text("DATABASE_REPLICA_URL").map(|url| database_url::checked("DATABASE_REPLICA_URL", url)).transpose()?;
        if database_replica_url.is_some() && database_url.is_none() {
            bail!("DATABASE_REPLICA_URL needs DATABASE_URL: the private database has no replica");
        }
        let bind: SocketAddr = parsed("FINANCE_BIND", &or("FINANCE_BIND", "127.0.0.1:8080"))?;
        let public_url = match text("FINANCE_PUBLIC_URL") {
            Some(origin) => Some(public_url(origin)?),
            None => local_url(bind).inspect(|url| {
                defaults.borrow_mut().insert("FINANCE_PUBLIC_URL", url.clone());
            }),
        };
        let mut configuration = Configuration {
            database_url,
            database_replica_url,
            jwt_secret: text("JWT_SECRET").map(str::to_string),
            bind,
            public_url,
            trusted_proxies: parsed("FINANCE_TRUSTED_PROXIES", &or("FINANCE_TRUSTED_PROXIES", ""))?,
            cors_origins: origins(text("FINANCE_CORS_ORIGINS").unwrap_or_default())?,
            web: yes_or_no("FINANCE_WEB", &or("FINANCE_WEB", "yes"))?,
            data_dir: match text("FINANCE_DATA_DIR") {
                Some(path) => std::path::absolute(path).context("FINANCE_DATA_DIR")?,
                None => {
                    let default = default_data_dir()?;
                    defaults.borrow_mut().insert("FINANCE_DATA_DIR", default.display().to_string());
                    default
                }
            },
            backup_dir: text("FINANCE_BACKUP_DIR")
                .map(std::path::absolute)
                .transpose()
                .context("FINANCE_BACKUP_DIR")?,
            backup_wait: seconds("FINANCE_BACKUP_WAIT_SECONDS", "300")?,
            postgres_bin_dirs: bin_dirs(text("FINANCE_POSTGRES_BIN_DIRS").unwrap_or_default())?,
            bcb_url: or("FINANCE_BCB_URL", finance_adapters_bcb::DEFAULT_URL),
            day_count: parsed("FINANCE_YIELD_DAY_COUNT", &or("FINANCE_YIELD_DAY_COUNT", "calendar"))?,
            utc_offset: utc_offset(&or("FINANCE_UTC_OFFSET", "-03:00"))?,
            today: text("FINANCE_TODAY")
                .map(|day| parse_date(day).map_err(|message| anyhow!("FINANCE_TODAY {message}, not {day:?}")))
                .transpose()?,
            upload_bytes_max,
            transactions_max,
            metrics_bind: text("FINANCE_METRICS_BIND").map(|bind| parsed("FINANCE_METRICS_BIND", bind)).transpose()?,
            push_key: text("FINANCE_PUSH_KEY").map(push_key).transpose()?,
            push_hosts: push_hosts(text("FINANCE_PUSH_HOSTS").unwrap_or_default())?,
            mail_server,
            mail_from,
            webhooks_private: yes_or_no("FINANCE_WEBHOOKS_PRIVATE", &or("FINANCE_WEBHOOKS_PRIVATE", "no"))?,
            history_days,
            database_wait: seconds("FINANCE_DATABASE_WAIT_SECONDS", "30")?,
            migrate_at_start: yes_or_no("FINANCE_MIGRATE_AT_START", &or("FINANCE_MIGRATE_AT_START", "yes"))?,
            shutdown_timeout: seconds("FINANCE_SHUTDOWN_SECONDS", "30")?,
            log_format,
            log_filter: log_filter(or("RUST_LOG", "info"))?,
            url: text("FINANCE_URL").map(service_url).transpose()?,
            token: text("FINANCE_TOKEN").map(str::to_string),
            token_file: text("FINANCE_TOKEN_FILE").map(PathBuf::from),
            settings: Vec::new(),
            search: Search::default(),
        };
        let defaults = defaults.into_inner();
        let setting = |key: &'static str| match text(key) {
            Some(value) => Setting { key, value: Some(value.to_string()), origin: Origin::File },
            None => Setting { key, value: defaults.get(key).cloned(), origin: Origin::Default },
        };
        configuration.settings = KEYS.iter().copied().map(setting).collect();
        Ok(configuration)
    }
}

fn parse_file(text: &str) -> Result<BTreeMap<String, String>> {
    let table: toml::Table = text.parse()?;
    table
        .into_iter()
        .map(|(key, value)| {
            if !KEYS.contains(&key.as_str()) {
                bail!("unknown key {key}");
            }
            let value = match value {
                toml::Value::String(text) => text,
                toml::Value::Integer(number) => number.to_string(),
                _ => bail!("{key} must be a string or a whole number"),
            };
            if PATHS.contains(&key.as_str()) && !value.trim().is_empty() && !Path::new(value.trim()).is_absolute() {
                bail!("{key} must be an absolute path in a file, not {value:?}");
            }
            Ok((key, value))
        })
        .collect()
}

/// Parses a value. The error contains the value, so no secret is parsed here.
fn parsed<T: FromStr>(key: &str, text: &str) -> Result<T>
where
    T::Err: std::fmt::Display,
{
    text.parse().map_err(|error| anyhow!("{key} cannot be {text:?}: {error}"))
}

/// A filter such as `info,finance=debug/card`: levels, and the beginnings of targets, with or without a level, then what messages hold.
fn log_filter(text: String) -> Result<String> {
    let is_level = |word: &str| word.parse::<log::LevelFilter>().is_ok();
    let is_target = |word: &str| {
        !word.is_empty()
            && word.chars().all(|letter| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-' | ':'))
    };
    let is_directive = |part: &str| match part.trim().split_once('=') {
        Some((target, level)) => is_target(target) && is_level(level),
        None => is_level(part.trim()) || is_target(part.trim()),
    };
    let directives = text.split_once('/').map_or(text.as_str(), |(directives, _)| directives);
    match directives.split(',').all(is_directive) {
        true => Ok(text),
        false => bail!("RUST_LOG must be levels and targets such as info,finance=debug, not {text:?}"),
    }
}

fn yes_or_no(key: &str, text: &str) -> Result<bool> {
    match text {
        "yes" => Ok(true),
        "no" => Ok(false),
        other => bail!("{key} must be yes or no, not {other:?}"),
    }
}

/// Reads web origins, such as `https://finance.example`, separated by commas.
fn origins(text: &str) -> Result<Vec<String>> {
    let parts = text.split(',').map(str::trim).filter(|part| !part.is_empty());
    parts
        .map(|origin| match is_origin(origin) {
            true => Ok(origin.to_string()),
            false => bail!("FINANCE_CORS_ORIGINS must hold origins such as https://finance.example, not {origin:?}"),
        })
        .collect()
}

/// Checks the key of push messages. The error does not contain it.
fn push_key(text: &str) -> Result<String> {
    match PushKey::parse(text) {
        Some(_) => Ok(text.to_string()),
        None => bail!("FINANCE_PUSH_KEY must be a key that `finance push-key` printed"),
    }
}

/// Reads hosts of push services, such as `push.example:8443`, separated by commas.
fn push_hosts(text: &str) -> Result<Vec<String>> {
    let hosts = text.split(',').map(str::trim).filter(|host| !host.is_empty());
    hosts
        .map(|host| match is_push_host(host) {
            true => Ok(host.to_string()),
            false => bail!("FINANCE_PUSH_HOSTS must hold hosts such as push.example or *.push.example, not {host:?}"),
        })
        .collect()
}

fn mail_from(text: &str) -> Result<Sender> {
    let what = "FINANCE_MAIL_FROM must be an address such as finance@example.com, or Finance <finance@example.com>";
    Sender::parse(text).with_context(|| format!("{what}, not {text:?}"))
}

/// Whether a text is a web origin, such as `https://finance.example`.
fn is_origin(text: &str) -> bool {
    let Some(host) = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://")) else { return false };
    let (name, port) = match host.rsplit_once(':') {
        Some((name, port)) if !port.ends_with(']') => (name, port),
        _ => (host, "1"),
    };
    let is_name = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || "-.[]:".contains(letter);
    !name.is_empty() && name.chars().all(is_name) && port.parse::<u16>().is_ok()
}

/// Checks the origin at which people open the pages.
fn public_url(text: &str) -> Result<String> {
    if !is_origin(text) {
        bail!("FINANCE_PUBLIC_URL must be an origin such as https://finance.example, not {text:?}");
    }
    Ok(text.to_string())
}

/// The origin at which this machine reaches the service. None if the port is chosen at the start.
fn local_url(bind: SocketAddr) -> Option<String> {
    let port = bind.port();
    match (port, bind.ip().is_unspecified()) {
        (0, _) => None,
        (_, true) => Some(format!("http://localhost:{port}")),
        (_, false) => Some(format!("http://{bind}")),
    }
}

/// Reads absolute directories, separated by colons.
fn bin_dirs(text: &str) -> Result<Vec<PathBuf>> {
    let dirs: Vec<PathBuf> = std::env::split_paths(text).filter(|dir| !dir.as_os_str().is_empty()).collect();
    match dirs.iter().find(|dir| !dir.is_absolute()) {
        Some(dir) => bail!("FINANCE_POSTGRES_BIN_DIRS must hold absolute directories, not {:?}", dir.display()),
        None => Ok(dirs),
    }
}

/// Checks a URL without a path, such as `https://finance.example`, and removes a slash at its end.
fn service_url(text: &str) -> Result<String> {
    let url = text.trim_end_matches('/');
    let rest = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://"));
    let is_origin = |rest: &str| !rest.is_empty() && !rest.contains(['/', '?', '#', '@', ' ']);
    match rest {
        Some(rest) if is_origin(rest) => Ok(url.to_string()),
        _ => Err(anyhow!("FINANCE_URL must be the address of a service such as https://finance.example")),
    }
}

/// Parses `-03:00` or `+05:30`.
fn utc_offset(text: &str) -> Result<UtcOffset> {
    let invalid = || anyhow!("FINANCE_UTC_OFFSET must be an offset such as -03:00, not {text:?}");
    let (sign, rest) = match text.split_at_checked(1) {
        Some(("-", rest)) => (-1, rest),
        Some(("+", rest)) => (1, rest),
        _ => return Err(invalid()),
    };
    let (hours, minutes) = rest.split_once(':').ok_or_else(invalid)?;
    let part = |text: &str, max: i8| match text.len() {
        2 => text.parse::<i8>().ok().filter(|value| (0..=max).contains(value)),
        _ => None,
    };
    let (hours, minutes) = part(hours, 14).zip(part(minutes, 59)).ok_or_else(invalid)?;
    UtcOffset::from_hms(sign * hours, sign * minutes, 0).map_err(|_| invalid())
}

/// The default data directory: the user's, or the system's for root.
fn default_data_dir() -> Result<PathBuf> {
    // A relative folder would depend on the working directory.
    let variable = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|folder| folder.is_absolute());
    if rustix::process::geteuid().is_root() {
        return Ok(Path::new("/var/lib/finance").to_path_buf());
    }
    if let Some(data_home) = variable("XDG_DATA_HOME") {
        return Ok(data_home.join("finance"));
    }
    let home = variable("HOME").context("FINANCE_DATA_DIR is not set, and neither is HOME to find a default in")?;
    let below = if cfg!(target_os = "macos") { "Library/Application Support/finance" } else { ".local/share/finance" };
    Ok(home.join(below))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load(pairs: &[(&str, &str)]) -> Result<Configuration> {
        let mut values = BTreeMap::from([("FINANCE_DATA_DIR".to_string(), "/tmp/x".to_string())]);
        values.extend(pairs.iter().map(|(key, value)| (key.to_string(), value.to_string())));
        Configuration::from_values(&values)
    }

    #[test]
    fn unusable_values_are_named() {
        for (key, value) in [
            ("DATABASE_REPLICA_URL", "postgresql://replica/finance"),
            ("FINANCE_BIND", "nowhere"),
            ("FINANCE_TRUSTED_PROXIES", "proxy.example"),
            ("FINANCE_TRUSTED_PROXIES", "10.0.0.0/33"),
            ("FINANCE_CORS_ORIGINS", "*"),
            ("FINANCE_CORS_ORIGINS", "https://finance.example/"),
            ("FINANCE_CORS_ORIGINS", "https://Finance.example"),
            ("FINANCE_PUBLIC_URL", "finance.example"),
            ("FINANCE_PUBLIC_URL", "https://finance.example/"),
            ("FINANCE_PUBLIC_URL", "https://finance.example/login"),
            ("FINANCE_PUBLIC_URL", "https://ana:pw@finance.example"),
            ("FINANCE_WEB", "off"),
            ("FINANCE_UTC_OFFSET", "3"),
            ("FINANCE_UTC_OFFSET", "-25:00"),
            ("FINANCE_TODAY", "31/01/2026"),
            ("FINANCE_YIELD_DAY_COUNT", "252"),
            ("FINANCE_UPLOAD_BYTES_MAX", "10MB"),
            ("FINANCE_UPLOAD_BYTES_MAX", "0"),
            ("FINANCE_TRANSACTIONS_MAX", "0"),
            ("FINANCE_TRANSACTIONS_MAX", "a million"),
            ("FINANCE_METRICS_BIND", "9090"),
            ("FINANCE_DATABASE_WAIT_SECONDS", "-1"),
            ("FINANCE_DATABASE_WAIT_SECONDS", "3601"),
            ("FINANCE_SHUTDOWN_SECONDS", "1m"),
            ("FINANCE_BACKUP_WAIT_SECONDS", "1h"),
            ("FINANCE_POSTGRES_BIN_DIRS", "/usr/lib/postgresql/15/bin:bin"),
            ("FINANCE_MIGRATE_AT_START", "maybe"),
            ("FINANCE_LOG_FORMAT", "xml"),
            ("RUST_LOG", "[["),
            ("RUST_LOG", "finance=level"),
            ("RUST_LOG", "info,=debug"),
            ("FINANCE_URL", "finance.example"),
            ("FINANCE_PUSH_KEY", "hunter2"),
            ("FINANCE_PUSH_HOSTS", "https://push.example"),
            ("FINANCE_PUSH_HOSTS", "push.example, *"),
            ("FINANCE_SMTP_URL", "smtp.example"),
            ("FINANCE_SMTP_URL", "smtp://93.184.215.14"),
            ("FINANCE_MAIL_FROM", "finance"),
        ] {
            let error = load(&[(key, value)]).map(|_| ()).unwrap_err().to_string();
            assert!(error.contains(key), "{error}");
        }
    }

    #[test]
    fn a_replica_is_one_of_a_server_of_ones_own() {
        let own = ("DATABASE_URL", "postgresql://a,b/finance");
        for replica in ["postgres://finance@b/finance", "host=b dbname=finance"] {
            let loaded = load(&[own, ("DATABASE_REPLICA_URL", replica)]).unwrap();
            assert_eq!(loaded.database_replica_url.as_deref(), Some(replica));
        }
        for unusable in ["mysql://finance:hunter2@b/finance", "hunter2"] {
            let error = load(&[own, ("DATABASE_REPLICA_URL", unusable)]).map(|_| ()).unwrap_err().to_string();
            assert!(error.contains("DATABASE_REPLICA_URL") && !error.contains("hunter2"), "{error}");
        }
    }

    #[test]
    fn mail_needs_a_server_and_a_sender() {
        let (server, from) =
            (("FINANCE_SMTP_URL", "smtps://ana:hunter2@smtp.example"), "Finance <finance@example.com>");
        let loaded = load(&[server, ("FINANCE_MAIL_FROM", from)]).unwrap();
        assert_eq!(loaded.mail_server.unwrap().host(), "smtp.example");
        assert_eq!(loaded.mail_from.unwrap().address(), "finance@example.com");
        // The sender alone names whom a push service can write to.
        assert!(load(&[("FINANCE_MAIL_FROM", from)]).unwrap().mail_server.is_none());
        let error = load(&[server]).map(|_| ()).unwrap_err().to_string();
        assert!(error.contains("FINANCE_MAIL_FROM"), "{error}");
        for wrong in ["smtps://ana:hunter2@", "smtps://ana:hunter2@smtp.example/x", "smtp://ana:hunter2@9.9.9.9"] {
            let error = load(&[("FINANCE_SMTP_URL", wrong)]).map(|_| ()).unwrap_err().to_string();
            assert!(error.contains("FINANCE_SMTP_URL") && !error.contains("hunter2"), "{error}");
        }
    }

    #[test]
    fn a_key_of_push_messages_is_not_in_an_error() {
        let key = PushKey::generate().unwrap();
        assert_eq!(load(&[("FINANCE_PUSH_KEY", &key)]).unwrap().push_key.as_deref(), Some(key.as_str()));
        let error = load(&[("FINANCE_PUSH_KEY", &key[1..])]).map(|_| ()).unwrap_err().to_string();
        assert!(!error.contains(&key[1..]), "{error}");
    }

    #[test]
    fn every_key_is_in_effect_with_its_origin() {
        let settings = load(&[("FINANCE_BIND", "0.0.0.0:80")]).unwrap().settings;
        assert_eq!(settings.iter().map(|setting| setting.key).collect::<Vec<_>>(), KEYS);
        let found = |key: &str| settings.iter().find(|setting| setting.key == key).unwrap();
        let effective = |key: &str| (found(key).value.as_deref(), found(key).origin);
        assert_eq!(effective("FINANCE_BIND"), (Some("0.0.0.0:80"), Origin::File));
        assert_eq!(effective("FINANCE_UTC_OFFSET"), (Some("-03:00"), Origin::Default));
        assert_eq!(effective("FINANCE_METRICS_BIND"), (None, Origin::Default));
    }

    #[test]
    fn links_lead_to_the_public_address_or_to_this_machine() {
        for (key, value, url) in [
            ("FINANCE_PUBLIC_URL", "https://finance.example", Some("https://finance.example")),
            ("FINANCE_PUBLIC_URL", "http://[::1]:8080", Some("http://[::1]:8080")),
            ("FINANCE_BIND", "127.0.0.1:9000", Some("http://127.0.0.1:9000")),
            ("FINANCE_BIND", "0.0.0.0:8080", Some("http://localhost:8080")),
            ("FINANCE_BIND", "[::]:8080", Some("http://localhost:8080")),
            ("FINANCE_BIND", "127.0.0.1:0", None),
        ] {
            assert_eq!(load(&[(key, value)]).unwrap().public_url.as_deref(), url, "{value}");
        }
        let both = load(&[("FINANCE_PUBLIC_URL", "https://a.example"), ("FINANCE_BIND", "127.0.0.1:0")]).unwrap();
        assert_eq!(both.public_url.as_deref(), Some("https://a.example"));
    }

    #[test]
    fn unknown_keys_of_the_file_are_named() {
        let error = parse_file("FINANCE_BIN = '127.0.0.1:1'").unwrap_err().to_string();
        assert_eq!(error, "unknown key FINANCE_BIN");
    }

    #[test]
    fn a_path_in_the_file_does_not_depend_on_the_working_directory() {
        for key in PATHS {
            let error = parse_file(&format!("{key} = 'finance'")).unwrap_err().to_string();
            assert!(error.contains(key) && error.contains("absolute"), "{error}");
            assert_eq!(parse_file(&format!("{key} = '/finance'")).unwrap()[*key], "/finance");
            assert_eq!(parse_file(&format!("{key} = ''")).unwrap()[*key], "");
        }
    }

    #[test]
    fn the_shipped_file_names_every_key_and_sets_none() {
        let shipped = include_str!("../../../config/finance.toml");
        assert!(parse_file(shipped).unwrap().is_empty());
        for key in KEYS {
            assert!(shipped.contains(&format!("# {key} = ")), "{key}");
        }
    }

    #[test]
    fn the_address_of_a_service_has_no_path_and_no_user() {
        assert_eq!(service_url("https://finance.example/").unwrap(), "https://finance.example");
        assert_eq!(service_url("http://[::1]:8080").unwrap(), "http://[::1]:8080");
        for text in
            ["finance.example", "ftp://x", "https://", "https://ana:pw@finance.example", "http://x/api", "http://a b"]
        {
            assert!(service_url(text).is_err(), "{text}");
        }
    }

    #[test]
    fn offsets_west_and_east_are_read() {
        assert_eq!(utc_offset("-03:00").unwrap(), UtcOffset::from_hms(-3, 0, 0).unwrap());
        assert_eq!(utc_offset("+05:30").unwrap(), UtcOffset::from_hms(5, 30, 0).unwrap());
    }
}
