//! Descriptions for completion.

use actix_web::get;
use actix_web::web::Json;
use finance_domain::FieldErrors;
use finance_domain::transactions::UsedDescription;
use finance_domain::use_cases::transactions;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::extract::authenticated::Authenticated;
use crate::extract::query::{Param, Params};
use crate::problem::Reply;
use crate::routes::transactions::filters::searched;
use crate::routes::transactions::view::KindView;
use crate::service::Shared;

/// The number of descriptions, if the request gives no limit.
const DESCRIPTIONS_DEFAULT: u32 = 10;
/// The maximum number of descriptions.
const DESCRIPTIONS_MAX: u32 = 100;

/// Which descriptions to return.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct DescriptionsQuery {
    /// Descriptions that contain this text; case and accents are ignored. If absent, the newest ones.
    #[param(value_type = Option<String>)]
    q: Param,
    /// How many, 1 to 100; 10 if absent.
    #[param(value_type = Option<u32>, minimum = 1, maximum = 100)]
    limit: Param,
}

/// A description, and the values of its latest use.
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
    service: Shared,
    user: Authenticated,
    query: Params<DescriptionsQuery>,
) -> Reply<Json<Vec<UsedDescriptionView>>> {
    let mut errors = FieldErrors::default();
    let part = query.value.q.read("q", &mut errors, searched).unwrap_or_default();
    let limit = query.value.limit.count("limit", &mut errors, DESCRIPTIONS_MAX).unwrap_or(DESCRIPTIONS_DEFAULT);
    errors.into_result()?;
    let used = service.read(user.caller, move |repo| transactions::descriptions(repo, &part, limit)).await?;
    Ok(Json(used.into_iter().map(UsedDescriptionView::from).collect()))
}
