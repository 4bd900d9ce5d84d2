//! The upper limit for the service: the statements of a request, sent by `pgbench`.

use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use finance_tests::ScratchDir;

use crate::capture::{Sent, Statement};
use crate::data::{Household, credential_of};
use crate::load::CONNECTIONS;
use crate::stage::find;

/// A script of one request's statements, for a random profile of a range of consecutive profiles.
pub(crate) struct Limit {
    file: PathBuf,
    definitions: Vec<(String, String)>,
    _scratch: ScratchDir,
}

impl Limit {
    /// The script of the statements in `sent`, which were captured for `sample`, for the profiles of `households`.
    pub(crate) fn new(sent: &[Sent], sample: &Household, households: &[Household]) -> Self {
        let (first, last) = (&households[0], &households[households.len() - 1]);
        // The profiles were created one after another, so the distance of two ids is the distance of their profiles times a step.
        let step = |of: fn(&Household) -> i64| match last.profile - first.profile {
            0 => 0,
            profiles => {
                assert_eq!((of(last) - of(first)) % profiles, 0, "ids follow each other");
                (of(last) - of(first)) / profiles
            }
        };
        let id = |of: fn(&Household) -> i64| format!("{} + (:profile - {}) * {}", of(first), first.profile, step(of));
        let mut script = format!(
            "\\set profile random({}, {})\n\\set account {}\n\\set category {}\n\\set subject random(1, 1000000000000)\n",
            first.profile,
            last.profile,
            id(|h| h.account),
            id(|h| h.category),
        );
        let mut definitions = Vec::new();
        for sent in sent {
            // One message with several statements is one round trip. In a script, this is a pipeline.
            let pipelined = sent.statements.len() > 1;
            if pipelined {
                script.push_str("\\startpipeline\n");
            }
            for statement in &sent.statements {
                script.push_str(&written(statement, sample, &mut definitions));
                script.push_str(";\n");
            }
            if pipelined {
                script.push_str("\\endpipeline\n");
            }
        }
        let scratch = ScratchDir::new();
        std::fs::create_dir_all(scratch.path()).unwrap();
        let file = scratch.path().join("limit.sql");
        std::fs::write(&file, script).unwrap();
        Limit { file, definitions, _scratch: scratch }
    }

    /// The transactions per second of as many clients as the load on the service has, on the database of that URL.
    pub(crate) fn run(&self, url: &str, duration: Duration) -> f64 {
        self.pgbench(url, CONNECTIONS, &format!("-T{}", duration.as_secs()))
    }

    /// Runs `transactions` transactions one after the other, on the database of that URL.
    pub(crate) fn repeat(&self, url: &str, transactions: u32) {
        self.pgbench(url, 1, &format!("-t{transactions}"));
    }

    fn pgbench(&self, url: &str, clients: u32, length: &str) -> f64 {
        let mut command = Command::new(find("pgbench").unwrap());
        command.args(["-n", "-M", "prepared", "-j1", &format!("-c{clients}"), length]);
        for (name, value) in &self.definitions {
            command.arg("-D").arg(format!("{name}={value}"));
        }
        let output = command.arg("-f").arg(&self.file).arg(url).output().unwrap();
        let printed = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
        let rate = printed.lines().find_map(|line| line.strip_prefix("tps = "));
        let failed = printed.contains("aborted") || !output.status.success();
        assert!(!failed, "pgbench: {printed}");
        rate.and_then(|rate| rate.split(' ').next()).and_then(|rate| rate.parse().ok()).expect("a rate")
    }
}

/// The credential of the random profile, as [`credential_of`] has it.
const CREDENTIAL: &str = "lpad(to_hex(:profile::bigint), 32, '0')::uuid";

/// The statement with the bound values as variables. The ids of the sample become those of the random profile.
fn written(statement: &Statement, sample: &Household, definitions: &mut Vec<(String, String)>) -> String {
    let mut text = statement.sql.clone();
    for (at, value) in statement.parameters.iter().enumerate().rev() {
        let variable = match value.as_deref() {
            None => "null".to_string(),
            Some(value) if value == sample.profile.to_string() => ":profile".to_string(),
            Some(value) if value == credential_of(sample.profile).to_string() => CREDENTIAL.to_string(),
            Some(value) if value == sample.account.to_string() => ":account".to_string(),
            Some(value) if value == sample.category.to_string() => ":category".to_string(),
            Some(value) if value == format!("{{{}}}", sample.account) => "array[:account]".to_string(),
            Some(value) if value == format!("{{{}}}", sample.category) => "array[:category]".to_string(),
            // An award is stored only for a subject without one, so the subject is new each time.
            Some(value) if value.starts_with("{\"2026-03-14 expense ") => "array[:subject::text]".to_string(),
            Some(value) => {
                let name = match definitions.iter().find(|(_, known)| known == value) {
                    Some((name, _)) => name.clone(),
                    None => {
                        let name = format!("value{}", definitions.len());
                        definitions.push((name.clone(), value.to_string()));
                        name
                    }
                };
                format!(":{name}")
            }
        };
        text = text.replace(&format!("${}", at + 1), &variable);
    }
    // These calls have the profile in their text.
    text.replace(
        &format!("bind_profile({}, '{}',", sample.profile, credential_of(sample.profile)),
        &format!("bind_profile(:profile, {CREDENTIAL},"),
    )
    .replace(&format!("count_transactions({},", sample.profile), "count_transactions(:profile,")
}
