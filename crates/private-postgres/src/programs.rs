//! Runs PostgreSQL's programs and reads their messages while they run.

use std::io::{Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::thread::{self, JoinHandle};

use crate::error::{self, ClusterError};

/// A running program. Dropping it kills the program.
pub(crate) struct Running {
    program: &'static str,
    child: Child,
    messages: Option<JoinHandle<String>>,
}

impl Running {
    /// Starts a program with a pipe on each of its three streams.
    pub(crate) fn start(program: &'static str, mut command: Command) -> Result<Running, ClusterError> {
        let spawned = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
        let mut child = spawned.map_err(|error| {
            let program = command.get_program().to_string_lossy();
            ClusterError::io(format!("run {program}"))(error)
        })?;
        let messages = child.stderr.take().map(|mut stderr| {
            thread::spawn(move || {
                let mut bytes = Vec::new();
                // What was read before an error is kept.
                let _ = stderr.read_to_end(&mut bytes);
                String::from_utf8_lossy(&bytes).into_owned()
            })
        });
        Ok(Running { program, child, messages })
    }

    /// Takes the program's standard input; a second call fails. Dropping it ends the input.
    pub(crate) fn input(&mut self) -> Result<ChildStdin, ClusterError> {
        self.child.stdin.take().ok_or_else(|| failed(self.program, "its input is closed".to_owned()))
    }

    /// Takes the program's standard output; a second call fails.
    pub(crate) fn output(&mut self) -> Result<ChildStdout, ClusterError> {
        self.child.stdout.take().ok_or_else(|| failed(self.program, "its output is closed".to_owned()))
    }

    /// Waits for the program's end.
    ///
    /// # Errors
    ///
    /// The program failed; the reason is its own message.
    pub(crate) fn finish(mut self) -> Result<(), ClusterError> {
        drop(self.child.stdin.take());
        let ended = self.child.wait().map_err(ClusterError::io(format!("wait for {}", self.program)))?;
        let message = self.messages.take().and_then(|messages| messages.join().ok()).unwrap_or_default();
        if ended.success() { Ok(()) } else { Err(failed(self.program, error::reason(&message))) }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // After `finish` the child has been waited for, and neither call does anything.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Runs a program to its end: gives it `input`, and returns what it wrote to its standard output.
pub(crate) fn run(program: &'static str, command: Command, input: &[u8]) -> Result<Vec<u8>, ClusterError> {
    let mut running = Running::start(program, command)?;
    let (mut stdin, mut stdout) = (running.input()?, running.output()?);
    let read = thread::scope(|scope| {
        // A program that ends before it has read everything reports why.
        scope.spawn(move || stdin.write_all(input));
        let mut output = Vec::new();
        stdout.read_to_end(&mut output).map(|_| output)
    });
    running.finish()?;
    read.map_err(ClusterError::io(format!("read what {program} prints")))
}

/// The error for a program that failed.
fn failed(program: &'static str, reason: String) -> ClusterError {
    ClusterError::Program { program, reason, log: None }
}
