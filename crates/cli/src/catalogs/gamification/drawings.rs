//! The drawings of `config/gamification/sprites/`: scenes, the figure, and the parts that form it.

use std::collections::BTreeMap;

use anyhow::{Context, Result, anyhow};
use finance_domain::gamification::{Appearance, Colors, CosmeticKind};
use finance_drawings::{DrawingParts, Drawings, Garment, Skin, Template, Templates, Variant};
use serde::Deserialize;
use serde::de::DeserializeOwned;

const FOLDER: &str = "config/gamification/sprites";
/// The brim's position if nothing on the head hides hair: above all hair.
const NO_BRIM: i16 = -200;
/// How much of the arm the hem of a sleeve covers, in percent.
const HEM: u8 = 3;

/// The files, built into the program.
#[derive(Clone, Copy)]
pub(super) struct Sources<'a> {
    pub(super) frame: &'a str,
    pub(super) figure: &'a str,
    pub(super) appearance: &'a str,
    pub(super) garments: &'a str,
    pub(super) poses: &'a str,
    pub(super) scenes: &'a [(&'a str, &'a str)],
}

macro_rules! scenes {
    ($($name:literal)*) => {
        &[$(($name, include_str!(concat!("../../../../../config/gamification/sprites/", $name, ".svg")))),*]
    };
}

pub(super) const SHIPPED: Sources<'_> = Sources {
    frame: include_str!("../../../../../config/gamification/sprites/frame.svg"),
    figure: include_str!("../../../../../config/gamification/sprites/figure.svg"),
    appearance: include_str!("../../../../../config/gamification/sprites/appearance.toml"),
    garments: include_str!("../../../../../config/gamification/sprites/garments.toml"),
    poses: include_str!("../../../../../config/gamification/sprites/poses.toml"),
    scenes: scenes! {
        "semente" "broto" "muda" "folhagem" "arbusto" "canteiro" "horta" "jardim" "estufa" "pomar" "arvore" "arvoredo"
        "bosque" "mata" "floresta" "portrait" "fitting"
    },
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AppearanceFile {
    default: DefaultEntry,
    skin: Vec<SkinEntry>,
    hair_style: Vec<HairStyleEntry>,
    body: Vec<BodyEntry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct DefaultEntry {
    skin: String,
    hair_style: String,
    body: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SkinEntry {
    id: String,
    color: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct HairStyleEntry {
    id: String,
    back: String,
    front: String,
}

#[derive(Deserialize)]
struct BodyEntry {
    id: String,
    #[serde(flatten)]
    measures: BTreeMap<String, String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct GarmentsFile {
    garment: Vec<GarmentEntry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct GarmentEntry {
    #[serde(rename = "type")]
    kind: String,
    shape: String,
    #[serde(default)]
    back: String,
    front: String,
    #[serde(default)]
    over: String,
    #[serde(default)]
    sleeve: u8,
    brim: Option<i16>,
}

/// The drawings from the files.
///
/// # Errors
///
/// If a file is invalid. The message names the file and the key.
pub(super) fn read(sources: &Sources<'_>, theme: &Colors) -> Result<Drawings> {
    Drawings::new(parts(sources)?, theme).map_err(|(key, message)| anyhow!("{FOLDER}/{key}: {message}"))
}

fn parts(sources: &Sources<'_>) -> Result<DrawingParts> {
    let AppearanceFile { default, skin, hair_style, body } = parse("appearance.toml", sources.appearance)?;
    let DefaultEntry { skin: default_skin, hair_style: default_style, body: default_body } = default;
    let garments: GarmentsFile = parse("garments.toml", sources.garments)?;
    let poses: BTreeMap<String, BTreeMap<String, String>> = parse("poses.toml", sources.poses)?;
    Ok(DrawingParts {
        frame: template("frame.svg", sources.frame)?,
        figure: template("figure.svg", sources.figure)?,
        scenes: sources
            .scenes
            .iter()
            .map(|(name, svg)| Ok((name.to_string(), template(&format!("{name}.svg"), svg)?)))
            .collect::<Result<_>>()?,
        skins: skin.into_iter().map(skin_of).collect::<Result<_>>()?,
        hair_styles: hair_style.into_iter().map(hair_style_of).collect::<Result<_>>()?,
        bodies: body.into_iter().map(body_of).collect::<Result<_>>()?,
        garments: garments.garment.into_iter().map(garment_of).collect::<Result<_>>()?,
        poses: poses
            .into_iter()
            .map(|(pose, values)| {
                let parts = templates(&format!("poses.toml: {pose}"), values)?;
                Ok((pose, parts))
            })
            .collect::<Result<_>>()?,
        default: Appearance { skin: default_skin, hair_style: default_style, body: default_body },
    })
}

fn parse<F: DeserializeOwned>(file: &str, text: &str) -> Result<F> {
    toml::from_str(text).with_context(|| format!("{FOLDER}/{file}"))
}

fn template(key: &str, svg: &str) -> Result<Template> {
    Template::parse(svg.trim()).map_err(|message| anyhow!("{FOLDER}/{key} {message}"))
}

fn templates<N: AsRef<str>, T: AsRef<str>>(key: &str, parts: impl IntoIterator<Item = (N, T)>) -> Result<Templates> {
    parts
        .into_iter()
        .map(|(name, svg)| {
            let name = name.as_ref();
            Ok((name.to_string(), template(&format!("{key}.{name}"), svg.as_ref())?))
        })
        .collect()
}

fn skin_of(SkinEntry { id, color }: SkinEntry) -> Result<Skin> {
    let read =
        color.parse().map_err(|message| anyhow!("{FOLDER}/appearance.toml: skin {id} {message}, not {color:?}"))?;
    Ok(Skin { id, color: read })
}

fn hair_style_of(HairStyleEntry { id, back, front }: HairStyleEntry) -> Result<Variant> {
    let parts = templates(&format!("appearance.toml: hair_style {id}"), [("back", back), ("front", front)])?;
    Ok(Variant { id, parts })
}

fn body_of(BodyEntry { id, measures }: BodyEntry) -> Result<Variant> {
    let parts = templates(&format!("appearance.toml: body {id}"), measures)?;
    Ok(Variant { id, parts })
}

fn garment_of(entry: GarmentEntry) -> Result<Garment> {
    let GarmentEntry { kind: word, shape, back, front, over, sleeve, brim } = entry;
    let key = format!("garments.toml: {word} {shape}");
    let kind = word.parse::<CosmeticKind>().map_err(|message| anyhow!("{FOLDER}/{key}: type {message}"))?;
    let parts = match kind {
        CosmeticKind::Hair => vec![("front", front), ("brim", brim.unwrap_or(NO_BRIM).to_string())],
        CosmeticKind::Shirt => vec![
            ("back", back),
            ("front", front),
            ("over", over),
            ("sleeve", sleeve.to_string()),
            ("cuff", sleeve.saturating_add(HEM).to_string()),
        ],
        CosmeticKind::Pants | CosmeticKind::Shoes => vec![("front", front)],
    };
    Ok(Garment { kind, shape, parts: templates(&key, parts)? })
}

#[cfg(test)]
mod tests;
