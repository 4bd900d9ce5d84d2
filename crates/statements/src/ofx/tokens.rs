//! Splits OFX into tags and texts.

use memchr::{memchr, memchr2, memmem};

/// A piece of an OFX file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Token<'a> {
    /// `<NAME>`, `<NAME attribute="value">`, `<NAME/>`.
    Open {
        /// The tag.
        tag: Tag,
        /// The position of its `<`.
        at: usize,
    },
    /// `</NAME>`.
    Close(Tag),
    /// The text between two tags.
    Text {
        /// As written.
        text: &'a str,
        /// Whether entities must be decoded. They must be, except in CDATA.
        escaped: bool,
    },
}

/// The tags that are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tag {
    /// STMTTRN, one transaction.
    Transaction,
    /// STMTTRNP, a transaction that is not posted yet.
    Pending,
    PendingDate,
    /// STMTRS and INVSTMTRS, the statement of an account.
    Statement,
    /// CCSTMTRS, the statement of a card.
    CardStatement,
    /// Lists of transactions in a statement.
    List,
    /// CURDEF, the currency of a statement.
    DefaultCurrency,
    /// Aggregates after the transactions.
    Balance,
    /// LEDGERBAL, what the account held.
    LedgerBalance,
    /// BALAMT.
    BalanceAmount,
    /// DTASOF.
    BalanceDate,
    /// TRNTYPE.
    Type,
    /// DTPOSTED.
    Date,
    /// TRNAMT.
    Amount,
    /// FITID.
    Id,
    /// NAME.
    Name,
    /// MEMO.
    Memo,
    /// PAYEE, an aggregate with its own NAME.
    Payee,
    /// CURRENCY, the aggregate of an amount in another currency.
    Currency,
    /// CURSYM.
    CurrencySymbol,
    /// CURRATE.
    CurrencyRate,
    /// Aggregates inside a transaction whose values are not the transaction's.
    Nested,
    /// BANKACCTFROM, the account of a statement.
    BankAccount,
    /// CCACCTFROM, the card of a statement.
    CardAccount,
    /// BANKID.
    BankId,
    /// BRANCHID.
    BranchId,
    /// ACCTID.
    AccountId,
    /// ACCTTYPE.
    AccountType,
    /// OFX, the whole file.
    File,
    /// Any other.
    Other,
}

impl Tag {
    fn of(name: &[u8]) -> Tag {
        let is = |other: &str| name.eq_ignore_ascii_case(other.as_bytes());
        match name.len() {
            3 if is("OFX") => Tag::File,
            4 if is("MEMO") => Tag::Memo,
            4 if is("NAME") => Tag::Name,
            5 if is("FITID") => Tag::Id,
            5 if is("PAYEE") => Tag::Payee,
            6 if is("TRNAMT") => Tag::Amount,
            6 if is("BANKID") => Tag::BankId,
            6 if is("ACCTID") => Tag::AccountId,
            6 if is("STMTRS") => Tag::Statement,
            6 if is("CURDEF") => Tag::DefaultCurrency,
            6 if is("CURSYM") => Tag::CurrencySymbol,
            6 if is("BALAMT") => Tag::BalanceAmount,
            6 if is("DTTRAN") => Tag::PendingDate,
            6 if is("DTASOF") => Tag::BalanceDate,
            7 if is("CURRATE") => Tag::CurrencyRate,
            7 if is("TRNTYPE") => Tag::Type,
            7 if is("STMTTRN") => Tag::Transaction,
            7 if is("BALLIST") => Tag::Balance,
            8 if is("DTPOSTED") => Tag::Date,
            8 if is("STMTTRNP") => Tag::Pending,
            8 if is("CCSTMTRS") => Tag::CardStatement,
            8 if is("AVAILBAL") => Tag::Balance,
            8 if is("BRANCHID") => Tag::BranchId,
            8 if is("ACCTTYPE") => Tag::AccountType,
            8 if is("CURRENCY") => Tag::Currency,
            8 if is("CCACCTTO") => Tag::Nested,
            9 if is("INVSTMTRS") => Tag::Statement,
            9 if is("LEDGERBAL") => Tag::LedgerBalance,
            9 if is("EXTDPAYEE") => Tag::Payee,
            9 if is("IMAGEDATA") => Tag::Nested,
            10 if is("BANKACCTTO") => Tag::Nested,
            10 if is("CCACCTFROM") => Tag::CardAccount,
            11 if is("INVTRANLIST") || is("INVBANKTRAN") => Tag::List,
            12 if is("BANKTRANLIST") => Tag::List,
            12 if is("BANKACCTFROM") => Tag::BankAccount,
            12 if is("ORIGCURRENCY") => Tag::Nested,
            13 if is("BANKTRANLISTP") => Tag::List,
            _ => Tag::Other,
        }
    }
}

/// Reads a file once, from start to end. It never fails: everything that is not a tag is text.
#[derive(Debug)]
pub(super) struct Tokens<'a> {
    text: &'a str,
    at: usize,
    cdata_end: NextMark,
    comment_end: NextMark,
}

impl<'a> Tokens<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Tokens { text, at: 0, cdata_end: NextMark::new("]]>"), comment_end: NextMark::new("-->") }
    }

    /// Reads the markup at the `<` here, and moves past it unless it is an ordinary character.
    fn markup(&mut self) -> Markup<'a> {
        let bytes = self.text.as_bytes();
        let (start, after) = (self.at, self.at + 1);
        match bytes.get(after) {
            Some(b'/') => self
                .tag(after + 1)
                .map_or(Markup::Character, |tag| tag.map_or(Markup::Nothing, |tag| Markup::Token(Token::Close(tag)))),
            Some(b'!') if bytes[after..].starts_with(b"!--") => self.comment(start + 4),
            Some(b'!') if bytes[after..].starts_with(b"![CDATA[") => self.cdata(start + 9),
            Some(b'!' | b'?') => match memchr2(b'<', b'>', &bytes[after..]) {
                Some(end) if bytes[after + end] == b'>' => {
                    self.at = after + end + 1;
                    Markup::Nothing
                }
                _ => Markup::Character,
            },
            _ => self.tag(after).map_or(Markup::Character, |tag| {
                tag.map_or(Markup::Nothing, |tag| Markup::Token(Token::Open { tag, at: start }))
            }),
        }
    }

    /// The tag whose name starts there. `None` if it is not a tag, `Some(None)` if the file ends inside it.
    fn tag(&mut self, name_at: usize) -> Option<Option<Tag>> {
        let bytes = self.text.as_bytes();
        let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-' | b':');
        let name_len = bytes[name_at..].iter().position(|byte| !is_name(byte)).unwrap_or(bytes.len() - name_at);
        let name_end = name_at + name_len;
        let name = &bytes[name_at..name_end];
        if !name.first().is_some_and(u8::is_ascii_alphabetic) {
            if name_end < bytes.len() {
                return None;
            }
            self.at = bytes.len();
            return Some(None);
        }
        let end = match bytes.get(name_end) {
            Some(b'>') => name_end,
            Some(b'/' | b' ' | b'\t' | b'\r' | b'\n') => match memchr2(b'<', b'>', &bytes[name_end..]) {
                Some(end) if bytes[name_end + end] == b'>' => name_end + end,
                _ => return None,
            },
            Some(_) => return None,
            None => {
                self.at = bytes.len();
                return Some(None);
            }
        };
        self.at = end + 1;
        Some(Some(Tag::of(name)))
    }

    fn comment(&mut self, from: usize) -> Markup<'a> {
        // A comment that is not closed before the next one begins does not hide the text after it.
        self.at = match self.comment_end.after(self.text, from) {
            Some(end) if memmem::find(&self.text.as_bytes()[from..end], b"<!--").is_none() => end + 3,
            _ => from,
        };
        Markup::Nothing
    }

    fn cdata(&mut self, from: usize) -> Markup<'a> {
        match self.cdata_end.after(self.text, from) {
            Some(end) if memmem::find(&self.text.as_bytes()[from..end], b"<![CDATA[").is_none() => {
                self.at = end + 3;
                Markup::Token(Token::Text { text: &self.text[from..end], escaped: false })
            }
            _ => {
                self.at = from;
                Markup::Nothing
            }
        }
    }
}

impl<'a> Iterator for Tokens<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        loop {
            let rest = self.text.as_bytes().get(self.at..)?;
            let start = self.at;
            match memchr(b'<', rest) {
                None if rest.is_empty() => return None,
                None => self.at = self.text.len(),
                Some(0) => match self.markup() {
                    Markup::Token(token) => return Some(token),
                    Markup::Nothing => continue,
                    Markup::Character => self.at = start + 1,
                },
                Some(length) => self.at = start + length,
            }
            return Some(Token::Text { text: &self.text[start..self.at], escaped: true });
        }
    }
}

/// What a `<` starts.
enum Markup<'a> {
    Token(Token<'a>),
    /// A comment, a declaration, or a tag in which the file ends.
    Nothing,
    /// No markup: the `<` is an ordinary character.
    Character,
}

/// The next position of a mark. Each position is searched for once, so that the time stays linear.
#[derive(Debug)]
struct NextMark {
    mark: &'static str,
    found: Option<usize>,
    searched: bool,
}

impl NextMark {
    fn new(mark: &'static str) -> Self {
        NextMark { mark, found: None, searched: false }
    }

    /// The first position from there on. `from` must not decrease from call to call.
    fn after(&mut self, text: &str, from: usize) -> Option<usize> {
        let is_known = self.searched && self.found.is_none_or(|found| found >= from);
        if !is_known {
            let found = memmem::find(&text.as_bytes()[from..], self.mark.as_bytes());
            (self.found, self.searched) = (found.map(|found| from + found), true);
        }
        self.found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(file: &str) -> Vec<String> {
        Tokens::new(file)
            .map(|token| match token {
                Token::Open { tag, .. } => format!("<{tag:?}>"),
                Token::Close(tag) => format!("</{tag:?}>"),
                Token::Text { text, escaped: true } => text.to_string(),
                Token::Text { text, escaped: false } => format!("[{text}]"),
            })
            .collect()
    }

    #[test]
    fn tags_are_found_whatever_their_case_attributes_or_closing() {
        for (file, tokens) in [
            ("<MEMO>a</memo>", vec!["<Memo>", "a", "</Memo>"]),
            ("<Memo lang='pt'\n>a", vec!["<Memo>", "a"]),
            ("<MEMO/><FITID />x</NAME >", vec!["<Memo>", "<Id>", "x", "</Name>"]),
            ("<INTU.BID>1", vec!["<Other>", "1"]),
            ("<?xml?><!DOCTYPE x>a", vec!["a"]),
        ] {
            assert_eq!(texts(file), tokens, "{file}");
        }
    }

    #[test]
    fn what_is_no_tag_is_text() {
        for (file, tokens) in [
            ("a < b", vec!["a ", "<", " b"]),
            ("<<MEMO>", vec!["<", "<Memo>"]),
            ("</>", vec!["<", "/>"]),
            ("<1>", vec!["<", "1>"]),
            ("<MEMO x<FITID>", vec!["<", "MEMO x", "<Id>"]),
            ("<! a<FITID>", vec!["<", "! a", "<Id>"]),
            ("<É>", vec!["<", "É>"]),
        ] {
            assert_eq!(texts(file), tokens, "{file}");
        }
    }

    #[test]
    fn a_tag_the_file_ends_in_is_left_out() {
        for file in ["a<", "a</", "a<FIT", "a</FITID"] {
            assert_eq!(texts(file), ["a"], "{file}");
        }
    }

    #[test]
    fn comments_are_left_out_and_cdata_is_taken_as_written() {
        for (file, tokens) in [
            ("a<!-- <MEMO> -->b", vec!["a", "b"]),
            ("<![CDATA[a & <b>]]>c", vec!["[a & <b>]", "c"]),
            ("<!-- never closed <MEMO>a", vec![" never closed ", "<Memo>", "a"]),
            ("<!-- <!-- -->a", vec![" ", "a"]),
            ("<![CDATA[a<MEMO>b", vec!["a", "<Memo>", "b"]),
            ("<![CDATA[a<MEMO><![CDATA[b]]>", vec!["a", "<Memo>", "[b]"]),
        ] {
            assert_eq!(texts(file), tokens, "{file}");
        }
    }
}
