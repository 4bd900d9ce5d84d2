//! `/api/gamification/appearance`, and the sprites, which an image element loads without a token.

use std::collections::BTreeMap;

use actix_web::http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY};
use actix_web::web::{Json, Path};
use actix_web::{HttpResponse, get, put};
use finance_domain::gamification::{Appearance, AppearanceChoices, AppearanceInput, Catalog, Player};
use finance_domain::use_cases::gamification;
use finance_domain::{FieldErrors, Repo};
use finance_drawings::Drawings;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::extract::authenticated::Authenticated;
use crate::extract::body::Body;
use crate::extract::json::Field;
use crate::extract::query::Params;
use crate::problem::{Problem, Reply};
use crate::service::Shared;

/// A sprite's address changes with the drawings and the look, so a cached response is never out of date.
const SPRITE_CACHE: &str = "public, max-age=31536000, immutable";
/// A sprite loads no other resources.
const SPRITE_POLICY: &str = "default-src 'none'; frame-ancestors 'none'";

/// The address of a player's drawing.
pub(crate) fn sprite_address(player: &Player, drawings: &Drawings) -> String {
    let mut address = format!("/sprites/{}.svg?v={}", player.level.sprite, drawings.version());
    let Appearance { skin, hair_style, body } = &player.look.appearance;
    let worn = &player.look.colors;
    // The name of the skin tone stands for its colour, unless a cosmetic sets another.
    let tone = drawings.drawable().skins.get(skin).filter(|color| worn.get("skin") == Some(**color)).map(|_| skin);
    for name in drawings.color_names() {
        match (name, tone, worn.get(name)) {
            ("skin", Some(tone), _) => address.push_str(&format!("&skin={tone}")),
            (_, _, Some(color)) => address.push_str(&format!("&{name}={}", color.to_string().replace('#', "%23"))),
            _ => {}
        }
    }
    address.push_str(&format!("&hair_style={hair_style}&body={body}"));
    for (kind, shape) in &player.look.shapes {
        address.push_str(&format!("&{}_shape={shape}", kind.as_str()));
    }
    address
}

/// A new appearance.
#[derive(Deserialize, ToSchema)]
pub(crate) struct AppearanceBody {
    /// One of `choices.skin`.
    #[schema(value_type = String, example = "deep")]
    skin: Field<String>,
    /// One of `choices.hair_style`. The colour of the hair is a cosmetic.
    #[schema(value_type = String, example = "coily")]
    hair_style: Field<String>,
    /// One of `choices.body`.
    #[schema(value_type = String, example = "curvy")]
    body: Field<String>,
}

/// How the figure looks, and the available choices.
#[derive(Serialize, ToSchema)]
#[schema(as = Appearance)]
pub(crate) struct AppearanceView {
    #[schema(example = "deep")]
    skin: String,
    #[schema(example = "coily")]
    hair_style: String,
    #[schema(example = "curvy")]
    body: String,
    choices: AppearanceChoicesView,
}

/// The possible values of an appearance. The address of a sprite takes them as `skin`, `hair_style` and `body`.
#[derive(Serialize, ToSchema)]
#[schema(as = AppearanceChoices)]
struct AppearanceChoicesView {
    /// From light to dark.
    #[schema(example = json!(["fair", "light", "medium", "tan", "brown", "deep", "dark"]))]
    skin: Vec<String>,
    #[schema(example = json!(["short", "curly", "coily"]))]
    hair_style: Vec<String>,
    #[schema(example = json!(["slim", "curvy", "broad"]))]
    body: Vec<String>,
}

impl AppearanceView {
    fn new(appearance: Appearance, catalog: &Catalog) -> Self {
        let AppearanceChoices { skin, hair_style, body } = catalog.drawable().choices.clone();
        AppearanceView {
            skin: appearance.skin,
            hair_style: appearance.hair_style,
            body: appearance.body,
            choices: AppearanceChoicesView { skin, hair_style, body },
        }
    }
}

/// How the caller's figure looks: skin, hair style and body.
#[utoipa::path(tag = "gamification", responses((status = 200, body = AppearanceView)))]
#[get("/api/gamification/appearance")]
pub(crate) async fn get(service: Shared, user: Authenticated) -> Reply<Json<AppearanceView>> {
    let context = service.context();
    let appearance = service.read(user.caller, move |repo| gamification::appearance(repo, &context)).await?;
    Ok(Json(AppearanceView::new(appearance, &service.catalog)))
}

/// Replaces how the caller's figure looks.
#[utoipa::path(tag = "gamification", request_body = AppearanceBody, responses((status = 200, body = AppearanceView)))]
#[put("/api/gamification/appearance")]
pub(crate) async fn update(
    service: Shared,
    user: Authenticated,
    body: Body<AppearanceBody>,
) -> Reply<Json<AppearanceView>> {
    let mut errors = FieldErrors::default();
    let skin = body.value.skin.take("skin", &mut errors);
    let hair_style = body.value.hair_style.take("hair_style", &mut errors);
    let input = AppearanceInput { skin, hair_style, body: body.value.body.take("body", &mut errors), errors };
    let context = service.context();
    let work = move |repo: &mut dyn Repo| gamification::update_appearance(repo, &context, input);
    Ok(Json(AppearanceView::new(service.write(user.caller, work).await?, &service.catalog)))
}

/// The drawing of a level, with the figure in it. Query parameters named after colours of the theme, such as `hair`, take
/// `#rrggbb`. `skin` also takes one of the appearance's choices. `hair_style` and `body` take one of those choices. `hair_shape`,
/// `shirt_shape`, `pants_shape` and `shoes_shape` take the `shape` of a cosmetic. An absent parameter has its value for a new
/// profile. The gamification profile has the address in `sprite`.
#[utoipa::path(tag = "gamification", security(()), params(
    ("v" = Option<String>, Query, description = "Changes with the drawings; ignored"),
    ("hair" = Option<String>, Query, pattern = "^#[0-9a-fA-F]{6}$", example = "#4a3728"),
    ("shirt" = Option<String>, Query, pattern = "^#[0-9a-fA-F]{6}$"),
    ("pants" = Option<String>, Query, pattern = "^#[0-9a-fA-F]{6}$"),
    ("shoes" = Option<String>, Query, pattern = "^#[0-9a-fA-F]{6}$"),
    ("skin" = Option<String>, Query, example = "deep"), ("hair_style" = Option<String>, Query, example = "coily"),
    ("body" = Option<String>, Query, example = "curvy"), ("hair_shape" = Option<String>, Query),
    ("shirt_shape" = Option<String>, Query, example = "coat"), ("pants_shape" = Option<String>, Query),
    ("shoes_shape" = Option<String>, Query)), responses(
    (status = 200, description = "The drawing", body = String, content_type = "image/svg+xml"),
    (status = 404, description = "`ErrNotFound`"), (status = 422, description = "`ErrValidation`")))]
#[get("/sprites/{name}.svg")]
pub(crate) async fn draw(service: Shared, name: Path<String>, query: Params<BTreeMap<String, String>>) -> Reply {
    let drawings = &service.drawings;
    let look = drawings.look(service.catalog.theme(), |name| query.value.get(name).map(String::as_str))?;
    let drawing = drawings.draw(&name, &look).ok_or_else(|| Problem::not_found("sprite"))?;
    Ok(HttpResponse::Ok()
        .content_type("image/svg+xml")
        .insert_header((CACHE_CONTROL, SPRITE_CACHE))
        .insert_header((CONTENT_SECURITY_POLICY, SPRITE_POLICY))
        .body(drawing))
}
