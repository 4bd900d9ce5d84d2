//! `/api/gamification`: levels, XP, quests, achievements and cosmetics.

use std::collections::BTreeMap;

use actix_web::http::StatusCode;
use actix_web::web::{Json, Path};
use actix_web::{HttpRequest, get, post};
use finance_domain::gamification::{
    AchievementState, Colors, CosmeticKind, CosmeticState, Period, Player, QuestState, XpEvent,
};
use finance_domain::use_cases::gamification;
use finance_domain::{CosmeticId, Repo, XpEventId};
use finance_drawings::Drawings;
use serde::Serialize;
use utoipa::ToSchema;

use crate::extract::authenticated::Authenticated;
use crate::extract::idempotency::{Idempotent, answered};
use crate::extract::query::{PageQuery, Params};
use crate::page::Page;
use crate::problem::Reply;
use crate::routes::appearance::sprite_address;
use crate::service::Shared;
use crate::views::InstantView;
use crate::words::WordView;

/// The gamification profile.
#[derive(Serialize, ToSchema)]
#[schema(as = GamificationProfile)]
pub(crate) struct PlayerView {
    /// 1 to 15.
    #[schema(example = 3)]
    level: u8,
    /// All XP.
    #[schema(example = 320)]
    xp: u64,
    /// XP since the level was reached.
    #[schema(example = 70)]
    xp_into_level: u64,
    /// XP needed to reach the next level; 0 on the last level.
    #[schema(example = 130)]
    xp_to_next_level: u64,
    #[schema(example = "Muda")]
    title: String,
    /// The address of the level's drawing, with the figure's appearance and equipped cosmetics. It needs no token. It changes
    /// whenever one of these changes.
    #[schema(example = "/sprites/muda.svg?v=2f1c&hair=%234a3728&hair_style=curly&body=slim&shirt_shape=tee")]
    sprite: String,
    /// The base colours, merged with those of the skin and the equipped cosmetics, as `#rrggbb` by name.
    theme: BTreeMap<String, String>,
    equipped: EquippedView,
}

/// The ids of the equipped cosmetics, by type.
#[derive(Serialize, ToSchema)]
#[schema(as = EquippedCosmetics)]
struct EquippedView {
    hair: Option<i64>,
    shirt: Option<i64>,
    pants: Option<i64>,
    shoes: Option<i64>,
}

fn colors(colors: &Colors) -> BTreeMap<String, String> {
    colors.iter().map(|(name, color)| (name.to_string(), color.to_string())).collect()
}

impl PlayerView {
    fn new(player: Player, drawings: &Drawings) -> Self {
        let worn = |kind| player.equipped.get(&kind).map(|id: &CosmeticId| id.0);
        PlayerView {
            level: player.level.number,
            xp: player.xp,
            xp_into_level: player.xp_into_level,
            xp_to_next_level: player.xp_to_next_level,
            sprite: sprite_address(&player, drawings),
            title: player.level.title,
            theme: colors(&player.look.colors),
            equipped: EquippedView {
                hair: worn(CosmeticKind::Hair),
                shirt: worn(CosmeticKind::Shirt),
                pants: worn(CosmeticKind::Pants),
                shoes: worn(CosmeticKind::Shoes),
            },
        }
    }
}

/// The caller's level, XP, theme and equipped cosmetics.
#[utoipa::path(tag = "gamification", responses((status = 200, body = PlayerView)))]
#[get("/api/gamification/profile")]
pub(crate) async fn profile(service: Shared, user: Authenticated) -> Reply<Json<PlayerView>> {
    let context = service.context();
    let player = service.read(user.caller, move |repo| gamification::profile(repo, &context)).await?;
    Ok(Json(PlayerView::new(player, &service.drawings)))
}

/// An XP event.
#[derive(Serialize, ToSchema)]
#[schema(as = XpEvent)]
pub(crate) struct XpEventView {
    id: i64,
    #[schema(example = "transaction_created")]
    action: String,
    /// What it was awarded for. Each pair of action and subject is awarded once.
    #[schema(example = "2026-01-31 expense 12.34 padaria")]
    subject: String,
    #[schema(example = 10)]
    xp: u32,
    created_at: InstantView,
}

impl From<XpEvent> for XpEventView {
    fn from(XpEvent { id, action, subject, xp, created_at }: XpEvent) -> Self {
        XpEventView { id: id.0, action, subject, xp, created_at: InstantView(created_at) }
    }
}

/// The caller's XP events, newest first.
#[utoipa::path(tag = "gamification", params(PageQuery), responses((status = 200, body = [XpEventView],
    headers(("Link" = String, description = "The next page, with `rel=\"next\"`; absent on the last")))))]
#[get("/api/gamification/xp-events")]
pub(crate) async fn xp_events(
    service: Shared,
    user: Authenticated,
    request: HttpRequest,
    query: Params<PageQuery>,
) -> Reply {
    let (after, limit) = query.value.after_id()?;
    let after = after.map(XpEventId);
    let page = service.read(user.caller, move |repo| {
        Page::new::<XpEventView, _>(gamification::xp_events(repo, after, limit + 1)?, limit, |last| last.id.to_string())
    });
    Ok(page.await?.response(&request))
}

/// A quest, with its progress today.
#[derive(Serialize, ToSchema)]
#[schema(as = Quest)]
pub(crate) struct QuestView {
    id: i64,
    #[schema(example = "Diário em dia")]
    title: String,
    quest_type: QuestTypeView,
    #[schema(example = "Registre 3 lançamentos hoje.")]
    description: String,
    /// The progress in the present day, week or month; at most `target`.
    #[schema(example = 2)]
    progress: u32,
    #[schema(example = 3)]
    target: u32,
    /// XP for completing it.
    #[schema(example = 20)]
    xp: u32,
    /// When it was completed in the present day, week or month.
    completed_at: Option<InstantView>,
}

type QuestTypeView = WordView<Period>;

impl From<QuestState> for QuestView {
    fn from(state: QuestState) -> Self {
        QuestView {
            id: state.quest.id.0,
            title: state.quest.title,
            quest_type: state.quest.period.into(),
            description: state.quest.description,
            progress: state.progress,
            target: state.quest.target,
            xp: state.quest.xp,
            completed_at: state.completed_at.map(InstantView),
        }
    }
}

/// The quests, with their progress today.
#[utoipa::path(tag = "gamification", responses((status = 200, body = [QuestView])))]
#[get("/api/gamification/quests")]
pub(crate) async fn quests(service: Shared, user: Authenticated) -> Reply<Json<Vec<QuestView>>> {
    let context = service.context();
    let quests = service.read(user.caller, move |repo| gamification::quests(repo, &context)).await?;
    Ok(Json(quests.into_iter().map(QuestView::from).collect()))
}

/// An achievement: a fixed one, or that of a category with a budget.
#[derive(Serialize, ToSchema)]
#[schema(as = Achievement)]
pub(crate) struct AchievementView {
    id: i64,
    #[schema(example = "first_transaction")]
    key: String,
    #[schema(example = "Primeiro lançamento")]
    title: String,
    #[schema(example = "Registre seu primeiro lançamento.")]
    description: String,
    /// The category whose budget it is about.
    category_id: Option<i64>,
    /// XP for earning it.
    #[schema(example = 20)]
    xp: u32,
    earned_at: Option<InstantView>,
}

impl From<AchievementState> for AchievementView {
    fn from(state: AchievementState) -> Self {
        AchievementView {
            id: state.id.0,
            key: state.key,
            title: state.title,
            description: state.description,
            category_id: state.category_id.map(|id| id.0),
            xp: state.xp,
            earned_at: state.earned_at.map(InstantView),
        }
    }
}

/// The fixed achievements, earned or not, then those of the caller's categories with a budget.
#[utoipa::path(tag = "gamification", responses((status = 200, body = [AchievementView])))]
#[get("/api/gamification/achievements")]
pub(crate) async fn achievements(service: Shared, user: Authenticated) -> Reply<Json<Vec<AchievementView>>> {
    let context = service.context();
    let achievements = service.read(user.caller, move |repo| gamification::achievements(repo, &context)).await?;
    Ok(Json(achievements.into_iter().map(AchievementView::from).collect()))
}

/// A cosmetic.
#[derive(Serialize, ToSchema)]
#[schema(as = Cosmetic)]
pub(crate) struct CosmeticView {
    id: i64,
    #[schema(example = "Camiseta verde")]
    name: String,
    #[serde(rename = "type")]
    kind: CosmeticTypeView,
    /// Its look: the value of a sprite's `hair_shape`, `shirt_shape`, `pants_shape` or `shoes_shape`, by its type.
    #[schema(example = "tee")]
    shape: String,
    /// The colours that it sets in the theme, as `#rrggbb` by name.
    colors: BTreeMap<String, String>,
    /// The level that unlocks it.
    #[schema(example = 2)]
    required_level: u8,
    /// Whether the caller's level unlocks it.
    owned: bool,
    equipped: bool,
}

type CosmeticTypeView = WordView<CosmeticKind>;

impl From<CosmeticState> for CosmeticView {
    fn from(state: CosmeticState) -> Self {
        let cosmetic = state.cosmetic;
        CosmeticView {
            id: cosmetic.id.0,
            name: cosmetic.name,
            kind: cosmetic.kind.into(),
            shape: cosmetic.shape,
            colors: colors(&cosmetic.colors),
            required_level: cosmetic.required_level,
            owned: state.is_owned,
            equipped: state.is_equipped,
        }
    }
}

/// The cosmetics, owned or not.
#[utoipa::path(tag = "gamification", responses((status = 200, body = [CosmeticView])))]
#[get("/api/gamification/cosmetics")]
pub(crate) async fn cosmetics(service: Shared, user: Authenticated) -> Reply<Json<Vec<CosmeticView>>> {
    let context = service.context();
    let cosmetics = service.read(user.caller, move |repo| gamification::cosmetics(repo, &context)).await?;
    Ok(Json(cosmetics.into_iter().map(CosmeticView::from).collect()))
}

/// Equips an owned cosmetic. It replaces the equipped one of the same type.
#[utoipa::path(tag = "gamification",
    responses((status = 200, body = CosmeticView), (status = 409, description = "`ErrCosmeticLocked`")))]
#[post("/api/gamification/cosmetics/{id}/equip")]
pub(crate) async fn equip(service: Shared, id: Path<i64>, idempotent: Idempotent) -> Reply {
    let context = service.context();
    let work = move |repo: &mut dyn Repo| gamification::equip(repo, &context, CosmeticId(*id));
    idempotent.post.write(&service, work, |cosmetic| answered(StatusCode::OK, CosmeticView::from(cosmetic))).await
}

/// Unequips a cosmetic. No effect if it is not equipped.
#[utoipa::path(tag = "gamification", responses((status = 200, body = CosmeticView)))]
#[post("/api/gamification/cosmetics/{id}/unequip")]
pub(crate) async fn unequip(service: Shared, id: Path<i64>, idempotent: Idempotent) -> Reply {
    let context = service.context();
    let work = move |repo: &mut dyn Repo| gamification::unequip(repo, &context, CosmeticId(*id));
    idempotent.post.write(&service, work, |cosmetic| answered(StatusCode::OK, CosmeticView::from(cosmetic))).await
}
