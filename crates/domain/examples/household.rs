//! A month of a household by the rules alone: no server, no database, no clock.
//!
//! `cargo run --package finance-domain --example household`

use std::collections::BTreeMap;
use std::error::Error;

use finance_domain::credit_bills::{Cycle, Cycles};
use finance_domain::dashboard::savings_pct;
use finance_domain::imports::{Candidate, Content, Stored, judge};
use finance_domain::recurring::{CoveredBy, MatchItem, MatchTransaction, match_recurring};
use finance_domain::text::normalized;
use finance_domain::transactions::Kind;
use finance_domain::yields::{DayCount, PublishedRates, Rates, Rule, Series, YieldDue, accrue};
use finance_domain::{AccountId, CategoryId, Money, Percentage, RecurringId, TransactionId};
use time::Date;
use time::macros::date;

/// What a bank's line says, in the form the rules compare.
fn line(date: Date, amount: &str, description: &str) -> Result<Content, Box<dyn Error>> {
    let signed: Money = amount.parse()?;
    Ok(Content { date, kind: Kind::of(signed), amount: signed.abs(), description: normalized(description) })
}

fn main() -> Result<(), Box<dyn Error>> {
    // 1. A statement that overlaps the one before: which lines are new?
    let salary = line(date!(2026 - 03 - 05), "5200.00", "Salário")?;
    let bakery = line(date!(2026 - 03 - 06), "-8.50", "Padaria")?;
    let rent = line(date!(2026 - 03 - 10), "-1815.00", "Aluguel")?;
    let statement: Vec<Candidate> = [&salary, &bakery, &bakery, &rent]
        .map(|content| Candidate { content: content.clone(), external_id: None, former: None })
        .into();
    let stored = [Stored { id: Some(TransactionId(1)), content: bakery.clone(), external_id: None, is_entered: true }];
    let judgements = judge(&statement, &stored);
    println!("Statement");
    for (row, judgement) in statement.iter().zip(&judgements) {
        let verdict = if judgement.duplicate { "stored already" } else { "new" };
        let amount = row.content.amount.to_string();
        println!("  {} {amount:>8} {:<8} {verdict}", row.content.date, row.content.description);
    }

    // 2. Which bill is a card's purchase on, and when is that paid?
    let card = Cycles::new(Cycle { closing_day: 25, due_day: 5 }, []);
    println!("Card");
    for bought in [date!(2026 - 03 - 24), date!(2026 - 03 - 25)] {
        let bill = card.period_holding(bought);
        println!("  bought {bought}: on the bill of {} to {}, due {}", bill.start, bill.end, bill.due);
    }

    // 3. Has the rent been paid? Within a tenth of what is expected it has.
    let housing = CategoryId(1);
    let expected = MatchItem {
        id: RecurringId(1),
        kind: Kind::Expense,
        category_id: housing,
        amount: "1800.00".parse()?,
        account_id: None,
    };
    let id = CoveredBy::Transaction(TransactionId(2));
    let paid = MatchTransaction { id, kind: rent.kind, category_id: housing, amount: rent.amount, account_id: None };
    let covered: BTreeMap<_, _> = match_recurring(&[expected], &[paid]);
    println!(
        "Rent: {}",
        covered
            .get(&expected.id)
            .and_then(|by| by.transaction_id())
            .map_or("expected".to_string(), |id| format!("paid by transaction {id}"))
    );

    // 4. What did the savings earn at 110 % of the CDI, published at 0.055131 % a day?
    let mut rates = PublishedRates::new(date!(2026 - 01 - 20), date!(2026 - 03 - 06));
    let mut day = rates.first();
    while day <= rates.last() {
        if !matches!(day.weekday(), time::Weekday::Saturday | time::Weekday::Sunday) {
            rates.publish(day, "0.055131".parse()?);
        }
        day = day.next_day().ok_or("the calendar ends")?;
    }
    let savings = YieldDue {
        account_id: AccountId(2),
        last_yield_date: date!(2026 - 02 - 28),
        rule: Rule::Cdi(Percentage::whole(110)),
        day_count: None,
        balance_at_last: "10000.00".parse()?,
        changes: BTreeMap::new(),
    };
    let rates = Rates::from((Series::Cdi, rates));
    println!("Yield");
    for posting in accrue(&savings, &rates, DayCount::Business, date!(2026 - 03 - 07)).postings {
        println!("  {} to {}: {}", posting.first_day, posting.last_day, posting.amount);
    }

    // 5. What was left of the month?
    let (income, expenses) = (salary.amount, bakery.amount + bakery.amount + rent.amount);
    let taxes = Money::ZERO;
    let saved =
        savings_pct(income, expenses, taxes).map_or("nothing to save from".to_string(), |pct| format!("{pct} %"));
    println!("Saved: {saved} of {income}");
    Ok(())
}
