use std::collections::{BTreeMap, HashSet};

use finance_domain::Word;
use finance_domain::gamification::{Appearance, Catalog, CosmeticKind, Look};

use super::SHIPPED;
use crate::catalogs::gamification::{drawings, gamification};

/// The width and height of the frame, and the part of it that is drawn on.
const FRAME: (f64, f64) = (120.0, 160.0);
const CARD: [f64; 4] = [2.0, 2.0, 118.0, 158.0];
/// How far the figure extends from its standing point, whatever it wears: to the side, up, and down.
const FIGURE: (f64, f64, f64) = (31.0, 110.0, 6.0);

fn looks(catalog: &Catalog) -> Vec<Look> {
    let choices = &catalog.drawable().choices;
    let mut looks = Vec::new();
    for skin in &choices.skin {
        for hair_style in &choices.hair_style {
            for body in &choices.body {
                let appearance = Appearance { skin: skin.clone(), hair_style: hair_style.clone(), body: body.clone() };
                looks.push(catalog.look(appearance, &Default::default()));
            }
        }
    }
    looks
}

/// Checks that a text is a well-formed document that contains only drawing elements, with unique ids and no external reference.
/// It is not an XML parser: it refuses entities, comments and text, because no drawing has them.
fn check_svg(svg: &str) -> Result<(), String> {
    const ELEMENTS: [&str; 9] = ["svg", "g", "path", "circle", "ellipse", "rect", "clipPath", "linearGradient", "stop"];
    let (mut open, mut ids, mut references) = (Vec::new(), HashSet::new(), HashSet::new());
    let mut rest = svg.trim();
    while !rest.is_empty() {
        let tag = rest.strip_prefix('<').ok_or_else(|| format!("text outside of a tag: {rest:.40}"))?;
        let (tag, after) = tag.split_once('>').ok_or("a tag without its end")?;
        rest = after.trim_start();
        if let Some(name) = tag.strip_prefix('/') {
            if open.pop() != Some(name) {
                return Err(format!("</{name}> closes nothing"));
            }
            if open.is_empty() && !rest.is_empty() {
                return Err("something after the end".into());
            }
            continue;
        }
        let (tag, closes) = tag.strip_suffix('/').map_or((tag, false), |tag| (tag, true));
        let (name, mut attributes) = tag.split_once(' ').unwrap_or((tag, ""));
        if !ELEMENTS.contains(&name) {
            return Err(format!("an element that draws nothing: {name}"));
        }
        let mut seen = HashSet::new();
        while !attributes.trim().is_empty() {
            let (key, after) = attributes.trim_start().split_once("=\"").ok_or("an attribute without a value")?;
            let (value, after) = after.split_once('"').ok_or("a value without its end")?;
            attributes = after;
            if !seen.insert(key) || value.contains(['<', '&', '{']) || key.contains("href") || key.starts_with("on") {
                return Err(format!("an unusable attribute {key}=\"{value}\" of {name}"));
            }
            if key == "id" && !ids.insert(value) {
                return Err(format!("the id {value} twice"));
            }
            if let Some(reference) = value.strip_prefix("url(#").and_then(|value| value.strip_suffix(')')) {
                references.insert(reference);
            } else if value.contains("url(") {
                return Err(format!("a reference out of the drawing: {value}"));
            }
            if key == "d" && !value.starts_with('M') {
                return Err(format!("a path that begins nowhere: {value:.40}"));
            }
        }
        if !closes {
            open.push(name);
        }
    }
    match (open.is_empty(), references.difference(&ids).next()) {
        (false, _) => Err(format!("{open:?} stay open")),
        (_, Some(reference)) => Err(format!("nothing has the id {reference}")),
        _ => Ok(()),
    }
}

#[test]
fn every_level_is_a_drawing_of_its_own_for_every_appearance() {
    let (catalog, drawings) = (gamification().unwrap(), drawings().unwrap());
    let first = catalog.drawable().choices.skin[0].clone();
    let mut seen = HashSet::new();
    for look in looks(&catalog) {
        for level in catalog.levels().iter() {
            let svg = drawings.draw(&level.sprite, &look).unwrap();
            // Skin tones differ only in colour, so one of them is enough for the slow checks.
            if look.appearance.skin == first {
                let fail = |message| panic!("{} of {:?}: {message}", level.sprite, look.appearance);
                check_svg(&svg).unwrap_or_else(fail);
                assert!(svg.len() < 20_000, "{} has {} bytes", level.sprite, svg.len());
            }
            assert!(seen.insert(svg), "{} of {:?}", level.sprite, look.appearance);
        }
    }
}

#[test]
fn every_cosmetic_fits_every_hair_style_and_body() {
    let (catalog, drawings) = (gamification().unwrap(), drawings().unwrap());
    let drawable = drawings.drawable();
    for mut look in looks(&catalog) {
        if look.appearance.skin != drawable.choices.skin[0] {
            continue;
        }
        for kind in CosmeticKind::ALL {
            let mut seen = HashSet::new();
            for shape in drawable.shapes(*kind) {
                let before = look.shapes.insert(*kind, shape.clone());
                let svg = drawings.draw("muda", &look).unwrap();
                check_svg(&svg).unwrap_or_else(|message| panic!("{shape} on {:?}: {message}", look.appearance));
                assert!(seen.insert(svg), "{shape} looks like another {}", kind.as_str());
                look.shapes.extend(before.map(|shape| (*kind, shape)));
            }
            assert!(seen.len() >= 3, "{} changes its shape", kind.as_str());
        }
    }
}

#[test]
fn no_shape_and_no_pose_is_left_over() {
    let catalog = gamification().unwrap();
    for kind in CosmeticKind::ALL {
        for shape in catalog.drawable().shapes(*kind) {
            let mut worn = catalog.cosmetics().iter().filter(|cosmetic| cosmetic.kind == *kind);
            assert!(worn.any(|cosmetic| cosmetic.shape == *shape), "nothing has the shape {shape}");
        }
    }
    let poses: BTreeMap<String, toml::Value> = toml::from_str(SHIPPED.poses).unwrap();
    for pose in poses.keys() {
        let slot = format!("{{{{figure.{pose}}}}}");
        assert!(SHIPPED.scenes.iter().any(|(_, scene)| scene.contains(&slot)), "no scene has the pose {pose}");
    }
}

#[test]
fn the_figure_fits_into_the_frame_and_the_rest_is_clipped_to_it() {
    let (width, height) = FRAME;
    assert!(SHIPPED.frame.contains(&format!(r#"viewBox="0 0 {width} {height}""#)));
    let [left, top, right, bottom] = CARD;
    let card = format!(r#"<rect x="{left}" y="{top}" width="{}" height="{}""#, right - left, bottom - top);
    assert!(SHIPPED.frame.contains(&card), "{card}");
    let clipped = SHIPPED.frame.split_once(r#"<g clip-path="url(#card)">"#).unwrap().1;
    assert!(clipped.contains("{{scene}}</g>"), "a scene is inside of the card");
    // A portrait is cut off at the shoulders.
    for (name, scene) in SHIPPED.scenes.iter().filter(|(name, _)| *name != "portrait") {
        let before = scene.split_once("{{figure.").unwrap().0;
        let transform = before.rsplit_once("transform=\"").unwrap().1.split_once('"').unwrap().0;
        let numbers: Vec<f64> = transform.split(['(', ')', ' ']).filter_map(|part| part.parse().ok()).collect();
        let [x, y, scale] = numbers[..3] else { panic!("{name}: {transform}") };
        let (side, up, down) = FIGURE;
        let box_of = [x - side * scale, y - up * scale, x + side * scale, y + down * scale];
        let fits = box_of[0] >= left && box_of[1] >= top && box_of[2] <= right && box_of[3] <= bottom;
        assert!(fits, "{name}: {box_of:?} is not within {CARD:?}");
    }
}

#[test]
fn what_is_not_well_formed_is_found() {
    for (svg, word) in [
        ("<svg><g></svg>", "closes nothing"),
        ("<svg>", "stay open"),
        ("<svg/>x", "text"),
        ("<svg><script/></svg>", "draws nothing"),
        (r#"<svg a="1" a="2"/>"#, "unusable"),
        (r#"<svg onload="x"/>"#, "unusable"),
        (r#"<svg><g id="a"/><g id="a"/></svg>"#, "twice"),
        (r#"<svg fill="url(#b)"/>"#, "nothing has the id"),
        (r#"<svg fill="url(http://x)"/>"#, "out of the drawing"),
    ] {
        assert!(check_svg(svg).unwrap_err().contains(word), "{svg}");
    }
    check_svg(r##"<svg><g id="a"/><path d="M0 0" fill="url(#a)"/></svg>"##).unwrap();
}
