//! The tokens of logins: JWTs signed with HS256, valid for 24 hours, revoked by a change of the password and by the end of their
//! session.

use std::fmt;

use finance_domain::members::Credential;
use finance_domain::sessions::LOGIN_HOURS;
use finance_domain::{Caller, ProfileId, SessionId};
use jsonwebtoken::{Algorithm, DecodingKey, EncodingKey, Header, Validation};
use serde::{Deserialize, Serialize};
use time::{Duration, OffsetDateTime};

use crate::hs256;

/// The fewest bytes of a signing secret: the output size of SHA-256.
const SECRET_BYTES_MIN: usize = 32;
/// How far the clock of another node may be ahead.
const CLOCK_SKEW_SECONDS: i64 = 60;

/// Issues and verifies tokens.
pub struct LoginTokens {
    encoding: EncodingKey,
    decoding: DecodingKey,
    validation: Validation,
}

/// The error of a signing secret that is too short.
#[derive(Debug)]
pub struct SecretTooShort;

impl fmt::Display for SecretTooShort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the secret must have at least {SECRET_BYTES_MIN} bytes")
    }
}

impl std::error::Error for SecretTooShort {}

#[derive(Serialize, Deserialize)]
struct Claims {
    /// The profile's id.
    sub: String,
    /// The member's name.
    name: String,
    iat: i64,
    exp: i64,
    /// The id of the credential that the token was issued for.
    cid: String,
    /// The id of the login's session. Its end revokes the token. Absent in tokens of releases that stored no sessions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    sid: Option<i64>,
    /// Random, so that two tokens of one second differ: pages compare tokens to see that another tab renewed the login.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    jti: Option<String>,
}

impl LoginTokens {
    /// Tokens signed with the secret.
    ///
    /// # Errors
    ///
    /// [`SecretTooShort`] below 32 bytes.
    pub fn new(secret: &[u8]) -> Result<Self, SecretTooShort> {
        if secret.len() < SECRET_BYTES_MIN {
            return Err(SecretTooShort);
        }
        hs256::install();
        let mut validation = Validation::new(Algorithm::HS256);
        // The expiry is checked below, by the service's clock.
        validation.set_required_spec_claims(&["exp", "sub"]);
        validation.validate_exp = false;
        Ok(LoginTokens {
            encoding: EncodingKey::from_secret(secret),
            decoding: DecodingKey::from_secret(secret),
            validation,
        })
    }

    /// A token for a login, with its session if one is stored, and the token's expiry.
    pub fn issue(
        &self,
        credential: &Credential,
        session: Option<SessionId>,
        now: OffsetDateTime,
    ) -> finance_domain::Result<(String, OffsetDateTime)> {
        let issued_at = now.replace_nanosecond(0).unwrap_or(now);
        let expires_at = issued_at + Duration::hours(LOGIN_HOURS);
        let mut random = [0; 8];
        getrandom::fill(&mut random).map_err(|error| finance_domain::Error::Internal(Box::new(error)))?;
        let claims = Claims {
            sub: credential.member.profile_id.to_string(),
            name: credential.member.name.clone(),
            iat: issued_at.unix_timestamp(),
            exp: expires_at.unix_timestamp(),
            cid: credential.id.to_string(),
            sid: session.map(|id| id.0),
            jti: Some(format!("{:016x}", u64::from_be_bytes(random))),
        };
        jsonwebtoken::encode(&Header::new(Algorithm::HS256), &claims, &self.encoding)
            .map(|token| (token, expires_at))
            .map_err(|error| finance_domain::Error::Internal(Box::new(error)))
    }

    /// The caller and the session of a valid token that has not expired. The store checks whether it was revoked.
    pub(crate) fn caller(&self, token: &str, now: OffsetDateTime) -> Option<(Caller, Option<SessionId>)> {
        let claims = jsonwebtoken::decode::<Claims>(token, &self.decoding, &self.validation).ok()?.claims;
        let now = now.unix_timestamp();
        if claims.exp <= now || claims.iat > now + CLOCK_SKEW_SECONDS {
            return None;
        }
        let caller = Caller::of_login(ProfileId(claims.sub.parse().ok()?), claims.cid.parse().ok()?);
        Some((caller, claims.sid.map(SessionId)))
    }
}
