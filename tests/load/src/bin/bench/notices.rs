//! What notices cost: the list, and a write of who has no device.

use diesel::{Connection, PgConnection};
use finance_tests::{Device, Receiver};
use serde_json::{Map, Value, json};

use crate::Plan;
use crate::data::Household;
use crate::load::{Ask, Load};
use crate::report::{Report, Target, median};
use crate::requests::{dashboard_path, insert_again};
use crate::stage::Stage;

/// How many more rounds a ratio of five percent takes.
const MORE_ROUNDS: usize = 3;
/// The part of the function that begins every write which makes a profile due whose members have a device or address.
const MAKES_DUE: &str = ", notices_on = case when notices_on is not null then '-infinity'::date end";

pub(crate) fn measure(stage: &Stage, plan: &Plan, report: &mut Report) {
    stage.admin("vacuum analyze");
    list(stage, plan, report);
    inserts(stage, plan, report);
}

/// The list, which gathers the facts of every kind and stores what is new, of the dashboard.
fn list(stage: &Stage, plan: &Plan, report: &mut Report) {
    let [list, dashboard] = ["/api/notices", &dashboard_path()].map(|path| Ask::Get(path.to_string()));
    let cost = stage.compared(plan, (&list, &stage.large), (&dashboard, &stage.large));
    report.add(
        format!("list of notices, {} rows, of the dashboard", plan.large_rows),
        Some(cost.0 / cost.1),
        Some(Target::AtMost(2.0)),
        &[("processor µs", cost.0), ("dashboard", cost.1)],
    );
}

/// Inserts of a profile without a device, with the function that begins a write as it is and without its part for notices, in turn. Then
/// those of a profile with a device, whose turns look at what is due.
fn inserts(stage: &Stage, plan: &Plan, report: &mut Report) {
    let definition =
        "select pg_get_functiondef('bind_profile(bigint, uuid, text[], boolean, bigint)'::regprocedure) as text";
    let mut connection = PgConnection::establish(&stage.cluster.admin_url("finance")).unwrap();
    let now = finance_tests::rows(&mut connection, definition)[0]["text"].as_str().unwrap().to_string();
    let before = now.replace(MAKES_DUE, "");
    assert_ne!(before, now, "the function that begins a write makes profiles due in another way");
    let household = stage.load("untold", 1_000, 12);
    let insert = Load::new(&insert_again(), std::slice::from_ref(&household));
    let mut costs: [Vec<f64>; 2] = Default::default();
    for round in 0..=plan.rounds * MORE_ROUNDS {
        for (function, costs) in [&now, &before].into_iter().zip(&mut costs) {
            stage.admin(function);
            let (turn, cost) = stage.spent(|| insert.run(&stage.program.url(), plan.turn));
            // The first round warms up.
            if round > 0 {
                costs.push(cost / (turn.rate * plan.turn.as_secs_f64()));
            }
        }
    }
    stage.admin(&now);
    let [without_device, before] = costs.map(median);
    report.add(
        "insert without a device, of one before notices were sent",
        Some(without_device / before),
        Some(Target::AtMost(1.05)),
        &[("processor µs", without_device), ("before", before)],
    );
    let (with_device, service) = (stage.load("told", 1_000, 12), Receiver::start());
    sign_up(stage, &with_device, &service);
    let cost = stage.compared(plan, (&insert_again(), &with_device), (&insert_again(), &household));
    report.add(
        "insert with a device, of one without",
        Some(cost.0 / cost.1),
        None,
        &[("processor µs", cost.0), ("without", cost.1)],
    );
}

/// Signs a device up. Its member is told on the page only, so that nothing is sent.
fn sign_up(stage: &Stage, household: &Household, service: &Receiver) {
    let client = stage.program.client().with_token(&household.token);
    let kinds = ["bill_due", "recurring_due", "recurring_late", "balance", "repeated_charge"];
    let kinds: Map<String, Value> =
        kinds.map(|kind| (kind.to_string(), json!({ "channels": ["page"] }))).into_iter().collect();
    client.put("/api/notices/preferences", json!({ "kinds": kinds })).ok();
    let device = Device::new(service, 1).at("https://updates.push.services.mozilla.com/wpush/v2/x");
    client.post("/api/notices/devices", device.subscription()).created();
}
