use std::collections::BTreeMap;

use time::macros::date;

use super::{Catalog, CatalogParts};
use crate::gamification::achievements::{Achievement, CategoryAchievement, Condition};
use crate::gamification::actions::{Action, ActionReward, Advance, Award, Standing};
use crate::gamification::colors::{Color, Colors};
use crate::gamification::cosmetics::{Cosmetic, CosmeticKind};
use crate::gamification::periods::Period;
use crate::gamification::quests::Quest;
use crate::gamification::{drawable, levels};
use crate::ids::{AchievementId, CosmeticId, QuestId};
use crate::words::Word;

const REWARD: ActionReward = ActionReward { xp: 10, daily_cap: 5 };

fn quest(id: i64, period: Period, action: Action, target: u32) -> Quest {
    Quest { id: QuestId(id), title: format!("Missão {id}"), description: "x".into(), period, action, target, xp: 20 }
}

fn achievement(id: i64, condition: Condition) -> Achievement {
    let (key, title, description) = (format!("key_{id}"), "x".into(), "x".into());
    Achievement { id: AchievementId(id), key, title, description, condition, xp: 50 }
}

fn parts() -> CatalogParts {
    let colors = || Colors::from_iter([("hair", Color::BLACK)]);
    let shape = || "plain".to_string();
    let cosmetics = CosmeticKind::ALL.iter().copied().zip(1..).map(|(kind, id)| Cosmetic {
        id: CosmeticId(id),
        name: "x".into(),
        kind,
        shape: shape(),
        colors: colors(),
        required_level: 1,
    });
    CatalogParts {
        levels: levels::tests::curve(),
        actions: Action::ALL.iter().filter(|action| !action.is_derived()).map(|action| (*action, REWARD)).collect(),
        quests: vec![
            quest(1, Period::Daily, Action::TransactionCreated, 2),
            quest(2, Period::Once, Action::QuestCompleted, 1),
        ],
        achievements: vec![
            achievement(1, Condition::Count(Action::TransactionCreated, 1)),
            achievement(2, Condition::Level(2)),
        ],
        category_achievement: CategoryAchievement { title: "{category}".into(), description: "x".into() },
        cosmetics: cosmetics.collect(),
        theme: drawable::tests::theme(),
        drawable: drawable::tests::drawable(),
    }
}

#[test]
fn what_one_goal_brings_may_be_what_another_waits_for() {
    let catalog = Catalog::new(parts()).unwrap();
    let today = date!(2026 - 02 - 02);
    let mut standing = Standing::default();
    let subjects = |awards: &[Award]| awards.iter().map(|award| award.subject.clone()).collect::<Vec<_>>();

    standing.count_award(&Award::new(Action::TransactionCreated, "a", REWARD), today);
    let first = catalog.newly_reached(standing.clone(), today);
    assert_eq!(subjects(&first), ["key_1"], "10 + 50 XP are no level 2");
    for award in &first {
        standing.count_award(award, today);
        standing.given.insert((award.action, award.subject.clone()), time::OffsetDateTime::UNIX_EPOCH);
    }

    standing.count_award(&Award::new(Action::TransactionCreated, "b", REWARD), today);
    // The daily quest completes the one that counts quests; their 40 XP make level 2.
    assert_eq!(subjects(&catalog.newly_reached(standing, today)), ["1 2026-02-02", "2", "key_2"]);
}

#[test]
fn goals_are_looked_for_when_one_may_be_reached() {
    let catalog = Catalog::new(parts()).unwrap();
    let (monday, tuesday) = (date!(2026 - 02 - 02), date!(2026 - 02 - 03));
    let mut standing = Standing::default();
    let mut may_reach = |action, times, day| {
        let before = standing.clone();
        (0..times).for_each(|_| standing.count_award(&Award::new(action, "a", REWARD), day));
        catalog.may_reach(&Advance { before, after: standing.clone() }, day)
    };
    assert!(may_reach(Action::TransactionCreated, 1, monday), "the first transaction");
    assert!(may_reach(Action::TransactionCreated, 1, monday), "the second one of the day");
    assert!(!may_reach(Action::TransactionCreated, 1, monday));
    assert!(!may_reach(Action::AccountCreated, 1, monday), "no goal counts accounts");
    assert!(may_reach(Action::AccountCreated, 20, monday), "a level");
    assert!(may_reach(Action::AccountCreated, 1, tuesday), "the catalog may have changed since the day before");
    assert!(!may_reach(Action::AccountCreated, 1, tuesday));
    assert!(!may_reach(Action::TransactionCreated, 1, tuesday));
    assert!(may_reach(Action::TransactionCreated, 1, tuesday), "the daily quest again");
    assert!(may_reach(Action::QuestCompleted, 1, tuesday));
    assert!(!may_reach(Action::QuestCompleted, 1, tuesday));
}

#[test]
fn a_catalog_that_does_not_hold_together_is_refused_by_part_and_key() {
    type Spoil = fn(&mut CatalogParts);
    let cases: [(Spoil, &str, &str); 16] = [
        (|parts| parts.levels[3].sprite = "nada".into(), "levels", "level[3].sprite"),
        (|parts| parts.levels[3].xp = 0, "levels", "level[3].xp"),
        (|parts| parts.actions.retain(|action, _| *action != Action::BillPaid), "actions", "bill_paid"),
        (|parts| parts.actions.extend([(Action::QuestCompleted, REWARD)]), "actions", "quest_completed"),
        (
            |parts| parts.actions.extend([(Action::BillPaid, ActionReward { xp: 1, daily_cap: 0 })]),
            "actions",
            "bill_paid.daily_cap",
        ),
        (|parts| parts.quests[1].id = QuestId(1), "quests", "quest[1].id"),
        (|parts| parts.quests[0].target = 6, "quests", "quest[0].target"),
        (
            |parts| {
                parts.quests.push(Quest { title: "Missão 1".into(), ..quest(3, Period::Daily, Action::BillPaid, 1) });
            },
            "quests",
            "quest[2].title",
        ),
        (|parts| parts.achievements[1].id = AchievementId(1), "achievements", "achievement[1].id"),
        (|parts| parts.achievements[1].id = AchievementId(1_000_000), "achievements", "achievement[1].id"),
        (|parts| parts.achievements[1].key = "key_1".into(), "achievements", "achievement[1].key"),
        (|parts| parts.achievements[1].condition = Condition::Level(16), "achievements", "achievement[1].level"),
        (|parts| parts.cosmetics[0].required_level = 0, "cosmetics", "cosmetic[0].required_level"),
        (|parts| drop(parts.cosmetics.pop()), "cosmetics", "cosmetic"),
        (|parts| parts.cosmetics[1].shape = "hat".into(), "cosmetics", "cosmetic[1].shape"),
        (
            |parts| parts.cosmetics[0].colors = Colors::from_iter([("heir", Color::BLACK)]),
            "cosmetics",
            "cosmetic[0].colors.heir",
        ),
    ];
    for (spoil, part, key) in cases {
        let mut parts = parts();
        spoil(&mut parts);
        let error = Catalog::new(parts).unwrap_err();
        assert_eq!((error.part, error.key.as_str()), (part, key), "{error}");
    }
    assert!(Catalog::new(CatalogParts { actions: BTreeMap::new(), ..parts() }).is_err());
}
