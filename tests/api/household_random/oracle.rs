//! What the bank says of a random household, as far as its files are imported: closed sums, and nothing of how the service computes.

use std::collections::{BTreeMap, HashSet};

use time::{Date, Duration};

use super::world::{Bill, Card, Files, Kind, Place, World};

/// What was told to the service.
#[derive(Default)]
pub(super) struct Known {
    /// The rows that are stored.
    pub(super) stored: HashSet<usize>,
    /// The rows of held statements.
    pub(super) held: HashSet<usize>,
    /// The payments that a person made here.
    pub(super) by_hand: HashSet<usize>,
}

/// The figures of a bill.
#[derive(Debug, Default, PartialEq, Clone)]
pub(super) struct BillFigures {
    pub(super) total: i64,
    pub(super) held: i64,
    pub(super) statement: Option<i64>,
    pub(super) previous: i64,
    pub(super) paid: i64,
    pub(super) carried: i64,
    pub(super) due: i64,
    pub(super) is_paid: bool,
}

#[derive(Debug, Default, PartialEq)]
pub(super) struct CardFigures {
    pub(super) balance: i64,
    pub(super) ahead: i64,
    pub(super) held: i64,
    pub(super) limit: i64,
    /// By the first day.
    pub(super) bills: BTreeMap<Date, BillFigures>,
    /// What the last closed bill and the open one ask for, by their due dates.
    pub(super) due: Vec<(Date, i64)>,
}

impl Figures {
    /// The figures that differ from others, each with both values.
    pub(super) fn unlike(&self, other: &Figures) -> Vec<String> {
        let mut found = Vec::new();
        let mut compare = |what: String, one: String, other: String| {
            if one != other {
                found.push(format!("{what}: {one} for {other}"));
            }
        };
        compare("accounts".into(), format!("{:?}", self.banks), format!("{:?}", other.banks));
        compare("net worth".into(), self.net_worth.to_string(), other.net_worth.to_string());
        for (month, figures) in &self.months {
            compare(format!("month {month}"), format!("{figures:?}"), format!("{:?}", other.months[month]));
        }
        for (at, (one, two)) in self.cards.iter().zip(&other.cards).enumerate() {
            let sums = |card: &CardFigures| {
                format!(
                    "balance {}, ahead {}, held {}, limit {}, due {:?}",
                    card.balance, card.ahead, card.held, card.limit, card.due
                )
            };
            compare(format!("card {at}"), sums(one), sums(two));
            let missing = two.bills.keys().filter(|start| !one.bills.contains_key(start));
            for start in missing {
                compare(format!("card {at}, bill {start}"), "none".into(), format!("{:?}", two.bills[start]));
            }
            for (start, bill) in &one.bills {
                compare(
                    format!("card {at}, bill {start}"),
                    format!("{:?}", Some(bill)),
                    format!("{:?}", other.cards[at].bills.get(start)),
                );
            }
        }
        found
    }
}

#[derive(Debug, Default, PartialEq)]
pub(super) struct Figures {
    pub(super) banks: [i64; 2],
    pub(super) cards: Vec<CardFigures>,
    pub(super) net_worth: i64,
    /// Income and expenses by the first day of the month.
    pub(super) months: BTreeMap<Date, (i64, i64)>,
}

/// A payment that counts on a card, with its day there.
struct Paid {
    cents: i64,
    date: Date,
    is_by_hand: bool,
}

impl World {
    /// The date with which a row is stored.
    fn stored_date(&self, at: usize) -> Date {
        let row = &self.rows[at];
        match row.place {
            Place::Card(card) if self.cards[card].files == Files::Dated && row.kind == Kind::Ordinary => {
                self.cards[card].bills[row.bill].due
            }
            _ => row.date,
        }
    }

    pub(super) fn figures(&self, known: &Known) -> Figures {
        let mut figures = Figures { banks: self.opened, ..Figures::default() };
        for at in &known.stored {
            let row = &self.rows[*at];
            if let Place::Bank(bank) = row.place {
                figures.banks[bank] += row.cents;
            }
            let is_alone = matches!(row.kind, Kind::Moved(other) if !known.stored.contains(&other));
            if row.kind == Kind::Ordinary || is_alone {
                let month = self.stored_date(*at).replace_day(1).unwrap();
                let (income, expenses) = figures.months.entry(month).or_default();
                *(if row.cents > 0 { income } else { expenses }) += row.cents.abs();
            }
        }
        for payment in &known.by_hand {
            if !known.stored.contains(&self.side(*payment, Place::Bank(0)).unwrap()) {
                figures.banks[0] -= self.payments[*payment].cents;
            }
        }
        figures.cards = (0..self.cards.len()).map(|card| self.card_figures(known, card)).collect();
        let cards = figures.cards.iter().map(|card| card.balance + card.held);
        figures.net_worth = figures.banks.iter().sum::<i64>() + cards.sum::<i64>();
        figures
    }

    /// The row of a payment on an account or a card.
    pub(super) fn side(&self, payment: usize, place: Place) -> Option<usize> {
        self.rows.iter().position(|row| row.kind == Kind::Payment(payment) && row.place == place)
    }

    fn paid(&self, known: &Known, card: usize) -> Vec<Paid> {
        let mut paid = Vec::new();
        for (at, payment) in self.payments.iter().enumerate().filter(|(_, payment)| payment.card == card) {
            let on_card = self.side(at, Place::Card(card)).filter(|row| known.stored.contains(row));
            let on_bank = self.side(at, Place::Bank(0)).filter(|row| known.stored.contains(row));
            let is_by_hand = known.by_hand.contains(&at);
            let date = match (on_card, on_bank) {
                (Some(_), _) => payment.received,
                (None, Some(_)) => payment.sent.unwrap(),
                (None, None) if is_by_hand => payment.sent.unwrap(),
                (None, None) => continue,
            };
            paid.push(Paid { cents: payment.cents, date, is_by_hand });
        }
        paid
    }

    fn card_figures(&self, known: &Known, at: usize) -> CardFigures {
        let card = &self.cards[at];
        let Card { bills, .. } = card;
        let mine = |rows: &HashSet<usize>| -> Vec<usize> {
            let ordinary =
                |row: &&usize| self.rows[**row].place == Place::Card(at) && self.rows[**row].kind == Kind::Ordinary;
            rows.iter().filter(ordinary).copied().collect()
        };
        let (stored, held) = (mine(&known.stored), mine(&known.held));
        let cents = |rows: &[usize], is_wanted: &dyn Fn(usize) -> bool| -> i64 {
            rows.iter().filter(|row| is_wanted(**row)).map(|row| self.rows[*row].cents).sum()
        };
        // A statement whose refunds are more than its purchases asks for nothing.
        let held_on = |bill: usize| (-cents(&held, &|row| self.rows[row].bill == bill)).max(0);
        let paid = self.paid(known, at);
        let has_rows = |bill: usize| stored.iter().any(|row| self.rows[*row].bill == bill) || held_on(bill) > 0;
        let first_bill = (0..bills.len()).find(|bill| has_rows(*bill));
        let (owed, opened) = card.stated.unwrap_or_else(|| {
            let last_day = first_bill
                .map(|first| (bills[first - 1].due + Duration::days(10)).min(bills[first].closing - Duration::DAY));
            let before = paid.iter().filter(|paid| !paid.is_by_hand && last_day.is_none_or(|last| paid.date <= last));
            let rows = stored.iter().map(|row| self.stored_date(*row)).chain(paid.iter().map(|paid| paid.date));
            (before.map(|paid| paid.cents).sum(), rows.min().unwrap_or(self.today) - Duration::DAY)
        });
        let closed = bills.iter().rposition(|bill| bill.closing <= opened + Duration::DAY);
        let opening = closed
            .filter(|closed| bills[*closed].due > opened)
            .unwrap_or_else(|| closed.map_or(0, |closed| closed + 1));

        let total = |bill: usize| held_on(bill) - cents(&stored, &|row| self.rows[row].bill == bill);
        let through =
            |bill: usize| -> i64 { (0..=bill).map(total).sum::<i64>() + if opening <= bill { owed } else { 0 } };
        let paid_before = |day: Option<Date>| -> i64 {
            paid.iter().filter(|paid| day.is_none_or(|day| paid.date < day)).map(|paid| paid.cents).sum()
        };
        let (open, last) = (card.open(), card.open() - 1);
        let printed = |bill: usize| through(bill) - paid_before(Some(bills[bill].closing));
        let left = |bill: usize| {
            through(bill) - paid_before(bills.get(bill + 1).filter(|_| bill < last).map(|next| next.closing))
        };
        let due_of_last = left(last).max(0);
        let all = through(open) - paid_before(None);
        let carried = |bill: usize| match printed(bill) {
            credit if credit <= 0 => credit,
            _ if bill < last => left(bill).max(0),
            _ => 0,
        };
        let mut figures = CardFigures { held: -(0..=open).map(held_on).sum::<i64>(), ..CardFigures::default() };
        let mut previous = 0;
        for (at, Bill { start, .. }) in bills.iter().enumerate() {
            let due = if at == open {
                all - due_of_last
            } else if at == last {
                due_of_last
            } else {
                0
            };
            let carries = if at < open { carried(at) } else { 0 };
            let previous_here = previous + if at == opening { owed } else { 0 };
            let paid = previous_here + total(at) - carries - due;
            let statement = (at < open).then(|| printed(at));
            let is_untouched = at == open && total(at) == 0 && previous_here == 0 && paid == 0;
            let (total, held) = (total(at), held_on(at));
            let is_paid = due <= 0 && !is_untouched;
            let of_bill =
                BillFigures { total, held, statement, previous: previous_here, paid, carried: carries, due, is_paid };
            figures.bills.insert(*start, of_bill);
            previous = carries;
        }
        let is_later = |row: usize| self.stored_date(row) > self.today;
        // A statement that was confirmed before its payment date.
        let is_early =
            |bill: usize, row: usize| self.rows[row].bill == bill && is_later(row) && self.rows[row].date <= self.today;
        let early: i64 = (0..=open).map(|bill| cents(&stored, &|row| is_early(bill, row)).min(0)).sum();
        figures.held += early;
        figures.ahead = cents(&stored, &is_later);
        figures.balance = cents(&stored, &|row| !is_later(row)) - owed + paid_before(None);
        figures.due = [(bills[last].due, due_of_last), (bills[open].due, all - due_of_last)]
            .into_iter()
            .filter(|(_, due)| *due != 0)
            .collect();
        figures.limit = card.limit + figures.balance + figures.held + figures.ahead - early - self.to_come(known, card);
        figures
    }

    /// The instalments that the bank did not post yet.
    fn to_come(&self, known: &Known, card: &Card) -> i64 {
        let of_plan = |plan: &super::world::Plan| {
            let listed = plan.rows.iter().filter(|(row, ..)| known.stored.contains(row) || known.held.contains(row));
            let Some((row, number, bill)) = listed.max_by_key(|(_, number, _)| *number) else { return 0 };
            let open = card.open();
            let first = if *bill == open { number + 1 } else { number + (open - bill) as i64 };
            if open - bill > 3 { 0 } else { (plan.count - first + 1).max(0) * -self.rows[*row].cents }
        };
        card.plans.iter().map(of_plan).sum()
    }
}
