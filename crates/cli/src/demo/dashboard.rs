//! The dashboard of a month as a table of text.

use finance_domain::transactions::Kind;
use serde_json::Value;

use crate::client::text;

/// The width of a line.
const WIDTH_CHARS: usize = 64;
/// The maximum number of characters shown of a transaction's description.
const DESCRIPTION_CHARS_MAX: usize = 32;

/// The dashboard as a table.
pub(super) fn table(dashboard: &Value) -> String {
    let mut table = format!("{:=<WIDTH_CHARS$}\n", format!("== Dashboard of {} ", text(&dashboard["month"])));
    let mut line = |line: String| {
        table.push_str(&line);
        table.push('\n');
    };
    for (label, key) in
        [("Income", "income"), ("Expenses", "expenses"), ("  of which taxes", "taxes"), ("Net worth", "net_worth")]
    {
        line(format!("  {label:<28}{:>14}", text(&dashboard[key])));
    }
    let goal = percent(&dashboard["savings_goal_pct"]);
    line(format!("  {:<28}{:>14}  (goal {goal})", "Saved", percent(&dashboard["savings_pct"])));
    line("\n  Spent on".to_string());
    for spending in rows(&dashboard["spending_by_category"]) {
        let name = spending["name"].as_str().unwrap_or("(no category)");
        let budget = spending["monthly_budget"].as_str().map_or(String::new(), |budget| format!("  of {budget}"));
        line(format!("    {name:<26}{:>14}{budget}", text(&spending["total"])));
    }
    line("\n  Month          Income      Expenses    Saved".to_string());
    for month in rows(&dashboard["evolution"]) {
        let (income, expenses) = (text(&month["income"]), text(&month["expenses"]));
        let saved = percent(&month["savings_pct"]);
        line(format!("    {}{income:>14}{expenses:>14}{saved:>9}", text(&month["month"])));
    }
    line("\n  Last transactions".to_string());
    for transaction in rows(&dashboard["last_transactions"]) {
        let sign = if transaction["type"] == Kind::Expense.as_str() { "-" } else { "+" };
        let amount = format!("{sign}{}", text(&transaction["amount"]));
        let description: String = text(&transaction["description"]).chars().take(DESCRIPTION_CHARS_MAX).collect();
        line(format!("    {}  {description:<DESCRIPTION_CHARS_MAX$}{amount:>14}", text(&transaction["date"])));
    }
    table
}

fn rows(list: &Value) -> impl Iterator<Item = &Value> {
    list.as_array().into_iter().flatten()
}

fn percent(value: &Value) -> String {
    if value.is_null() { "-".to_string() } else { format!("{value} %") }
}
