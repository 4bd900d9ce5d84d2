//! `finance config`: the settings in effect and the source of each, without secrets.

use anyhow::Result;
use serde_json::json;

use crate::arguments::Config;
use crate::configuration::{Configuration, Origin, Setting};
use crate::output::say;

/// Prints which file was read, and every setting, one a line in the format of the file, or all as JSON.
pub(crate) fn print(configuration: &Configuration, options: &Config) -> Result<()> {
    let has_own_database = configuration.database_url.is_some();
    let shown: Vec<Setting> =
        configuration.settings.iter().map(|setting| without_secrets(setting.clone(), has_own_database)).collect();
    if options.json {
        let settings: Vec<_> = shown
            .iter()
            .map(|setting| {
                let file = configuration.search.found.as_ref().filter(|_| setting.origin == Origin::File);
                let mut shown = json!({ "key": setting.key, "value": setting.value, "origin": name(setting.origin) });
                if let Some(file) = file {
                    shown["file"] = json!(file.display().to_string());
                }
                shown
            })
            .collect();
        say!("{}", serde_json::to_string_pretty(&settings)?);
        return Ok(());
    }
    say!("# {}", configuration.search);
    for setting in shown {
        match &setting.value {
            // A JSON string is valid TOML.
            Some(value) => say!("{} = {}  # {}", setting.key, json!(value), name(setting.origin)),
            None => say!("# {} is not set", setting.key),
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
    let value = match setting.value {
        Some(value) if is_secret(setting.key, &value) => Some("(set)".to_string()),
        None if matches!(setting.key, "JWT_SECRET" | "FINANCE_PUSH_KEY") && !has_own_database => {
            Some("(generated)".to_string())
        }
        value => value,
    };
    Setting { value, ..setting }
}

/// Whether a value is or contains a secret, such as the password of a URL.
fn is_secret(key: &str, value: &str) -> bool {
    let has_user = |url: &str| url.split_once("://").is_some_and(|(_, rest)| rest.contains('@'));
    matches!(key, "JWT_SECRET" | "DATABASE_URL" | "DATABASE_REPLICA_URL" | "FINANCE_PUSH_KEY" | "FINANCE_TOKEN")
        || has_user(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(key: &'static str, value: Option<&str>, has_own_database: bool) -> Option<String> {
        let setting = Setting { key, value: value.map(str::to_string), origin: Origin::File };
        without_secrets(setting, has_own_database).value
    }

    #[test]
    fn secrets_are_said_to_be_set_and_nothing_else() {
        for (key, value) in [
            ("JWT_SECRET", "hunter2"),
            ("FINANCE_TOKEN", "fin_hunter2"),
            ("DATABASE_URL", "postgresql://finance@db/finance"),
            ("DATABASE_URL", "host=db password=hunter2"),
            ("DATABASE_URL", "postgresql://finance:hunter2@a:5432,b:5433/finance?target_session_attrs=read-write"),
            ("DATABASE_REPLICA_URL", "host=replica password=hunter2"),
            ("FINANCE_PUSH_KEY", "hunter2"),
            ("FINANCE_SMTP_URL", "smtps://finance:hunter2@smtp.example"),
            ("FINANCE_BCB_URL", "https://user:hunter2@rates.example"),
            ("FINANCE_BCB_URL", "https://user:hun/te@r2@rates.example"),
        ] {
            assert_eq!(shown(key, Some(value), true).as_deref(), Some("(set)"), "{value}");
        }
        for (key, value) in [
            ("FINANCE_BCB_URL", "https://api.bcb.gov.br"),
            ("FINANCE_BIND", "127.0.0.1:8080"),
            ("FINANCE_SMTP_URL", "smtp://127.0.0.1:25"),
            ("FINANCE_MAIL_FROM", "Finance <finance@example.com>"),
        ] {
            assert_eq!(shown(key, Some(value), true).as_deref(), Some(value));
        }
    }

    #[test]
    fn the_private_database_comes_with_generated_secrets() {
        for key in ["JWT_SECRET", "FINANCE_PUSH_KEY"] {
            assert_eq!(shown(key, None, false).as_deref(), Some("(generated)"));
            assert_eq!(shown(key, None, true), None);
        }
    }
}
