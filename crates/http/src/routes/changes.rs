//! `/api/changes`: what was changed, by whom, and undoing it.

mod parts;

use actix_web::http::StatusCode;
use actix_web::web::Path;
use actix_web::{HttpRequest, get, post};
use finance_domain::changes::{Change, ChangeFilter, Count, Entry, Noun, Op, Parts, Values};
use finance_domain::export::Row;
use finance_domain::month::parse_date;
use finance_domain::use_cases::changes;
use finance_domain::{ChangeId, FieldErrors, MemberId, Repo, TransactionId, Violation};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::{IntoParams, ToSchema};

use crate::extract::authenticated::Authenticated;
use crate::extract::idempotency::{Idempotent, answered};
use crate::extract::query::{PageQuery, Param, Params};
use crate::page::Page;
use crate::problem::{Problem, Reply};
use crate::service::Shared;
use crate::views::{DateInput, InstantView};
use crate::words::WordView;

pub(crate) type NounView = WordView<Noun>;
pub(crate) type OpView = WordView<Op>;

/// How many rows of a noun a change created, changed and removed.
#[derive(Serialize, ToSchema)]
#[schema(as = ChangeCount)]
pub(crate) struct CountView {
    noun: NounView,
    created: u32,
    changed: u32,
    removed: u32,
}

impl From<Count> for CountView {
    fn from(Count { noun, created, changed, removed }: Count) -> Self {
        CountView { noun: noun.into(), created, changed, removed }
    }
}

/// What one request changed, or one posting of yield.
#[derive(Serialize, ToSchema)]
#[schema(as = Change)]
pub(crate) struct ChangeView {
    id: i64,
    at: InstantView,
    /// What was done.
    #[schema(example = "transactions.delete")]
    kind: String,
    /// The description or name of the one row, the file, or the month that was addressed; null if there was no such.
    subject: Option<String>,
    counts: Vec<CountView>,
    /// The `member_id` of who did it; null: the service.
    member_id: Option<i64>,
    /// The name of that member; null if it is gone.
    member_name: Option<String>,
    /// The id of the token with which it was done; null: a login.
    token_id: Option<i64>,
    /// The change that this one undid.
    undoes: Option<i64>,
    /// The change that undid this one.
    undone_by: Option<i64>,
}

impl From<Change> for ChangeView {
    fn from(change: Change) -> Self {
        ChangeView {
            id: change.id.0,
            at: InstantView(change.at),
            kind: change.kind,
            subject: change.subject,
            counts: change.counts.into_iter().map(CountView::from).collect(),
            member_id: change.member_id.map(|id| id.0),
            member_name: change.member_name,
            token_id: change.token_id.map(|id| id.0),
            undoes: change.undoes.map(|id| id.0),
            undone_by: change.undone_by.map(|id| id.0),
        }
    }
}

/// What a change did to a row.
#[derive(Serialize, ToSchema)]
#[schema(as = ChangeEntry)]
pub(crate) struct EntryView {
    noun: NounView,
    /// The row's id; null for settings.
    id: Option<i64>,
    op: OpView,
    /// The row's fields before; of a changed one those that changed. Null if it is new. Of what belongs to a row by month or day, such as
    /// budgets, marks and dates of bills, those that changed.
    #[schema(value_type = Option<Object>)]
    before: Option<Value>,
    /// The row's fields after; of a changed one those that changed. Null if it is gone.
    #[schema(value_type = Option<Object>)]
    after: Option<Value>,
}

impl From<Entry> for EntryView {
    fn from(entry: Entry) -> Self {
        let fields = |values: Option<Values>, rows: fn(&Parts) -> &[Row]| -> Option<Value> {
            let mut fields = parts::own(entry.noun, values?);
            entry.parts.iter().for_each(|of_table| parts::add(&mut fields, of_table.table, rows(of_table)));
            Some(Value::Object(fields))
        };
        let before = fields(entry.before, |parts| &parts.before);
        let after = fields(entry.after, |parts| &parts.after);
        EntryView { noun: entry.noun.into(), id: entry.id, op: entry.op.into(), before, after }
    }
}

/// A change with what is in the way of undoing it, and a page of what it did.
#[derive(Serialize, ToSchema)]
#[schema(as = ChangeDetails)]
pub(crate) struct DetailsView {
    #[serde(flatten)]
    change: ChangeView,
    /// The later changes that must be undone first, the newest first; at most 100.
    blocked_by: Vec<i64>,
    entries: Vec<EntryView>,
}

/// A change of a transaction, with what it did to it.
#[derive(Serialize, ToSchema)]
#[schema(as = TransactionChange)]
pub(crate) struct OfTransactionView {
    #[serde(flatten)]
    change: ChangeView,
    /// What it did to the transaction.
    entry: Option<EntryView>,
}

impl From<(Change, Option<Entry>)> for OfTransactionView {
    fn from((change, entry): (Change, Option<Entry>)) -> Self {
        OfTransactionView { change: change.into(), entry: entry.map(EntryView::from) }
    }
}

/// What an undo did.
#[derive(Serialize, ToSchema)]
#[schema(as = Undone)]
pub(crate) struct UndoneView {
    /// The change that the undo is, which can be undone itself.
    change_id: i64,
    /// The rows that came back.
    restored: u32,
    /// The rows that went.
    removed: u32,
    /// The rows that have their former values.
    changed: u32,
}

/// Which changes to list.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct ChangesQuery {
    /// Made on or after this day.
    #[param(value_type = Option<DateInput>, inline)]
    from: Param,
    /// Made on or before this day; not earlier than `from`.
    #[param(value_type = Option<DateInput>, inline)]
    to: Param,
    /// Made by this member.
    #[param(value_type = Option<i64>)]
    member_id: Param,
    /// That created, changed or removed this transaction.
    #[param(value_type = Option<i64>)]
    transaction_id: Param,
}

impl ChangesQuery {
    fn into_filter(self, page: PageQuery) -> Result<(ChangeFilter, u32), Problem> {
        let mut errors = FieldErrors::default();
        let filter = ChangeFilter {
            from: self.from.read("from", &mut errors, parse_date),
            to: self.to.read("to", &mut errors, parse_date),
            member_id: self.member_id.id("member_id", &mut errors).map(MemberId),
            transaction_id: self.transaction_id.id("transaction_id", &mut errors).map(TransactionId),
            ..ChangeFilter::default()
        };
        if let (Some(from), Some(to)) = (filter.from, filter.to)
            && to < from
        {
            errors.push("to", Violation::BeforeFrom);
        }
        let (before, limit) = page.after(&mut errors, |place| place.parse().ok());
        errors.into_result()?;
        Ok((ChangeFilter { before: before.map(ChangeId), limit: limit + 1, ..filter }, limit))
    }
}

/// What was changed, the newest first. A change is kept for some days, which the operator sets: 30 if nothing is set.
#[utoipa::path(tag = "changes", params(ChangesQuery, PageQuery), responses((status = 200, body = [ChangeView],
    headers(("Link" = String, description = "The next page, with `rel=\"next\"`; absent on the last")))))]
#[get("/api/changes")]
pub(crate) async fn list(
    service: Shared,
    user: Authenticated,
    request: HttpRequest,
    query: Params<ChangesQuery>,
    page: Params<PageQuery>,
) -> Reply {
    let (filter, limit) = query.value.into_filter(page.value)?;
    let since = service.history_since();
    let listed = service.read(user.caller, move |repo| {
        Page::new::<ChangeView, _>(changes::list(repo, &filter, since)?, limit, |last| last.id.to_string())
    });
    Ok(listed.await?.response(&request))
}

/// A change, with the later changes that are in the way of undoing it, and what it did, by row.
#[utoipa::path(tag = "changes", params(PageQuery), responses((status = 200, body = DetailsView,
    headers(("Link" = String, description = "The next page of entries, with `rel=\"next\"`; absent on the last")))))]
#[get("/api/changes/{id}")]
pub(crate) async fn get(
    service: Shared,
    user: Authenticated,
    request: HttpRequest,
    id: Path<i64>,
    query: Params<PageQuery>,
) -> Reply {
    let (after, limit) = query.value.after_place(|place| place.parse::<u32>().ok())?;
    let (id, since, after) = (ChangeId(*id), service.history_since(), after.unwrap_or_default());
    let found = service.read(user.caller, move |repo| {
        let mut found = changes::get(repo, id, since, after, limit + 1)?;
        let has_more = found.entries.len() > limit as usize;
        found.entries.truncate(limit as usize);
        let view = DetailsView {
            change: found.change.into(),
            blocked_by: found.blocked_by.iter().map(|id| id.0).collect(),
            entries: found.entries.into_iter().map(EntryView::from).collect(),
        };
        Page::of(&view, has_more.then(|| (after + limit).to_string()))
    });
    Ok(found.await?.response(&request))
}

/// Undoes a change: every row that it changed or removed is as it was, under its id, and what it created is gone. The undo is a
/// change too, and undoing that does the first again. No XP is taken or given. A later change that met one of the rows is in the
/// way: the problem's `changes` names those to undo first.
#[utoipa::path(tag = "changes", responses((status = 200, body = UndoneView),
    (status = 409, description = "`ErrAlreadyUndone`, `ErrChangedSince` with `changes`, `ErrLimitReached`")))]
#[post("/api/changes/{id}/undo")]
pub(crate) async fn undo(service: Shared, Idempotent { post, .. }: Idempotent, id: Path<i64>) -> Reply {
    let (id, since, context) = (ChangeId(*id), service.history_since(), service.context());
    let undo = move |repo: &mut dyn Repo| changes::undo(repo, &context, id, since);
    let answer = |(change_id, undone): (ChangeId, finance_domain::changes::Undone)| {
        let view = UndoneView {
            change_id: change_id.0,
            restored: undone.restored,
            removed: undone.removed,
            changed: undone.changed,
        };
        answered(StatusCode::OK, view)
    };
    post.long().write(&service, undo, answer).await
}

/// The changes of one transaction, the newest first, each with what it did to it. The transaction may be gone.
#[utoipa::path(tag = "changes", params(PageQuery), responses((status = 200, body = [OfTransactionView],
    headers(("Link" = String, description = "The next page, with `rel=\"next\"`; absent on the last")))))]
#[get("/api/transactions/{id}/changes")]
pub(crate) async fn of_transaction(
    service: Shared,
    user: Authenticated,
    request: HttpRequest,
    id: Path<i64>,
    query: Params<PageQuery>,
) -> Reply {
    let (before, limit) = query.value.after_id()?;
    let filter = ChangeFilter { before: before.map(ChangeId), limit: limit + 1, ..ChangeFilter::default() };
    let (id, since) = (TransactionId(*id), service.history_since());
    let listed = service.read(user.caller, move |repo| {
        let found = changes::of_transaction(repo, id, filter, since)?;
        Page::new::<OfTransactionView, _>(found, limit, |(last, _)| last.id.to_string())
    });
    Ok(listed.await?.response(&request))
}
