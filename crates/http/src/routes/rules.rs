//! `/api/rules`.

use std::borrow::Cow;

use actix_web::http::StatusCode;
use actix_web::web::{Json, Path};
use actix_web::{delete, get, post, put};
use finance_domain::rules::{
    Action, ActionInput, ActionKind, Condition, ConditionInput, Field as RuleField, Matching, Op, Rule, RuleInput,
    ValueInput,
};
use finance_domain::use_cases::rules::{self, ApplyInput, RuleChange, Tried};
use finance_domain::{CategoryId, FieldErrors, Repo, RuleId, Violation};
use serde::{Deserialize, Serialize, Serializer};
use time::Date;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ArrayBuilder, ObjectBuilder, OneOfBuilder, Schema, SchemaType, Type};
use utoipa::{PartialSchema, ToSchema};

use crate::extract::authenticated::Authenticated;
use crate::extract::body::{Body, OptionalBody};
use crate::extract::idempotency::{Idempotent, answered, created};
use crate::extract::json::{Field, FieldValue, FromJson, Ids, Objects, take_fields};
use crate::problem::Reply;
use crate::routes::transactions::TransactionView;
use crate::service::Shared;
use crate::views::{DateInput, no_content};
use crate::words::WordView;

type RuleFieldView = WordView<RuleField>;
type OpView = WordView<Op>;
type MatchingView = WordView<Matching>;
type ActionKindView = WordView<ActionKind>;

/// A rule to create, replace or try.
#[derive(Deserialize, ToSchema)]
pub(crate) struct RuleBody {
    #[schema(value_type = String, min_length = 1, max_length = 100, example = "Padarias")]
    name: Field<String>,
    /// Rules with a lower position apply first. If absent, a new rule goes last, and an existing rule keeps its position.
    #[schema(value_type = Option<i64>, minimum = 0, maximum = 1_000_000)]
    position: Field<i64>,
    /// True if absent. A rule that is not enabled does nothing.
    #[schema(value_type = Option<bool>)]
    enabled: Field<bool>,
    /// `all` if absent.
    #[serde(rename = "match")]
    #[schema(value_type = Option<MatchingView>)]
    matching: Field<Matching>,
    #[serde(default)]
    #[schema(value_type = Vec<ConditionBody>, min_items = 1, max_items = 10)]
    conditions: Objects<ConditionBody>,
    /// Each action at most once.
    #[serde(default)]
    #[schema(value_type = Vec<ActionBody>, min_items = 1, max_items = 5)]
    actions: Objects<ActionBody>,
}

/// A condition of a rule.
#[derive(Deserialize, ToSchema)]
#[schema(as = RuleConditionBody)]
struct ConditionBody {
    #[schema(value_type = RuleFieldView)]
    field: Field<RuleField>,
    /// For `description`: `contains`, `not_contains`, `starts_with`, `ends_with`, `equals`; for `amount`: `eq`, `gte`, `lte`,
    /// `between`; for `type` and `account_id`: `eq`; for `day`: `between`.
    #[schema(value_type = OpView)]
    op: Field<Op>,
    /// For `description`: a text of 1 to 100 characters, compared without case and accents. For `amount`: money. For `type`: a
    /// transaction type. For `account_id`: the id of an account. With `between`: an array of two bounds, both included: money, or
    /// days from 1 to 31.
    #[schema(value_type = ValueView)]
    value: Field<ValueInput>,
}

/// An action of a rule.
#[derive(Deserialize, ToSchema)]
#[schema(as = RuleActionBody)]
struct ActionBody {
    #[schema(value_type = ActionKindView)]
    action: Field<ActionKind>,
    /// Required with `set_category`.
    #[schema(value_type = Option<i64>, minimum = 1)]
    category_id: Field<CategoryId>,
    /// Required with `add_tag`.
    #[schema(value_type = Option<String>, min_length = 1, max_length = 30)]
    tag: Field<String>,
    /// Required with `rename`.
    #[schema(value_type = Option<String>, min_length = 1, max_length = 255)]
    description: Field<String>,
}

impl FromJson for ValueInput {
    fn from_json(value: FieldValue<'_>) -> Result<Self, Violation> {
        Ok(match value {
            FieldValue::Text(text) => ValueInput::Text(text.into_owned()),
            FieldValue::Number(digits) => ValueInput::Number(digits.to_string()),
            FieldValue::Nested(raw) if raw.starts_with('[') => {
                let values = Vec::<Field<ValueInput>>::from_json(FieldValue::Nested(raw))?;
                let value = |value| match value {
                    Field::Value(value) => Some(value),
                    Field::Absent | Field::Wrong(_) => None,
                };
                ValueInput::List(values.into_iter().map(value).collect())
            }
            FieldValue::Bool(_) | FieldValue::Nested(_) => ValueInput::Other,
        })
    }
}

impl RuleBody {
    fn into_input(self) -> RuleInput {
        let mut errors = FieldErrors::default();
        let name = self.name.take("name", &mut errors);
        let position = self.position.take("position", &mut errors);
        let is_enabled = self.enabled.take("enabled", &mut errors);
        let matching = self.matching.take("match", &mut errors);
        let conditions = self.conditions.take_objects(
            "conditions",
            &mut errors,
            |body, errors| take_fields!(body, errors => ConditionInput { field, op, value }),
        );
        let actions = self.actions.take_objects("actions", &mut errors, |body, errors| {
            take_fields!(body, errors => ActionInput { kind from action, category_id, tag, description })
        });
        RuleInput { name, position, is_enabled, matching, conditions, actions, errors }
    }
}

/// A rule: the actions for statement rows that meet its conditions. If several rules set the same thing, the first one applies.
#[derive(Serialize, ToSchema)]
#[schema(as = Rule)]
pub(crate) struct RuleView {
    id: i64,
    profile_id: i64,
    #[schema(example = "Padarias")]
    name: String,
    position: i64,
    enabled: bool,
    #[serde(rename = "match")]
    matching: MatchingView,
    conditions: Vec<ConditionView>,
    actions: Vec<ActionView>,
}

/// A condition of a rule.
#[derive(Serialize, ToSchema)]
#[schema(as = RuleCondition)]
struct ConditionView {
    field: RuleFieldView,
    op: OpView,
    value: ValueView,
}

/// An action of a rule.
#[derive(Serialize, ToSchema)]
#[schema(as = RuleAction)]
struct ActionView {
    action: ActionKindView,
    /// Present with `set_category`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    category_id: Option<i64>,
    /// Present with `add_tag`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    tag: Option<String>,
    /// Present with `rename`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    description: Option<String>,
}

/// The value of a condition.
enum ValueView {
    Text(String),
    Id(i64),
    Texts([String; 2]),
    Days([u8; 2]),
}

impl Serialize for ValueView {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            ValueView::Text(text) => text.serialize(serializer),
            ValueView::Id(id) => id.serialize(serializer),
            ValueView::Texts(texts) => texts.serialize(serializer),
            ValueView::Days(days) => days.serialize(serializer),
        }
    }
}

impl PartialSchema for ValueView {
    fn schema() -> RefOr<Schema> {
        let one = |of: Type| ObjectBuilder::new().schema_type(SchemaType::Type(of));
        let single = || OneOfBuilder::new().item(one(Type::String)).item(one(Type::Number));
        let pair = ArrayBuilder::new().items(single()).min_items(Some(2)).max_items(Some(2));
        single()
            .item(pair)
            .description(Some("A text, a number, or a pair of either, as the field and the comparison require."))
            .into()
    }
}

impl ToSchema for ValueView {
    fn name() -> Cow<'static, str> {
        "RuleValue".into()
    }
}

impl From<Condition> for ConditionView {
    fn from(condition: Condition) -> Self {
        let (field, op) = (condition.field().into(), condition.op().into());
        let value = match condition {
            Condition::Description(_, text) => ValueView::Text(text),
            Condition::Amount { op: Op::Between, min, max } => {
                ValueView::Texts([min, max].map(|bound| bound.unwrap_or_default().to_string()))
            }
            Condition::Amount { min, max, .. } => ValueView::Text(min.or(max).unwrap_or_default().to_string()),
            Condition::Kind(kind) => ValueView::Text(kind.as_str().to_string()),
            Condition::Account(id) => ValueView::Id(id.0),
            Condition::Day(first, last) => ValueView::Days([first, last]),
        };
        ConditionView { field, op, value }
    }
}

impl From<Action> for ActionView {
    fn from(action: Action) -> Self {
        let kind = action.kind().into();
        let mut view = ActionView { action: kind, category_id: None, tag: None, description: None };
        match action {
            Action::SetCategory(id) => view.category_id = Some(id.0),
            Action::AddTag(tag) => view.tag = Some(tag),
            Action::Rename(description) => view.description = Some(description),
            Action::MarkTransfer | Action::Skip => {}
        }
        view
    }
}

impl From<Rule> for RuleView {
    fn from(rule: Rule) -> Self {
        let content = rule.content;
        RuleView {
            id: rule.id.0,
            profile_id: rule.profile_id.0,
            name: content.name,
            position: content.position,
            enabled: content.is_enabled,
            matching: content.matching.into(),
            conditions: content.conditions.into_iter().map(ConditionView::from).collect(),
            actions: content.actions.into_iter().map(ActionView::from).collect(),
        }
    }
}

/// All rules, in the order in which they apply.
#[utoipa::path(tag = "rules", responses((status = 200, body = [RuleView])))]
#[get("/api/rules")]
pub(crate) async fn list(service: Shared, user: Authenticated) -> Reply<Json<Vec<RuleView>>> {
    let rules = service.read(user.caller, rules::list).await?;
    Ok(Json(rules.into_iter().map(RuleView::from).collect()))
}

/// Creates a rule. It applies to statements imported from then on.
#[utoipa::path(tag = "rules", request_body = RuleBody,
    responses((status = 201, body = RuleView), (status = 409, description = "`ErrLimitReached`")))]
#[post("/api/rules")]
pub(crate) async fn create(service: Shared, Idempotent { post, body }: Idempotent<Body<RuleBody>>) -> Reply {
    let input = body.value.into_input();
    let work = move |repo: &mut dyn Repo| rules::create(repo, input);
    post.write(&service, work, |rule| created(format!("/api/rules/{}", rule.id), RuleView::from(rule))).await
}

/// A rule.
#[utoipa::path(tag = "rules", responses((status = 200, body = RuleView)))]
#[get("/api/rules/{id}")]
pub(crate) async fn get(service: Shared, user: Authenticated, id: Path<i64>) -> Reply<Json<RuleView>> {
    let rule = service.read(user.caller, move |repo| rules::get(repo, RuleId(*id))).await?;
    Ok(Json(rule.into()))
}

/// Replaces a rule. Its past changes stay.
#[utoipa::path(tag = "rules", request_body = RuleBody, responses((status = 200, body = RuleView)))]
#[put("/api/rules/{id}")]
pub(crate) async fn update(
    service: Shared,
    user: Authenticated,
    id: Path<i64>,
    body: Body<RuleBody>,
) -> Reply<Json<RuleView>> {
    let input = body.value.into_input();
    let rule = service.write(user.caller, move |repo| rules::update(repo, RuleId(*id), input)).await?;
    Ok(Json(rule.into()))
}

/// Deletes a rule. Its past changes stay.
#[utoipa::path(tag = "rules", responses((status = 204)))]
#[delete("/api/rules/{id}")]
pub(crate) async fn delete(service: Shared, user: Authenticated, id: Path<i64>) -> Reply {
    service.write(user.caller, move |repo| rules::delete(repo, RuleId(*id))).await?;
    Ok(no_content())
}

/// What a rule would do to stored transactions.
#[derive(Serialize, ToSchema)]
#[schema(as = TriedRule)]
pub(crate) struct TriedView {
    /// How many stored transactions meet its conditions.
    matches: u64,
    /// The newest 20 of them.
    sample: Vec<SampleView>,
}

/// A transaction that meets the conditions of a rule.
#[derive(Serialize, ToSchema)]
#[schema(as = RuleSample)]
struct SampleView {
    #[serde(flatten)]
    transaction: TransactionView,
    changes: ChangeView,
}

/// What a rule would change in a transaction. Unchanged fields are absent.
#[derive(Serialize, ToSchema)]
#[schema(as = RuleChange)]
struct ChangeView {
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    category_id: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    description: Option<String>,
    /// The tags that are added.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tags: Vec<String>,
    /// True if it becomes a transfer whose other side is not kept here.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    is_transfer: Option<bool>,
}

impl From<RuleChange> for ChangeView {
    fn from(change: RuleChange) -> Self {
        ChangeView {
            category_id: change.category_id.map(|id| id.0),
            description: change.description,
            tags: change.tags,
            is_transfer: change.is_transfer.then_some(true),
        }
    }
}

impl From<Tried> for TriedView {
    fn from(tried: Tried) -> Self {
        let sample = tried
            .sample
            .into_iter()
            .map(|(transaction, change)| SampleView { transaction: transaction.into(), changes: change.into() });
        TriedView { matches: tried.matches, sample: sample.collect() }
    }
}

/// Tries an unsaved rule on all stored transactions, and changes nothing.
#[utoipa::path(tag = "rules", request_body = RuleBody, responses((status = 200, body = TriedView)))]
#[post("/api/rules/test")]
pub(crate) async fn test(service: Shared, Idempotent { post, body }: Idempotent<Body<RuleBody>>) -> Reply {
    let input = body.value.into_input();
    let work = move |repo: &mut dyn Repo| rules::test(repo, input);
    post.long().write(&service, work, |tried| answered(StatusCode::OK, TriedView::from(tried))).await
}

/// Which rules to apply, and to which transactions.
#[derive(Deserialize, ToSchema)]
pub(crate) struct ApplyBody {
    /// The rules to apply; all if absent. Disabled rules are not applied.
    #[serde(default)]
    #[schema(value_type = Option<Vec<i64>>, max_items = 200)]
    rule_ids: Ids,
    /// The first date; if absent, that of the first transaction.
    #[schema(value_type = Option<DateInput>)]
    from: Field<Date>,
    /// The last date; if absent, that of the last transaction.
    #[schema(value_type = Option<DateInput>)]
    to: Field<Date>,
    /// Whether to change only transactions without a category; true if absent.
    #[schema(value_type = Option<bool>)]
    only_uncategorized: Field<bool>,
}

/// How many transactions were changed.
#[derive(Serialize, ToSchema)]
#[schema(as = AppliedRules)]
pub(crate) struct AppliedView {
    changed: u64,
}

/// Applies the rules to stored transactions. A second run changes none. Legs of transfers stay as they are, transactions entered
/// by hand keep their description, and `skip` is for imports only.
#[utoipa::path(tag = "rules", request_body = ApplyBody, responses((status = 200, body = AppliedView)))]
#[post("/api/rules/apply")]
pub(crate) async fn apply(service: Shared, Idempotent { post, body }: Idempotent<OptionalBody<ApplyBody>>) -> Reply {
    let (body, mut errors) = (body.value, FieldErrors::default());
    let input = take_fields!(body, &mut errors => ApplyInput {
        from, to, only_uncategorized;
        rule_ids: body.rule_ids.take_ids("rule_ids", &mut errors, RuleId), errors
    });
    let context = service.context();
    let work = move |repo: &mut dyn Repo| rules::apply(repo, &context, input);
    post.long().write(&service, work, |changed| answered(StatusCode::OK, AppliedView { changed })).await
}
