//! Every sum that is kept beside transactions, compared with its rows. The rules are written here once more, apart from
//! the service's own.

use diesel::PgConnection;

use crate::app::rows;

/// Queries that must find nothing, each with what is wrong with a row that it finds.
const MUST_BE_EMPTY: [(&str, &str); 4] = [
    (
        "a balance is not the sum of its rows",
        "select a.profile_id, a.id, a.balance, coalesce(t.total, 0) as counted
        from accounts a
        left join (select profile_id, account_id, sum(case kind when 'income' then amount else -amount end) as total
            from transactions group by 1, 2) t on t.profile_id = a.profile_id and t.account_id = a.id
        where a.balance <> coalesce(t.total, 0)",
    ),
    (
        "a bill's total is not the sum of its rows",
        "select b.profile_id, b.id, b.total, sum(case t.kind when 'expense' then t.amount else -t.amount end) as counted
        from credit_bills b
        left join transactions t on t.profile_id = b.profile_id and t.account_id = b.account_id
            and t.source not in ('transfer', 'opening_balance')
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
            from transactions where source not in ('transfer', 'opening_balance') group by 1, 2, 3
        ) as counted using (profile_id, month, category_id)
        where (kept.income, kept.expenses, kept.transactions)
            is distinct from (counted.income, counted.expenses, counted.transactions)",
    ),
    (
        "a row is on no stored bill before the date until when a card's bills are complete",
        "select t.profile_id, t.id, t.date, a.bills_complete_until
        from accounts a
        join transactions t on t.profile_id = a.profile_id and t.account_id = a.id
            and t.source not in ('transfer', 'opening_balance') and t.date <= a.bills_complete_until
        where not exists (select from credit_bills b where b.profile_id = t.profile_id and b.account_id = t.account_id
            and (t.original_date is null and t.date between b.period_start and b.period_end
                or t.original_date is not null and t.date > b.period_end and t.date <= b.following_end))",
    ),
];

/// Every sum in the database that is not that of its rows, in words.
pub fn wrong_sums(connection: &mut PgConnection) -> Vec<String> {
    let found = MUST_BE_EMPTY.iter().flat_map(|(what, query)| {
        let found = rows(connection, query);
        found.into_iter().map(move |row| format!("{what}: {row}"))
    });
    found.collect()
}
