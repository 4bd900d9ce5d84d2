//! `/api/accounts/{id}/keys`: by what an account is known again in statements.

use actix_web::web::{Json, Path};
use actix_web::{delete, get};
use finance_domain::AccountId;
use finance_domain::account_keys::AccountKey;
use finance_domain::use_cases::account_keys;
use serde::Serialize;
use utoipa::ToSchema;

use crate::extract::authenticated::Authenticated;
use crate::problem::Reply;
use crate::service::Shared;
use crate::views::no_content;

/// A key of an account.
#[derive(Serialize, ToSchema)]
#[schema(as = AccountKey)]
pub(crate) struct AccountKeyView {
    /// A keyed hash of the numbers of bank, branch and account in a file. The numbers are not stored.
    #[serde(rename = "ref")]
    reference: String,
    /// The last characters of the account's number.
    #[schema(example = "56-7")]
    hint: String,
}

impl From<AccountKey> for AccountKeyView {
    fn from(AccountKey { reference, hint }: AccountKey) -> Self {
        AccountKeyView { reference, hint }
    }
}

/// The keys that an account learned from confirmed statements, at most 20, the newest first.
#[utoipa::path(tag = "accounts", responses((status = 200, body = [AccountKeyView])))]
#[get("/api/accounts/{id}/keys")]
pub(crate) async fn keys(service: Shared, user: Authenticated, id: Path<i64>) -> Reply<Json<Vec<AccountKeyView>>> {
    let keys = service.read(user.caller, move |repo| account_keys::list(repo, AccountId(*id))).await?;
    Ok(Json(keys.into_iter().map(AccountKeyView::from).collect()))
}

/// Forgets the keys of an account.
#[utoipa::path(tag = "accounts", responses((status = 204)))]
#[delete("/api/accounts/{id}/keys")]
pub(crate) async fn forget_keys(service: Shared, user: Authenticated, id: Path<i64>) -> Reply {
    service.write(user.caller, move |repo| account_keys::forget(repo, AccountId(*id))).await?;
    Ok(no_content())
}
