//! `/api/transfers`.

use actix_web::http::StatusCode;
use actix_web::web::{Json, Path};
use actix_web::{HttpRequest, delete, get, post};
use finance_domain::month::parse_date;
use finance_domain::transfers::{Confidence, Transfer, TransferInput, TransferKind};
use finance_domain::use_cases::transfer_detection::{self, DetectInput, Detected, DetectedTransfer};
use finance_domain::use_cases::transfer_links::{self, LinkInput, RejectInput, Unlinked};
use finance_domain::use_cases::transfer_suggestions::{self, SuggestedTransfer, SuggestionPlace};
use finance_domain::use_cases::transfers;
use finance_domain::{AccountId, BillId, FieldErrors, Money, Repo, TransactionId, TransferId};
use serde::{Deserialize, Serialize};
use time::Date;
use utoipa::{IntoParams, ToSchema};

use crate::extract::authenticated::Authenticated;
use crate::extract::body::{Body, OptionalBody};
use crate::extract::idempotency::{Idempotent, answered, created, nothing};
use crate::extract::json::{Field, take_fields};
use crate::extract::query::{PageQuery, Param, Params};
use crate::page::Page;
use crate::problem::Reply;
use crate::routes::transactions::TransactionView;
use crate::service::Shared;
use crate::views::{DateInput, MoneyInput, no_content};
use crate::words::WordView;

/// A transfer to create.
#[derive(Deserialize, ToSchema)]
pub(crate) struct TransferBody {
    #[schema(value_type = i64, minimum = 1)]
    from_account_id: Field<AccountId>,
    /// Another account than `from_account_id`.
    #[schema(value_type = i64, minimum = 1)]
    to_account_id: Field<AccountId>,
    /// Above 0, at most 9999999999.99.
    #[schema(value_type = MoneyInput)]
    amount: Field<Money>,
    #[schema(value_type = DateInput)]
    date: Field<Date>,
    /// `Transferência` if absent.
    #[schema(value_type = Option<String>, max_length = 255)]
    description: Field<String>,
}

impl TransferBody {
    fn into_input(self) -> TransferInput {
        let mut errors = FieldErrors::default();
        take_fields!(self, &mut errors => TransferInput {
            from_account_id, to_account_id, amount, date, description;
            errors
        })
    }
}

/// A transfer between own accounts: counted in balances, never as income or expense.
#[derive(Serialize, ToSchema)]
#[schema(as = Transfer)]
pub(crate) struct TransferView {
    id: i64,
    /// The expense on the source account.
    from: TransactionView,
    /// The income on the target account.
    to: TransactionView,
}

impl From<Transfer> for TransferView {
    fn from(transfer: Transfer) -> Self {
        TransferView { id: transfer.id.0, from: transfer.from.into(), to: transfer.to.into() }
    }
}

/// Creates a transfer: two transactions with the same `transfer_id`.
#[utoipa::path(tag = "transfers", request_body = TransferBody,
    responses((status = 201, body = TransferView), (status = 409, description = "`ErrLimitReached`")))]
#[post("/api/transfers")]
pub(crate) async fn create(service: Shared, Idempotent { post, body }: Idempotent<Body<TransferBody>>) -> Reply {
    let (input, context) = (body.value.into_input(), service.context());
    let work = move |repo: &mut dyn Repo| transfers::create(repo, &context, input);
    post.write(&service, work, |transfer| {
        created(format!("/api/transfers/{}", transfer.id), TransferView::from(transfer))
    })
    .await
}

/// A transfer.
#[utoipa::path(tag = "transfers", responses((status = 200, body = TransferView)))]
#[get("/api/transfers/{id}")]
pub(crate) async fn get(service: Shared, user: Authenticated, id: Path<i64>) -> Reply<Json<TransferView>> {
    let transfer = service.read(user.caller, move |repo| transfers::get(repo, TransferId(*id))).await?;
    Ok(Json(transfer.into()))
}

/// Deletes a transfer: deletes the transactions that were made for it, and unlinks others.
#[utoipa::path(tag = "transfers", responses((status = 204)))]
#[delete("/api/transfers/{id}")]
pub(crate) async fn delete(service: Shared, user: Authenticated, id: Path<i64>) -> Reply {
    let context = service.context();
    service.write(user.caller, move |repo| transfer_links::delete(repo, &context, TransferId(*id))).await?;
    Ok(no_content())
}

pub(crate) type TransferKindView = WordView<TransferKind>;
pub(crate) type ConfidenceView = WordView<Confidence>;

/// Two transactions that may be a transfer.
#[derive(Serialize, ToSchema)]
#[schema(as = TransferSuggestion)]
pub(crate) struct SuggestionView {
    /// The expense.
    from: TransactionView,
    /// The income; null if the expense may pay a bill whose card has no row for the payment.
    to: Option<TransactionView>,
    /// The bill, if `to` is null.
    bill_id: Option<i64>,
    kind: TransferKindView,
}

impl From<SuggestedTransfer> for SuggestionView {
    fn from(suggested: SuggestedTransfer) -> Self {
        SuggestionView {
            from: suggested.from.into(),
            to: suggested.to.map(TransactionView::from),
            bill_id: suggested.bill_id.map(|id| id.0),
            kind: suggested.kind.into(),
        }
    }
}

/// A place in the list, as its cursor holds it.
fn place(text: &str) -> Option<SuggestionPlace> {
    let mut parts = text.split('/');
    let (date, id, number) = (parts.next()?, parts.next()?, parts.next()?);
    let date = parse_date(date).ok()?;
    Some(SuggestionPlace { date, from_id: TransactionId(id.parse().ok()?), number: number.parse().ok()? })
}

/// The stored transactions that may be transfers and are not linked, newest first.
#[utoipa::path(tag = "transfers", params(PageQuery), responses((status = 200, body = [SuggestionView],
    headers(("Link" = String, description = "The next page, with `rel=\"next\"`; absent on the last")))))]
#[get("/api/transfers/suggestions")]
pub(crate) async fn suggestions(
    service: Shared,
    user: Authenticated,
    request: HttpRequest,
    query: Params<PageQuery>,
) -> Reply {
    let (after, limit) = query.value.after_place(place)?;
    let context = service.context();
    let page = service.flow_today(user.caller, move |repo| {
        let count = limit as usize + 1;
        transfer_suggestions::suggestions(repo, &context, after, count)?.map(move |found| {
            Page::new::<SuggestionView, _>(found, limit, |last| {
                let SuggestionPlace { date, from_id, number } = last.place;
                format!("{date}/{from_id}/{number}")
            })
        })
    });
    Ok(page.await?.response(&request))
}

/// Two transactions, or a transaction and a bill, to link.
#[derive(Deserialize, ToSchema)]
pub(crate) struct LinkBody {
    /// An expense.
    #[schema(value_type = i64, minimum = 1)]
    from_id: Field<i64>,
    /// An income of the same amount on another account. Required without a `bill_id`.
    #[schema(value_type = Option<i64>, minimum = 1)]
    to_id: Field<i64>,
    /// A bill that the expense pays, in whole or in part, instead of `to_id`.
    #[schema(value_type = Option<i64>, minimum = 1)]
    bill_id: Field<i64>,
}

/// Links two transactions as a transfer, regardless of their dates, or an expense to the bill that it pays.
#[utoipa::path(tag = "transfers", request_body = LinkBody, responses((status = 201, body = TransferView),
    (status = 409,
        description = "`ErrTransferLeg`; for a bill `ErrBillAlreadyPaid`, `ErrNothingToPay`, `ErrLimitReached`")))]
#[post("/api/transfers/link")]
pub(crate) async fn link(service: Shared, Idempotent { post, body }: Idempotent<Body<LinkBody>>) -> Reply {
    let mut errors = FieldErrors::default();
    let input = LinkInput {
        from_id: body.value.from_id.take("from_id", &mut errors).map(TransactionId),
        to_id: body.value.to_id.take("to_id", &mut errors).map(TransactionId),
        bill_id: body.value.bill_id.take("bill_id", &mut errors).map(BillId),
        errors,
    };
    let context = service.context();
    let work = move |repo: &mut dyn Repo| transfer_links::link(repo, &context, input);
    post.write(&service, work, |transfer| {
        created(format!("/api/transfers/{}", transfer.id), TransferView::from(transfer))
    })
    .await
}

/// The transactions of a transfer that was unlinked.
#[derive(Serialize, ToSchema)]
#[schema(as = Unlinked)]
pub(crate) struct UnlinkedView {
    /// The expense.
    from: Option<TransactionView>,
    /// The income; null if it was made for the transfer and is now deleted.
    to: Option<TransactionView>,
}

/// Unlinks a transfer. Each transaction is classified by itself again, and the two are never linked automatically again.
#[utoipa::path(tag = "transfers", responses((status = 200, body = UnlinkedView),
    (status = 409, description = "`ErrTransferNotLinked`: both transactions were made for the transfer")))]
#[post("/api/transfers/{id}/unlink")]
pub(crate) async fn unlink(service: Shared, id: Path<i64>, idempotent: Idempotent) -> Reply {
    let context = service.context();
    let work = move |repo: &mut dyn Repo| transfer_links::unlink(repo, &context, TransferId(*id));
    let answer = |unlinked: Unlinked| {
        let view = TransactionView::from;
        answered(StatusCode::OK, UnlinkedView { from: unlinked.from.map(view), to: unlinked.to.map(view) })
    };
    idempotent.post.write(&service, work, answer).await
}

/// Two transactions that are not a transfer.
#[derive(Deserialize, ToSchema)]
pub(crate) struct RejectBody {
    /// An expense.
    #[schema(value_type = i64, minimum = 1)]
    from_id: Field<i64>,
    /// An income.
    #[schema(value_type = i64, minimum = 1)]
    to_id: Field<i64>,
}

/// Records that two transactions are not a transfer. They are neither linked automatically nor suggested again.
#[utoipa::path(tag = "transfers", request_body = RejectBody,
    responses((status = 204), (status = 409, description = "`ErrLimitReached`")))]
#[post("/api/transfers/reject")]
pub(crate) async fn reject(service: Shared, Idempotent { post, body }: Idempotent<Body<RejectBody>>) -> Reply {
    let mut errors = FieldErrors::default();
    let input = RejectInput {
        from_id: body.value.from_id.take("from_id", &mut errors).map(TransactionId),
        to_id: body.value.to_id.take("to_id", &mut errors).map(TransactionId),
        errors,
    };
    let work = move |repo: &mut dyn Repo| transfer_links::reject(repo, input);
    post.write(&service, work, |()| Ok(nothing())).await
}

/// The dates in which to look for transfers.
#[derive(Deserialize, ToSchema)]
pub(crate) struct DetectBody {
    /// The first date; if absent, that of the first transaction.
    #[schema(value_type = Option<DateInput>)]
    from: Field<Date>,
    /// The last date; if absent, that of the last transaction.
    #[schema(value_type = Option<DateInput>)]
    to: Field<Date>,
}

/// Whether to change anything, and what to return.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct DetectQuery {
    /// `true` returns what would be done and changes nothing.
    #[param(value_type = Option<bool>)]
    dry_run: Param,
    /// `true` returns the transfers too.
    #[param(value_type = Option<bool>)]
    transfers: Param,
}

/// What was found among the stored transactions.
#[derive(Serialize, ToSchema)]
#[schema(as = Detected)]
pub(crate) struct DetectedView {
    /// How many transfers are new.
    linked: usize,
    /// How many pairs are suggested.
    suggested: usize,
    /// The newest of the new transfers, newest first: at most 100. Absent if they were not requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    transfers: Option<Vec<DetectedTransferView>>,
}

impl From<Detected> for DetectedView {
    fn from(Detected { linked, suggested, transfers }: Detected) -> Self {
        let transfers = transfers.map(|all| all.into_iter().map(DetectedTransferView::from).collect());
        DetectedView { linked, suggested, transfers }
    }
}

/// A new transfer.
#[derive(Serialize, ToSchema)]
#[schema(as = DetectedTransfer)]
pub(crate) struct DetectedTransferView {
    /// Null if the other side is not kept here, and in a dry run.
    id: Option<i64>,
    /// The expense; null if it is not kept here.
    from: Option<TransactionView>,
    /// The income; null if it is not kept here, or is made for the transfer.
    to: Option<TransactionView>,
    /// The bill that is paid, if `to` is made for the transfer.
    bill_id: Option<i64>,
}

impl From<DetectedTransfer> for DetectedTransferView {
    fn from(transfer: DetectedTransfer) -> Self {
        let [from, to] = [transfer.from, transfer.to].map(|side| side.map(TransactionView::from));
        DetectedTransferView { id: transfer.id.map(|id| id.0), from, to, bill_id: transfer.bill_id.map(|id| id.0) }
    }
}

/// Links stored transactions that are certainly transfers. A second run links nothing.
#[utoipa::path(tag = "transfers", params(DetectQuery), request_body = Option<DetectBody>,
    responses((status = 200, body = DetectedView), (status = 409, description = "`ErrLimitReached`")))]
#[post("/api/transfers/detect")]
pub(crate) async fn detect(
    service: Shared,
    query: Params<DetectQuery>,
    Idempotent { post, body }: Idempotent<OptionalBody<DetectBody>>,
) -> Reply {
    let mut errors = FieldErrors::default();
    let dry_run = query.value.dry_run.flag("dry_run", &mut errors);
    let is_named = query.value.transfers.flag("transfers", &mut errors);
    let input = take_fields!(body.value, &mut errors => DetectInput {
        from, to;
        is_named: is_named.unwrap_or(false), errors
    });
    let context = service.context();
    let work = move |repo: &mut dyn Repo| match dry_run.unwrap_or(false) {
        true => transfer_detection::rehearse_detect(repo, &context, input),
        false => transfer_detection::detect(repo, &context, input),
    };
    let answer = |detected: Detected| answered(StatusCode::OK, DetectedView::from(detected));
    post.long().write(&service, work, answer).await
}
