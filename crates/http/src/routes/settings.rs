//! `/api/settings`.

use actix_web::web::Json;
use actix_web::{get, put};
use finance_domain::settings::{Settings, SettingsInput};
use finance_domain::use_cases::settings;
use finance_domain::{FieldErrors, Percentage, Violation};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::extract::authenticated::Authenticated;
use crate::extract::body::Body;
use crate::extract::json::{Change, Field};
use crate::problem::Reply;
use crate::service::Shared;
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
    /// Whether pages show the character. If absent, it stays as it is.
    #[schema(value_type = Option<bool>, example = true)]
    show_character: Field<bool>,
    /// After how many days `POST /api/auth/renew` takes a code of the second factor again; null if only the login takes one. If
    /// absent, it stays as it is. Only owners change it.
    #[serde(default)]
    #[schema(value_type = Option<i64>, minimum = 1, maximum = 90, example = json!(null))]
    second_factor_days: Change<i64>,
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
    /// Whether pages show the character.
    show_character: bool,
    /// After how many days `POST /api/auth/renew` takes a code of the second factor again; null if only the login takes one.
    second_factor_days: Option<i16>,
}

impl From<Settings> for SettingsView {
    fn from(settings: Settings) -> Self {
        SettingsView {
            savings_goal_pct: PercentageView(settings.savings_goal_pct),
            own_names: settings.own_names,
            show_character: settings.show_character,
            second_factor_days: settings.second_factor_days,
        }
    }
}

/// The settings.
#[utoipa::path(tag = "settings", responses((status = 200, body = SettingsView)))]
#[get("/api/settings")]
pub(crate) async fn get(service: Shared, user: Authenticated) -> Reply<Json<SettingsView>> {
    Ok(Json(service.read(user.caller, settings::get).await?.into()))
}

/// Replaces the settings.
#[utoipa::path(tag = "settings", request_body = SettingsBody, responses((status = 200, body = SettingsView)))]
#[put("/api/settings")]
pub(crate) async fn update(
    service: Shared,
    user: Authenticated,
    body: Body<SettingsBody>,
) -> Reply<Json<SettingsView>> {
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
    let show_character = body.value.show_character.take("show_character", &mut errors);
    let second_factor_days = body.value.second_factor_days.take("second_factor_days", &mut errors);
    let input = SettingsInput { savings_goal_pct, own_names, show_character, second_factor_days, errors };
    let context = service.context();
    Ok(Json(service.write(user.caller, move |repo| settings::update(repo, &context, input)).await?.into()))
}
