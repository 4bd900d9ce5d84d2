//! The statements that the service sends to PostgreSQL for a request, from PostgreSQL's log.

use finance_tests::Client;

use crate::stage::Stage;

/// A statement with its bound values.
pub(crate) struct Statement {
    pub(crate) sql: String,
    pub(crate) parameters: Vec<Option<String>>,
}

/// The statements of one message.
pub(crate) struct Sent {
    pub(crate) statements: Vec<Statement>,
}

/// The statements of one request.
pub(crate) struct Captured {
    pub(crate) sent: Vec<Sent>,
    pub(crate) round_trips: usize,
}

impl Captured {
    /// The number of queries, without those that begin, bind and end the transaction.
    pub(crate) fn queries(&self) -> usize {
        let is_query = |s: &Statement| !s.parameters.is_empty() && !s.sql.contains(" bind_profile(");
        self.sent.iter().filter(|sent| sent.statements.iter().any(is_query)).count()
    }
}

/// A request by a client. The number counts the requests of this kind.
pub(crate) type Request<'a> = dyn Fn(&Client, usize) + 'a;

/// The number of requests before the captured one, so that its statements are prepared already.
const WARM_UP: usize = 8;

/// Sends each request several times to a separate service, and returns the statements of the last one.
pub(crate) fn capture(stage: &Stage, requests: &[&Request<'_>], token: &str) -> Vec<Captured> {
    for (name, value) in
        [("log_min_duration_statement", "0"), ("log_parameter_max_length", "-1"), ("log_error_verbosity", "default")]
    {
        stage.admin(&format!("alter role finance set {name} = '{value}'"));
    }
    let program = stage.fresh_service();
    let client = program.client().with_token(token);
    let captured = requests
        .iter()
        .map(|request| {
            (0..WARM_UP).for_each(|round| request(&client, round));
            let before = std::fs::metadata(stage.log_path()).unwrap().len() as usize;
            request(&client, WARM_UP);
            let log = std::fs::read(stage.log_path()).unwrap();
            read(&String::from_utf8_lossy(&log[before..]))
        })
        .collect();
    stage.admin("alter role finance reset all");
    captured
}

fn read(log: &str) -> Captured {
    // An entry continues in lines that begin with a tab.
    let log = log.replace("\n\t", "\n ");
    let mut captured = Captured { sent: Vec::new(), round_trips: 0 };
    let mut entries: Vec<String> = Vec::new();
    for line in log.lines() {
        if line.contains("] LOG:  ") || line.contains("] DETAIL:  ") {
            entries.push(line.to_string());
        } else if let Some(last) = entries.last_mut() {
            last.push('\n');
            last.push_str(line);
        }
    }
    // The parameters are logged twice: for the bind step and for the execution. Only those of the execution are used.
    let mut is_execution = false;
    for entry in entries {
        if let Some((_, parameters)) = entry.split_once("DETAIL:  parameters: ") {
            if let Some(sent) = captured.sent.last_mut().filter(|_| is_execution) {
                sent.statements[0].parameters = values(parameters);
            }
        } else if let Some((_, text)) = entry.split_once(" ms  ") {
            let (how, sql) = text.split_once(": ").expect("a statement");
            is_execution = how.starts_with("execute");
            match how.split(' ').next() {
                Some("statement") => {
                    let parts = sql.split("; ").map(|sql| Statement { sql: sql.to_string(), parameters: Vec::new() });
                    captured.sent.push(Sent { statements: parts.collect() });
                    captured.round_trips += 1;
                }
                Some("execute") => {
                    let statement = Statement { sql: sql.to_string(), parameters: Vec::new() };
                    captured.sent.push(Sent { statements: vec![statement] });
                    captured.round_trips += 1;
                }
                Some("parse") => captured.round_trips += 1,
                // A bind step. It is sent together with the execution.
                _ => {}
            }
        }
    }
    captured
}

/// Parses the values of `$1 = '1', $2 = NULL`.
fn values(text: &str) -> Vec<Option<String>> {
    let mut values = Vec::new();
    let mut rest = text;
    while let Some((_, after)) = rest.split_once(" = ") {
        if let Some(after) = after.strip_prefix('\'') {
            let mut value = String::new();
            let mut letters = after.char_indices().peekable();
            let mut end = after.len();
            while let Some((at, letter)) = letters.next() {
                if letter == '\'' {
                    if letters.peek().is_some_and(|(_, next)| *next == '\'') {
                        letters.next();
                    } else {
                        end = at + 1;
                        break;
                    }
                }
                value.push(letter);
            }
            values.push(Some(value));
            rest = &after[end..];
        } else {
            values.push(None);
            rest = after.strip_prefix("NULL").unwrap_or(after);
        }
    }
    values
}
