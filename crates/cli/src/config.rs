//! `finance config`: the settings in effect and where each comes from, without secrets.

use anyhow::Result;
use serde_json::json;

use crate::arguments::Config;
use crate::configuration::{Configuration, Origin, Setting};

/// What stands for a password.
const MASK: &str = "***";

/// Prints every setting, one a line as `config/finance.toml` has them, or as JSON.
pub(crate) fn print(configuration: &Configuration, options: &Config) -> Result<()> {
    let has_own_database = configuration.database_url.is_some();
    let shown: Vec<Setting> =
        configuration.settings.iter().map(|setting| without_secrets(setting.clone(), has_own_database)).collect();
    if options.json {
        let settings: Vec<_> = shown
            .iter()
            .map(|setting| json!({ "key": setting.key, "value": setting.value, "origin": name(setting.origin) }))
            .collect();
        println!("{}", serde_json::to_string_pretty(&settings)?);
        return Ok(());
    }
    for setting in shown {
        match &setting.value {
            // A JSON string is a TOML one.
            Some(value) => println!("{} = {}  # {}", setting.key, json!(value), name(setting.origin)),
            None => println!("# {} is not set", setting.key),
        }
    }
    Ok(())
}

fn name(origin: Origin) -> &'static str {
    match origin {
        Origin::Environment => "environment",
        Origin::File => "file",
        Origin::Default => "default",
    }
}

fn without_secrets(setting: Setting, has_own_database: bool) -> Setting {
    let value = match (setting.key, setting.value) {
        ("JWT_SECRET", Some(_)) => Some("(set)".to_string()),
        ("JWT_SECRET", None) if !has_own_database => Some("(generated)".to_string()),
        (_, value) => value.map(|value| masked(&value)),
    };
    Setting { value, ..setting }
}

/// An address or a connection string with its passwords masked, wherever they may stand in it.
fn masked(text: &str) -> String {
    let text = mask_authority(text);
    mask_parameter(&text)
}

/// Masks the password of `scheme://user:password@host`.
fn mask_authority(text: &str) -> String {
    let Some((scheme, rest)) = text.split_once("://") else { return text.to_string() };
    // A password may hold a slash or an at sign that nobody has encoded: the last one ends it.
    let Some((user, host)) = rest.rsplit_once('@') else { return text.to_string() };
    match user.split_once(':') {
        Some((user, _)) => format!("{scheme}://{user}:{MASK}@{host}"),
        None => text.to_string(),
    }
}

/// Masks what follows `password=`, in a URL's query or in a string of `key = value` pairs.
fn mask_parameter(text: &str) -> String {
    let mut shown = String::new();
    let mut rest = text;
    while let Some(at) = rest.to_ascii_lowercase().find("password") {
        let (before, after) = rest.split_at(at + "password".len());
        shown.push_str(before);
        rest = after;
        let Some(value) = after.trim_start().strip_prefix('=').map(str::trim_start) else { continue };
        let end = match value.strip_prefix('\'') {
            Some(quoted) => closing_quote(quoted).map_or(value.len(), |at| at + 2),
            None => value.find(|letter: char| letter == '&' || letter.is_whitespace()).unwrap_or(value.len()),
        };
        shown.push('=');
        shown.push_str(MASK);
        rest = &value[end..];
    }
    shown + rest
}

/// Where a quoted value ends; a backslash escapes what follows it.
fn closing_quote(text: &str) -> Option<usize> {
    let mut escaped = false;
    text.bytes().position(|byte| {
        let closes = byte == b'\'' && !escaped;
        escaped = byte == b'\\' && !escaped;
        closes
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_are_masked_wherever_they_stand() {
        for (text, expected) in [
            ("postgresql://finance:hunter2@db/finance", "postgresql://finance:***@db/finance"),
            ("postgresql://finance:hun/te@r2@db:5432/finance", "postgresql://finance:***@db:5432/finance"),
            (
                "postgresql://db/finance?user=a&password=hunter2&port=1",
                "postgresql://db/finance?user=a&password=***&port=1",
            ),
            ("postgresql:///finance?sslpassword=hunter2", "postgresql:///finance?sslpassword=***"),
            ("host=db password=hunter2 user=a", "host=db password=*** user=a"),
            ("host=db PASSWORD = 'hun \\' ter2' user=a", "host=db PASSWORD=*** user=a"),
            ("password='hunter2", "password=***"),
            ("postgresql://finance@db/finance", "postgresql://finance@db/finance"),
            ("https://api.bcb.gov.br", "https://api.bcb.gov.br"),
            ("127.0.0.1:8080", "127.0.0.1:8080"),
        ] {
            assert_eq!(masked(text), expected);
        }
    }

    #[test]
    fn the_secret_is_told_to_be_there_and_nothing_else() {
        let secret = |value: Option<&str>, has_own_database| {
            let value = value.map(str::to_string);
            without_secrets(Setting { key: "JWT_SECRET", value, origin: Origin::File }, has_own_database).value
        };
        assert_eq!(secret(Some("hunter2"), true).as_deref(), Some("(set)"));
        assert_eq!(secret(None, false).as_deref(), Some("(generated)"));
        assert_eq!(secret(None, true), None);
    }
}
