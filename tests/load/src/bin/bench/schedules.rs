//! What recurring items of other rhythms than monthly cost, and what is found in the history.

use serde_json::{Value, json};

use crate::Plan;
use crate::data::Household;
use crate::load::Ask;
use crate::report::{Report, Target};
use crate::requests::dashboard_path;
use crate::stage::Stage;

/// The number of items of the compared profiles.
const ITEMS: usize = 40;
/// A year of dues.
const YEAR: &str = "from=2025-04-01&to=2026-03-31";

pub(crate) fn measure(stage: &Stage, plan: &Plan, report: &mut Report) {
    let [mixed, monthly] = [("rhythms", true), ("months", false)].map(|(name, is_mixed)| settle(stage, name, is_mixed));
    stage.admin("vacuum analyze");
    let get = |path: &str| Ask::Get(path.to_string());
    let cost = stage.compared(plan, (&get(&dashboard_path()), &mixed), (&get(&dashboard_path()), &monthly));
    report.add(
        format!("dashboard with {ITEMS} items of all rhythms, of monthly ones"),
        Some(cost.0 / cost.1),
        Some(Target::AtMost(1.3)),
        &[("processor µs", cost.0), ("monthly", cost.1)],
    );
    let (found, list) = (get("/api/recurring/suggestions"), get("/api/transactions?limit=1000"));
    let cost = stage.compared(plan, (&found, &stage.large), (&list, &stage.large));
    report.add(
        format!("suggestions of items, {} rows, of a list of 1000", plan.large_rows),
        Some(cost.0 / cost.1),
        Some(Target::AtMost(10.0)),
        &[("processor µs", cost.0), ("list", cost.1)],
    );
    let year = get(&format!("/api/recurring/occurrences?{YEAR}"));
    // A year as full as those of the largest profile: the rows of the months that are asked for may cover their dues.
    let full_year = stage.load("full year", 12_000, 12);
    let cost = stage.compared(plan, (&year, &stage.large), (&year, &full_year));
    report.add(
        format!("a year of dues, {} rows for those of a year, months as full", plan.large_rows),
        Some(cost.0 / cost.1),
        Some(Target::AtMost(1.5)),
        &[("processor µs", cost.0), ("a year", cost.1)],
    );
    let cost = stage.compared(plan, (&year, &stage.large), (&year, &stage.households[0]));
    report.add(
        format!("a year of dues, {} rows for 1000, a month of 1000 for 83", plan.large_rows),
        Some(cost.0 / cost.1),
        Some(Target::AtMost(1.5)),
        &[("processor µs", cost.0), ("with 1000", cost.1)],
    );
}

/// Creates a profile with a thousand rows in a year and [`ITEMS`] items, monthly ones or of all rhythms.
fn settle(stage: &Stage, name: &str, is_mixed: bool) -> Household {
    let household = stage.load(name, 1_000, 12);
    let client = stage.program.client().with_token(&household.token);
    let categories: Vec<Value> =
        client.get("/api/categories").ok().as_array().unwrap().iter().map(|one| one["id"].clone()).collect();
    let known = client.get("/api/recurring").ok().as_array().unwrap().len();
    for at in known..ITEMS {
        let month = 1 + at % 12;
        let day = 1 + at % 28;
        let mut item = json!({ "type": "expense", "description": format!("Item {at}"), "amount": format!("{}.{at:02}", 50 + at * 9),
            "category_id": categories[at % categories.len()], "day": day });
        let rhythm = match at % 7 {
            _ if !is_mixed => json!({}),
            0 => json!({ "every": { "n": 1, "unit": "week" }, "start_on": format!("2025-01-{day:02}") }),
            1 => json!({ "every": { "n": 10, "unit": "day" }, "start_on": format!("2025-01-{day:02}") }),
            2 => json!({ "day_count": "labour", "weekend": "before", "day": 5 }),
            3 => json!({ "amount_min": "40.00", "amount_max": format!("{}.00", 60 + at * 9) }),
            4 => json!({ "every": { "n": 1, "unit": "year" }, "start_on": format!("2025-{month:02}-{day:02}"),
                "reserve": true }),
            5 => json!({ "count": 1, "start_on": format!("2026-03-{day:02}"), "weekend": "after" }),
            _ => json!({ "every": { "n": 3, "unit": "month" }, "start_on": format!("2025-{month:02}-{day:02}"),
                "expects": "mean3" }),
        };
        item.as_object_mut().unwrap().extend(rhythm.as_object().unwrap().clone());
        client.create("/api/recurring", item);
    }
    household
}
