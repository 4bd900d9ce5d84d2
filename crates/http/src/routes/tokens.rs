//! `/api/tokens`: credentials for programs.

use actix_web::http::header::LOCATION;
use actix_web::web::{Json, Path};
use actix_web::{HttpResponse, delete, get, post};
use finance_domain::credentials::Scope;
use finance_domain::tokens::{Token, TokenInput};
use finance_domain::use_cases::tokens;
use finance_domain::{FieldErrors, TokenId};
use serde::{Deserialize, Serialize};
use time::Date;
use utoipa::ToSchema;

use crate::extract::authenticated::Authenticated;
use crate::extract::body::Body;
use crate::extract::json::Field;
use crate::problem::Reply;
use crate::routes::auth::AUDIT;
use crate::secrets::SecretKind;
use crate::service::Shared;
use crate::views::{DateInput, DateView, InstantView, no_content};
use crate::words::WordView;

pub(crate) type ScopeView = WordView<Scope>;

/// A token to make.
#[derive(Deserialize, ToSchema)]
pub(crate) struct TokenBody {
    /// 1 to 100 characters.
    #[schema(value_type = String, min_length = 1, max_length = 100, example = "import every night")]
    name: Field<String>,
    /// At least one, and only what the member who makes the token may do.
    #[schema(value_type = Vec<ScopeView>, min_items = 1)]
    scopes: Field<Vec<Field<Scope>>>,
    /// The last day on which it is valid, at most 366 days ahead; 90 days ahead if absent.
    #[schema(value_type = Option<DateInput>)]
    expires_on: Field<Date>,
}

impl TokenBody {
    fn into_input(self) -> TokenInput {
        let mut errors = FieldErrors::default();
        let name = self.name.take("name", &mut errors);
        let scopes = self.scopes.take("scopes", &mut errors).map(|scopes| {
            let each = scopes.into_iter().enumerate();
            each.map(|(at, scope)| {
                let field = format!("scopes[{at}]");
                let scope = scope.take(&field, &mut errors);
                errors.require(&field, scope)
            })
            .collect()
        });
        let expires_on = self.expires_on.take("expires_on", &mut errors);
        TokenInput { name, scopes, expires_on, errors }
    }
}

/// A token, without its secret.
#[derive(Serialize, ToSchema)]
#[schema(as = ApiToken)]
pub(crate) struct ApiTokenView {
    id: i64,
    #[schema(example = "import every night")]
    name: String,
    scopes: Vec<ScopeView>,
    created_at: InstantView,
    /// The last day on which it is valid.
    expires_on: DateView,
    /// The last day on which it was used; null before the first time.
    last_used_on: Option<DateView>,
}

impl From<Token> for ApiTokenView {
    fn from(token: Token) -> Self {
        ApiTokenView {
            id: token.id.0,
            name: token.name,
            scopes: token.scopes.into_iter().map(ScopeView::from).collect(),
            created_at: InstantView(token.created_at),
            expires_on: DateView(token.expires_on),
            last_used_on: token.last_used_on.map(DateView),
        }
    }
}

/// A new token, with its secret.
#[derive(Serialize, ToSchema)]
#[schema(as = NewApiToken)]
pub(crate) struct NewApiTokenView {
    #[serde(flatten)]
    made: ApiTokenView,
    /// Send it as `Authorization: Bearer …`. It is shown only once.
    #[schema(example = "fin_q3dF0n0yM1mJ8Jb0JmXo3s1rVQw7eXk2x0kJk2m3a4Y")]
    token: String,
}

/// The valid and the expired tokens, in the order in which they were made. An owner sees all, others see their own.
#[utoipa::path(tag = "tokens", responses((status = 200, body = [ApiTokenView])))]
#[get("/api/tokens")]
pub(crate) async fn list(service: Shared, user: Authenticated) -> Reply<Json<Vec<ApiTokenView>>> {
    let listed = service.read(user.caller, tokens::list).await?;
    Ok(Json(listed.into_iter().map(ApiTokenView::from).collect()))
}

/// Makes a token. When it is used, it can never do more than its maker may do at that time.
#[utoipa::path(tag = "tokens", request_body = TokenBody,
    responses((status = 201, body = NewApiTokenView), (status = 409, description = "`ErrLimitReached`")))]
#[post("/api/tokens")]
pub(crate) async fn create(service: Shared, user: Authenticated, body: Body<TokenBody>) -> Reply {
    let (input, context) = (body.value.into_input(), service.context());
    let (token, hash) = SecretKind::Token.draw()?;
    let made = service.write(user.caller, move |repo| tokens::create(repo, &context, input, hash)).await?;
    log::info!(target: AUDIT, "token {} of profile {} was made", made.id, user.caller.profile_id);
    let location = format!("/api/tokens/{}", made.id);
    let view = NewApiTokenView { made: made.into(), token };
    Ok(HttpResponse::Created().insert_header((LOCATION, location)).json(view))
}

/// Revokes a token, at once.
#[utoipa::path(tag = "tokens", responses((status = 204)))]
#[delete("/api/tokens/{id}")]
pub(crate) async fn delete(service: Shared, user: Authenticated, id: Path<i64>) -> Reply {
    let id = TokenId(*id);
    service.write(user.caller, move |repo| tokens::delete(repo, id)).await?;
    log::info!(target: AUDIT, "token {id} of profile {} was revoked", user.caller.profile_id);
    Ok(no_content())
}
