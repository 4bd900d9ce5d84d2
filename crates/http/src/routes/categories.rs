//! `/api/categories`.

use actix_web::web::{Json, Path};
use actix_web::{delete, get, post, put};
use finance_domain::categories::{Carry, Category, CategoryInput, TaxKind};
use finance_domain::use_cases::categories;
use finance_domain::{CategoryId, FieldErrors, Money, Month, Repo, TimeLimit};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::extract::authenticated::Authenticated;
use crate::extract::body::Body;
use crate::extract::idempotency::{Idempotent, created};
use crate::extract::json::{Change, Field, take_fields};
use crate::extract::query::{Param, Params};
use crate::problem::Reply;
use crate::service::Shared;
use crate::views::{MoneyInput, MoneyView, MonthInput, no_content};
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
    /// The default budget of a month; null for none. The first one holds for all months, a changed one from this month on.
    #[schema(value_type = Option<MoneyInput>)]
    monthly_budget: Field<Money>,
    /// How its expenses count in the yearly income tax return (IRPF); `none` if absent.
    #[schema(value_type = Option<TaxKindView>)]
    tax_kind: Field<TaxKind>,
    /// The group that it is shown in, equal regardless of case; null for none. This and the fields below stay if absent.
    #[serde(default)]
    #[schema(value_type = Option<String>, min_length = 1, max_length = 40, example = "Casa")]
    group: Change<String>,
    /// Its place; equal places are ordered by name.
    #[schema(value_type = Option<i64>, minimum = 0, maximum = 9999)]
    position: Field<i64>,
    /// An icon of `config/category_icons.toml`; null for none.
    #[serde(default)]
    #[schema(value_type = Option<String>, example = "cart")]
    icon: Change<String>,
    /// A color of `config/category_colors.toml`; null for one that the page chooses. A new category gets a free one if it is absent.
    #[serde(default)]
    #[schema(value_type = Option<String>, example = "blue")]
    color: Change<String>,
    /// Whether it is no longer offered or suggested.
    #[schema(value_type = Option<bool>, example = false)]
    hidden: Field<bool>,
    /// Whether its incomes are refunds of its expenses; true for a new category.
    #[schema(value_type = Option<bool>, example = true)]
    nets_refunds: Field<bool>,
    /// What is left of a month's budget in the next month; `none` for a new category.
    #[schema(value_type = Option<CarryView>)]
    carry: Field<Carry>,
    /// The first month from which something is carried, at most 120 months back and 24 ahead; this month by default. Ignored if
    /// `carry` is `none`.
    #[serde(default)]
    #[schema(value_type = Option<MonthInput>, inline)]
    carry_since: Change<Month>,
}

pub(crate) type CarryView = WordView<Carry>;
pub(crate) type TaxKindView = WordView<TaxKind>;

impl CategoryBody {
    fn into_input(self) -> CategoryInput {
        let mut errors = FieldErrors::default();
        take_fields!(self, &mut errors => CategoryInput {
            name, is_tax, monthly_budget, tax_kind, group, position, icon, color, is_hidden from hidden, nets_refunds, carry,
            carry_since;
            errors
        })
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
    #[schema(example = "Casa")]
    group: Option<String>,
    /// 0 to 9999; equal places are ordered by name.
    position: u16,
    #[schema(example = "cart")]
    icon: Option<String>,
    #[schema(example = "blue")]
    color: Option<String>,
    /// Whether it is no longer offered or suggested.
    hidden: bool,
    /// Whether its incomes are refunds of its expenses.
    nets_refunds: bool,
    carry: CarryView,
    /// The first month from which something is carried; null if nothing is.
    #[schema(example = "2026-01")]
    carry_since: Option<String>,
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
            group: category.planning.group,
            position: category.planning.position,
            icon: category.planning.icon,
            color: category.planning.color,
            hidden: category.planning.is_hidden,
            nets_refunds: category.planning.nets_refunds,
            carry: category.planning.carry.into(),
            carry_since: category.planning.carry_since.map(|since| since.to_string()),
        }
    }
}

/// All categories, by name.
#[utoipa::path(tag = "categories", responses((status = 200, body = [CategoryView])))]
#[get("/api/categories")]
pub(crate) async fn list(service: Shared, user: Authenticated) -> Reply<Json<Vec<CategoryView>>> {
    let categories = service.read(user.caller, categories::list).await?;
    Ok(Json(categories.into_iter().map(CategoryView::from).collect()))
}

/// Creates a category.
#[utoipa::path(tag = "categories", request_body = CategoryBody,
    responses((status = 201, body = CategoryView),
    (status = 409, description = "`ErrCategoryNameTaken`, `ErrLimitReached`")))]
#[post("/api/categories")]
pub(crate) async fn create(service: Shared, Idempotent { post, body }: Idempotent<Body<CategoryBody>>) -> Reply {
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
pub(crate) async fn get(service: Shared, user: Authenticated, id: Path<i64>) -> Reply<Json<CategoryView>> {
    let category = service.read(user.caller, move |repo| categories::get(repo, CategoryId(*id))).await?;
    Ok(Json(category.into()))
}

/// Replaces a category's own fields. A standard category stays standard.
#[utoipa::path(tag = "categories", request_body = CategoryBody,
    responses((status = 200, body = CategoryView), (status = 409, description = "`ErrCategoryNameTaken`")))]
#[put("/api/categories/{id}")]
pub(crate) async fn update(
    service: Shared,
    user: Authenticated,
    id: Path<i64>,
    body: Body<CategoryBody>,
) -> Reply<Json<CategoryView>> {
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
pub(crate) async fn delete(service: Shared, user: Authenticated, id: Path<i64>, query: Params<DeleteQuery>) -> Reply {
    let mut errors = FieldErrors::default();
    let move_to = query.value.move_to.id("move_to", &mut errors).map(CategoryId);
    errors.into_result()?;
    let context = service.context();
    let delete = move |repo: &mut dyn Repo| categories::delete(repo, &context, CategoryId(*id), move_to);
    service.write_then(TimeLimit::Long, user.caller, delete, Ok).await?;
    Ok(no_content())
}
