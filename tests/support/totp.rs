//! An authenticator: codes of RFC 6238, implemented from the text of the RFC.

use hmac::{Hmac, KeyInit, Mac};
use sha1::Sha1;
use time::OffsetDateTime;

/// The six digits that an authenticator shows at an instant. The secret is in base32.
pub fn totp(secret: &str, at: OffsetDateTime) -> String {
    let mut key = Vec::new();
    let (mut bits, mut held) = (0_u32, 0);
    for letter in secret.bytes() {
        let value = match letter {
            b'A'..=b'Z' => letter - b'A',
            b'2'..=b'7' => letter - b'2' + 26,
            other => panic!("{other} is not of base32"),
        };
        bits = bits << 5 | u32::from(value);
        held += 5;
        if held >= 8 {
            held -= 8;
            key.push((bits >> held) as u8);
            bits &= (1 << held) - 1;
        }
    }
    let step = u64::try_from(at.unix_timestamp()).expect("after 1970") / 30;
    let mut mac = <Hmac<Sha1>>::new_from_slice(&key).expect("a key of any length");
    mac.update(&step.to_be_bytes());
    let hash = mac.finalize().into_bytes();
    let offset = usize::from(hash[19] & 0xf);
    let number = u32::from_be_bytes(hash[offset..offset + 4].try_into().expect("four bytes")) & 0x7fff_ffff;
    format!("{:06}", number % 1_000_000)
}
