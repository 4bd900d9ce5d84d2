//! Going through the books: every sum that is kept beside the rows it is of, every import beside what was told of it.

use std::collections::HashMap;

use diesel::{Connection, PgConnection};

use super::worker::{Import, ROWS};
use finance_tests::rows;

/// Queries of what must not be, each with what is wrong with its rows.
const MUST_BE_EMPTY: [(&str, &str); 6] = [
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
        "select b.profile_id, b.id, b.total, bill_total(b) as counted from credit_bills b where b.total <> bill_total(b)",
    ),
    (
        "a month's totals are not the sum of its rows",
        "select profile_id, month, category_id, kept.income as kept_income, counted.income as counted_income
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
        "a tally is not the sum of its awards",
        "select profile_id, action
        from (select profile_id, action, total_count, total_xp from xp_tallies) as kept
        full join (select profile_id, action, count(*) as total_count, sum(xp) as total_xp from xp_events group by 1, 2)
            as counted using (profile_id, action)
        where (kept.total_count, kept.total_xp) is distinct from (counted.total_count, counted.total_xp)",
    ),
    (
        "a transfer has not two legs",
        "select f.profile_id, f.id, count(t.id) as legs
        from transfers f left join transactions t on t.profile_id = f.profile_id and t.transfer_id = f.id
        group by 1, 2 having count(t.id) <> 2",
    ),
    (
        "an import has not the rows it tells of",
        "select i.profile_id, i.id, i.inserted, count(t.id) as counted
        from imports i left join transactions t on t.profile_id = i.profile_id and t.import_id = i.id
        group by 1, 2, 3 having count(t.id) <> i.inserted",
    ),
];

/// Everything that is wrong, in words.
pub(super) fn wrong(database_url: &str, imports: &[Import]) -> Vec<String> {
    let mut connection = PgConnection::establish(database_url).expect("a connection");
    let mut wrong = Vec::new();
    for (what, query) in MUST_BE_EMPTY {
        wrong.extend(rows(&mut connection, query).into_iter().map(|row| format!("{what}: {row}")));
    }
    // Each row of a file has an id of its own, so a file that is there once has as many rows as ids.
    let stored = rows(
        &mut connection,
        "select substring(external_id from '^w[0-9]+-[0-9]+-') as prefix, count(*) as held,
            count(distinct external_id) as ids, count(distinct import_id) as imports
        from transactions where import_id is not null group by 1",
    );
    let stored: HashMap<&str, (u64, u64, u64)> = stored
        .iter()
        .map(|row| {
            let count = |name: &str| row[name].as_u64().expect("a count");
            (
                row["prefix"].as_str().expect("a row of an import of ours"),
                (count("held"), count("ids"), count("imports")),
            )
        })
        .collect();
    for Import { prefix, acknowledged } in imports {
        match stored.get(prefix.as_str()) {
            Some((rows, ids, 1)) if *rows == ROWS as u64 && rows == ids => {}
            Some(found) => wrong.push(format!("import {prefix} is not there once: {found:?} rows, ids and imports")),
            None if *acknowledged => wrong.push(format!("import {prefix} was acknowledged and is lost")),
            None => {}
        }
    }
    if stored.len() > imports.len() {
        wrong.push(format!("{} imports are there, {} were sent", stored.len(), imports.len()));
    }
    wrong
}
