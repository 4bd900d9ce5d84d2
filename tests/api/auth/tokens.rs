//! Which tokens are accepted.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use finance_domain::{Clock, Store};
use finance_tests::{PASSWORD, TOKEN_SECRET, TestApp};
use hmac::{Hmac, KeyInit, Mac};
use serde_json::{Value, json};
use sha2::{Sha256, Sha384, Sha512};
use time::{Duration, OffsetDateTime};
use ureq::http::Method;

use super::{assert_refused, claims_of, login};

fn without(claims: &Value, name: &str) -> Value {
    let mut changed = claims.clone();
    changed.as_object_mut().unwrap().remove(name);
    changed
}

fn signed<M: Mac + KeyInit>(algorithm: &str, secret: &[u8], claims: &Value) -> String {
    let message = format!("{}.{}", encoded(&json!({ "typ": "JWT", "alg": algorithm })), encoded(claims));
    let signature = M::new_from_slice(secret).unwrap().chain_update(&message).finalize().into_bytes();
    format!("{message}.{}", URL_SAFE_NO_PAD.encode(signature))
}

fn signed_hs256(secret: &[u8], claims: &Value) -> String {
    signed::<Hmac<Sha256>>("HS256", secret, claims)
}

fn encoded(part: &Value) -> String {
    URL_SAFE_NO_PAD.encode(part.to_string())
}

/// The claims with some of them replaced.
fn with(claims: &Value, changes: Value) -> Value {
    let mut changed = claims.clone();
    for (name, value) in changes.as_object().unwrap() {
        changed[name] = value.clone();
    }
    changed
}

#[test]
fn only_bearer_tokens_are_taken() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let anyone = app.anyone();
    let with_header =
        |value: &str| anyone.send_with(Method::GET, "/api/auth/me", None, Vec::new(), &[("Authorization", value)]);
    with_header(&format!("Bearer {}", ana.token())).ok();
    with_header(&format!("bearer {}", ana.token())).ok();
    anyone.get("/api/auth/me").problem(401, "ErrUnauthenticated");
    anyone.get(&format!("/api/auth/me?token={}&access_token={0}", ana.token())).problem(401, "ErrUnauthenticated");
    for value in ["", "Bearer", "Bearer ", "Basic YW5hOmNvcnJlY3QgaG9yc2U=", "Bearer null", ana.token()] {
        with_header(value).problem(401, "ErrUnauthenticated");
    }
    with_header(&format!("Token {}", ana.token())).problem(401, "ErrUnauthenticated");
}

#[test]
fn a_garbled_token_is_refused() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let token = ana.token();
    let (unsigned, signature) = token.rsplit_once('.').unwrap();
    let (header, payload) = unsigned.split_once('.').unwrap();
    let other = if signature.starts_with('A') { 'B' } else { 'A' };
    for garbled in [
        "x".to_string(),
        "..".to_string(),
        "a.b.c".to_string(),
        unsigned.to_string(),
        format!("{unsigned}."),
        format!("{token}.{signature}"),
        format!("{payload}.{header}.{signature}"),
        format!("{unsigned}.{other}{}", &signature[1..]),
        token[1..].to_string(),
        format!("{token}AAAA"),
        "A".repeat(6000),
    ] {
        assert_refused(&ana, &garbled);
    }
}

#[test]
fn a_token_under_another_secret_or_algorithm_is_refused() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let claims = claims_of(ana.token());
    ana.with_token(&signed_hs256(TOKEN_SECRET, &claims)).get("/api/auth/me").ok();
    assert_refused(&ana, &signed_hs256(b"another secret, which has its 32 bytes as well", &claims));
    assert_refused(&ana, &signed_hs256(b"", &claims));
    assert_refused(&ana, &signed::<Hmac<Sha384>>("HS384", TOKEN_SECRET, &claims));
    assert_refused(&ana, &signed::<Hmac<Sha512>>("HS512", TOKEN_SECRET, &claims));
    let signature = ana.token().rsplit_once('.').unwrap().1;
    for alg in ["none", "None", "NONE", "nOnE", "", "RS256", "ES256", "HS256"] {
        let header = json!({ "alg": alg, "typ": "JWT" });
        let unsigned = format!("{}.{}", encoded(&header), encoded(&claims));
        assert_refused(&ana, &format!("{unsigned}."));
        assert_refused(&ana, &unsigned);
        if alg != "HS256" {
            assert_refused(&ana, &format!("{unsigned}.{signature}"));
        }
    }
    assert_refused(&ana, &format!("{}.{}.{signature}", encoded(&json!({ "typ": "JWT" })), encoded(&claims)));
}

#[test]
fn tampered_claims_are_refused() {
    let app = TestApp::start();
    let (ana, bia) = (app.user("ana"), app.user("bia"));
    let claims = claims_of(ana.token());
    let (header, rest) = ana.token().split_once('.').unwrap();
    let signature = rest.split_once('.').unwrap().1;
    let bias = with(&claims, json!({ "sub": bia.caller().profile_id.0.to_string() }));
    let longer = with(&claims, json!({ "exp": claims["exp"].as_i64().unwrap() + 1 }));
    for tampered in [bias, longer] {
        assert_refused(&ana, &format!("{header}.{}.{signature}", encoded(&tampered)));
    }
}

#[test]
fn a_signed_token_with_unusable_claims_is_refused() {
    let app = TestApp::start();
    let ana = app.user("ana");
    let claims = claims_of(ana.token());
    let now = OffsetDateTime::now_utc().unix_timestamp();
    for unusable in [
        without(&claims, "sub"),
        without(&claims, "exp"),
        without(&claims, "iat"),
        without(&claims, "cid"),
        with(&claims, json!({ "sub": "ana" })),
        with(&claims, json!({ "sub": "" })),
        with(&claims, json!({ "sub": "9000000000" })),
        with(&claims, json!({ "sub": "99999999999999999999" })),
        with(&claims, json!({ "cid": "0".repeat(32) })),
        with(&claims, json!({ "cid": format!("{}'", claims["cid"].as_str().unwrap()) })),
        with(&claims, json!({ "cid": "" })),
        with(&claims, json!({ "cid": 1 })),
        // A token of release 0.1.
        with(&without(&claims, "cid"), json!({ "ver": 1 })),
        with(&claims, json!({ "exp": "tomorrow" })),
        with(&claims, json!({ "exp": now - 1 })),
        with(&claims, json!({ "exp": 0 })),
        with(&claims, json!({ "exp": -1 })),
        with(&claims, json!({ "iat": now + 3600 })),
        json!({}),
        json!([]),
    ] {
        assert_refused(&ana, &signed_hs256(TOKEN_SECRET, &unusable));
    }
}

#[test]
fn a_token_holds_for_24_hours() {
    let app = TestApp::start();
    let ana = app.user("ana");
    app.clock.advance(Duration::hours(24) - Duration::minutes(1));
    ana.get("/api/auth/me").ok();
    app.clock.advance(Duration::minutes(1));
    assert_refused(&ana, ana.token());
    let fresh = login(&app, "ana", PASSWORD).ok();
    ana.with_token(fresh["token"].as_str().unwrap()).get("/api/auth/me").ok();
    assert!(app.clock.now() > OffsetDateTime::now_utc());
}

#[test]
fn a_frozen_day_does_not_stop_tokens() {
    let app = TestApp::start();
    app.clock.set_today(time::macros::date!(2020 - 01 - 01));
    app.user("ana").get("/api/auth/me").ok();
}

#[test]
fn the_token_of_a_deleted_profile_is_refused() {
    let app = TestApp::start();
    let ana = app.user("ana");
    ana.get("/api/auth/me").ok();
    app.store.profile_delete(ana.caller().profile_id).expect("the profile is deleted");
    assert_refused(&ana, ana.token());
    ana.post("/api/categories", json!({ "name": "Pets" })).problem(401, "ErrUnauthenticated");
    ana.post_nothing("/api/logout").problem(401, "ErrUnauthenticated");
}
