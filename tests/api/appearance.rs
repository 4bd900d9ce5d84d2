//! `/api/gamification/appearance`, and the sprites.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on stops")]

use std::collections::BTreeSet;

use finance_tests::{Client, TestApp};
use serde_json::{Value, json};

const PATH: &str = "/api/gamification/appearance";
/// The sprites of the shipped levels.
const SPRITES: [&str; 15] = [
    "semente", "broto", "muda", "folhagem", "arbusto", "canteiro", "horta", "jardim", "estufa", "pomar", "arvore",
    "arvoredo", "bosque", "mata", "floresta",
];

fn chosen(appearance: &Value) -> Value {
    json!({ "skin": appearance["skin"], "hair_style": appearance["hair_style"], "body": appearance["body"] })
}

fn choices(appearance: &Value, of: &str) -> Vec<String> {
    appearance["choices"][of].as_array().unwrap().iter().map(|id| id.as_str().unwrap().to_string()).collect()
}

fn sprite(client: &Client) -> String {
    client.get("/api/gamification/profile").ok()["sprite"].as_str().unwrap().to_string()
}

fn drawn(client: &Client, address: &str) -> String {
    let reply = client.get(address);
    assert_eq!((reply.status, reply.header("Content-Type")), (200, Some("image/svg+xml")), "{address}");
    String::from_utf8(reply.bytes.clone()).unwrap()
}

#[test]
fn an_appearance_is_chosen_from_what_the_catalog_has() {
    let app = TestApp::start();
    let (ana, bia) = (app.user("ana"), app.user("bia"));
    let first = ana.get(PATH).ok();
    for (of, count) in [("skin", 6), ("hair_style", 6), ("body", 3)] {
        let ids = choices(&first, of);
        assert!(ids.len() >= count, "{of}: {ids:?}");
        assert_eq!(ids.iter().collect::<BTreeSet<_>>().len(), ids.len());
        assert!(ids.contains(&first[of].as_str().unwrap().to_string()), "the default is one of them");
    }
    let styles = choices(&first, "hair_style");
    assert!(styles.contains(&"curly".into()) && styles.contains(&"coily".into()));

    let looks = json!({ "skin": "deep", "hair_style": "coily", "body": "broad" });
    let put = ana.put(PATH, looks.clone()).ok();
    assert_eq!((chosen(&put), &put["choices"]), (looks.clone(), &first["choices"]));
    assert_eq!(ana.get(PATH).ok(), put);
    assert_eq!(bia.get(PATH).ok(), first);
    // Read-only fields are ignored, so a client can send back what it read.
    assert_eq!(ana.put(PATH, first.clone()).ok(), first);
}

#[test]
fn what_the_catalog_does_not_have_is_refused_at_its_field() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let good = json!({ "skin": "fair", "hair_style": "curly", "body": "slim" });
    ana.put(PATH, good.clone()).ok();
    for field in ["skin", "hair_style", "body"] {
        for wrong in [json!("green"), json!(""), json!("FAIR"), json!(null), json!(7), json!(["fair"]), json!("a\u{0}")]
        {
            let mut body = good.clone();
            body[field] = wrong;
            ana.put(PATH, body).invalid(&[field]);
        }
        let mut body = good.clone();
        body.as_object_mut().unwrap().remove(field);
        ana.put(PATH, body).invalid(&[field]);
    }
    ana.put(PATH, json!({})).invalid(&["skin", "hair_style", "body"]);
    ana.put(PATH, json!([])).invalid(&["body"]);
    let refused =
        ana.put(PATH, json!({ "skin": "x", "hair_style": "curly", "body": "slim" })).problem(422, "ErrValidation");
    assert_eq!(refused["errors"][0]["code"], "not_one_of");
    assert_eq!(refused["errors"][0]["params"]["choices"], ana.get(PATH).ok()["choices"]["skin"]);
    assert_eq!(chosen(&ana.get(PATH).ok()), good);
    ana.delete(PATH).problem(405, "ErrMethodNotAllowed");
    app.anyone().get(PATH).problem(401, "ErrUnauthenticated");
}

#[test]
fn the_sprite_changes_with_each_choice_and_the_theme_with_the_skin() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let start = chosen(&ana.get(PATH).ok());
    let list = ana.get(PATH).ok();
    let theme = |client: &Client| client.get("/api/gamification/profile").ok()["theme"].clone();
    let base = theme(&ana);
    let mut addresses = BTreeSet::new();
    let mut drawings = BTreeSet::new();
    for of in ["skin", "hair_style", "body"] {
        for id in choices(&list, of) {
            let mut looks = start.clone();
            looks[of] = json!(id);
            ana.put(PATH, looks).ok();
            let address = sprite(&ana);
            drawings.insert(drawn(&app.anyone(), &address));
            addresses.insert(address);
            if of != "skin" {
                assert_eq!(theme(&ana), base);
            }
        }
    }
    // The default is one of the choices of each of the three fields.
    let expected = ["skin", "hair_style", "body"].iter().map(|of| choices(&list, of).len() - 1).sum::<usize>() + 1;
    assert_eq!((addresses.len(), drawings.len()), (expected, expected));
    ana.put(PATH, json!({ "skin": "dark", "hair_style": "short", "body": "slim" })).ok();
    assert_ne!(theme(&ana)["skin"], base["skin"]);
    assert!(drawn(&ana, &sprite(&ana)).contains(theme(&ana)["skin"].as_str().unwrap()));
}

#[test]
fn a_choice_that_a_release_took_away_is_drawn_as_the_default() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let default = ana.get(PATH).ok();
    ana.put(PATH, json!({ "skin": "dark", "hair_style": "curly", "body": "broad" })).ok();
    app.sql("update appearances set hair_style = 'mohawk'");
    let now = ana.get(PATH).ok();
    assert_eq!((&now["skin"], &now["hair_style"]), (&json!("dark"), &default["hair_style"]));
    drawn(&ana, &sprite(&ana));
}

#[test]
fn a_cosmetic_of_another_shape_is_drawn_in_it() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let cosmetics = ana.get("/api/gamification/cosmetics").ok();
    let mut shapes = BTreeSet::new();
    for cosmetic in cosmetics.as_array().unwrap() {
        let (kind, shape) = (cosmetic["type"].as_str().unwrap(), cosmetic["shape"].as_str().unwrap());
        let plain = drawn(&ana, "/sprites/muda.svg");
        let worn = drawn(&ana, &format!("/sprites/muda.svg?{kind}_shape={shape}"));
        if worn != plain {
            shapes.insert((kind, shape));
        }
    }
    for kind in ["hair", "shirt", "pants", "shoes"] {
        assert!(shapes.iter().filter(|(of, _)| *of == kind).count() >= 3, "{kind}: {shapes:?}");
    }
    let worn = cosmetics.as_array().unwrap().iter().find(|cosmetic| cosmetic["type"] == "shirt").unwrap();
    ana.post_nothing(&format!("/api/gamification/cosmetics/{}/equip", worn["id"])).ok();
    let address = sprite(&ana);
    assert!(address.contains(&format!("&shirt_shape={}", worn["shape"].as_str().unwrap())), "{address}");
    assert!(address.contains("&hair_style=short&body=slim&"), "{address}");
}

#[test]
fn a_sprite_needs_no_token_and_is_kept_for_long() {
    let app = TestApp::start();
    let anyone = app.anyone();
    for name in SPRITES {
        let reply = anyone.get(&format!("/sprites/{name}.svg?hair=%23c0ffee"));
        assert_eq!((reply.status, reply.header("Content-Type")), (200, Some("image/svg+xml")));
        assert_eq!(reply.header("Cache-Control"), Some("public, max-age=31536000, immutable"));
        let svg = String::from_utf8(reply.bytes.clone()).unwrap();
        assert!(svg.starts_with("<svg ") && svg.contains("#c0ffee") && !svg.contains("{{"), "{svg}");
    }
    // A request gives a skin tone by its id or by its colour.
    assert_eq!(drawn(&anyone, "/sprites/mata.svg?skin=dark"), drawn(&anyone, "/sprites/mata.svg?skin=%234d3024"));
    anyone.get("/sprites/semente.svg?hair=red&shirt=%23123").invalid(&["hair", "shirt"]);
    anyone.get("/sprites/semente.svg?hair=%22%2F%3E%3Cscript%3E").invalid(&["hair"]);
    let wrong =
        "skin=%3Cscript%3E&hair_style=%22%2F%3E&body=x&hair_shape=x&shirt_shape=shorts&pants_shape=&shoes_shape=1";
    let fields = ["skin", "hair_style", "body", "hair_shape", "shirt_shape", "pants_shape", "shoes_shape"];
    anyone.get(&format!("/sprites/semente.svg?{wrong}")).invalid(&fields);
    anyone.get("/sprites/nada.svg").problem(404, "ErrNotFound");
}
