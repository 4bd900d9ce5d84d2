//! Compares all stored sums with their rows. The rules are implemented here again, independently of the service.

use diesel::PgConnection;
use serde_json::Value;

use crate::app::{constant_rows, rows};

/// Queries that must return no rows, each with the meaning of a row.
const MUST_BE_EMPTY: [(&str, &str); 16] = [
    (
        "the ledger of a card was not computed after its rows changed",
        "select profile_id, id from accounts where payments_stale and bills_complete_until is not null",
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
        "an anchor does not have the sum of the rows up to its day",
        "select a.profile_id, a.account_id, a.date, a.rows_total, coalesce(t.total, 0) as counted
        from anchors a
        left join lateral (select sum(case kind when 'income' then amount else -amount end) as total from transactions t
            where t.profile_id = a.profile_id and t.account_id = a.account_id and t.date <= a.date) t on true
        where a.rows_total <> coalesce(t.total, 0)",
    ),
    (
        "an opening balance does not follow the first anchor that a person said",
        "select a.profile_id, a.account_id, a.amount, o.openings, o.balance, o.date, r.total, r.first
        from (select distinct on (profile_id, account_id) * from anchors
            where import_id is null order by profile_id, account_id, id) a
        cross join lateral (select count(*) as openings, max(date) as date,
                coalesce(sum(case kind when 'income' then amount else -amount end), 0) as balance
            from transactions t
            where t.profile_id = a.profile_id and t.account_id = a.account_id and t.source = 'opening_balance') o
        cross join lateral (select min(date) as first, coalesce(sum(case kind when 'income' then amount else -amount end)
                filter (where date <= a.date), 0) as total
            from transactions t
            where t.profile_id = a.profile_id and t.account_id = a.account_id and t.source <> 'opening_balance') r
        where o.balance <> a.amount - r.total or o.openings > 1 or (o.openings = 0) <> (o.balance = 0)
            or o.date <> least(r.first - 1, a.date)",
    ),
    (
        "a bill does not have what its held statements ask for",
        "select b.profile_id, b.id, b.held, sum(p.total) as asked
        from credit_bills b
        join accounts a on a.profile_id = b.profile_id and a.id = b.account_id and a.bills_complete_until is not null
        left join (
            select profile_id, account_id, payment_date, sum(total) as total from pending_bills where status = 'pending'
            group by profile_id, account_id, payment_date
        ) p on p.profile_id = b.profile_id and p.account_id = b.account_id and p.total > 0
            and (p.payment_date = b.paid_also or p.payment_date > b.period_end and p.payment_date <= b.following_end
                and p.payment_date is distinct from b.paid_except)
        group by b.profile_id, b.id, b.held
        having b.held <> coalesce(sum(p.total), 0)",
    ),
    (
        "a held statement is on no bill of its card",
        "select p.profile_id, p.account_id, p.payment_date from pending_bills p
        join accounts a on a.profile_id = p.profile_id and a.id = p.account_id and a.bills_complete_until is not null
        where p.status = 'pending' and not exists (
            select from credit_bills b where b.profile_id = p.profile_id and b.account_id = p.account_id
                and (p.payment_date = b.paid_also or p.payment_date > b.period_end and p.payment_date <= b.following_end
                    and p.payment_date is distinct from b.paid_except))
        group by p.profile_id, p.account_id, p.payment_date
        having sum(p.total) > 0",
    ),
    (
        "a bill's total is not the sum of its rows",
        "select b.profile_id, b.id, b.total, sum(case t.kind when 'expense' then t.amount else -t.amount end) as counted
        from credit_bills b
        left join transactions t on t.profile_id = b.profile_id and t.account_id = b.account_id
            and not t.is_transfer and t.source <> 'opening_balance'
            and (t.original_date is null and t.date between b.period_start and b.period_end
                or t.original_date is not null and (t.date = b.paid_also
                    or t.date > b.period_end and t.date <= b.following_end and t.date is distinct from b.paid_except))
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
                or t.original_date is not null and (t.date = b.paid_also
                    or t.date > b.period_end and t.date <= b.following_end and t.date is distinct from b.paid_except)))",
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
        // Of the bills that begin later, the next one begins first.
        "select profile_id, account_id, id, other, period_start, period_end
        from (
            select profile_id, account_id, id, period_start, period_end,
                lead(id) over following as other, lead(period_start) over following as other_start
            from credit_bills
            window following as (partition by profile_id, account_id order by period_start)
        ) as bills
        where other_start <= period_end",
    ),
    (
        "a row is on two bills",
        "select profile_id, id, bills
        from (select t.profile_id, t.id, count(*) as bills
            from transactions t
            join credit_bills b on b.profile_id = t.profile_id and b.account_id = t.account_id
                and (t.original_date is null and t.date between b.period_start and b.period_end
                    or t.original_date is not null and (t.date = b.paid_also
                    or t.date > b.period_end and t.date <= b.following_end and t.date is distinct from b.paid_except))
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
        "a payment that no bill names is stored with the bills",
        "select profile_id, id, transaction_id from credit_bill_payments where transaction_id is not null",
    ),
];

/// Descriptions of all stored sums that differ from the sums of their rows.
pub fn wrong_sums(connection: &mut PgConnection) -> Vec<String> {
    let found = MUST_BE_EMPTY.iter().flat_map(|(what, query)| {
        let found = constant_rows(connection, query);
        found.into_iter().map(move |row| format!("{what}: {row}"))
    });
    let mut found: Vec<String> = found.collect();
    found.extend(wrong_ledgers(connection));
    found
}

/// The stored bills of a card, and what was paid on it, as the database has them. All amounts are cents.
struct Ledger {
    /// The days and figures of each bill, oldest first.
    bills: Vec<Value>,
    /// The payments by date.
    payments: Vec<Payment>,
    /// The dates of the opening balances, and what was owed.
    openings: Vec<(String, i64)>,
}

/// A payment of a card. One that was only recorded names a bill, by its first day.
struct Payment {
    date: String,
    amount: i64,
    of_bill: Option<String>,
}

impl Ledger {
    fn read(connection: &mut PgConnection, card: &Value) -> Self {
        let of_card = format!("profile_id = {} and account_id = {}", card["profile_id"], card["id"]);
        let bills = format!(
            "select id, period_start, period_end, due_date, ((total + held) * 100)::bigint as total, (previous * 100)::bigint as previous,
                (paid_amount * 100)::bigint as paid, (carried * 100)::bigint as carried,
                (statement * 100)::bigint as statement
            from credit_bills where {of_card} order by period_start"
        );
        let payments = format!(
            "select coalesce(case when is_recognised then statement_date end, original_date, date)::text as date,
                (case kind when 'income' then amount else -amount end * 100)::bigint as amount, null as of_bill
            from transactions t
            where {of_card} and is_transfer and not exists (select from credit_bill_payments p
                where p.profile_id = t.profile_id and p.transfer_id = t.transfer_id)
            union all
            select coalesce((select statement_date from transactions t where {of_card} and t.transfer_id = p.transfer_id), p.date)::text,
                (amount * 100)::bigint,
                case when transfer_id is null then (select period_start::text from credit_bills b
                    where b.profile_id = p.profile_id and b.id = p.bill_id) end
            from credit_bill_payments p
            where profile_id = {} and bill_id in (select id from credit_bills where {of_card})
                -- A later row of a payment that was only recorded is the payment.
                and not (p.transfer_id is null and exists (select from transactions t
                    where {of_card} and t.is_transfer and t.kind = 'income' and t.amount = p.amount
                        and t.created_at > p.created_at
                        and coalesce(t.statement_date, t.original_date, t.date) - p.date between -4 and 10))
            order by 1",
            card["profile_id"]
        );
        let openings = format!(
            "select date::text, (case kind when 'expense' then amount else -amount end * 100)::bigint as amount
            from transactions where {of_card} and source = 'opening_balance'"
        );
        let dated = |rows: Vec<Value>| {
            rows.iter().map(|row| (text(&row["date"]), number(&row["amount"]))).collect::<Vec<(String, i64)>>()
        };
        Ledger {
            bills: rows(connection, &bills),
            payments: rows(connection, &payments)
                .iter()
                .map(|row| Payment {
                    date: text(&row["date"]),
                    amount: number(&row["amount"]),
                    of_bill: row["of_bill"].as_str().map(str::to_string),
                })
                .collect(),
            openings: dated(rows(connection, &openings)),
        }
    }

    /// What was wrong with the figures of the bills, if anything. The last bill that has no printed total is the open one.
    fn fault(&self) -> Option<String> {
        let due = |bill: &Value| {
            number(&bill["previous"]) + number(&bill["total"]) - number(&bill["paid"]) - number(&bill["carried"])
        };
        let closed = self.bills.iter().filter(|bill| !bill["statement"].is_null()).count();
        for (at, bill) in self.bills.iter().enumerate() {
            if bill["statement"].is_null() != (at >= closed) {
                return Some(format!("the bill {bill} is closed, and an earlier one is open"));
            }
            if at < closed && (due(bill) < 0 || due(bill) > 0 && at + 1 != closed) {
                return Some(format!("a closed bill {bill} has {} due", due(bill)));
            }
        }
        // Bill by bill: what the days say is paid on each.
        let mut paid = vec![0; self.bills.len()];
        let mut early = vec![0; self.bills.len()];
        let mut previous: Vec<i64> = self.bills.iter().map(|_| 0).collect();
        for (date, owed) in &self.openings {
            let before = self.bills.iter().filter(|bill| text(&bill["period_end"]) <= *date).count();
            let is_due_later = before > 0 && text(&self.bills[before - 1]["due_date"]) > *date;
            let at = if is_due_later { before - 1 } else { before.min(self.bills.len() - 1) };
            previous[at] += owed;
        }
        let openings = previous.clone();
        let mut left = 0;
        for at in 0..self.bills.len() {
            let bill = &self.bills[at];
            let (start, end) = (text(&bill["period_start"]), text(&bill["period_end"]));
            let next_end = self.bills.get(at + 1).map_or("9999-12-31".to_string(), |next| text(&next["period_end"]));
            if at == 0 {
                let own = self.payments.iter().filter(|payment| (&start..=&end).contains(&&payment.date));
                early[0] = own.map(|payment| payment.amount).sum();
                paid[0] = early[0];
            }
            previous[at] += left;
            left = previous[at] + number(&bill["total"]) - paid[at];
            // What was only recorded for a closed bill pays what rows leave of it.
            let is_recorded = |payment: &&Payment| payment.of_bill.as_ref().is_some_and(|of| *of <= start);
            let until_next = || self.payments.iter().filter(|payment| payment.date > end && payment.date <= next_end);
            let rows = until_next().filter(|payment| !is_recorded(payment));
            for payment in rows.chain(until_next().filter(is_recorded)) {
                let part = payment.amount.min(left).max(0);
                left -= part;
                paid[at] += part;
                if at + 1 < self.bills.len() && !is_recorded(&payment) {
                    paid[at + 1] += payment.amount - part;
                    early[at + 1] += payment.amount - part;
                }
            }
        }
        for (at, bill) in self.bills.iter().enumerate() {
            if number(&bill["paid"]) != paid[at] {
                return Some(format!("{} should be paid on {bill}", paid[at]));
            }
            let printed = previous[at] + number(&bill["total"]) - early[at];
            if at < closed && number(&bill["statement"]) != printed {
                return Some(format!("the bank printed {printed} on {bill}"));
            }
            let carried = if at == 0 { 0 } else { number(&self.bills[at - 1]["carried"]) };
            if number(&bill["previous"]) != carried + openings[at] {
                return Some(format!("what was left to {bill} is {carried}"));
            }
        }
        None
    }
}

fn number(value: &Value) -> i64 {
    value.as_i64().unwrap_or_else(|| panic!("a whole number: {value}"))
}

fn text(value: &Value) -> String {
    value.as_str().expect("a text").to_string()
}

/// Queries of cards whose opening balance is not what the service must keep, or that has one beside a person's. A payment counts if
/// it is before the first bill with rows, or on it up to ten days after the due date of the bill before it. Cards whose days were
/// ever changed are left out: the due date of a bill that is not stored is not known here.
const WRONG_OPENINGS: &str = "
    with cards as (
        select a.profile_id, a.id, a.due_day, a.opening_is_said, a.opening_is_derived,
            (select min(b.period_start) from credit_bills b
                where b.profile_id = a.profile_id and b.account_id = a.id and (b.held > 0 or exists (
                    select from transactions t where t.profile_id = b.profile_id and t.account_id = b.account_id
                        and not t.is_transfer and t.source <> 'opening_balance'
                        and (t.original_date is null and t.date between b.period_start and b.period_end
                            or t.original_date is not null and (t.date = b.paid_also or t.date > b.period_end
                                and t.date <= b.following_end and t.date is distinct from b.paid_except))))) as first
        from accounts a
        where a.kind = 'credit' and a.bills_complete_until is not null and not a.payments_stale
            and a.opening_is_said is not null
            and not exists (select from card_cycles c where c.profile_id = a.profile_id and c.account_id = a.id)
            and not exists (select from bill_dates d where d.profile_id = a.profile_id and d.account_id = a.id)
    ), dues as (
        select cards.*, (select min(day::date) from generate_series(first + 1, first + 62, '1 day') as day
            where extract(day from day) = least(due_day,
                extract(day from date_trunc('month', day) + interval '1 month - 1 day'))) as due,
            (select min(b.period_end) from credit_bills b where b.profile_id = cards.profile_id and b.account_id = cards.id
                and b.period_start = cards.first) as last
        from cards
    ), kept as (
        select dues.*, coalesce((
            select sum(t.amount) from transactions t
            where t.profile_id = dues.profile_id and t.account_id = dues.id and t.is_transfer and t.kind = 'income'
                and (first is null
                    or coalesce(case when t.is_recognised then t.statement_date end, t.original_date, t.date) <= least(due + 10, last))
                and not exists (select from credit_bill_payments p
                    join transactions other on other.profile_id = p.profile_id and other.transfer_id = p.transfer_id
                    where p.profile_id = t.profile_id and p.transfer_id = t.transfer_id and other.id <> t.id
                        and other.source = 'transfer')
        ), 0) as wanted, coalesce((
            select sum(case kind when 'expense' then amount else -amount end) from transactions t
            where t.profile_id = dues.profile_id and t.account_id = dues.id and t.source = 'opening_balance'
        ), 0) as stored
        from dues
    )
    select * from kept
    where case when opening_is_said then opening_is_derived else stored <> wanted or opening_is_derived <> (stored <> 0) end";

/// Descriptions of all cards whose bills do not have the figures that their rows and payments make.
fn wrong_ledgers(connection: &mut PgConnection) -> Vec<String> {
    // Bills of a card that nothing brought up to date since its days, rows or payments changed are computed by the next reader.
    let cards = constant_rows(
        connection,
        "select profile_id, id from accounts a
        where kind = 'credit' and bills_complete_until is not null
            and exists (select from credit_bills b where b.profile_id = a.profile_id and b.account_id = a.id)",
    );
    let mut wrong: Vec<String> = constant_rows(connection, WRONG_OPENINGS)
        .iter()
        .map(|card| format!("the opening balance of {card} is wrong"))
        .collect();
    for card in cards {
        if let Some(fault) = Ledger::read(connection, &card).fault() {
            wrong.push(format!("card {card}: {fault}"));
        }
    }
    wrong
}
