//! Plans: which rows are instalments of one purchase, and what is still to come. They are derived from the rows, never stored.

use std::collections::{BTreeSet, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};

use time::Date;

use super::reading::{Installment, read};
use crate::credit_bills::{Cycles, Period};
use crate::ids::{AccountId, CategoryId, TransactionId};
use crate::money::Money;
use crate::month::Month;
use crate::words::words;

/// The most bills between the last known instalment and the open bill. If there are more, nothing is projected.
pub const SILENT_BILLS_MAX: i32 = 3;

/// A row that is an instalment: an expense on a card that is not a transfer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InstallmentRow {
    /// The transaction. None for a row of a held statement.
    pub id: Option<TransactionId>,
    /// The card.
    pub account_id: AccountId,
    /// Its category, if it has one.
    pub category_id: Option<CategoryId>,
    /// The date it counts on.
    pub date: Date,
    /// The purchase date of a row that counts on its bill's payment date.
    pub original_date: Option<Date>,
    /// Which instalment it is.
    pub installment: Installment,
    /// Its description without the instalment, in the form used for [comparison](super::Reading::shop).
    pub shop: String,
    /// Its description.
    pub description: String,
    /// The amount, above zero.
    pub amount: Money,
    /// Whether it was entered by hand as a part of a plan, and no statement has contained it since.
    pub is_removable: bool,
    /// Whether a person said that nothing more comes of its plan.
    pub is_ended: bool,
}

impl InstallmentRow {
    /// The date of the purchase.
    pub fn purchase_date(&self) -> Date {
        self.original_date.unwrap_or(self.date)
    }
}

/// A card's bills, and which of them is open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Calendar {
    /// When its bills close and are due.
    pub cycles: Cycles,
    /// The period that holds today.
    pub open: Period,
    /// The [number](Cycles::number_of) of that period.
    pub number: i32,
}

impl Calendar {
    /// The calendar for today.
    pub fn new(cycles: Cycles, today: Date) -> Self {
        let open = cycles.period_holding(today);
        Calendar { number: cycles.number_of(&open), open, cycles }
    }

    /// The first day of the oldest bill on which the last row of an active plan may be. Its other rows are at most [`months_back`] before
    /// that day.
    pub fn active_since(&self) -> Date {
        let back = |period, _| self.cycles.period_before(&period);
        (0..SILENT_BILLS_MAX).fold(self.open, back).start
    }

    /// The open period and those after it.
    pub fn ahead(&self) -> impl Iterator<Item = Period> {
        std::iter::successors(Some(self.open), |period| Some(self.cycles.period_following(period)))
    }
}

words! {
    /// Whether more of a plan is to come.
    pub enum PlanStatus {
        /// More is to come.
        Active = "active",
        /// The last instalment is posted, or a person said that nothing more comes.
        Finished = "finished",
        /// Nothing was posted on the open bill or the [bills before it](SILENT_BILLS_MAX), so nothing more is projected.
        Stale = "stale",
    }
}

/// An instalment that is to come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Upcoming {
    /// Its number.
    pub number: u8,
    /// Its bill.
    pub period: Period,
    /// The amount, above zero.
    pub amount: Money,
    /// Whether it is stored. Otherwise it is projected from the last stored one.
    pub is_stored: bool,
}

impl Upcoming {
    /// The day in its period on which it is bought, if it is each month on the day of `first`.
    pub fn date(&self, first: Date) -> Date {
        let Period { start, end, .. } = self.period;
        let days = [Month::of(start), Month::of(end)].map(|month| month.day_clamped(first.day()));
        days.into_iter().find(|day| (start..=end).contains(day)).unwrap_or(start)
    }
}

/// A purchase in instalments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// Its rows, by bill, then number, also those of held statements. At least one.
    pub rows: Vec<InstallmentRow>,
    /// How many instalments it has.
    pub count: u8,
    /// The number of the last posted instalment, on the open bill or before it; 0 if none is posted.
    pub number: u8,
    /// Whether more is to come.
    pub status: PlanStatus,
    /// Whether a person said that nothing more comes, for example because the purchase was refunded.
    pub is_ended: bool,
    /// The instalments to come, in the order of their numbers: rows on bills after the open one, then projected ones.
    pub upcoming: Vec<Upcoming>,
    /// The due date of the last known or projected instalment.
    pub last_due_date: Date,
}

impl Plan {
    /// Its id: that of its first transaction. None if only held statements have it.
    pub fn id(&self) -> Option<TransactionId> {
        self.rows.iter().find_map(|row| row.id)
    }

    /// Its place in a list, which is newest first: the date of the purchase, then the id. A plan without an id is before others, by a
    /// number of its own, so that a page may end between two of them.
    pub fn place(&self) -> (Date, i64) {
        let own = || {
            let mut hasher = DefaultHasher::new();
            let InstallmentRow { account_id, shop, amount, .. } = &self.rows[0];
            (account_id, shop, amount, self.count).hash(&mut hasher);
            // No id is as large.
            i64::MAX - i64::from(hasher.finish() as u32)
        };
        (self.first_date(), self.id().map_or_else(own, |id| id.0))
    }

    /// The description of its first row without the instalment, as it is written. The whole description if nothing else is in it.
    pub fn description(&self) -> String {
        let all = &self.rows[0].description;
        read(all).map(|reading| reading.rest).filter(|rest| !rest.is_empty()).unwrap_or_else(|| all.clone())
    }

    /// The card.
    pub fn account_id(&self) -> AccountId {
        self.rows[0].account_id
    }

    /// The date of the purchase.
    pub fn first_date(&self) -> Date {
        self.rows[0].purchase_date()
    }

    /// The latest amount. Banks add the remainder of the division to the first instalment.
    pub fn amount(&self) -> Money {
        self.last().amount
    }

    /// The latest category.
    pub fn category_id(&self) -> Option<CategoryId> {
        self.rows.iter().rev().find_map(|row| row.category_id)
    }

    /// How many instalments are not posted. Of an ended plan: how many are stored on later bills.
    pub fn remaining(&self) -> u8 {
        match self.is_ended {
            true => u8::try_from(self.upcoming.len()).unwrap_or(u8::MAX),
            false => self.count - self.number,
        }
    }

    /// The amount of the instalments that are not posted. Those that are not stored count with the latest amount.
    pub fn remaining_amount(&self) -> Money {
        let stored = || self.upcoming.iter().filter(|upcoming| upcoming.is_stored);
        let known: Money = stored().map(|upcoming| upcoming.amount).sum();
        let unknown = i128::from(self.remaining()) - stored().count() as i128;
        known + Money::from_cents(self.amount().cents() * unknown)
    }

    /// Whether only the first instalment is known. Its amount may differ from the others by a few cents.
    pub fn is_estimated(&self) -> bool {
        self.last().installment.number == 1
    }

    /// The instalments to come that are projected, not stored.
    pub fn projected(&self) -> impl Iterator<Item = &Upcoming> {
        self.upcoming.iter().filter(|upcoming| !upcoming.is_stored)
    }

    fn last(&self) -> &InstallmentRow {
        &self.rows[self.rows.len() - 1]
    }
}

/// A row and its bill.
struct OnBill {
    row: InstallmentRow,
    period: Period,
    bill: i32,
}

impl OnBill {
    /// Its bill and number.
    fn place(&self) -> (i32, u8) {
        (self.bill, self.row.installment.number)
    }

    /// The difference of its number and its bill, which instalments on consecutive bills share.
    fn step(&self) -> i32 {
        i32::from(self.row.installment.number) - self.bill
    }

    /// Whether the row may be the next known one after `last` in a plan.
    fn follows(&self, last: &OnBill) -> bool {
        let (number, last_number) = (self.row.installment.number, last.row.installment.number);
        let bills = self.bill - last.bill;
        let most = i32::from(number) - i32::from(last_number) + 1;
        let differ = (self.row.amount - last.row.amount).abs();
        number > last_number
            && (0..=most).contains(&bills)
            && differ <= Money::from_cents(i128::from(self.row.installment.count) - 1)
    }
}

/// How many months of rows before the [oldest bill](Calendar::active_since) are enough to find the active plans of so many instalments.
///
/// Each row of a plan may be one bill later than its number says, so the first row of n instalments is at most 2 · (n − 1) bills before the
/// last. A purchase whose first rows are not read begins as a plan of its own. That makes no difference to plans that begin n bills later.
/// Three months are for payment dates and for bills that became longer.
///
/// ```
/// use finance_domain::installments::months_back;
///
/// assert_eq!(months_back(12), 39);
/// ```
pub const fn months_back(count: u8) -> i32 {
    3 * count as i32 + 3
}

/// Groups rows into plans, the newest plan first. `rows` must hold all rows of the card and count of each row, as far back as
/// [`months_back`] for plans that are active. Rows of accounts without a calendar are left out.
///
/// Rows are taken by bill, then number. A row with number k joins a plan of the same card, shop and count if:
///
/// - the last number k₀ of the plan is below k,
/// - the last bill of the plan is b bills earlier, with 0 ≤ b ≤ k − k₀ + 1, and
/// - the amounts differ by at most one cent for each other instalment.
///
/// Of several such plans, the row joins the one with the smallest b, then the oldest. If there is none and k > 1, it joins the only
/// such plan of another shop that awaits k and whose name begins alike or has the same `payee`: banks cut and change names. If none
/// awaits k next, one awaits it of which the numbers between are on bills that no file has told yet: b = k − k₀. Of the rows of one
/// bill and number, those that continue a plan of their own shop join first. Otherwise the row starts a new plan.
///
/// ```
/// use finance_domain::credit_bills::{Cycle, Cycles};
/// use finance_domain::installments::{Calendar, InstallmentRow, PlanStatus, plans, read};
/// use finance_domain::{AccountId, Money, TransactionId};
/// use time::macros::date;
///
/// let (account_id, today) = (AccountId(1), date!(2026-03-10));
/// let calendar = Calendar::new(Cycles::new(Cycle { closing_day: 25, due_day: 5 }, []), today);
/// let reading = read("Loja - Parcela 1/12").unwrap();
/// let row = InstallmentRow {
///     id: Some(TransactionId(7)), account_id, category_id: None, date: today, original_date: None, shop: reading.shop,
///     installment: reading.installment, description: "Loja - Parcela 1/12".into(), amount: Money::from_cents(10_000),
///     is_removable: false, is_ended: false,
/// };
/// let payee = |shop: &str| shop.to_string();
/// let plan = &plans(vec![row], &[(account_id, calendar)].into(), &payee)[0];
/// assert_eq!((plan.status, plan.number, plan.remaining_amount().cents()), (PlanStatus::Active, 1, 110_000));
/// assert_eq!(plan.upcoming[0].period.due, date!(2026-05-05));
/// ```
pub fn plans(
    rows: Vec<InstallmentRow>,
    calendars: &HashMap<AccountId, Calendar>,
    payee: &dyn Fn(&str) -> String,
) -> Vec<Plan> {
    let on_bill = |row: InstallmentRow| {
        let cycles = &calendars.get(&row.account_id)?.cycles;
        let period = cycles.period_of(row.date, row.original_date);
        Some(OnBill { bill: cycles.number_of(&period), period, row })
    };
    let mut rows: Vec<OnBill> = rows.into_iter().filter_map(on_bill).collect();
    rows.sort_by(|a, b| {
        let key =
            |on: &OnBill| (on.bill, on.row.installment.number, on.row.purchase_date(), on.row.id.is_none(), on.row.id);
        group(&a.row).cmp(&group(&b.row)).then_with(|| key(a).cmp(&key(b)))
    });
    let mut chains: Vec<Vec<OnBill>> = Vec::new();
    let mut rows = rows.into_iter().peekable();
    while let Some(first) = rows.peek().map(|on| group(&on.row)) {
        let of_group = std::iter::from_fn(|| rows.next_if(|on| group(&on.row) == first));
        chains.extend(chains_of(of_group, payee));
    }
    // The bills ahead of a card are the same for all its plans.
    let mut ahead: HashMap<AccountId, Vec<Period>> = HashMap::new();
    let plan = |chain: Vec<OnBill>| {
        let account_id = chain[0].row.account_id;
        let calendar = calendars.get(&account_id)?;
        Some(plan(calendar, ahead.entry(account_id).or_insert_with(|| vec![calendar.open]), chain))
    };
    let mut plans: Vec<Plan> = chains.into_iter().filter_map(plan).collect();
    plans.sort_by_key(|plan| std::cmp::Reverse(plan.place()));
    plans
}

/// The chains of the rows of a card and count, which come by bill, then number.
fn chains_of(rows: impl Iterator<Item = OnBill>, payee: &dyn Fn(&str) -> String) -> Vec<Vec<OnBill>> {
    let mut chains = Chains::default();
    let mut rows = rows.peekable();
    while let Some(first) = rows.peek().map(OnBill::place) {
        // The rows of a plan's own shop go first: another spelling takes no plan that one of the same bill and number continues.
        let mut others = Vec::new();
        while let Some(on) = rows.next_if(|on| on.place() == first) {
            match chains.of_its_shop(&on) {
                Some(at) => chains.join(at, on),
                None => others.push(on),
            }
        }
        for on in others {
            // The bank cut or changed the name of the shop.
            match chains.of_another_spelling(&on, payee) {
                Some(at) => {
                    chains.of_shops.entry(on.row.shop.clone()).or_default().push(at);
                    chains.join(at, on);
                }
                None => chains.open(on),
            }
        }
    }
    chains.all
}

/// Chains while rows join them. A chain is known by its position.
#[derive(Default)]
struct Chains {
    all: Vec<Vec<OnBill>>,
    /// The chains that a row may still join, by shop.
    of_shops: HashMap<String, Vec<usize>>,
    /// By the number that they await.
    awaiting: HashMap<u8, BTreeSet<usize>>,
    /// By the difference of number and bill.
    in_step: HashMap<i32, BTreeSet<usize>>,
}

impl Chains {
    /// The chain of its own shop that a row joins.
    fn of_its_shop(&mut self, on: &OnBill) -> Option<usize> {
        let all = &self.all;
        let last = |at: usize| &all[at][all[at].len() - 1];
        let of_shop = self.of_shops.get_mut(&on.row.shop)?;
        of_shop.retain(|at| on.bill - last(*at).bill <= i32::from(on.row.installment.count));
        let joined = of_shop.iter().copied().filter(|at| on.follows(last(*at)));
        joined.min_by_key(|at| (on.bill - last(*at).bill, *at))
    }

    /// The only chain of a shop that is spelled otherwise that a row may join.
    fn of_another_spelling(&self, on: &OnBill, payee: &dyn Fn(&str) -> String) -> Option<usize> {
        let number = on.row.installment.number;
        if number == 1 {
            return None;
        }
        let last = |at: usize| &self.all[at][self.all[at].len() - 1];
        let mut key = None;
        let mut is_same = |other: &str| {
            is_alike(other, &on.row.shop) || {
                let key: &String = key.get_or_insert_with(|| payee(&on.row.shop));
                !key.is_empty() && *key == payee(other)
            }
        };
        let mut alike = |others: Option<&BTreeSet<usize>>| -> Vec<usize> {
            let others = others.into_iter().flatten().copied();
            others.filter(|at| on.follows(last(*at)) && is_same(&last(*at).row.shop)).take(2).collect()
        };
        let next = alike(self.awaiting.get(&number));
        let found = if next.is_empty() { alike(self.in_step.get(&on.step())) } else { next };
        <[usize; 1]>::try_from(found).ok().map(|[at]| at)
    }

    /// Adds a row to a chain.
    fn join(&mut self, at: usize, on: OnBill) {
        let last = &self.all[at][self.all[at].len() - 1];
        self.awaiting.entry(last.row.installment.number + 1).or_default().remove(&at);
        self.in_step.entry(last.step()).or_default().remove(&at);
        self.note(at, &on);
        self.all[at].push(on);
    }

    /// Begins a chain.
    fn open(&mut self, on: OnBill) {
        let at = self.all.len();
        self.of_shops.entry(on.row.shop.clone()).or_default().push(at);
        self.note(at, &on);
        self.all.push(vec![on]);
    }

    /// Notes what a chain awaits after its last row.
    fn note(&mut self, at: usize, last: &OnBill) {
        self.awaiting.entry(last.row.installment.number + 1).or_default().insert(at);
        self.in_step.entry(last.step()).or_default().insert(at);
    }
}

/// How many letters two spellings of a shop have in common at least.
const SHOP_LETTERS_MIN: usize = 4;

/// Whether two shops begin alike.
fn is_alike(one: &str, other: &str) -> bool {
    let same = one.chars().zip(other.chars()).take(SHOP_LETTERS_MIN).take_while(|(one, other)| one == other);
    same.count() == SHOP_LETTERS_MIN
}

/// Rows in this order come by card and count.
fn group(row: &InstallmentRow) -> (AccountId, u8) {
    (row.account_id, row.installment.count)
}

/// Makes the plan of a chain. `ahead` holds the open period and those after it that were needed so far.
fn plan(calendar: &Calendar, ahead: &mut Vec<Period>, chain: Vec<OnBill>) -> Plan {
    let last = &chain[chain.len() - 1];
    let Installment { number: last_number, count } = last.row.installment;
    let is_posted = |on: &&OnBill| on.bill <= calendar.number;
    let number = chain.iter().rev().find(is_posted).map_or(0, |on| on.row.installment.number);
    let is_ended = chain.iter().any(|on| on.row.is_ended);
    let status = match () {
        () if number == count || is_ended => PlanStatus::Finished,
        () if last.bill < calendar.number - SILENT_BILLS_MAX => PlanStatus::Stale,
        () => PlanStatus::Active,
    };
    let mut upcoming: Vec<Upcoming> = chain
        .iter()
        .filter(|on| !is_posted(on))
        .map(|on| {
            let OnBill { row, period, .. } = on;
            Upcoming { number: row.installment.number, period: *period, amount: row.amount, is_stored: true }
        })
        .collect();
    let mut last_due_date = last.period.due;
    if status == PlanStatus::Active {
        for (number, bill) in (last_number + 1..=count).zip(last.bill + 1..) {
            // Nothing is projected on a closed bill.
            let Ok(later) = usize::try_from(bill - calendar.number) else { continue };
            while ahead.len() <= later {
                ahead.push(calendar.cycles.period_following(&ahead[ahead.len() - 1]));
            }
            let period = ahead[later];
            upcoming.push(Upcoming { number, period, amount: last.row.amount, is_stored: false });
            last_due_date = period.due;
        }
    }
    let rows = chain.into_iter().map(|on| on.row).collect();
    Plan { rows, count, number, status, is_ended, upcoming, last_due_date }
}

#[cfg(test)]
mod tests;
