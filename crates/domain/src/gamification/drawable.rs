//! What the drawings of the figure can show, by name, and how a figure is drawn.

use std::collections::{BTreeMap, BTreeSet};

use crate::gamification::appearance::{Appearance, AppearanceChoices};
use crate::gamification::colors::{Color, Colors};
use crate::gamification::cosmetics::CosmeticKind;

/// What the drawings can show, by name. A catalog names nothing else. The drawings are made elsewhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Drawable {
    /// The names of the scenes.
    pub scenes: BTreeSet<String>,
    /// The colours of the tones of the skin, by id.
    pub skins: BTreeMap<String, Color>,
    /// The choices of appearance.
    pub choices: AppearanceChoices,
    /// The appearance of a profile that has not chosen one.
    pub default: Appearance,
    /// The shapes of each kind of cosmetic. The first one is worn if nothing of the kind is equipped.
    pub shapes: BTreeMap<CosmeticKind, Vec<String>>,
}

/// How a figure is drawn. The default replaces anything that the drawings do not have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Look {
    /// The colours.
    pub colors: Colors,
    /// The hair style and the body. The skin is one of the colours.
    pub appearance: Appearance,
    /// The shapes of the worn garments, by kind.
    pub shapes: BTreeMap<CosmeticKind, String>,
}

impl Drawable {
    /// The shapes of a kind.
    pub fn shapes(&self, kind: CosmeticKind) -> &[String] {
        self.shapes.get(&kind).map_or(&[], Vec::as_slice)
    }

    /// The stored appearance, or the default. An id that is no longer in the catalog is replaced by that of the default.
    pub fn appearance(&self, stored: Option<Appearance>) -> Appearance {
        let default = &self.default;
        let Some(stored) = stored else { return default.clone() };
        let known = |ids: &[String], id: String, other: &String| if ids.contains(&id) { id } else { other.clone() };
        Appearance {
            skin: known(&self.choices.skin, stored.skin, &default.skin),
            hair_style: known(&self.choices.hair_style, stored.hair_style, &default.hair_style),
            body: known(&self.choices.body, stored.body, &default.body),
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::words::Word;

    pub(in crate::gamification) fn theme() -> Colors {
        Colors::from_iter([("hair", Color::BLACK), ("skin", Color::BLACK)])
    }

    /// One scene, one skin, two hair styles and bodies, and one shape of each kind.
    pub(in crate::gamification) fn drawable() -> Drawable {
        let words = |words: &[&str]| words.iter().map(|word| word.to_string()).collect::<Vec<_>>();
        Drawable {
            scenes: BTreeSet::from(["semente".to_string()]),
            skins: BTreeMap::from([("light".to_string(), Color::BLACK)]),
            choices: AppearanceChoices {
                skin: words(&["light", "dark"]),
                hair_style: words(&["short", "curly"]),
                body: words(&["slim", "broad"]),
            },
            default: Appearance { skin: "light".into(), hair_style: "short".into(), body: "slim".into() },
            shapes: CosmeticKind::ALL.iter().map(|kind| (*kind, words(&["plain"]))).collect(),
        }
    }

    #[test]
    fn a_stored_choice_that_is_gone_is_the_default() {
        let drawable = drawable();
        let stored = Appearance { skin: "dark".into(), hair_style: "mohawk".into(), body: "broad".into() };
        let expected = Appearance { hair_style: "short".into(), ..stored.clone() };
        assert_eq!(drawable.appearance(Some(stored)), expected);
        assert_eq!(drawable.appearance(None), drawable.default);
    }
}
