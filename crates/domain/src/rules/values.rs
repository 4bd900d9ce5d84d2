//! A rule: its conditions, its actions, and how many there may be.

use crate::ids::{AccountId, CategoryId, ProfileId, RuleId};
use crate::money::Money;
use crate::transactions::Kind;
use crate::words::words;

/// The most rules of one profile.
pub const RULES_MAX: usize = 200;
/// The most conditions of one rule.
pub const CONDITIONS_MAX: usize = 10;
/// The most actions of one rule.
pub const ACTIONS_MAX: usize = 5;
/// The most characters of a text that descriptions are compared with.
pub const TEXT_CHARS_MAX: usize = 100;
/// The last place in the order of rules.
pub const POSITION_MAX: i64 = 1_000_000;

words! {
    /// Which of its conditions a row must meet. The API calls it `match`.
    pub enum Matching {
        /// Every one.
        All = "all",
        /// At least one.
        Any = "any",
    }
}

words! {
    /// What a condition looks at.
    pub enum Field {
        /// The description in the statement.
        Description = "description",
        /// The amount, above zero.
        Amount = "amount",
        /// Income or expense.
        Kind = "type",
        /// The account.
        Account = "account_id",
        /// The day of the month of the date in the statement.
        Day = "day",
    }
}

words! {
    /// How a condition compares.
    pub enum Op {
        /// The description contains the text.
        Contains = "contains",
        /// The description does not contain the text.
        NotContains = "not_contains",
        /// The description begins with the text.
        StartsWith = "starts_with",
        /// The description ends with the text.
        EndsWith = "ends_with",
        /// The description is the text.
        Equals = "equals",
        /// It is the value.
        Eq = "eq",
        /// It is the value or more.
        Gte = "gte",
        /// It is the value or less.
        Lte = "lte",
        /// It is one of the two values or lies between them.
        Between = "between",
    }
}

words! {
    /// How a description is compared with a text.
    pub enum TextOp {
        /// It contains the text, also in the middle of a word.
        Contains = "contains",
        /// It does not contain the text.
        NotContains = "not_contains",
        /// It begins with the text.
        StartsWith = "starts_with",
        /// It ends with the text.
        EndsWith = "ends_with",
        /// It is the text.
        Equals = "equals",
    }
}

words! {
    /// What a rule does with a row. The API calls it `action`.
    pub enum ActionKind {
        /// Files it under a category.
        SetCategory = "set_category",
        /// Adds a tag.
        AddTag = "add_tag",
        /// Gives it another description.
        Rename = "rename",
        /// Makes it a transfer whose other side is not recorded here.
        MarkTransfer = "mark_transfer",
        /// Leaves it out of imports.
        Skip = "skip",
    }
}

/// A condition, checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Condition {
    /// The description in the statement, compared with a text of 1 to [`TEXT_CHARS_MAX`] characters.
    Description(TextOp, String),
    /// The amount. A bound is none if there is no such bound; both bounds are inclusive.
    Amount {
        /// How it is written: `eq`, `gte`, `lte` or `between`.
        op: Op,
        /// The lowest amount.
        min: Option<Money>,
        /// The highest amount.
        max: Option<Money>,
    },
    /// Income or expense.
    Kind(Kind),
    /// The account.
    Account(AccountId),
    /// The days of the month, from the first to the last, 1 to 31.
    Day(u8, u8),
}

impl Condition {
    /// What it looks at.
    pub fn field(&self) -> Field {
        match self {
            Condition::Description(..) => Field::Description,
            Condition::Amount { .. } => Field::Amount,
            Condition::Kind(_) => Field::Kind,
            Condition::Account(_) => Field::Account,
            Condition::Day(..) => Field::Day,
        }
    }

    /// How it compares.
    pub fn op(&self) -> Op {
        match self {
            Condition::Description(TextOp::Contains, _) => Op::Contains,
            Condition::Description(TextOp::NotContains, _) => Op::NotContains,
            Condition::Description(TextOp::StartsWith, _) => Op::StartsWith,
            Condition::Description(TextOp::EndsWith, _) => Op::EndsWith,
            Condition::Description(TextOp::Equals, _) => Op::Equals,
            Condition::Amount { op, .. } => *op,
            Condition::Kind(_) | Condition::Account(_) => Op::Eq,
            Condition::Day(..) => Op::Between,
        }
    }
}

/// What a rule does, checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action {
    /// Files the row under the category.
    SetCategory(CategoryId),
    /// Adds the tag, unless the row has the maximum number of tags.
    AddTag(String),
    /// Gives it the description, 1 to 255 characters.
    Rename(String),
    /// Makes it a transfer whose other side is not recorded here.
    MarkTransfer,
    /// Leaves it out of imports.
    Skip,
}

impl Action {
    /// What it does.
    pub fn kind(&self) -> ActionKind {
        match self {
            Action::SetCategory(_) => ActionKind::SetCategory,
            Action::AddTag(_) => ActionKind::AddTag,
            Action::Rename(_) => ActionKind::Rename,
            Action::MarkTransfer => ActionKind::MarkTransfer,
            Action::Skip => ActionKind::Skip,
        }
    }
}

/// A rule of a profile.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    /// Its id.
    pub id: RuleId,
    /// The profile that owns it.
    pub profile_id: ProfileId,
    /// Its content.
    pub content: NewRule,
}

/// The content of a rule, checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewRule {
    /// Its name.
    pub name: String,
    /// Its position. Rules with a lower position go first, then those with a lower id.
    pub position: i64,
    /// Whether it is applied.
    pub is_enabled: bool,
    /// Which of its conditions a row must meet.
    pub matching: Matching,
    /// 1 to [`CONDITIONS_MAX`].
    pub conditions: Vec<Condition>,
    /// 1 to [`ACTIONS_MAX`], each kind once.
    pub actions: Vec<Action>,
}
