//! Data directories that are made once for each test process. Tests that are not about the first start begin from a copy.

use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;

use crate::app::PASSWORD;
use crate::program::Program;
use crate::scratch::ScratchDir;

const COPY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/support/copy_data_dir.sh");
const MIGRATE: &[&str] = &["migrate"];
const CREATE_USER: &[&str] = &["create-user", "--name", "ana", "--password", PASSWORD];
/// Waits for the end of its standard input, which comes when the test process is gone, and removes the directory.
const REMOVER: &str = r#"trap '' HUP INT TERM; while read -r _; do :; done; rm -rf "$1""#;

static MIGRATED: OnceLock<Prepared> = OnceLock::new();
static WITH_USER: OnceLock<Prepared> = OnceLock::new();

impl ScratchDir {
    /// A data directory with the current schema and no user. No service has run in it, so it has no secret for tokens.
    pub fn migrated() -> Self {
        let scratch = ScratchDir::new();
        migrated(scratch.path());
        scratch
    }

    /// The same with the user `ana`, whose password is [`PASSWORD`].
    pub fn with_user() -> Self {
        let scratch = ScratchDir::new();
        with_user(scratch.path());
        scratch
    }
}

/// Makes a data directory like that of [`ScratchDir::migrated`], and its parents.
pub fn migrated(data_dir: &Path) {
    let prepared = MIGRATED.get_or_init(|| Prepared::make(|path| run(path, MIGRATE)));
    prepared.copy_to(data_dir, MIGRATE);
}

/// Makes a data directory like that of [`ScratchDir::with_user`], and its parents.
pub fn with_user(data_dir: &Path) {
    let prepared = WITH_USER.get_or_init(|| {
        Prepared::make(|path| {
            migrated(path);
            run(path, CREATE_USER);
        })
    });
    prepared.copy_to(data_dir, CREATE_USER);
}

/// A data directory that no process uses. It is removed when this process ends, however it ends.
struct Prepared {
    dir: ScratchDir,
    /// It reads from a pipe of this process.
    _remover: Child,
}

impl Prepared {
    fn make(fill: impl FnOnce(&Path)) -> Self {
        let dir = ScratchDir::new();
        let remover = Command::new("/bin/sh")
            .args(["-c", REMOVER, "finance-test-remover"])
            .arg(dir.path())
            .current_dir("/")
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("a shell starts");
        fill(dir.path());
        Prepared { dir, _remover: remover }
    }

    /// Copies the directory. If the server's user cannot reach it, its cluster is elsewhere and cannot be copied. Then the command
    /// that filled it is run in the new directory.
    fn copy_to(&self, data_dir: &Path, otherwise: &[&str]) {
        if self.dir.path().join("postgres").is_symlink() {
            return run(data_dir, otherwise);
        }
        std::fs::create_dir_all(data_dir.parent().expect("the parent of a data directory")).expect("a directory");
        let copied = Command::new("sh").arg(COPY).arg(self.dir.path()).arg(data_dir).output().expect("sh runs");
        assert!(copied.status.success(), "{copied:?}");
    }
}

/// Runs a command of the program, which starts PostgreSQL and stops it again.
fn run(data_dir: &Path, arguments: &[&str]) {
    let output = Program::run(data_dir, arguments);
    assert!(output.status.success(), "{output:?}");
}
