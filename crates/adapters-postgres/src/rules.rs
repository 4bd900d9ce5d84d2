//! Rules, with their conditions and actions.

use std::collections::HashMap;

use diesel::prelude::*;
use finance_domain::rules::{Action, ActionKind, Condition, Field, Matching, NewRule, Op, Rule, RuleRepo, TextOp};
use finance_domain::transactions::Kind;
use finance_domain::{AccountId, CategoryId, Error, ProfileId, Result, RuleId};

use crate::constraints::error;
use crate::numeric::Hundredths;
use crate::repo::PgRepo;
use crate::schema::{rule_actions, rule_conditions, rules};
use crate::sql::Fetch;
use crate::words::StoredWord;

#[derive(Queryable, Selectable)]
#[diesel(table_name = rules)]
struct RuleRow {
    profile_id: i64,
    id: i64,
    name: String,
    position: i32,
    is_enabled: bool,
    matching: StoredWord<Matching>,
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = rule_conditions)]
struct ConditionRow {
    rule_id: i64,
    field: StoredWord<Field>,
    op: StoredWord<Op>,
    text: Option<String>,
    amount_min: Option<Hundredths>,
    amount_max: Option<Hundredths>,
    kind: Option<StoredWord<Kind>>,
    account_id: Option<i64>,
    day_first: Option<i16>,
    day_last: Option<i16>,
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = rule_actions)]
struct ActionRow {
    rule_id: i64,
    action: StoredWord<ActionKind>,
    category_id: Option<i64>,
    description: Option<String>,
    tag: Option<String>,
}

impl ConditionRow {
    /// The condition. A check of the table guarantees that the columns of its field are set.
    fn condition(self) -> Option<Condition> {
        Some(match self.field.0 {
            Field::Description => Condition::Description(self.op.0.as_str().parse::<TextOp>().ok()?, self.text?),
            Field::Amount => Condition::Amount {
                op: self.op.0,
                min: self.amount_min.map(Into::into),
                max: self.amount_max.map(Into::into),
            },
            Field::Kind => Condition::Kind(self.kind?.0),
            Field::Account => Condition::Account(AccountId(self.account_id?)),
            Field::Day => {
                let day = |day: Option<i16>| day.and_then(|day| u8::try_from(day).ok());
                Condition::Day(day(self.day_first)?, day(self.day_last)?)
            }
        })
    }
}

impl ActionRow {
    /// The action. A check of the table guarantees that its columns are set.
    fn action(self) -> Option<Action> {
        Some(match self.action.0 {
            ActionKind::SetCategory => Action::SetCategory(CategoryId(self.category_id?)),
            ActionKind::AddTag => Action::AddTag(self.tag?),
            ActionKind::Rename => Action::Rename(self.description?),
            ActionKind::MarkTransfer => Action::MarkTransfer,
            ActionKind::Skip => Action::Skip,
        })
    }
}

fn incomplete() -> Error {
    Error::Internal("a rule lacks a value".into())
}

impl PgRepo<'_> {
    /// The rules, in their order, with their conditions and actions.
    fn with_parts(&mut self, rows: Vec<RuleRow>) -> Result<Vec<Rule>> {
        if rows.is_empty() {
            return Ok(Vec::new());
        }
        let ids: Vec<i64> = rows.iter().map(|row| row.id).collect();
        let condition_rows: Vec<ConditionRow> = rule_conditions::table
            .filter(rule_conditions::profile_id.eq(self.profile_id.0))
            .filter(rule_conditions::rule_id.eq_any(&ids))
            .order((rule_conditions::rule_id, rule_conditions::position))
            .select(ConditionRow::as_select())
            .fetch(self.connection)?;
        let action_rows: Vec<ActionRow> = rule_actions::table
            .filter(rule_actions::profile_id.eq(self.profile_id.0))
            .filter(rule_actions::rule_id.eq_any(&ids))
            .order((rule_actions::rule_id, rule_actions::position))
            .select(ActionRow::as_select())
            .fetch(self.connection)?;
        let mut conditions: HashMap<i64, Vec<Condition>> = HashMap::new();
        for row in condition_rows {
            conditions.entry(row.rule_id).or_default().push(row.condition().ok_or_else(incomplete)?);
        }
        let mut actions: HashMap<i64, Vec<Action>> = HashMap::new();
        for row in action_rows {
            actions.entry(row.rule_id).or_default().push(row.action().ok_or_else(incomplete)?);
        }
        let rule = |row: RuleRow| Rule {
            id: RuleId(row.id),
            profile_id: ProfileId(row.profile_id),
            content: NewRule {
                name: row.name,
                position: row.position.into(),
                is_enabled: row.is_enabled,
                matching: row.matching.0,
                conditions: conditions.remove(&row.id).unwrap_or_default(),
                actions: actions.remove(&row.id).unwrap_or_default(),
            },
        };
        Ok(rows.into_iter().map(rule).collect())
    }

    /// Stores the conditions and actions of a rule that has none.
    fn insert_parts(&mut self, id: i64, new: &NewRule) -> Result<()> {
        let position = |at: usize| i16::try_from(at).unwrap_or(i16::MAX);
        let conditions: Vec<_> = new
            .conditions
            .iter()
            .enumerate()
            .map(|(at, condition)| {
                let (mut text, mut amounts, mut kind, mut account_id, mut days) =
                    (None, (None, None), None, None, None);
                match condition {
                    Condition::Description(_, compared) => text = Some(compared.as_str()),
                    Condition::Amount { min, max, .. } => amounts = (*min, *max),
                    Condition::Kind(of) => kind = Some(of.as_str()),
                    Condition::Account(id) => account_id = Some(id.0),
                    Condition::Day(first, last) => days = Some((i16::from(*first), i16::from(*last))),
                }
                (
                    rule_conditions::profile_id.eq(self.profile_id.0),
                    rule_conditions::rule_id.eq(id),
                    rule_conditions::position.eq(position(at)),
                    rule_conditions::field.eq(condition.field().as_str()),
                    rule_conditions::op.eq(condition.op().as_str()),
                    rule_conditions::text.eq(text),
                    rule_conditions::amount_min.eq(amounts.0.map(Hundredths::from)),
                    rule_conditions::amount_max.eq(amounts.1.map(Hundredths::from)),
                    rule_conditions::kind.eq(kind),
                    rule_conditions::account_id.eq(account_id),
                    rule_conditions::day_first.eq(days.map(|(first, _)| first)),
                    rule_conditions::day_last.eq(days.map(|(_, last)| last)),
                )
            })
            .collect();
        diesel::insert_into(rule_conditions::table).values(conditions).exec(self.connection)?;
        let actions: Vec<_> = new
            .actions
            .iter()
            .enumerate()
            .map(|(at, action)| {
                let (mut category_id, mut description, mut tag) = (None, None, None);
                match action {
                    Action::SetCategory(id) => category_id = Some(id.0),
                    Action::AddTag(text) => tag = Some(text.as_str()),
                    Action::Rename(text) => description = Some(text.as_str()),
                    Action::MarkTransfer | Action::Skip => {}
                }
                (
                    rule_actions::profile_id.eq(self.profile_id.0),
                    rule_actions::rule_id.eq(id),
                    rule_actions::position.eq(position(at)),
                    rule_actions::action.eq(action.kind().as_str()),
                    rule_actions::category_id.eq(category_id),
                    rule_actions::description.eq(description),
                    rule_actions::tag.eq(tag),
                )
            })
            .collect();
        diesel::insert_into(rule_actions::table).values(actions).exec(self.connection)
    }
}

fn place(new: &NewRule) -> i32 {
    i32::try_from(new.position).unwrap_or(i32::MAX)
}

fn stored(row: RuleRow, new: &NewRule) -> Rule {
    Rule { id: RuleId(row.id), profile_id: ProfileId(row.profile_id), content: new.clone() }
}

impl RuleRepo for PgRepo<'_> {
    fn rule_list(&mut self) -> Result<Vec<Rule>> {
        let rows = rules::table
            .filter(rules::profile_id.eq(self.profile_id.0))
            .order((rules::position, rules::id))
            .select(RuleRow::as_select())
            .fetch(self.connection)?;
        self.with_parts(rows)
    }

    fn rule_get(&mut self, id: RuleId) -> Result<Option<Rule>> {
        let row = rules::table.find((self.profile_id.0, id.0)).select(RuleRow::as_select());
        let row = row.fetch_if_any(self.connection)?;
        Ok(self.with_parts(row.into_iter().collect())?.pop())
    }

    fn rule_insert(&mut self, new: &NewRule) -> Result<Rule> {
        let row: RuleRow = diesel::insert_into(rules::table)
            .values((
                rules::profile_id.eq(self.profile_id.0),
                rules::name.eq(&new.name),
                rules::position.eq(place(new)),
                rules::is_enabled.eq(new.is_enabled),
                rules::matching.eq(new.matching.as_str()),
            ))
            .returning(RuleRow::as_returning())
            .fetch_one(self.connection)?;
        self.note_created("rules", [row.id])?;
        self.insert_parts(row.id, new)?;
        Ok(stored(row, new))
    }

    fn rule_update(&mut self, id: RuleId, new: &NewRule) -> Result<Option<Rule>> {
        self.touch("rules", "id = any($2)", &[id.0])?;
        self.watch("rule_conditions", "rule_id = any($2)", &[id.0])?;
        self.watch("rule_actions", "rule_id = any($2)", &[id.0])?;
        let row: Option<RuleRow> = diesel::update(rules::table.find((self.profile_id.0, id.0)))
            .set((
                rules::name.eq(&new.name),
                rules::position.eq(place(new)),
                rules::is_enabled.eq(new.is_enabled),
                rules::matching.eq(new.matching.as_str()),
            ))
            .returning(RuleRow::as_returning())
            .fetch_if_any(self.connection)?;
        let Some(row) = row else { return Ok(None) };
        diesel::delete(rule_conditions::table)
            .filter(rule_conditions::profile_id.eq(self.profile_id.0))
            .filter(rule_conditions::rule_id.eq(id.0))
            .exec(self.connection)?;
        diesel::delete(rule_actions::table)
            .filter(rule_actions::profile_id.eq(self.profile_id.0))
            .filter(rule_actions::rule_id.eq(id.0))
            .exec(self.connection)?;
        self.insert_parts(row.id, new)?;
        Ok(Some(stored(row, new)))
    }

    fn rule_delete(&mut self, id: RuleId) -> Result<bool> {
        self.touch_deleted("rules", "id = any($2)", &[id.0])?;
        let gone = diesel::delete(rules::table.find((self.profile_id.0, id.0))).execute(self.connection);
        Ok(gone.map_err(error)? > 0)
    }
}
