//! `/api/transactions`.

use actix_web::web::{Data, Json, Path};
use actix_web::{HttpRequest, HttpResponse, delete, get, post, put};
use finance_domain::idempotency::Answer;
use finance_domain::month::parse_date;
use finance_domain::text::normalized;
use finance_domain::transactions::{Kind, Source, Transaction, TransactionFilter, TransactionInput, TransactionPlace};
use finance_domain::use_cases::transactions;
use finance_domain::{AccountId, CategoryId, FieldErrors, Money, Repo, TransactionId};
use serde::{Deserialize, Serialize};
use time::Date;
use utoipa::{IntoParams, ToSchema};

use crate::extract::authenticated::Authenticated;
use crate::extract::body::Body;
use crate::extract::idempotency::{Idempotent, created};
use crate::extract::json::Field;
use crate::extract::query::{Param, Params};
use crate::page::Page;
use crate::problem::Problem;
use crate::service::Service;
use crate::views::{DateInput, DateView, InstantView, MoneyInput, MoneyView, MonthInput, no_content};
use crate::words::WordView;

/// The fields of a transaction to create or update.
#[derive(Deserialize, ToSchema)]
pub(crate) struct TransactionBody {
    /// The sign of the amount.
    #[serde(rename = "type")]
    #[schema(value_type = KindView)]
    kind: Field<Kind>,
    #[schema(value_type = Option<i64>, minimum = 1)]
    category_id: Field<CategoryId>,
    #[schema(value_type = Option<i64>, minimum = 1)]
    account_id: Field<AccountId>,
    #[schema(value_type = DateInput)]
    date: Field<Date>,
    /// Unique within the account.
    #[schema(value_type = Option<String>, max_length = 255)]
    external_id: Field<String>,
    #[schema(value_type = String, min_length = 1, max_length = 255, example = "Padaria")]
    description: Field<String>,
    /// Above 0, at most 9999999999.99.
    #[schema(value_type = MoneyInput)]
    amount: Field<Money>,
}

impl TransactionBody {
    fn into_input(self) -> TransactionInput {
        let mut errors = FieldErrors::default();
        TransactionInput {
            kind: self.kind.take("type", &mut errors),
            category_id: self.category_id.take("category_id", &mut errors),
            account_id: self.account_id.take("account_id", &mut errors),
            date: self.date.take("date", &mut errors),
            external_id: self.external_id.take("external_id", &mut errors),
            description: self.description.take("description", &mut errors),
            amount: self.amount.take("amount", &mut errors),
            errors,
        }
    }
}

/// Whether money came or went.
pub(crate) type KindView = WordView<Kind>;

/// Where a transaction came from.
pub(crate) type SourceView = WordView<Source>;

/// A transaction.
#[derive(Serialize, ToSchema)]
#[schema(as = Transaction)]
pub(crate) struct TransactionView {
    id: i64,
    profile_id: i64,
    /// The sign of the amount.
    #[serde(rename = "type")]
    kind: KindView,
    category_id: Option<i64>,
    account_id: Option<i64>,
    date: DateView,
    /// The purchase date of a card row that counts on its bill's payment date.
    original_date: Option<DateView>,
    external_id: Option<String>,
    source: SourceView,
    #[schema(example = "Padaria")]
    description: String,
    amount: MoneyView,
    transfer_id: Option<i64>,
    import_id: Option<i64>,
    created_at: InstantView,
}

impl From<Transaction> for TransactionView {
    fn from(transaction: Transaction) -> Self {
        TransactionView {
            id: transaction.id.0,
            profile_id: transaction.profile_id.0,
            kind: transaction.kind.into(),
            category_id: transaction.category_id.map(|id| id.0),
            account_id: transaction.account_id.map(|id| id.0),
            date: DateView(transaction.date),
            original_date: transaction.original_date.map(DateView),
            external_id: transaction.external_id,
            source: transaction.source.into(),
            description: transaction.description,
            amount: MoneyView(transaction.amount),
            transfer_id: transaction.transfer_id.map(|id| id.0),
            import_id: transaction.import_id.map(|id| id.0),
            created_at: InstantView(transaction.created_at),
        }
    }
}

/// Which transactions to list.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct ListQuery {
    /// Those dated in the month.
    #[param(value_type = Option<MonthInput>, inline)]
    month: Param,
    /// Those of the account.
    #[param(value_type = Option<i64>)]
    account_id: Param,
    /// Those of the category.
    #[param(value_type = Option<i64>)]
    category_id: Param,
    /// Those of the type.
    #[serde(rename = "type")]
    #[param(value_type = Option<KindView>)]
    kind: Param,
    /// Those whose description holds this text, whatever its case and accents.
    #[param(value_type = Option<String>)]
    q: Param,
    /// Rows of a page, 1 to 1000; 100 where absent.
    #[param(value_type = Option<u32>, minimum = 1, maximum = 1000)]
    limit: Param,
    /// Where the page begins, from the `Link` of the one before.
    #[param(value_type = Option<String>)]
    cursor: Param,
}

impl ListQuery {
    fn into_filter(self) -> Result<TransactionFilter, Problem> {
        let mut errors = FieldErrors::default();
        let filter = TransactionFilter {
            month: self.month.month("month", &mut errors),
            account_id: self.account_id.account_id("account_id", &mut errors),
            category_id: self.category_id.category_id("category_id", &mut errors),
            kind: self.kind.read("type", &mut errors, str::parse),
            description_part: self.q.read("q", &mut errors, searched),
            after: self.cursor.cursor(&mut errors, place),
            limit: self.limit.limit(&mut errors),
        };
        errors.into_result()?;
        Ok(filter)
    }
}

fn searched(text: &str) -> Result<String, &'static str> {
    if text.contains('\0') {
        return Err("must not hold a NUL character");
    }
    if text.chars().count() > finance_domain::text::DESCRIPTION_CHARS_MAX {
        return Err("must have at most 255 characters");
    }
    Ok(normalized(text))
}

/// A place in the list, as its cursor holds it.
fn place(text: &str) -> Option<TransactionPlace> {
    let (date, id) = text.split_once('/')?;
    Some(TransactionPlace { date: parse_date(date).ok()?, id: TransactionId(id.parse().ok()?) })
}

/// The transactions that pass the filters, newest first.
#[utoipa::path(tag = "transactions", params(ListQuery), responses((status = 200, body = [TransactionView],
    headers(("Link" = String, description = "The next page, with `rel=\"next\"`; absent on the last")))))]
#[get("/api/transactions")]
pub(crate) async fn list(
    service: Data<Service>,
    user: Authenticated,
    request: HttpRequest,
    query: Params<ListQuery>,
) -> Result<HttpResponse, Problem> {
    let filter = query.value.into_filter()?;
    let limit = filter.limit;
    // One more than the page holds tells whether there is another.
    let asked = TransactionFilter { limit: limit + 1, ..filter };
    let page = service.read(user.caller, move |repo| {
        Page::new::<TransactionView, _>(transactions::list(repo, &asked)?, limit, |last| {
            format!("{}/{}", last.date, last.id)
        })
    });
    Ok(page.await?.response(&request))
}

/// Creates a manual transaction.
#[utoipa::path(tag = "transactions", request_body = TransactionBody,
    responses((status = 201, body = TransactionView), (status = 409, description = "`ErrDuplicateExternalId`")))]
#[post("/api/transactions")]
pub(crate) async fn create(
    service: Data<Service>,
    Idempotent { post, body }: Idempotent<Body<TransactionBody>>,
) -> Result<HttpResponse, Problem> {
    let (input, context) = (body.value.into_input(), service.context());
    let work = move |repo: &mut dyn Repo| transactions::create(repo, &context, input);
    post.write(&service, work, created_transaction).await
}

/// 201 with a transaction and where it is.
pub(crate) fn created_transaction(transaction: Transaction) -> finance_domain::Result<Answer> {
    created(format!("/api/transactions/{}", transaction.id), TransactionView::from(transaction))
}

/// A transaction.
#[utoipa::path(tag = "transactions", responses((status = 200, body = TransactionView)))]
#[get("/api/transactions/{id}")]
pub(crate) async fn get(
    service: Data<Service>,
    user: Authenticated,
    id: Path<i64>,
) -> Result<Json<TransactionView>, Problem> {
    let transaction = service.read(user.caller, move |repo| transactions::get(repo, TransactionId(*id))).await?;
    Ok(Json(transaction.into()))
}

/// Replaces a transaction's own fields; its source, import and purchase date stay.
#[utoipa::path(tag = "transactions", request_body = TransactionBody, responses((status = 200, body = TransactionView),
    (status = 409, description = "`ErrTransferLeg`, `ErrDuplicateExternalId`")))]
#[put("/api/transactions/{id}")]
pub(crate) async fn update(
    service: Data<Service>,
    user: Authenticated,
    id: Path<i64>,
    body: Body<TransactionBody>,
) -> Result<Json<TransactionView>, Problem> {
    let input = body.value.into_input();
    let updated = service.write(user.caller, move |repo| transactions::update(repo, TransactionId(*id), input)).await?;
    Ok(Json(updated.into()))
}

/// Deletes a transaction; with one leg of a transfer goes the other.
#[utoipa::path(tag = "transactions", responses((status = 204)))]
#[delete("/api/transactions/{id}")]
pub(crate) async fn delete(
    service: Data<Service>,
    user: Authenticated,
    id: Path<i64>,
) -> Result<HttpResponse, Problem> {
    service.write(user.caller, move |repo| transactions::delete(repo, TransactionId(*id))).await?;
    Ok(no_content())
}

/// Which month to delete.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct DeleteQuery {
    /// The month.
    #[param(value_type = MonthInput, inline)]
    month: Param,
}

/// How many transactions are gone.
#[derive(Serialize, ToSchema)]
#[schema(as = Deleted)]
pub(crate) struct DeletedView {
    pub(crate) deleted: u64,
}

/// Deletes all transactions of a month.
#[utoipa::path(tag = "transactions", params(DeleteQuery), responses((status = 200, body = DeletedView)))]
#[delete("/api/transactions")]
pub(crate) async fn delete_month(
    service: Data<Service>,
    user: Authenticated,
    query: Params<DeleteQuery>,
) -> Result<Json<DeletedView>, Problem> {
    let mut errors = FieldErrors::default();
    let month = query.value.month.month("month", &mut errors);
    let month = errors.require("month", month);
    errors.into_result()?;
    let Some(month) = month else { return Ok(Json(DeletedView { deleted: 0 })) };
    let deleted = service.write(user.caller, move |repo| transactions::delete_month(repo, month)).await?;
    Ok(Json(DeletedView { deleted }))
}
