//! Rules as clients send them, and their checks.

use std::collections::HashSet;

use crate::error::{FieldErrors, Result};
use crate::ids::{AccountId, CategoryId};
use crate::money::Money;
use crate::rules::values::{
    ACTIONS_MAX, Action, ActionKind, CONDITIONS_MAX, Condition, Field, Matching, NewRule, Op, POSITION_MAX,
    TEXT_CHARS_MAX, TextOp,
};
use crate::transactions::Kind;
use crate::violations::Violation;
use crate::words::Word;
use crate::{tags, text};

/// A rule as a client sends it, not yet checked.
#[derive(Debug, Clone, Default)]
pub struct RuleInput {
    /// Required, 1 to 100 characters.
    pub name: Option<String>,
    /// 0 to [`POSITION_MAX`]. If absent, a new rule goes last, and an existing one keeps its position.
    pub position: Option<i64>,
    /// True if absent.
    pub is_enabled: Option<bool>,
    /// [`Matching::All`] if absent.
    pub matching: Option<Matching>,
    /// Required, 1 to [`CONDITIONS_MAX`]. An element is none if it is not a condition at all; `errors` then has its error.
    pub conditions: Option<Vec<Option<ConditionInput>>>,
    /// Required, 1 to [`ACTIONS_MAX`]. An element is none if it is not an action at all; `errors` then has its error.
    pub actions: Option<Vec<Option<ActionInput>>>,
    /// Fields that could not be read. They are reported together with those that break a rule.
    pub errors: FieldErrors,
}

/// A condition as a client sends it.
#[derive(Debug, Clone, Default)]
pub struct ConditionInput {
    /// Required.
    pub field: Option<Field>,
    /// Required; one that the field supports.
    pub op: Option<Op>,
    /// Required; of the type that the field and the op take.
    pub value: Option<ValueInput>,
}

/// The value of a condition as a client sends it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ValueInput {
    /// A text.
    Text(String),
    /// A number, as it was written.
    Number(String),
    /// An array. Each element is a text or a number, or none if it is something else.
    List(Vec<Option<ValueInput>>),
    /// Something else.
    Other,
}

/// An action as a client sends it.
#[derive(Debug, Clone, Default)]
pub struct ActionInput {
    /// Required.
    pub kind: Option<ActionKind>,
    /// Required if the action sets a category; one of the caller's categories.
    pub category_id: Option<CategoryId>,
    /// Required if the action adds a tag, 1 to 30 characters.
    pub tag: Option<String>,
    /// Required if the action renames, 1 to 255 characters.
    pub description: Option<String>,
}

impl RuleInput {
    /// Checks the input. `last` is the position of a rule that has none.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`](crate::Error::Invalid) with every broken rule.
    pub fn check(self, categories: &HashSet<CategoryId>, accounts: &HashSet<AccountId>, last: i64) -> Result<NewRule> {
        let mut errors = self.errors;
        let name = errors.require("name", self.name).and_then(|name| errors.check("name", text::name(&name)));
        let position = self.position.unwrap_or(last);
        if !(0..=POSITION_MAX).contains(&position) {
            errors.push("position", Violation::out_of_range(0, POSITION_MAX));
        }
        let conditions = counted("conditions", self.conditions, CONDITIONS_MAX, &mut errors);
        let conditions: Vec<Condition> = conditions
            .into_iter()
            .enumerate()
            .filter_map(|(at, condition)| {
                condition?.check(accounts, &mut Fields { prefix: "conditions", at, errors: &mut errors })
            })
            .collect();
        let actions = counted("actions", self.actions, ACTIONS_MAX, &mut errors);
        let mut kinds = HashSet::new();
        let actions: Vec<Action> = actions
            .into_iter()
            .enumerate()
            .filter_map(|(at, action)| {
                let mut fields = Fields { prefix: "actions", at, errors: &mut errors };
                let action = action?.check(categories, &mut fields)?;
                if !kinds.insert(action.kind()) {
                    fields.push("action", Violation::GivenTwice);
                }
                Some(action)
            })
            .collect();
        let (name,) = errors.all((name,))?;
        Ok(NewRule {
            name,
            position,
            is_enabled: self.is_enabled.unwrap_or(true),
            matching: self.matching.unwrap_or(Matching::All),
            conditions,
            actions,
        })
    }
}

/// The elements of a list that must not be empty. Returns none of them if there are too many.
fn counted<T>(name: &str, list: Option<Vec<T>>, max: usize, errors: &mut FieldErrors) -> Vec<T> {
    let list = errors.require(name, list);
    match list {
        Some(list) if list.is_empty() => errors.push(name, Violation::Empty),
        Some(list) if list.len() > max => errors.push(name, Violation::TooManyElements { max: max as i64 }),
        Some(list) => return list,
        None => {}
    }
    Vec::new()
}

/// The errors of one element of a list.
struct Fields<'e> {
    prefix: &'static str,
    at: usize,
    errors: &'e mut FieldErrors,
}

impl Fields<'_> {
    fn push(&mut self, name: &str, violation: Violation) {
        self.errors.push(self.name(name), violation);
    }

    fn name(&self, name: &str) -> String {
        format!("{}[{}].{name}", self.prefix, self.at)
    }

    /// Returns the value. Adds an error if it is absent, unless the field has one already.
    fn require<T>(&mut self, name: &str, value: Option<T>) -> Option<T> {
        let name = self.name(name);
        self.errors.require(&name, value)
    }

    fn check<T>(&mut self, name: &str, value: Result<T, Violation>) -> Option<T> {
        let name = self.name(name);
        self.errors.check(&name, value)
    }
}

impl ConditionInput {
    fn check(self, accounts: &HashSet<AccountId>, fields: &mut Fields<'_>) -> Option<Condition> {
        let field = fields.require("field", self.field);
        let op = fields.require("op", self.op);
        let value = fields.require("value", self.value);
        let (field, op) = (field?, op?);
        let known = ops(field);
        if !known.contains(&op) {
            fields.push("op", Violation::not_one_of(&known.iter().map(|op| op.as_str()).collect::<Vec<_>>()));
            return None;
        }
        let value = value?;
        let condition = match field {
            Field::Description => compared(value).map(|text| {
                let op = TextOp::ALL.iter().find(|known| known.as_str() == op.as_str());
                Condition::Description(op.copied().unwrap_or(TextOp::Equals), text)
            }),
            Field::Amount => bounds(op, value).map(|(min, max)| Condition::Amount { op, min, max }),
            Field::Kind => match value {
                ValueInput::Text(word) => word.parse().map(Condition::Kind),
                _ => Err(Violation::NotAString),
            },
            Field::Account => match whole(&value).map(AccountId) {
                Ok(id) if accounts.contains(&id) => Ok(Condition::Account(id)),
                Ok(_) => Err(Violation::NoSuchAccount),
                Err(violation) => Err(violation),
            },
            Field::Day => days(value).map(|(first, last)| Condition::Day(first, last)),
        };
        fields.check("value", condition)
    }
}

/// The ops that a field supports.
fn ops(field: Field) -> &'static [Op] {
    match field {
        Field::Description => &[Op::Contains, Op::NotContains, Op::StartsWith, Op::EndsWith, Op::Equals],
        Field::Amount => &[Op::Eq, Op::Gte, Op::Lte, Op::Between],
        Field::Kind | Field::Account => &[Op::Eq],
        Field::Day => &[Op::Between],
    }
}

/// A text to compare descriptions with. A text that is empty after folding would be in all of them.
fn compared(value: ValueInput) -> Result<String, Violation> {
    let ValueInput::Text(text) = value else { return Err(Violation::NotAString) };
    let max = TEXT_CHARS_MAX as i64;
    let trimmed = text.trim();
    if trimmed.contains('\0') {
        Err(Violation::NulCharacter)
    } else if text::normalized(trimmed).is_empty() {
        Err(Violation::Blank { max })
    } else if trimmed.chars().nth(TEXT_CHARS_MAX).is_some() {
        Err(Violation::TooLong { max })
    } else {
        Ok(trimmed.to_string())
    }
}

fn money(value: &ValueInput) -> Result<Money, Violation> {
    let amount: Money = match value {
        ValueInput::Text(text) => text.trim().parse()?,
        ValueInput::Number(digits) => digits.parse()?,
        _ => return Err(Violation::NotANumber),
    };
    match (Money::ZERO..=Money::TRANSACTION_MAX).contains(&amount) {
        true => Ok(amount),
        false => Err(Violation::out_of_range(0, Money::TRANSACTION_MAX)),
    }
}

fn whole(value: &ValueInput) -> Result<i64, Violation> {
    match value {
        ValueInput::Number(digits) => digits.parse().map_err(|_| Violation::NotAWholeNumber),
        _ => Err(Violation::NotAWholeNumber),
    }
}

/// The two elements of a list. The first must not be above the second.
fn pair<T: PartialOrd>(
    value: ValueInput,
    read: impl Fn(&ValueInput) -> Result<T, Violation>,
) -> Result<(T, T), Violation> {
    let ValueInput::List(list) = value else { return Err(Violation::NotAPair) };
    let [Some(first), Some(last)] = &list[..] else { return Err(Violation::NotAPair) };
    let (first, last) = (read(first)?, read(last)?);
    if first > last { Err(Violation::NotAPair) } else { Ok((first, last)) }
}

fn bounds(op: Op, value: ValueInput) -> Result<(Option<Money>, Option<Money>), Violation> {
    Ok(match op {
        Op::Between => {
            let (min, max) = pair(value, money)?;
            (Some(min), Some(max))
        }
        Op::Gte => (Some(money(&value)?), None),
        Op::Lte => (None, Some(money(&value)?)),
        _ => {
            let amount = money(&value)?;
            (Some(amount), Some(amount))
        }
    })
}

fn days(value: ValueInput) -> Result<(u8, u8), Violation> {
    let day = |value: &ValueInput| {
        let day = u8::try_from(whole(value)?).ok().filter(|day| (1..=31).contains(day));
        day.ok_or_else(|| Violation::out_of_range(1, 31))
    };
    pair(value, day)
}

impl ActionInput {
    fn check(self, categories: &HashSet<CategoryId>, fields: &mut Fields<'_>) -> Option<Action> {
        match fields.require("action", self.kind)? {
            ActionKind::SetCategory => {
                let id = fields.require("category_id", self.category_id)?;
                if !categories.contains(&id) {
                    fields.push("category_id", Violation::NoSuchCategory);
                    return None;
                }
                Some(Action::SetCategory(id))
            }
            ActionKind::AddTag => {
                let tag = fields.require("tag", self.tag)?;
                fields.check("tag", tags::tag(&tag)).map(Action::AddTag)
            }
            ActionKind::Rename => {
                let description = fields.require("description", self.description)?;
                fields.check("description", text::description(&description)).map(Action::Rename)
            }
            ActionKind::MarkTransfer => Some(Action::MarkTransfer),
            ActionKind::Skip => Some(Action::Skip),
        }
    }
}

/// The type of a transaction, as it is written in conditions.
impl From<Kind> for ValueInput {
    fn from(kind: Kind) -> Self {
        ValueInput::Text(kind.as_str().to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;

    fn text(text: &str) -> ValueInput {
        ValueInput::Text(text.into())
    }

    fn number(digits: &str) -> ValueInput {
        ValueInput::Number(digits.into())
    }

    fn list(values: &[ValueInput]) -> ValueInput {
        ValueInput::List(values.iter().cloned().map(Some).collect())
    }

    fn input(condition: ConditionInput) -> RuleInput {
        RuleInput {
            name: Some("Regra".into()),
            conditions: Some(vec![Some(condition)]),
            actions: Some(vec![Some(ActionInput { kind: Some(ActionKind::Skip), ..ActionInput::default() })]),
            ..RuleInput::default()
        }
    }

    /// The rule, or the fields that are wrong.
    fn checked(input: RuleInput) -> Result<NewRule, Vec<String>> {
        let known = (HashSet::from([CategoryId(1)]), HashSet::from([AccountId(1)]));
        input.check(&known.0, &known.1, 7).map_err(|error| match error {
            Error::Invalid(errors) => errors.iter().map(|error| error.field.clone()).collect(),
            other => vec![other.to_string()],
        })
    }

    #[test]
    fn a_value_is_of_the_kind_that_field_and_op_take() {
        let money = |units: i128| Some(Money::from_cents(units * 100));
        let amount = |op, min: Option<Money>, max: Option<Money>| Some(Condition::Amount { op, min, max });
        for (field, op, value, expected) in [
            (
                Field::Description,
                Op::Contains,
                text(" São "),
                Some(Condition::Description(TextOp::Contains, "São".into())),
            ),
            (
                Field::Description,
                Op::Equals,
                text(&"x".repeat(100)),
                Some(Condition::Description(TextOp::Equals, "x".repeat(100))),
            ),
            (Field::Description, Op::Contains, text(&"x".repeat(101)), None),
            (Field::Description, Op::Contains, text(" "), None),
            (Field::Description, Op::Contains, text("\u{301}"), None),
            (Field::Description, Op::Contains, text("a\0"), None),
            (Field::Description, Op::Contains, number("1"), None),
            (Field::Amount, Op::Eq, text("10.00"), amount(Op::Eq, money(10), money(10))),
            (Field::Amount, Op::Gte, number("10"), amount(Op::Gte, money(10), None)),
            (Field::Amount, Op::Lte, number("10.0"), amount(Op::Lte, None, money(10))),
            (Field::Amount, Op::Between, list(&[number("10"), text("20")]), amount(Op::Between, money(10), money(20))),
            (Field::Amount, Op::Between, list(&[number("20"), text("10")]), None),
            (Field::Amount, Op::Between, list(&[number("20")]), None),
            (Field::Amount, Op::Between, number("20"), None),
            (Field::Amount, Op::Eq, number("-1"), None),
            (Field::Amount, Op::Eq, number("1.001"), None),
            (Field::Amount, Op::Eq, list(&[number("1"), number("2")]), None),
            (Field::Kind, Op::Eq, text("income"), Some(Condition::Kind(Kind::Income))),
            (Field::Kind, Op::Eq, text("gasto"), None),
            (Field::Account, Op::Eq, number("1"), Some(Condition::Account(AccountId(1)))),
            (Field::Account, Op::Eq, number("2"), None),
            (Field::Account, Op::Eq, text("1"), None),
            (Field::Day, Op::Between, list(&[number("1"), number("31")]), Some(Condition::Day(1, 31))),
            (Field::Day, Op::Between, list(&[number("0"), number("31")]), None),
            (Field::Day, Op::Between, list(&[number("1"), number("32")]), None),
            (Field::Day, Op::Between, ValueInput::Other, None),
        ] {
            let condition = ConditionInput { field: Some(field), op: Some(op), value: Some(value.clone()) };
            let found = checked(input(condition)).map(|rule| rule.conditions);
            let expected = expected.map(|condition| vec![condition]);
            assert_eq!(found, expected.ok_or(vec!["conditions[0].value".to_string()]), "{field:?} {op:?} {value:?}");
        }
    }

    #[test]
    fn an_op_must_be_one_of_the_field() {
        for field in Field::ALL {
            for op in Op::ALL.iter().filter(|op| !ops(*field).contains(op)) {
                let condition = ConditionInput { field: Some(*field), op: Some(*op), value: Some(text("a")) };
                assert_eq!(checked(input(condition)).unwrap_err(), ["conditions[0].op"], "{field:?} {op:?}");
            }
        }
    }

    #[test]
    fn everything_that_is_missing_or_too_much_is_told_at_once() {
        let condition = || ConditionInput {
            field: Some(Field::Kind),
            op: Some(Op::Eq),
            value: Some(ValueInput::from(Kind::Income)),
        };
        let action = |kind| Some(ActionInput { kind: Some(kind), ..ActionInput::default() });
        let with = |actions| RuleInput { actions: Some(actions), ..input(condition()) };
        for (input, fields) in [
            (RuleInput::default(), vec!["name", "conditions", "actions"]),
            (input(ConditionInput::default()), vec!["conditions[0].field", "conditions[0].op", "conditions[0].value"]),
            (RuleInput { conditions: Some(vec![Some(condition()); 11]), ..input(condition()) }, vec!["conditions"]),
            (with(vec![]), vec!["actions"]),
            (with(vec![action(ActionKind::SetCategory)]), vec!["actions[0].category_id"]),
            (with(vec![action(ActionKind::Rename)]), vec!["actions[0].description"]),
            (with(vec![action(ActionKind::AddTag)]), vec!["actions[0].tag"]),
            (with(vec![action(ActionKind::Skip), action(ActionKind::Skip)]), vec!["actions[1].action"]),
            (RuleInput { position: Some(-1), ..input(condition()) }, vec!["position"]),
        ] {
            assert_eq!(checked(input).unwrap_err(), fields);
        }
        let rule = checked(input(condition())).unwrap();
        assert_eq!((rule.position, rule.is_enabled, rule.matching), (7, true, Matching::All));
    }
}
