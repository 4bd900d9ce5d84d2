//! The accounts of the statements in an OFX file.

use crate::Account;
use crate::text::{clean_to, first_line};

use super::entities;
use super::tokens::{Tag, Token, Tokens};

/// The most accounts that are returned for a file.
const ACCOUNTS_MAX: usize = 16;
/// The most characters of an account's number.
const NUMBER_CHARS_MAX: usize = 64;

/// The accounts of all statements in the text, each once, in the order of the file.
pub(crate) fn accounts(text: &str) -> Vec<Account> {
    let mut reader = Reader::default();
    for token in Tokens::new(text) {
        match token {
            Token::Open { tag, .. } => reader.open(tag),
            Token::Close(Tag::BankAccount | Tag::CardAccount) => reader.finish(),
            Token::Close(_) => reader.field = None,
            Token::Text { text, escaped } => reader.text(text, escaped),
        }
    }
    reader.finish();
    reader.found
}

#[derive(Default)]
struct Reader {
    found: Vec<Account>,
    /// The account whose values come next.
    account: Option<Account>,
    /// The value that comes next.
    field: Option<Field>,
}

#[derive(Clone, Copy)]
enum Field {
    Bank,
    Number,
}

impl Reader {
    fn open(&mut self, tag: Tag) {
        self.field = None;
        match tag {
            Tag::BankAccount | Tag::CardAccount => {
                self.finish();
                self.account = Some(Account { bank: None, number: None, is_card: tag == Tag::CardAccount });
            }
            Tag::BankId => self.field = Some(Field::Bank),
            Tag::AccountId => self.field = Some(Field::Number),
            // The account of a statement stands before its transactions.
            Tag::Statement | Tag::Transaction | Tag::Pending => self.finish(),
            _ => {}
        }
    }

    fn text(&mut self, text: &str, escaped: bool) {
        let (Some(field), Some(account)) = (self.field, &mut self.account) else { return };
        let text = if escaped { entities::decode(text) } else { text.into() };
        let number = clean_to(first_line(&text), NUMBER_CHARS_MAX);
        let value = match field {
            Field::Bank => &mut account.bank,
            Field::Number => &mut account.number,
        };
        if value.is_none() && !number.is_empty() {
            *value = Some(number);
        }
    }

    fn finish(&mut self) {
        self.field = None;
        if let Some(account) = self.account.take()
            && self.found.len() < ACCOUNTS_MAX
            && !self.found.contains(&account)
        {
            self.found.push(account);
        }
    }
}
