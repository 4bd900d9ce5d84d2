//! What an answer costs that the client has already, and asks for with its entity tag.

use finance_tests::{Client, Method};

use crate::Plan;
use crate::capture::capture;
use crate::load::Ask;
use crate::report::{Report, Target};
use crate::requests::dashboard_path;
use crate::stage::Stage;

pub(crate) fn measure(stage: &Stage, plan: &Plan, report: &mut Report) {
    let household = &stage.households[0];
    let full = Ask::Get(dashboard_path());
    let answer = stage.program.client().with_token(&household.token).get(&dashboard_path());
    let tag = answer.header("etag").unwrap().to_string();
    let sent = |client: &Client, _| {
        let reply = client.send_with(Method::GET, &dashboard_path(), None, Vec::new(), &[("If-None-Match", &tag)]);
        assert_eq!(reply.status, 304);
    };
    let captured = capture(stage, &[&sent], &household.token).remove(0);
    report.add(
        "round trips of an unchanged dashboard",
        Some(captured.round_trips as f64),
        Some(Target::AtMost(1.0)),
        &[],
    );
    let unchanged = Ask::GetIfChanged(dashboard_path(), tag.clone());
    let cost = stage.compared_by(|(_, database)| database, plan, (&unchanged, household), (&full, household));
    report.add(
        "an unchanged dashboard, of a full one, in the database",
        Some(cost.0 / cost.1),
        Some(Target::AtMost(0.1)),
        &[("processor µs", cost.0), ("full", cost.1)],
    );
}
