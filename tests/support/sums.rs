//! Compares all stored sums with their rows. The rules are implemented here again, independently of the service.

use diesel::PgConnection;
use serde_json::Value;

use crate::app::rows;

/// Queries that must return no rows, each with the meaning of a row.
const MUST_BE_EMPTY: [(&str, &str); 12] = [
    (
        "a card's payments were not assigned after its rows changed",
        "select profile_id, id from accounts where payments_stale",
    ),
    (
        "a balance is not the sum of its rows",
        "select a.profile_id, a.id, b.balance, coalesce(t.total, 0) as counted
        from accounts a
        left join account_balances b on b.profile_id = a.profile_id and b.account_id = a.id
        left join (select profile_id, account_id, sum(case kind when 'income' then amount else -amount end) as total
            from transactions group by 1, 2) t on t.profile_id = a.profile_id and t.account_id = a.id
        where coalesce(b.balance, 0) <> coalesce(t.total, 0)",
    ),
    (
        "a bill's total is not the sum of its rows",
        "select b.profile_id, b.id, b.total, sum(case t.kind when 'expense' then t.amount else -t.amount end) as counted
        from credit_bills b
        left join transactions t on t.profile_id = b.profile_id and t.account_id = b.account_id
            and not t.is_transfer and t.source <> 'opening_balance'
            and (t.original_date is null and t.date between b.period_start and b.period_end
                or t.original_date is not null and t.date > b.period_end and t.date <= b.following_end)
        group by b.profile_id, b.id, b.total
        having b.total <> coalesce(sum(case t.kind when 'expense' then t.amount else -t.amount end), 0)",
    ),
    (
        "a month's totals are not the sum of its rows",
        "select profile_id, month, category_id, kept.income as kept_income, counted.income as counted_income,
            kept.expenses as kept_expenses, counted.expenses as counted_expenses
        from (select profile_id, month, category_id, income, expenses, transactions from month_totals) as kept
        full join (select profile_id, date_trunc('month', date::timestamp)::date as month,
                coalesce(category_id, 0) as category_id,
                coalesce(sum(amount) filter (where kind = 'income'), 0) as income,
                coalesce(sum(amount) filter (where kind = 'expense'), 0) as expenses, count(*) as transactions
            from (
                select profile_id, date, category_id, kind, amount from transactions
                where not is_transfer and source <> 'opening_balance' and not is_split
                union all
                select l.profile_id, t.date, l.category_id, t.kind, l.amount
                from transaction_lines l join transactions t on t.profile_id = l.profile_id and t.id = l.transaction_id
                where t.source <> 'opening_balance'
            ) as parts group by 1, 2, 3
        ) as counted using (profile_id, month, category_id)
        where (kept.income, kept.expenses, kept.transactions)
            is distinct from (counted.income, counted.expenses, counted.transactions)",
    ),
    (
        "the lines of a transaction do not sum to its amount, or are not in order, or it is not marked as split",
        "select t.profile_id, t.id, t.is_split, t.category_id, t.amount, l.sum, l.lines, l.last
        from transactions t
        left join (select profile_id, transaction_id, sum(amount) as sum, count(*) as lines, max(position) as last
            from transaction_lines group by 1, 2) l on l.profile_id = t.profile_id and l.transaction_id = t.id
        where t.is_split <> (l.lines is not null)
            or t.is_split and (l.sum <> t.amount or l.lines not between 2 and 20 or l.last <> l.lines - 1
                or t.category_id is not null or t.is_transfer)",
    ),
    (
        "a row is on no stored bill before the date until when a card's bills are complete",
        "select t.profile_id, t.id, t.date, a.bills_complete_until
        from accounts a
        join transactions t on t.profile_id = a.profile_id and t.account_id = a.id
            and not t.is_transfer and t.source <> 'opening_balance' and t.date <= a.bills_complete_until
        where not exists (select from credit_bills b where b.profile_id = t.profile_id and b.account_id = t.account_id
            and (t.original_date is null and t.date between b.period_start and b.period_end
                or t.original_date is not null and t.date > b.period_end and t.date <= b.following_end))",
    ),
    (
        "a month's change of the accounts of a kind is not the sum of its rows",
        "select profile_id, month, kind, kept.change, counted.change as counted
        from net_worth_months kept
        full join (select t.profile_id, date_trunc('month', t.date::timestamp)::date as month, a.kind,
                sum(case t.kind when 'income' then t.amount else -t.amount end) as change
            from transactions t join accounts a on a.profile_id = t.profile_id and a.id = t.account_id
            group by 1, 2, 3) counted using (profile_id, month, kind)
        where coalesce(kept.change, 0) <> coalesce(counted.change, 0)",
    ),
    (
        "a transfer has not two sides of one amount on two accounts",
        "select transfers.profile_id, transfers.id, count(t.id)
        from transfers left join transactions t on t.profile_id = transfers.profile_id and t.transfer_id = transfers.id
        group by transfers.profile_id, transfers.id
        having count(t.id) > 0 and (count(t.id) <> 2 or count(distinct t.kind) <> 2 or count(distinct t.amount) <> 1
            or count(distinct t.account_id) <> 2 or not bool_and(t.is_transfer))",
    ),
    (
        "two bills of a card have a day in common",
        "select a.profile_id, a.account_id, a.id, b.id as other, a.period_start, a.period_end
        from credit_bills a
        join credit_bills b on b.profile_id = a.profile_id and b.account_id = a.account_id and b.id <> a.id
            and b.period_start between a.period_start and a.period_end",
    ),
    (
        "a row is on two bills",
        "select profile_id, id, bills
        from (select t.profile_id, t.id, count(*) as bills
            from transactions t
            join credit_bills b on b.profile_id = t.profile_id and b.account_id = t.account_id
                and (t.original_date is null and t.date between b.period_start and b.period_end
                    or t.original_date is not null and t.date > b.period_end and t.date <= b.following_end)
            where not t.is_transfer and t.source <> 'opening_balance'
            group by t.profile_id, t.id) rows
        where bills > 1",
    ),
    (
        "the number of transactions is not that of the rows",
        "select profile_id, kept.transactions, counted.transactions as counted
        from transaction_counts kept
        full join (select profile_id, count(*) as transactions from transactions group by profile_id) as counted
            using (profile_id)
        where coalesce(kept.transactions, 0) <> coalesce(counted.transactions, 0)",
    ),
    (
        "what statements pay is allotted to a bill of another card, or more of it than was paid",
        // The condition is outside of the grouped query: Citus 12.1 sends a worker a different column of a join than the one
        // that a `having` names.
        "select profile_id, id, amount, allotted
        from (select t.profile_id, t.id, t.amount, t.is_transfer, t.kind, sum(p.amount) as allotted,
                bool_or(b.account_id <> t.account_id) as is_elsewhere
            from credit_bill_payments p
            join transactions t on t.profile_id = p.profile_id and t.id = p.transaction_id
            join credit_bills b on b.profile_id = p.profile_id and b.id = p.bill_id
            group by t.profile_id, t.id, t.amount, t.is_transfer, t.kind) payments
        where allotted > amount or is_elsewhere or not is_transfer or kind <> 'income'",
    ),
];

/// Descriptions of all stored sums that differ from the sums of their rows.
pub fn wrong_sums(connection: &mut PgConnection) -> Vec<String> {
    let found = MUST_BE_EMPTY.iter().flat_map(|(what, query)| {
        let found = rows(connection, query);
        found.into_iter().map(move |row| format!("{what}: {row}"))
    });
    let mut found: Vec<String> = found.collect();
    found.extend(wrong_allotments(connection));
    found
}

/// Descriptions of all cards on which the payments from statements are not allotted to the bills as the rule says.
fn wrong_allotments(connection: &mut PgConnection) -> Vec<String> {
    let number = |value: &Value| value.as_i64().expect("a whole number");
    let mut wrong = Vec::new();
    let cards = rows(
        connection,
        "select a.profile_id, a.id from accounts a
        where kind = 'credit' and exists (select from transactions t
            where t.profile_id = a.profile_id and t.account_id = a.id and t.is_transfer)",
    );
    for card in cards {
        let of_card = format!("profile_id = {} and account_id = {}", card["profile_id"], card["id"]);
        let mut bills: Vec<(Value, i64)> = rows(
            connection,
            &format!(
                "select id, period_start, period_end, (total * 100)::bigint as total,
                    (select coalesce(sum(amount * 100), 0)::bigint from credit_bill_payments p
                        where p.profile_id = b.profile_id and p.bill_id = b.id and transaction_id is null) as paid,
                    exists (select from transactions t where t.profile_id = b.profile_id and t.account_id = b.account_id
                        and not t.is_transfer and t.source <> 'opening_balance'
                        and (t.original_date is null and t.date between b.period_start and b.period_end
                            or t.original_date is not null and t.date > b.period_end and t.date <= b.following_end)
                    ) as has_rows
                from credit_bills b where {of_card} order by period_start"
            ),
        )
        .into_iter()
        .map(|bill| {
            let due = number(&bill["total"]) - number(&bill["paid"]);
            (bill, due)
        })
        .collect();
        let payments = rows(
            connection,
            &format!(
                "select id, coalesce(statement_date, original_date, date) as date, (amount * 100)::bigint as amount
                from transactions t
                where {of_card} and is_transfer and kind = 'income' and not exists (select from credit_bill_payments p
                    where p.profile_id = t.profile_id and p.transfer_id = t.transfer_id)
                order by 2, 1"
            ),
        );
        let mut expected = Vec::new();
        for payment in payments {
            let date = payment["date"].as_str().expect("a date").to_string();
            let mut left = number(&payment["amount"]);
            let closed = bills.iter_mut().rev().find(|(bill, _)| {
                bill["period_end"].as_str().expect("a date") < date.as_str() && bill["has_rows"] == true
            });
            if let Some((bill, due)) = closed {
                let part = left.min(*due).max(0);
                left -= part;
                *due -= part;
                expected.push((number(&payment["id"]), number(&bill["id"]), part));
            }
            let open = bills.iter_mut().find(|(bill, _)| {
                let day = |name: &str| bill[name].as_str().expect("a date").to_string();
                day("period_start") <= date && date <= day("period_end")
            });
            if let Some((bill, due)) = open {
                *due -= left;
                expected.push((number(&payment["id"]), number(&bill["id"]), left));
            }
        }
        expected.retain(|(.., amount)| *amount > 0);
        expected.sort_unstable();
        let stored = rows(
            connection,
            &format!(
                "select transaction_id, bill_id, (amount * 100)::bigint as amount
                from credit_bill_payments p
                where profile_id = {} and transaction_id is not null
                    and bill_id in (select id from credit_bills where {of_card})
                order by 1, 2, 3",
                card["profile_id"]
            ),
        );
        let stored: Vec<_> = stored
            .iter()
            .map(|row| (number(&row["transaction_id"]), number(&row["bill_id"]), number(&row["amount"])))
            .collect();
        if stored != expected {
            wrong.push(format!("payments of card {card} are {stored:?} and should be {expected:?}"));
        }
    }
    wrong
}
