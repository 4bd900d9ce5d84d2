//! `/api/transactions`.

use actix_web::http::StatusCode;
use actix_web::web::{Data, Json, Path};
use actix_web::{HttpRequest, HttpResponse, delete, get, post, put};
use finance_domain::idempotency::Answer;
use finance_domain::installments::Installment;
use finance_domain::month::parse_date;
use finance_domain::text::{DESCRIPTION_CHARS_MAX, normalized};
use finance_domain::transactions::{
    IdsInput, Kind, ReferenceChange, Source, Transaction, TransactionFilter, TransactionInput, TransactionPlace,
    TransactionSummary, UsedDescription,
};
use finance_domain::use_cases::transactions;
use finance_domain::{AccountId, BillId, CategoryId, FieldErrors, ImportId, Money, Repo, TransactionId, Violation};
use serde::{Deserialize, Serialize};
use time::Date;
use utoipa::{IntoParams, ToSchema};

use crate::extract::authenticated::Authenticated;
use crate::extract::body::Body;
use crate::extract::idempotency::{Idempotent, answered, created};
use crate::extract::json::{Change, Field, Ids};
use crate::extract::query::{PageQuery, Param, Params, ReferenceInput};
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
    /// On an update: whether it is a transfer whose other side is not kept here. It stays as it is where absent.
    #[schema(value_type = Option<bool>)]
    is_transfer: Field<bool>,
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
            is_transfer: self.is_transfer.take("is_transfer", &mut errors),
            errors,
        }
    }
}

/// Whether money came or went.
pub(crate) type KindView = WordView<Kind>;

/// Where a transaction came from.
pub(crate) type SourceView = WordView<Source>;

/// Which instalment of a purchase a transaction is.
#[derive(Serialize, ToSchema)]
#[schema(as = Installment)]
pub(crate) struct InstallmentView {
    /// From 1 to `count`.
    #[schema(minimum = 1, maximum = 99, example = 3)]
    number: u8,
    #[schema(minimum = 2, maximum = 99, example = 10)]
    count: u8,
}

impl From<Installment> for InstallmentView {
    fn from(installment: Installment) -> Self {
        InstallmentView { number: installment.number, count: installment.count }
    }
}

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
    /// What the statement called it, where an edit has changed that; a statement is recognised by it.
    #[schema(example = "PADARIA PAO QUENTE 0034")]
    statement_description: Option<String>,
    amount: MoneyView,
    transfer_id: Option<i64>,
    import_id: Option<i64>,
    /// Whether it is a side of a transfer between own accounts, which is neither income nor expense. Its other side has the
    /// same `transfer_id`; where that is null, it is not kept here.
    is_transfer: bool,
    /// Which instalment it is, as its description says; null where it says nothing, and on every account but a card.
    installment: Option<InstallmentView>,
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
            statement_description: transaction.statement.description,
            amount: MoneyView(transaction.amount),
            transfer_id: transaction.transfer_id.map(|id| id.0),
            import_id: transaction.import_id.map(|id| id.0),
            is_transfer: transaction.is_transfer,
            installment: transaction.installment.map(InstallmentView::from),
            created_at: InstantView(transaction.created_at),
        }
    }
}

/// Which transactions are asked for: those that pass every filter that is given.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct FilterQuery {
    /// Transactions dated in the month.
    #[param(value_type = Option<MonthInput>, inline)]
    month: Param,
    /// Transactions dated on or after the day.
    #[param(value_type = Option<DateInput>, inline)]
    from: Param,
    /// Transactions dated on or before the day; not earlier than `from`.
    #[param(value_type = Option<DateInput>, inline)]
    to: Param,
    /// Transactions of the account; `none`: without an account.
    #[param(value_type = Option<ReferenceInput>, inline)]
    account_id: Param,
    /// Transactions of the category; `none`: without a category.
    #[param(value_type = Option<ReferenceInput>, inline)]
    category_id: Param,
    /// Transactions of the type.
    #[serde(rename = "type")]
    #[param(value_type = Option<KindView>)]
    kind: Param,
    /// Transactions of the source.
    #[param(value_type = Option<SourceView>)]
    source: Param,
    /// Transactions of the import.
    #[param(value_type = Option<i64>)]
    import_id: Param,
    /// Rows of the credit bill: those that its `total` sums.
    #[param(value_type = Option<i64>)]
    bill_id: Param,
    /// Transactions whose description, or the statement's own, contains this text; case and accents are ignored.
    #[param(value_type = Option<String>)]
    q: Param,
}

impl FilterQuery {
    fn into_filter(self, errors: &mut FieldErrors) -> TransactionFilter {
        let filter = TransactionFilter {
            month: self.month.month("month", errors),
            from: self.from.read("from", errors, parse_date),
            to: self.to.read("to", errors, parse_date),
            account: self.account_id.reference("account_id", errors).map(|account| account.map(AccountId)),
            category: self.category_id.reference("category_id", errors).map(|category| category.map(CategoryId)),
            kind: self.kind.read("type", errors, str::parse),
            source: self.source.read("source", errors, str::parse),
            import_id: self.import_id.id("import_id", errors).map(ImportId),
            bill_id: self.bill_id.id("bill_id", errors).map(BillId),
            description_part: self.q.read("q", errors, searched),
        };
        filter.check(errors);
        filter
    }
}

fn searched(text: &str) -> Result<String, Violation> {
    if text.contains('\0') {
        return Err(Violation::NulCharacter);
    }
    if text.chars().count() > finance_domain::text::DESCRIPTION_CHARS_MAX {
        return Err(Violation::TooLong { max: DESCRIPTION_CHARS_MAX as i64 });
    }
    Ok(normalized(text))
}

/// A place in the list, as its cursor holds it.
fn place(text: &str) -> Option<TransactionPlace> {
    let (date, id) = text.split_once('/')?;
    Some(TransactionPlace { date: parse_date(date).ok()?, id: TransactionId(id.parse().ok()?) })
}

/// The transactions that match the filters, newest first.
#[utoipa::path(tag = "transactions", params(FilterQuery, PageQuery), responses((status = 200, body = [TransactionView],
    headers(("Link" = String, description = "The next page, with `rel=\"next\"`; absent on the last")))))]
#[get("/api/transactions")]
pub(crate) async fn list(
    service: Data<Service>,
    user: Authenticated,
    request: HttpRequest,
    query: Params<FilterQuery>,
    page: Params<PageQuery>,
) -> Result<HttpResponse, Problem> {
    let mut errors = FieldErrors::default();
    let filter = query.value.into_filter(&mut errors);
    let (after, limit) = page.value.after(&mut errors, place);
    errors.into_result()?;
    let page = service.read(user.caller, move |repo| {
        // One more than the page holds tells whether there is another.
        let listed = transactions::list(repo, &filter, after, limit + 1)?;
        Page::new::<TransactionView, _>(listed, limit, |last| format!("{}/{}", last.date, last.id))
    });
    Ok(page.await?.response(&request))
}

/// What a list of transactions comes to.
#[derive(Serialize, ToSchema)]
#[schema(as = TransactionSummary)]
pub(crate) struct SummaryView {
    /// How many rows the list has, whatever they are.
    count: u64,
    /// Without transfers and opening balances.
    income: MoneyView,
    /// Without transfers and opening balances.
    expenses: MoneyView,
}

/// The number of transactions that match the filters, and their sums.
#[utoipa::path(tag = "transactions", params(FilterQuery), responses((status = 200, body = SummaryView)))]
#[get("/api/transactions/summary")]
pub(crate) async fn summary(
    service: Data<Service>,
    user: Authenticated,
    query: Params<FilterQuery>,
) -> Result<Json<SummaryView>, Problem> {
    let mut errors = FieldErrors::default();
    let filter = query.value.into_filter(&mut errors);
    errors.into_result()?;
    let summary = service.read(user.caller, move |repo| transactions::summary(repo, &filter)).await?;
    let TransactionSummary { count, income, expenses } = summary;
    Ok(Json(SummaryView { count, income: MoneyView(income), expenses: MoneyView(expenses) }))
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

/// Which transactions to change, and what of them.
#[derive(Deserialize, ToSchema)]
pub(crate) struct UpdateManyBody {
    /// The transactions' ids.
    #[serde(default)]
    #[schema(value_type = Vec<i64>, min_items = 1, max_items = 1_000)]
    ids: Ids,
    /// Their category; null: they have none. It stays where this is absent.
    #[serde(default)]
    #[schema(value_type = Option<i64>, minimum = 1)]
    category_id: Change<CategoryId>,
    /// Their account; null: they have none. It stays where this is absent.
    #[serde(default)]
    #[schema(value_type = Option<i64>, minimum = 1)]
    account_id: Change<AccountId>,
}

/// How many transactions were changed.
#[derive(Serialize, ToSchema)]
#[schema(as = Updated)]
pub(crate) struct UpdatedView {
    updated: usize,
}

/// Changes the category, the account or both of several transactions, all of them or none.
#[utoipa::path(tag = "transactions", request_body = UpdateManyBody, responses((status = 200, body = UpdatedView),
    (status = 409, description = "`ErrTransferLeg`, `ErrDuplicateExternalId`")))]
#[post("/api/transactions/update")]
pub(crate) async fn update_many(
    service: Data<Service>,
    Idempotent { post, body }: Idempotent<Body<UpdateManyBody>>,
) -> Result<HttpResponse, Problem> {
    let (body, mut errors) = (body.value, FieldErrors::default());
    let ids = body.ids.take("ids", &mut errors, TransactionId);
    let change = ReferenceChange {
        category: body.category_id.take("category_id", &mut errors),
        account: body.account_id.take("account_id", &mut errors),
    };
    let (input, context) = (IdsInput { ids, errors }, service.context());
    let work = move |repo: &mut dyn Repo| transactions::update_many(repo, &context, input, &change);
    post.write(&service, work, |updated| answered(StatusCode::OK, UpdatedView { updated })).await
}

/// Which transactions to delete.
#[derive(Deserialize, ToSchema)]
pub(crate) struct DeleteManyBody {
    /// The transactions' ids.
    #[serde(default)]
    #[schema(value_type = Vec<i64>, min_items = 1, max_items = 1_000)]
    ids: Ids,
}

/// Deletes several transactions, all of them or none. The other leg of a transfer is deleted too if this service made it,
/// and is counted.
#[utoipa::path(tag = "transactions", request_body = DeleteManyBody, responses((status = 200, body = DeletedView)))]
#[post("/api/transactions/delete")]
pub(crate) async fn delete_many(
    service: Data<Service>,
    Idempotent { post, body }: Idempotent<Body<DeleteManyBody>>,
) -> Result<HttpResponse, Problem> {
    let mut errors = FieldErrors::default();
    let ids = body.value.ids.take("ids", &mut errors, TransactionId);
    let (input, context) = (IdsInput { ids, errors }, service.context());
    let work = move |repo: &mut dyn Repo| transactions::delete_many(repo, &context, input);
    post.write(&service, work, |deleted| answered(StatusCode::OK, DeletedView { deleted })).await
}

/// Rows of a list of descriptions where the request names no limit.
const DESCRIPTIONS_DEFAULT: u32 = 10;
/// Rows of a list of descriptions at the most.
const DESCRIPTIONS_MAX: u32 = 100;

/// Which descriptions to complete from.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct DescriptionsQuery {
    /// Descriptions that contain this text, case and accents ignored; the newest where absent.
    #[param(value_type = Option<String>)]
    q: Param,
    /// How many, 1 to 100; 10 where absent.
    #[param(value_type = Option<u32>, minimum = 1, maximum = 100)]
    limit: Param,
}

/// A description, and what it was used with last.
#[derive(Serialize, ToSchema)]
#[schema(as = UsedDescription)]
pub(crate) struct UsedDescriptionView {
    #[schema(example = "Padaria")]
    description: String,
    #[serde(rename = "type")]
    kind: KindView,
    category_id: Option<i64>,
    account_id: Option<i64>,
}

impl From<UsedDescription> for UsedDescriptionView {
    fn from(used: UsedDescription) -> Self {
        UsedDescriptionView {
            description: used.description,
            kind: used.kind.into(),
            category_id: used.category_id.map(|id| id.0),
            account_id: used.account_id.map(|id| id.0),
        }
    }
}

/// Descriptions for completion, from the newest 10,000 transactions, each once, with its latest use. Those that begin
/// with the text come first, then the newest. Transfers and opening balances are left out.
#[utoipa::path(tag = "transactions", params(DescriptionsQuery),
    responses((status = 200, body = [UsedDescriptionView])))]
#[get("/api/transactions/descriptions")]
pub(crate) async fn descriptions(
    service: Data<Service>,
    user: Authenticated,
    query: Params<DescriptionsQuery>,
) -> Result<Json<Vec<UsedDescriptionView>>, Problem> {
    let mut errors = FieldErrors::default();
    let part = query.value.q.read("q", &mut errors, searched).unwrap_or_default();
    let limit = query.value.limit.count("limit", &mut errors, DESCRIPTIONS_MAX).unwrap_or(DESCRIPTIONS_DEFAULT);
    errors.into_result()?;
    let used = service.read(user.caller, move |repo| transactions::descriptions(repo, &part, limit)).await?;
    Ok(Json(used.into_iter().map(UsedDescriptionView::from).collect()))
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

/// Replaces a transaction's own fields; its source, import, purchase date and statement columns stay.
#[utoipa::path(tag = "transactions", request_body = TransactionBody, responses((status = 200, body = TransactionView),
    (status = 409, description = "`ErrTransferLeg`, `ErrDuplicateExternalId`")))]
#[put("/api/transactions/{id}")]
pub(crate) async fn update(
    service: Data<Service>,
    user: Authenticated,
    id: Path<i64>,
    body: Body<TransactionBody>,
) -> Result<Json<TransactionView>, Problem> {
    let (input, context) = (body.value.into_input(), service.context());
    let update = move |repo: &mut dyn Repo| transactions::update(repo, &context, TransactionId(*id), input);
    Ok(Json(service.write(user.caller, update).await?.into()))
}

/// Deletes a transaction. The other leg of a transfer is deleted too if this service made it.
#[utoipa::path(tag = "transactions", responses((status = 204)))]
#[delete("/api/transactions/{id}")]
pub(crate) async fn delete(
    service: Data<Service>,
    user: Authenticated,
    id: Path<i64>,
) -> Result<HttpResponse, Problem> {
    let context = service.context();
    service.write(user.caller, move |repo| transactions::delete(repo, &context, TransactionId(*id))).await?;
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
    let context = service.context();
    let deleted = service.write(user.caller, move |repo| transactions::delete_month(repo, &context, month)).await?;
    Ok(Json(DeletedView { deleted }))
}
