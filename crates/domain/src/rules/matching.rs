//! What rules decide about a row.

use time::Date;

use crate::ids::{AccountId, CategoryId, RuleId};
use crate::money::Money;
use crate::rules::values::{Action, Condition, Matching, NewRule, Rule, TextOp};
use crate::tags::{TAGS_MAX, key};
use crate::text::normalized;
use crate::transactions::Kind;

/// The data of a row that rules look at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Facts<'r> {
    /// The description in its statement, [normalized](crate::text::normalized).
    pub description: &'r str,
    /// The amount, above zero.
    pub amount: Money,
    /// Income or expense.
    pub kind: Kind,
    /// Its account, if it has one.
    pub account_id: Option<AccountId>,
    /// The date in its statement.
    pub date: Date,
}

/// A decision, and the rule that made it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Decided<T> {
    /// What was decided.
    pub value: T,
    /// The rule. None if the rule is not stored.
    pub rule_id: Option<RuleId>,
}

/// What rules decide about a row. If several rules set the same thing, the first one wins; each one adds its tag.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Outcome<'r> {
    /// The category.
    pub category: Option<Decided<CategoryId>>,
    /// The description.
    pub description: Option<Decided<&'r str>>,
    /// Set if the row is a transfer.
    pub transfer: Option<Decided<()>>,
    /// The tags. Each occurs once, ignoring case.
    pub tags: Vec<&'r str>,
    /// Set if the row is left out of imports.
    pub skip: Option<Decided<()>>,
}

impl Outcome<'_> {
    /// The tags to add to a row that has none yet, at most [`TAGS_MAX`].
    pub(crate) fn tags_to_add(&self) -> Vec<String> {
        self.tags.iter().take(TAGS_MAX).map(|tag| tag.to_string()).collect()
    }
}

/// Rules that are ready to be applied, in their order.
#[derive(Debug, Clone, Default)]
pub struct Rules {
    rules: Vec<Ready>,
}

/// A rule whose texts are normalized, as descriptions are.
#[derive(Debug, Clone)]
struct Ready {
    id: Option<RuleId>,
    matching: Matching,
    conditions: Vec<Condition>,
    actions: Vec<Action>,
}

impl Rules {
    /// The enabled rules.
    pub fn new(rules: Vec<Rule>) -> Self {
        let enabled = rules.into_iter().filter(|rule| rule.content.is_enabled);
        Rules { rules: enabled.map(|rule| ready(Some(rule.id), rule.content)).collect() }
    }

    /// One rule that is not stored, enabled or not.
    pub fn unsaved(rule: NewRule) -> Self {
        Rules { rules: vec![ready(None, rule)] }
    }

    /// Whether there are no rules.
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    /// What the rules decide about a row. None if no rule matches it.
    pub fn decide(&self, facts: &Facts<'_>) -> Option<Outcome<'_>> {
        let mut outcome = None;
        for rule in self.rules.iter().filter(|rule| rule.matches(facts)) {
            let outcome: &mut Outcome<'_> = outcome.get_or_insert_default();
            let rule_id = rule.id;
            for action in &rule.actions {
                match action {
                    Action::SetCategory(value) => {
                        outcome.category.get_or_insert(Decided { value: *value, rule_id });
                    }
                    Action::AddTag(tag) => {
                        let tag_key = key(tag);
                        if outcome.tags.iter().all(|known| key(known) != tag_key) {
                            outcome.tags.push(tag);
                        }
                    }
                    Action::Rename(value) => {
                        outcome.description.get_or_insert(Decided { value: value.as_str(), rule_id });
                    }
                    Action::MarkTransfer => {
                        outcome.transfer.get_or_insert(Decided { value: (), rule_id });
                    }
                    Action::Skip => {
                        outcome.skip.get_or_insert(Decided { value: (), rule_id });
                    }
                }
            }
        }
        outcome
    }
}

fn ready(id: Option<RuleId>, rule: NewRule) -> Ready {
    let conditions = rule.conditions.into_iter().map(|condition| match condition {
        Condition::Description(op, text) => Condition::Description(op, normalized(&text)),
        other => other,
    });
    Ready { id, matching: rule.matching, conditions: conditions.collect(), actions: rule.actions }
}

impl Ready {
    fn matches(&self, facts: &Facts<'_>) -> bool {
        let mut conditions = self.conditions.iter();
        match self.matching {
            // A rule without conditions would match everything.
            Matching::All if self.conditions.is_empty() => false,
            Matching::All => conditions.all(|condition| is_met(condition, facts)),
            Matching::Any => conditions.any(|condition| is_met(condition, facts)),
        }
    }
}

fn is_met(condition: &Condition, facts: &Facts<'_>) -> bool {
    match condition {
        Condition::Description(op, text) => match op {
            TextOp::Contains => facts.description.contains(text.as_str()),
            TextOp::NotContains => !facts.description.contains(text.as_str()),
            TextOp::StartsWith => facts.description.starts_with(text.as_str()),
            TextOp::EndsWith => facts.description.ends_with(text.as_str()),
            TextOp::Equals => facts.description == text,
        },
        Condition::Amount { min, max, .. } => {
            min.is_none_or(|min| facts.amount >= min) && max.is_none_or(|max| facts.amount <= max)
        }
        Condition::Kind(kind) => facts.kind == *kind,
        Condition::Account(id) => facts.account_id == Some(*id),
        Condition::Day(first, last) => (*first..=*last).contains(&facts.date.day()),
    }
}

#[cfg(test)]
mod tests {
    use time::macros::date;

    use super::*;
    use crate::ids::ProfileId;
    use crate::rules::values::Op;

    fn facts(description: &str) -> Facts<'_> {
        Facts {
            description,
            amount: Money::from_cents(1_000),
            kind: Kind::Expense,
            account_id: Some(AccountId(1)),
            date: date!(2026 - 03 - 15),
        }
    }

    fn rule(id: i64, matching: Matching, conditions: Vec<Condition>, actions: Vec<Action>) -> Rule {
        let content = NewRule { name: "Regra".into(), position: id, is_enabled: true, matching, conditions, actions };
        Rule { id: RuleId(id), profile_id: ProfileId(1), content }
    }

    fn text(op: TextOp, text: &str) -> Condition {
        Condition::Description(op, text.into())
    }

    #[test]
    fn conditions_compare_folded_texts_amounts_types_accounts_and_days() {
        let amount = |op, min: Option<i128>, max: Option<i128>| Condition::Amount {
            op,
            min: min.map(Money::from_cents),
            max: max.map(Money::from_cents),
        };
        for (condition, expected) in [
            (text(TextOp::Contains, "DARIA"), true),
            (text(TextOp::Contains, "São"), true),
            (text(TextOp::Contains, "joão"), false),
            (text(TextOp::NotContains, "joão"), true),
            (text(TextOp::NotContains, "são"), false),
            (text(TextOp::StartsWith, "Pada"), true),
            (text(TextOp::StartsWith, "são"), false),
            (text(TextOp::EndsWith, "BENTO"), true),
            (text(TextOp::EndsWith, "são"), false),
            (text(TextOp::Equals, "Padaria  São Bento"), true),
            (text(TextOp::Equals, "Padaria"), false),
            (amount(Op::Eq, Some(1_000), Some(1_000)), true),
            (amount(Op::Eq, Some(1_001), Some(1_001)), false),
            (amount(Op::Gte, Some(1_000), None), true),
            (amount(Op::Gte, Some(1_001), None), false),
            (amount(Op::Lte, None, Some(1_000)), true),
            (amount(Op::Lte, None, Some(999)), false),
            (amount(Op::Between, Some(999), Some(1_001)), true),
            (Condition::Kind(Kind::Expense), true),
            (Condition::Kind(Kind::Income), false),
            (Condition::Account(AccountId(1)), true),
            (Condition::Account(AccountId(2)), false),
            (Condition::Day(15, 15), true),
            (Condition::Day(1, 14), false),
            (Condition::Day(16, 31), false),
        ] {
            let rules = Rules::new(vec![rule(1, Matching::All, vec![condition.clone()], vec![Action::Skip])]);
            assert_eq!(rules.decide(&facts("padaria sao bento")).is_some(), expected, "{condition:?}");
        }
    }

    #[test]
    fn all_or_any_of_the_conditions_must_be_met() {
        let conditions = vec![text(TextOp::Contains, "padaria"), Condition::Kind(Kind::Income)];
        for (matching, expected) in [(Matching::All, false), (Matching::Any, true)] {
            let rules = Rules::new(vec![rule(1, matching, conditions.clone(), vec![Action::Skip])]);
            assert_eq!(rules.decide(&facts("padaria")).is_some(), expected, "{matching:?}");
        }
    }

    #[test]
    fn the_first_rule_to_set_a_thing_wins_and_disabled_ones_do_nothing() {
        let condition = || vec![text(TextOp::Contains, "padaria")];
        let set = |id: i64| Action::SetCategory(CategoryId(id));
        let mut disabled = rule(1, Matching::All, condition(), vec![set(1), Action::Skip]);
        disabled.content.is_enabled = false;
        let rules = Rules::new(vec![
            disabled,
            rule(2, Matching::All, condition(), vec![set(2)]),
            rule(3, Matching::All, condition(), vec![set(3), Action::Rename("Pão".into())]),
            rule(4, Matching::All, condition(), vec![Action::Rename("Outro".into()), Action::MarkTransfer]),
        ]);
        let by = |id: i64| Some(RuleId(id));
        let expected = Outcome {
            tags: Vec::new(),
            category: Some(Decided { value: CategoryId(2), rule_id: by(2) }),
            description: Some(Decided { value: "Pão", rule_id: by(3) }),
            transfer: Some(Decided { value: (), rule_id: by(4) }),
            skip: None,
        };
        assert_eq!(rules.decide(&facts("padaria")), Some(expected));
        assert_eq!(rules.decide(&facts("posto")), None);
    }
}
