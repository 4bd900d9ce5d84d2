//! The growth of a request's cost with the number of profiles, and with a profile's history.

use std::time::Instant;

use finance_domain::AccountId;
use finance_domain::accounts::AccountKind;
use finance_domain::entries::{LINE_CHARS_MAX, Names, read};

use crate::Plan;
use crate::data::Household;
use crate::load::{Ask, Load};
use crate::report::{Report, Target, median};
use crate::requests::{dashboard_path, insert_again, list_path};
use crate::stage::{FEW, FEW_HOUSEHOLDS, Stage, TODAY};

pub(crate) fn measure(stage: &Stage, plan: &Plan, report: &mut Report) {
    let few = stage.service_of(FEW);
    let profiles = plan.households + plan.small_households + 1;
    // The insert earns no XP. Ten profiles would soon reach the daily maximum of XP, and ten thousand profiles never, so inserts
    // that earn XP could not be compared.
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

/// What needs only few profiles: reads about the future, and the reading of a line.
pub(crate) fn figures(stage: &Stage, plan: &Plan, report: &mut Report) {
    ahead(stage, plan, report);
    entries(stage, plan, report);
    reader(report);
}

/// Reading a line, of the descriptions that a page asks for while somebody types one, in the profile with many rows.
fn entries(stage: &Stage, plan: &Plan, report: &mut Report) {
    let large = std::slice::from_ref(&stage.large);
    let rate = |ask: &Ask| {
        let load = Load::new(ask, large);
        median((0..plan.rounds).map(|_| 1e6 / load.run(&stage.program.url(), plan.turn).rate).collect())
    };
    let line = "'{\"text\":\"padaria da ana 54,90 ontem no banco\"}'";
    let parse = rate(&Ask::Post("/api/entries/parse".to_string(), line.to_string()));
    let descriptions = rate(&Ask::Get("/api/transactions/descriptions?q=padaria".to_string()));
    report.add(
        format!("a line read, {} rows, of its descriptions", plan.large_rows),
        Some(parse / descriptions),
        Some(Target::AtMost(2.0)),
        &[("µs a request", parse), ("descriptions", descriptions)],
    );
}

/// The reader alone, on the longest lines of what it looks at most.
fn reader(report: &mut Report) {
    let grammar = finance_cli::catalogs::lexicon().expect("the shipped words are sound").grammar;
    let accounts = (0..100).map(|at| (AccountId(at), format!("Conta {at} do banco"))).collect::<Vec<_>>();
    let named = accounts.iter().map(|(id, name)| (*id, name.as_str(), AccountKind::Current));
    let names = Names::new(named, ["Mercado"]);
    let mut slowest: f64 = 0.0;
    for part in ["1,", "1 ", "1+", "mil e ", "no ", "no o conta ", "10x ", "segunda ", "mercado 54,90 ontem no banco "]
    {
        let text: String = part.chars().cycle().take(LINE_CHARS_MAX).collect();
        let begun = Instant::now();
        for _ in 0..100 {
            std::hint::black_box(read(&text, TODAY, &names, &grammar));
        }
        slowest = slowest.max(begun.elapsed().as_secs_f64() * 10.0);
    }
    report.add(
        "a line of 1,000 characters read, of 1 ms",
        Some(slowest),
        Some(Target::AtMost(1.0)),
        &[("ms", slowest)],
    );
}

/// Reads about the future, and the search for transfers, with two hundred purchases by instalments: a profile with many rows is
/// compared with one with few.
fn ahead(stage: &Stage, plan: &Plan, report: &mut Report) {
    let [large, small] = stage.with_plans.each_ref().map(std::slice::from_ref);
    let service = |household| (stage.program.url(), household);
    let get = |path: &str| Ask::Get(path.to_string());
    let detect = Ask::Post("/api/transfers/detect?dry_run=true".to_string(), "'{}'".to_string());
    // The detection of transfers reads every income of a card, so its cost may grow with the number of rows, but not faster.
    let in_step = plan.large_rows as f64 / 1_000.0;
    for (name, ask, most) in [
        ("installments", get("/api/installments"), 1.5),
        ("active installments", get("/api/installments?status=active"), 1.5),
        ("upcoming bills", get("/api/credit-bills/upcoming"), 1.5),
        ("forecast", get("/api/forecast"), 1.5),
        ("accounts with limits", get("/api/accounts"), 1.5),
        ("suggested transfers", get("/api/transfers/suggestions"), 1.5),
        ("transfers detected, dry", detect, in_step),
    ] {
        let cost = compared(plan, &ask, service(large), service(small));
        report.add(
            format!("{name}, {} for 1000", plan.large_rows),
            Some(cost.0 / cost.1),
            Some(Target::AtMost(most)),
            &[("µs a request", cost.0), ("with 1000", cost.1)],
        );
    }
    let (forecast, dashboard) = (get("/api/forecast"), get(&dashboard_path()));
    let rate = |ask: &Ask| {
        let load = Load::new(ask, large);
        median((0..plan.rounds).map(|_| 1e6 / load.run(&stage.program.url(), plan.turn).rate).collect())
    };
    let cost = (rate(&forecast), rate(&dashboard));
    let figures = [("µs a request", cost.0), ("dashboard", cost.1)];
    report.add("forecast, of the dashboard", Some(cost.0 / cost.1), Some(Target::AtMost(2.0)), &figures);
}

/// The cost of a request on both sides, in microseconds of elapsed time per request, measured in turn.
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
