//! Reads write nothing, but for the first of a day and those that are named here.

use finance_tests::{Client, TestApp};
use time::macros::date;
use ureq::http::Method;

use crate::household::Household;
use crate::routes::{Route, routes};

/// The GETs that may write at another time than the first read of a day, with the reason.
const WRITING: [(&str, &str); 4] = [
    ("/api/accounts", "yield is paid as soon as its rates are published"),
    ("/api/dashboard", "a month that met the goal is awarded"),
    ("/api/notices", "what has become due is stored, so that it can be read and put off"),
    ("/api/transfers/suggestions", "rows that were written since are marked as possible sides"),
];

/// Those that show what depends on the day, and would bring it up to date if a write had left it behind.
const OF_DAY: [&str; 7] = [
    "/api/credit-bills",
    "/api/credit-bills/{id}",
    "/api/credit-bills/upcoming",
    "/api/forecast",
    "/api/accounts/{id}",
    "/api/import/preview",
    "/api/entries/parse",
];

/// The requests that store nothing although they are no GETs.
const OF_BODIES: [&str; 2] = ["/api/import/preview", "/api/entries/parse"];

fn write_ids(app: &TestApp) -> Vec<String> {
    let rows = app.rows("select write_id::text from profiles order by id");
    rows.iter().map(|row| row["write_id"].to_string()).collect()
}

#[test]
fn only_the_first_read_of_a_day_writes() {
    let app = TestApp::start();
    let ana = Household::new(&app, "ana");
    let is_read = |route: &Route| {
        let may_write = WRITING.iter().any(|(template, _)| *template == route.template);
        (route.method == Method::GET && !may_write) || OF_BODIES.contains(&route.template)
    };
    let (reads, writes): (Vec<Route>, Vec<Route>) = routes(&ana, &ana).into_iter().partition(is_read);
    assert!(reads.len() > 40, "{}", reads.len());
    let call = |client: &Client, read: &Route| read.call(client, &read.path(read.anas), &read.payload);
    let mut client = ana.client.clone();
    for today in [date!(2026 - 03 - 20), date!(2026 - 05 - 15)] {
        app.clock.set_today(today);
        let before = write_ids(&app);
        client.get("/api/credit-bills").ok();
        assert_ne!(write_ids(&app), before, "{today}");
        let before = write_ids(&app);
        for read in &reads {
            call(&client, read);
            assert_eq!(write_ids(&app), before, "{} on {today}", read.template);
        }
    }
    for write in writes {
        let reply = write.call(&client, &write.path(write.anas), &write.payload);
        if reply.status == 200 && reply.json()["token_type"] == "Bearer" {
            client = client.with_token(reply.json()["token"].as_str().unwrap());
        }
        let before = write_ids(&app);
        reads.iter().filter(|read| OF_DAY.contains(&read.template)).for_each(|read| drop(call(&client, read)));
        assert_eq!(write_ids(&app), before, "after {} {}", write.method, write.template);
    }
}
