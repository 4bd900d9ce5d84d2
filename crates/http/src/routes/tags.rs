//! `/api/tags`.

use actix_web::get;
use actix_web::web::Json;
use finance_domain::tags::UsedTag;
use finance_domain::use_cases::tags;
use serde::Serialize;
use utoipa::ToSchema;

use crate::extract::authenticated::Authenticated;
use crate::problem::Reply;
use crate::service::Shared;

/// A tag, and how often it is used.
#[derive(Serialize, ToSchema)]
#[schema(as = UsedTag)]
pub(crate) struct UsedTagView {
    /// As its newest transaction writes it.
    #[schema(example = "férias")]
    tag: String,
    /// How many transactions have it, regardless of case.
    count: u64,
}

impl From<UsedTag> for UsedTagView {
    fn from(used: UsedTag) -> Self {
        UsedTagView { tag: used.tag, count: used.count }
    }
}

/// The tags of transactions, the most used first; at most 1,000.
#[utoipa::path(tag = "tags", responses((status = 200, body = [UsedTagView])))]
#[get("/api/tags")]
pub(crate) async fn list(service: Shared, user: Authenticated) -> Reply<Json<Vec<UsedTagView>>> {
    let tags = service.read(user.caller, tags::list).await?;
    Ok(Json(tags.into_iter().map(UsedTagView::from).collect()))
}
