//! `/api/recurring`.

mod item;

use actix_web::http::StatusCode;
use actix_web::web::{Json, Path};
use actix_web::{HttpRequest, delete, get, post, put};
use finance_domain::month::parse_date;
use finance_domain::recurring::{Code, CodeKind, ConfirmInput, Detected, Draft, PriceChange, RecurringState, Template};
use finance_domain::use_cases::recurring::{self, Accepted, LinkInput, ListedOccurrence, Which};
use finance_domain::{AccountId, Context, FieldErrors, Money, Month, RecurringId, Repo, TransactionId};
use serde::{Deserialize, Serialize};
use time::Date;
use utoipa::{IntoParams, ToSchema};

pub(crate) use self::item::RecurringView;
use self::item::{OccurrenceView, RecurringBody, ScheduleView};
use crate::extract::authenticated::Authenticated;
use crate::extract::body::{Body, OptionalBody};
use crate::extract::idempotency::{Idempotent, answered, created, nothing};
use crate::extract::json::{Field, Ids, take_fields};
use crate::extract::query::{DueQuery, MonthQuery, PageQuery, Param, Params};
use crate::page::Page;
use crate::problem::Reply;
use crate::routes::transactions::{KindView, TransactionView, created_transaction};
use crate::service::{Service, Shared};
use crate::views::{DateInput, DateView, MoneyInput, MoneyView, no_content};
use crate::words::WordView;

/// All recurring items with their status in a month, ordered by day.
#[utoipa::path(tag = "recurring", params(MonthQuery), responses((status = 200, body = [RecurringView])))]
#[get("/api/recurring")]
pub(crate) async fn list(
    service: Shared,
    user: Authenticated,
    query: Params<MonthQuery>,
) -> Reply<Json<Vec<RecurringView>>> {
    let context = service.context();
    let month = query.value.month_or(context.today)?;
    let states = service.read(user.caller, move |repo| recurring::list(repo, &context, month)).await?;
    Ok(Json(states.into_iter().map(RecurringView::from).collect()))
}

/// Creates an item.
#[utoipa::path(tag = "recurring", params(MonthQuery), request_body = RecurringBody,
    responses((status = 201, body = RecurringView), (status = 409, description = "`ErrLimitReached`")))]
#[post("/api/recurring")]
pub(crate) async fn create(
    service: Shared,
    query: Params<MonthQuery>,
    Idempotent { post, body }: Idempotent<Body<RecurringBody>>,
) -> Reply {
    let (context, mut errors) = (service.context(), FieldErrors::default());
    let month = query.value.month(context.today, &mut errors);
    let input = body.value.into_input(errors);
    let work = move |repo: &mut dyn Repo| recurring::create(repo, &context, input, month);
    post.write(&service, work, |state| created(format!("/api/recurring/{}", state.item.id), RecurringView::from(state)))
        .await
}

/// A recurring item with its status in a month.
#[utoipa::path(tag = "recurring", params(MonthQuery), responses((status = 200, body = RecurringView)))]
#[get("/api/recurring/{id}")]
pub(crate) async fn get(
    service: Shared,
    user: Authenticated,
    id: Path<i64>,
    query: Params<MonthQuery>,
) -> Reply<Json<RecurringView>> {
    let context = service.context();
    let month = query.value.month_or(context.today)?;
    let state = service.read(user.caller, move |repo| recurring::get(repo, &context, RecurringId(*id), month)).await?;
    Ok(Json(state.into()))
}

/// Replaces an item's own fields. What was said of a due stays while the item has that due.
#[utoipa::path(tag = "recurring", params(MonthQuery), request_body = RecurringBody,
    responses((status = 200, body = RecurringView), (status = 409, description = "`ErrLimitReached`")))]
#[put("/api/recurring/{id}")]
pub(crate) async fn update(
    service: Shared,
    user: Authenticated,
    id: Path<i64>,
    query: Params<MonthQuery>,
    body: Body<RecurringBody>,
) -> Reply<Json<RecurringView>> {
    let (context, mut errors) = (service.context(), FieldErrors::default());
    let month = query.value.month(context.today, &mut errors);
    let input = body.value.into_input(errors);
    let work = move |repo: &mut dyn Repo| recurring::update(repo, &context, RecurringId(*id), input, month);
    let state = service.write(user.caller, work).await?;
    Ok(Json(state.into()))
}

/// Deletes an item; the transactions made for it stay.
#[utoipa::path(tag = "recurring", responses((status = 204)))]
#[delete("/api/recurring/{id}")]
pub(crate) async fn delete(service: Shared, user: Authenticated, id: Path<i64>) -> Reply {
    service.write(user.caller, move |repo| recurring::delete(repo, RecurringId(*id))).await?;
    Ok(no_content())
}

/// How to confirm an expected income.
#[derive(Deserialize, ToSchema)]
#[schema(as = RecurringConfirmBody)]
pub(crate) struct ConfirmBody {
    /// The item's own if absent.
    #[schema(value_type = Option<MoneyInput>)]
    amount: Field<Money>,
    /// A date in the month. If absent: today if that is in the month, else the item's day.
    #[schema(value_type = Option<DateInput>)]
    date: Field<Date>,
    /// The item's own if absent.
    #[schema(value_type = Option<i64>, minimum = 1)]
    account_id: Field<AccountId>,
}

/// Confirms an expected income: creates its transaction.
#[utoipa::path(tag = "recurring", params(DueQuery), request_body = Option<ConfirmBody>,
    responses((status = 201, body = TransactionView),
        (status = 409, description = "`ErrRecurringNotPending`, `ErrLimitReached`"),
        (status = 422, description = "`ErrValidation`, `ErrRecurringNotIncome`")))]
#[post("/api/recurring/{id}/confirm")]
pub(crate) async fn confirm(
    service: Shared,
    id: Path<i64>,
    query: Params<DueQuery>,
    Idempotent { post, body }: Idempotent<OptionalBody<ConfirmBody>>,
) -> Reply {
    let context = service.context();
    let mut errors = FieldErrors::default();
    let which = query.value.which(context.today, &mut errors);
    let is_known = errors.is_empty();
    let input = take_fields!(body.value, &mut errors => ConfirmInput { amount, date, account_id; errors });
    // Of a due that is not known nothing else can be said, such as that it is not pending.
    if !is_known {
        input.errors.clone().into_result()?;
    }
    let work = move |repo: &mut dyn Repo| recurring::confirm(repo, &context, RecurringId(*id), which, input);
    post.write(&service, work, created_transaction).await
}

/// Marks a pending due as late.
#[utoipa::path(tag = "recurring", params(DueQuery),
    responses((status = 200, body = RecurringView), (status = 409, description = "`ErrRecurringNotPending`")))]
#[post("/api/recurring/{id}/late")]
pub(crate) async fn late(service: Shared, id: Path<i64>, query: Params<DueQuery>, idempotent: Idempotent) -> Reply {
    mark(&service, idempotent, *id, query, recurring::late).await
}

/// Removes the late mark of a due.
#[utoipa::path(tag = "recurring", params(DueQuery),
    responses((status = 200, body = RecurringView), (status = 409, description = "`ErrRecurringNotLate`")))]
#[post("/api/recurring/{id}/unlate")]
pub(crate) async fn unlate(service: Shared, id: Path<i64>, query: Params<DueQuery>, idempotent: Idempotent) -> Reply {
    mark(&service, idempotent, *id, query, recurring::unlate).await
}

/// Marks a pending or late due as ignored.
#[utoipa::path(tag = "recurring", params(DueQuery),
    responses((status = 200, body = RecurringView), (status = 409, description = "`ErrRecurringNotPending`")))]
#[post("/api/recurring/{id}/ignore")]
pub(crate) async fn ignore(service: Shared, id: Path<i64>, query: Params<DueQuery>, idempotent: Idempotent) -> Reply {
    mark(&service, idempotent, *id, query, recurring::ignore).await
}

/// Removes the ignored mark of a due.
#[utoipa::path(tag = "recurring", params(DueQuery),
    responses((status = 200, body = RecurringView), (status = 409, description = "`ErrRecurringNotIgnored`")))]
#[post("/api/recurring/{id}/unignore")]
pub(crate) async fn unignore(service: Shared, id: Path<i64>, query: Params<DueQuery>, idempotent: Idempotent) -> Reply {
    mark(&service, idempotent, *id, query, recurring::unignore).await
}

/// Runs one of the use cases that mark a due.
async fn mark(
    service: &Service,
    idempotent: Idempotent,
    id: i64,
    query: Params<DueQuery>,
    noted: impl FnOnce(&mut dyn Repo, &Context, RecurringId, Which) -> finance_domain::Result<RecurringState>
    + Send
    + 'static,
) -> Reply {
    let context = service.context();
    let which = query.value.read(context.today)?;
    let work = move |repo: &mut dyn Repo| noted(repo, &context, RecurringId(id), which);
    idempotent.post.write(service, work, |state| answered(StatusCode::OK, RecurringView::from(state))).await
}

/// The transactions that cover a due.
#[derive(Deserialize, ToSchema)]
#[schema(as = RecurringLinkBody)]
pub(crate) struct LinkBody {
    /// Incomes for an income, expenses for an expense; neither transfers nor opening balances, nor of another due.
    #[serde(default)]
    #[schema(value_type = Vec<i64>, min_items = 1, max_items = 10)]
    transaction_ids: Ids,
}

/// Says which transactions cover a due, whatever their dates, amounts and categories. They replace those that were named before.
#[utoipa::path(tag = "recurring", params(DueQuery), request_body = LinkBody,
    responses((status = 200, body = RecurringView), (status = 409, description = "`ErrRecurringNotPending`")))]
#[post("/api/recurring/{id}/link")]
pub(crate) async fn link(
    service: Shared,
    id: Path<i64>,
    query: Params<DueQuery>,
    Idempotent { post, body }: Idempotent<Body<LinkBody>>,
) -> Reply {
    let context = service.context();
    let mut errors = FieldErrors::default();
    let which = query.value.which(context.today, &mut errors);
    let transaction_ids = body.value.transaction_ids.take_ids("transaction_ids", &mut errors, TransactionId);
    let input = LinkInput { transaction_ids, errors };
    let work = move |repo: &mut dyn Repo| recurring::link(repo, &context, RecurringId(*id), which, input);
    post.write(&service, work, |state| answered(StatusCode::OK, RecurringView::from(state))).await
}

/// Removes the links of a due.
#[utoipa::path(tag = "recurring", params(DueQuery),
    responses((status = 200, body = RecurringView), (status = 409, description = "`ErrRecurringNotLinked`")))]
#[post("/api/recurring/{id}/unlink")]
pub(crate) async fn unlink(service: Shared, id: Path<i64>, query: Params<DueQuery>, idempotent: Idempotent) -> Reply {
    mark(&service, idempotent, *id, query, recurring::unlink).await
}

/// A due in a list of the dues of all items.
#[derive(Serialize, ToSchema)]
#[schema(as = ListedRecurringOccurrence)]
pub(crate) struct ListedOccurrenceView {
    recurring_id: i64,
    #[serde(rename = "type")]
    kind: KindView,
    #[schema(example = "Aluguel")]
    description: String,
    category_id: i64,
    account_id: Option<i64>,
    #[serde(flatten)]
    occurrence: OccurrenceView,
}

impl From<ListedOccurrence> for ListedOccurrenceView {
    fn from(ListedOccurrence { item, occurrence }: ListedOccurrence) -> Self {
        ListedOccurrenceView {
            recurring_id: item.id.0,
            kind: item.kind.into(),
            description: item.description,
            category_id: item.category_id.0,
            account_id: item.account_id.map(|id| id.0),
            occurrence: occurrence.into(),
        }
    }
}

/// The days of a list of dues.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct OccurrencesQuery {
    /// The first day; if absent, the first of this month, or of that of `to`.
    #[param(value_type = Option<DateInput>, inline)]
    from: Param,
    /// The last day, at most 366 days in all; if absent, the last of this month, or of that of `from`.
    #[param(value_type = Option<DateInput>, inline)]
    to: Param,
}

/// The dues of all items that are expected on these days, by date.
#[utoipa::path(tag = "recurring", params(OccurrencesQuery, PageQuery),
    responses((status = 200, body = [ListedOccurrenceView],
        headers(("Link" = String, description = "The next page, with `rel=\"next\"`; absent on the last")))))]
#[get("/api/recurring/occurrences")]
pub(crate) async fn occurrences(
    service: Shared,
    request: HttpRequest,
    user: Authenticated,
    query: Params<OccurrencesQuery>,
    page: Params<PageQuery>,
) -> Reply {
    let context = service.context();
    let mut errors = FieldErrors::default();
    let from = query.value.from.read("from", &mut errors, parse_date);
    let to = query.value.to.read("to", &mut errors, parse_date);
    let (after, limit) = page.value.after(&mut errors, place);
    errors.into_result()?;
    let from_or = from.unwrap_or_else(|| Month::of(to.unwrap_or(context.today)).first_day());
    let to_or = to.unwrap_or_else(|| Month::of(from.unwrap_or(context.today)).last_day());
    let work = move |repo: &mut dyn Repo| {
        let rows = usize::try_from(limit).unwrap_or(usize::MAX).saturating_add(1);
        let found = recurring::occurrences(repo, &context, (from_or, to_or), after, rows)?;
        Page::new::<ListedOccurrenceView, _>(found, limit, |one| {
            let (date, id, due) = one.place();
            format!("{date} {id} {due}")
        })
    };
    Ok(service.read(user.caller, work).await?.response(&request))
}

/// The place in the list that a cursor names.
fn place(text: &str) -> Option<(Date, RecurringId, Date)> {
    let mut parts = text.split(' ');
    let date = parse_date(parts.next()?).ok()?;
    let id = parts.next()?.parse().ok()?;
    let due = parse_date(parts.next()?).ok()?;
    parts.next().is_none().then_some((date, RecurringId(id), due))
}

/// An item to be. Null is what is not known.
#[derive(Serialize, ToSchema)]
#[schema(as = RecurringDraft)]
pub(crate) struct DraftView {
    #[serde(rename = "type")]
    kind: KindView,
    #[schema(example = "IPVA")]
    description: Option<String>,
    amount: Option<MoneyView>,
    category_id: Option<i64>,
    account_id: Option<i64>,
    day: Option<u8>,
    #[serde(flatten)]
    schedule: ScheduleView,
}

impl From<Draft> for DraftView {
    fn from(draft: Draft) -> Self {
        DraftView {
            kind: draft.kind.into(),
            description: draft.description,
            amount: draft.amount.map(MoneyView),
            category_id: draft.category_id.map(|id| id.0),
            account_id: draft.account_id.map(|id| id.0),
            day: draft.day,
            schedule: draft.schedule.into(),
        }
    }
}

pub(crate) type CodeKindView = WordView<CodeKind>;

/// A code to read.
#[derive(Deserialize, ToSchema)]
#[schema(as = RecurringCodeBody)]
pub(crate) struct CodeBody {
    /// The line of a boleto (47 digits) or of a collection (48), or a Pix that is copied and pasted.
    #[schema(value_type = String, min_length = 1, max_length = 1000)]
    text: Field<String>,
}

/// What a code says.
#[derive(Serialize, ToSchema)]
#[schema(as = RecurringCode)]
pub(crate) struct CodeView {
    kind: CodeKindView,
    /// An expense that is due once.
    draft: DraftView,
}

/// Reads the code of a bill or of a Pix. Nothing is stored.
#[utoipa::path(tag = "recurring", request_body = CodeBody, responses((status = 200, body = CodeView)))]
#[post("/api/recurring/parse")]
pub(crate) async fn parse(service: Shared, Idempotent { post, body }: Idempotent<Body<CodeBody>>) -> Reply {
    let context = service.context();
    let mut errors = FieldErrors::default();
    let text = body.value.text.take("text", &mut errors);
    let work = move |_: &mut dyn Repo| recurring::parse(&context, text, errors);
    let answer = |code: Code| answered(StatusCode::OK, CodeView { kind: code.kind.into(), draft: code.draft.into() });
    post.write(&service, work, answer).await
}

/// What households often have, to begin with.
#[derive(Serialize, ToSchema)]
#[schema(as = RecurringTemplate)]
pub(crate) struct TemplateView {
    #[schema(example = "ipva")]
    key: String,
    #[schema(example = "IPVA")]
    name: String,
    /// They begin on the next such day. Their amounts are null.
    items: Vec<DraftView>,
}

/// Bills and incomes that households often have, to begin with.
#[utoipa::path(tag = "recurring", responses((status = 200, body = [TemplateView])))]
#[get("/api/recurring/templates")]
pub(crate) async fn templates(service: Shared, user: Authenticated) -> Reply<Json<Vec<TemplateView>>> {
    let context = service.context();
    let view = |(template, drafts): (&Template, Vec<Draft>)| TemplateView {
        key: template.key.clone(),
        name: template.name.clone(),
        items: drafts.into_iter().map(DraftView::from).collect(),
    };
    let work = move |_: &mut dyn Repo| Ok(recurring::templates(&context).into_iter().map(view).collect());
    Ok(Json(service.read(user.caller, work).await?))
}

/// The new price of an item.
#[derive(Serialize, ToSchema)]
#[schema(as = RecurringPriceChange)]
pub(crate) struct PriceChangeView {
    from: MoneyView,
    to: MoneyView,
    /// The day of the first row with the new price.
    since: DateView,
}

/// Something that was found in the history.
#[derive(Serialize, ToSchema)]
#[schema(as = RecurringSuggestion)]
pub(crate) struct SuggestionView {
    /// The same each time that it is found.
    id: String,
    /// The item to be, or the item with its new price.
    draft: DraftView,
    /// The day of its last row.
    last_on: DateView,
    /// The next day on which it is expected.
    next_on: Option<DateView>,
    /// Its rows, the oldest first.
    transaction_ids: Vec<i64>,
    /// The item whose price has changed; null if it would be a new item.
    recurring_id: Option<i64>,
    price_changed: Option<PriceChangeView>,
}

impl From<Detected> for SuggestionView {
    fn from(detected: Detected) -> Self {
        let price = |change: PriceChange| PriceChangeView {
            from: MoneyView(change.from),
            to: MoneyView(change.to),
            since: DateView(change.since),
        };
        SuggestionView {
            id: detected.id,
            draft: detected.draft.into(),
            last_on: DateView(detected.last_on),
            next_on: detected.next_on.map(DateView),
            transaction_ids: detected.transaction_ids.into_iter().map(|id| id.0).collect(),
            recurring_id: detected.price_changed.map(|(id, _)| id.0),
            price_changed: detected.price_changed.map(|(_, change)| price(change)),
        }
    }
}

/// What repeats in the last 37 months and is no item yet, and the items whose price has changed: at most 50, those that are expected
/// first.
#[utoipa::path(tag = "recurring", responses((status = 200, body = [SuggestionView])))]
#[get("/api/recurring/suggestions")]
pub(crate) async fn suggestions(service: Shared, user: Authenticated) -> Reply<Json<Vec<SuggestionView>>> {
    let context = service.context();
    let found = service.read(user.caller, move |repo| recurring::suggestions(repo, &context)).await?;
    Ok(Json(found.into_iter().map(SuggestionView::from).collect()))
}

/// Makes an item of a suggestion: 201. Fields of the body take the place of the suggested ones. Where the price of an item has changed,
/// gives the item its new amount, and a range of both: 200.
#[utoipa::path(tag = "recurring", request_body = Option<RecurringBody>,
    responses((status = 201, body = RecurringView), (status = 200, body = RecurringView),
        (status = 409, description = "`ErrLimitReached`")))]
#[post("/api/recurring/suggestions/{id}/accept")]
pub(crate) async fn accept(
    service: Shared,
    id: Path<String>,
    Idempotent { post, body }: Idempotent<OptionalBody<RecurringBody>>,
) -> Reply {
    let (input, context) = (body.value.into_input(FieldErrors::default()), service.context());
    let work = move |repo: &mut dyn Repo| recurring::accept(repo, &context, &id, input);
    let answer = |accepted| match accepted {
        Accepted::Created(state) => created(format!("/api/recurring/{}", state.item.id), RecurringView::from(state)),
        Accepted::Updated(state) => answered(StatusCode::OK, RecurringView::from(state)),
    };
    post.write(&service, work, answer).await
}

/// Says that a suggestion is none. It is not made again.
#[utoipa::path(tag = "recurring",
    responses((status = 204), (status = 409, description = "`ErrLimitReached`")))]
#[post("/api/recurring/suggestions/{id}/reject")]
pub(crate) async fn reject(service: Shared, id: Path<String>, idempotent: Idempotent) -> Reply {
    let context = service.context();
    let work = move |repo: &mut dyn Repo| recurring::reject(repo, &context, &id);
    idempotent.post.write(&service, work, |()| Ok(nothing())).await
}
