//! Bodies in gzip.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;

/// The bytes in gzip.
pub fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut packer = GzEncoder::new(Vec::new(), Compression::default());
    packer.write_all(bytes).expect("a vector takes all bytes");
    packer.finish().expect("a vector takes all bytes")
}
