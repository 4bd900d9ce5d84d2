//! The rules between the rows of a document that no constraint of the database checks.

use std::collections::{HashMap, HashSet};

use finance_domain::accounts::{ACCOUNTS_MAX, AccountKind};
use finance_domain::anchors::ANCHORS_MAX;
use finance_domain::categories::{CATEGORIES_MAX, nets_refunds_at_first as refunds_at_first};
use finance_domain::export::{Row, Table};
use finance_domain::gamification::Action;
use finance_domain::inbox::{BYTES_MAX as INBOX_BYTES_MAX, ITEMS_MAX as INBOX_ITEMS_MAX};
use finance_domain::pending_bills::{PENDING_BILLS_MAX, PendingBillStatus};
use finance_domain::recurring::{Every, OCCURRENCES_MAX, RECURRING_MAX, REJECTED_RECURRING_MAX, Schedule, density};
use finance_domain::rules::RULES_MAX;
use finance_domain::tables::{invalid, table};
use finance_domain::tags::stored_tag as tag_of;
use finance_domain::text::normalized;
use finance_domain::transactions::{Kind, LINES_MAX, LINES_MIN, Source};
use finance_domain::transfers::REJECTED_MAX;
use finance_domain::{Error, Money, Result, Violation};

type Rows = HashMap<&'static str, Vec<Row>>;

/// Checks the rules between rows.
///
/// # Errors
///
/// [`Error::Invalid`] with the first error.
pub(crate) fn check(rows: &Rows) -> Result<()> {
    profile_holds_no_more_than_it_may(rows)?;
    transfers_have_two_legs(rows)?;
    accounts_are_of_the_kind(rows)?;
    anchors_are_of_their_accounts(rows)?;
    held_statements_are_whole(rows)?;
    rules_are_whole(rows)?;
    lines_are_whole(rows)?;
    held_lines_are_whole(rows)?;
    xp_adds_up(rows)
}

/// The rows of a table, with access to their values by name.
struct Reader<'a> {
    table: &'static Table,
    rows: &'a [Row],
}

impl<'a> Reader<'a> {
    fn of(rows: &'a Rows, name: &'static str) -> Option<Self> {
        Some(Reader { table: table(name)?, rows: rows.get(name).map_or(&[], Vec::as_slice) })
    }

    /// The values of a column, in the order of the rows.
    fn column(&self, name: &str) -> impl Iterator<Item = Option<&'a str>> + use<'a> {
        let at = self.table.position(name);
        self.rows.iter().map(move |row| at.and_then(|at| row.get(at)).and_then(Option::as_deref))
    }

    /// The values of a column in which every row has one.
    fn texts(&self, name: &str) -> impl Iterator<Item = &'a str> + use<'a> {
        self.column(name).map(Option::unwrap_or_default)
    }

    /// The values of a column of whole numbers.
    fn numbers(&self, name: &str) -> impl Iterator<Item = i128> + use<'a> {
        self.texts(name).map(|text| text.parse().unwrap_or_default())
    }
}

/// Gives the categories of an older document, which do not say whether their incomes are refunds, the value that they had got if
/// the profile had been upgraded.
pub(crate) fn nets_refunds_at_first(rows: &mut Rows) {
    let Some(categories) = table("categories") else { return };
    let Some(at) = categories.position("nets_refunds") else { return };
    let lacks = |row: &Row| row.get(at).is_some_and(Option::is_none);
    if !rows.get(categories.name).is_some_and(|rows| rows.iter().any(lacks)) {
        return;
    }
    let sums = sums_by_category(rows);
    let (id_at, name_at) = (categories.position("id"), categories.position("name"));
    for row in rows.get_mut(categories.name).into_iter().flatten().filter(|row| lacks(row)) {
        let value = |at: Option<usize>| at.and_then(|at| row.get(at).cloned().flatten()).unwrap_or_default();
        let (income, expenses) = sums.get(&value(id_at)).copied().unwrap_or_default();
        let nets_refunds = refunds_at_first(&value(name_at), income, expenses);
        row[at] = Some(nets_refunds.to_string());
    }
}

/// The income and the expenses of each category, transfers and opening balances excluded. Values that cannot be read count as
/// nothing: they are refused later.
fn sums_by_category(rows: &Rows) -> HashMap<String, (Money, Money)> {
    let mut sums: HashMap<String, (Money, Money)> = HashMap::new();
    let (Some(transactions), Some(lines)) = (Reader::of(rows, "transactions"), Reader::of(rows, "transaction_lines"))
    else {
        return sums;
    };
    let mut add = |category: Option<&str>, kind: &str, amount: &str| {
        let Some(category) = category else { return };
        let (income, expenses) = sums.entry(category.to_string()).or_default();
        let amount: Money = amount.parse().unwrap_or_default();
        if kind == Kind::Income.as_str() { *income += amount } else { *expenses += amount }
    };
    let mut kinds: HashMap<&str, &str> = HashMap::new();
    let values = transactions.texts("kind").zip(transactions.texts("amount")).zip(transactions.column("category_id"));
    let places = transactions.texts("source").zip(transactions.texts("is_transfer"));
    for ((id, ((kind, amount), category)), (source, is_transfer)) in transactions.texts("id").zip(values).zip(places) {
        let is_apart = [Source::Transfer, Source::OpeningBalance].iter().any(|apart| apart.as_str() == source);
        if is_apart || is_transfer == "true" {
            continue;
        }
        kinds.insert(id, kind);
        add(category, kind, amount);
    }
    let values = lines.column("category_id").zip(lines.texts("amount"));
    for (transaction, (category, amount)) in lines.texts("transaction_id").zip(values) {
        if let Some(kind) = kinds.get(transaction) {
            add(category, kind, amount);
        }
    }
    sums
}

/// The limits of a profile also apply to a restored one.
fn profile_holds_no_more_than_it_may(rows: &Rows) -> Result<()> {
    let limits = [
        ("categories", CATEGORIES_MAX),
        ("accounts", ACCOUNTS_MAX),
        ("recurring", RECURRING_MAX),
        ("rejected_recurring", REJECTED_RECURRING_MAX + RECURRING_MAX),
        ("rejected_transfers", REJECTED_MAX),
        ("rules", RULES_MAX),
        ("inbox", INBOX_ITEMS_MAX),
    ];
    for (table, max) in limits {
        if rows.get(table).is_some_and(|rows| rows.len() > max) {
            return Err(Error::invalid(table, Violation::document(format!("must have at most {max} rows"))));
        }
    }
    if let Some(inbox) = Reader::of(rows, "inbox")
        && inbox.texts("bytes").map(decoded_len).sum::<u64>() > INBOX_BYTES_MAX
    {
        let detail = format!("must have at most {INBOX_BYTES_MAX} bytes");
        return Err(Error::invalid("inbox", Violation::document(detail)));
    }
    if dues_within_31_days(rows) > OCCURRENCES_MAX {
        let detail = format!("must be due at most {OCCURRENCES_MAX} times within 31 days");
        return Err(Error::invalid("recurring", Violation::document(detail)));
    }
    let Some(held) = Reader::of(rows, "pending_bills") else { return Ok(()) };
    if held.texts("status").filter(|status| *status == PendingBillStatus::Pending.as_str()).count() > PENDING_BILLS_MAX
    {
        return Err(Error::invalid(
            "pending_bills",
            Violation::document(format!("must have at most {PENDING_BILLS_MAX} pending rows")),
        ));
    }
    Ok(())
}

/// How many bytes a valid Base64 text stands for.
fn decoded_len(text: &str) -> u64 {
    let padding = text.bytes().rev().take_while(|byte| *byte == b'=').count();
    (text.len() / 4 * 3).saturating_sub(padding) as u64
}

/// How many dues the items may have within 31 days. Values that cannot be read count as those of a month: they are refused later.
fn dues_within_31_days(rows: &Rows) -> usize {
    let Some(items) = Reader::of(rows, "recurring") else { return 0 };
    let values = items.column("every_n").zip(items.column("every_unit")).zip(items.column("due_count"));
    let dues = values.map(|((n, unit), count)| {
        let n = n.and_then(|n| n.parse().ok()).filter(|n| *n > 0).unwrap_or(1);
        let unit = unit.and_then(|unit| unit.parse().ok()).unwrap_or_default();
        let count = count.and_then(|count| count.parse().ok());
        density(&Schedule { every: Every { n, unit }, count, ..Schedule::default() })
    });
    dues.sum()
}

/// A transfer has both legs. With one of them missing it could neither be read nor deleted.
fn transfers_have_two_legs(rows: &Rows) -> Result<()> {
    let (Some(transfers), Some(transactions)) = (Reader::of(rows, "transfers"), Reader::of(rows, "transactions"))
    else {
        return Ok(());
    };
    let mut legs: HashMap<&str, Vec<(&str, &str, &str)>> = HashMap::new();
    let values = transactions.texts("kind").zip(transactions.texts("amount")).zip(transactions.texts("account_id"));
    for (transfer, ((kind, amount), account)) in transactions.column("transfer_id").zip(values) {
        if let Some(transfer) = transfer {
            legs.entry(transfer).or_default().push((kind, amount, account));
        }
    }
    for (at, id) in transfers.texts("id").enumerate() {
        let whole = match legs.get(id).map(Vec::as_slice) {
            Some([one, other]) => one.0 != other.0 && one.1 == other.1 && one.2 != other.2,
            _ => false,
        };
        if !whole {
            let message = "must have two legs: an expense of one account, and an income of as much of another";
            return Err(invalid(transfers.table, at, "id", Violation::document(message)));
        }
    }
    Ok(())
}

/// A rule has conditions and actions, tags that a transaction may have, and no text that every description contains.
fn rules_are_whole(rows: &Rows) -> Result<()> {
    let Some(rules) = Reader::of(rows, "rules") else { return Ok(()) };
    for name in ["rule_conditions", "rule_actions"] {
        let Some(parts) = Reader::of(rows, name) else { continue };
        let owners: HashSet<&str> = parts.texts("rule_id").collect();
        if let Some(at) = rules.texts("id").position(|id| !owners.contains(id)) {
            return Err(invalid(rules.table, at, "id", Violation::document(format!("must have {name}"))));
        }
    }
    if let Some(actions) = Reader::of(rows, "rule_actions") {
        let is_unlike = |tag: Option<&str>| tag.is_some_and(|text| tag_of(text).ok().as_deref() != Some(text));
        if let Some(at) = actions.column("tag").position(is_unlike) {
            return Err(invalid(actions.table, at, "tag", Violation::document("must be a trimmed tag")));
        }
    }
    let Some(conditions) = Reader::of(rows, "rule_conditions") else { return Ok(()) };
    let is_blank = |text: Option<&str>| text.is_some_and(|text| normalized(text).is_empty());
    match conditions.column("text").position(is_blank) {
        Some(at) => Err(invalid(conditions.table, at, "text", Violation::document("must not be blank"))),
        None => Ok(()),
    }
}

/// The lines of a transaction sum to its amount. A transaction with lines has no category and is not a transfer.
fn lines_are_whole(rows: &Rows) -> Result<()> {
    let (Some(transactions), Some(lines)) = (Reader::of(rows, "transactions"), Reader::of(rows, "transaction_lines"))
    else {
        return Ok(());
    };
    let cents = |text: &str| text.parse::<Money>().unwrap_or_default().cents();
    let mut split: HashMap<&str, (usize, i128)> = HashMap::new();
    for (transaction, amount) in lines.texts("transaction_id").zip(lines.texts("amount")) {
        let (count, sum) = split.entry(transaction).or_default();
        *count += 1;
        *sum += cents(amount);
    }
    let values = transactions.column("category_id").zip(transactions.texts("is_transfer"));
    let rows = transactions.texts("id").zip(transactions.texts("amount")).zip(values);
    for (at, ((id, amount), (category, is_transfer))) in rows.enumerate() {
        let Some((count, sum)) = split.get(id) else { continue };
        let wrong = if category.is_some() {
            Some(("category_id", "must be null where there are transaction_lines".to_string()))
        } else if is_transfer == "true" {
            Some(("is_transfer", "must be false where there are transaction_lines".to_string()))
        } else if !(LINES_MIN..=LINES_MAX).contains(count) {
            Some(("id", format!("must have none or {LINES_MIN} to {LINES_MAX} transaction_lines")))
        } else if *sum != cents(amount) {
            Some(("amount", "must be the sum of its transaction_lines".to_string()))
        } else {
            None
        };
        if let Some((column, message)) = wrong {
            return Err(invalid(transactions.table, at, column, Violation::document(message)));
        }
    }
    Ok(())
}

/// As [`lines_are_whole`], for the rows of held statements.
fn held_lines_are_whole(rows: &Rows) -> Result<()> {
    let (Some(held), Some(lines)) = (Reader::of(rows, "pending_bill_rows"), Reader::of(rows, "pending_bill_lines"))
    else {
        return Ok(());
    };
    let cents = |text: &str| text.parse::<Money>().unwrap_or_default().cents();
    let mut split: HashMap<(&str, &str), (usize, i128)> = HashMap::new();
    let places = lines.texts("pending_bill_id").zip(lines.texts("row_position"));
    for (place, amount) in places.zip(lines.texts("amount")) {
        let (count, sum) = split.entry(place).or_default();
        *count += 1;
        *sum += cents(amount);
    }
    let places = held.texts("pending_bill_id").zip(held.texts("position"));
    let values = held.column("category_id").zip(held.texts("is_transfer"));
    for (at, ((place, amount), (category, is_transfer))) in places.zip(held.texts("amount")).zip(values).enumerate() {
        let Some((count, sum)) = split.get(&place) else { continue };
        let wrong = if category.is_some() {
            Some(("category_id", "must be null where there are pending_bill_lines".to_string()))
        } else if is_transfer == "true" {
            Some(("is_transfer", "must be false where there are pending_bill_lines".to_string()))
        } else if !(LINES_MIN..=LINES_MAX).contains(count) {
            Some(("position", format!("must have none or {LINES_MIN} to {LINES_MAX} pending_bill_lines")))
        } else if *sum != cents(amount) {
            Some(("amount", "must be the sum of its pending_bill_lines".to_string()))
        } else {
            None
        };
        if let Some((column, message)) = wrong {
            return Err(invalid(held.table, at, column, Violation::document(message)));
        }
    }
    Ok(())
}

/// Bills and cycles belong to cards, yields to investments and savings.
fn accounts_are_of_the_kind(rows: &Rows) -> Result<()> {
    let Some(accounts) = Reader::of(rows, "accounts") else { return Ok(()) };
    let kinds: HashMap<&str, &str> = accounts.texts("id").zip(accounts.texts("kind")).collect();
    for name in ["card_cycles", "bill_dates", "credit_bills"] {
        let Some(table) = Reader::of(rows, name) else { continue };
        for (at, account) in table.texts("account_id").enumerate() {
            if kinds.get(account) != Some(&AccountKind::Credit.as_str()) {
                return Err(invalid(table.table, at, "account_id", Violation::document("must be a credit account")));
            }
        }
    }
    let yielding = [AccountKind::Investment, AccountKind::Savings].map(AccountKind::as_str);
    let Some(transactions) = Reader::of(rows, "transactions") else { return Ok(()) };
    for (at, (source, account)) in transactions.texts("source").zip(transactions.texts("account_id")).enumerate() {
        let yields = || kinds.get(account).is_some_and(|kind| yielding.contains(kind));
        if source == Source::Yield.as_str() && !yields() {
            return Err(invalid(
                transactions.table,
                at,
                "account_id",
                Violation::document("must be an investment or savings, which is what yields"),
            ));
        }
    }
    Ok(())
}

/// An account has no more anchors than it may, and no file says what is owed on a card.
fn anchors_are_of_their_accounts(rows: &Rows) -> Result<()> {
    let (Some(accounts), Some(anchors)) = (Reader::of(rows, "accounts"), Reader::of(rows, "anchors")) else {
        return Ok(());
    };
    let kinds: HashMap<&str, &str> = accounts.texts("id").zip(accounts.texts("kind")).collect();
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for (at, (account, import)) in anchors.texts("account_id").zip(anchors.column("import_id")).enumerate() {
        if import.is_some() && kinds.get(account) == Some(&AccountKind::Credit.as_str()) {
            return Err(invalid(
                anchors.table,
                at,
                "import_id",
                Violation::document("must be null on a credit account"),
            ));
        }
        let count = counts.entry(account).or_default();
        *count += 1;
        if *count > ANCHORS_MAX {
            let message = format!("must have at most {ANCHORS_MAX} anchors");
            return Err(invalid(anchors.table, at, "account_id", Violation::document(message)));
        }
    }
    Ok(())
}

/// The row count of a pending statement is the number of its rows, without those that are repeated.
fn held_statements_are_whole(rows: &Rows) -> Result<()> {
    let (Some(bills), Some(held)) = (Reader::of(rows, "pending_bills"), Reader::of(rows, "pending_bill_rows")) else {
        return Ok(());
    };
    let mut counts: HashMap<&str, i128> = HashMap::new();
    for (bill, _) in held.texts("pending_bill_id").zip(held.texts("is_repeated")).filter(|(_, is)| *is != "true") {
        *counts.entry(bill).or_default() += 1;
    }
    for (at, (id, count)) in bills.texts("id").zip(bills.numbers("row_count")).enumerate() {
        if counts.get(id).copied().unwrap_or(0) != count {
            return Err(invalid(bills.table, at, "row_count", Violation::document("must be the number of its rows")));
        }
    }
    Ok(())
}

/// The tallies, which decide about levels and caps, are equal to the sums of the events.
fn xp_adds_up(rows: &Rows) -> Result<()> {
    let (Some(events), Some(tallies)) = (Reader::of(rows, "xp_events"), Reader::of(rows, "xp_tallies")) else {
        return Ok(());
    };
    let mut earned: HashMap<&str, (i128, i128)> = HashMap::new();
    for (at, (action, xp)) in events.texts("action").zip(events.numbers("xp")).enumerate() {
        if action.parse::<Action>().is_err() {
            return Err(invalid(events.table, at, "action", Violation::document("is no action that earns")));
        }
        let (count, total) = earned.entry(action).or_default();
        *count += 1;
        *total += xp;
    }
    let totals = tallies.numbers("total_count").zip(tallies.numbers("total_xp"));
    for (at, (action, counted)) in tallies.texts("action").zip(totals).enumerate() {
        if earned.remove(action) != Some(counted) {
            return Err(invalid(
                tallies.table,
                at,
                "total_xp",
                Violation::document("must be what the events of the action come to"),
            ));
        }
        for name in ["day_count", "week_count", "month_count"] {
            let count = tallies.numbers(name).nth(at).unwrap_or_default();
            if !(0..=counted.0).contains(&count) {
                return Err(invalid(tallies.table, at, name, Violation::document("must be at most the number of all")));
            }
        }
    }
    match earned.keys().next() {
        Some(action) => Err(Error::invalid("xp_tallies", Violation::document(format!("must have a row for {action}")))),
        None => Ok(()),
    }
}
