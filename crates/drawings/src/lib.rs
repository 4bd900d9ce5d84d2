//! The drawings of the levels as SVG, composed of parts: a scene, the figure in a pose, its appearance, and its garments. The rules of
//! gamification know only their names ([`Drawable`]).

mod checks;
mod template;

use std::collections::{BTreeMap, BTreeSet};

use finance_domain::gamification::{
    Appearance, AppearanceChoices, Color, Colors, CosmeticKind, Drawable, Look, digest,
};
use finance_domain::{FieldErrors, Violation, Word};

pub use template::{Template, Templates};

/// A tone of the skin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skin {
    /// Its id, which is stored.
    pub id: String,
    /// Its colour. It is the colour `skin` of the theme.
    pub color: Color,
}

/// A hair style or a body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Variant {
    /// Its id, which is stored.
    pub id: String,
    /// Its parts, by name.
    pub parts: Templates,
}

/// The shape of a cosmetic.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Garment {
    /// The kind of the cosmetics with this shape. A garment of kind hair is worn on the head.
    pub kind: CosmeticKind,
    /// Its name, unique within the kind.
    pub shape: String,
    /// Its parts, by name.
    pub parts: Templates,
}

/// The parts of drawings, not yet checked.
///
/// A slot without a dot is a colour of the theme. Other slots:
///
/// - In the frame: `scene`.
/// - In a scene: `figure.POSE`.
/// - In the figure: `body.`, `pose.`, `hair.` (the style), `head.` (what is worn on it), `shirt.`, `pants.` and `shoes.`, each
///   with the name of a part.
/// - In a hair style or garment: `body.` with the name of a part.
#[derive(Debug, Clone)]
pub struct DrawingParts {
    /// The frame around every scene.
    pub frame: Template,
    /// The figure.
    pub figure: Template,
    /// The scenes of the levels.
    pub scenes: Templates,
    /// The tones of the skin.
    pub skins: Vec<Skin>,
    /// The styles of the hair.
    pub hair_styles: Vec<Variant>,
    /// The bodies.
    pub bodies: Vec<Variant>,
    /// The garments. The first of each kind is worn if nothing of the kind is equipped.
    pub garments: Vec<Garment>,
    /// The poses.
    pub poses: BTreeMap<String, Templates>,
    /// The appearance of a profile that has not chosen one.
    pub default: Appearance,
}

/// The checked drawings.
#[derive(Debug, Clone)]
pub struct Drawings {
    parts: DrawingParts,
    drawable: Drawable,
    color_names: BTreeSet<String>,
    version: String,
}

impl Drawings {
    /// Checks the parts and makes drawings of them. The theme holds the names of the colours.
    ///
    /// # Errors
    ///
    /// The key of the first error, and its message.
    pub fn new(parts: DrawingParts, theme: &Colors) -> Result<Self, (String, String)> {
        let ids = |variants: &[Variant]| variants.iter().map(|variant| variant.id.clone()).collect();
        let choices = AppearanceChoices {
            skin: parts.skins.iter().map(|skin| skin.id.clone()).collect(),
            hair_style: ids(&parts.hair_styles),
            body: ids(&parts.bodies),
        };
        checks::choices(&parts, &choices, theme)?;
        let color_names = checks::slots(&parts, theme)?;
        let texts = checks::templates(&parts)
            .map(|(_, key, template)| format!("{key} {}", template.fill(|slot| format!("{{{{{slot}}}}}"))));
        let version = digest(texts);
        let shapes_of = |kind: &CosmeticKind| {
            let of_kind = parts.garments.iter().filter(|garment| garment.kind == *kind);
            (*kind, of_kind.map(|garment| garment.shape.clone()).collect())
        };
        let drawable = Drawable {
            scenes: parts.scenes.keys().cloned().collect(),
            skins: parts.skins.iter().map(|skin| (skin.id.clone(), skin.color)).collect(),
            choices,
            default: parts.default.clone(),
            shapes: CosmeticKind::ALL.iter().map(shapes_of).collect(),
        };
        Ok(Drawings { parts, drawable, color_names, version })
    }

    /// What they can show.
    pub fn drawable(&self) -> &Drawable {
        &self.drawable
    }

    /// The names of the colours in the drawings, sorted.
    pub fn color_names(&self) -> impl Iterator<Item = &str> {
        self.color_names.iter().map(String::as_str)
    }

    /// A digest that changes when any drawing changes, so that clients may cache drawings for ever.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// Reads a look from named texts, such as the query parameters of a URL: a colour of the theme as `#rrggbb`, `skin` also as
    /// an id, `body`, `hair_style`, and a shape as `shirt_shape`. A name that is absent has its default. Other names are ignored.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`](finance_domain::Error::Invalid) with every unusable text.
    pub fn look<'a>(&self, theme: &Colors, given: impl Fn(&str) -> Option<&'a str>) -> finance_domain::Result<Look> {
        let mut errors = FieldErrors::default();
        let mut colors = BTreeMap::new();
        for name in self.color_names() {
            let Some(text) = given(name) else { continue };
            let tone = if name == "skin" { self.drawable.skins.get(text).copied() } else { None };
            let color = tone.or_else(|| errors.check(name, text.parse::<Color>()));
            colors.extend(color.map(|color| (name, color)));
        }
        let mut one_of = |name: &str, known: &[String], default: &str| match given(name) {
            Some(text) if known.iter().any(|known| known == text) => text.to_string(),
            Some(_) => {
                errors.push(name, Violation::not_one_of(known));
                default.to_string()
            }
            None => default.to_string(),
        };
        let Drawable { choices, default, .. } = &self.drawable;
        let appearance = Appearance {
            skin: default.skin.clone(),
            hair_style: one_of("hair_style", &choices.hair_style, &default.hair_style),
            body: one_of("body", &choices.body, &default.body),
        };
        let mut shapes = BTreeMap::new();
        for kind in CosmeticKind::ALL {
            let known = self.drawable.shapes(*kind);
            let first = known.first().map_or("", String::as_str);
            shapes.insert(*kind, one_of(&format!("{}_shape", kind.as_str()), known, first));
        }
        errors.into_result()?;
        Ok(Look { colors: theme.merged([&Colors::from_iter(colors)]), appearance, shapes })
    }

    /// A scene with the figure in it, as SVG. None if there is no such scene.
    pub fn draw(&self, scene: &str, look: &Look) -> Option<String> {
        let scene = self.parts.scenes.get(scene)?;
        let worn = Worn::new(&self.parts, look);
        Some(self.parts.frame.fill(|slot| match slot {
            "scene" => scene.fill(|slot| match slot.strip_prefix("figure.") {
                Some(pose) => worn.figure(pose),
                None => worn.color(slot),
            }),
            color => worn.color(color),
        }))
    }
}

/// The kind of garment that fills the slots with that prefix.
fn worn_kind(prefix: &str) -> Option<CosmeticKind> {
    match prefix {
        "head" => Some(CosmeticKind::Hair),
        "hair" => None,
        kind => kind.parse().ok(),
    }
}

/// The parts of one look.
struct Worn<'a> {
    parts: &'a DrawingParts,
    look: &'a Look,
    body: Option<&'a Templates>,
    hair: Option<&'a Templates>,
}

impl<'a> Worn<'a> {
    fn new(parts: &'a DrawingParts, look: &'a Look) -> Self {
        let of = |variants: &'a [Variant], id: &str, default: &str| {
            let named = |id: &str| variants.iter().find(|variant| variant.id == id);
            named(id).or_else(|| named(default)).map(|variant| &variant.parts)
        };
        let Appearance { body, hair_style, .. } = &look.appearance;
        let (body, hair) = (
            of(&parts.bodies, body, &parts.default.body),
            of(&parts.hair_styles, hair_style, &parts.default.hair_style),
        );
        Worn { parts, look, body, hair }
    }

    fn color(&self, name: &str) -> String {
        self.look.colors.get(name).unwrap_or(Color::BLACK).to_string()
    }

    fn garment(&self, kind: CosmeticKind) -> Option<&'a Templates> {
        let mut of_kind = self.parts.garments.iter().filter(|garment| garment.kind == kind);
        let shape = self.look.shapes.get(&kind);
        let worn = of_kind.clone().find(|garment| Some(&garment.shape) == shape);
        worn.or_else(|| of_kind.next()).map(|garment| &garment.parts)
    }

    fn figure(&self, pose: &str) -> String {
        self.parts.figure.fill(|slot| {
            let Some((list, name)) = slot.split_once('.') else { return self.color(slot) };
            let parts = match list {
                "body" => self.body,
                "hair" => self.hair,
                "pose" => self.parts.poses.get(pose),
                list => worn_kind(list).and_then(|kind| self.garment(kind)),
            };
            parts.and_then(|parts| parts.get(name)).map(|part| self.part(part)).unwrap_or_default()
        })
    }

    /// A part of the figure. Its slots are colours and measures of the body. Measures have no slots.
    fn part(&self, part: &Template) -> String {
        part.fill(|slot| match slot.strip_prefix("body.") {
            Some(name) => {
                let measure = self.body.and_then(|body| body.get(name));
                measure.map(|measure| measure.fill(|_| String::new())).unwrap_or_default()
            }
            None => self.color(slot),
        })
    }
}

#[cfg(test)]
mod tests;
