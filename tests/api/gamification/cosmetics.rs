//! Cosmetics: how they are earned and worn.

use finance_tests::TestApp;
use serde_json::{Value, json};

use super::{all, profile};

#[test]
fn cosmetics_are_worn_one_of_a_type_and_colour_theme_and_sprite() {
    let app = TestApp::start();
    let (ana, bia) = (app.user("ana"), app.user("bia"));
    let base = profile(&ana)["theme"].clone();
    let cosmetics = all(&ana, "cosmetics");
    let hair: Vec<_> = cosmetics
        .iter()
        .filter(|cosmetic| {
            cosmetic["type"] == "hair" && cosmetic["owned"] == true && cosmetic["colors"]["hair"] != base["hair"]
        })
        .collect();
    let path = |cosmetic: &Value, verb: &str| format!("/api/gamification/cosmetics/{}/{verb}", cosmetic["id"]);
    let other =
        cosmetics.iter().find(|cosmetic| cosmetic["type"] == "hair" && cosmetic["colors"]["hair"] == base["hair"]);
    let (dyed, plain) = (hair[0], other.unwrap());

    assert_eq!(ana.post_nothing(&path(plain, "equip")).ok()["equipped"], true);
    let worn = ana.post_nothing(&path(dyed, "equip")).ok();
    assert_eq!((&worn["equipped"], &worn["owned"], &worn["id"]), (&json!(true), &json!(true), &dyed["id"]));
    let equipped: Vec<_> = all(&ana, "cosmetics").into_iter().filter(|cosmetic| cosmetic["equipped"] == true).collect();
    assert_eq!(equipped.len(), 1, "one of a type replaces the other");
    let profile_now = profile(&ana);
    assert_eq!(profile_now["equipped"]["hair"], dyed["id"]);
    assert_eq!(profile_now["theme"]["hair"], dyed["colors"]["hair"]);
    assert_eq!(profile_now["theme"]["shirt"], base["shirt"]);
    let names = |theme: &Value| theme.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(&profile_now["theme"]), names(&base));
    let sprite = app.anyone().get(profile_now["sprite"].as_str().unwrap());
    let drawn = String::from_utf8(sprite.bytes.clone()).unwrap();
    assert!(drawn.contains(dyed["colors"]["hair"].as_str().unwrap()) && !drawn.contains("{{"), "{drawn}");

    // Unequipping a cosmetic that is not equipped changes nothing.
    assert_eq!(ana.post_nothing(&path(plain, "unequip")).ok()["equipped"], false);
    assert_eq!(profile(&ana)["equipped"]["hair"], dyed["id"]);
    for _ in 0..2 {
        assert_eq!(ana.post_nothing(&path(dyed, "unequip")).ok()["equipped"], false);
        assert_eq!(profile(&ana)["equipped"]["hair"], Value::Null);
        assert_eq!(profile(&ana)["theme"], base);
    }
    let locked = cosmetics.iter().find(|cosmetic| cosmetic["owned"] == false).unwrap();
    ana.post_nothing(&path(locked, "equip")).problem(409, "ErrCosmeticLocked");
    assert_eq!(ana.post_nothing(&path(locked, "unequip")).ok()["owned"], false);
    ana.post_nothing("/api/gamification/cosmetics/999999/equip").problem(404, "ErrNotFound");
    ana.post_nothing("/api/gamification/cosmetics/999999/unequip").problem(404, "ErrNotFound");
    assert_eq!(profile(&bia)["equipped"]["hair"], Value::Null);
}
