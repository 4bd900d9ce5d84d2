//! Accounts that a line names.

use super::line::Line;
use super::values::{Candidate, Field, Missing, Part};
use super::words::{AccountWords, Grammar, Words};
use crate::accounts::AccountKind;
use crate::ids::AccountId;
use crate::text::normalized;

/// The names of a household that a line may contain, prepared for comparison.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Names {
    accounts: Vec<NamedAccount>,
    categories: Words,
    pub(super) tags: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct NamedAccount {
    id: AccountId,
    kind: AccountKind,
    words: Vec<String>,
}

impl Names {
    /// The accounts, in their order, and the categories. Each name is folded once.
    pub fn new<'n>(
        accounts: impl IntoIterator<Item = (AccountId, &'n str, AccountKind)>,
        categories: impl IntoIterator<Item = &'n str>,
    ) -> Self {
        let named = |(id, name, kind): (AccountId, &str, AccountKind)| {
            let words = name.split_whitespace().map(|word| normalized(word.trim_matches(super::line::AT_ENDS)));
            NamedAccount { id, kind, words: words.filter(|word| !word.is_empty()).collect() }
        };
        Names {
            accounts: accounts.into_iter().map(named).collect(),
            categories: categories.into_iter().map(normalized).collect(),
            tags: Vec::new(),
        }
    }

    /// The same names, with the tags in use. A line writes them in any case.
    #[must_use]
    pub fn with_tags(mut self, tags: Vec<String>) -> Self {
        self.tags = tags;
        self
    }

    pub(super) fn cards(&self) -> Vec<AccountId> {
        self.of(|kind| kind == AccountKind::Credit)
    }

    fn of(&self, fits: impl Fn(AccountKind) -> bool) -> Vec<AccountId> {
        self.accounts.iter().filter(|account| fits(account.kind)).map(|account| account.id).collect()
    }

    /// The same accounts in the order of the household.
    pub(super) fn in_order(&self, ids: &[AccountId]) -> Vec<AccountId> {
        self.accounts.iter().map(|account| account.id).filter(|id| ids.contains(id)).collect()
    }

    pub(super) fn is_card(&self, id: AccountId) -> bool {
        self.accounts.iter().any(|account| account.id == id && account.kind == AccountKind::Credit)
    }

    /// The accounts that a run of words fits, and whether it is the whole name of one.
    fn fitting(&self, run: &[&str], which: Which) -> (Vec<AccountId>, bool) {
        let those = || self.accounts.iter().filter(|account| which.holds(account.kind));
        // Two names may differ in accents and marks only.
        let whole: Vec<AccountId> = those().filter(|account| account.words == run).map(|account| account.id).collect();
        if !whole.is_empty() {
            return (whole, true);
        }
        let letters: usize = run.iter().map(|word| word.chars().count()).sum();
        if letters < LETTERS_MIN {
            return (Vec::new(), false);
        }
        (those().filter(|account| account.begins(run)).map(|account| account.id).collect(), false)
    }
}

impl NamedAccount {
    /// Whether the run begins the name at one of its longer words. The last word of the run may be cut short.
    fn begins(&self, run: &[&str]) -> bool {
        let Some((last, full)) = run.split_last() else { return false };
        self.words.windows(run.len()).any(|words| {
            let is_long = words[0].chars().nth(WORD_LETTERS_MIN - 1).is_some();
            is_long && words.iter().zip(full).all(|(word, known)| word == known) && words[full.len()].starts_with(last)
        })
    }
}

/// The least letters of a run that fits a part of a name.
const LETTERS_MIN: usize = 2;
/// The least letters of the word of a name at which a run may begin.
const WORD_LETTERS_MIN: usize = 3;
/// The most words of a run.
const RUN_WORDS_MAX: usize = 4;

/// Which accounts are looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Which {
    All,
    Cards,
    NoCards,
}

impl Which {
    fn holds(self, kind: AccountKind) -> bool {
        match self {
            Which::All => true,
            Which::Cards => kind == AccountKind::Credit,
            Which::NoCards => kind != AccountKind::Credit,
        }
    }
}

/// What fits at a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fit {
    /// Where it ends.
    pub(super) to: usize,
    pub(super) ids: Vec<AccountId>,
}

/// What a search looks for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Search<'g> {
    pub(super) grammar: &'g Grammar,
    pub(super) names: &'g Names,
    pub(super) which: Which,
    /// Whether the name of a category is no account.
    pub(super) minds_categories: bool,
}

impl Search<'_> {
    fn words(&self) -> &AccountWords {
        &self.grammar.account
    }

    /// The longest run that begins at a place and fits, or a kind of account.
    pub(super) fn at(&self, line: &Line<'_>, from: usize) -> Option<Fit> {
        self.run(line, from, self.which).or_else(|| self.kind(line, from))
    }

    /// Behind articles, if there are some.
    pub(super) fn behind(&self, line: &Line<'_>, from: usize) -> Option<Fit> {
        let mut at = from;
        loop {
            if let Some(fit) = self.at(line, at) {
                return Some(fit);
            }
            if !line.is_in(at, &self.words().articles) {
                return None;
            }
            at += 1;
        }
    }

    fn run(&self, line: &Line<'_>, from: usize, which: Which) -> Option<Fit> {
        let mut run: Vec<&str> = Vec::with_capacity(RUN_WORDS_MAX);
        for at in from..from + RUN_WORDS_MAX {
            let Some(word) = line.open(at).filter(|word| !word.is_empty()) else { break };
            let is_glued = word.starts_with('@');
            if at > from && is_glued {
                break;
            }
            run.push(word.trim_start_matches('@'));
        }
        let minds_categories = self.minds_categories && !line.open(from).is_some_and(|word| word.starts_with('@'));
        while !run.is_empty() {
            let (ids, is_whole) = self.names.fitting(&run, which);
            if !ids.is_empty() {
                let is_category = minds_categories && !is_whole && self.names.categories.contains(&run.join(" "));
                return (!is_category).then_some(Fit { to: from + run.len(), ids });
            }
            // It names an account that is not looked for. A part of the name would be another one.
            if self.names.accounts.iter().any(|account| account.words == run) {
                return None;
            }
            run.pop();
        }
        None
    }

    /// A word for a kind of account, with what is named behind it.
    fn kind(&self, line: &Line<'_>, from: usize) -> Option<Fit> {
        let words = self.words();
        let written = line.open(from)?;
        let word = written.trim_start_matches('@');
        // "@pix" is an account, whatever the categories are.
        if word == written && minds_whole_category(self, word) {
            return None;
        }
        let (those, any) = if words.card.contains(word) {
            (Which::Cards, self.names.of(|kind| kind == AccountKind::Credit))
        } else if words.current.contains(word) {
            (Which::NoCards, self.names.of(|kind| kind == AccountKind::Current))
        } else {
            return None;
        };
        if !(self.which == Which::All || self.which == those) {
            return None;
        }
        let behind = |mut at: usize| {
            while line.is_in(at, &words.of) || line.is_in(at, &words.articles) {
                at += 1;
            }
            at
        };
        let (mut to, mut at) = (from + 1, behind(from + 1));
        let mut named = self.run(line, at, those);
        // "no cartão de crédito do Nubank" says the same twice.
        let same = if those == Which::Cards { &words.card } else { &words.current };
        if named.is_none() && line.is_in(at, same) {
            to = at + 1;
            at = behind(to);
            named = self.run(line, at, those);
        }
        Some(named.unwrap_or(Fit { to, ids: any }))
    }
}

/// Whether a word for a kind of account is the name of a category.
fn minds_whole_category(search: &Search<'_>, word: &str) -> bool {
    search.minds_categories && search.names.categories.contains(word)
}

/// The accounts that a line names, in the order of the household, and whether one of them is not known. Takes their words.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Named {
    pub(super) ids: Vec<AccountId>,
    pub(super) is_unknown: bool,
    pub(super) is_any: bool,
}

/// Takes the accounts that are named behind a preposition or an `@`. `also` has prepositions besides those of the grammar. With
/// `first`, what fits among these accounts goes first.
pub(super) fn named(line: &mut Line<'_>, search: &Search<'_>, first: Option<Which>, also: &[&Words]) -> Named {
    let mut named = Named::default();
    let mut ids: Vec<AccountId> = Vec::new();
    let preferred = first.map(|which| Search { which, ..*search });
    let mut at = 0;
    while at < line.len() {
        let Some(word) = line.open(at) else {
            at += 1;
            continue;
        };
        let is_glued = word.starts_with('@') && word.len() > 1;
        let is_preposition =
            search.words().prepositions.contains(word) || also.iter().any(|words| words.contains(word));
        if !is_glued && !is_preposition {
            at += 1;
            continue;
        }
        let from = if is_glued { at } else { at + 1 };
        let fit = |search: &Search<'_>| if is_glued { search.at(line, from) } else { search.behind(line, from) };
        match preferred.as_ref().and_then(&fit).or_else(|| fit(search)) {
            Some(fit) => {
                line.take(at, fit.to, Part::Account);
                ids.extend(fit.ids);
                named.is_any = true;
                at = fit.to;
            }
            None if is_glued => {
                line.take(at, at + 1, Part::Account);
                (named.is_unknown, named.is_any) = (true, true);
                at += 1;
            }
            None => at += 1,
        }
    }
    named.ids = search.names.in_order(&ids);
    named
}

/// The account, if exactly one is named. Otherwise the field is missing with those named.
pub(super) fn one(named: &Named, field: Field, missing: &mut Vec<Missing>) -> Option<AccountId> {
    match named.ids[..] {
        [id] if !named.is_unknown => Some(id),
        [] if !named.is_any => None,
        _ => {
            missing.push(Missing { field, candidates: candidates(&named.ids) });
            None
        }
    }
}

pub(super) fn candidates(ids: &[AccountId]) -> Vec<Candidate> {
    ids.iter().map(|id| Candidate::Account(*id)).collect()
}
