//! The query string of a request.

use std::fmt::Display;

/// A path with the parameters that have a value.
pub(crate) struct Query {
    path: String,
    separator: char,
}

impl Query {
    /// A path without parameters.
    pub(crate) fn of(path: &str) -> Self {
        Query { path: path.to_string(), separator: '?' }
    }

    /// Adds a parameter if there is a value.
    pub(crate) fn with(mut self, name: &str, value: Option<impl Display>) -> Self {
        if let Some(value) = value {
            self.path.push(self.separator);
            self.separator = '&';
            self.path.push_str(name);
            self.path.push('=');
            encode(&value.to_string(), &mut self.path);
        }
        self
    }

    /// The path and its query.
    pub(crate) fn path(self) -> String {
        self.path
    }
}

/// Appends a text and percent-encodes every byte except the unreserved characters of RFC 3986.
fn encode(text: &str, to: &mut String) {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            to.push(char::from(byte));
        } else {
            to.push('%');
            to.push(char::from(DIGITS[usize::from(byte >> 4)]));
            to.push(char::from(DIGITS[usize::from(byte & 15)]));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_cannot_add_parameters_or_leave_the_path() {
        let query = Query::of("/api/transactions").with("q", Some("pão & x=1#/?")).with("limit", Some(5));
        let path = query.with("month", None::<&str>).path();
        assert_eq!(path, "/api/transactions?q=p%C3%A3o%20%26%20x%3D1%23%2F%3F&limit=5");
        assert_eq!(Query::of("/api/accounts").path(), "/api/accounts");
    }
}
