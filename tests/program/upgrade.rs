//! A minor upgrade of PostgreSQL while the service runs. Each file of the installation is replaced by a new one, as a
//! package manager does it.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use finance_private_postgres::{Cluster, ClusterOptions};
use finance_tests::{Client, PASSWORD, Program, ScratchDir, eventually, is_restarted, migrated, postmaster, skipped};
use serde_json::json;

use crate::outcome::printed;

/// A copy of the installed PostgreSQL that a test can change.
struct Installation {
    root: PathBuf,
    bin: PathBuf,
    lib: PathBuf,
}

impl Installation {
    fn copy_into(scratch: &Path) -> Installation {
        let directory = scratch.join("look");
        migrated(&directory);
        let installed = Cluster::start(&ClusterOptions::new(directory)).expect("PostgreSQL is installed");
        let pg_config = installed.bin_dir().join("pg_config");
        installed.stop().expect("it stops");
        let place = |which: &str| {
            let output = Command::new(&pg_config).arg(which).output().expect("pg_config runs");
            PathBuf::from(String::from_utf8(output.stdout).unwrap().trim())
        };
        // PostgreSQL finds its directories relative to its program, so the copy has the same layout.
        let root = scratch.join("installation");
        let copied = |from: &Path| root.join(from.strip_prefix("/").expect("an absolute path"));
        let (bin, lib, share) = (place("--bindir"), place("--pkglibdir"), place("--sharedir"));
        for folder in [&bin, &lib, &share] {
            copy_folder(folder, &copied(folder));
        }
        let installation = Installation { bin: copied(&bin), lib: copied(&lib), root };
        for folder in installation.bin.ancestors().take_while(|folder| folder.starts_with(scratch)) {
            fs::set_permissions(folder, fs::Permissions::from_mode(0o755)).unwrap();
        }
        installation
    }

    /// A command of the program with this installation.
    fn command(&self, data_dir: &Path) -> Command {
        let mut command = Program::command(data_dir);
        command.env("FINANCE_POSTGRES_BIN_DIRS", &self.bin);
        command
    }

    /// Replaces each file like dpkg: writes a new file in the same folder, and renames it.
    fn upgrade(&self) {
        for folder in [&self.lib, &self.bin] {
            for entry in fs::read_dir(folder).unwrap().flatten().filter(|entry| entry.path().is_file()) {
                replace(&entry.path(), &fs::read(entry.path()).unwrap());
            }
        }
    }

    /// The library of PL/pgSQL, which each session loads.
    fn plpgsql(&self) -> PathBuf {
        ["plpgsql.so", "plpgsql.dylib"]
            .iter()
            .map(|name| self.lib.join(name))
            .find(|path| path.exists())
            .expect("PL/pgSQL is installed")
    }
}

fn replace(path: &Path, content: &[u8]) {
    let mode = fs::metadata(path).unwrap().permissions();
    let new = path.with_extension("dpkg-new");
    fs::write(&new, content).unwrap();
    fs::set_permissions(&new, mode).unwrap();
    fs::rename(new, path).unwrap();
}

fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().flatten() {
        let (path, target) = (entry.path(), to.join(entry.file_name()));
        match path.is_dir() {
            // This is bitcode for the JIT compiler, which is disabled.
            true if path.ends_with("bitcode") => {}
            true => copy_folder(&path, &target),
            false => drop(fs::copy(&path, &target).unwrap()),
        }
    }
}

/// Creates a category, with retries after a 503. Returns the number of retries.
fn write(client: &Client, name: &str) -> usize {
    let mut refused = 0;
    eventually("the service accepts a write", || {
        let reply = client.post("/api/categories", json!({ "name": name }));
        match reply.status {
            201 => return Some(()),
            // An earlier try was committed, and its answer was lost.
            409 if refused > 0 => return Some(()),
            _ => drop(reply.problem(503, "ErrUnavailable")),
        }
        refused += 1;
        None
    });
    refused
}

#[test]
fn an_upgrade_under_the_running_service_restarts_the_private_postgresql_and_loses_nothing() {
    let scratch = ScratchDir::new();
    fs::create_dir(scratch.path()).unwrap();
    let installation = Installation::copy_into(scratch.path());
    let data = scratch.path().join("data");
    let made = installation.command(&data).args(["create-user", "--name", "ana", "--password", PASSWORD]).output();
    printed(&made.unwrap());
    let mut service = Program::start(&mut installation.command(&data));
    if fs::read_link(format!("/proc/{}/exe", postmaster(&data).unwrap())).is_err() {
        return skipped("processes do not show their programs here: an upgrade is not seen");
    }
    let ana = service.login("ana", PASSWORD);
    write(&ana, "before");
    service.client().get("/readyz").ok();
    let exe = fs::read_link(format!("/proc/{}/exe", postmaster(&data).unwrap())).unwrap();
    assert!(exe.starts_with(&installation.root), "{}", exe.display());

    // First the library is replaced by one that the running server cannot load. Existing sessions go on, new ones fail.
    let library = fs::read(installation.plpgsql()).unwrap();
    replace(&installation.plpgsql(), b"of another version");
    let readiness = || service.client().get("/readyz").status;
    eventually("the service is not ready", || (readiness() == 503).then_some(()));
    write(&ana, "between");
    replace(&installation.plpgsql(), &library);
    eventually("the service is ready", || (readiness() == 200).then_some(()));

    // Then all files are replaced, while requests go on.
    let before = postmaster(&data).unwrap();
    installation.upgrade();
    let mut written = vec!["before".to_string(), "between".to_string()];
    let mut refused = 0;
    eventually("PostgreSQL is restarted", || {
        let name = format!("during {}", written.len());
        refused += write(&ana, &name);
        written.push(name);
        is_restarted(&data, &before).then_some(())
    });
    refused += write(&ana, "after");
    written.push("after".to_string());
    service.client().get("/readyz").ok();
    println!("{} writes during the upgrade were answered, after {refused} answers of 503", written.len() - 2);
    let restarts = service.log().matches("was replaced while process").count();
    assert_eq!(restarts, 1, "{}", service.log());
    let stored = ana.get("/api/categories").ok();
    let is_stored = |name: &String| stored.as_array().unwrap().iter().any(|category| category["name"] == **name);
    assert!(written.iter().all(is_stored), "{stored}");

    // A service that adopts a server from before the upgrade also restarts it.
    service.signal("KILL");
    service.wait();
    let before = postmaster(&data).unwrap();
    installation.upgrade();
    let service = Program::start(&mut installation.command(&data));
    assert_ne!(postmaster(&data), Some(before));
    println!("started {:?} beside a server whose program was replaced", service.started_in);
    let again = service.login("ana", PASSWORD);
    assert_eq!(again.get("/api/categories").ok(), stored);
}

#[test]
fn a_server_whose_program_was_removed_goes_on() {
    let scratch = ScratchDir::new();
    fs::create_dir(scratch.path()).unwrap();
    let installation = Installation::copy_into(scratch.path());
    let options =
        ClusterOptions { bin_dirs: vec![installation.bin.clone()], ..ClusterOptions::new(scratch.path().join("data")) };
    let cluster = Cluster::start(&options).unwrap();
    let before = postmaster(&options.data_dir).unwrap();
    fs::remove_file(installation.bin.join("postgres")).unwrap();
    if fs::read_link(format!("/proc/{before}/exe")).is_ok() {
        let error = cluster.ensure_running().unwrap_err().to_string();
        assert!(error.contains("PostgreSQL 15 or newer was not found"), "{error}");
    } else {
        skipped("processes do not show their programs here: a removed one is not seen");
    }
    assert!(cluster.is_running());
    assert_eq!(postmaster(&options.data_dir), Some(before));
    cluster.stop().unwrap();
}

#[test]
fn under_root_postgresql_s_programs_run_as_the_server_s_user() {
    let scratch = ScratchDir::new();
    fs::create_dir(scratch.path()).unwrap();
    if !rustix::process::geteuid().is_root() {
        return skipped("this is not root: programs run as who starts them");
    }
    let installation = Installation::copy_into(scratch.path());
    let (data, users) = (scratch.path().join("data"), scratch.path().join("users"));
    fs::write(&users, "").unwrap();
    fs::set_permissions(&users, fs::Permissions::from_mode(0o666)).unwrap();
    fs::set_permissions(scratch.path(), fs::Permissions::from_mode(0o755)).unwrap();
    for program in ["pg_config", "pg_dump", "pg_restore", "psql", "initdb"] {
        let path = installation.bin.join(program);
        let real = path.with_extension("real");
        fs::rename(&path, &real).unwrap();
        let script =
            format!("#!/bin/sh\necho {program} $(id -u) >> '{}'\nexec '{}' \"$@\"\n", users.display(), real.display());
        fs::write(&path, script).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }
    let file = scratch.path().join("finance.dump");
    for arguments in [
        &["create-user", "--name", "ana", "--password", PASSWORD][..],
        &["backup", file.to_str().unwrap()],
        &["restore", "--yes", file.to_str().unwrap()],
    ] {
        printed(&installation.command(&data).args(arguments).output().unwrap());
    }
    let users = fs::read_to_string(users).unwrap();
    for program in ["pg_dump", "pg_restore", "psql", "initdb"] {
        assert!(users.contains(&format!("{program} ")), "{program} was not run: {users}");
    }
    assert!(!users.lines().any(|line| line.ends_with(" 0")), "{users}");
}
