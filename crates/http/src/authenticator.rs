//! Authenticators: their secrets, addresses and codes (TOTP, RFC 6238), and recovery codes.

use std::fmt::Write;

use finance_domain::credentials::SecretHash;
use finance_domain::second_factor::{Evidence, FactorSecret, Judge, RECOVERY_CODES};
use finance_domain::{Error, Result};
use qrcode::{Color, EcLevel, QrCode};
use sha2::{Digest, Sha256};
use time::OffsetDateTime;
use totp_rs::{Builder, Secret, Totp};

/// What authenticators show beside the name.
const ISSUER: &str = "Finance";
/// How many steps of 30 seconds a code may be early or late: clocks differ, and typing takes time.
const SKEW_STEPS: u16 = 1;
/// The letters of recovery codes: base32, without digits that look like letters.
const ALPHABET: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";
/// The number of letters of a recovery code: 80 random bits, so that the hashes need no salt.
const RECOVERY_CHARS: usize = 16;
/// The number of letters between the dashes of a recovery code, which make it readable.
const RECOVERY_GROUP_CHARS: usize = 4;
/// The light margin of a QR code, in modules.
const QR_MARGIN: usize = 4;

/// Draws a secret.
pub(crate) fn draw_secret() -> Result<FactorSecret> {
    let mut bytes = [0; 20];
    getrandom::fill(&mut bytes).map_err(internal)?;
    Ok(FactorSecret(bytes))
}

/// Draws recovery codes: their texts, which are shown once, and their hashes.
pub(crate) fn draw_recovery_codes() -> Result<(Vec<String>, Vec<SecretHash>)> {
    let mut random = [0; RECOVERY_CODES * RECOVERY_CHARS];
    getrandom::fill(&mut random).map_err(internal)?;
    // 256 is a multiple of 32, so no letter is more likely than another.
    let letter = |byte: &u8| char::from(ALPHABET[usize::from(*byte) % ALPHABET.len()]);
    let codes: Vec<String> = random.chunks(RECOVERY_CHARS).map(|bytes| bytes.iter().map(letter).collect()).collect();
    let hashes = codes.iter().map(|code| hash(code)).collect();
    let grouped = codes.iter().map(|code| {
        let letters: Vec<char> = code.chars().collect();
        let groups: Vec<String> = letters.chunks(RECOVERY_GROUP_CHARS).map(|group| group.iter().collect()).collect();
        groups.join("-")
    });
    Ok((grouped.collect(), hashes))
}

/// Judges a code: six digits of the authenticator at that time, or a text in the form of a recovery code. Blanks and dashes are
/// ignored.
pub(crate) fn judge(code: String, now: OffsetDateTime) -> Judge {
    Box::new(move |secret| {
        let plain: String = code.chars().filter(|letter| !letter.is_whitespace() && *letter != '-').collect();
        if plain.len() == RECOVERY_CHARS {
            let lower = plain.to_ascii_lowercase();
            let is_recovery = lower.bytes().all(|byte| ALPHABET.contains(&byte));
            return Ok(is_recovery.then(|| Evidence::Recovery(hash(&lower))));
        }
        let seconds = u64::try_from(now.unix_timestamp()).map_err(internal)?;
        let step = authenticator(secret, "")?.check(&plain, seconds);
        step.map(|step| i64::try_from(step).map(Evidence::Step).map_err(internal)).transpose()
    })
}

/// A secret in the forms for an authenticator: base32, an `otpauth` address, and that address as the SVG of a QR code.
pub(crate) struct Enrolment {
    pub(crate) secret: String,
    pub(crate) otpauth: String,
    pub(crate) qr_svg: String,
}

/// The enrolment of a member of that name.
pub(crate) fn enrolment(secret: &FactorSecret, name: &str) -> Result<Enrolment> {
    // A colon would end the issuer.
    let authenticator = authenticator(secret, &name.replace(':', " "))?;
    let otpauth = authenticator.to_url().map_err(internal)?;
    let qr_svg = qr_svg(&otpauth)?;
    Ok(Enrolment { secret: authenticator.secret().to_base32(), otpauth, qr_svg })
}

fn authenticator(secret: &FactorSecret, name: &str) -> Result<Totp> {
    let builder = Builder::new().with_secret(Secret::new_stack(secret.0)).with_skew(SKEW_STEPS);
    builder.with_account_name(name).with_issuer(Some(ISSUER)).build().map_err(internal)
}

/// A QR code as an SVG document of two paths: the light square, and the dark modules.
fn qr_svg(text: &str) -> Result<String> {
    let code = QrCode::with_error_correction_level(text, EcLevel::M).map_err(internal)?;
    let (width, side) = (code.width(), code.width() + 2 * QR_MARGIN);
    let mut dark = String::new();
    for (y, row) in code.to_colors().chunks(width).enumerate() {
        let mut x = 0;
        while x < width {
            let run = row[x..].iter().take_while(|color| **color == Color::Dark).count();
            if run > 0 {
                let (left, top) = (x + QR_MARGIN, y + QR_MARGIN);
                write!(dark, "M{left} {top}h{run}v1h-{run}z").map_err(internal)?;
            }
            x += run.max(1);
        }
    }
    Ok(format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {side} {side}\" shape-rendering=\"crispEdges\">\
         <path fill=\"#fff\" d=\"M0 0h{side}v{side}H0z\"/><path d=\"{dark}\"/></svg>"
    ))
}

fn hash(code: &str) -> SecretHash {
    SecretHash(Sha256::digest(code).into())
}

fn internal(error: impl std::error::Error + Send + Sync + 'static) -> Error {
    Error::Internal(Box::new(error))
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use time::Duration;
    use time::macros::datetime;

    use super::*;

    /// The secret of RFC 6238's test vectors.
    const SECRET: FactorSecret = FactorSecret(*b"12345678901234567890");

    fn judged(code: &str, seconds: i64) -> Option<Evidence> {
        let now = datetime!(1970-01-01 0:00 UTC) + Duration::seconds(seconds);
        judge(code.to_string(), now)(&SECRET).unwrap()
    }

    #[test]
    fn codes_are_those_of_rfc_6238() {
        // The last six of the eight digits in appendix B.
        for (seconds, code) in
            [(59, "287082"), (1_111_111_109, "081804"), (1_234_567_890, "005924"), (20_000_000_000, "353130")]
        {
            assert_eq!(judged(code, seconds), Some(Evidence::Step(seconds / 30)), "{code}");
        }
        assert_eq!(judged(" 287 082\n", 59), Some(Evidence::Step(1)));
        for wrong in ["287083", "28708", "2870822", "", "２８７０８２", "abcdef", "94287082"] {
            assert_eq!(judged(wrong, 59), None, "{wrong}");
        }
    }

    #[test]
    fn a_code_is_good_one_step_early_and_late_and_keeps_its_step() {
        for (seconds, is_good) in [(29, true), (30, true), (89, true), (90, false), (120, false), (0, true)] {
            assert_eq!(judged("287082", seconds), is_good.then_some(Evidence::Step(1)), "{seconds}");
        }
    }

    #[test]
    fn recovery_codes_are_all_different_and_read_back_as_they_are_typed() {
        let (codes, hashes) = draw_recovery_codes().unwrap();
        assert_eq!(codes.iter().collect::<HashSet<_>>().len(), RECOVERY_CODES);
        for (code, hash) in codes.iter().zip(hashes) {
            assert_eq!(code.len(), 19);
            for typed in [code.clone(), code.replace('-', ""), code.to_uppercase(), code.replace('-', " ")] {
                assert_eq!(judged(&typed, 0), Some(Evidence::Recovery(hash)), "{typed}");
            }
        }
        assert_eq!(judged("abcd-efgh-ijkl-mno1", 0), None, "1 is in no code");
    }

    #[test]
    fn an_enrolment_names_the_service_and_the_user() {
        let issued = enrolment(&SECRET, "Ana: Souza & Cia").unwrap();
        assert_eq!(issued.secret, "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ");
        let query = format!("?secret={}&issuer=Finance", issued.secret);
        assert!(
            issued.otpauth.starts_with("otpauth://totp/Finance:Ana") && issued.otpauth.ends_with(&query),
            "{}",
            issued.otpauth
        );
        assert!(issued.otpauth.is_ascii() && !issued.otpauth.contains(' '), "{}", issued.otpauth);
        assert!(issued.qr_svg.starts_with("<svg ") && issued.qr_svg.ends_with("z\"/></svg>"), "{}", issued.qr_svg);
        let long = "ç".repeat(100);
        assert!(enrolment(&SECRET, &long).is_ok(), "the longest name fits into a QR code");
    }
}
