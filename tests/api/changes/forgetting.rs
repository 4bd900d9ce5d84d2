//! Old changes are forgotten: by one node at a time, in parts, and shown no more from the first part on.

use diesel::connection::SimpleConnection;
use finance_domain::changes::Forgetting;
use finance_domain::credentials::Role;
use finance_tests::eventually;
use serde_json::{Value, json};
use time::macros::date;
use time::{Duration, OffsetDateTime};

use super::{House, change_of, undo};

#[test]
fn only_one_node_forgets_at_a_time() {
    let house = House::new();
    let forget = |before: OffsetDateTime| {
        Forgetting::changes_forget(house.app.store.as_ref(), before, date!(2026 - 03 - 10)).unwrap()
    };
    let count = || house.app.rows("select count(*) as n from changes")[0]["n"].as_i64().unwrap();
    let known = count();
    assert!(known > 0);
    let later = OffsetDateTime::now_utc() + Duration::days(10_000);
    let mut other = house.app.connection();
    let locked = "begin; select pg_advisory_xact_lock(x'666f7267657473'::bigint)";
    other.batch_execute(locked).unwrap();
    assert!(!forget(later));
    assert_eq!(count(), known, "another node does it");
    drop(other);
    eventually("the lock is free", || {
        forget(later);
        (count() == 0).then_some(())
    });
}

#[test]
fn a_large_change_is_forgotten_in_parts_and_shown_no_more_from_the_first_on() {
    const ENTRIES: i64 = 25_000;
    let house = House::new();
    let ana = &house.ana;
    let forget = |before: OffsetDateTime| {
        let today = date!(2026 - 03 - 10);
        Forgetting::changes_forget(house.app.store.as_ref(), before, today).unwrap()
    };
    let entries = || house.app.rows("select count(*) as n from change_entries")[0]["n"].as_i64().unwrap();
    let now = OffsetDateTime::now_utc();
    let known = entries();
    assert!(!forget(now - Duration::days(30)), "nothing is old");
    assert_eq!(entries(), known);
    let large = change_of(&ana.post("/api/categories", json!({ "name": "Festa" }))).unwrap();
    let last = change_of(&ana.post("/api/categories", json!({ "name": "Férias" }))).unwrap();
    house.app.sql(&format!(
        "insert into change_entries (profile_id, change_id, position, table_name, op, is_derived, row_id)
        select profile_id, id, 100 + place, 'categories', 'u', false, 1
        from changes, generate_series(1, {ENTRIES}) as place where id = {large};
        update changes set entries = entries + {ENTRIES}, at = now() - interval '40 days' where id = {large}"
    ));
    ana.get(&format!("/api/changes/{large}")).problem(404, "ErrNotFound");
    let mut before = entries();
    let mut passes = 0;
    while forget(now - Duration::days(30)) {
        let after = entries();
        assert!((1..=10_000).contains(&(before - after)), "{before} {after}");
        (before, passes) = (after, passes + 1);
    }
    assert_eq!(passes, 2, "and a third one for the rest");
    assert_eq!(house.app.rows(&format!("select from changes where id = {large}")), Vec::<Value>::new());
    ana.get(&format!("/api/changes/{last}")).ok();
    assert_eq!(entries(), known, "the other one has its created row itself");
    // One that is too large for the profile is shown no more once its first part is gone.
    house.app.sql(&format!(
        "insert into change_entries (profile_id, change_id, position, table_name, op, is_derived, row_id)
        select profile_id, id, 100 + place, 'categories', 'u', false, 1
        from changes, generate_series(1, {ENTRIES}) as place where id = {last};
        update changes set entries = 500000 where id = {last}"
    ));
    let newest = change_of(&ana.post("/api/categories", json!({ "name": "Natal" }))).unwrap();
    assert!(forget(now - Duration::days(30)));
    ana.get(&format!("/api/changes/{last}")).problem(404, "ErrNotFound");
    assert_eq!(ana.get("/api/changes").ok()[0]["id"], json!(newest));
}

#[test]
fn viewers_read_and_do_not_undo_and_what_is_old_is_forgotten_at_once() {
    let house = House::new();
    let ana = &house.ana;
    let change = change_of(&ana.post("/api/categories", json!({ "name": "Festa" }))).unwrap();
    let viewer = house.app.member(ana, "vic", Role::Viewer);
    assert_eq!(viewer.get("/api/changes").ok(), ana.get("/api/changes").ok());
    undo(&viewer, change).problem(403, "ErrNotAllowed");
    house.app.clock.advance(Duration::days(29));
    let ana = house.app.user("ana");
    let known = ana.get(&format!("/api/changes/{change}"));
    assert_eq!(known.status, 200, "{known:?}");
}
