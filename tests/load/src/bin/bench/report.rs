//! The results, as a table for people and as JSON for programs.

use std::fmt::Write;

use serde_json::{Value, json};

/// One row: figures, an optional ratio, and an optional target that the ratio must meet.
struct Row {
    what: String,
    /// The ratio that the target applies to. It is the first column of the table.
    ratio: Option<f64>,
    target: Option<Target>,
    /// The figures of the row, by name.
    figures: Vec<(&'static str, f64)>,
}

/// The target of a ratio.
#[derive(Clone, Copy)]
pub(crate) enum Target {
    /// At least this.
    AtLeast(f64),
    /// At most this.
    AtMost(f64),
}

impl Target {
    fn is_met(self, value: f64) -> bool {
        match self {
            Target::AtLeast(bound) => value >= bound,
            Target::AtMost(bound) => value <= bound,
        }
    }
}

/// All rows, in the order of measurement.
#[derive(Default)]
pub(crate) struct Report {
    rows: Vec<Row>,
}

impl Report {
    /// Adds a row, with or without a ratio.
    pub(crate) fn add(
        &mut self,
        what: impl Into<String>,
        ratio: Option<f64>,
        target: Option<Target>,
        figures: &[(&'static str, f64)],
    ) {
        let what = what.into();
        eprintln!("{what}: {}{}", ratio.map_or(String::new(), |ratio| format!("{ratio:.2}  ")), listed(figures));
        self.rows.push(Row { what, ratio, target, figures: figures.to_vec() });
    }

    /// The table for people.
    pub(crate) fn table(&self) -> String {
        let mut text = String::from("\n ratio  target     what                                      figures\n");
        for row in &self.rows {
            let ratio = row.ratio.map_or(String::new(), |ratio| format!("{ratio:.2}"));
            let target = match (row.target, row.ratio) {
                (Some(target), Some(ratio)) => {
                    let (sign, bound) = match target {
                        Target::AtLeast(bound) => (">=", bound),
                        Target::AtMost(bound) => ("<=", bound),
                    };
                    format!("{sign} {bound} {}", if target.is_met(ratio) { "met" } else { "MISSED" })
                }
                _ => String::new(),
            };
            let _ = writeln!(text, "{ratio:>6}  {target:<14} {:<42} {}", row.what, listed(&row.figures));
        }
        text
    }

    /// The JSON for programs.
    pub(crate) fn json(&self) -> String {
        let rows: Vec<Value> = self
            .rows
            .iter()
            .map(|row| {
                let figures: serde_json::Map<_, _> =
                    row.figures.iter().map(|(name, value)| (name.to_string(), json!(value))).collect();
                let (at_least, at_most) = match row.target {
                    Some(Target::AtLeast(bound)) => (Some(bound), None),
                    Some(Target::AtMost(bound)) => (None, Some(bound)),
                    None => (None, None),
                };
                let is_met = row.target.zip(row.ratio).map(|(target, ratio)| target.is_met(ratio));
                json!({ "what": row.what, "ratio": row.ratio, "at_least": at_least, "at_most": at_most,
                    "met": is_met, "figures": figures })
            })
            .collect();
        format!("{}\n", json!({ "rows": rows }))
    }
}

fn listed(figures: &[(&'static str, f64)]) -> String {
    let shown = figures.iter().map(|(name, value)| {
        let digits = if value.abs() >= 100.0 || value.fract() == 0.0 { 0 } else { 2 };
        format!("{name} {value:.digits$}")
    });
    shown.collect::<Vec<_>>().join(", ")
}

/// The median.
pub(crate) fn median(mut values: Vec<f64>) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    values[values.len() / 2]
}
