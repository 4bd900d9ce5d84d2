//! The cost of many households: `just cost`. This program measures constants. The activity of a household is assumed below. The
//! table shows the result of both.

use diesel::sql_types::Double;
use diesel::{Connection, PgConnection, QueryableByName, RunQueryDsl, sql_query};
use finance_tests::Program;
use serde_json::json;

use crate::Plan;
use crate::data::Household;
use crate::load::{Ask, Load};
use crate::million;
use crate::report::{Report, Target, median};
use crate::requests::{dashboard_path, insert, insert_again, list_path};
use crate::stage::{FEW, Stage};

/// The activity of a household on one day: lists, dashboards, transactions entered by hand, and imported rows.
const LISTS: f64 = 6.0;
const DASHBOARDS: f64 = 3.0;
const INSERTS: f64 = 2.0;
const IMPORTED_ROWS: f64 = 4.0;
/// The fraction of a day's requests in its busiest hour.
const BUSIEST_HOUR: f64 = 1.0 / 8.0;
/// The fraction of a processor that may be used in that hour.
const USED_MAX: f64 = 0.5;
/// The number of days for which rows are kept.
const KEPT_DAYS: f64 = 3_650.0;
/// The number of processors of one process of the service, and of its connections to the database.
const PROCESS: (f64, f64) = (4.0, 10.0);
/// The largest machine that the database is expected to have: processors, gigabytes of disk, connections.
const MACHINE: (f64, f64, f64) = (64.0, 16_000.0, 2_000.0);
/// The numbers of households: the columns of the table.
const HOUSEHOLDS: [f64; 4] = [1e4, 1e5, 1e6, 1e7];

const MILLION: &str = "million";
const GB: f64 = 1e9;

/// The processor time of the service and of the database, in seconds.
#[derive(Clone, Copy, Default)]
struct Time {
    service: f64,
    database: f64,
}

impl Time {
    fn times(self, count: f64) -> Time {
        Time { service: self.service * count, database: self.database * count }
    }

    fn and(self, other: Time) -> Time {
        Time { service: self.service + other.service, database: self.database + other.database }
    }

    fn sum(self) -> f64 {
        self.service + self.database
    }
}

/// The measured constants.
struct Constants {
    list: Time,
    dashboard: Time,
    insert: Time,
    imported_row: Time,
    /// The bytes on disk of a transaction with its indexes, and of all other data of a household with a thousand transactions.
    row_bytes: f64,
    other_bytes: f64,
    /// The bytes of the write-ahead log for an insert and for an imported row.
    insert_wal: f64,
    imported_wal: f64,
}

/// Measures the constants, adds them to the report, and returns the table.
pub(crate) fn measure(stage: &Stage, plan: &Plan, profiles: i64, report: &mut Report) -> String {
    let cost = |ask: &Ask, households| cost(stage, &stage.program, plan, ask, households);
    let list = cost(&Ask::Get(list_path()), &stage.households);
    let dashboard = cost(&Ask::Get(dashboard_path()), &stage.households);
    // The sizes are measured before rows are added, while the households have a thousand rows.
    let sizes = sizes(stage);
    let logged = wal(stage);
    let rows = transactions(stage);
    let insert = cost(&insert(), &stage.households);
    let inserted = transactions(stage) - rows;
    let insert_wal = (wal(stage) - logged) / inserted;
    let (imported_row, imported_wal) = imported(stage, plan);
    let constants = Constants {
        list,
        dashboard,
        insert,
        imported_row,
        row_bytes: sizes.0,
        other_bytes: sizes.1,
        insert_wal,
        imported_wal,
    };
    for (what, time) in
        [("month list", list), ("dashboard", dashboard), ("single insert", insert), ("imported row", imported_row)]
    {
        let figures = [("service µs", time.service * 1e6), ("database µs", time.database * 1e6)];
        report.add(format!("{what}, processor time"), None, None, &figures);
    }
    report.add(
        "bytes on disk",
        None,
        None,
        &[("a transaction", constants.row_bytes), ("a household beside them", constants.other_bytes)],
    );
    report.add(
        "bytes of write-ahead log",
        None,
        None,
        &[("an insert", constants.insert_wal), ("an imported row", constants.imported_wal)],
    );
    simulate(stage, plan, profiles, report);
    table(&constants)
}

/// The processor time of one request.
fn cost(stage: &Stage, program: &Program, plan: &Plan, ask: &Ask, households: &[Household]) -> Time {
    let load = Load::new(ask, households);
    load.run(&program.url(), std::time::Duration::from_secs(1));
    let (mut service, mut database) = (Vec::new(), Vec::new());
    for _ in 0..plan.rounds {
        let before = stage.processor_with(program);
        let requests = load.run(&program.url(), plan.turn).rate * plan.turn.as_secs_f64();
        let after = stage.processor_with(program);
        service.push((after.0 - before.0) / requests);
        database.push((after.1 - before.1) / requests);
    }
    Time { service: median(service), database: median(database) }
}

/// The processor time and the bytes of write-ahead log of an imported row, in statements of 120 rows.
fn imported(stage: &Stage, plan: &Plan) -> (Time, f64) {
    const ROWS: usize = 120;
    const FILES: usize = 40;
    let (before, logged) = (stage.processor(), wal(stage));
    for (at, household) in stage.households.iter().cycle().take(plan.rounds * FILES).enumerate() {
        let rows: Vec<_> = (0..ROWS)
            .map(|row| {
                json!({ "date": format!("2026-02-{:02}", row % 28 + 1), "description": format!("Loja {row}"),
                    "amount": format!("{}.{:02}", at + 1, row % 100), "type": "expense",
                    "external_id": format!("C{at}-{row}"), "category_id": household.category })
            })
            .collect();
        let body =
            json!({ "account_id": household.account, "file_name": "extrato.ofx", "format": "ofx", "rows": rows });
        let client = stage.program.client().with_token(&household.token);
        assert_eq!(client.post("/api/import/confirm", body).created()["inserted"], ROWS);
    }
    let (after, rows) = (stage.processor(), (plan.rounds * FILES * ROWS) as f64);
    let time = Time { service: (after.0 - before.0) / rows, database: (after.1 - before.1) / rows };
    (time, (wal(stage) - logged) / rows)
}

/// Compares a request on a database with `profiles` profiles with one on a database with ten, all with few rows. The cost may be
/// at most 1.5 times as high.
fn simulate(stage: &Stage, plan: &Plan, profiles: i64, report: &mut Report) {
    let begun = std::time::Instant::now();
    let store = stage.create_database(MILLION);
    let households = million::fill(&store, &stage.cluster.admin_url(MILLION), profiles);
    let bytes = figure(stage, &format!("select pg_database_size('{MILLION}')::double precision as figure"));
    report.add(
        format!("{profiles} profiles, stored"),
        None,
        None,
        &[("seconds", begun.elapsed().as_secs_f64()), ("GB", bytes / GB)],
    );
    let (many, few) = (stage.service_of(MILLION), stage.service_of(FEW));
    for (name, ask) in [
        ("month list", Ask::Get(list_path())),
        ("dashboard", Ask::Get(dashboard_path())),
        ("single insert", insert_again()),
    ] {
        let (with, without) = (cost(stage, &many, plan, &ask, &households), cost(stage, &few, plan, &ask, &stage.few));
        report.add(
            format!("{name}, {profiles} profiles for 10"),
            Some(with.sum() / without.sum()),
            Some(Target::AtMost(1.5)),
            &[("service and database µs", with.sum() * 1e6), ("with few", without.sum() * 1e6)],
        );
    }
}

/// The table, as Markdown.
fn table(constants: &Constants) -> String {
    let day = constants
        .list
        .times(LISTS)
        .and(constants.dashboard.times(DASHBOARDS))
        .and(constants.insert.times(INSERTS))
        .and(constants.imported_row.times(IMPORTED_ROWS));
    let requests = LISTS + DASHBOARDS + INSERTS;
    let rows = (INSERTS + IMPORTED_ROWS) * KEPT_DAYS;
    let busy = BUSIEST_HOUR / 3_600.0 / USED_MAX;
    let disk = |households: f64| households * (rows * constants.row_bytes + constants.other_bytes) / GB;
    let log =
        |households: f64| households * (INSERTS * constants.insert_wal + IMPORTED_ROWS * constants.imported_wal) / GB;
    let processes = |households: f64| (households * day.service * busy / PROCESS.0).ceil().max(1.0);
    // The shares of the resources of the largest machine for the database, each with the name of the resource.
    let shares = |households: f64| {
        [
            ("processors of the database", households * day.database * busy / MACHINE.0),
            ("its disk", disk(households) / MACHINE.1),
            ("its connections", processes(households) * PROCESS.1 / MACHINE.2),
        ]
    };
    let first = |households: f64| shares(households).into_iter().max_by(|a, b| a.1.total_cmp(&b.1)).unwrap_or_default();
    let line = |what: &str, of: &dyn Fn(f64) -> String| {
        let cells: Vec<String> = HOUSEHOLDS.iter().map(|households| of(*households)).collect();
        format!("| {what} | {} |\n", cells.join(" | "))
    };
    let mut text = line("households", &|households| grouped(households));
    text.push_str(&format!("|---|{}\n", "---:|".repeat(HOUSEHOLDS.len())));
    text.push_str(&line("requests a day", &|households| grouped(households * requests)));
    text.push_str(&line("requests a second, busiest hour", &|households| {
        grouped(households * requests * BUSIEST_HOUR / 3_600.0)
    }));
    text.push_str(&line("processors, service", &|households| grouped((households * day.service * busy).ceil())));
    text.push_str(&line("processors, database", &|households| grouped((households * day.database * busy).ceil())));
    text.push_str(&line("disk after ten years, GB", &|households| grouped(disk(households))));
    text.push_str(&line("write-ahead log a day, GB", &|households| format!("{:.1}", log(households))));
    text.push_str(&line("processes, connections", &|households| {
        format!("{}, {}", grouped(processes(households)), grouped(processes(households) * PROCESS.1))
    }));
    text.push_str(&line("saturates first", &|households| {
        let (what, share) = first(households);
        format!("{what}, {:.1} % of the largest", share * 100.0)
    }));
    text.push_str(&line("databases needed", &|households| grouped(first(households).1.ceil().max(1.0))));
    text
}

/// A whole number with commas.
fn grouped(value: f64) -> String {
    let digits = format!("{value:.0}");
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[derive(QueryableByName)]
struct Figure {
    #[diesel(sql_type = Double)]
    figure: f64,
}

fn figure(stage: &Stage, query: &str) -> f64 {
    let mut connection = PgConnection::establish(&stage.cluster.admin_url("finance")).unwrap();
    sql_query(query).get_result::<Figure>(&mut connection).unwrap().figure
}

/// The number of bytes written to the write-ahead log so far.
fn wal(stage: &Stage) -> f64 {
    figure(stage, "select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::double precision as figure")
}

fn transactions(stage: &Stage) -> f64 {
    figure(stage, "select count(*)::double precision as figure from transactions")
}

/// The bytes of a transaction with its indexes, and the bytes of all other data for each profile.
fn sizes(stage: &Stage) -> (f64, f64) {
    let rows = figure(stage, "select pg_total_relation_size('transactions')::double precision as figure");
    let all = figure(
        stage,
        "select sum(pg_total_relation_size(oid))::double precision as figure from pg_class
        where relkind = 'r' and relnamespace = 'public'::regnamespace",
    );
    let profiles = figure(stage, "select count(*)::double precision as figure from profiles");
    (rows / transactions(stage), (all - rows) / profiles)
}
