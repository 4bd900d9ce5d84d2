//! Templates: drawings in SVG with named slots.

use std::collections::BTreeMap;

/// A drawing in SVG, or a part of one, with named slots: `{{shirt}}` stands for what is drawn there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template {
    pieces: Vec<Piece>,
}

/// Templates by name.
pub type Templates = BTreeMap<String, Template>;

#[derive(Debug, Clone, PartialEq, Eq)]
enum Piece {
    Text(String),
    Slot(String),
}

impl Template {
    /// Reads a template.
    ///
    /// ```
    /// use finance_drawings::Template;
    ///
    /// let template = Template::parse(r#"<circle r="9" fill="{{shirt}}"/>"#)?;
    /// assert_eq!(template.slots().collect::<Vec<_>>(), ["shirt"]);
    /// assert_eq!(template.fill(|_| "#2b7a78".into()), r##"<circle r="9" fill="#2b7a78"/>"##);
    /// assert!(Template::parse(r#"<circle fill="{{shirt"/>"#).is_err());
    /// # Ok::<(), &'static str>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If a slot does not end.
    pub fn parse(svg: &str) -> Result<Self, &'static str> {
        let mut pieces = Vec::new();
        let mut rest = svg;
        while let Some((text, after)) = rest.split_once("{{") {
            let (name, after) = after.split_once("}}").ok_or("has {{ without }}")?;
            pieces.push(Piece::Text(text.to_string()));
            pieces.push(Piece::Slot(name.to_string()));
            rest = after;
        }
        pieces.push(Piece::Text(rest.to_string()));
        Ok(Template { pieces })
    }

    /// The names of its slots, in their order.
    pub fn slots(&self) -> impl Iterator<Item = &str> {
        self.pieces.iter().filter_map(|piece| match piece {
            Piece::Text(_) => None,
            Piece::Slot(name) => Some(name.as_str()),
        })
    }

    /// The drawing, with each slot replaced by what the function returns for its name.
    pub fn fill(&self, mut content: impl FnMut(&str) -> String) -> String {
        let mut svg = String::new();
        for piece in &self.pieces {
            match piece {
                Piece::Text(text) => svg.push_str(text),
                Piece::Slot(name) => svg.push_str(&content(name)),
            }
        }
        svg
    }
}
