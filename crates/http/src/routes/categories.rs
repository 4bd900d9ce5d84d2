//! `/api/categories`.

use actix_web::web::{Data, Json, Path};
use actix_web::{HttpResponse, delete, get, post, put};
use finance_domain::categories::{Category, CategoryInput, TaxKind};
use finance_domain::use_cases::categories;
use finance_domain::{CategoryId, FieldErrors, Money, Repo, TimeLimit};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::extract::authenticated::Authenticated;
use crate::extract::body::Body;
use crate::extract::idempotency::{Idempotent, created};
use crate::extract::json::Field;
use crate::extract::query::{Param, Params};
use crate::problem::Problem;
use crate::service::Service;
use crate::views::{MoneyInput, MoneyView, no_content};
use crate::words::WordView;

/// The fields of a category to create or update.
#[derive(Deserialize, ToSchema)]
pub(crate) struct CategoryBody {
    /// 1 to 100 characters, unique in the profile regardless of case.
    #[schema(value_type = String, min_length = 1, max_length = 100, example = "Mercado")]
    name: Field<String>,
    /// Whether its expenses are taxes; false if absent.
    #[schema(value_type = Option<bool>, example = false)]
    is_tax: Field<bool>,
    /// The monthly budget; null for none.
    #[schema(value_type = Option<MoneyInput>)]
    monthly_budget: Field<Money>,
    /// How its expenses count in the yearly income tax return (IRPF); `none` if absent.
    #[schema(value_type = Option<TaxKindView>)]
    tax_kind: Field<TaxKind>,
}

/// How the expenses of a category count in the yearly income tax return.
pub(crate) type TaxKindView = WordView<TaxKind>;

impl CategoryBody {
    fn into_input(self) -> CategoryInput {
        let mut errors = FieldErrors::default();
        CategoryInput {
            name: self.name.take("name", &mut errors),
            is_tax: self.is_tax.take("is_tax", &mut errors),
            monthly_budget: self.monthly_budget.take("monthly_budget", &mut errors),
            tax_kind: self.tax_kind.take("tax_kind", &mut errors),
            errors,
        }
    }
}

/// A category.
#[derive(Serialize, ToSchema)]
#[schema(as = Category)]
pub(crate) struct CategoryView {
    id: i64,
    profile_id: i64,
    #[schema(example = "Mercado")]
    name: String,
    is_tax: bool,
    is_standard: bool,
    monthly_budget: Option<MoneyView>,
    tax_kind: TaxKindView,
}

impl From<Category> for CategoryView {
    fn from(category: Category) -> Self {
        CategoryView {
            id: category.id.0,
            profile_id: category.profile_id.0,
            name: category.name,
            is_tax: category.is_tax,
            is_standard: category.is_standard,
            monthly_budget: category.monthly_budget.map(MoneyView),
            tax_kind: category.tax_kind.into(),
        }
    }
}

/// All categories, by name.
#[utoipa::path(tag = "categories", responses((status = 200, body = [CategoryView])))]
#[get("/api/categories")]
pub(crate) async fn list(service: Data<Service>, user: Authenticated) -> Result<Json<Vec<CategoryView>>, Problem> {
    let categories = service.read(user.caller, categories::list).await?;
    Ok(Json(categories.into_iter().map(CategoryView::from).collect()))
}

/// Creates a category.
#[utoipa::path(tag = "categories", request_body = CategoryBody,
    responses((status = 201, body = CategoryView),
    (status = 409, description = "`ErrCategoryNameTaken`, `ErrLimitReached`")))]
#[post("/api/categories")]
pub(crate) async fn create(
    service: Data<Service>,
    Idempotent { post, body }: Idempotent<Body<CategoryBody>>,
) -> Result<HttpResponse, Problem> {
    let (input, context) = (body.value.into_input(), service.context());
    let work = move |repo: &mut dyn Repo| categories::create(repo, &context, input);
    post.write(&service, work, |category| {
        created(format!("/api/categories/{}", category.id), CategoryView::from(category))
    })
    .await
}

/// A category.
#[utoipa::path(tag = "categories", responses((status = 200, body = CategoryView)))]
#[get("/api/categories/{id}")]
pub(crate) async fn get(
    service: Data<Service>,
    user: Authenticated,
    id: Path<i64>,
) -> Result<Json<CategoryView>, Problem> {
    let category = service.read(user.caller, move |repo| categories::get(repo, CategoryId(*id))).await?;
    Ok(Json(category.into()))
}

/// Replaces a category's own fields. A standard category stays standard.
#[utoipa::path(tag = "categories", request_body = CategoryBody,
    responses((status = 200, body = CategoryView), (status = 409, description = "`ErrCategoryNameTaken`")))]
#[put("/api/categories/{id}")]
pub(crate) async fn update(
    service: Data<Service>,
    user: Authenticated,
    id: Path<i64>,
    body: Body<CategoryBody>,
) -> Result<Json<CategoryView>, Problem> {
    let (input, context) = (body.value.into_input(), service.context());
    let category =
        service.write(user.caller, move |repo| categories::update(repo, &context, CategoryId(*id), input)).await?;
    Ok(Json(category.into()))
}

/// How to delete a category.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct DeleteQuery {
    /// The category to move its transactions, rows of pending statements and recurring items to.
    #[param(value_type = Option<i64>)]
    move_to: Param,
}

/// Deletes a category that nothing refers to, or moves its rows to another category and deletes it.
#[utoipa::path(tag = "categories", params(DeleteQuery),
    responses((status = 204), (status = 409, description = "`ErrStandardCategory`, `ErrCategoryInUse`")))]
#[delete("/api/categories/{id}")]
pub(crate) async fn delete(
    service: Data<Service>,
    user: Authenticated,
    id: Path<i64>,
    query: Params<DeleteQuery>,
) -> Result<HttpResponse, Problem> {
    let mut errors = FieldErrors::default();
    let move_to = query.value.move_to.id("move_to", &mut errors).map(CategoryId);
    errors.into_result()?;
    let context = service.context();
    let delete = move |repo: &mut dyn Repo| categories::delete(repo, &context, CategoryId(*id), move_to);
    service.write_then(TimeLimit::Long, user.caller, delete, Ok).await?;
    Ok(no_content())
}
