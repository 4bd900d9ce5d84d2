//! `/api/auth/sessions`: the logins of a member.

use actix_web::web::{Data, Json};
use actix_web::{HttpResponse, delete, get};
use finance_domain::sessions::Session;
use finance_domain::use_cases::sessions;
use serde::Serialize;
use utoipa::ToSchema;

use crate::extract::authenticated::Authenticated;
use crate::problem::Problem;
use crate::routes::auth::AUDIT;
use crate::service::Service;
use crate::views::{InstantView, no_content};

/// A login of the member that is still valid.
#[derive(Serialize, ToSchema)]
#[schema(as = Session)]
pub(crate) struct SessionView {
    id: i64,
    /// The instant of the login.
    created_at: InstantView,
    /// The instant from which it is refused.
    expires_at: InstantView,
    /// The `User-Agent` that the client sent at the login; null if it sent none.
    #[schema(example = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0")]
    client: Option<String>,
    /// Whether it is the session of this request.
    current: bool,
}

/// The logins of the member that are still valid, newest first: at most 50. A login from before the service stored sessions is
/// not listed.
#[utoipa::path(tag = "auth", responses((status = 200, body = [SessionView])))]
#[get("/api/auth/sessions")]
pub(crate) async fn list(service: Data<Service>, user: Authenticated) -> Result<Json<Vec<SessionView>>, Problem> {
    let now = service.clock.now();
    let listed = service.read(user.caller, move |repo| sessions::list(repo, now)).await?;
    let view = |session: Session| SessionView {
        id: session.id.0,
        created_at: InstantView(session.created_at),
        expires_at: InstantView(session.expires_at),
        client: session.client,
        current: Some(session.id) == user.session,
    };
    Ok(Json(listed.into_iter().map(view).collect()))
}

/// Ends every session of the member, this one too. From then on, every earlier login is refused, on all devices. The invitations that
/// the member made are withdrawn. Tokens stay.
#[utoipa::path(tag = "auth", responses((status = 204)))]
#[delete("/api/auth/sessions")]
pub(crate) async fn end_all(service: Data<Service>, user: Authenticated) -> Result<HttpResponse, Problem> {
    service.write(user.caller, sessions::end_all).await?;
    log::info!(target: AUDIT, "all sessions of a member of profile {} were ended", user.caller.profile_id);
    Ok(no_content())
}
