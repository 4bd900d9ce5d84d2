//! The catalog of `config/gamification/`: levels, actions, quests, achievements and cosmetics.

mod drawings;

use std::collections::BTreeMap;

use anyhow::{Context, Result, anyhow};
use finance_domain::gamification::{
    Achievement, Action, ActionReward, Catalog, CatalogParts, CategoryAchievement, Color, Colors, Condition, Cosmetic,
    CosmeticKind, Level, Period, Quest,
};
use finance_domain::{AchievementId, CosmeticId, QuestId};
use finance_drawings::Drawings;
use serde::Deserialize;
use serde::de::DeserializeOwned;

const FOLDER: &str = "config/gamification";

/// The files, built into the program.
struct Sources<'a> {
    levels: &'a str,
    actions: &'a str,
    quests: &'a str,
    achievements: &'a str,
    cosmetics: &'a str,
    theme: &'a str,
    drawings: drawings::Sources<'a>,
}

const SHIPPED: Sources<'_> = Sources {
    levels: include_str!("../../../../config/gamification/levels.toml"),
    actions: include_str!("../../../../config/gamification/actions.toml"),
    quests: include_str!("../../../../config/gamification/quests.toml"),
    achievements: include_str!("../../../../config/gamification/achievements.toml"),
    cosmetics: include_str!("../../../../config/gamification/cosmetics.toml"),
    theme: include_str!("../../../../config/gamification/theme.toml"),
    drawings: drawings::SHIPPED,
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LevelsFile {
    level: Vec<LevelEntry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LevelEntry {
    number: u8,
    xp: u64,
    title: String,
    sprite: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ActionEntry {
    xp: u32,
    daily_cap: u32,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct QuestsFile {
    quest: Vec<QuestEntry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct QuestEntry {
    id: i64,
    title: String,
    quest_type: String,
    description: String,
    action: String,
    target: u32,
    xp: u32,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AchievementsFile {
    category_budget: CategoryBudgetEntry,
    achievement: Vec<AchievementEntry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CategoryBudgetEntry {
    title: String,
    description: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AchievementEntry {
    id: i64,
    key: String,
    title: String,
    description: String,
    action: Option<String>,
    count: Option<u32>,
    level: Option<u8>,
    xp: u32,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CosmeticsFile {
    cosmetic: Vec<CosmeticEntry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CosmeticEntry {
    id: i64,
    name: String,
    #[serde(rename = "type")]
    kind: String,
    shape: String,
    required_level: u8,
    colors: BTreeMap<String, String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ThemeFile {
    colors: BTreeMap<String, String>,
}

/// The catalog from the files.
///
/// # Errors
///
/// If a file of `config/gamification/` is invalid. The message names the file and the key.
pub fn gamification() -> Result<Catalog> {
    read(&SHIPPED)
}

/// The drawings from the files.
///
/// # Errors
///
/// As [`gamification`].
pub fn drawings() -> Result<Drawings> {
    drawings::read(&SHIPPED.drawings, &theme(&SHIPPED)?)
}

fn theme(sources: &Sources<'_>) -> Result<Colors> {
    in_file("theme", sources.theme, |file: ThemeFile| colors("colors", file.colors))
}

fn read(sources: &Sources<'_>) -> Result<Catalog> {
    let theme = theme(sources)?;
    let parts = CatalogParts {
        levels: in_file("levels", sources.levels, levels)?,
        actions: in_file("actions", sources.actions, actions)?,
        quests: in_file("quests", sources.quests, quests)?,
        achievements: in_file("achievements", sources.achievements, achievements)?,
        category_achievement: in_file("achievements", sources.achievements, category_achievement)?,
        cosmetics: in_file("cosmetics", sources.cosmetics, cosmetics)?,
        drawable: drawings::read(&sources.drawings, &theme)?.drawable().clone(),
        theme,
    };
    Catalog::new(parts).map_err(|error| anyhow!("{FOLDER}/{}.toml: {error}", error.part))
}

/// Parses a file. Errors name it.
fn in_file<F: DeserializeOwned, T>(name: &str, text: &str, read: impl FnOnce(F) -> Result<T>) -> Result<T> {
    let file = || format!("{FOLDER}/{name}.toml");
    read(toml::from_str(text).with_context(file)?).with_context(file)
}

fn levels(file: LevelsFile) -> Result<Vec<Level>> {
    let level = |LevelEntry { number, xp, title, sprite }| Level { number, xp, title, sprite };
    Ok(file.level.into_iter().map(level).collect())
}

fn actions(file: BTreeMap<String, ActionEntry>) -> Result<BTreeMap<Action, ActionReward>> {
    file.into_iter()
        .map(|(word, ActionEntry { xp, daily_cap })| Ok((action(&word, &word)?, ActionReward { xp, daily_cap })))
        .collect()
}

fn quests(file: QuestsFile) -> Result<Vec<Quest>> {
    file.quest
        .into_iter()
        .enumerate()
        .map(|(at, entry)| {
            let period = entry.quest_type.parse::<Period>();
            Ok(Quest {
                id: QuestId(entry.id),
                title: entry.title,
                description: entry.description,
                period: period.map_err(|_| unknown(&format!("quest[{at}].quest_type"), &entry.quest_type))?,
                action: action(&format!("quest[{at}].action"), &entry.action)?,
                target: entry.target,
                xp: entry.xp,
            })
        })
        .collect()
}

fn achievements(file: AchievementsFile) -> Result<Vec<Achievement>> {
    file.achievement
        .into_iter()
        .enumerate()
        .map(|(at, entry)| {
            let condition = match (entry.action, entry.count, entry.level) {
                (Some(word), Some(count), None) => {
                    Condition::Count(action(&format!("achievement[{at}].action"), &word)?, count)
                }
                (None, None, Some(level)) => Condition::Level(level),
                _ => return Err(anyhow!("achievement[{at}] must have an action and its count, or a level")),
            };
            Ok(Achievement {
                id: AchievementId(entry.id),
                key: entry.key,
                title: entry.title,
                description: entry.description,
                condition,
                xp: entry.xp,
            })
        })
        .collect()
}

fn category_achievement(file: AchievementsFile) -> Result<CategoryAchievement> {
    let CategoryBudgetEntry { title, description } = file.category_budget;
    Ok(CategoryAchievement { title, description })
}

fn cosmetics(file: CosmeticsFile) -> Result<Vec<Cosmetic>> {
    file.cosmetic
        .into_iter()
        .enumerate()
        .map(|(at, entry)| {
            let kind = entry.kind.parse::<CosmeticKind>();
            Ok(Cosmetic {
                id: CosmeticId(entry.id),
                name: entry.name,
                kind: kind.map_err(|_| unknown(&format!("cosmetic[{at}].type"), &entry.kind))?,
                colors: colors(&format!("cosmetic[{at}].colors"), entry.colors)?,
                shape: entry.shape,
                required_level: entry.required_level,
            })
        })
        .collect()
}

fn colors(key: &str, entries: BTreeMap<String, String>) -> Result<Colors> {
    entries
        .into_iter()
        .map(|(name, text)| {
            let color: Color = text.parse().map_err(|message| anyhow!("{key}.{name} {message}, not {text:?}"))?;
            Ok((name, color))
        })
        .collect()
}

fn action(key: &str, word: &str) -> Result<Action> {
    word.parse().map_err(|_| unknown(key, word))
}

fn unknown(key: &str, word: &str) -> anyhow::Error {
    anyhow!("{key} is unknown: {word:?}")
}

#[cfg(test)]
mod tests {
    use finance_domain::Word;

    use super::*;

    #[test]
    fn the_shipped_catalog_holds_together_and_has_enough() {
        let catalog = gamification().unwrap();
        assert!(catalog.quests().len() >= 12);
        for period in Period::ALL.iter().copied() {
            assert!(catalog.quests().iter().any(|quest| quest.period == period), "{period:?}");
        }
        assert!(catalog.achievements().len() >= 15);
        assert!(catalog.cosmetics().len() >= 24);
        let keys: Vec<_> = catalog.achievements().iter().map(|achievement| achievement.key.as_str()).collect();
        assert!(!keys.contains(&"veleiro_under_500") && !keys.contains(&"health_3months"));
    }

    #[test]
    fn every_kind_has_something_to_wear_from_the_start() {
        let catalog = gamification().unwrap();
        for kind in CosmeticKind::ALL.iter().copied() {
            let mut of_kind = catalog.cosmetics().iter().filter(|cosmetic| cosmetic.kind == kind);
            assert!(of_kind.any(|cosmetic| cosmetic.required_level == 1), "{kind:?}");
        }
    }

    const WITH_A_STRANGE_COLOUR: &str = "[[cosmetic]]\nid = 1\nname = 'x'\ntype = 'hair'\nshape = 'plain'\nrequired_level = 1\n\
        colors = { heir = '#000000' }";

    #[test]
    fn what_is_wrong_is_named_by_file_and_key() {
        type Spoil = fn(&mut Sources<'static>);
        let cases: [(Spoil, &str, &str); 11] = [
            (|sources| sources.levels = "[[level]]\nnumber = 1\nxp = 0", "levels.toml", "title"),
            (|sources| sources.levels = "level = []", "levels.toml", "level"),
            (|sources| sources.actions = "[sleep]\nxp = 1\ndaily_cap = 1", "actions.toml", "sleep"),
            (|sources| sources.actions = "[bill_paid]\nxp = 1\ndaily_cap = 1", "actions.toml", "transaction_created"),
            (|sources| sources.quests = "[[quest]]\nid = 1\nname = 'x'", "quests.toml", "name"),
            (|sources| sources.theme = "[colors]\nhair = 'brown'", "theme.toml", "colors.hair"),
            (|sources| sources.theme = "[colors]\nskin = '#d9a679'", "sprites/frame.svg", "background"),
            (|sources| sources.cosmetics = WITH_A_STRANGE_COLOUR, "cosmetics.toml", "colors.heir"),
            (|sources| sources.drawings.scenes = &[("semente", "{{heir}}")], "sprites/semente.svg", "heir"),
            (|sources| sources.drawings.appearance = "skin = []", "sprites/appearance.toml", "default"),
            (|sources| sources.drawings.poses = "[rest]\nhead = 5", "sprites/poses.toml", "head"),
        ];
        for (spoil, file, key) in cases {
            let mut sources = SHIPPED;
            spoil(&mut sources);
            let error = format!("{:#}", read(&sources).unwrap_err());
            assert!(error.contains(&format!("{FOLDER}/{file}")) && error.contains(key), "{error}");
        }
    }
}
