//! `POST /api/restore`.

use std::future::Future;
use std::pin::Pin;

use actix_web::dev::Payload;
use actix_web::http::StatusCode;
use actix_web::web::{BytesMut, Data};
use actix_web::{FromRequest, HttpRequest, post};
use finance_domain::Repo;
use finance_export::SoundDocument;
use serde::Serialize;
use utoipa::ToSchema;

use super::{document, json};
use crate::extract::body::{is_json, not_json, read};
use crate::extract::idempotency::{Idempotent, answered};
use crate::permits::Permit;
use crate::problem::{Problem, Reply};
use crate::routes::auth::AUDIT;
use crate::service::{Proved, Service, Shared};

/// The maximum size of a document in bytes: about 150,000 transactions. `finance import-profile` reads larger ones.
const DOCUMENT_BYTES_MAX: usize = 48 * 1024 * 1024;

/// A checked document as a request's body. It is read once the caller is [`Proved`].
pub(crate) struct DocumentBody {
    document: SoundDocument,
    /// Held until the rows are stored.
    permit: Permit,
}

impl FromRequest for DocumentBody {
    type Error = Problem;
    type Future = Pin<Box<dyn Future<Output = Result<Self, Problem>>>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let (is_json, payload) = (is_json(request), payload.take());
        let proving = Proved::from_request(request, &mut Payload::None);
        let service = request.app_data::<Data<Service>>().cloned();
        Box::pin(async move {
            let proved = proving.await?;
            if !is_json {
                return Err(not_json());
            }
            let Some(service) = service else { return Err(Problem::overloaded()) };
            let permit = service.restored_document(&proved).await?;
            let bytes = read(payload, DOCUMENT_BYTES_MAX).await?;
            let parsed = service.read_body(&proved, move || Ok(parse(&bytes))).await??;
            Ok(DocumentBody { document: parsed, permit })
        })
    }
}

fn parse(bytes: &BytesMut) -> Result<SoundDocument, Problem> {
    let document = document::parse(bytes).map_err(|error| match error.is_data() {
        true => document::not_understood(&error).into(),
        false => Problem::malformed(format!("The body is not JSON: {error}.")),
    })?;
    Ok(document.check()?)
}

/// What was restored.
#[derive(Serialize, ToSchema)]
#[schema(as = Restored)]
struct RestoredView {
    /// Rows of all tables.
    #[schema(example = 1234)]
    restored: u64,
}

/// Restores the JSON document of `GET /api/export` into this profile, all or nothing, with new ids. The profile must be empty.
/// Its standard categories are replaced. At most 48 MiB.
#[utoipa::path(tag = "export", request_body = json::DocumentSchema, responses((status = 200, body = RestoredView),
    (status = 409, description = "`ErrNotEmpty`: the profile has data. `ErrLimitReached`: more transactions than a profile may have")))]
#[post("/api/restore")]
pub(crate) async fn restore(service: Shared, Idempotent { post, body }: Idempotent<DocumentBody>) -> Reply {
    let context = service.context();
    let profile_id = post.profile_id();
    let DocumentBody { document, permit } = body;
    let work = move |repo: &mut dyn Repo| {
        let _permit = permit;
        finance_export::restore(repo, &context, document)
    };
    let answer = move |restored| {
        log::info!(target: AUDIT, "profile {profile_id} restored: {restored} rows");
        answered(StatusCode::OK, RestoredView { restored })
    };
    post.long().write(&service, work, answer).await
}
