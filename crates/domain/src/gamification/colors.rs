//! Colours and themes. A theme is the base colours, overridden by those of the equipped cosmetics.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use crate::violations::Violation;

/// A colour, as `#rrggbb`.
///
/// ```
/// use finance_domain::gamification::Color;
///
/// let color: Color = "#1A2b3C".parse()?;
/// assert_eq!(color.to_string(), "#1a2b3c");
/// assert!("red".parse::<Color>().is_err());
/// assert!("#12345é".parse::<Color>().is_err());
/// # Ok::<(), finance_domain::Violation>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Color([u8; 3]);

impl Color {
    /// Black.
    pub const BLACK: Color = Color([0; 3]);
}

impl FromStr for Color {
    type Err = Violation;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let digits = text.strip_prefix('#').filter(|digits| digits.len() == 6).ok_or(Violation::InvalidColor)?;
        if !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
            return Err(Violation::InvalidColor);
        }
        let rgb = u32::from_str_radix(digits, 16).map_err(|_| Violation::InvalidColor)?;
        let [_, red, green, blue] = rgb.to_be_bytes();
        Ok(Color([red, green, blue]))
    }
}

impl fmt::Display for Color {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [red, green, blue] = self.0;
        write!(f, "#{red:02x}{green:02x}{blue:02x}")
    }
}

/// Colours by name.
///
/// ```
/// use finance_domain::gamification::{Color, Colors};
///
/// let color = |text: &str| text.parse::<Color>().unwrap();
/// let base = Colors::from_iter([("hair", color("#111111")), ("shirt", color("#222222"))]);
/// let red = Colors::from_iter([("hair", color("#cc2222"))]);
///
/// let theme = base.merged([&red]);
/// assert_eq!(theme.get("hair"), Some(color("#cc2222")));
/// assert_eq!(theme.get("shirt"), Some(color("#222222")), "what nothing covers shows the base");
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Colors(BTreeMap<String, Color>);

impl Colors {
    /// The colour of that name.
    pub fn get(&self, name: &str) -> Option<Color> {
        self.0.get(name).copied()
    }

    /// The colours, by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, Color)> {
        self.0.iter().map(|(name, color)| (name.as_str(), *color))
    }

    /// These colours merged with others. Later ones override earlier ones.
    pub fn merged<'a>(&self, others: impl IntoIterator<Item = &'a Colors>) -> Colors {
        let mut merged = self.clone();
        for others in others {
            merged.0.extend(others.0.iter().map(|(name, color)| (name.clone(), *color)));
        }
        merged
    }
}

impl<N: Into<String>> FromIterator<(N, Color)> for Colors {
    fn from_iter<I: IntoIterator<Item = (N, Color)>>(colors: I) -> Self {
        Colors(colors.into_iter().map(|(name, color)| (name.into(), color)).collect())
    }
}
