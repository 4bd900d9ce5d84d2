//! Addresses of databases, checked before they are used: what libpq says of one that it cannot read contains parts of it, and so may
//! contain the password.

use anyhow::{Result, bail};

const SCHEMES: [&str; 2] = ["postgresql://", "postgres://"];

/// The address, if libpq can read it: a URL or a connection string.
///
/// # Errors
///
/// That the value of this key is no such address. The error does not contain it.
pub(crate) fn checked(key: &str, text: &str) -> Result<String> {
    let is_readable = match SCHEMES.iter().find_map(|scheme| text.strip_prefix(scheme)) {
        Some(rest) => is_url_behind_scheme(rest),
        None => is_connection_string(text),
    };
    if !is_readable {
        bail!(
            "{key} must be a URL such as postgresql://finance@host/finance, where a special character of the password is written as \
             its code, such as %40 for @, or host=host dbname=finance"
        )
    }
    Ok(text.to_string())
}

/// What follows the scheme: `user:password@host:port,host:port/database?key=value&…`.
fn is_url_behind_scheme(rest: &str) -> bool {
    let (path, query) = rest.split_once('?').unwrap_or((rest, ""));
    let (authority, database) = path.split_once('/').unwrap_or((path, ""));
    let (user, hosts) = authority.split_once('@').unwrap_or(("", authority));
    let is_parameter = |parameter: &str| parameter.is_empty() || parameter.matches('=').count() == 1;
    is_encoded(rest)
        && !user.contains(['[', ']'])
        && hosts.split(',').all(is_host)
        && !database.contains(['/', '@'])
        && query.split('&').all(is_parameter)
}

/// Whether a text has the characters of a URL, and two hexadecimal digits other than those of NUL after each `%`.
fn is_encoded(text: &str) -> bool {
    let is_digits = |digits: Option<&[u8]>| {
        digits.is_some_and(|digits| digits != b"00" && digits.iter().all(u8::is_ascii_hexdigit))
    };
    let bytes = text.as_bytes();
    let is_allowed = |(at, byte): (usize, &u8)| match byte {
        b'%' => is_digits(bytes.get(at + 1..at + 3)),
        b'#' | b'"' | b'<' | b'>' | b'\\' | b'^' | b'`' | b'{' | b'|' | b'}' => false,
        other => !other.is_ascii_whitespace() && !other.is_ascii_control(),
    };
    bytes.iter().enumerate().all(is_allowed)
}

/// A name or an address, `[::1]` for one of IPv6, with a port or without.
fn is_host(text: &str) -> bool {
    let port = match text.strip_prefix('[') {
        Some(address) => match address.split_once(']') {
            Some((_, "")) => "",
            Some((_, port)) if port.starts_with(':') => &port[1..],
            _ => return false,
        },
        None => text.split_once(':').map_or("", |(_, port)| port),
    };
    !text.contains('@') && (port.is_empty() || port.parse::<u16>().is_ok())
}

/// `key=value key='value with blanks'`, with `\` before a quotation mark or itself.
fn is_connection_string(text: &str) -> bool {
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let Some((key, value)) = rest.split_once('=') else { return false };
        let key = key.trim_end();
        if key.is_empty() || !key.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_') {
            return false;
        }
        let value = value.trim_start();
        let (value, is_quoted) = value.strip_prefix('\'').map_or((value, false), |value| (value, true));
        let is_end = |letter: char| if is_quoted { letter == '\'' } else { letter.is_ascii_whitespace() };
        let mut is_escaped = false;
        let end = value.char_indices().find(|(_, letter)| {
            let ends = !is_escaped && is_end(*letter);
            is_escaped = !is_escaped && *letter == '\\';
            ends
        });
        rest = match end {
            Some((at, letter)) => value[at + letter.len_utf8()..].trim_start(),
            None if is_quoted => return false,
            None => "",
        };
    }
    !text.trim().is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_libpq_reads_is_an_address() {
        for address in [
            "postgresql://",
            "postgres://finance@/finance",
            "postgresql://finance:p%40ss%2Fword@db.example:5433/finance?sslmode=verify-full&connect_timeout=5",
            "postgres://finance@a:5432,b:5433/finance?target_session_attrs=read-write",
            "postgresql:///finance?host=%2Fvar%2Frun%2Fpostgresql&user=finance",
            "postgresql://[::1]:5432/finance",
            "host=a,b dbname=finance",
            "host = localhost user='ana maria' password='it\\'s' dbname=finance",
        ] {
            assert_eq!(checked("DATABASE_URL", address).unwrap(), address);
        }
    }

    #[test]
    fn what_it_cannot_read_is_an_error_without_the_password() {
        for address in [
            "postgres://u:top%secret@h/d",
            "postgres://u:top%00secret@h/d",
            "postgres://u:top secret@h/d",
            "postgres://u:top#secret/x@h:5/d",
            "postgres://u:top/secret@h/d",
            "postgres://u:top@secret@h/d",
            "postgres://u:topsecret@[::1/d",
            "postgres://u:topsecret@h:port/d",
            "postgres://u:topsecret@h/d?sslmode",
            "postgresq://u:topsecret@h/d",
            "mysql://u:topsecret@h/d",
            "topsecret",
            "host=h password='topsecret",
            "host=h topsecret dbname=d",
            " ",
        ] {
            let error = checked("DATABASE_URL", address).unwrap_err().to_string();
            assert!(error.starts_with("DATABASE_URL must be a URL such as") && !error.contains("secret"), "{error}");
        }
    }
}
