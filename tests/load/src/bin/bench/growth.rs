//! How a request's cost grows with the number of profiles, and with a profile's history.

use crate::Plan;
use crate::data::Household;
use crate::load::{Ask, Load};
use crate::report::{Report, Target, median};
use crate::requests::{dashboard_path, insert_again, list_path};
use crate::stage::{FEW_HOUSEHOLDS, Stage};

pub(crate) fn measure(stage: &Stage, plan: &Plan, report: &mut Report) {
    let few = stage.service_of_few();
    let profiles = plan.households + plan.small_households + 1;
    // An insert that earns nothing: ten profiles would soon have earned all that a day gives, and ten thousand never.
    for (name, ask) in [
        ("month list", Ask::Get(list_path())),
        ("dashboard", Ask::Get(dashboard_path())),
        ("single insert", insert_again()),
    ] {
        let many = (stage.program.url(), stage.small.as_slice());
        let cost = compared(plan, &ask, many, (few.url(), stage.few.as_slice()));
        report.add(
            format!("{name}, {profiles} profiles for {FEW_HOUSEHOLDS}"),
            Some(cost.0 / cost.1),
            Some(Target::AtMost(1.2)),
            &[("µs a request", cost.0), ("with few", cost.1)],
        );
    }
    for (what, other, target) in [
        ("for 1000, months as full", &stage.new, Some(Target::AtMost(1.5))),
        ("for 1000, a month of 1000 for 83", &stage.households[0], None),
    ] {
        let large = (stage.program.url(), std::slice::from_ref(&stage.large));
        let other = (stage.program.url(), std::slice::from_ref(other));
        let cost = compared(plan, &Ask::Get(dashboard_path()), large, other);
        report.add(
            format!("dashboard, {} {what}", plan.large_rows),
            Some(cost.0 / cost.1),
            target,
            &[("µs a request", cost.0), ("with 1000", cost.1)],
        );
    }
}

/// What a request costs on both sides, in microseconds of the machine, measured in turn.
fn compared(plan: &Plan, ask: &Ask, one: (String, &[Household]), other: (String, &[Household])) -> (f64, f64) {
    let (load_one, load_other) = (Load::new(ask, one.1), Load::new(ask, other.1));
    for (load, url) in [(&load_one, &one.0), (&load_other, &other.0)] {
        load.run(url, std::time::Duration::from_secs(1));
    }
    let (mut costs_one, mut costs_other) = (Vec::new(), Vec::new());
    for _ in 0..plan.rounds {
        costs_one.push(1e6 / load_one.run(&one.0, plan.turn).rate);
        costs_other.push(1e6 / load_other.run(&other.0, plan.turn).rate);
    }
    (median(costs_one), median(costs_other))
}
