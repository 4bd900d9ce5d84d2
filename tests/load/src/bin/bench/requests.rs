//! The everyday requests of a household, compared with their own statements.

use finance_tests::{Client, PASSWORD};
use serde_json::json;

use crate::Plan;
use crate::capture::{Captured, capture};
use crate::data::{BOUGHT, BOUGHT_ON, Household, store_tokens, token_of};
use crate::limit::Limit;
use crate::load::{Ask, CONNECTIONS, Load, Turn};
use crate::report::{Report, Target, median};
use crate::stage::{MONTH, Stage};

/// A request under measurement.
struct Measured {
    name: &'static str,
    ask: Ask,
    target: f64,
    captured: Captured,
}

pub(crate) fn list_path() -> String {
    format!("/api/transactions?month={MONTH}&limit=50")
}

pub(crate) fn dashboard_path() -> String {
    format!("/api/dashboard?month={MONTH}")
}

/// An insert of a new purchase, which earns XP.
pub(crate) fn insert() -> Ask {
    insert_of("Padaria %d", "%d.57", "math.random(1, 1000000000), math.random(1, 900), ")
}

/// An insert of a purchase that is stored already. It earns no XP.
pub(crate) fn insert_again() -> Ask {
    insert_of(BOUGHT.0, &BOUGHT.1.to_string(), "")
}

fn insert_of(description: &str, amount: &str, values: &str) -> Ask {
    let body = format!(
        r#"string.format('{{"type":"expense","date":"{BOUGHT_ON}","description":"{description}","amount":"{amount}","account_id":%s,"category_id":%s}}', {values}h[2], h[3])"#
    );
    Ask::Post("/api/transactions".to_string(), body)
}

pub(crate) fn measure(stage: &Stage, plan: &Plan, report: &mut Report) {
    let sample = &stage.small[stage.small.len() / 2];
    let inserted = |client: &Client, round: usize| {
        let body = json!({ "type": "expense", "date": BOUGHT_ON.to_string(), "description": format!("Padaria {round}"),
            "amount": format!("{}.57", round + 1), "account_id": sample.account, "category_id": sample.category });
        client.post("/api/transactions", body).created();
    };
    let listed = |client: &Client, _| {
        client.get(&list_path()).ok();
    };
    let shown = |client: &Client, _| {
        client.get(&dashboard_path()).ok();
    };
    let mut captured = capture(stage, &[&listed, &shown, &inserted], &sample.token).into_iter();
    let mut of = |name, ask, target| Measured { name, ask, target, captured: captured.next().unwrap() };
    let list = of("month list, 50 rows", Ask::Get(list_path()), 0.5);
    let dashboard = of("dashboard", Ask::Get(dashboard_path()), 0.5);
    let insert = of("single insert", insert(), 0.6);
    let mut slowest: f64 = 0.0;
    let mut spread: f64 = 0.0;
    stage.forget_peak();
    for (measured, households) in [(&list, &stage.households), (&dashboard, &stage.households), (&insert, &stage.small)]
    {
        let limit = Limit::new(&measured.captured.sent, sample, households);
        let load = Load::new(&measured.ask, households);
        load.run(&stage.program.url(), std::time::Duration::from_secs(1));
        let (mut turns, mut limits) = (Vec::new(), Vec::new());
        let (mut service, mut database) = (Vec::new(), Vec::new());
        for _ in 0..plan.rounds {
            let before = stage.processor();
            let turn = load.run(&stage.program.url(), plan.turn);
            let after = stage.processor();
            let requests = turn.rate * plan.turn.as_secs_f64();
            service.push((after.0 - before.0) * 1e6 / requests);
            database.push((after.1 - before.1) * 1e6 / requests);
            turns.push(turn);
            limits.push(limit.run(&stage.cluster.url(), plan.turn));
        }
        let of = |figure: fn(&Turn) -> f64| median(turns.iter().map(figure).collect());
        let (rate, bound) = (of(|turn| turn.rate), median(limits));
        let (p50, p99) = (of(|turn| turn.p50), of(|turn| turn.p99));
        let max = turns.iter().map(|turn| turn.max).fold(0.0, f64::max);
        slowest = slowest.max(max);
        spread = spread.max(p99 / p50);
        report.add(
            format!("{}, of its statements bare", measured.name),
            Some(rate / bound),
            Some(Target::AtLeast(measured.target)),
            &[
                ("requests/s", rate),
                ("bare/s", bound),
                ("p50 ms", p50),
                ("p99 ms", p99),
                ("max ms", max),
                ("queries", measured.captured.queries() as f64),
                ("round trips", measured.captured.round_trips as f64),
                ("service µs", median(service)),
                ("database µs", median(database)),
            ],
        );
    }
    report.add("p99 of p50, the widest of these", Some(spread), Some(Target::AtMost(10.0)), &[]);
    report.add("slowest request, of 250 ms", Some(slowest / 250.0), Some(Target::AtMost(1.0)), &[("ms", slowest)]);
    let peak = stage.peak_kib() / 1024.0;
    report.add(
        "resident memory under load, of 128 MiB",
        Some(peak / 128.0),
        Some(Target::AtMost(1.0)),
        &[("MiB", peak)],
    );
    row_level_security(stage, plan, &list, report);
    by_token(stage, plan, &list, report);
    logins(stage, plan, report);
}

/// The month list as the service's role, to which policies apply, compared with a superuser, to whom none apply. It compares the
/// processor time of the database, because that shows differences of a few percent which rates would hide.
fn row_level_security(stage: &Stage, plan: &Plan, list: &Measured, report: &mut Report) {
    const TRANSACTIONS: u32 = 4_000;
    let sample = &stage.small[stage.small.len() / 2];
    let limit = Limit::new(&list.captured.sent, sample, &stage.households);
    let cost = |url: &str| {
        let before = stage.of_ended_connections();
        limit.repeat(url, TRANSACTIONS);
        (stage.of_ended_connections() - before) * 1e6 / f64::from(TRANSACTIONS)
    };
    let (mut bound, mut free) = (Vec::new(), Vec::new());
    for _ in 0..plan.rounds * 2 {
        bound.push(cost(&stage.cluster.url()));
        free.push(cost(&stage.cluster.admin_url("finance")));
    }
    let (bound, free) = (median(bound), median(free));
    let figures = [("database µs with", bound), ("without", free)];
    report.add("month list bare, with row-level security", Some(bound / free), None, &figures);
}

/// The month list with tokens, compared with the month list with logins. A token is looked up when the profile is bound.
fn by_token(stage: &Stage, plan: &Plan, list: &Measured, report: &mut Report) {
    stage.admin(&store_tokens());
    let with_tokens: Vec<Household> =
        stage.households.iter().map(|of| Household { token: token_of(of.profile), ..of.clone() }).collect();
    let [by_login, by_token] = [&stage.households, &with_tokens].map(|households| Load::new(&list.ask, households));
    by_token.run(&stage.program.url(), std::time::Duration::from_secs(1));
    let (mut logins, mut tokens) = (Vec::new(), Vec::new());
    for _ in 0..plan.rounds {
        logins.push(by_login.run(&stage.program.url(), plan.turn).rate);
        tokens.push(by_token.run(&stage.program.url(), plan.turn).rate);
    }
    let (logins, tokens) = (median(logins), median(tokens));
    report.add(
        "month list by token, of one by login",
        Some(tokens / logins),
        Some(Target::AtLeast(0.9)),
        &[("by token/s", tokens), ("by login/s", logins)],
    );
}

/// Logins. Their cost is the cost of bcrypt.
fn logins(stage: &Stage, plan: &Plan, report: &mut Report) {
    let created = finance_tests::Program::run(
        stage.cluster.data_dir().parent().unwrap(),
        &["create-user", "--name", "login", "--password", PASSWORD],
    );
    assert!(created.status.success(), "{created:?}");
    let body = format!("'{{\"name\":\"login\",\"password\":\"{PASSWORD}\"}}'");
    let ask = Ask::Post("/api/auth/login".to_string(), body);
    let load = Load::new(&ask, &stage.households[..1]);
    let turn = load.run(&stage.program.url(), plan.turn);
    report.add(
        format!("login, {CONNECTIONS} at once, aside"),
        None,
        None,
        &[("requests/s", turn.rate), ("p50 ms", turn.p50), ("p99 ms", turn.p99)],
    );
}
