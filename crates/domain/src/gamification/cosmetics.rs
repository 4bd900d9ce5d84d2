//! Cosmetics, which levels unlock. A profile equips at most one of each kind.

use std::collections::HashMap;

use crate::gamification::colors::Colors;
use crate::ids::CosmeticId;
use crate::words::{Word, words};

words! {
    /// The kind of a cosmetic. The API calls it `type`.
    #[derive(PartialOrd, Ord)]
    pub enum CosmeticKind {
        /// On the head.
        Hair = "hair",
        /// On the upper body.
        Shirt = "shirt",
        /// On the legs.
        Pants = "pants",
        /// On the feet.
        Shoes = "shoes",
    }
}

/// Something to wear.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cosmetic {
    /// Its id in the catalog.
    pub id: CosmeticId,
    /// Its name, in the users' language.
    pub name: String,
    /// Its kind.
    pub kind: CosmeticKind,
    /// Its shape, one of the garments of its kind.
    pub shape: String,
    /// The colours it brings to the theme.
    pub colors: Colors,
    /// The level that unlocks it.
    pub required_level: u8,
}

/// A cosmetic as a profile sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CosmeticState {
    /// The cosmetic.
    pub cosmetic: Cosmetic,
    /// Whether the profile's level unlocks it. XP is never taken away, so this is permanent.
    pub is_owned: bool,
    /// Whether it is equipped.
    pub is_equipped: bool,
}

/// The equipped cosmetics of a profile, at most one of each kind.
pub type Equipped = HashMap<CosmeticKind, CosmeticId>;

/// The theme: the base colours, overridden by those of the equipped cosmetics, kind by kind.
///
/// ```
/// use finance_domain::CosmeticId;
/// use finance_domain::gamification::{Color, Colors, Cosmetic, CosmeticKind, Equipped, theme};
///
/// let color = |text: &str| text.parse::<Color>().unwrap();
/// let base = Colors::from_iter([("shirt", color("#2b7a78")), ("shoes", color("#333333"))]);
/// let red = Cosmetic {
///     id: CosmeticId(7), name: "Camiseta vermelha".into(), kind: CosmeticKind::Shirt, shape: "tee".into(),
///     colors: Colors::from_iter([("shirt", color("#c0392b"))]), required_level: 1,
/// };
/// let equipped = Equipped::from([(CosmeticKind::Shirt, red.id)]);
///
/// let theme = theme(&base, &[red], &equipped);
/// assert_eq!(theme.get("shirt"), Some(color("#c0392b")));
/// assert_eq!(theme.get("shoes"), Some(color("#333333")));
/// ```
pub fn theme(base: &Colors, cosmetics: &[Cosmetic], equipped: &Equipped) -> Colors {
    let worn = CosmeticKind::ALL.iter().filter_map(|kind| {
        let id = equipped.get(kind)?;
        cosmetics.iter().find(|cosmetic| cosmetic.id == *id)
    });
    base.merged(worn.map(|cosmetic| &cosmetic.colors))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gamification::colors::Color;

    fn cosmetic(id: i64, kind: CosmeticKind, colors: &[(&str, &str)]) -> Cosmetic {
        let colors = colors.iter().map(|(name, color)| (*name, color.parse::<Color>().unwrap())).collect();
        Cosmetic { id: CosmeticId(id), name: "x".into(), kind, shape: "plain".into(), colors, required_level: 1 }
    }

    #[test]
    fn colours_of_two_kinds_merge_in_the_order_of_the_kinds() {
        let base = cosmetic(0, CosmeticKind::Hair, &[("accent", "#000000"), ("hair", "#000000")]).colors;
        let cosmetics = [
            cosmetic(1, CosmeticKind::Shoes, &[("accent", "#111111")]),
            cosmetic(2, CosmeticKind::Hair, &[("accent", "#222222"), ("hair", "#222222")]),
        ];
        let equipped = Equipped::from([(CosmeticKind::Shoes, CosmeticId(1)), (CosmeticKind::Hair, CosmeticId(2))]);
        let merged = theme(&base, &cosmetics, &equipped);
        assert_eq!(merged.get("accent").unwrap().to_string(), "#111111");
        assert_eq!(merged.get("hair").unwrap().to_string(), "#222222");
    }

    #[test]
    fn what_the_catalog_has_no_more_is_not_worn() {
        let base = cosmetic(0, CosmeticKind::Hair, &[("hair", "#000000")]).colors;
        assert_eq!(theme(&base, &[], &Equipped::from([(CosmeticKind::Hair, CosmeticId(9))])), base);
    }
}
