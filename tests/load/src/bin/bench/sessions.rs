//! What a session costs: a request proves that its session was not ended, and a device renews its login.

use finance_tests::{PASSWORD, Program};
use serde_json::json;

use crate::Plan;
use crate::data::{Household, store_sessions, with_session};
use crate::load::Ask;
use crate::report::{Report, Target, median};
use crate::requests::list_path;
use crate::stage::Stage;

/// How many more rounds a ratio of two percent takes.
const MORE_ROUNDS: usize = 3;
/// The number of renewals, and of requests that they are compared with, of a round.
const RENEWALS: usize = 150;

pub(crate) fn measure(stage: &Stage, plan: &Plan, report: &mut Report) {
    proof(stage, plan, report);
    renewals(stage, plan, report);
}

/// The list by a login that names its session, and by one of the last release, which names none.
fn proof(stage: &Stage, plan: &Plan, report: &mut Report) {
    stage.admin(&store_sessions());
    let without = &stage.households[0];
    let with = Household { token: with_session(&stage.store(), "h0").unwrap(), ..without.clone() };
    let list = Ask::Get(list_path());
    let longer = Plan { rounds: plan.rounds * MORE_ROUNDS, ..*plan };
    let cost = stage.compared(&longer, (&list, &with), (&list, without));
    report.add(
        "month list by a session that is proved, of one by none",
        Some(cost.1 / cost.0),
        Some(Target::AtLeast(0.98)),
        &[("processor µs", cost.0), ("without proof", cost.1)],
    );
}

/// Renewals of one device, one after the other, and as many requests for the caller.
fn renewals(stage: &Stage, plan: &Plan, report: &mut Report) {
    let folder = stage.cluster.data_dir().parent().unwrap();
    let created = Program::run(folder, &["create-user", "--name", "device", "--password", PASSWORD]);
    assert!(created.status.success(), "{created:?}");
    let anyone = stage.program.client();
    let login = json!({ "name": "device", "password": PASSWORD, "remember": "token" });
    let mut answer = anyone.post("/api/auth/login", login).ok();
    let (mut renewed, mut answered) = (Vec::new(), Vec::new());
    for _ in 0..plan.rounds {
        let ((), cost) = stage.spent(|| {
            for _ in 0..RENEWALS {
                answer = anyone.post("/api/auth/renew", json!({ "device_token": answer["device_token"] })).ok();
            }
        });
        renewed.push(cost / RENEWALS as f64);
        let caller = anyone.with_token(answer["token"].as_str().unwrap());
        let ((), cost) = stage.spent(|| {
            for _ in 0..RENEWALS {
                caller.get("/api/auth/me").ok();
            }
        });
        answered.push(cost / RENEWALS as f64);
    }
    let (renewed, answered) = (median(renewed), median(answered));
    report.add(
        "renewal of a device, of GET /api/auth/me",
        Some(renewed / answered),
        Some(Target::AtMost(5.0)),
        &[("processor µs", renewed), ("me", answered)],
    );
}
