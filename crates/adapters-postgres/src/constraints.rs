//! Maps database errors: a named constraint is a rule of the domain, a lost connection and a lack of resources are outages, anything
//! else is an internal error. The text of a PostgreSQL message is not used, because it may be in any language. There are two
//! exceptions: an error on another node of Citus, which has only its text, and an error of class 53, whose SQLSTATE diesel does not
//! pass on. Their text is English if `lc_messages` is `C`.

use std::fmt;

use diesel::result::{DatabaseErrorKind, Error as DieselError};
use finance_domain::{Error, Refusal};

use crate::connect::one_line;

/// The replica does not have the last write of the profile.
#[derive(Debug)]
pub(crate) struct Behind;

impl fmt::Display for Behind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the replica does not have the last write of the profile")
    }
}

impl std::error::Error for Behind {}

/// The server has no more of a resource: an error of class 53. Its cause on one line.
#[derive(Debug)]
pub(crate) struct OutOfResources {
    message: String,
    is_of_disk: bool,
}

impl OutOfResources {
    /// Whether the disk is full.
    pub(crate) fn is_of_disk(&self) -> bool {
        self.is_of_disk
    }
}

impl fmt::Display for OutOfResources {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for OutOfResources {}

/// The ends of the messages of PostgreSQL about a full disk (SQLSTATE 53100), in the words of the C library. diesel does not pass
/// the SQLSTATE on.
const DISK_FULL: [&str; 2] = [": No space left on device", ": Disk quota exceeded"];
/// Beginnings of its other messages of class 53: out of memory, too many connections, a limit of the configuration.
const OUT_OF_RESOURCES: [&str; 6] = [
    "out of memory",
    "out of shared memory",
    "too many connections for",
    "sorry, too many clients already",
    "remaining connection slots are reserved",
    "temporary file size exceeds temp_file_limit",
];

/// The error of class 53 that a message is about. The messages are those of `lc_messages = 'C'`, which the store sets where its
/// role may.
fn out_of_resources(message: &str) -> Option<OutOfResources> {
    // They begin like this too, so a text of a user within another message is not taken for one.
    let is_of_disk = message.starts_with("could not extend file")
        || message.starts_with("could not ") && DISK_FULL.iter().any(|end| message.ends_with(end));
    let is_known = is_of_disk || OUT_OF_RESOURCES.iter().any(|begins| message.starts_with(begins));
    is_known.then(|| OutOfResources { message: one_line(message).to_string(), is_of_disk })
}

/// PostgreSQL's message about its own time limit of a statement. It comes before the watchdog's if the machine stood still for longer
/// than the two are apart.
const TOOK_TOO_LONG: &str = "canceling statement due to statement timeout";

/// The beginnings of the messages of Citus about a node that is unreachable or gone. The last one is the node's own message when
/// it shuts down.
const NODE_AWAY: [&str; 5] = [
    "connection to the remote node",
    "failure on connection marked as essential",
    "could not commit transaction for shard",
    "could not establish any connections to the node",
    "terminating connection due to",
];

/// Maps a diesel error. Constraints that a client can violate are known by name.
pub(crate) fn error(source: DieselError) -> Error {
    let DieselError::DatabaseError(kind, information) = &source else {
        return match source {
            DieselError::BrokenTransactionManager => unavailable(&source),
            source => Error::Internal(Box::new(source)),
        };
    };
    let named = match information.constraint_name() {
        Some(name) => by_constraint(name),
        None => in_message(information.message()),
    };
    if let Some(known) = named {
        return known;
    }
    if let (DatabaseErrorKind::Unknown, Some(lacking)) = (kind, out_of_resources(information.message())) {
        return Error::Unavailable(Box::new(lacking));
    }
    match kind {
        DatabaseErrorKind::ClosedConnection | DatabaseErrorKind::UnableToSendCommand => unavailable(&source),
        DatabaseErrorKind::Unknown if is_node_away(information.message()) || information.message() == TOOK_TOO_LONG => {
            unavailable(&source)
        }
        _ => Error::Internal(Box::new(source)),
    }
}

/// What a profile has too many of, if it has too many transactions.
pub(crate) const TRANSACTIONS: &str = "transactions";

/// Maps an error of the statements that begin a transaction. They contain no data of the request, so every failure except an
/// authentication failure is an outage.
pub(crate) fn opening_error(source: DieselError) -> Error {
    outage(error(source))
}

/// The same error, but an outage where it says nothing more than that something failed.
pub(crate) fn outage(error: Error) -> Error {
    match error {
        Error::Internal(cause) => Error::Unavailable(one_line(&cause.to_string()).into()),
        known => known,
    }
}

/// An outage, with its cause on one line: libpq's messages have several.
fn unavailable(source: &DieselError) -> Error {
    Error::Unavailable(one_line(&source.to_string()).into())
}

fn by_constraint(name: &str) -> Option<Error> {
    Some(match of_whole_table(name) {
        "profiles_credential_current" => Error::Unauthenticated,
        "members_role_reaches" => Error::NotAllowed,
        // The code that began the transaction knows which scope is sufficient.
        "tokens_scope_reaches" => Error::InsufficientScope { scope: None },
        "categories_name_key" => Refusal::CategoryNameTaken.into(),
        "accounts_name_key" => Refusal::AccountNameTaken.into(),
        // The store knows the limit.
        "transaction_counts_max" => Refusal::LimitReached { what: TRANSACTIONS, max: 0 }.into(),
        "transactions_external_id_key" => Refusal::DuplicateExternalId.into(),
        _ => return None,
    })
}

/// Citus passes on an error of another node without its constraint. The message contains the constraint's name in every language.
fn in_message(message: &str) -> Option<Error> {
    names(message).find_map(by_constraint)
}

/// The words of a message that may be names in the schema.
fn names(message: &str) -> impl DoubleEndedIterator<Item = &str> {
    message.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_')
}

/// The name of the rule that a statement broke: a constraint of a table or domain. If Citus passes on an error of another node
/// without the constraint, the message ends with its name in every language.
pub(crate) fn broken_rule(source: &DieselError) -> Option<String> {
    let DieselError::DatabaseError(kind, details) = source else { return None };
    let name = match (details.constraint_name(), kind) {
        (Some(name), _) => name,
        (
            None,
            DatabaseErrorKind::UniqueViolation
            | DatabaseErrorKind::ForeignKeyViolation
            | DatabaseErrorKind::CheckViolation,
        ) => names(details.message()).rfind(|name| name.contains('_'))?,
        _ => return None,
    };
    Some(of_whole_table(name).to_string())
}

fn is_node_away(message: &str) -> bool {
    NODE_AWAY.iter().any(|begins| message.starts_with(begins))
}

/// The name of a constraint without the number that a partition or shard of its table adds.
fn of_whole_table(name: &str) -> &str {
    match name.rsplit_once('_') {
        Some((whole, number)) if !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()) => whole,
        _ => name,
    }
}

/// Maps an error of a delete: returns the given refusal if a foreign key still refers to the row.
pub(crate) fn in_use(refusal: Refusal) -> impl Fn(DieselError) -> Error {
    move |source| match &source {
        DieselError::DatabaseError(DatabaseErrorKind::ForeignKeyViolation, _) => refusal.into(),
        _ => error(source),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_has_the_name_of_the_constraint() {
        let message = "llave duplicada viola restricción de unicidad «accounts_name_key_102012»";
        assert!(matches!(in_message(message), Some(Error::Refused(Refusal::AccountNameTaken))));
        assert!(in_message("canceling statement due to user request").is_none());
    }

    #[test]
    fn a_broken_rule_is_known_by_the_end_of_a_message_too() {
        let broken =
            |kind, message: &str| broken_rule(&DieselError::DatabaseError(kind, Box::new(message.to_string())));
        let check =
            "new row for relation \"transaction_lines_102046\" violates check constraint \"transaction_lines_sum\"";
        let key = "Einfügen oder Aktualisieren in Tabelle »rule_actions_7« verletzt Fremdschlüssel-Constraint »rule_actions_rule_fkey_102051«";
        assert_eq!(broken(DatabaseErrorKind::CheckViolation, check).unwrap(), "transaction_lines_sum");
        assert_eq!(broken(DatabaseErrorKind::ForeignKeyViolation, key).unwrap(), "rule_actions_rule_fkey");
        assert_eq!(broken(DatabaseErrorKind::Unknown, "no space left on device_1"), None);
    }

    #[test]
    fn a_node_of_citus_that_is_away_is_an_outage() {
        let message =
            "connection to the remote node 127.0.0.1:15433 failed with the following error: Connection refused";
        let of_citus = |message: &str| {
            error(DieselError::DatabaseError(DatabaseErrorKind::Unknown, Box::new(message.to_string())))
        };
        assert!(matches!(of_citus(message), Error::Unavailable(_)));
        assert!(matches!(of_citus(TOOK_TOO_LONG), Error::Unavailable(_)));
        assert!(matches!(of_citus("division by zero"), Error::Internal(_)));
    }

    #[test]
    fn a_lack_of_resources_is_an_outage() {
        let is_of_disk = |message: &str| {
            let source = DieselError::DatabaseError(DatabaseErrorKind::Unknown, Box::new(message.to_string()));
            match error(source) {
                Error::Unavailable(cause) => cause.downcast_ref::<OutOfResources>().map(OutOfResources::is_of_disk),
                _ => None,
            }
        };
        for message in [
            "could not extend file \"base/16384/16501\": No space left on device",
            "could not extend file \"base/16384/16501\": wrote only 4096 of 8192 bytes at block 7",
            "could not write to file \"pg_wal/xlogtemp.77\": No space left on device",
        ] {
            assert_eq!(is_of_disk(message), Some(true), "{message}");
        }
        for message in ["out of memory", "out of shared memory", "too many connections for role \"finance\""] {
            assert_eq!(is_of_disk(message), Some(false), "{message}");
        }
        assert_eq!(is_of_disk("division by zero"), None);
    }

    #[test]
    fn a_partitions_constraint_is_its_tables() {
        assert_eq!(of_whole_table("accounts_name_key"), "accounts_name_key");
        assert_eq!(of_whole_table("accounts_name_key_3"), "accounts_name_key");
        assert_eq!(of_whole_table("accounts_name_key_102041"), "accounts_name_key");
        assert_eq!(of_whole_table("accounts_"), "accounts_");
    }
}
