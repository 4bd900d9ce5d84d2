//! Sprites: drawings whose colours are replaced.

use crate::gamification::colors::{Color, Colors};
use crate::gamification::subjects::digest;

/// A drawing in SVG whose colours are named: `{{shirt}}` stands for the colour `shirt`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sprite {
    parts: Vec<Part>,
    version: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    Text(String),
    Color(String),
}

impl Sprite {
    /// Reads a drawing.
    ///
    /// ```
    /// use finance_domain::gamification::{Color, Colors, Sprite};
    ///
    /// let sprite = Sprite::parse(r#"<circle r="9" fill="{{shirt}}"/>"#)?;
    /// assert_eq!(sprite.color_names().collect::<Vec<_>>(), ["shirt"]);
    ///
    /// let colors = Colors::from_iter([("shirt", "#2b7a78".parse::<Color>()?)]);
    /// assert_eq!(sprite.render(&colors), r##"<circle r="9" fill="#2b7a78"/>"##);
    /// assert!(Sprite::parse(r#"<circle fill="{{shirt"/>"#).is_err());
    /// # Ok::<(), &'static str>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Where a place for a colour does not end.
    pub fn parse(svg: &str) -> Result<Self, &'static str> {
        let mut parts = Vec::new();
        let mut rest = svg;
        while let Some((text, after)) = rest.split_once("{{") {
            let (name, after) = after.split_once("}}").ok_or("a {{ without its }}")?;
            parts.push(Part::Text(text.to_string()));
            parts.push(Part::Color(name.to_string()));
            rest = after;
        }
        parts.push(Part::Text(rest.to_string()));
        Ok(Sprite { parts, version: digest([svg]) })
    }

    /// The drawing in those colours; a colour that is not among them is black.
    pub fn render(&self, colors: &Colors) -> String {
        let mut svg = String::new();
        for part in &self.parts {
            match part {
                Part::Text(text) => svg.push_str(text),
                Part::Color(name) => svg.push_str(&colors.get(name).unwrap_or(Color::BLACK).to_string()),
            }
        }
        svg
    }

    /// The names of its colours, each once, sorted.
    pub fn color_names(&self) -> impl Iterator<Item = &str> {
        let mut names: Vec<&str> = self
            .parts
            .iter()
            .filter_map(|part| match part {
                Part::Text(_) => None,
                Part::Color(name) => Some(name.as_str()),
            })
            .collect();
        names.sort_unstable();
        names.dedup();
        names.into_iter()
    }

    /// A digest that changes with the drawing, so that clients may cache it for ever.
    pub fn version(&self) -> &str {
        &self.version
    }
}
