//! `/api/settings`.

use actix_web::web::{Data, Json};
use actix_web::{get, put};
use finance_domain::settings::{Settings, SettingsInput};
use finance_domain::use_cases::settings;
use finance_domain::{FieldErrors, Percentage, Violation};
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
    /// The names under which the household's people are known to their banks. If absent, they stay as they are.
    #[schema(value_type = Option<Vec<String>>, max_items = 5, min_length = 6, max_length = 100, example = json!(["Ana Souza"]))]
    own_names: Field<Vec<Field<String>>>,
}

/// Settings of a profile.
#[derive(Serialize, ToSchema)]
#[schema(as = Settings)]
pub(crate) struct SettingsView {
    /// Target for `savings_pct`, 0 to 100.
    savings_goal_pct: PercentageView,
    /// The names under which the household's people are known to their banks. A Pix that names one is a transfer between own
    /// accounts.
    #[schema(example = json!(["Ana Souza"]))]
    own_names: Vec<String>,
}

impl From<Settings> for SettingsView {
    fn from(settings: Settings) -> Self {
        SettingsView { savings_goal_pct: PercentageView(settings.savings_goal_pct), own_names: settings.own_names }
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
    let savings_goal_pct = body.value.savings_goal_pct.take("savings_goal_pct", &mut errors);
    let own_names = body.value.own_names.take("own_names", &mut errors).map(|names| {
        let name = |(at, name): (usize, Field<String>)| match name {
            Field::Absent => {
                errors.push(format!("own_names[{at}]"), Violation::NotAString);
                None
            }
            name => name.take(&format!("own_names[{at}]"), &mut errors),
        };
        names.into_iter().enumerate().filter_map(name).collect()
    });
    let input = SettingsInput { savings_goal_pct, own_names, errors };
    let context = service.context();
    Ok(Json(service.write(user.caller, move |repo| settings::update(repo, &context, input)).await?.into()))
}
