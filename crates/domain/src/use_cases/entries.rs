//! Reads a line as an entry of the household. Nothing is saved.

use std::collections::HashMap;

use time::{Date, Duration};

use crate::accounts::Account;
use crate::categories::Category;
use crate::changes::ChangeKind;
use crate::context::Context;
use crate::credit_bills::{CreditBill, PayInput};
use crate::entries::{
    Candidate, DueBill, Entry, Field, LINE_CHARS_MAX, Missing, Names, Payment, Span, WRITTEN_DAYS_MAX, read,
};
use crate::error::{Error, FieldErrors, Result};
use crate::ids::{AccountId, BillId, CategoryId};
use crate::imports::StatementRow;
use crate::installments::{Plan, PlanInput, split};
use crate::money::Money;
use crate::store::Repo;
use crate::suggestions::Suggestion;
use crate::tags::TAGS_LISTED_MAX;
use crate::text::normalized;
use crate::transactions::{Kind, Transaction, TransactionInput};
use crate::transfers::{Transfer, TransferInput};
use crate::use_cases::{credit_bills, imports, installments, transactions, transfers};
use crate::violations::Violation;

/// A line as a client sends it, not yet checked.
#[derive(Debug, Clone, Default)]
pub struct LineInput {
    /// Required, 1 to [`LINE_CHARS_MAX`] characters.
    pub text: Option<String>,
    /// The day on which it was written. Today if absent; at most [`WRITTEN_DAYS_MAX`] days before today.
    pub on: Option<Date>,
    /// Fields that could not be read. They are reported together with those that break a rule.
    pub errors: FieldErrors,
}

/// What a line says, and what of the household belongs to it.
#[derive(Debug, Clone)]
pub struct ReadLine {
    /// The request that saves it. None for a code, which is no entry.
    pub request: Option<Request>,
    /// What was understood.
    pub understood: Vec<Span>,
    /// What is missing.
    pub missing: Vec<Missing>,
    /// The suggested category.
    pub suggestion: Option<Suggestion>,
    /// The names of accounts, and of the cards of bills, among the candidates.
    pub names: HashMap<AccountId, String>,
    /// The cards of the bills among the candidates.
    pub cards: HashMap<BillId, AccountId>,
}

/// The request that saves an entry, by its route.
#[derive(Debug, Clone)]
pub enum Request {
    /// A transaction.
    Transaction(TransactionInput),
    /// A purchase by instalments.
    Installments(PlanInput),
    /// A transfer.
    Transfer(TransferInput),
    /// The payment of a bill. Without a bill it has no route yet.
    Payment(Option<BillId>, PayInput),
}

/// Reads a line.
///
/// # Errors
///
/// [`Error::Invalid`] at `text` or `on`.
pub fn parse(repo: &mut dyn Repo, context: &Context, input: LineInput) -> Result<ReadLine> {
    let LineInput { text, on, mut errors } = input;
    let text = errors.require("text", text).and_then(|text| errors.check("text", line(text)));
    let on = on.unwrap_or(context.today);
    let earliest = context.today.saturating_sub(Duration::days(WRITTEN_DAYS_MAX));
    if on > context.today {
        errors.push("on", Violation::AfterToday);
    } else if on < earliest {
        errors.push("on", Violation::out_of_range(earliest.to_string(), context.today.to_string()));
    }
    let (text,) = errors.all((text,))?;
    let mut accounts = repo.account_list(context.today)?;
    accounts.sort_by_key(|account| account.id);
    let categories = repo.category_list()?;
    let named = accounts.iter().map(|account| (account.id, account.name.as_str(), account.kind));
    let mut names = Names::new(named, categories.iter().map(|category| category.name.as_str()));
    if text.contains('#') {
        names = names.with_tags(repo.tag_list(TAGS_LISTED_MAX)?.into_iter().map(|used| used.tag).collect());
    }
    let reading = read(&text, on, &names, &context.lexicon.grammar);
    let mut found = ReadLine {
        request: None,
        understood: reading.understood,
        missing: reading.missing,
        suggestion: None,
        names: accounts.iter().map(|account| (account.id, account.name.clone())).collect(),
        cards: HashMap::new(),
    };
    let household = Household { accounts, categories, on };
    let each = |tags: Vec<String>| Some(tags.into_iter().map(Some).collect());
    let errors = FieldErrors::default();
    match reading.entry {
        Entry::Code => {}
        Entry::Transaction { kind, amount, date, description, account_id, tags } => {
            let fields = (kind, amount, date, description.as_deref(), account_id);
            let category_id = household.file(repo, context, fields, &mut found)?;
            let (tags, rest) = (each(tags), TransactionInput::default());
            let input = TransactionInput { kind, amount, date, description, account_id, category_id, tags, ..rest };
            found.request = Some(Request::Transaction(input));
        }
        Entry::Installments { count, total_amount, amount, date, description, account_id, tags } => {
            // A statement has the instalments, not the purchase.
            let first = amount.or_else(|| total_amount.map(|total| first_of(total, count)));
            let fields = (Some(Kind::Expense), first, date, description.as_deref(), account_id);
            let category_id = household.file(repo, context, fields, &mut found)?;
            let (count, tags) = (count.and_then(|count| i64::try_from(count).ok()), each(tags));
            let input =
                PlanInput { account_id, description, date, count, total_amount, amount, category_id, tags, errors };
            found.request = Some(Request::Installments(input));
        }
        Entry::Transfer { amount, date, description, from_account_id, to_account_id } => {
            let input = TransferInput { from_account_id, to_account_id, amount, date, description, errors };
            found.request = Some(Request::Transfer(input));
        }
        Entry::Bill(entry) => {
            let due = repo.bill_list_due(None, Some(context.today))?;
            found.cards = due.iter().map(|bill| (bill.id, bill.account_id)).collect();
            let due = due.into_iter().map(|bill| DueBill {
                id: bill.id,
                account_id: bill.account_id,
                amount: bill.amount_due(),
            });
            let due: Vec<DueBill> = due.collect();
            let (account_id, date) = (entry.account_id, entry.date);
            let (request, missing) = match entry.payment(&due) {
                Payment::Bill { id, missing } => (Request::Payment(id, PayInput { account_id, date, errors }), missing),
                Payment::Transfer { to_account_id, amount, missing } => {
                    let (from_account_id, description) = (account_id, None);
                    let input = TransferInput { from_account_id, to_account_id, amount, date, description, errors };
                    (Request::Transfer(input), missing)
                }
            };
            found.request = Some(request);
            found.missing = missing;
        }
    }
    Ok(found)
}

/// The text of a line, as it is sent: its places are counted in it.
fn line(text: String) -> Result<String, Violation> {
    let max = LINE_CHARS_MAX as i64;
    if text.contains('\0') {
        Err(Violation::NulCharacter)
    } else if text.trim().is_empty() {
        Err(Violation::Blank { max })
    } else if text.chars().nth(LINE_CHARS_MAX).is_some() {
        Err(Violation::TooLong { max })
    } else {
        Ok(text)
    }
}

/// The first instalment of a purchase. The total if the number of instalments is not known.
fn first_of(total: Money, count: Option<i128>) -> Money {
    let count = count.and_then(|count| u8::try_from(count).ok());
    count.and_then(|count| split(total, count).first().copied()).unwrap_or(total)
}

/// What of the household a line may refer to.
struct Household {
    accounts: Vec<Account>,
    categories: Vec<Category>,
    on: Date,
}

/// The type, amount, date, description and account of an entry.
type Asked<'e> = (Option<Kind>, Option<Money>, Option<Date>, Option<&'e str>, Option<AccountId>);

impl Household {
    /// The category of an entry: the one that a preview would suggest, or the one that has the description as its name.
    fn file(
        &self,
        repo: &mut dyn Repo,
        context: &Context,
        (kind, amount, date, description, account_id): Asked<'_>,
        found: &mut ReadLine,
    ) -> Result<Option<CategoryId>> {
        let Some(description) = description else { return Ok(None) };
        if let Some(kind) = kind {
            let account = self.accounts.iter().find(|account| Some(account.id) == account_id);
            let row = StatementRow::new(date.unwrap_or(self.on), description, amount.unwrap_or(Money::ZERO), kind);
            found.suggestion = imports::suggestion(repo, context, account, row)?;
        }
        if let Some(suggestion) = found.suggestion {
            return Ok(Some(suggestion.category_id));
        }
        let name = normalized(description);
        let mut offered = self.categories.iter().filter(|category| !category.planning.is_hidden);
        Ok(offered.find(|category| normalized(&category.name) == name).map(|category| category.id))
    }
}

impl ReadLine {
    /// The text of a candidate: the name of an account or of a bill's card, or the value itself.
    pub fn text(&self, candidate: &Candidate) -> String {
        let name = |id: &AccountId| self.names.get(id).cloned().unwrap_or_default();
        match candidate {
            Candidate::Amount(amount) => amount.to_string(),
            Candidate::Date(date) => date.to_string(),
            Candidate::Account(id) => name(id),
            Candidate::Bill(id) => self.cards.get(id).map(name).unwrap_or_default(),
        }
    }

    /// Whether a field is missing.
    pub fn lacks(&self, field: Field) -> bool {
        self.missing.iter().any(|missing| missing.field == field)
    }
}

impl Request {
    /// How the change that saves it is recorded.
    pub fn change_kind(&self) -> ChangeKind {
        match self {
            Request::Transaction { .. } => ChangeKind::TransactionsCreate,
            Request::Installments { .. } => ChangeKind::InstallmentsCreate,
            Request::Transfer { .. } => ChangeKind::TransfersCreate,
            Request::Payment { .. } => ChangeKind::CreditBillsPay,
        }
    }
}

/// What was saved of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Saved {
    /// A transaction.
    Transaction(Transaction),
    /// A purchase by instalments.
    Installments(Plan),
    /// A transfer.
    Transfer(Box<Transfer>),
    /// A bill that is paid.
    Payment(CreditBill),
}

/// Saves what a line says, as the route of the request does.
///
/// # Errors
///
/// Those of the use case that saves it. [`Error::Invalid`] if the bill is missing.
pub fn save(repo: &mut dyn Repo, context: &Context, request: Request) -> Result<Saved> {
    Ok(match request {
        Request::Transaction(input) => Saved::Transaction(transactions::create(repo, context, input)?),
        Request::Installments(input) => Saved::Installments(installments::create(repo, context, input)?),
        Request::Transfer(input) => Saved::Transfer(Box::new(transfers::create(repo, context, input)?)),
        Request::Payment(Some(id), input) => Saved::Payment(credit_bills::pay(repo, context, id, input)?),
        Request::Payment(None, _) => return Err(Error::invalid("bill_id", Violation::Required)),
    })
}
