//! Tokens: credentials for programs, each with scopes and an expiry date.

use std::collections::HashSet;

use time::{Date, Duration, OffsetDateTime};

use crate::credentials::{Role, Scope, SecretHash};
use crate::error::{Error, FieldErrors, Result};
use crate::ids::{MemberId, TokenId};
use crate::text;
use crate::violations::Violation;

/// The most tokens of one profile.
pub const TOKENS_MAX: usize = 50;
/// How many days a token is valid if the request gives no expiry date.
pub const DAYS_DEFAULT: i64 = 90;
/// The most days that a token is valid.
pub const DAYS_MAX: i64 = 366;

/// A token, as it is listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    /// Its id.
    pub id: TokenId,
    /// The member who created it.
    pub member_id: MemberId,
    /// Its name.
    pub name: String,
    /// Its scopes.
    pub scopes: Vec<Scope>,
    /// The last day on which it is valid.
    pub expires_on: Date,
    /// The last day on which it was used, if it was.
    pub last_used_on: Option<Date>,
    /// The instant at which it was created.
    pub created_at: OffsetDateTime,
}

/// A token to store, checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewToken {
    /// Its name.
    pub name: String,
    /// Its scopes.
    pub scopes: Vec<Scope>,
    /// The last day on which it is valid.
    pub expires_on: Date,
}

/// A token as a client sends it, not yet checked.
#[derive(Debug, Clone, Default)]
pub struct TokenInput {
    /// Required, 1 to 100 characters.
    pub name: Option<String>,
    /// Required, at least one. A scope is None if it could not be read; `errors` says so already.
    pub scopes: Option<Vec<Option<Scope>>>,
    /// Today or later, at most [`DAYS_MAX`] days ahead. [`DAYS_DEFAULT`] days ahead if absent.
    pub expires_on: Option<Date>,
    /// Fields that could not be read. They are reported together with those that break a rule.
    pub errors: FieldErrors,
}

impl TokenInput {
    /// Applies the rules for a member of that role.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] with every broken rule, or [`Error::NotAllowed`] if the role itself does not permit what the scopes
    /// permit.
    pub fn check(self, role: Role, today: Date) -> Result<NewToken> {
        let mut errors = self.errors;
        let name = errors.require("name", self.name).and_then(|name| errors.check("name", text::name(&name)));
        let scopes = errors.require("scopes", self.scopes).unwrap_or_default();
        if scopes.is_empty() {
            errors.push("scopes", Violation::Empty);
        }
        let last = today + Duration::days(DAYS_MAX);
        if self.expires_on.is_some_and(|day| day < today || day > last) {
            errors.push("expires_on", Violation::out_of_range(today.to_string(), last.to_string()));
        }
        errors.into_result()?;
        let mut seen = HashSet::new();
        let scopes: Vec<Scope> = scopes.into_iter().flatten().filter(|scope| seen.insert(*scope)).collect();
        if !scopes.iter().all(|scope| role.may_grant(*scope)) {
            return Err(Error::NotAllowed);
        }
        let expires_on = self.expires_on.unwrap_or(today + Duration::days(DAYS_DEFAULT));
        Ok(NewToken { name: name.unwrap_or_default(), scopes, expires_on })
    }
}

/// The port of tokens. Every method may fail as [`Store::transact`](crate::Store::transact) does.
pub trait TokenRepo {
    /// All tokens, or those of one member, in the order in which they were created.
    fn token_list(&mut self, of: Option<MemberId>) -> Result<Vec<Token>>;
    /// How many tokens there are.
    fn token_count(&mut self) -> Result<usize>;
    /// Stores a token of a member, by the hash of its secret.
    fn token_insert(&mut self, member: MemberId, new: &NewToken, hash: SecretHash) -> Result<Token>;
    /// Removes a token, which is refused from then on. If `of` is given, removes only a token of that member. Returns whether
    /// there was one.
    fn token_delete(&mut self, id: TokenId, of: Option<MemberId>) -> Result<bool>;
}

#[cfg(test)]
mod tests {
    use time::macros::date;

    use super::*;

    const TODAY: Date = date!(2026 - 03 - 15);

    fn input(scopes: &[Scope]) -> TokenInput {
        let scopes = scopes.iter().copied().map(Some).collect();
        TokenInput { name: Some(" cron ".into()), scopes: Some(scopes), ..Default::default() }
    }

    fn on(expires_on: Date) -> Result<NewToken> {
        TokenInput { expires_on: Some(expires_on), ..input(&[Scope::Read]) }.check(Role::Owner, TODAY)
    }

    #[test]
    fn a_token_holds_90_days_unless_it_says_another_day_within_366() {
        let token = input(&[Scope::Write, Scope::Read, Scope::Write]).check(Role::Owner, TODAY).unwrap();
        assert_eq!(token.expires_on, date!(2026 - 06 - 13));
        assert_eq!((token.name.as_str(), token.scopes), ("cron", vec![Scope::Write, Scope::Read]), "each scope once");
        assert_eq!(on(TODAY).unwrap().expires_on, TODAY);
        assert_eq!(on(date!(2027 - 03 - 16)).unwrap().expires_on, date!(2027 - 03 - 16));
        for wrong in [date!(2026 - 03 - 14), date!(2027 - 03 - 17)] {
            let refused = on(wrong).unwrap_err().to_string();
            assert_eq!(refused, "expires_on: must be 2026-03-15 to 2027-03-16");
        }
    }

    #[test]
    fn every_wrong_field_is_told() {
        let refused = TokenInput::default().check(Role::Owner, TODAY).unwrap_err().to_string();
        assert_eq!(refused, "name: is required; scopes: is required");
        let refused = input(&[]).check(Role::Owner, TODAY).unwrap_err().to_string();
        assert_eq!(refused, "scopes: must not be empty");
    }

    #[test]
    fn an_editor_makes_no_token_for_exports() {
        let refused = input(&[Scope::Read, Scope::Export]).check(Role::Editor, TODAY);
        assert!(matches!(refused, Err(Error::NotAllowed)), "{refused:?}");
        assert!(input(&[Scope::Write, Scope::Calendar]).check(Role::Editor, TODAY).is_ok());
        assert!(input(&[Scope::Export]).check(Role::Owner, TODAY).is_ok());
    }
}
