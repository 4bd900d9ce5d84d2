//! Parses the output of pg_restore for an archive. None of it is run as SQL. A line of an unknown kind rejects the archive.

use std::io::{self, BufRead, Read, Write};

use crate::error::ClusterError;

/// The maximum length of a line in bytes: that of PostgreSQL. A row of a table is one line, and a kept answer to an import may have tens of
/// MiB, which are twice as many digits.
const LINE_BYTES_MAX: u64 = 1 << 30;
/// The line after the last row of a table.
pub(crate) const END_OF_ROWS: &[u8] = b"\\.\n";

/// What pg_restore prints with `--data-only`: the rows of tables and the values of sequences.
#[derive(Debug)]
pub(crate) struct Script<R> {
    from: R,
    line: Vec<u8>,
    has_ended: bool,
}

/// One part of a script.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// The rows of a table follow. This is the `COPY` statement, as it stands in the archive.
    Rows(String),
    /// The value of a sequence, and the statement that sets it, as it stands in the archive, up to the value.
    Sequence { statement: String, value: i64, is_called: bool },
}

impl<R: BufRead> Script<R> {
    pub(crate) fn new(from: R) -> Self {
        Script { from, line: Vec::new(), has_ended: false }
    }

    /// Whether the end has been reached, expected or not.
    pub(crate) fn has_ended(&self) -> bool {
        self.has_ended
    }

    /// The next part; `None` at the end.
    pub(crate) fn next_part(&mut self) -> Result<Option<Part>, ClusterError> {
        while self.read_line()? {
            let Ok(line) = std::str::from_utf8(&self.line) else { return Err(self.unknown()) };
            let line = line.trim_end_matches('\n');
            if line.starts_with("COPY ") && line.ends_with(" FROM stdin;") {
                return Ok(Some(Part::Rows(line.to_owned())));
            }
            if let Some(sequence) = sequence(line) {
                return Ok(Some(sequence));
            }
            if !is_frame(line) {
                return Err(self.unknown());
            }
        }
        Ok(None)
    }

    /// Copies the rows that follow a [`Part::Rows`]. The inner result is that of writing them.
    pub(crate) fn pass_rows(&mut self, to: &mut dyn Write) -> Result<io::Result<()>, ClusterError> {
        loop {
            if !self.read_line()? || !self.line.ends_with(b"\n") {
                return Err(not_a_backup("ends in the middle of a table"));
            }
            if self.line == END_OF_ROWS {
                return Ok(to.flush());
            }
            if let Err(error) = to.write_all(&self.line) {
                return Ok(Err(error));
            }
        }
    }

    fn read_line(&mut self) -> Result<bool, ClusterError> {
        self.line.clear();
        let read = self.from.by_ref().take(LINE_BYTES_MAX).read_until(b'\n', &mut self.line);
        match read.map_err(ClusterError::io("read what pg_restore prints"))? as u64 {
            LINE_BYTES_MAX => Err(not_a_backup(&format!("holds a row of more than {LINE_BYTES_MAX} bytes"))),
            bytes => {
                self.has_ended = bytes == 0 || !self.line.ends_with(b"\n");
                Ok(bytes > 0)
            }
        }
    }

    fn unknown(&self) -> ClusterError {
        unknown(&String::from_utf8_lossy(&self.line))
    }
}

/// The error for a file that cannot be restored.
pub(crate) fn not_a_backup(problem: &str) -> ClusterError {
    ClusterError::NotABackup { problem: problem.to_owned() }
}

/// The error for a file that contains something that no backup of its version contains.
pub(crate) fn unknown(what: &str) -> ClusterError {
    not_a_backup(&format!("contains something that no backup of its version contains: {}", shortened(what)))
}

/// Whether a line is one of those that pg_restore writes around the data of every archive.
fn is_frame(line: &str) -> bool {
    match line {
        "" | "SELECT pg_catalog.set_config('search_path', '', false);" => true,
        // Rows are read as UTF-8, whatever this line says.
        _ if line.starts_with("SET client_encoding") => line == "SET client_encoding = 'UTF8';",
        _ if line.starts_with("SET ") => line.find(';') == Some(line.len() - 1),
        _ => ["--", "\\restrict ", "\\unrestrict "].iter().any(|beginning| line.starts_with(beginning)),
    }
}

/// Reads `SELECT pg_catalog.setval('public.accounts_id_seq', 6, true);`.
fn sequence(line: &str) -> Option<Part> {
    if !line.starts_with("SELECT pg_catalog.setval('") {
        return None;
    }
    let (rest, is_called) = line.strip_suffix(");")?.rsplit_once(", ")?;
    let (statement, value) = rest.rsplit_once(", ")?;
    Some(Part::Sequence {
        statement: statement.to_owned(),
        value: value.parse().ok()?,
        is_called: is_called.parse().ok()?,
    })
}

/// The objects in the output of `pg_restore --list`, each as kind, schema and name, without the owner.
pub(crate) fn objects(list: &str) -> Vec<String> {
    // 222; 1259 16447 TABLE public accounts finance
    let entries = list.lines().filter(|line| !line.starts_with(';'));
    let object = |line: &str| {
        let mut fields = line.splitn(4, ' ').skip(3);
        let (object, _owner) = fields.next()?.rsplit_once(' ')?;
        Some(object.to_owned())
    };
    entries.filter(|line| !line.is_empty()).map(|line| object(line).unwrap_or_else(|| line.to_owned())).collect()
}

/// The beginning of a text, for a message of one line.
fn shortened(text: &str) -> String {
    const CHARS_MAX: usize = 120;
    let text = text.trim().trim_end_matches(';');
    match text.char_indices().nth(CHARS_MAX) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCRIPT: &str = "--\n-- PostgreSQL database dump\n--\n\n\\restrict x\n\nSET statement_timeout = 0;\n\
        SET client_encoding = 'UTF8';\nSELECT pg_catalog.set_config('search_path', '', false);\n\n\
        COPY public.notes (id, text) FROM stdin;\n1\ta\\nb\n2\t\\\\.\n\\.\n\n\n\
        SELECT pg_catalog.setval('public.notes_id_seq', 2, true);\n\n\\unrestrict x\n";

    fn script(text: &str) -> Script<&[u8]> {
        Script::new(text.as_bytes())
    }

    #[test]
    fn a_script_is_the_rows_of_tables_and_the_values_of_sequences() {
        let mut script = script(SCRIPT);
        let rows = Part::Rows("COPY public.notes (id, text) FROM stdin;".to_owned());
        assert_eq!(script.next_part().unwrap(), Some(rows));
        let mut passed = Vec::new();
        script.pass_rows(&mut passed).unwrap().unwrap();
        assert_eq!(passed, b"1\ta\\nb\n2\t\\\\.\n");
        let statement = "SELECT pg_catalog.setval('public.notes_id_seq'".to_owned();
        assert_eq!(script.next_part().unwrap(), Some(Part::Sequence { statement, value: 2, is_called: true }));
        assert!(!script.has_ended());
        assert_eq!(script.next_part().unwrap(), None);
        assert!(script.has_ended());
    }

    #[test]
    fn every_other_statement_is_refused() {
        for line in [
            "ALTER DATABASE finance SET search_path = x;",
            "COPY public.notes FROM PROGRAM 'id';",
            "COPY public.notes (id) FROM stdin; DROP TABLE notes;",
            "SELECT pg_catalog.setval('x', 1, true); DROP TABLE notes;",
            "SELECT pg_catalog.setval('x', (select 1), true);",
            "SELECT pg_catalog.lo_create('1');",
            "SELECT pg_catalog.set_config('search_path', 'x', false);",
            "SET client_encoding = 'LATIN1';",
            "SET role = 'x'; DROP TABLE notes;",
            "\\! id",
            "BEGIN;",
        ] {
            let refused = script(&format!("{line}\n")).next_part().unwrap_err().to_string();
            let statement = line.trim_end_matches(';');
            assert!(refused.contains(&format!("no backup of its version contains: {statement};")), "{line}: {refused}");
        }
    }

    #[test]
    fn rows_that_do_not_end_are_refused() {
        for rows in ["", "1\ta\n", "1\ta\n\\.", "1\ta"] {
            let mut script = script(rows);
            let refused = script.pass_rows(&mut Vec::new()).unwrap_err().to_string();
            assert!(refused.contains("ends in the middle") && script.has_ended(), "{rows:?}: {refused}");
        }
    }

    #[test]
    fn objects_are_listed_by_kind_schema_and_name() {
        let list = ";\n; Archive created at x\n;\n254; 1255 16405 FUNCTION public bind(bigint, boolean) finance\n\
            3381; 2606 16467 CONSTRAINT public notes notes_pkey finance\n5; 0 0 ENCODING - ENCODING \n";
        let expected =
            ["FUNCTION public bind(bigint, boolean)", "CONSTRAINT public notes notes_pkey", "ENCODING - ENCODING"];
        assert_eq!(objects(list), expected);
    }

    #[test]
    fn a_long_text_is_shortened() {
        assert_eq!(shortened(" short\n"), "short");
        assert_eq!(shortened(&"é".repeat(200)).chars().count(), 121);
    }
}
