//! The limit of open files, and how many client connections it allows.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use finance_http::CONNECTIONS_MAX;

/// Descriptors that are reserved for everything except client connections: the database, metrics, logs, locks, and watching the
/// private database.
const RESERVED: u64 = 128;
/// The most descriptors that are needed.
const WANTED: u64 = CONNECTIONS_MAX as u64 + RESERVED;

/// Raises the soft limit of open files to the hard limit or to the service's need, whichever is lower. Returns the number of
/// client connections that the limit allows.
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
    // If the limit is very low, half of it is for clients.
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
