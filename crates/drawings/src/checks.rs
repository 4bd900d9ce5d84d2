//! Checks of the parts of drawings. Whichever parts are combined, every slot must have content.

use std::collections::BTreeSet;

use finance_domain::gamification::{AppearanceChoices, Colors};

use super::{DrawingParts, Variant, worn_kind};
use crate::template::Template;

/// The error is a key and a message.
type Checked<T> = Result<T, (String, String)>;

fn wrong<T>(key: impl Into<String>, message: impl Into<String>) -> Checked<T> {
    Err((key.into(), message.into()))
}

/// Where a template is used. This determines which slots it may have.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// Around every scene.
    Frame,
    /// A scene.
    Scene,
    /// The figure.
    Figure,
    /// A layer of the figure: of a hair style or a garment.
    Layer,
    /// A measure of a body or a pose.
    Measure,
}

/// Every template, with its place and its key in errors. The key names the file and the place in it.
pub(super) fn templates(parts: &DrawingParts) -> impl Iterator<Item = (Place, String, &Template)> {
    let single = [(Place::Frame, "frame.svg", &parts.frame), (Place::Figure, "figure.svg", &parts.figure)];
    let single = single.into_iter().map(|(place, key, template)| (place, key.to_string(), template));
    let scenes = parts.scenes.iter().map(|(name, scene)| (Place::Scene, format!("{name}.svg"), scene));
    let lists = [(Place::Layer, "hair_style", &parts.hair_styles), (Place::Measure, "body", &parts.bodies)];
    let variants = lists.into_iter().flat_map(|(place, list, variants)| {
        variants.iter().flat_map(move |Variant { id, parts }| {
            parts.iter().map(move |(name, part)| (place, format!("appearance.toml: {list} {id}.{name}"), part))
        })
    });
    let garments = parts.garments.iter().flat_map(|garment| {
        let key = move |name: &str| format!("garments.toml: {} {}.{name}", garment.kind.as_str(), garment.shape);
        garment.parts.iter().map(move |(name, part)| (Place::Layer, key(name), part))
    });
    let poses = parts.poses.iter().flat_map(|(pose, parts)| {
        parts.iter().map(move |(name, part)| (Place::Measure, format!("poses.toml: {pose}.{name}"), part))
    });
    single.chain(scenes).chain(variants).chain(garments).chain(poses)
}

/// Checks that ids are unique, and that the defaults are among them.
pub(super) fn choices(parts: &DrawingParts, choices: &AppearanceChoices, theme: &Colors) -> Checked<()> {
    let default = &parts.default;
    let lists = [
        ("skin", &choices.skin, &default.skin),
        ("hair_style", &choices.hair_style, &default.hair_style),
        ("body", &choices.body, &default.body),
    ];
    for (name, ids, default) in lists {
        let mut seen = BTreeSet::new();
        if let Some(id) = ids.iter().find(|id| !seen.insert(*id)) {
            return wrong(format!("appearance.toml: {name} {id}"), "is defined twice");
        }
        if !ids.contains(default) {
            return wrong(format!("appearance.toml: default.{name}"), format!("is not a {name}: {default:?}"));
        }
    }
    let tone = parts.skins.iter().find(|skin| skin.id == default.skin);
    if tone.map(|skin| skin.color) != theme.get("skin") {
        return wrong("appearance.toml: default.skin", "must have the colour skin of the theme");
    }
    let mut seen = BTreeSet::new();
    if let Some(garment) = parts.garments.iter().find(|garment| !seen.insert((garment.kind, &garment.shape))) {
        return wrong(format!("garments.toml: {} {}", garment.kind.as_str(), garment.shape), "is defined twice");
    }
    Ok(())
}

/// Checks that every slot has content in every variant. Returns the names of the colours.
pub(super) fn slots(parts: &DrawingParts, theme: &Colors) -> Checked<BTreeSet<String>> {
    let mut colors = BTreeSet::new();
    for (place, key, template) in templates(parts) {
        let mut figures = 0;
        for slot in template.slots() {
            let is_known = match (place, slot.split_once('.')) {
                (Place::Measure, _) => false,
                (Place::Frame, None) if slot == "scene" => true,
                (_, None) => {
                    colors.insert(slot.to_string());
                    theme.get(slot).is_some()
                }
                (Place::Scene, Some(("figure", pose))) => {
                    figures += 1;
                    parts.poses.contains_key(pose)
                }
                (Place::Figure, Some((list, name))) | (Place::Layer, Some((list @ "body", name))) => {
                    let found = in_every_variant(parts, list, name);
                    !found.is_empty() && found.iter().all(Option::is_some)
                }
                (_, Some(_)) => false,
            };
            if !is_known {
                return wrong(key, format!("has the slot {slot:?}, which cannot be used there"));
            }
        }
        if place == Place::Scene && figures != 1 {
            return wrong(key, "must have one figure");
        }
    }
    Ok(colors)
}

/// The part of that name in each of the variants.
fn in_every_variant<'a>(parts: &'a DrawingParts, list: &str, name: &str) -> Vec<Option<&'a Template>> {
    match list {
        "body" => parts.bodies.iter().map(|body| body.parts.get(name)).collect(),
        "hair" => parts.hair_styles.iter().map(|style| style.parts.get(name)).collect(),
        "pose" => parts.poses.values().map(|pose| pose.get(name)).collect(),
        list => {
            let kind = worn_kind(list);
            let of_kind = parts.garments.iter().filter(|garment| Some(garment.kind) == kind);
            of_kind.map(|garment| garment.parts.get(name)).collect()
        }
    }
}
