//! A short soak; `just soak` is the long one.

use std::time::Duration;

use finance_tests::{SoakPlan, soak};

#[test]
fn kills_under_load_lose_and_double_nothing() {
    let report = soak(SoakPlan { duration: Duration::from_secs(16), profiles: 2 });
    println!("{report:?}");
    assert_eq!(report.wrong, Vec::<String>::new());
    let (sent, acknowledged) = report.imports;
    assert!(sent > 0 && acknowledged > 0, "{report:?}");
    assert!(report.answers.get(&200) > Some(&0) && report.answers.get(&201) > Some(&0), "{report:?}");
    assert_eq!(report.recoveries.len(), 3);
}
