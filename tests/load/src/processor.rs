//! The processor time of processes, from Linux's `/proc`.

/// The processor time of a process, in seconds.
pub struct Used {
    parent: String,
    /// The time of the process itself.
    pub own: f64,
    /// The time of its children that have ended.
    pub by_children: f64,
}

/// The processor time of a process so far. None if the process has ended or there is no `/proc`.
pub fn used_by(pid: &str) -> Option<Used> {
    /// The clock ticks of `/proc` per second, the same on every current Linux.
    const TICKS_A_SECOND: f64 = 100.0;
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name of the program is before this parenthesis and may contain spaces.
    let fields: Vec<&str> = stat.rsplit_once(") ")?.1.split(' ').collect();
    let seconds = |at: usize| Some(fields.get(at)?.parse::<f64>().ok()? / TICKS_A_SECOND);
    Some(Used {
        parent: fields.get(1)?.to_string(),
        own: seconds(11)? + seconds(12)?,
        by_children: seconds(13)? + seconds(14)?,
    })
}

/// The processor time of a PostgreSQL server so far, in seconds, including running and ended connections and helper processes.
pub fn used_by_server(postmaster: &str) -> f64 {
    let mut used = used_by(postmaster).map_or(0.0, |used| used.own + used.by_children);
    for entry in std::fs::read_dir("/proc").into_iter().flatten().flatten() {
        let child = entry.file_name().to_str().and_then(used_by);
        used += child.filter(|child| child.parent == postmaster).map_or(0.0, |child| child.own);
    }
    used
}
