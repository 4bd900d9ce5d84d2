//! File descriptors: as many as the system allows, and some of them kept for what is not a client's connection.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use finance_http::CONNECTIONS_MAX;

/// Descriptors for everything but clients: connections to the database, the metrics, logs, locks, and looking after the
/// private database.
const RESERVED: u64 = 128;
/// Descriptors that are asked for at the most: those of all connections.
const WANTED: u64 = CONNECTIONS_MAX as u64 + RESERVED;

/// Raises the soft limit of open files as far as the hard limit and the service's need go, and tells how many clients'
/// connections there is room for.
pub(crate) fn connections_max() -> usize {
    let limit = getrlimit(Resource::Nofile);
    let allowed = limit.maximum.unwrap_or(WANTED).min(WANTED);
    let soft = limit.current.unwrap_or(allowed);
    let open = if soft >= allowed {
        soft
    } else {
        match setrlimit(Resource::Nofile, Rlimit { current: Some(allowed), maximum: limit.maximum }) {
            Ok(()) => allowed,
            Err(error) => {
                log::warn!("the limit of {soft} open files cannot be raised: {error}");
                soft
            }
        }
    };
    let connections = connections_for(open);
    if connections < CONNECTIONS_MAX {
        log::warn!("the limit of {open} open files allows {connections} connections; raise it to {WANTED} for all");
    }
    connections
}

fn connections_for(open_files: u64) -> usize {
    // Where there are next to none, half of them.
    let connections = open_files.saturating_sub(RESERVED).max(open_files / 2);
    usize::try_from(connections).unwrap_or(CONNECTIONS_MAX).min(CONNECTIONS_MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_leave_descriptors_for_everything_else() {
        assert_eq!(connections_for(1_024), 896);
        assert_eq!(connections_for(64), 32);
        assert_eq!(connections_for(1_048_576), CONNECTIONS_MAX);
    }
}
