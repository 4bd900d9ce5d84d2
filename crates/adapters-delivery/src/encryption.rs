//! Encryption of push messages: RFC 8291 (Web Push) over RFC 8188 (`aes128gcm`).
//!
//! The push service carries the message and cannot read it: only the device has the private key to the point that it signed up with.
//! Every message has an ephemeral key of its own. Given the shared secret of both keys, the message is a pure function, which the
//! example of RFC 8291 tests.

use finance_domain::notices::P256DH_BYTES;
use ring::aead::{AES_128_GCM, Aad, LessSafeKey, Nonce, UnboundKey};
use ring::agreement::{ECDH_P256, EphemeralPrivateKey, UnparsedPublicKey, agree_ephemeral};
use ring::error::Unspecified;
use ring::hkdf::{HKDF_SHA256, KeyType, Prk, Salt};
use ring::rand::{SecureRandom, SystemRandom};

/// The bytes of a salt.
const SALT_BYTES: usize = 16;
/// The size of a record. A message is one record, whose padding delimiter and tag take 17 bytes.
const RECORD_BYTES: u32 = 4_096;
/// What ends the last record, in front of the padding, of which there is none.
const LAST_RECORD: u8 = 2;

/// The keys of a device: its point, and the secret with which it authenticates messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct DeviceKeys<'a> {
    /// An uncompressed point of P-256.
    pub(crate) point: &'a [u8],
    /// Its secret, 16 bytes.
    pub(crate) auth: &'a [u8],
}

/// Encrypts a message for a device, with a new key and salt.
///
/// # Errors
///
/// If the point is not on the curve, or the system has no random numbers.
pub(crate) fn encrypt(message: &[u8], device: DeviceKeys<'_>) -> Result<Vec<u8>, Unspecified> {
    let random = SystemRandom::new();
    let mut salt = [0; SALT_BYTES];
    random.fill(&mut salt)?;
    let own = EphemeralPrivateKey::generate(&ECDH_P256, &random)?;
    let own_point = own.compute_public_key()?;
    agree_ephemeral(own, &UnparsedPublicKey::new(&ECDH_P256, device.point), |shared| {
        sealed(message, shared, device, own_point.as_ref(), salt)
    })?
}

/// Whether bytes are an uncompressed point on P-256.
pub(crate) fn is_point(bytes: &[u8]) -> bool {
    let Ok(own) = EphemeralPrivateKey::generate(&ECDH_P256, &SystemRandom::new()) else { return false };
    bytes.len() == P256DH_BYTES && agree_ephemeral(own, &UnparsedPublicKey::new(&ECDH_P256, bytes), |_| ()).is_ok()
}

/// The encrypted message: salt, size of a record, the sender's point with its length, and one record.
fn sealed(
    message: &[u8],
    shared: &[u8],
    device: DeviceKeys<'_>,
    own_point: &[u8],
    salt: [u8; SALT_BYTES],
) -> Result<Vec<u8>, Unspecified> {
    let (key, nonce) = key_and_nonce(shared, device, own_point, &salt)?;
    let mut record = [message, &[LAST_RECORD]].concat();
    let key = LessSafeKey::new(UnboundKey::new(&AES_128_GCM, &key)?);
    // The key is of one message, so its nonce is used once.
    key.seal_in_place_append_tag(Nonce::assume_unique_for_key(nonce), Aad::empty(), &mut record)?;
    let point_bytes = u8::try_from(own_point.len()).map_err(|_| Unspecified)?;
    Ok([&salt[..], &RECORD_BYTES.to_be_bytes(), &[point_bytes], own_point, &record].concat())
}

/// The key and nonce of a message.
fn key_and_nonce(
    shared: &[u8],
    device: DeviceKeys<'_>,
    own_point: &[u8],
    salt: &[u8],
) -> Result<([u8; 16], [u8; 12]), Unspecified> {
    let secret = Salt::new(HKDF_SHA256, device.auth).extract(shared);
    let secret: [u8; 32] = expanded(&secret, &[b"WebPush: info\0", device.point, own_point])?;
    let secret = Salt::new(HKDF_SHA256, salt).extract(&secret);
    let key = expanded(&secret, &[b"Content-Encoding: aes128gcm\0"])?;
    let nonce = expanded(&secret, &[b"Content-Encoding: nonce\0"])?;
    Ok((key, nonce))
}

/// The number of bytes to expand a key to.
struct Bytes(usize);

impl KeyType for Bytes {
    fn len(&self) -> usize {
        self.0
    }
}

fn expanded<const N: usize>(secret: &Prk, info: &[&[u8]]) -> Result<[u8; N], Unspecified> {
    let mut bytes = [0; N];
    secret.expand(info, Bytes(N))?.fill(&mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use base64::Engine;
    use base64::engine::general_purpose::URL_SAFE_NO_PAD;

    use super::*;

    fn bytes(text: &str) -> Vec<u8> {
        URL_SAFE_NO_PAD.decode(text).unwrap()
    }

    /// The example of RFC 8291, section 5 and appendix A.
    const DEVICE_POINT: &str =
        "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4";
    const OWN_POINT: &str = "BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8";
    const AUTH: &str = "BTBZMqHH6r4Tts7J_aSIgg";
    const SALT: &str = "DGv6ra1nlYgDCS1FRnbzlw";
    const SHARED: &str = "kyrL1jIIOHEzg3sM2ZWRHDRB62YACZhhSlknJ672kSs";

    #[test]
    fn a_message_is_the_example_of_rfc_8291() {
        let (point, auth) = (bytes(DEVICE_POINT), bytes(AUTH));
        let device = DeviceKeys { point: &point, auth: &auth };
        let (key, nonce) = key_and_nonce(&bytes(SHARED), device, &bytes(OWN_POINT), &bytes(SALT)).unwrap();
        assert_eq!(URL_SAFE_NO_PAD.encode(key), "oIhVW04MRdy2XN9CiKLxTg");
        assert_eq!(URL_SAFE_NO_PAD.encode(nonce), "4h_95klXJ5E_qnoN");
        let message = b"When I grow up, I want to be a watermelon";
        let salt = bytes(SALT).try_into().unwrap();
        let sealed = sealed(message, &bytes(SHARED), device, &bytes(OWN_POINT), salt).unwrap();
        assert_eq!(
            URL_SAFE_NO_PAD.encode(sealed),
            "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl\
             7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN"
        );
    }

    #[test]
    fn a_point_is_on_the_curve() {
        let mut point = bytes(DEVICE_POINT);
        assert!(is_point(&point));
        assert!(!is_point(&point[..64]));
        point[64] ^= 1;
        assert!(!is_point(&point));
        assert!(!is_point(&[0; P256DH_BYTES]));
        assert!(!is_point(&[]));
    }

    #[test]
    fn every_message_has_a_key_and_a_salt_of_its_own() {
        let (point, auth) = (bytes(DEVICE_POINT), bytes(AUTH));
        let device = DeviceKeys { point: &point, auth: &auth };
        let first = encrypt(b"x", device).unwrap();
        let second = encrypt(b"x", device).unwrap();
        assert_eq!(first.len(), SALT_BYTES + 4 + 1 + P256DH_BYTES + 1 + 1 + 16);
        assert_ne!(first[..SALT_BYTES], second[..SALT_BYTES]);
        assert_ne!(first[21..86], second[21..86]);
        assert!(encrypt(b"x", DeviceKeys { point: &[4; P256DH_BYTES], ..device }).is_err());
    }
}
