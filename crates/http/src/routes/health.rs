//! Whether the process lives and whether it can answer; neither needs a token.

use actix_web::get;
use actix_web::web::{Data, Json};
use serde::Serialize;
use utoipa::ToSchema;

use crate::problem::Problem;
use crate::service::Service;

/// That all is well.
#[derive(Serialize, ToSchema)]
#[schema(as = Health)]
pub(crate) struct HealthView {
    /// Always `ok`.
    #[schema(example = "ok")]
    status: &'static str,
}

/// The process lives.
#[utoipa::path(tag = "health", security(()), responses((status = 200, body = HealthView)))]
#[get("/healthz")]
pub(crate) async fn live() -> Json<HealthView> {
    Json(HealthView { status: "ok" })
}

/// The database answers, and its schema is what this version of the service works with, or newer. Told
/// within a second.
#[utoipa::path(tag = "health", security(()), responses((status = 200, body = HealthView)))]
#[get("/readyz")]
pub(crate) async fn ready(service: Data<Service>) -> Result<Json<HealthView>, Problem> {
    service.ready().await?;
    Ok(Json(HealthView { status: "ok" }))
}
