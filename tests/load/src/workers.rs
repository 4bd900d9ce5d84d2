//! Mixed load on two processes of the service on a Citus database, while each of its workers is killed once and restarted. Then
//! all data is audited, as after a [soak](crate::soak).

use std::time::{Duration, Instant};

use finance_tests::{Citus, Program, ScratchDir};

use crate::crowd::{Crowd, Stage, create, names, program_on};
use crate::soak::{SoakPlan, SoakReport};

/// The name of the database on each node.
const DATABASE: &str = "soak";

/// Runs the load on the nodes of Citus. `just citus --soak` starts the nodes, and restarts those that were killed.
pub fn soak_on_citus(plan: SoakPlan, citus: &Citus) -> SoakReport {
    citus.create(DATABASE);
    let (scratch, database_url) = (ScratchDir::new(), citus.url(DATABASE));
    let command = || program_on(&database_url, scratch.path());
    let names = names(plan.profiles);
    create(&names, command);
    let nodes = [(), ()].map(|()| Program::start(command().env("FINANCE_WEBHOOKS_PRIVATE", "yes")));
    let mut crowd = Crowd::gather(&names, [&nodes[0], &nodes[1]]);
    let mut report = SoakReport::default();
    crowd.work(|stage| {
        let workers = citus.workers();
        let phases = u32::try_from(workers + 1).unwrap_or(1);
        stage.let_work(plan.load, phases, || ());
        for worker in 0..workers {
            report.recoveries.push(("a worker", killed(citus, worker, stage)));
            stage.let_work(plan.load, phases, || ());
        }
    });
    let deliveries = crowd.drain(&database_url);
    // Both nodes finish their requests, so that nothing is written during the audit.
    drop(nodes);
    report.outcome = crowd.audit(&database_url, deliveries);
    report
}

/// Kills a worker, and waits until every node answers the requests of every profile again.
fn killed(citus: &Citus, worker: usize, stage: &Stage<'_>) -> Duration {
    let killed = Instant::now();
    citus.kill_worker(worker, DATABASE);
    stage.wait_for_all();
    killed.elapsed()
}
