//! Copies of prepared data directories, with which most tests begin.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::process::Command;

use finance_tests::{PASSWORD, Program, ScratchDir, kill, postmaster};
use serde_json::json;

/// Checks that a data directory is not copied.
#[track_caller]
fn assert_refused(from: &ScratchDir, why: &str) {
    let (script, to) = (concat!(env!("CARGO_MANIFEST_DIR"), "/support/copy_data_dir.sh"), ScratchDir::new());
    let output = Command::new("sh").arg(script).arg(from.path()).arg(to.path()).output().expect("sh runs");
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(!output.status.success() && errors.contains(why), "{errors}");
    assert!(!to.path().exists());
}

#[test]
fn copies_share_neither_rows_nor_secrets() {
    let (one, other) = (ScratchDir::with_user(), ScratchDir::with_user());
    assert!(!one.path().join("jwt_secret").exists(), "each service makes its own");
    let (first, second) = (Program::serve(one.path()), Program::serve(other.path()));
    let (ana, there) = (first.login("ana", PASSWORD), second.login("ana", PASSWORD));
    ana.post("/api/categories", json!({ "name": "Pets" })).created();
    assert!(!there.get("/api/categories").ok().to_string().contains("Pets"));
    // The same profile of the same name, but a token of one service is none of the other.
    second.client().with_token(ana.token()).get("/api/auth/me").problem(401, "ErrUnauthenticated");
    let secret = |dir: &ScratchDir| fs::read(dir.path().join("jwt_secret")).unwrap();
    assert_ne!(secret(&one), secret(&other));
}

#[test]
fn a_copy_is_of_a_cluster_that_was_stopped_properly_and_belongs_to_its_user() {
    let (scratch, made) = (ScratchDir::migrated(), ScratchDir::new());
    assert!(Program::run(made.path(), &["migrate"]).status.success());
    let owner = |dir: &ScratchDir| {
        let found = fs::metadata(dir.path().join("postgres")).unwrap();
        (found.uid(), found.gid(), found.mode())
    };
    assert_eq!(owner(&scratch), owner(&made));
    let mut service = Program::serve(scratch.path());
    let log = fs::read_to_string(scratch.path().join("postgres.log")).unwrap();
    assert!(log.contains("database system is ready") && !log.contains("not properly shut down"), "{log}");
    // Neither a cluster in use nor that of a killed server is copied.
    assert_refused(&scratch, "runs, or was killed");
    service.signal("KILL");
    service.wait();
    kill(&postmaster(scratch.path()).unwrap());
    assert_refused(&scratch, "runs, or was killed");
    assert_refused(&ScratchDir::new(), "no cluster");
}
