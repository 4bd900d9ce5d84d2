//! Use cases of XP, quests, achievements and cosmetics.

use time::Date;

use crate::context::Context;
use crate::dashboard::MonthTotals;
use crate::error::{Error, Refusal, Result};
use crate::gamification::{
    Achievement, AchievementState, Action, Appearance, AppearanceInput, Award, Awarded, Catalog, Cosmetic,
    CosmeticState, Equipped, Event, Player, Progress, QuestState, XpEvent,
};
use crate::ids::{CosmeticId, XpEventId};
use crate::money::Percentage;
use crate::month::Month;
use crate::store::Repo;

/// Awards what a use case did, in the use case's transaction.
///
/// It also checks the last complete month, and awards the budgets that were kept in it. It costs one statement, whatever the
/// action earned; three if a quest or an achievement may be reached, and two more if budgets were kept.
///
/// # Errors
///
/// As [`Store::transact`](crate::Store::transact). It is no error if something was awarded before.
pub fn notify(repo: &mut dyn Repo, context: &Context, events: &[Event<'_>]) -> Result<()> {
    let Context { today, ref catalog, .. } = *context;
    let month = last_complete_month(today);
    let mut awards = Vec::with_capacity(events.len());
    for event in events {
        awards.push(award(catalog, event)?);
    }
    let Awarded { mut advance, has_kept_budgets } = repo.award_insert(&awards, month, today)?;
    if has_kept_budgets {
        let kept = kept_budgets(repo, catalog, month)?;
        let later = repo.award_insert(&kept, month, today)?.advance;
        advance = match (advance, later) {
            (Some(first), Some(later)) => Some(first.and(later)),
            (first, later) => first.or(later),
        };
    }
    if !advance.is_some_and(|advance| catalog.may_reach(&advance, today)) {
        return Ok(());
    }
    let standing = repo.standing(&catalog.goal_awards(today))?;
    let reached = catalog.newly_reached(standing, today);
    if !reached.is_empty() {
        repo.award_insert(&reached, month, today)?;
    }
    Ok(())
}

/// Records the budgets that were kept in a month, and returns their awards.
fn kept_budgets(repo: &mut dyn Repo, catalog: &Catalog, month: Month) -> Result<Vec<Award>> {
    let action = Action::CategoryBudgetKept;
    let reward = catalog.reward(action)?;
    let names = repo.budgets_kept_insert(month)?;
    Ok(names.iter().map(|name| Award::new(action, Event::CategoryBudgeted { name }.subject(), reward)).collect())
}

fn award(catalog: &Catalog, event: &Event<'_>) -> Result<Award> {
    let action = event.action();
    Ok(Award::new(action, event.subject(), catalog.reward(action)?))
}

fn last_complete_month(today: Date) -> Month {
    Month::of(today).minus(1)
}

/// Whether reading a month earns something: it is not in the future and met the savings goal, or a budget was kept in the last
/// complete month, which needs one. Reads only. If it is true, call [`award_month`] in a transaction that writes.
pub(crate) fn month_earns(
    repo: &mut dyn Repo,
    context: &Context,
    totals: &MonthTotals,
    goal: Percentage,
    has_budgets: bool,
) -> Result<bool> {
    let (today, month) = (context.today, totals.month);
    let goal_met = totals.savings_pct().is_some_and(|pct| pct >= goal);
    let award = match goal_met && month <= Month::of(today) {
        true => Some(award(&context.catalog, &Event::SavingsChecked { month })?),
        false => None,
    };
    if award.is_none() && !has_budgets {
        return Ok(false);
    }
    repo.check_due(last_complete_month(today), award.as_ref(), today)
}

/// Reads a month again, and awards what it earns.
pub(crate) fn award_month(repo: &mut dyn Repo, context: &Context, month: Month) -> Result<()> {
    let goal = repo.settings_get()?.savings_goal_pct;
    let totals = repo.month_figures(month, month)?.totals;
    let goal_met = totals.iter().any(|totals| totals.savings_pct().is_some_and(|pct| pct >= goal));
    if goal_met && month <= Month::of(context.today) {
        notify(repo, context, &[Event::SavingsChecked { month }])
    } else {
        notify(repo, context, &[])
    }
}

/// The caller's level, XP, theme and equipped cosmetics.
pub fn profile(repo: &mut dyn Repo, context: &Context) -> Result<Player> {
    let catalog = &context.catalog;
    let xp = repo.standing(&[])?.xp();
    let mut equipped = repo.equipped()?;
    // A cosmetic that is no longer in the catalog is ignored.
    equipped.retain(|_, id| catalog.cosmetic(*id).is_some());
    let Progress { level, xp_into_level, xp_to_next_level } = catalog.levels().progress(xp);
    let look = catalog.look(appearance(repo, context)?, &equipped);
    Ok(Player { level: level.clone(), xp, xp_into_level, xp_to_next_level, look, equipped })
}

/// The caller's XP events, newest first.
pub fn xp_events(repo: &mut dyn Repo, after: Option<XpEventId>, limit: u32) -> Result<Vec<XpEvent>> {
    repo.xp_event_list(after, limit)
}

/// The quests of the catalog, with the caller's progress today.
pub fn quests(repo: &mut dyn Repo, context: &Context) -> Result<Vec<QuestState>> {
    let Context { today, ref catalog, .. } = *context;
    let awards: Vec<Award> = catalog.quests().iter().map(|quest| quest.award(today)).collect();
    let standing = repo.standing(&awards)?;
    let quests = catalog.quests().iter().zip(&awards);
    Ok(quests
        .map(|(quest, award)| QuestState {
            quest: quest.clone(),
            progress: quest.progress(&standing, today),
            completed_at: standing.given_at(award),
        })
        .collect())
}

/// The fixed achievements, earned or not, and those of the caller's categories with a budget.
///
/// A category has an achievement while it has a budget, or once it has earned it.
pub fn achievements(repo: &mut dyn Repo, context: &Context) -> Result<Vec<AchievementState>> {
    let catalog = &context.catalog;
    let awards: Vec<Award> = catalog.achievements().iter().map(Achievement::award).collect();
    let standing = repo.standing(&awards)?;
    let fixed = catalog.achievements().iter().zip(&awards);
    let mut states: Vec<_> =
        fixed.map(|(achievement, award)| AchievementState::fixed(achievement, standing.given_at(award))).collect();
    let xp = catalog.reward(Action::CategoryBudgetKept)?.xp;
    let categories = repo.budgeted_category_list()?;
    let texts = catalog.category_achievement();
    states.extend(categories.into_iter().map(|category| AchievementState::of_category(category, texts, xp)));
    Ok(states)
}

/// The cosmetics of the catalog, each with whether the caller owns it and has it equipped.
pub fn cosmetics(repo: &mut dyn Repo, context: &Context) -> Result<Vec<CosmeticState>> {
    let catalog = &context.catalog;
    let level = level(repo, catalog)?;
    let equipped = repo.equipped()?;
    Ok(catalog.cosmetics().iter().map(|cosmetic| state(cosmetic, level, &equipped)).collect())
}

/// Equips a cosmetic that the caller owns, in place of another of the same kind.
///
/// # Errors
///
/// [`Error::NotFound`], or [`Refusal::CosmeticLocked`] if the level does not unlock it yet.
pub fn equip(repo: &mut dyn Repo, context: &Context, id: CosmeticId) -> Result<CosmeticState> {
    let catalog = &context.catalog;
    let cosmetic = catalog.cosmetic(id).ok_or(Error::NotFound("cosmetic"))?;
    let level = level(repo, catalog)?;
    if cosmetic.required_level > level {
        return Err(Refusal::CosmeticLocked.into());
    }
    repo.equipped_put(cosmetic.kind, id)?;
    Ok(state(cosmetic, level, &Equipped::from([(cosmetic.kind, id)])))
}

/// Unequips a cosmetic. Changes nothing if it is not equipped.
///
/// # Errors
///
/// [`Error::NotFound`].
pub fn unequip(repo: &mut dyn Repo, context: &Context, id: CosmeticId) -> Result<CosmeticState> {
    let catalog = &context.catalog;
    let cosmetic = catalog.cosmetic(id).ok_or(Error::NotFound("cosmetic"))?;
    repo.equipped_delete(id)?;
    Ok(state(cosmetic, level(repo, catalog)?, &Equipped::new()))
}

/// The appearance of the caller's figure: the chosen one, or the default.
pub fn appearance(repo: &mut dyn Repo, context: &Context) -> Result<Appearance> {
    Ok(context.catalog.drawable().appearance(repo.appearance_get()?))
}

/// Replaces the appearance of the caller's figure.
///
/// # Errors
///
/// [`Error::Invalid`].
pub fn update_appearance(repo: &mut dyn Repo, context: &Context, input: AppearanceInput) -> Result<Appearance> {
    let appearance = input.check(&context.catalog.drawable().choices)?;
    repo.appearance_put(&appearance)?;
    Ok(appearance)
}

fn level(repo: &mut dyn Repo, catalog: &Catalog) -> Result<u8> {
    Ok(catalog.levels().progress(repo.standing(&[])?.xp()).level.number)
}

fn state(cosmetic: &Cosmetic, level: u8, equipped: &Equipped) -> CosmeticState {
    CosmeticState {
        cosmetic: cosmetic.clone(),
        is_owned: cosmetic.required_level <= level,
        is_equipped: equipped.get(&cosmetic.kind) == Some(&cosmetic.id),
    }
}
