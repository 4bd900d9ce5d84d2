//! `/api/credit-bills`.

use actix_web::http::StatusCode;
use actix_web::web::{Json, Path};
use actix_web::{HttpRequest, delete, get, post, put};
use finance_domain::credit_bills::{BillFilter, BillPlace, BillStatus, CreditBill, DatesInput, PayInput};
use finance_domain::forecast::{BillAhead, MONTHS_DEFAULT, MONTHS_MAX};
use finance_domain::month::{COMPUTED_YEARS, parse_date_within};
use finance_domain::use_cases::{credit_bills, forecast};
use finance_domain::{AccountId, BillId, FieldErrors, Repo};
use serde::{Deserialize, Serialize};
use time::Date;
use utoipa::{IntoParams, ToSchema};

use crate::extract::authenticated::Authenticated;
use crate::extract::body::{Body, OptionalBody};
use crate::extract::idempotency::{Idempotent, answered};
use crate::extract::json::{Field, take_fields};
use crate::extract::query::{Param, Params};
use crate::page::Page;
use crate::problem::Reply;
use crate::service::Shared;
use crate::views::{DateInput, DateView, InstantView, MoneyView, no_content};
use crate::words::WordView;

/// A bill of a credit card.
#[derive(Serialize, ToSchema)]
#[schema(as = CreditBill)]
pub(crate) struct CreditBillView {
    id: i64,
    profile_id: i64,
    account_id: i64,
    period_start: DateView,
    /// The day before the bill closes.
    period_end: DateView,
    /// The day the bill closes. A purchase on that day is on the next bill, so it is the best day to buy.
    closing_date: DateView,
    due_date: DateView,
    /// What the bill before left to this one: above zero for a debt, below zero for a credit.
    previous: MoneyView,
    /// What was bought: expenses minus incomes of its rows, and `held`.
    total: MoneyView,
    /// The part of `total` that held statements ask for. It has no rows yet.
    held: MoneyView,
    /// The total that the bank printed when the bill closed. Null while it is open.
    statement: Option<MoneyView>,
    /// The payments that count on it.
    paid_amount: MoneyView,
    /// What it left to the next bill.
    carried: MoneyView,
    /// `previous` plus `total`, minus `paid_amount` and `carried`. Below zero on an open bill that is in credit.
    amount_due: MoneyView,
    status: BillStatusView,
    /// When it was last paid.
    paid_at: Option<InstantView>,
}

pub(crate) type BillStatusView = WordView<BillStatus>;

impl From<CreditBill> for CreditBillView {
    fn from(bill: CreditBill) -> Self {
        CreditBillView {
            id: bill.id.0,
            profile_id: bill.profile_id.0,
            account_id: bill.account_id.0,
            period_start: DateView(bill.period_start),
            period_end: DateView(bill.period_end),
            closing_date: DateView(bill.closing_date()),
            due_date: DateView(bill.due_date),
            previous: MoneyView(bill.entry.previous),
            total: MoneyView(bill.total()),
            held: MoneyView(bill.entry.held),
            statement: bill.entry.statement.map(MoneyView),
            paid_amount: MoneyView(bill.entry.paid_amount),
            carried: MoneyView(bill.entry.carried),
            amount_due: MoneyView(bill.amount_due()),
            status: bill.status().into(),
            paid_at: bill.entry.paid_at.map(InstantView),
        }
    }
}

/// Which bills to list.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct ListQuery {
    /// Bills of this card.
    #[param(value_type = Option<i64>)]
    account_id: Param,
    /// Bills with this status.
    #[param(value_type = Option<BillStatusView>)]
    status: Param,
    /// Rows per page, 1 to 1000; 100 if absent.
    #[param(value_type = Option<u32>, minimum = 1, maximum = 1000)]
    limit: Param,
    /// Where the page begins, from the `Link` of the previous page.
    #[param(value_type = Option<String>)]
    cursor: Param,
}

fn place(text: &str) -> Option<BillPlace> {
    let (date, id) = text.split_once('/')?;
    let period_start = parse_date_within(date, &COMPUTED_YEARS).ok()?;
    Some(BillPlace { period_start, id: BillId(id.parse().ok()?) })
}

/// The bills that match the filters, newest first. Bills of new periods are created first.
#[utoipa::path(tag = "credit bills", params(ListQuery), responses((status = 200, body = [CreditBillView],
    headers(("Link" = String, description = "The next page, with `rel=\"next\"`; absent on the last")))))]
#[get("/api/credit-bills")]
pub(crate) async fn list(
    service: Shared,
    user: Authenticated,
    request: HttpRequest,
    query: Params<ListQuery>,
) -> Reply {
    let mut errors = FieldErrors::default();
    let limit = query.value.limit.limit(&mut errors);
    let filter = BillFilter {
        account_id: query.value.account_id.account_id("account_id", &mut errors),
        status: query.value.status.read("status", &mut errors, str::parse),
        after: query.value.cursor.cursor(&mut errors, place),
        limit: limit + 1,
    };
    errors.into_result()?;
    let listed = service.read_today(user.caller, move |repo| credit_bills::list(repo, &filter)).await?;
    let page = Page::new::<CreditBillView, _>(listed, limit, |last| format!("{}/{}", last.period_start, last.id))?;
    Ok(page.response(&request))
}

/// Which upcoming bills to list.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct UpcomingQuery {
    /// Bills of this card.
    #[param(value_type = Option<i64>)]
    account_id: Param,
    /// How many bills per card, the open one included, 1 to 24; 12 if absent.
    #[param(value_type = Option<u32>, minimum = 1, maximum = 24)]
    months: Param,
}

/// A bill that is open or follows the open one.
#[derive(Serialize, ToSchema)]
#[schema(as = UpcomingBill)]
pub(crate) struct BillAheadView {
    account_id: i64,
    period_start: DateView,
    /// The day before the bill closes.
    period_end: DateView,
    due_date: DateView,
    /// What the bill before leaves to it; a credit is below zero.
    previous: MoneyView,
    /// What is paid on it already.
    paid_amount: MoneyView,
    /// The stored rows. On a bill after the open one, without instalments.
    posted: MoneyView,
    /// The coming instalments: projected ones, and on a bill after the open one also stored ones.
    installments: MoneyView,
    /// The coming recurring expenses on the card.
    recurring: MoneyView,
    /// What it is expected to ask for: `previous`, `posted`, `installments` and `recurring`, less `paid_amount`. A credit is below zero,
    /// and passed on to the next bill.
    total: MoneyView,
}

impl From<BillAhead> for BillAheadView {
    fn from(bill: BillAhead) -> Self {
        BillAheadView {
            account_id: bill.account_id.0,
            period_start: DateView(bill.period.start),
            period_end: DateView(bill.period.end),
            due_date: DateView(bill.period.due),
            previous: MoneyView(bill.previous),
            paid_amount: MoneyView(bill.paid_amount),
            posted: MoneyView(bill.posted),
            installments: MoneyView(bill.installments),
            recurring: MoneyView(bill.recurring),
            total: MoneyView(bill.total()),
        }
    }
}

/// The open bill of each card and those after it, by due date, then card. Bills of new periods are created first.
#[utoipa::path(tag = "credit bills", params(UpcomingQuery), responses((status = 200, body = [BillAheadView])))]
#[get("/api/credit-bills/upcoming")]
pub(crate) async fn upcoming(
    service: Shared,
    user: Authenticated,
    query: Params<UpcomingQuery>,
) -> Reply<Json<Vec<BillAheadView>>> {
    let mut errors = FieldErrors::default();
    let account_id = query.value.account_id.account_id("account_id", &mut errors);
    let months = query.value.months.count("months", &mut errors, MONTHS_MAX).unwrap_or(MONTHS_DEFAULT);
    errors.into_result()?;
    let context = service.context();
    let bills =
        service.read_today(user.caller, move |repo| forecast::upcoming(repo, &context, account_id, months)).await?;
    Ok(Json(bills.into_iter().map(BillAheadView::from).collect()))
}

/// A bill.
#[utoipa::path(tag = "credit bills", responses((status = 200, body = CreditBillView)))]
#[get("/api/credit-bills/{id}")]
pub(crate) async fn get(service: Shared, user: Authenticated, id: Path<i64>) -> Reply<Json<CreditBillView>> {
    let bill = service.read_today(user.caller, move |repo| credit_bills::get(repo, BillId(*id))).await?;
    Ok(Json(bill.into()))
}

/// When a bill closes and is due.
#[derive(Deserialize, ToSchema)]
pub(crate) struct DatesBody {
    /// The day the bill closes, up to half-way to the bills before and after it; by the card's closing day if absent or null.
    #[schema(value_type = Option<DateInput>)]
    closing_date: Field<Date>,
    /// The due date, at most 62 days after the bill closes; by the card's due day if absent or null.
    #[schema(value_type = Option<DateInput>)]
    due_date: Field<Date>,
}

/// Replaces the dates of a bill whose bank closes it on another day than the card's, or sets another due date. The card's rows
/// are assigned to its bills by the new dates. A following bill that has not begun by these dates is deleted, and returns when it
/// begins, unless a statement is held for it.
#[utoipa::path(tag = "credit bills", request_body = DatesBody, responses((status = 200, body = CreditBillView)))]
#[put("/api/credit-bills/{id}")]
pub(crate) async fn set_dates(
    service: Shared,
    user: Authenticated,
    id: Path<i64>,
    body: Body<DatesBody>,
) -> Reply<Json<CreditBillView>> {
    let mut errors = FieldErrors::default();
    let input = take_fields!(body.value, &mut errors => DatesInput { closing_date, due_date; errors });
    let context = service.context();
    let bill =
        service.write(user.caller, move |repo| credit_bills::set_dates(repo, &context, BillId(*id), input)).await?;
    Ok(Json(bill.into()))
}

/// How to pay a bill.
#[derive(Deserialize, ToSchema)]
pub(crate) struct PayBody {
    /// The account to transfer from. If absent, the payment is only recorded.
    #[schema(value_type = Option<i64>, minimum = 1)]
    account_id: Field<AccountId>,
    /// Today if absent.
    #[schema(value_type = Option<DateInput>)]
    date: Field<Date>,
}

/// Pays what is due on a bill.
#[utoipa::path(tag = "credit bills", request_body = Option<PayBody>, responses((status = 200, body = CreditBillView),
    (status = 409, description = "`ErrBillAlreadyPaid`, `ErrNothingToPay`, `ErrLimitReached`")))]
#[post("/api/credit-bills/{id}/pay")]
pub(crate) async fn pay(
    service: Shared,
    id: Path<i64>,
    Idempotent { post, body }: Idempotent<OptionalBody<PayBody>>,
) -> Reply {
    let mut errors = FieldErrors::default();
    let input = take_fields!(body.value, &mut errors => PayInput { account_id, date; errors });
    let context = service.context();
    let work = move |repo: &mut dyn Repo| credit_bills::pay(repo, &context, BillId(*id), input);
    post.write(&service, work, |bill| answered(StatusCode::OK, CreditBillView::from(bill))).await
}

/// Removes the payments of a bill, with the transactions that were made for them. Payments from statements stay.
#[utoipa::path(tag = "credit bills",
    responses((status = 200, body = CreditBillView), (status = 409, description = "`ErrBillNotPaid`, `ErrPaidByStatement`")))]
#[post("/api/credit-bills/{id}/unpay")]
pub(crate) async fn unpay(service: Shared, id: Path<i64>, idempotent: Idempotent) -> Reply {
    let context = service.context();
    let work = move |repo: &mut dyn Repo| credit_bills::unpay(repo, &context, BillId(*id));
    idempotent.post.write(&service, work, |bill| answered(StatusCode::OK, CreditBillView::from(bill))).await
}

/// Forgets what an upgrade changed on the bills of all cards (`changed_bill` of accounts), because somebody has read it.
#[utoipa::path(tag = "credit bills", responses((status = 204)))]
#[delete("/api/credit-bills/changed")]
pub(crate) async fn forget_changed(service: Shared, user: Authenticated) -> Reply {
    service.write(user.caller, |repo| repo.changed_bills_forget()).await?;
    Ok(no_content())
}
