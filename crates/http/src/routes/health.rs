//! Whether the process lives and whether it can answer; neither needs a token.

use actix_web::get;
use actix_web::web::{Data, Json};
use serde::Serialize;
use utoipa::ToSchema;

use crate::problem::Problem;
use crate::service::Service;

/// The service is healthy.
#[derive(Serialize, ToSchema)]
#[schema(as = Health)]
pub(crate) struct HealthView {
    /// Always `ok`.
    #[schema(example = "ok")]
    status: &'static str,
}

/// The process is running.
#[utoipa::path(tag = "health", security(()), responses((status = 200, body = HealthView)))]
#[get("/healthz")]
pub(crate) async fn live() -> Json<HealthView> {
    Json(HealthView { status: "ok" })
}

/// The database answers and has the schema that this version needs, or a newer one. Responds within a second.
#[utoipa::path(tag = "health", security(()), responses((status = 200, body = HealthView)))]
#[get("/readyz")]
pub(crate) async fn ready(service: Data<Service>) -> Result<Json<HealthView>, Problem> {
    service.ready().await?;
    Ok(Json(HealthView { status: "ok" }))
}
