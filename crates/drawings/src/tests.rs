use std::collections::BTreeMap;

use finance_domain::Word;
use finance_domain::gamification::{Appearance, Color, Colors, CosmeticKind, Drawable, Look};

use super::{DrawingParts, Drawings, Garment, Skin, Template, Templates, Variant};

fn template(svg: &str) -> Template {
    Template::parse(svg).unwrap()
}

fn templates<const N: usize>(pieces: [(&str, &str); N]) -> Templates {
    pieces.into_iter().map(|(name, svg)| (name.to_string(), template(svg))).collect()
}

fn color(text: &str) -> Color {
    text.parse().unwrap()
}

fn theme() -> Colors {
    Colors::from_iter([("hair", Color::BLACK), ("skin", color("#d9a679"))])
}

/// One scene, two options of each choice, one garment of each kind, and a hat.
fn parts() -> DrawingParts {
    let variant = |id: &str, pieces: Templates| Variant { id: id.into(), parts: pieces };
    let garment = |kind, shape: &str| Garment {
        kind,
        shape: shape.into(),
        parts: templates([("front", &format!(r#"<path id="{shape}" d="{{{{body.torso}}}}"/>"#))]),
    };
    let mut garments: Vec<Garment> = CosmeticKind::ALL.iter().map(|kind| garment(*kind, "plain")).collect();
    garments.push(garment(CosmeticKind::Hair, "hat"));
    DrawingParts {
        frame: template("<svg>{{scene}}</svg>"),
        figure: template(
            "<g>{{pose.head}} {{skin}} {{hair.front}}{{head.front}}{{shirt.front}}{{pants.front}}{{shoes.front}}</g>",
        ),
        scenes: templates([("semente", "<g>{{figure.rest}}</g>")]),
        skins: vec![
            Skin { id: "light".into(), color: color("#d9a679") },
            Skin { id: "dark".into(), color: color("#4d3024") },
        ],
        hair_styles: vec![
            variant("short", templates([("front", r#"<i fill="{{hair}}"/>"#)])),
            variant("curly", templates([("front", r#"<b fill="{{hair}}"/>"#)])),
        ],
        bodies: vec![
            variant("slim", templates([("torso", "M1 1Z")])),
            variant("broad", templates([("torso", "M2 2Z")])),
        ],
        garments,
        poses: BTreeMap::from([("rest".to_string(), templates([("head", "5")]))]),
        default: Appearance { skin: "light".into(), hair_style: "short".into(), body: "slim".into() },
    }
}

fn look(drawings: &Drawings, given: &[(&str, &'static str)]) -> Look {
    let find = |name: &str| given.iter().find(|(known, _)| *known == name).map(|(_, text)| *text);
    drawings.look(&theme(), find).unwrap()
}

#[test]
fn a_drawing_has_what_the_look_names_and_else_the_default() {
    let drawings = Drawings::new(parts(), &theme()).unwrap();
    let draw = |given: &[(&str, &'static str)]| drawings.draw("semente", &look(&drawings, given)).unwrap();
    let plain = |torso: &str| format!(r#"<path id="plain" d="{torso}"/>"#);
    assert_eq!(
        draw(&[]),
        format!(r##"<svg><g><g>5 #d9a679 <i fill="#000000"/>{}</g></g></svg>"##, plain("M1 1Z").repeat(4))
    );
    let given =
        [("skin", "dark"), ("hair", "#c0ffee"), ("hair_style", "curly"), ("body", "broad"), ("hair_shape", "hat")];
    let hat = r#"<path id="hat" d="M2 2Z"/>"#;
    assert_eq!(
        draw(&given),
        format!(r##"<svg><g><g>5 #4d3024 <b fill="#c0ffee"/>{hat}{}</g></g></svg>"##, plain("M2 2Z").repeat(3))
    );
    assert_eq!(drawings.draw("nada", &look(&drawings, &[])), None);
}

#[test]
fn every_unusable_text_of_a_look_is_told() {
    let drawings = Drawings::new(parts(), &theme()).unwrap();
    let given = |name: &str| match name {
        "skin" => Some("green"),
        "hair" => Some("#12"),
        "hair_style" | "body" | "shirt_shape" => Some("nada"),
        _ => None,
    };
    let message = drawings.look(&theme(), given).unwrap_err().to_string();
    for part in [
        "hair: must be a colour",
        "skin: must be a colour",
        "hair_style: must be short or curly",
        "body: must be slim or broad",
        "shirt_shape: must be plain",
    ] {
        assert!(message.contains(part), "{part} in {message}");
    }
}

#[test]
fn what_can_be_shown_is_known_by_name() {
    let drawings = Drawings::new(parts(), &theme()).unwrap();
    let Drawable { scenes, skins, choices, default, .. } = drawings.drawable();
    assert!(scenes.iter().eq(["semente"]));
    assert_eq!(skins["dark"], color("#4d3024"));
    assert_eq!(
        (&choices.skin, &choices.body),
        (&vec!["light".to_string(), "dark".into()], &vec!["slim".to_string(), "broad".into()])
    );
    assert_eq!(*default, parts().default);
    assert_eq!(drawings.drawable().shapes(CosmeticKind::Hair), ["plain", "hat"]);
    assert_eq!(drawings.drawable().shapes(CosmeticKind::Shoes), ["plain"]);
}

#[test]
fn the_version_changes_with_any_part() {
    let version = |parts| Drawings::new(parts, &theme()).unwrap().version().to_string();
    let mut other = parts();
    other.garments[4].parts = templates([("front", "<hat/>")]);
    assert_eq!(version(parts()), version(parts()));
    assert_ne!(version(other), version(parts()));
}

#[test]
fn parts_that_do_not_fit_are_refused_by_their_key() {
    type Spoil = fn(&mut DrawingParts);
    let cases: [(Spoil, &str, &str); 12] = [
        (|parts| parts.frame = template("{{heir}}"), "frame.svg", "heir"),
        (|parts| parts.frame = template("{{figure.rest}}"), "frame.svg", "figure.rest"),
        (|parts| parts.scenes = templates([("broto", "{{figure.sit}}")]), "broto.svg", "figure.sit"),
        (|parts| parts.scenes = templates([("broto", "<g/>")]), "broto.svg", "one figure"),
        (|parts| parts.figure = template("{{shirt.back}}"), "figure.svg", "shirt.back"),
        (|parts| parts.figure = template("{{hat.front}}"), "figure.svg", "hat.front"),
        (|parts| drop(parts.bodies[1].parts.remove("torso")), "garments.toml: hair plain.front", "body.torso"),
        (|parts| parts.hair_styles[1].parts = Templates::new(), "figure.svg", "hair.front"),
        (|parts| parts.garments[4].parts = templates([("front", "{{shirt.front}}")]), "hair hat.front", "shirt.front"),
        (|parts| parts.garments[4].shape = "plain".into(), "garments.toml: hair plain", "twice"),
        (|parts| parts.bodies[1].id = "slim".into(), "appearance.toml: body slim", "twice"),
        (|parts| parts.default.skin = "dark".into(), "appearance.toml: default.skin", "theme"),
    ];
    for (spoil, key, message) in cases {
        let mut parts = parts();
        spoil(&mut parts);
        let (at, found) = Drawings::new(parts, &theme()).unwrap_err();
        assert!(at.contains(key) && found.contains(message), "{at}: {found}");
    }
}
