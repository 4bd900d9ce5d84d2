//! `/api/accounts/{id}/anchors`: what an account held at the end of days.

use actix_web::web::{Json, Path};
use actix_web::{HttpRequest, delete, get, post, put};
use finance_domain::anchors::{AnchorSource, Check, Suspect, SuspectKind};
use finance_domain::month::parse_date;
use finance_domain::use_cases::anchors::{self, AnchorInput, Examined};
use finance_domain::{AccountId, FieldErrors, Money, Repo};
use serde::{Deserialize, Serialize};
use time::Date;
use utoipa::ToSchema;

use crate::extract::authenticated::Authenticated;
use crate::extract::body::Body;
use crate::extract::idempotency::Idempotent;
use crate::extract::json::Field;
use crate::extract::query::{PageQuery, Params};
use crate::page::Page;
use crate::problem::{Problem, Reply};
use crate::routes::transactions::{KindView, TransactionView, created_transaction};
use crate::service::Shared;
use crate::views::{DateView, MoneyInput, MoneyView, no_content};
use crate::words::WordView;

type SourceView = WordView<AnchorSource>;
type SuspectKindView = WordView<SuspectKind>;

/// What an account held at the end of a day.
#[derive(Deserialize, ToSchema)]
pub(crate) struct AnchorBody {
    /// From -9999999999.99 to 9999999999.99. Below 0 if money is owed.
    #[schema(value_type = MoneyInput)]
    amount: Field<Money>,
}

/// What an account held at the end of a day, compared with its rows.
#[derive(Serialize, ToSchema)]
#[schema(as = Anchor)]
pub(crate) struct AnchorView {
    account_id: i64,
    date: DateView,
    /// What the account held. Below 0 if money is owed.
    amount: MoneyView,
    source: SourceView,
    /// The import whose file says it; null if a person does.
    import_id: Option<i64>,
    /// What the rows up to that day come to. An opening balance that follows an anchor counts whatever its date.
    computed: MoneyView,
    /// `amount` minus `computed`: what the rows lack.
    difference: MoneyView,
    /// Whether the opening balance follows it.
    is_followed: bool,
}

impl AnchorView {
    fn new(account_id: AccountId, check: Check) -> Self {
        AnchorView {
            account_id: account_id.0,
            date: DateView(check.anchor.date),
            amount: MoneyView(check.anchor.amount),
            source: check.anchor.source().into(),
            import_id: check.anchor.import_id.map(|id| id.0),
            computed: MoneyView(check.computed),
            difference: MoneyView(check.difference()),
            is_followed: check.is_followed,
        }
    }
}

impl From<(AccountId, Check)> for AnchorView {
    fn from((account_id, check): (AccountId, Check)) -> Self {
        AnchorView::new(account_id, check)
    }
}

/// An anchor with the rows that may be the cause of its difference.
#[derive(Serialize, ToSchema)]
#[schema(as = ExaminedAnchor)]
pub(crate) struct ExaminedView {
    #[serde(flatten)]
    anchor: AnchorView,
    /// At most five, from the days to the neighbouring anchor that agrees; empty if there is no difference.
    suspects: Vec<SuspectView>,
}

/// A row that may be the cause of a difference.
#[derive(Serialize, ToSchema)]
#[schema(as = Suspect)]
struct SuspectView {
    kind: SuspectKindView,
    /// The row; null if an import left it out.
    transaction_id: Option<i64>,
    /// The import that brought it, or left it out.
    import_id: Option<i64>,
    date: DateView,
    amount: MoneyView,
    #[serde(rename = "type")]
    row_kind: KindView,
    description: String,
}

impl From<Suspect> for SuspectView {
    fn from(suspect: Suspect) -> Self {
        SuspectView {
            kind: suspect.kind.into(),
            transaction_id: suspect.transaction_id.map(|id| id.0),
            import_id: suspect.import_id.map(|id| id.0),
            date: DateView(suspect.date),
            amount: MoneyView(suspect.amount),
            row_kind: suspect.row_kind.into(),
            description: suspect.description,
        }
    }
}

/// The day of an address that names an anchor. Text that is no date names none.
fn day(text: &str) -> Result<Date, Problem> {
    parse_date(text).map_err(|_| Problem::not_found("anchor"))
}

/// The anchors of an account that count, newest first. Of one day a person's counts, or else that of the latest import. A file's
/// counts while no later import has a row of its day, and one of 0.00 only while it agrees.
#[utoipa::path(tag = "accounts", operation_id = "anchors", params(PageQuery), responses((status = 200, body = [AnchorView],
    headers(("Link" = String, description = "The next page, with `rel=\"next\"`; absent on the last")))))]
#[get("/api/accounts/{id}/anchors")]
pub(crate) async fn list(
    service: Shared,
    user: Authenticated,
    request: HttpRequest,
    id: Path<i64>,
    query: Params<PageQuery>,
) -> Reply {
    let (before, limit) = query.value.after_place(|place| parse_date(place).ok())?;
    let id = AccountId(*id);
    let page = service.read(user.caller, move |repo| {
        let checks = anchors::list(repo, id, before, limit + 1)?;
        let rows = checks.into_iter().map(|check| (id, check)).collect();
        Page::new::<AnchorView, _>(rows, limit, |(_, last)| last.anchor.date.to_string())
    });
    Ok(page.await?.response(&request))
}

/// The anchor of a day, with the rows that may be the cause of its difference.
#[utoipa::path(tag = "accounts", operation_id = "anchor", responses((status = 200, body = ExaminedView)))]
#[get("/api/accounts/{id}/anchors/{date}")]
pub(crate) async fn get(service: Shared, user: Authenticated, path: Path<(i64, String)>) -> Reply<Json<ExaminedView>> {
    let (id, date) = (AccountId(path.0), day(&path.1)?);
    let Examined { check, suspects } = service.read(user.caller, move |repo| anchors::get(repo, id, date)).await?;
    let suspects = suspects.into_iter().map(SuspectView::from).collect();
    Ok(Json(ExaminedView { anchor: AnchorView::new(id, check), suspects }))
}

/// Says what the account held at the end of a day, not after today. The opening balance follows the first day that was said: it
/// becomes what the other rows lack. Every other day is a check of the rows.
#[utoipa::path(tag = "accounts", operation_id = "set_anchor", request_body = AnchorBody,
    responses((status = 200, body = AnchorView), (status = 409, description = "`ErrLimitReached`")))]
#[put("/api/accounts/{id}/anchors/{date}")]
pub(crate) async fn put(
    service: Shared,
    user: Authenticated,
    path: Path<(i64, String)>,
    body: Body<AnchorBody>,
) -> Reply<Json<AnchorView>> {
    let (id, context) = (AccountId(path.0), service.context());
    let mut errors = FieldErrors::default();
    let input = AnchorInput {
        date: errors.check("date", parse_date(&path.1)),
        amount: body.value.amount.take("amount", &mut errors),
        errors,
    };
    let check = service.write(user.caller, move |repo| anchors::put(repo, &context, id, input)).await?;
    Ok(Json(AnchorView::new(id, check)))
}

/// Deletes what a person said of a day. The opening balance follows the next day that was said; without one it stays as it is.
#[utoipa::path(tag = "accounts", operation_id = "delete_anchor", responses((status = 204)))]
#[delete("/api/accounts/{id}/anchors/{date}")]
pub(crate) async fn delete(service: Shared, user: Authenticated, path: Path<(i64, String)>) -> Reply {
    let (id, date, context) = (AccountId(path.0), day(&path.1)?, service.context());
    service.write(user.caller, move |repo| anchors::delete(repo, &context, id, date)).await?;
    Ok(no_content())
}

/// Ends the difference of a day by a transaction of it, which counts in the balance only; on a card it counts on its bills too, which
/// together owe the balance. The opening balance moves against every
/// row up to the day that it follows, so before that day the transaction is one of the next day, or there is one of each day.
#[utoipa::path(tag = "accounts", operation_id = "adjust_anchor", responses((status = 201, body = TransactionView),
    (status = 409, description = "`ErrLimitReached`"), (status = 422, description = "`ErrValidation`")))]
#[post("/api/accounts/{id}/anchors/{date}/adjust")]
pub(crate) async fn adjust(service: Shared, path: Path<(i64, String)>, Idempotent { post, .. }: Idempotent) -> Reply {
    let (id, date, context) = (AccountId(path.0), day(&path.1)?, service.context());
    let work = move |repo: &mut dyn Repo| anchors::adjust(repo, &context, id, date);
    post.write(&service, work, created_transaction).await
}
