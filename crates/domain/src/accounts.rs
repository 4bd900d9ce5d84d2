//! Accounts: banks, investments and cards. A balance is income minus expenses over the transactions of the account up to today.

use std::collections::HashMap;

use time::Date;

use crate::credit_bills::{ChangedBill, Cycle, Cycles};
use crate::error::{FieldErrors, Result};
use crate::ids::{AccountId, ProfileId};
use crate::money::{Money, Percentage};
use crate::month::{Month, day_of_month};
use crate::text;
use crate::violations::Violation;
use crate::words::words;
use crate::yields::{DayCount, Rule, YieldTax};

words! {
    /// The kind of an account. It does not change after creation.
    pub enum AccountKind {
        /// A current account.
        Current = "current",
        /// A savings account.
        Savings = "savings",
        /// An investment.
        Investment = "investment",
        /// A credit card.
        Credit = "credit",
    }
}

impl AccountKind {
    /// Whether money is paid out of such an account. Bills of cards are paid from these, and a forecast shows their balance.
    ///
    /// ```
    /// use finance_domain::accounts::AccountKind;
    ///
    /// assert!(AccountKind::Savings.is_spent_from());
    /// assert!(!AccountKind::Investment.is_spent_from());
    /// ```
    pub fn is_spent_from(self) -> bool {
        matches!(self, AccountKind::Current | AccountKind::Savings)
    }

    /// Whether money is spent from such an account, unless the household says otherwise.
    pub fn is_spendable_at_first(self) -> bool {
        self == AccountKind::Current
    }
}

words! {
    /// How an account yields. An investment may have any value except poupança, savings only poupança or none. Other accounts do
    /// not yield.
    #[derive(Default)]
    pub enum YieldType {
        /// It does not yield.
        #[default]
        None = "none",
        /// A percentage of the CDI rate, accrued by this service.
        Cdi = "cdi",
        /// It yields, but this service does not compute the yield.
        Variable = "variable",
        /// Poupança, accrued by this service; only on savings.
        Savings = "poupanca",
        /// A fixed yearly rate, accrued by this service.
        Fixed = "fixed",
        /// The price index IPCA plus a yearly rate, accrued by this service.
        Ipca = "ipca",
        /// The Selic rate plus a yearly rate, accrued by this service.
        Selic = "selic",
    }
}

impl YieldType {
    /// Whether this service computes and posts the yield.
    pub fn is_accrued(self) -> bool {
        !matches!(self, YieldType::None | YieldType::Variable)
    }

    /// Whether an account of that kind may have this yield type.
    fn fits(self, kind: AccountKind) -> bool {
        match self {
            YieldType::None => true,
            YieldType::Savings => kind == AccountKind::Savings,
            YieldType::Cdi | YieldType::Variable | YieldType::Fixed | YieldType::Ipca | YieldType::Selic => {
                kind == AccountKind::Investment
            }
        }
    }

    /// The yearly rate if none is given. None if a rate is required, or if the type has no rate.
    fn default_rate(self) -> Option<Percentage> {
        matches!(self, YieldType::Ipca | YieldType::Selic).then(Percentage::default)
    }

    /// Whether it has a yearly rate.
    fn has_rate(self) -> bool {
        matches!(self, YieldType::Fixed | YieldType::Ipca | YieldType::Selic)
    }
}

/// An account of a profile.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Account {
    /// Its id.
    pub id: AccountId,
    /// The profile that owns it.
    pub profile_id: ProfileId,
    /// Its name, unique in the profile ignoring case.
    pub name: String,
    /// The kind of account.
    pub kind: AccountKind,
    /// Whether its money is [free to spend](crate::forecast::Forecast::free_to_spend). Never on a card.
    pub is_spendable: bool,
    /// How it yields.
    pub yield_type: YieldType,
    /// Its share of the CDI rate, above 0 to 1000 percent.
    pub cdi_percentage: Percentage,
    /// The yearly rate in percent: the fixed rate, or the rate added to IPCA or Selic. None for other yield types.
    pub yield_rate: Option<Percentage>,
    /// How days without a published CDI rate count. None if the service's setting applies.
    pub yield_day_count: Option<DayCount>,
    /// Whether its yield is taxed; only on an investment.
    pub yield_tax: YieldTax,
    /// The last day whose yield is paid or settled. None until the account first has a yield
    /// type that this service accrues.
    pub last_yield_date: Option<Date>,
    /// When a card's bills close and are due, in the past too. None on any other account.
    pub cycles: Option<Cycles>,
    /// Income minus expenses over its transactions dated up to today.
    pub balance: Money,
    /// Income minus expenses over its transactions dated after today.
    pub ahead: Money,
    /// The part of [`ahead`](Account::ahead) that is neither a transfer to it nor in [`held`](Account::held): what is bought or taken out
    /// already, such as later instalments.
    pub bought_ahead: Money,
    /// Whether it has transactions dated after today. Their sums may be zero.
    pub has_later_rows: bool,
    /// What its statements with a later payment date ask for, zero or less: it is owed, and in no balance yet. Those that are held, and
    /// rows of confirmed ones until that date.
    pub held: Money,
    /// Whether it has held statements. Refunds may be as much as what one of them asks for.
    pub has_held: bool,
    /// Whether its opening balance is kept by the service: the payments of bills that are not stored.
    pub opening_is_derived: bool,
    /// Whether a person or a file said what it held on some day.
    pub has_anchors: bool,
    /// The credit limit of a card, 0 or more. None if it is not known, and on any other account.
    pub credit_limit: Option<Money>,
    /// What an upgrade changed on a card's open bill or the one before it, until somebody has read it.
    pub changed_bill: Option<ChangedBill>,
}

impl Account {
    /// The present days of the month on which a card's bills close and are due. None on any other account.
    pub fn days(&self) -> Option<Cycle> {
        self.cycles.as_ref().map(Cycles::present)
    }

    /// The rule of its daily yield. None if it does not yield, or does not yield daily.
    pub fn daily_rule(&self) -> Option<Rule> {
        let rate = self.yield_rate.unwrap_or_default();
        match self.yield_type {
            YieldType::Cdi => Some(Rule::Cdi(self.cdi_percentage)),
            YieldType::Fixed => Some(Rule::Fixed(rate)),
            YieldType::Ipca => Some(Rule::Ipca(rate)),
            YieldType::Selic => Some(Rule::Selic(rate)),
            YieldType::None | YieldType::Variable | YieldType::Savings => None,
        }
    }

    /// What it is worth today: the balance, less what statements ask for later.
    pub fn worth(&self) -> Money {
        self.balance + self.held
    }

    /// Whether what is free to spend includes it. A card never is, whatever a person said.
    pub fn counts_as_spendable(&self) -> bool {
        self.is_spendable && self.kind != AccountKind::Credit
    }

    /// Income minus expenses over all its transactions, of any date.
    pub fn of_all_rows(&self) -> Money {
        self.balance + self.ahead
    }

    /// The available limit of a card: the limit, less what is owed today, less what is bought or taken out on later dates, less the amount
    /// `projected` to be spent. None if the limit is not known. A payment counts on its date.
    pub fn available_limit(&self, projected: Money) -> Option<Money> {
        self.credit_limit.map(|limit| limit + self.worth() + self.bought_ahead - projected)
    }
}

/// The fields of an account that a client sets, checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewAccount {
    /// Its name.
    pub name: String,
    /// The kind of account.
    pub kind: AccountKind,
    /// Whether its money is free to spend.
    pub is_spendable: bool,
    /// How it yields.
    pub yield_type: YieldType,
    /// Its share of the CDI rate, above 0 to 1000 percent.
    pub cdi_percentage: Percentage,
    /// The yearly rate in percent: the fixed rate, or the rate added to IPCA or Selic. None for other yield types.
    pub yield_rate: Option<Percentage>,
    /// How days without a published CDI rate count. None if the service's setting applies.
    pub yield_day_count: Option<DayCount>,
    /// Whether its yield is taxed; only on an investment.
    pub yield_tax: YieldTax,
    /// The last day whose yield is paid or settled.
    pub last_yield_date: Option<Date>,
    /// The day of the month on which a card's bill closes, 1 to 31. None on any other account.
    pub closing_day: Option<u8>,
    /// The day of the month on which a card's bill is due, 1 to 31. None on any other account.
    pub due_day: Option<u8>,
    /// The credit limit of a card, 0 or more.
    pub credit_limit: Option<Money>,
}

/// An account as a client sends it, not yet checked.
#[derive(Debug, Clone, Default)]
pub struct AccountInput {
    /// Required, 1 to 100 characters.
    pub name: Option<String>,
    /// Required; cannot change later.
    pub kind: Option<AccountKind>,
    /// If absent, an account keeps its value; a new one has it if it is a current account. Never on a card.
    pub is_spendable: Option<bool>,
    /// `none` if absent. `poupanca` is only allowed on savings, other values only on an investment.
    pub yield_type: Option<YieldType>,
    /// 100 if absent; above 0, at most 1000.
    pub cdi_percentage: Option<Percentage>,
    /// Percent a year, 0 to 1000. For `fixed` it is required and above 0; for `ipca` and `selic` it is 0 if absent. Ignored
    /// otherwise.
    pub yield_rate: Option<Percentage>,
    /// The service's setting if absent.
    pub yield_day_count: Option<DayCount>,
    /// `none` if absent. Other values are only allowed on an investment.
    pub yield_tax: Option<YieldTax>,
    /// Used when accrued yield is switched on, ignored otherwise. Today if absent; must not be after today.
    pub last_yield_date: Option<Date>,
    /// 1 to 31; required on a card, refused elsewhere.
    pub closing_day: Option<i64>,
    /// 1 to 31; required on a card, refused elsewhere.
    pub due_day: Option<i64>,
    /// 0 to 9999999999.99; only on a card.
    pub credit_limit: Option<Money>,
    /// Signed. Creates one transaction that counts only towards the balance. Ignored by an update.
    pub opening_balance: Option<Money>,
    /// The date of the opening balance. Today if absent; must not be after today. Ignored by an update.
    pub opening_date: Option<Date>,
    /// What it holds at the end of today, as [`anchors`](crate::anchors) keep it. Not together with an opening balance.
    pub balance_today: Option<Money>,
    /// Fields that could not be read. They are reported together with those that break a rule.
    pub errors: FieldErrors,
}

impl AccountInput {
    /// Applies the rules. `before` is the account before an update; None for a new account. `paid_until` is the day of its last
    /// yield; None if no yield was paid. `day_count` is the service's setting.
    pub(crate) fn check(
        self,
        before: Option<&Account>,
        paid_until: Option<Date>,
        today: Date,
        day_count: DayCount,
    ) -> Result<NewAccount> {
        let mut errors = self.errors;
        let name = errors.require("name", self.name).and_then(|name| errors.check("name", text::name(&name)));
        let kind = errors.require("kind", self.kind);
        if before.is_some_and(|before| kind.is_some_and(|kind| kind != before.kind)) {
            errors.push("kind", Violation::Fixed);
        }
        if self.is_spendable == Some(true) && kind == Some(AccountKind::Credit) {
            errors.push("spendable", Violation::not_one_of(&["false"]));
        }
        let yield_type = self.yield_type.unwrap_or_default();
        if kind.is_some_and(|kind| !yield_type.fits(kind)) {
            errors.push(
                "yield_type",
                match yield_type {
                    YieldType::Savings => Violation::OnlyOnSavings,
                    _ => Violation::OnlyOnInvestment,
                },
            );
        }
        let yield_rate = check_rate(yield_type, self.yield_rate, &mut errors);
        let yield_tax = self.yield_tax.unwrap_or_default();
        if yield_tax != YieldTax::None && kind.is_some_and(|kind| kind != AccountKind::Investment) {
            errors.push("yield_tax", Violation::OnlyOnInvestment);
        }
        // A client that sends back the value that it read does not fix the account to the current setting.
        let follows = before.is_some_and(|before| before.yield_day_count.is_none());
        let yield_day_count = self.yield_day_count.filter(|given| !(follows && *given == day_count));
        let cdi_percentage = self.cdi_percentage.unwrap_or(Percentage::whole(100));
        if cdi_percentage <= Percentage::default() || cdi_percentage > Percentage::whole(1000) {
            errors.push("cdi_percentage", Violation::OutOfOpenRange { above: 0.into(), max: 1000.into() });
        }
        let yielding = before.is_some_and(|before| before.yield_type.is_accrued());
        let last_yield_date = if !yield_type.is_accrued() || yielding {
            before.and_then(|before| before.last_yield_date)
        } else {
            let date = self.last_yield_date.unwrap_or(today);
            if date > today {
                errors.push("last_yield_date", Violation::AfterToday);
            } else if paid_until.is_some_and(|paid| date < paid) {
                errors.push("last_yield_date", Violation::BeforeLastYield);
            }
            Some(date)
        };
        let is_card = kind == Some(AccountKind::Credit);
        let closing_day = check_day("closing_day", self.closing_day, kind.map(|_| is_card), &mut errors);
        let due_day = check_day("due_day", self.due_day, kind.map(|_| is_card), &mut errors);
        if let Some(limit) = self.credit_limit {
            if kind.is_some() && !is_card {
                errors.push("credit_limit", Violation::OnlyOnCard);
            } else if limit < Money::ZERO || limit > Money::TRANSACTION_MAX {
                errors.push("credit_limit", Violation::out_of_range(0, Money::TRANSACTION_MAX));
            }
        }
        if before.is_none() {
            if let Some(balance) = self.opening_balance {
                errors.check("opening_balance", balance.stated_balance());
            }
            if self.opening_date.is_some_and(|date| date > today) {
                errors.push("opening_date", Violation::AfterToday);
            }
        }
        if let Some(balance) = self.balance_today {
            errors.check("balance_today", balance.stated_balance());
            if self.opening_balance.is_some() {
                errors.push("balance_today", Violation::WithOpeningBalance);
            }
        }
        let (name, kind) = errors.all((name, kind))?;
        Ok(NewAccount {
            name,
            kind,
            is_spendable: self.is_spendable.unwrap_or_else(|| match before {
                Some(before) => before.is_spendable,
                None => kind.is_spendable_at_first(),
            }),
            yield_type,
            cdi_percentage,
            yield_rate,
            yield_day_count,
            yield_tax,
            last_yield_date,
            closing_day,
            due_day,
            credit_limit: self.credit_limit,
        })
    }
}

/// A yearly rate: 0 to [`YIELD_RATE_MAX`]. A fixed rate is required and above 0. None if the yield type has no rate.
fn check_rate(yield_type: YieldType, rate: Option<Percentage>, errors: &mut FieldErrors) -> Option<Percentage> {
    let (least, most) = (Percentage::default(), YIELD_RATE_MAX);
    // A rate out of range is refused even if the yield type does not use it.
    let rate =
        if yield_type.has_rate() { errors.require("yield_rate", rate.or(yield_type.default_rate()))? } else { rate? };
    if yield_type == YieldType::Fixed && (rate <= least || rate > most) {
        errors.push("yield_rate", Violation::OutOfOpenRange { above: 0.into(), max: 1000.into() });
    } else if rate < least || rate > most {
        errors.push("yield_rate", Violation::out_of_range(0, 1000));
    }
    yield_type.has_rate().then_some(rate)
}

/// A closing or due day: required on a card, refused elsewhere, 1 to 31.
fn check_day(field: &str, day: Option<i64>, is_card: Option<bool>, errors: &mut FieldErrors) -> Option<u8> {
    match (day, is_card) {
        (Some(_), Some(false)) => errors.push(field, Violation::OnlyOnCard),
        (None, Some(true)) => errors.push(field, Violation::RequiredOnCard),
        (Some(day), _) => return errors.check(field, day_of_month(day)),
        (None, _) => {}
    }
    None
}

/// The highest yearly rate.
const YIELD_RATE_MAX: Percentage = Percentage::whole(1000);

/// The most months of [`balances`].
pub const BALANCE_MONTHS_MAX: u32 = 60;

/// An account's balance at the end of a month.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MonthBalance {
    /// The month.
    pub month: Month,
    /// Income minus expenses dated up to its last day, or up to today in the current month.
    pub balance: Money,
}

/// The balances of the last `months` months, the current one last. `balance` includes all transactions of any date. `changes` are
/// the sums by date, income minus expenses, of all dates from the first of these months on.
///
/// ```
/// use finance_domain::accounts::balances;
/// use finance_domain::Money;
/// use time::macros::date;
///
/// let changes = [
///     (date!(2026-02-03), Money::from_cents(2_000)),
///     (date!(2026-03-10), Money::from_cents(-500)),
///     (date!(2026-03-20), Money::from_cents(9_900)), // not yet
/// ];
/// let found = balances(Money::from_cents(12_400), &changes, 3, date!(2026-03-15));
/// let told: Vec<String> = found.iter().map(|at| format!("{} {}", at.month, at.balance)).collect();
/// assert_eq!(told, ["2026-01 10.00", "2026-02 30.00", "2026-03 25.00"]);
/// ```
pub fn balances(balance: Money, changes: &[(Date, Money)], months: u32, today: Date) -> Vec<MonthBalance> {
    let first = first_balance_month(months, today);
    let mut changes = changes.to_vec();
    changes.sort_unstable_by_key(|(date, _)| *date);
    let mut at_end: Money = balance - changes.iter().map(|(_, change)| *change).sum();
    let mut changes = changes.into_iter().peekable();
    let mut found = Vec::new();
    let mut month = first;
    while month <= Month::of(today) {
        let end = month.last_day().min(today);
        while let Some((_, change)) = changes.next_if(|(date, _)| *date <= end) {
            at_end += change;
        }
        found.push(MonthBalance { month, balance: at_end });
        month = month.plus(1);
    }
    found
}

/// The first of `months` months of which the current one is the last.
pub fn first_balance_month(months: u32, today: Date) -> Month {
    // At most BALANCE_MONTHS_MAX, so the cast keeps the value.
    Month::of(today).minus(months.clamp(1, BALANCE_MONTHS_MAX) as i32 - 1)
}

/// The most accounts of one profile.
pub const ACCOUNTS_MAX: usize = 200;

/// The port of accounts. Every method may fail as [`Store::transact`](crate::Store::transact) does.
pub trait AccountRepo {
    /// All accounts with their balances of a day, by name.
    fn account_list(&mut self, today: Date) -> Result<Vec<Account>>;
    /// The kind of each account.
    fn account_kinds(&mut self) -> Result<HashMap<AccountId, AccountKind>>;
    /// How many accounts there are.
    fn account_count(&mut self) -> Result<usize>;
    /// The account of that id with its balance of a day, if the profile has one.
    fn account_get(&mut self, id: AccountId, today: Date) -> Result<Option<Account>>;
    /// Income minus expenses of an account by date, from `first` on, in date order. All dates after `last` are summed into one.
    fn account_changes(&mut self, id: AccountId, first: Date, last: Date) -> Result<Vec<(Date, Money)>>;
    /// Stores a new account; [`Refusal::AccountNameTaken`](crate::Refusal::AccountNameTaken) if the name is taken.
    fn account_insert(&mut self, new: &NewAccount) -> Result<AccountId>;
    /// Replaces the fields of an account. Returns whether there is such an account.
    fn account_update(&mut self, id: AccountId, new: &NewAccount) -> Result<bool>;
    /// Deletes an account, its opening balance and its bills; [`Refusal::AccountInUse`](crate::Refusal::AccountInUse) if another
    /// transaction, a payment of one of the bills or a pending statement refers to the account.
    fn account_delete(&mut self, id: AccountId) -> Result<()>;
}
