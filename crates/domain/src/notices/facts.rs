//! The facts that notices are about.

use time::Date;

use crate::ids::{AccountId, BillId, CategoryId, RecurringId, TransactionId};
use crate::money::Money;

/// The most expenses that are read for one evaluation: the newest.
pub const EXPENSES_READ_MAX: usize = 10_000;

/// What is known about a household on a day.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Facts {
    /// The closed bills that have an amount due, or that closed in the last week.
    pub bills: Vec<BillFact>,
    /// The recurring items that are expected in months around today.
    pub items: Vec<ItemFact>,
    /// The budgets above zero of this month.
    pub budgets: Vec<BudgetFact>,
    /// The first day that ends with a balance below zero, and the lowest balance of its month.
    pub negative: Option<(Date, Money)>,
    /// The accounts with rows of statements.
    pub statements: Vec<StatementFact>,
    /// The expenses of this month and the two before, up to today, by the day of the purchase, then id. Transfers, instalments and
    /// opening balances are no expenses here.
    pub expenses: Vec<ExpenseFact>,
    /// The week before today. None unless it is asked for.
    pub week: Option<WeekFact>,
}

/// A closed bill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BillFact {
    /// Its id.
    pub id: BillId,
    /// Its card.
    pub account_id: AccountId,
    /// The name of the card.
    pub name: String,
    /// The day on which it closed.
    pub closing_date: Date,
    /// The day on which it is due.
    pub due_date: Date,
    /// What was bought.
    pub total: Money,
    /// The total that the bank printed. None while it is open.
    pub statement: Option<Money>,
    /// What is due on it.
    pub amount_due: Money,
}

/// A recurring item that is pending or late.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ItemFact {
    /// Its id.
    pub id: RecurringId,
    /// Its description.
    pub name: String,
    /// The day on which it is expected.
    pub date: Date,
    /// The expected amount.
    pub amount: Money,
    /// Whether it is marked as late.
    pub is_late: bool,
}

/// A budget above zero, and what was spent of it this month.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BudgetFact {
    /// The category.
    pub category_id: CategoryId,
    /// Its name.
    pub name: String,
    /// The month's budget, above zero.
    pub budget: Money,
    /// What was spent, less refunds.
    pub spent: Money,
}

/// An account with rows of statements.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatementFact {
    /// The account.
    pub account_id: AccountId,
    /// Its name.
    pub name: String,
    /// The day of its newest row of a statement.
    pub date: Date,
}

/// An expense as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExpenseRow {
    /// The transaction.
    pub id: TransactionId,
    /// Its account.
    pub account_id: Option<AccountId>,
    /// The day of the purchase.
    pub date: Date,
    /// The amount.
    pub amount: Money,
    /// Its description.
    pub description: String,
    /// The statement's description, or else its own.
    pub text: String,
}

/// An expense, with the payee that its text names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExpenseFact {
    /// The transaction.
    pub id: TransactionId,
    /// Its account.
    pub account_id: Option<AccountId>,
    /// The day of the purchase.
    pub date: Date,
    /// The amount.
    pub amount: Money,
    /// Its description.
    pub name: String,
    /// The [key](crate::suggestions::Payees::key) of its payee. Empty if it names nobody.
    pub payee: String,
}

/// A week.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WeekFact {
    /// How many rows it had.
    pub rows: u64,
    /// The sum of its expenses.
    pub expenses: Money,
}
