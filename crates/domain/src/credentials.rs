//! Credentials: what gives access to a profile, and what each permits.
//!
//! A login belongs to a member and permits what the member's [`Role`] permits. A token permits what its [`Scope`]s permit, and
//! never more than its creator's current role. Every route has a [`Need`], which says which roles and scopes permit it.

use std::fmt;

use crate::words::words;

words! {
    /// What a member of a profile may do.
    pub enum Role {
        /// Everything.
        Owner = "owner",
        /// Everything except members and exports.
        Editor = "editor",
        /// Read-only access.
        Viewer = "viewer",
    }
}

words! {
    /// What a token is for.
    pub enum Scope {
        /// Reading everything except exports, tokens and members.
        Read = "read",
        /// Importing statements, and reading what an import refers to.
        Import = "import",
        /// Reading, importing, and every change.
        Write = "write",
        /// Exports.
        Export = "export",
        /// The calendar.
        Calendar = "calendar",
        /// Entering transactions, instalments and transfers, and reading a line as one.
        Enter = "enter",
    }
}

/// The permission that a request needs from its credential.
///
/// ```
/// use finance_domain::Word;
/// use finance_domain::credentials::{Need, Role, Scope};
///
/// assert!(Need::Write.is_met_by_role(Role::Editor));
/// assert!(!Need::Write.is_met_by_role(Role::Viewer));
/// assert!(Need::Import.is_met_by_scopes(&[Scope::Write]), "write holds import");
/// assert!(!Need::Import.is_met_by_scopes(&[Scope::Read, Scope::Calendar]));
/// assert!(!Need::Members.is_met_by_scopes(Scope::ALL), "never by token");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Need {
    /// Any credential.
    Any,
    /// A login of any member.
    Login,
    /// A login that may create tokens.
    Tokens,
    /// A login that may manage members.
    Members,
    /// A login that may create webhooks.
    Webhooks,
    /// Reading.
    Read,
    /// Reading what an import refers to.
    Reference,
    /// Importing.
    Import,
    /// A change.
    Write,
    /// An entry.
    Enter,
    /// A change of what is the member's own.
    Own,
    /// An export.
    Export,
    /// The calendar.
    Calendar,
    /// The tools of assistants. Each tool also needs what its own requests need.
    Tools,
}

impl Need {
    /// Every need.
    pub const ALL: [Need; 14] = [
        Need::Any,
        Need::Login,
        Need::Tokens,
        Need::Members,
        Need::Webhooks,
        Need::Read,
        Need::Reference,
        Need::Import,
        Need::Write,
        Need::Enter,
        Need::Own,
        Need::Export,
        Need::Calendar,
        Need::Tools,
    ];

    /// The roles that meet the need, for the member of a login or the creator of a token.
    pub fn roles(self) -> &'static [Role] {
        match self {
            Need::Any | Need::Login | Need::Read | Need::Reference | Need::Own | Need::Calendar | Need::Tools => {
                &[Role::Owner, Role::Editor, Role::Viewer]
            }
            Need::Tokens | Need::Webhooks | Need::Import | Need::Write | Need::Enter => &[Role::Owner, Role::Editor],
            Need::Members | Need::Export => &[Role::Owner],
        }
    }

    /// The scopes that meet the need, each on its own. Empty if no token does.
    pub fn scopes(self) -> &'static [Scope] {
        match self {
            Need::Any => &[Scope::Read, Scope::Import, Scope::Write, Scope::Export, Scope::Calendar, Scope::Enter],
            Need::Login | Need::Tokens | Need::Members | Need::Webhooks => &[],
            Need::Read => &[Scope::Read, Scope::Write],
            Need::Reference | Need::Tools => &[Scope::Read, Scope::Import, Scope::Write],
            Need::Import => &[Scope::Import, Scope::Write],
            Need::Write | Need::Own => &[Scope::Write],
            // `write` is told: it was needed before there was `enter`, and is what an assistant's token needs.
            Need::Enter => &[Scope::Write, Scope::Enter],
            Need::Export => &[Scope::Export],
            Need::Calendar => &[Scope::Calendar],
        }
    }

    /// The scope to report to a client whose token does not meet the need: the one that permits the least else, but `write` for an
    /// entry. None if no token
    /// does.
    pub fn least_scope(self) -> Option<Scope> {
        self.scopes().first().copied()
    }

    /// Whether a login of that role meets the need.
    pub fn is_met_by_role(self, role: Role) -> bool {
        self.roles().contains(&role)
    }

    /// Whether a token with these scopes meets the need, provided that its creator's role does.
    pub fn is_met_by_scopes(self, scopes: &[Scope]) -> bool {
        self.scopes().iter().any(|scope| scopes.contains(scope))
    }
}

impl Scope {
    /// The need that the scope is for.
    pub fn need(self) -> Need {
        match self {
            Scope::Read => Need::Read,
            Scope::Import => Need::Import,
            Scope::Write => Need::Write,
            Scope::Export => Need::Export,
            Scope::Calendar => Need::Calendar,
            Scope::Enter => Need::Enter,
        }
    }
}

impl Role {
    /// Whether a member of the role may create a token with that scope. A member can only grant what its own role permits.
    pub fn may_grant(self, scope: Scope) -> bool {
        scope.need().is_met_by_role(self)
    }
}

/// The SHA-256 of the secret of a token or an invitation. The secret itself is shown once and never stored.
///
/// ```
/// use finance_domain::credentials::SecretHash;
///
/// assert!(SecretHash([0xc0; 32]).to_string().starts_with("c0c0"));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct SecretHash(pub [u8; 32]);

impl fmt::Display for SecretHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::Word;

    /// The scopes and roles that meet each need, written out.
    const TABLE: [(Need, &str, &str); 14] = [
        (Need::Any, "read import write export calendar enter", "owner editor viewer"),
        (Need::Login, "", "owner editor viewer"),
        (Need::Tokens, "", "owner editor"),
        (Need::Members, "", "owner"),
        (Need::Webhooks, "", "owner editor"),
        (Need::Read, "read write", "owner editor viewer"),
        (Need::Reference, "read import write", "owner editor viewer"),
        (Need::Import, "import write", "owner editor"),
        (Need::Write, "write", "owner editor"),
        (Need::Enter, "write enter", "owner editor"),
        (Need::Own, "write", "owner editor viewer"),
        (Need::Export, "export", "owner"),
        (Need::Calendar, "calendar", "owner editor viewer"),
        (Need::Tools, "read import write", "owner editor viewer"),
    ];

    #[test]
    fn each_need_is_met_by_these_scopes_and_roles() {
        assert_eq!(TABLE.map(|(need, ..)| need), Need::ALL);
        for (need, scopes, roles) in TABLE {
            for scope in Scope::ALL {
                let does = scopes.split(' ').any(|word| word == scope.as_str());
                assert_eq!(need.is_met_by_scopes(&[*scope]), does, "{need:?} by {scope:?}");
            }
            for role in Role::ALL {
                let does = roles.split(' ').any(|word| word == role.as_str());
                assert_eq!(need.is_met_by_role(*role), does, "{need:?} by {role:?}");
            }
        }
    }

    #[test]
    fn several_scopes_do_what_each_does() {
        let both = [Scope::Calendar, Scope::Import];
        for need in Need::ALL {
            let one = both.iter().any(|scope| need.is_met_by_scopes(&[*scope]));
            assert_eq!(need.is_met_by_scopes(&both), one, "{need:?}");
            assert!(!need.is_met_by_scopes(&[]), "{need:?}");
        }
    }

    #[test]
    fn the_scope_that_is_told_does_and_is_the_least() {
        for need in Need::ALL {
            let Some(least) = need.least_scope() else {
                assert!(need.scopes().is_empty(), "{need:?}");
                continue;
            };
            assert!(need.is_met_by_scopes(&[least]), "{need:?}");
            assert!(least != Scope::Write || [Need::Write, Need::Enter, Need::Own].contains(&need), "{need:?}");
        }
    }

    #[test]
    fn a_member_grants_what_its_role_may_do() {
        let granted = |role: Role| -> Vec<&str> {
            Scope::ALL.iter().filter(|scope| role.may_grant(**scope)).map(|scope| scope.as_str()).collect()
        };
        assert_eq!(granted(Role::Owner), ["read", "import", "write", "export", "calendar", "enter"]);
        assert_eq!(granted(Role::Editor), ["read", "import", "write", "calendar", "enter"]);
        assert_eq!(granted(Role::Viewer), ["read", "calendar"]);
    }
}
