//! Households, and a line of text for what is read.

use finance_domain::accounts::AccountKind;
use finance_domain::entries::{Candidate, DueBill, Entry, Grammar, GrammarLists, Missing, Names, Payment, Reading};
use finance_domain::{AccountId, BillId, Money};
use time::Date;
use time::macros::date;

/// The day on which all lines are written: a Tuesday.
pub(crate) const ON: Date = date!(2026 - 03 - 10);

pub(crate) fn grammar() -> Grammar {
    let text = include_str!("../../../../config/entries.toml");
    let mut lists = GrammarLists::new();
    let mut section = String::new();
    // The file has sections and lists of texts, each on a line.
    for line in text.lines() {
        if let Some(name) = line.strip_prefix('[').and_then(|name| name.strip_suffix(']')) {
            section = name.to_string();
        } else if let Some((list, texts)) = line.split_once(" = ") {
            let texts = texts.split('"').skip(1).step_by(2).map(str::to_string).collect();
            lists.entry(section.clone()).or_default().insert(list.to_string(), texts);
        }
    }
    Grammar::new(lists).unwrap()
}

pub(crate) struct Home {
    pub(crate) names: Names,
    accounts: Vec<(&'static str, AccountKind)>,
    due: Vec<DueBill>,
}

const CATEGORIES: [&str; 12] = [
    "Alimentação",
    "Mercado",
    "Restaurantes",
    "Moradia",
    "Transporte",
    "Saúde",
    "Educação",
    "Lazer",
    "Impostos",
    "Salário",
    "Outros",
    "Viagem",
];

impl Home {
    pub(crate) fn named(name: &str) -> Home {
        use AccountKind::{Credit, Current, Savings};
        let accounts: Vec<(&'static str, AccountKind)> = match name {
            "A" => vec![
                ("Conta Itaú", Current),
                ("Nubank", Credit),
                ("Itaú Visa", Credit),
                ("Poupança", Savings),
                ("Mercado Pago", Current),
            ],
            "B" => vec![("Conta", Current), ("Cartão", Credit), ("Poupança", Savings)],
            "C" => vec![("Inter", Current), ("Cartão Inter", Credit), ("C6", Credit), ("Caixinha", Savings)],
            _ => Vec::new(),
        };
        let ids = (1_i64..).map(AccountId);
        let named = ids.zip(&accounts).map(|(id, (name, kind))| (id, *name, *kind));
        let names = Names::new(named, CATEGORIES).with_tags(vec!["Viagem".into(), "casa".into(), "Férias".into()]);
        let bill = |card: i64, cents: i128| DueBill {
            id: BillId(card),
            account_id: AccountId(card),
            amount: Money::from_cents(cents),
        };
        let due = match name {
            "A" => vec![bill(2, 30_000)],
            "C" => vec![bill(2, 12_050), bill(3, 8_990)],
            _ => Vec::new(),
        };
        Home { names, accounts, due }
    }

    fn account(&self, id: AccountId) -> &'static str {
        self.accounts[usize::try_from(id.0 - 1).unwrap()].0
    }
}

/// What is read, as `path field=value …`. A field that is null or empty is left out; `!field:candidates` is missing.
pub(crate) fn describe(home: &Home, reading: &Reading) -> String {
    let mut parts: Vec<String> = Vec::new();
    let mut say = |name: &str, value: Option<String>| parts.extend(value.map(|value| format!("{name}={value}")));
    let money = |amount: Option<Money>| amount.map(|amount| amount.to_string());
    let day = |date: Option<Date>| date.map(|date| date.to_string());
    let account = |id: Option<AccountId>| id.map(|id| home.account(id).to_string());
    let tagged = |tags: &[String]| (!tags.is_empty()).then(|| tags.join(","));
    let mut missing: Vec<Missing> = reading.missing.clone();
    let path = match &reading.entry {
        Entry::Code => "code".to_string(),
        Entry::Transaction { kind, amount, date, description, account_id, tags } => {
            say("type", kind.map(|kind| kind.as_str().to_string()));
            say("amount", money(*amount));
            say("date", day(*date));
            say("description", description.clone());
            say("account", account(*account_id));
            say("tags", tagged(tags));
            "transactions".to_string()
        }
        Entry::Installments { count, total_amount, amount, date, description, account_id, tags } => {
            say("amount", money(*amount));
            say("total", money(*total_amount));
            say("count", count.map(|count| count.to_string()));
            say("date", day(*date));
            say("description", description.clone());
            say("account", account(*account_id));
            say("tags", tagged(tags));
            "installments".to_string()
        }
        Entry::Transfer { amount, date, description, from_account_id, to_account_id } => {
            say("amount", money(*amount));
            say("date", day(*date));
            say("description", description.clone());
            say("account", account(*from_account_id));
            say("to", account(*to_account_id));
            "transfers".to_string()
        }
        Entry::Bill(entry) => match entry.payment(&home.due) {
            Payment::Bill { id, missing: of_bill } => {
                missing = of_bill;
                say("date", day(entry.date));
                say("account", account(entry.account_id));
                id.map_or("pay".to_string(), |id| format!("pay:{}", home.account(AccountId(id.0))))
            }
            Payment::Transfer { to_account_id, amount, missing: of_transfer } => {
                missing = of_transfer;
                say("amount", money(amount));
                say("date", day(entry.date));
                say("account", account(entry.account_id));
                say("to", account(to_account_id));
                "transfers".to_string()
            }
        },
    };
    let candidate = |candidate: &Candidate| match candidate {
        Candidate::Amount(amount) => amount.to_string(),
        Candidate::Date(date) => date.to_string(),
        Candidate::Account(id) => home.account(*id).to_string(),
        Candidate::Bill(id) => home.account(AccountId(id.0)).to_string(),
    };
    for Missing { field, candidates } in &missing {
        let candidates: Vec<String> = candidates.iter().map(candidate).collect();
        let separator = if candidates.is_empty() { "" } else { ":" };
        parts.push(format!("!{}{separator}{}", field.as_str(), candidates.join("|")));
    }
    format!("{path} {}", parts.join("; ")).trim().to_string()
}

/// A row of the specification as a line of [`describe`]. The category is not read of the line, but of what the household filed.
pub(crate) fn line_of_specification(row: &str) -> String {
    let cells: Vec<&str> = row.split('\t').collect();
    let [_, home, text, path, kind, amount, total, count, date, description, account, to, _, tags, missing] = cells[..]
    else {
        panic!("{row:?} has other columns")
    };
    let mut parts: Vec<String> = [
        ("type", kind),
        ("amount", amount),
        ("total", total),
        ("count", count),
        ("date", date),
        ("description", description),
        ("account", account),
        ("to", to),
        ("tags", tags),
    ]
    .iter()
    .filter(|(_, value)| !value.is_empty())
    .map(|(name, value)| format!("{name}={value}"))
    .collect();
    parts.extend(missing.split(';').filter(|field| !field.is_empty()).map(|field| format!("!{field}")));
    format!("{home}\t{text}\t{}", format!("{path} {}", parts.join("; ")).trim())
}
