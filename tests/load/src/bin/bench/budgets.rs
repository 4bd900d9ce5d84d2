//! What budgets by month and reports cost: by the number of rows, and beside the dashboard and the list.

use serde_json::json;

use crate::Plan;
use crate::load::Ask;
use crate::report::{Report, Target};
use crate::requests::dashboard_path;
use crate::stage::{MONTH, Stage};

/// The categories of which a profile carries what is left.
const CATEGORIES: usize = 20;
/// The months of carried budgets, and the first of them.
const CARRIED: (i32, &str) = (120, "2016-04");
/// The period of the reports: twelve months up to [`MONTH`].
const PERIOD: &str = "from=2025-04-01&to=2026-03-31";
/// The months of that period.
const MONTHS: f64 = 12.0;

pub(crate) fn measure(stage: &Stage, plan: &Plan, report: &mut Report) {
    let get = |path: String| Ask::Get(path);
    for by in ["category", "group"] {
        let ask = get(format!("/api/reports/flow?by={by}&{PERIOD}"));
        let cost = stage.compared(plan, (&ask, &stage.large), (&ask, &stage.households[0]));
        report.add(
            format!("report by {by}, {} rows for 1000", plan.large_rows),
            Some(cost.0 / cost.1),
            Some(Target::AtMost(1.5)),
            &[("processor µs", cost.0), ("with 1000", cost.1)],
        );
    }
    let list = get("/api/transactions?limit=1000".to_string());
    for (by, target) in [("payee", Some(Target::AtMost(2.0))), ("tag", None), ("account", None), ("member", None)] {
        let ask = get(format!("/api/reports/flow?by={by}&{PERIOD}"));
        let cost = stage.compared(plan, (&ask, &stage.large), (&list, &stage.large));
        // The profile has a thousand rows in each month.
        let a_thousand = cost.0 / MONTHS;
        report.add(
            format!("report by {by}, a thousand rows, of their list"),
            Some(a_thousand / cost.1),
            target,
            &[("processor µs", a_thousand), ("list", cost.1)],
        );
    }
    carried(stage, plan, report);
}

/// The budgets of a month to which ten years carry what was left, beside the dashboard of the same profile without.
fn carried(stage: &Stage, plan: &Plan, report: &mut Report) {
    let [with, without] =
        ["carried", "plain"].map(|name| stage.load(name, 100 * CARRIED.0.unsigned_abs() as usize, CARRIED.0));
    for (household, carry) in [(&with, true), (&without, false)] {
        let client = stage.program.client().with_token(&household.token);
        let mut known: Vec<(i64, String)> = client
            .get("/api/categories")
            .ok()
            .as_array()
            .unwrap()
            .iter()
            .map(|category| (category["id"].as_i64().unwrap(), category["name"].as_str().unwrap().to_string()))
            .collect();
        for at in known.len()..CATEGORIES {
            let name = format!("Categoria {at}");
            known.push((client.create("/api/categories", json!({ "name": name })), name));
        }
        for (id, name) in known.iter().take(CATEGORIES) {
            let mut body = json!({ "name": name, "monthly_budget": "500.00" });
            if carry {
                body["carry"] = json!("both");
                body["carry_since"] = json!(CARRIED.1);
            }
            client.put(&format!("/api/categories/{id}"), body).ok();
        }
    }
    stage.admin("vacuum analyze");
    let (budgets, dashboard) = (Ask::Get(format!("/api/budgets/{MONTH}")), Ask::Get(dashboard_path()));
    for (what, household) in [("of the dashboard without carry", &without), ("of the dashboard with it", &with)] {
        let cost = stage.compared(plan, (&budgets, &with), (&dashboard, household));
        report.add(
            format!("a month with ten years' carry, {what}"),
            Some(cost.0 / cost.1),
            Some(Target::AtMost(2.0)),
            &[("processor µs", cost.0), ("dashboard", cost.1)],
        );
    }
    let cost = stage.compared(plan, (&dashboard, &with), (&dashboard, &without));
    report.add(
        "dashboard with ten years' carry, of one without",
        Some(cost.0 / cost.1),
        None,
        &[("processor µs", cost.0), ("without", cost.1)],
    );
}
