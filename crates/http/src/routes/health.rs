//! Whether the process is running, and whether it can answer. Neither route needs a token.

use std::sync::Arc;

use actix_web::get;
use actix_web::web::{Data, Json};
use serde::Serialize;
use time::OffsetDateTime;
use utoipa::ToSchema;

use crate::last_backup::LastBackup;
use crate::problem::Reply;
use crate::service::Shared;
use crate::views::InstantView;

/// The service is healthy.
#[derive(Serialize, ToSchema)]
#[schema(as = Health)]
pub(crate) struct HealthView {
    /// Always `ok`.
    #[schema(example = "ok")]
    status: &'static str,
}

/// The service can answer.
#[derive(Serialize, ToSchema)]
#[schema(as = Readiness)]
pub(crate) struct ReadinessView {
    /// Always `ok`.
    #[schema(example = "ok")]
    status: &'static str,
    /// The last good backup of the private database; null if the database belongs to another server.
    last_backup: Option<LastBackupView>,
}

/// The last good backup. Its fields are null if there is none.
#[derive(Serialize, ToSchema)]
#[schema(as = LastBackup)]
pub(crate) struct LastBackupView {
    /// When it was made.
    made_at: Option<InstantView>,
    /// Its age in seconds.
    age_seconds: Option<i64>,
}

impl LastBackupView {
    fn of(made_at: Option<OffsetDateTime>, now: OffsetDateTime) -> Self {
        let age_seconds = made_at.map(|at| (now - at).whole_seconds().max(0));
        LastBackupView { made_at: made_at.map(InstantView), age_seconds }
    }
}

/// The process is running.
#[utoipa::path(tag = "health", security(()), responses((status = 200, body = HealthView)))]
#[get("/healthz")]
pub(crate) async fn live() -> Json<HealthView> {
    Json(HealthView { status: "ok" })
}

/// The database answers and has the schema that this version needs, or a newer one. Responds within a second.
#[utoipa::path(tag = "health", security(()), responses((status = 200, body = ReadinessView)))]
#[get("/readyz")]
pub(crate) async fn ready(service: Shared, last_backup: Data<Option<Arc<LastBackup>>>) -> Reply<Json<ReadinessView>> {
    service.ready().await?;
    let made_at = last_backup.as_ref().as_ref().map(|backup| backup.at());
    // The age uses real time, regardless of the service's present date.
    let last_backup = made_at.map(|at| LastBackupView::of(at, OffsetDateTime::now_utc()));
    Ok(Json(ReadinessView { status: "ok", last_backup }))
}
