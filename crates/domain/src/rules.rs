//! Rules of a household: actions on statement rows that meet conditions. The service creates no rules by itself.
//!
//! A rule uses the values of the statement: its description, date, amount and type, whatever was edited since. So applying
//! rules a second time changes nothing, even if one rule renames what another looks for.

mod input;
mod matching;
mod values;

use crate::error::Result;
use crate::ids::RuleId;

pub use input::{ActionInput, ConditionInput, RuleInput, ValueInput};
pub use matching::{Decided, Facts, Outcome, Rules};
pub use values::{
    ACTIONS_MAX, Action, ActionKind, CONDITIONS_MAX, Condition, Field, Matching, NewRule, Op, POSITION_MAX, RULES_MAX,
    Rule, TEXT_CHARS_MAX, TextOp,
};

/// The port of rules. Every method may fail as [`Store::transact`](crate::Store::transact) does.
pub trait RuleRepo {
    /// All rules, in their order: by position, then id.
    fn rule_list(&mut self) -> Result<Vec<Rule>>;
    /// The rule of that id, if the profile has one.
    fn rule_get(&mut self, id: RuleId) -> Result<Option<Rule>>;
    /// Stores a rule.
    fn rule_insert(&mut self, new: &NewRule) -> Result<Rule>;
    /// Replaces a rule. None if there is no such rule.
    fn rule_update(&mut self, id: RuleId, new: &NewRule) -> Result<Option<Rule>>;
    /// Deletes a rule. Returns whether there was one.
    fn rule_delete(&mut self, id: RuleId) -> Result<bool>;
}
