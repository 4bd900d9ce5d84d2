use time::macros::date;

use super::*;
use crate::month::parse_date;

fn percentages(texts: &[&str]) -> Vec<Percentage> {
    texts.iter().map(|text| text.parse().unwrap()).collect()
}

fn tables() -> TaxTables {
    let iof: Vec<Percentage> = [
        96, 93, 90, 86, 83, 80, 76, 73, 70, 66, 63, 60, 56, 53, 50, 46, 43, 40, 36, 33, 30, 26, 23, 20, 16, 13, 10, 6,
        3,
    ]
    .map(Percentage::whole)
    .to_vec();
    let ends = [Some(180), Some(360), Some(720), None];
    let brackets = ends
        .into_iter()
        .zip(percentages(&["22.5", "20", "17.5", "15"]))
        .map(|(days_max, percent)| Bracket { days_max, percent })
        .collect();
    TaxTables::new(
        vec![IofTable { valid_from: date!(2008 - 01 - 03), percent_by_day: iof }],
        vec![IncomeTaxTable { valid_from: date!(2005 - 01 - 01), brackets }],
    )
    .unwrap()
}

/// Flows as `date`, type and amount; the type is `in`, `out` or `yield`.
fn flows(rows: &[(&str, &str, &str)]) -> BTreeMap<Date, Flow> {
    let mut flows: BTreeMap<Date, Flow> = BTreeMap::new();
    for (date, what, amount) in rows {
        let flow = flows.entry(parse_date(date).unwrap()).or_default();
        let amount: Money = amount.parse().unwrap();
        match *what {
            "in" => flow.income += amount,
            "out" => flow.expenses += amount,
            _ => flow.earned += amount,
        }
    }
    flows
}

fn due(rows: &[(&str, &str, &str)], on: &str) -> (String, String) {
    let taxes = taxes(&flows(rows), &tables(), None, parse_date(on).unwrap());
    (taxes.iof.to_string(), taxes.income_tax.to_string())
}

fn pair(iof: &str, income_tax: &str) -> (String, String) {
    (iof.into(), income_tax.into())
}

#[test]
fn iof_falls_by_the_day_and_the_income_tax_by_the_bracket() {
    // 10.00 of yield on a deposit of 1 January 2026.
    for (on, iof, income_tax) in [
        ("2026-01-02", "9.60", "0.09"),
        ("2026-01-11", "6.60", "0.76"),
        ("2026-01-21", "3.30", "1.51"),
        ("2026-01-30", "0.30", "2.18"),
        ("2026-01-31", "0.00", "2.25"),
        ("2026-06-30", "0.00", "2.25"), // 180 days
        ("2026-07-01", "0.00", "2.00"),
        ("2026-12-27", "0.00", "2.00"), // 360 days
        ("2026-12-28", "0.00", "1.75"),
        ("2027-12-22", "0.00", "1.75"), // 720 days
        ("2027-12-23", "0.00", "1.50"),
    ] {
        let rows = [("2026-01-01", "in", "1000.00"), ("2026-01-02", "yield", "10.00")];
        assert_eq!(due(&rows, on), pair(iof, income_tax), "{on}");
    }
}

#[test]
fn january_2025_leaves_what_a_bank_shows() {
    let rows = [("2024-12-31", "in", "1000.00"), ("2025-01-31", "yield", "10.13")];
    assert_eq!(due(&rows, "2025-02-01"), pair("0.00", "2.28"));
    let year = [("2023-12-31", "in", "10000.00"), ("2024-12-31", "yield", "1087.59")];
    assert_eq!(due(&year, "2025-01-01"), pair("0.00", "190.33"));
}

#[test]
fn yield_is_shared_by_what_each_lot_is_worth() {
    // 300.00 and 100.00 share 8.00 as 6.00 and 2.00; the first is 200 days old, the second 20.
    let rows = [("2026-01-01", "in", "300.00"), ("2026-06-30", "in", "100.00"), ("2026-07-20", "yield", "8.00")];
    // 6.00 × 20 %, and 2.00 less 33 % at 22.5 %.
    assert_eq!(due(&rows, "2026-07-20"), pair("0.66", "1.50"));
    // The yield of a day is not shared with deposits of that day.
    let rows = [("2026-01-01", "in", "300.00"), ("2026-07-20", "in", "100.00"), ("2026-07-20", "yield", "6.00")];
    assert_eq!(due(&rows, "2026-07-20"), pair("0.00", "1.20"));
}

#[test]
fn the_oldest_goes_first_with_its_share_of_the_yield() {
    let begun = [("2026-01-01", "in", "300.00"), ("2026-06-30", "in", "100.00"), ("2026-07-19", "yield", "8.00")];
    let after = |amount| {
        let rows: Vec<_> = begun.into_iter().chain([("2026-07-20", "out", amount)]).collect();
        due(&rows, "2026-07-20")
    };
    // Half of the first lot: 3.00 of its yield remain.
    assert_eq!(after("153.00"), pair("0.66", "0.90"));
    assert_eq!(after("306.00"), pair("0.66", "0.30"));
    // Half of the second.
    assert_eq!(after("357.00"), pair("0.33", "0.15"));
    assert_eq!(after("408.00"), pair("0.00", "0.00"));
    assert_eq!(after("500.00"), pair("0.00", "0.00"));
}

#[test]
fn what_was_owed_is_no_deposit() {
    let rows = [("2026-01-01", "out", "50.00"), ("2026-01-02", "in", "150.00"), ("2026-07-20", "yield", "1.00")];
    assert_eq!(due(&rows, "2026-07-20"), pair("0.00", "0.20"));
}

#[test]
fn only_what_was_earned_since_a_date_counts() {
    let rows = [("2024-01-01", "in", "1000.00"), ("2024-12-31", "yield", "100.00"), ("2025-12-31", "yield", "110.00")];
    let of = |since: &str| {
        taxes(&flows(&rows), &tables(), Some(parse_date(since).unwrap()), date!(2025 - 12 - 31)).income_tax.to_string()
    };
    assert_eq!(of("2024-01-01"), "31.50", "15 % of 210.00: 730 days");
    assert_eq!(of("2025-01-01"), "16.50");
    assert_eq!(of("2026-01-01"), "0.00");
}

#[test]
fn a_loss_owes_nothing() {
    let rows = [("2026-01-01", "in", "1000.00"), ("2026-01-31", "yield", "-10.00")];
    assert_eq!(due(&rows, "2026-03-01"), pair("0.00", "0.00"));
}

#[test]
fn unusable_tables_are_named() {
    let sound = tables();
    let iof = |percent_by_day, valid_from| IofTable { valid_from, percent_by_day };
    let date = date!(2008 - 01 - 03);
    let wrong =
        |iof: Vec<IofTable>, income_tax: Vec<IncomeTaxTable>| TaxTables::new(iof, income_tax).unwrap_err().to_string();
    assert_eq!(wrong(vec![], sound.income_tax.clone()), "iof: must not be empty");
    assert!(wrong(vec![iof(vec![], date)], sound.income_tax.clone()).starts_with("iof 2008-01-03: "));
    let twice = vec![sound.iof[0].clone(), sound.iof[0].clone()];
    assert_eq!(wrong(twice, sound.income_tax.clone()), "iof: valid_from must increase from table to table");
    let beyond = vec![iof(vec![Percentage::whole(101)], date)];
    assert!(wrong(beyond, sound.income_tax.clone()).contains("0 to 100"));
    for brackets in
        [vec![], vec![(Some(180), 20)], vec![(None, 20), (None, 15)], vec![(Some(9), 20), (Some(9), 20), (None, 1)]]
    {
        let brackets = brackets
            .into_iter()
            .map(|(days_max, percent)| Bracket { days_max, percent: Percentage::whole(percent) })
            .collect();
        let table = IncomeTaxTable { valid_from: date, brackets };
        assert!(wrong(sound.iof.clone(), vec![table]).starts_with("income_tax 2008-01-03: "));
    }
}
