//! What the texts of statements say about transfers: evidence for [`recognise`](crate::transfers::recognise).

use crate::error::{ConfigError, NOT_FOLDED};
use crate::text::normalized;

/// The phrases of statements, by what they say. Read once, when the program starts.
///
/// ```
/// use finance_domain::transfers::{PhraseLists, Phrases};
///
/// let lists = PhraseLists {
///     paid_out: vec!["pagamento fatura".into()],
///     paid_in: vec!["pagamento recebido".into()],
///     moved: vec!["doc".into(), "transf".into(), "transferenc".into()],
///     invested: vec!["resgate".into()],
///     lent: vec!["valor adicionado na conta por cartao de credito".into()],
///     billers: vec!["sabesp".into()],
///     whole_words: vec!["doc".into()],
///     abbreviations: vec!["transf".into()],
/// };
/// let phrases = Phrases::new(lists)?;
/// assert!(phrases.evidence("PAGAMENTO  FATURA CARTÃO").paid_out);
/// assert!(!phrases.evidence("PAGAMENTO FATURA SABESP").paid_out);
/// assert!(phrases.evidence("Transferência enviada").moved);
/// assert!(phrases.evidence("DOC 123").moved && !phrases.evidence("DOCERIA DA ANA").moved);
/// assert!(phrases.evidence("TRANSF123").moved && !phrases.evidence("TRANSFORMADORES LTDA").moved);
/// # Ok::<(), finance_domain::ConfigError>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Phrases {
    paid_out: Vec<Phrase>,
    paid_in: Vec<Phrase>,
    moved: Vec<Phrase>,
    invested: Vec<Phrase>,
    lent: Vec<Phrase>,
    billers: Vec<Phrase>,
}

/// The phrases as read from their file, not yet checked.
#[derive(Debug, Clone, Default)]
pub struct PhraseLists {
    /// From an account that pays a card's bill.
    pub paid_out: Vec<String>,
    /// From a card whose bill was paid.
    pub paid_in: Vec<String>,
    /// About money that moved between accounts.
    pub moved: Vec<String>,
    /// About money that moved into an investment or out of one.
    pub invested: Vec<String>,
    /// About money that a card lends to an account.
    pub lent: Vec<String>,
    /// Names of those who send bills that are no card's, such as water and power companies. They match whole words only.
    pub billers: Vec<String>,
    /// The phrases that match whole words only. Each is also in another list.
    pub whole_words: Vec<String>,
    /// The phrases after which no further letter may stand, though a number may. Each is also in another list.
    pub abbreviations: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Phrase {
    /// [Normalized](normalized).
    text: String,
    end: End,
}

/// What may follow a phrase without a blank.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    Anything,
    /// No letter: `TRANSF123`.
    NoLetter,
    /// Neither a letter nor a number.
    WholeWord,
}

/// What a text says about a transfer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Evidence {
    /// An account paid a card's bill.
    pub paid_out: bool,
    /// A card's bill was paid.
    pub paid_in: bool,
    /// Money moved between accounts, or into an investment or out of one.
    pub moved: bool,
    /// A card lent money to the account, which leaves it at once: Pix on credit.
    pub lent: bool,
}

impl Evidence {
    /// Whether the text says anything.
    pub fn is_any(self) -> bool {
        self.paid_out || self.paid_in || self.moved || self.lent
    }
}

/// The beginnings of the words for a card.
const CARD: [&str; 2] = ["cart", "card"];

/// Whether a normalized text names a bill or a card so that it may say that an account pays one. Storage finds such rows by an index,
/// and so every phrase of payments has to pass.
///
/// ```
/// use finance_domain::transfers::may_pay_a_card;
///
/// assert!(may_pay_a_card("pgto fat cartao c6") && may_pay_a_card("debito fatura nubank"));
/// assert!(!may_pay_a_card("compra cartao padaria"));
/// ```
pub fn may_pay_a_card(text: &str) -> bool {
    let is_credit_card = || text.split_once("cartao").is_some_and(|(_, rest)| rest.contains("credito"));
    text.contains("fatura") || text.contains("fat cartao") || is_credit_card()
}

impl Phrases {
    /// Checks the lists.
    ///
    /// # Errors
    ///
    /// If a list is empty, a phrase is not normalized, a payment of a card names [neither a bill nor a card](may_pay_a_card), or a whole
    /// word or an abbreviation is not one of the phrases.
    pub fn new(lists: PhraseLists) -> Result<Self, ConfigError> {
        let PhraseLists { paid_out, paid_in, moved, invested, lent, billers, whole_words, abbreviations } = lists;
        let end = |text: &String| match (whole_words.contains(text), abbreviations.contains(text)) {
            (true, _) => End::WholeWord,
            (false, true) => End::NoLetter,
            (false, false) => End::Anything,
        };
        let list = |list: &'static str, texts: Vec<String>| {
            if texts.is_empty() {
                return Err(ConfigError::new(list, "must not be empty"));
            }
            let phrase = |text: String| match text.is_empty() || normalized(&text) != text {
                true => Err(ConfigError::new(list, format!("{text:?} {NOT_FOLDED}"))),
                false => Ok(Phrase { end: end(&text), text }),
            };
            texts.into_iter().map(phrase).collect::<Result<Vec<_>, _>>()
        };
        let phrases = Phrases {
            paid_out: list("paid_out", paid_out)?,
            paid_in: list("paid_in", paid_in)?,
            moved: list("moved", moved)?,
            invested: list("invested", invested)?,
            lent: list("lent", lent)?,
            billers: list("billers", billers)?
                .into_iter()
                .map(|phrase| Phrase { end: End::WholeWord, ..phrase })
                .collect(),
        };
        if let Some(phrase) = phrases.paid_out.iter().find(|phrase| !may_pay_a_card(&phrase.text)) {
            let message = format!("{:?} must name a bill (fatura) or a credit card", phrase.text);
            return Err(ConfigError::new("paid_out", message));
        }
        let lists = [&phrases.paid_out, &phrases.paid_in, &phrases.moved, &phrases.invested, &phrases.lent];
        let is_listed = |word: &String| lists.iter().any(|list| list.iter().any(|phrase| phrase.text == *word));
        for (list, words) in [("whole_words", &whole_words), ("abbreviations", &abbreviations)] {
            if let Some(word) = words.iter().find(|word| !is_listed(word)) {
                return Err(ConfigError::new(list, format!("{word:?} is in none of the other lists")));
            }
        }
        Ok(phrases)
    }

    /// The phrases of accounts that pay a card's bill.
    pub fn paid_out(&self) -> Vec<&str> {
        self.paid_out.iter().map(|phrase| phrase.text.as_str()).collect()
    }

    /// The phrases of what a card lends to an account.
    pub fn lent(&self) -> Vec<&str> {
        self.lent.iter().map(|phrase| phrase.text.as_str()).collect()
    }

    /// What a description says.
    pub fn evidence(&self, description: &str) -> Evidence {
        self.evidence_of_normalized(&normalized(description))
    }

    /// What a [normalized](crate::text::normalized) description says.
    pub fn evidence_of_normalized(&self, text: &str) -> Evidence {
        let mut evidence = Evidence::default();
        let (mut names_biller, mut names_card) = (false, false);
        for start in word_starts(text) {
            let rest = &text[start..];
            let begins = |list: &[Phrase]| list.iter().any(|phrase| phrase.begins(rest));
            evidence.paid_out = evidence.paid_out || begins(&self.paid_out);
            evidence.paid_in = evidence.paid_in || begins(&self.paid_in);
            evidence.moved = evidence.moved || begins(&self.moved) || begins(&self.invested);
            evidence.lent = evidence.lent || begins(&self.lent);
            names_biller = names_biller || begins(&self.billers);
            names_card = names_card || CARD.iter().any(|word| rest.starts_with(word));
        }
        // A shop or a telephone company may have a card too.
        evidence.paid_out = evidence.paid_out && (!names_biller || names_card);
        evidence
    }
}

impl Phrase {
    fn begins(&self, text: &str) -> bool {
        let Some(rest) = text.strip_prefix(self.text.as_str()) else { return false };
        let next = rest.chars().next();
        match self.end {
            End::Anything => true,
            End::NoLetter => !next.is_some_and(char::is_alphabetic),
            End::WholeWord => !next.is_some_and(char::is_alphanumeric),
        }
    }
}

/// The positions in a text at which a word begins.
fn word_starts(text: &str) -> impl Iterator<Item = usize> + '_ {
    let mut is_inside = false;
    text.char_indices().filter_map(move |(at, letter)| {
        let was_inside = std::mem::replace(&mut is_inside, letter.is_alphanumeric());
        (is_inside && !was_inside).then_some(at)
    })
}

/// The names by which the household's people are known to their banks.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OwnNames {
    /// The words of each name, at least two.
    names: Vec<Vec<String>>,
}

impl OwnNames {
    /// Takes the names. A first name alone is ignored: others have it too.
    pub fn new<'a>(names: impl IntoIterator<Item = &'a str>) -> Self {
        let words = |name: &str| normalized(name).split_whitespace().map(str::to_string).collect::<Vec<_>>();
        OwnNames { names: names.into_iter().map(words).filter(|words| words.len() > 1).collect() }
    }

    /// Whether a [normalized](crate::text::normalized) description names one of them: from the beginning of a word on, its words are
    /// those of the name, to the end of the text or of the name, or to where the bank cut the text, and at least one letter of a second
    /// word and six characters in all are there. Banks cut names, and append dates and numbers to them.
    ///
    /// ```
    /// use finance_domain::text::normalized;
    /// use finance_domain::transfers::OwnNames;
    ///
    /// let names = OwnNames::new(["Ana Souza", "Maria Silva"]);
    /// let are_in = |description| names.are_in_normalized(&normalized(description));
    /// assert!(are_in("PIX TRANSF ANA SO05/03"));
    /// assert!(are_in("PIX ENVIADO Maria Silva Santos"));
    /// assert!(!are_in("PIX ENVIADO MARIA OLIVEIRA"));
    /// assert!(!are_in("PIX TRANSF MARIANA SILVA") && !are_in("PIX ENVIADO MARIA"));
    /// assert!(are_in("PIX MARIA S") && !are_in("PIX ANA S"));
    /// ```
    pub fn are_in_normalized(&self, text: &str) -> bool {
        !self.names.is_empty()
            && word_starts(text).any(|start| self.names.iter().any(|name| is_named(&text[start..], name)))
    }
}

/// The fewest characters of a name, with the blanks between its words, that a text which the bank cut names it by.
const CUT_CHARS_MIN: usize = 6;

/// Whether a text begins with a name of at least two words.
fn is_named(text: &str, name: &[String]) -> bool {
    let mut rest = text;
    let whole = |words: usize| name[..words].iter().map(|word| word.chars().count() + 1).sum::<usize>();
    for (at, word) in name.iter().enumerate() {
        let Some(after) = rest.strip_prefix(word.as_str()) else {
            // The bank cut the text within this word, at its end or before a date or number. Where another word follows, it is
            // another name, with an initial.
            let same = rest.chars().zip(word.chars()).take_while(|(one, other)| one == other).count();
            let next = rest.chars().skip(same).find(|next| next.is_alphanumeric());
            let is_cut = next.is_none_or(|next| !next.is_alphabetic());
            return at > 0 && same > 0 && is_cut && whole(at) + same >= CUT_CHARS_MIN;
        };
        let is_whole = !after.starts_with(char::is_alphabetic);
        if at + 1 == name.len() || !is_whole {
            return at > 0 && is_whole;
        }
        let next = after.trim_start_matches(|letter: char| !letter.is_alphanumeric());
        if next.is_empty() {
            return at > 0 && whole(at + 1) > CUT_CHARS_MIN;
        }
        rest = next;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn phrases() -> Phrases {
        let list = |texts: &[&str]| texts.iter().map(|text| text.to_string()).collect();
        let lists = PhraseLists {
            paid_out: list(&["pagamento fatura"]),
            paid_in: list(&["pagamento recebido", "pagto. por deb em c/c"]),
            moved: list(&["pix", "ted", "doc", "transf", "transferenc", "tev"]),
            invested: list(&["aplicacao", "resg", "resgat"]),
            lent: list(&["valor adicionado"]),
            billers: list(&["sabesp", "claro", "energia"]),
            whole_words: list(&["pix", "ted", "doc", "tev"]),
            abbreviations: list(&["transf", "resg"]),
        };
        Phrases::new(lists).unwrap()
    }

    #[test]
    fn a_phrase_is_found_where_a_word_begins_and_a_whole_word_as_a_whole() {
        for (text, paid_out, paid_in, moved) in [
            ("PAGAMENTO FATURA CARTAO", true, false, false),
            ("pagamento   fatura", true, false, false),
            ("PAGAMENTO FATURA SABESP", false, false, false),
            ("PAGAMENTO FATURA ENERGIA-SP 03/26", false, false, false),
            ("PAGAMENTO FATURA CLARO", false, false, false),
            ("PAGAMENTO FATURA CARTAO CLARO", true, false, false),
            ("PAGAMENTO FATURA CLAROMAR", true, false, false),
            ("REPAGAMENTO FATURA", false, false, false),
            ("DEB-PAGAMENTO FATURAS", true, false, false),
            ("Pagamento recebido", false, true, false),
            ("PAGTO. POR DEB EM C/C", false, true, false),
            ("PIX ENVIADO", false, false, true),
            ("PIX-ENVIADO", false, false, true),
            ("PIXEL STORE", false, false, false),
            ("DOCERIA DA ANA", false, false, false),
            ("CARTEDRAL TEDESCO", false, false, false),
            ("TED123", false, false, false),
            ("TED 123", false, false, true),
            ("DOC", false, false, true),
            ("Transferência", false, false, true),
            ("APLICAÇÃO CDB", false, false, true),
            ("RESGATE", false, false, true),
            ("TRANSF", false, false, true),
            ("TRANSF.AUT", false, false, true),
            ("TRANSF123", false, false, true),
            ("TRANSFORMADORES LTDA", false, false, false),
            ("RESGUARDO SEGUROS", false, false, false),
            ("", false, false, false),
        ] {
            assert_eq!(phrases().evidence(text), Evidence { paid_out, paid_in, moved, lent: false }, "{text}");
        }
    }

    #[test]
    fn lists_that_cannot_be_meant_are_refused() {
        let sound = || PhraseLists {
            paid_out: vec!["fatura a".into()],
            paid_in: vec!["b".into()],
            moved: vec!["pix".into()],
            invested: vec!["c".into()],
            lent: vec!["d".into()],
            billers: vec!["e".into()],
            whole_words: vec!["pix".into()],
            abbreviations: vec!["c".into()],
        };
        assert!(Phrases::new(sound()).is_ok());
        let list = |spoil: fn(&mut PhraseLists)| {
            let mut lists = sound();
            spoil(&mut lists);
            Phrases::new(lists).unwrap_err().place
        };
        assert_eq!(list(|lists| lists.paid_in.clear()), "paid_in");
        assert_eq!(list(|lists| lists.moved.push("PIX".into())), "moved");
        assert_eq!(list(|lists| lists.invested.push("aplicação".into())), "invested");
        assert_eq!(list(|lists| lists.paid_out.push(String::new())), "paid_out");
        assert_eq!(list(|lists| lists.paid_out.push("pagto do mes".into())), "paid_out");
        assert_eq!(list(|lists| lists.whole_words.push("doc".into())), "whole_words");
        assert_eq!(list(|lists| lists.abbreviations.push("transf".into())), "abbreviations");
    }

    #[test]
    fn a_name_agrees_word_by_word_to_where_the_bank_cut_it() {
        let names = OwnNames::new(["Fulano de Tal", "Ana  Souza", "José", "Roberto Lima"]);
        for (text, expected) in [
            ("PIX ENVIADO FULANO DE TAL", true),
            ("PIX ENVIADO FULANO DE TAL JUNIOR", true),
            ("PIX ENVIADO FULANO DE", true),
            ("PIX ENVIADO FULANO D", true),
            ("PIX ENVIADO FULANO D05/03", true),
            ("PIX ENVIADO FULANO D 05/03", true),
            ("PIX ENVIADO FULANO D OLIVEIRA", false),
            ("PIX ENVIADO FULANO DE SOUZA", false),
            ("PIX ENVIADO ANA SO PEREIRA", false),
            ("PIX ENVIADO FULANO", false),
            ("PIX ENVIADO FULANO 123", false),
            ("PIX FULANINHO DE TAL", false),
            ("PIX TRANSF ANA SO05/03", true),
            ("PIX TRANSF ANA SOUZA", true),
            ("PIX TRANSF ANA SOARES", false),
            ("PIX TRANSF ANA SILVA", false),
            ("PIX TRANSF MARIANA SOUZA", false),
            ("PIX ROBERTA LIMA", false),
            ("PIX ROBERTO LIMA", true),
            ("PIX ROBERTO LIMAO", false),
            ("TED JOSÉ", false),
            ("", false),
        ] {
            assert_eq!(names.are_in_normalized(&normalized(text)), expected, "{text}");
        }
        assert!(!OwnNames::default().are_in_normalized("pix enviado fulano de tal"));
    }
}
