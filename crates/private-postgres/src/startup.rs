//! Starting the server of a place, or adopting the one that runs.

use std::thread;
use std::time::{Duration, Instant};

use crate::binaries::Binaries;
use crate::error::ClusterError;
use crate::lock::Lock;
use crate::place::Place;
use crate::postmaster::{self, Started, State};
use crate::process::POLL;

/// How long to wait for another process that makes, starts or stops the cluster.
pub(crate) const LOCK_SECONDS_MAX: u64 = 30;
/// How long to wait for the server to accept connections. It may have to recover first.
const START_SECONDS_MAX: u64 = 60;
/// How long a server in the state `ready` may fail to answer on its socket.
const SOCKET_SECONDS_MAX: u64 = 1;

/// Waits until no other process makes, starts or stops the cluster.
pub(crate) fn lock_startup(place: &Place) -> Result<Lock, ClusterError> {
    Lock::exclusive(&place.startup_lock(), Duration::from_secs(LOCK_SECONDS_MAX))?.ok_or_else(|| busy(place))
}

/// The error if another process works on the cluster for too long.
pub(crate) fn busy(place: &Place) -> ClusterError {
    let waited_for = "the work of another process on";
    ClusterError::Busy { data: place.data.clone(), waited_for, seconds: LOCK_SECONDS_MAX }
}

/// Adopts the server or starts it, and waits until it is ready; returns whether it was started. The caller holds the startup
/// lock, so a server that is starting or stopping was left in that state by a killed process.
pub(crate) fn bring_up(
    place: &Place,
    binaries: &Binaries,
    settings: &[(String, String)],
) -> Result<bool, ClusterError> {
    let begin = Instant::now();
    let deadline = begin + Duration::from_secs(START_SECONDS_MAX);
    let mut started: Option<Started> = None;
    let mut unanswered_since = None;
    while Instant::now() < deadline {
        match postmaster::state(place)? {
            State::Ready(pid) if started.as_ref().is_some_and(|started| started.is(pid)) => {
                log::info!("started PostgreSQL {} in {} ms", binaries.major, begin.elapsed().as_millis());
                if let Some(started) = started {
                    started.detach();
                }
                return Ok(true);
            }
            State::Ready(pid) => {
                if let Some(replaced) = postmaster::replaced(pid) {
                    if replaced.is_settled {
                        let program = replaced.program.display();
                        log::warn!(
                            "{program} was replaced while process {pid} runs it; restarting the private cluster"
                        );
                        postmaster::stop(place, pid)?;
                    }
                    thread::sleep(POLL);
                    continue;
                }
                place.secure_socket_dir()?;
                if postmaster::answers(place)? {
                    log::info!("adopted the private cluster, process {pid}");
                    return Ok(false);
                }
                // Its socket was removed while it was running, so nobody can use it.
                if unanswered_since.get_or_insert_with(Instant::now).elapsed().as_secs() >= SOCKET_SECONDS_MAX {
                    log::warn!("the private cluster, process {pid}, does not answer on its socket; restarting it");
                    postmaster::stop(place, pid)?;
                    unanswered_since = None;
                }
            }
            State::Elsewhere => {
                place.secure_socket_dir()?;
                log::info!("adopted the private cluster of another container");
                return Ok(false);
            }
            State::Stopped | State::Dead if started.is_none() => {
                postmaster::clear(place)?;
                started = Some(postmaster::start(place, binaries, settings)?);
            }
            // It may be waiting for its clients to disconnect, and this process may be one of them.
            State::Stopping(pid) => postmaster::stop(place, pid)?,
            // A server that was just started has not written its file yet, or recovers. In single-user mode an operator is at
            // work.
            State::Stopped | State::Dead | State::Starting(_) | State::SingleUser => {}
        }
        if let Some(reason) = started.as_mut().and_then(Started::ended) {
            // If processes of a dead server cannot be found, they prevent the start until they end.
            if !reason.contains("is still in use") && !reason.starts_with("lock file ") {
                return Err(ClusterError::Program { program: "postgres", reason, log: Some(place.log()) });
            }
            log::warn!("PostgreSQL does not start yet: {reason}");
            started = None;
            thread::sleep(Duration::from_millis(200));
        }
        thread::sleep(POLL);
    }
    if let Some(started) = started {
        started.detach();
    }
    Err(ClusterError::Busy {
        data: place.data.clone(),
        waited_for: "the start or recovery of the server of",
        seconds: START_SECONDS_MAX,
    })
}
