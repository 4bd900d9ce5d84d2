//! The curve P-256 by its equation: for devices of tests, which use their key more than once. It does not care for how long it takes or
//! what that tells, so it is for tests only.

use num_bigint::BigUint;

/// A point, none for the one at infinity.
type Point = Option<(BigUint, BigUint)>;

fn number(hex: &str) -> BigUint {
    BigUint::parse_bytes(hex.as_bytes(), 16).expect("a number")
}

/// The prime of the field.
fn prime() -> BigUint {
    number("ffffffff00000001000000000000000000000000ffffffffffffffffffffffff")
}

fn base() -> Point {
    let x = number("6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296");
    let y = number("4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5");
    Some((x, y))
}

/// `left - right` in the field.
fn minus(left: &BigUint, right: &BigUint, prime: &BigUint) -> BigUint {
    (left + prime - right) % prime
}

/// The sum of two points.
fn sum(left: &Point, right: &Point, prime: &BigUint) -> Point {
    let (Some((x1, y1)), Some((x2, y2))) = (left, right) else { return left.clone().or_else(|| right.clone()) };
    let two = BigUint::from(2_u8);
    let inverse = |of: &BigUint| of.modpow(&(prime - &two), prime);
    let slope = if x1 == x2 {
        if y1 != y2 || *y1 == BigUint::ZERO {
            return None;
        }
        // The tangent, for y² = x³ - 3x + b.
        minus(&(BigUint::from(3_u8) * x1 * x1), &BigUint::from(3_u8), prime) * inverse(&(&two * y1 % prime)) % prime
    } else {
        minus(y2, y1, prime) * inverse(&minus(x2, x1, prime)) % prime
    };
    let x = minus(&minus(&(&slope * &slope % prime), x1, prime), x2, prime);
    let y = minus(&(&slope * minus(x1, &x, prime) % prime), y1, prime);
    Some((x, y))
}

fn multiple(point: &Point, times: &[u8; 32]) -> Point {
    let prime = prime();
    let mut result = None;
    for byte in times {
        for bit in (0..8).rev() {
            result = sum(&result, &result, &prime);
            if byte >> bit & 1 == 1 {
                result = sum(&result, point, &prime);
            }
        }
    }
    result
}

fn bytes(number: &BigUint) -> [u8; 32] {
    let (found, mut padded) = (number.to_bytes_be(), [0; 32]);
    padded[32 - found.len()..].copy_from_slice(&found);
    padded
}

/// The public key of a private one, not compressed.
pub(crate) fn public_key(private: &[u8; 32]) -> Vec<u8> {
    let (x, y) = multiple(&base(), private).expect("a point");
    [&[4][..], &bytes(&x), &bytes(&y)].concat()
}

/// The secret that a private key and the public one of another have in common.
pub(crate) fn shared_secret(private: &[u8; 32], public: &[u8]) -> [u8; 32] {
    let point = Some((BigUint::from_bytes_be(&public[1..33]), BigUint::from_bytes_be(&public[33..])));
    bytes(&multiple(&point, private).expect("a point").0)
}
