//! The audit of the data: compares every stored sum with its rows, and every import with the answers to it.

use std::collections::{HashMap, HashSet};

use diesel::{Connection, PgConnection};

use super::worker::{Import, ROWS, Tally};
use finance_tests::{rows, wrong_sums};

/// Queries that must return no rows, each with the meaning of a row.
const MUST_BE_EMPTY: [(&str, &str); 3] = [
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

/// Descriptions of everything that is wrong.
pub(super) fn wrong(database_url: &str, tally: &Tally) -> Vec<String> {
    let imports = &tally.imports;
    let mut connection = PgConnection::establish(database_url).expect("a connection");
    let mut wrong = wrong_sums(&mut connection);
    for (what, query) in MUST_BE_EMPTY {
        wrong.extend(rows(&mut connection, query).into_iter().map(|row| format!("{what}: {row}")));
    }
    let there = rows(&mut connection, "select id from transactions");
    let there: HashSet<i64> = there.iter().filter_map(|row| row["id"].as_i64()).collect();
    let lost = tally.created.iter().filter(|id| !there.contains(id) && !tally.deleted.contains(id));
    wrong.extend(lost.map(|id| format!("transaction {id} was acknowledged and is lost")));
    // Each row of a file has its own id, so a file that is stored once has as many rows as ids.
    let stored = rows(
        &mut connection,
        "select substring(external_id from '^w[0-9]+-[0-9]+-') as prefix, count(*) as held,
            count(distinct external_id) as ids, count(distinct import_id) as imports
        from transactions
        where import_id is not null and profile_id not in (select profile_id from push_devices) group by 1",
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
