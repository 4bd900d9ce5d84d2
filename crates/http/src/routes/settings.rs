//! `/api/settings`.

use actix_web::web::{Data, Json};
use actix_web::{get, put};
use finance_domain::settings::{Settings, SettingsInput};
use finance_domain::use_cases::settings;
use finance_domain::{FieldErrors, Percentage};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::extract::authenticated::Authenticated;
use crate::extract::body::Body;
use crate::extract::json::Field;
use crate::problem::Problem;
use crate::service::Service;
use crate::views::PercentageView;

/// New settings.
#[derive(Deserialize, ToSchema)]
pub(crate) struct SettingsBody {
    /// Target for `savings_pct`, 0 to 100.
    #[schema(value_type = f64, minimum = 0, maximum = 100, multiple_of = 0.01, example = 40)]
    savings_goal_pct: Field<Percentage>,
}

/// Settings of a profile.
#[derive(Serialize, ToSchema)]
#[schema(as = Settings)]
pub(crate) struct SettingsView {
    /// Target for `savings_pct`, 0 to 100.
    savings_goal_pct: PercentageView,
}

impl From<Settings> for SettingsView {
    fn from(settings: Settings) -> Self {
        SettingsView { savings_goal_pct: PercentageView(settings.savings_goal_pct) }
    }
}

/// The settings.
#[utoipa::path(tag = "settings", responses((status = 200, body = SettingsView)))]
#[get("/api/settings")]
pub(crate) async fn get(service: Data<Service>, user: Authenticated) -> Result<Json<SettingsView>, Problem> {
    Ok(Json(service.read(user.caller, settings::get).await?.into()))
}

/// Replaces the settings.
#[utoipa::path(tag = "settings", request_body = SettingsBody, responses((status = 200, body = SettingsView)))]
#[put("/api/settings")]
pub(crate) async fn update(
    service: Data<Service>,
    user: Authenticated,
    body: Body<SettingsBody>,
) -> Result<Json<SettingsView>, Problem> {
    let mut errors = FieldErrors::default();
    let input =
        SettingsInput { savings_goal_pct: body.value.savings_goal_pct.take("savings_goal_pct", &mut errors), errors };
    let context = service.context();
    Ok(Json(service.write(user.caller, move |repo| settings::update(repo, &context, input)).await?.into()))
}
