//! The recorded tables as they are stored, and the entries that tell how they differ.

use std::collections::{BTreeMap, BTreeSet};

use finance_domain::changes::{RECORDED, Recorded};
use finance_domain::export::Kind;
use finance_tests::TestApp;
use serde_json::Value;

/// A row: its table and its key.
type Place = (&'static str, Vec<String>);
/// A row, and what became of it: `c`, `u` or `d`.
pub(super) type Touched = BTreeSet<(&'static str, Vec<String>, String)>;

fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_string)
}

/// The rows of all recorded tables, with the columns that are recorded.
pub(super) fn stored(app: &TestApp) -> BTreeMap<Place, Vec<Value>> {
    let mut all = BTreeMap::new();
    for recorded in RECORDED {
        for row in app.rows(&format!("select to_jsonb(t) as stored from {} t", recorded.table)) {
            let value = |name: &str| row["stored"].get(name).unwrap_or_else(|| panic!("{}.{name}", recorded.table));
            let values: Vec<Value> = recorded.columns().map(|column| value(column.name).clone()).collect();
            let key = recorded.columns().zip(&values).take(recorded.key_len()).map(|(column, value)| {
                let length = if column.kind == Kind::Month { "2026-03".len() } else { usize::MAX };
                text(value).chars().take(length).collect()
            });
            all.insert((recorded.table, key.collect()), values);
        }
    }
    all
}

/// The nouns' rows that are new.
fn created(touched: &Touched) -> BTreeSet<Place> {
    touched.iter().filter(|(_, _, op)| op == "c").map(|(table, key, _)| (*table, key.clone())).collect()
}

/// What differs between two states. What is created is recorded by its noun's row alone, with which its parts go.
pub(super) fn differing(before: &BTreeMap<Place, Vec<Value>>, after: &BTreeMap<Place, Vec<Value>>) -> Touched {
    let places: BTreeSet<&Place> = before.keys().chain(after.keys()).collect();
    let op = |place: &Place| match (before.get(place), after.get(place)) {
        (None, _) => Some("c"),
        (_, None) => Some("d"),
        (before, after) => (before != after).then_some("u"),
    };
    let all: Touched =
        places.into_iter().filter_map(|place| Some((place.0, place.1.clone(), op(place)?.to_string()))).collect();
    let new = created(&all);
    let is_part_of_new = |(table, key, op): &(&'static str, Vec<String>, String)| {
        let recorded = Recorded::of(table).unwrap();
        let owner = recorded
            .owner
            .and_then(|owner| recorded.position(owner))
            .map(|at| text(&after[&(*table, key.clone())][at]));
        op == "c" && owner.is_some_and(|owner| new.contains(&(recorded.noun.as_str(), vec![owner])))
    };
    all.iter().filter(|touched| touched.2 != "c" || !is_part_of_new(touched)).cloned().collect()
}

/// The rows that the entries of a change are about.
pub(super) fn entries(app: &TestApp, change: i64) -> Touched {
    let entries = app.rows(&format!(
        "select table_name, op::text as op, row_id, key,
            array(select id from unnest(ids) as part, generate_series(lower(part), upper(part) - 1) as id) as ids
        from (
            select table_name, op, row_id, key, ids from change_entries where change_id = {change}
            union all
            select made_table, 'c', null, null, made_ids from changes where id = {change} and made_ids is not null
        ) as entries"
    ));
    let mut touched = Touched::new();
    for entry in entries {
        let table = Recorded::of(entry["table_name"].as_str().unwrap()).unwrap().table;
        let op = entry["op"].as_str().unwrap();
        let ids = entry["ids"].as_array().unwrap();
        let keys: Vec<Vec<String>> = match (&entry["key"], ids.as_slice()) {
            (Value::Array(key), _) => vec![key.iter().map(text).collect()],
            (_, []) => vec![if entry["row_id"].is_null() { Vec::new() } else { vec![text(&entry["row_id"])] }],
            (_, ids) => ids.iter().map(|id| vec![text(id)]).collect(),
        };
        touched.extend(keys.into_iter().map(|key| (table, key, op.to_string())));
    }
    touched
}
