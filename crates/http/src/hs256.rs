//! HS256 for `jsonwebtoken`: HMAC with SHA-256, and no other algorithm.
//!
//! The providers of `jsonwebtoken` include RSA and elliptic curves, which this service does not use.

use hmac::{Hmac, KeyInit, Mac};
use jsonwebtoken::crypto::{CryptoProvider, JwtSigner, JwtVerifier, KeyUtils};
use jsonwebtoken::errors::{ErrorKind, Result};
use jsonwebtoken::signature::{Error, Signer, Verifier};
use jsonwebtoken::{Algorithm, DecodingKey, EncodingKey};
use sha2::Sha256;

static PROVIDER: CryptoProvider = CryptoProvider {
    signer_factory: |algorithm, key: &EncodingKey| Ok(Box::new(Hs256::new(*algorithm, key.as_bytes())?)),
    verifier_factory: |algorithm, key: &DecodingKey| Ok(Box::new(Hs256::new(*algorithm, key.try_get_as_bytes()?)?)),
    key_utils: KeyUtils::new_unimplemented(),
};

/// Installs [`Hs256`] as the provider of `jsonwebtoken` in this process.
///
/// An installed provider is kept: it is this one, or that of a program that embeds this crate.
pub(crate) fn install() {
    if PROVIDER.install_default().is_err() {
        log::trace!("jsonwebtoken has a provider already");
    }
}

/// An HMAC key for SHA-256.
struct Hs256(Hmac<Sha256>);

impl Hs256 {
    fn new(algorithm: Algorithm, key: &[u8]) -> Result<Self> {
        if algorithm != Algorithm::HS256 {
            return Err(ErrorKind::InvalidAlgorithm.into());
        }
        Ok(Hs256(Hmac::new_from_slice(key).map_err(|_| ErrorKind::InvalidKeyFormat)?))
    }
}

impl Signer<Vec<u8>> for Hs256 {
    fn try_sign(&self, message: &[u8]) -> std::result::Result<Vec<u8>, Error> {
        Ok(self.0.clone().chain_update(message).finalize().into_bytes().to_vec())
    }
}

impl Verifier<Vec<u8>> for Hs256 {
    fn verify(&self, message: &[u8], signature: &Vec<u8>) -> std::result::Result<(), Error> {
        // Constant time.
        self.0.clone().chain_update(message).verify_slice(signature).map_err(Error::from_source)
    }
}

impl JwtSigner for Hs256 {
    fn algorithm(&self) -> Algorithm {
        Algorithm::HS256
    }
}

impl JwtVerifier for Hs256 {
    fn algorithm(&self) -> Algorithm {
        Algorithm::HS256
    }
}

#[cfg(test)]
mod tests {
    use jsonwebtoken::crypto::{sign, verify};

    use super::*;

    /// The example of RFC 7515, appendix A.1.
    const KEY: &str = "AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ+EstJQLr/T+1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow==";
    const MESSAGE: &[u8] = b"eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9.\
        eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ";
    const SIGNATURE: &str = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";

    #[test]
    fn the_example_of_the_standard_is_signed_and_verified() {
        install();
        let key = EncodingKey::from_base64_secret(KEY).unwrap();
        assert_eq!(sign(MESSAGE, &key, Algorithm::HS256).unwrap(), SIGNATURE);
        let key = DecodingKey::from_base64_secret(KEY).unwrap();
        assert!(verify(SIGNATURE, MESSAGE, &key, Algorithm::HS256).unwrap());
        assert!(!verify(SIGNATURE, &MESSAGE[1..], &key, Algorithm::HS256).unwrap());
        assert!(!verify(&SIGNATURE[..40], MESSAGE, &key, Algorithm::HS256).unwrap());
        let other = DecodingKey::from_secret(b"another key");
        assert!(!verify(SIGNATURE, MESSAGE, &other, Algorithm::HS256).unwrap());
    }

    #[test]
    fn no_other_algorithm_signs_or_verifies() {
        install();
        let (signing, verifying) = (EncodingKey::from_secret(&[1; 32]), DecodingKey::from_secret(&[1; 32]));
        for algorithm in [Algorithm::HS384, Algorithm::HS512, Algorithm::RS256, Algorithm::ES256, Algorithm::EdDSA] {
            assert!(sign(MESSAGE, &signing, algorithm).is_err(), "{algorithm:?}");
            assert!(verify(SIGNATURE, MESSAGE, &verifying, algorithm).is_err(), "{algorithm:?}");
        }
    }
}
