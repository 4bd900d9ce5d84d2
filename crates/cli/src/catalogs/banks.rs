//! Where banks offer statements: `config/banks.toml`.

use anyhow::{Context, Result, bail, ensure};
use finance_http::Bank;
use serde::Deserialize;

const FILE: &str = "config/banks.toml";
const SHIPPED: &str = include_str!("../../../../config/banks.toml");

/// The formats that the reader of statements supports.
const FORMATS: [&str; 5] = ["OFX", "CSV", "XLSX", "XLS", "ODS"];
const CHANNELS: [&str; 2] = ["app", "site"];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct BanksFile {
    bank: Vec<BankEntry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct BankEntry {
    name: String,
    channels: Vec<String>,
    path: Vec<String>,
    formats: Vec<String>,
}

/// Where banks offer statements in a readable format, by name.
///
/// # Errors
///
/// If `config/banks.toml` is invalid. The message names the bank.
pub fn banks() -> Result<Vec<Bank>> {
    read(SHIPPED)
}

fn read(text: &str) -> Result<Vec<Bank>> {
    let BanksFile { bank } = toml::from_str(text).context(FILE)?;
    let mut banks: Vec<Bank> = Vec::new();
    for BankEntry { name, channels, path, formats } in bank {
        let of = || format!("{FILE}: {name:?}");
        ensure!(!name.trim().is_empty(), "{FILE}: a bank has no name");
        if let Some(last) = banks.last()
            && last.name.to_lowercase() >= name.to_lowercase()
        {
            bail!("{}: banks are listed once, by name", of());
        }
        for (key, values, known) in [("channels", &channels, &CHANNELS[..]), ("formats", &formats, &FORMATS[..])] {
            ensure!(!values.is_empty(), "{}: {key} is empty", of());
            if let Some(unknown) = values.iter().find(|value| !known.contains(&value.as_str())) {
                bail!("{}: {key} has {unknown:?}, which is none of {}", of(), known.join(", "));
            }
        }
        ensure!(!path.is_empty() && path.iter().all(|step| !step.trim().is_empty()), "{}: path is empty", of());
        banks.push(Bank { name, channels, path, formats });
    }
    ensure!(!banks.is_empty(), "{FILE}: no bank");
    Ok(banks)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shipped_banks_are_sound() {
        let banks = banks().unwrap();
        for name in ["BTG Pactual", "C6 Bank", "Itaú", "Nubank", "PagBank", "Santander"] {
            assert!(banks.iter().any(|bank| bank.name == name), "{name}");
        }
    }

    #[test]
    fn what_is_wrong_is_named_by_file_and_bank() {
        for (from, to, part) in [
            ("\"Inter\"", "\"Banco do Brasil\"", "listed once"),
            ("\"Inter\"", "\" \"", "no name"),
            ("[\"OFX\", \"CSV\"]", "[\"PDF\"]", "PDF"),
            ("[\"site\"]", "[\"agência\"]", "agência"),
            ("[\"site\"]", "[]", "channels is empty"),
            ("\"Salvar\"", "\"\"", "path is empty"),
            ("path =", "menu =", "menu"),
        ] {
            let error = format!("{:#}", read(&SHIPPED.replacen(from, to, 1)).unwrap_err());
            assert!(error.contains(FILE) && error.contains(part), "{error}");
        }
        assert!(read("bank = []").is_err());
    }
}
